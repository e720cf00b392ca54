"""The documentation as a site: `make docs`."""

import sys
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow/scripts"))

from mt_difficulty import __version__
from mt_difficulty.cli.arguments import make_parser

project, version, author = "mt-difficulty", __version__, "the mt-difficulty authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = "mt-difficulty"
html_show_copyright = False
# The sources begin at the project's folder, so that links between all its texts are checked.
root_doc = "docs/index"
texts = ["README.md", "CONTRIBUTING.md", "CHANGELOG.md", "data/demo/README.md"]
include_patterns = ["docs/*.md", *texts]
myst_heading_anchors = 3


class ProgramHelp(SphinxDirective):
    """The help of the command and of each of its subcommands."""

    def run(self):
        parser = make_parser()
        commands = parser._subparsers._group_actions[0].choices
        found = []
        for name, each in {"mt-difficulty": parser, **commands}.items():
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title(text=name)
            section += nodes.literal_block(text=each.format_help(), language="none")
            found.append(section)
        return found


def setup(app):
    app.add_directive("program-help", ProgramHelp)
