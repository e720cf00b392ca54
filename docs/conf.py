"""The documentation as a site: `make docs`."""

import re
import sys
from importlib import import_module
from inspect import getdoc
from pathlib import Path

from docutils import nodes
from sphinx.ext.napoleon import Config, NumpyDocstring
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).parents[1] / "workflow/scripts"))

from mt_difficulty import __version__, tables
from mt_difficulty.cli.arguments import make_parser

project, version, author = "mt-difficulty", __version__, "the mt-difficulty authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
# Attributes as a list: NamedTuples document their fields, too.
napoleon_use_ivar = True
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
        sections = []
        for name, command in {"mt-difficulty": parser, **commands}.items():
            section = nodes.section(ids=[nodes.make_id(name)])
            section += nodes.title(text=name)
            section += nodes.literal_block(text=command.format_help(), language="none")
            sections.append(section)
        return sections


class Members(SphinxDirective):
    """The types of a registry, `package.REGISTRY`, with their docstrings."""

    required_arguments = 1

    def run(self):
        package, name = self.arguments[0].rsplit(".", 1)
        lines = []
        for member, cls in getattr(import_module(f"mt_difficulty.{package}"), name).items():
            cls = cls if isinstance(cls, type) else type(cls)
            unit = getattr(cls, "unit", "")
            lines.append(f"``{member}``" + (f" ({unit})" if isinstance(unit, str) and unit else ""))
            docstring = re.sub(r"([*|])", r"\\\1", getdoc(cls))
            docstring = NumpyDocstring(docstring, Config(napoleon_use_param=False)).lines()
            lines += ["    " + line for line in docstring] + [""]
        return self.parse_text_to_nodes("\n".join(lines))


def table_row(*cells):
    """Return a row of a Markdown table."""
    return "| " + " | ".join(re.sub(r"([*|])", r"\\\1", cell) for cell in cells) + " |"


class Tables(SphinxDirective):
    """The result tables of a group of tables.py, with what they hold and their columns."""

    required_arguments = 1

    def run(self):
        lines = [table_row("file", "content", "columns"), "| --- | --- | --- |"]
        for name, table in getattr(tables, self.arguments[0]).items():
            columns = [f"`{column}`" for column in table.names(["<statistics of the run>"])]
            lines.append(table_row(f"`{name}`", table.holds, ", ".join(columns)))
        return self.parse_text_to_nodes("\n".join(lines))


class Columns(SphinxDirective):
    """The columns of the result tables: what they hold, in which unit, and what is better."""

    def run(self):
        lines = [
            table_row("column", "kind", "meaning", "unit", "direction"),
            "| --- | --- | --- | --- | --- |",
        ]
        for name, column in sorted(tables.COLUMNS.items(), key=lambda item: item[0].lower()):
            if name.endswith("_high"):
                continue
            kind = "number" if column.is_number else "text"
            about = column.meaning, column.unit, column.direction
            lines.append(table_row(f"`{name}`", kind, *about))
        return self.parse_text_to_nodes("\n".join(lines))


def setup(app):
    app.add_directive("tables", Tables)
    app.add_directive("columns", Columns)
    app.add_directive("program-help", ProgramHelp)
    app.add_directive("members", Members)
