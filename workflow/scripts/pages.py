"""What the rules that write pages share."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.errors import InputError
from mt_difficulty.page import index, made, template

NO_CHECKOUT = "not a git checkout"


def write_page(snakemake, content):
    """Write a page from the rule's template, style and scripts."""
    sources = snakemake.input
    style, scripts = _read(sources.style), _read(sources.behaviour)
    page = template.render(sources.template[0], content, "\n".join(style), scripts)
    storage.write_text(snakemake.output.page, page)


def _read(files):
    return [Path(file).read_text(encoding="utf-8") for file in files]


def write_findings(snakemake, title, text):
    """Write beside a page the script by which the index shows what was found and links to it."""
    file = Path(snakemake.output.findings)
    found = {"page": f"{file.parent.name}/report.html", "title": title, "text": text.strip()}
    storage.write_text(file, f"addFindings({storage.to_json(found, ascii_only=True).strip()});\n")


def write_made(snakemake, name, patterns, wanted, pages=(), scores=None):
    """Write beside a page how its results were made, from the records of their jobs.

    Parameters
    ----------
    name : str
        The page's folder in that of the results; empty for these.
    patterns : list of str
        Of the records' names.
    wanted : list of path
        The results.
    pages, scores
        As in `made.describe`.
    """
    output, sources = Path(snakemake.output.made), snakemake.input
    results = output.parents[len(Path(name).parts)]
    found = [file for each in patterns for file in sorted((results / "provenance").glob(each))]
    content = made.describe(
        name or "all sets",
        _records(found),
        [os.path.relpath(file, results) for file in wanted],
        f"{name}/" * bool(name),
        [f"{page}/" for page in pages],
        scores,
    )
    content |= {"commit": commit(), "versions": index.versions(), "weightings": []}
    file = Path(sources.template[0]).with_name("made.html.j2")
    scripts = [script for script in sources.behaviour if Path(script).name[0] in "12"]
    page = template.render(file, content, "\n".join(_read(sources.style)), _read(scripts))
    storage.write_text(output, page)


def _records(files):
    """What is in records of jobs. A damaged one is of a job that is still to run again; none that
    the page is made from."""
    for file in files:
        with suppress(InputError):
            yield storage.read_json(file)


def commit():
    """The commit of the project's checkout, and whether tracked files differ from it."""
    root = Path(__file__).resolve().parents[2]

    def git(*arguments):
        command = ["git", "-C", str(root), *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()

    try:
        if Path(git("rev-parse", "--show-toplevel")) != root:
            return NO_CHECKOUT
        changed = git("status", "--porcelain", "--untracked-files=no")
        return f"commit {git('rev-parse', 'HEAD')}" + ", with changes" * bool(changed)
    except (OSError, subprocess.CalledProcessError):
        return NO_CHECKOUT
