"""What the rules that write pages share."""

from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.page import template


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
