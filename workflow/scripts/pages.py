"""What the rules that write pages share."""

from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.page import template


def write_page(snakemake, content):
    """Write a page from the rule's template, style and scripts."""
    sources = snakemake.input
    style, scripts = (
        [Path(file).read_text(encoding="utf-8") for file in files]
        for files in (sources.style, sources.behaviour)
    )
    page = template.render(sources.template[0], content, "\n".join(style), scripts)
    storage.write_text(snakemake.output.page, page)
