"""Write the ledger for other programs, and a badge of each paper."""

from pathlib import Path

from jsonschema import Draft202012Validator

from job import run
from mt_difficulty import storage
from mt_difficulty.data.contents import checksum
from mt_difficulty.papers import published


def main(snakemake):
    ledger, params = storage.read_table(snakemake.input.audit), snakemake.params
    results = Path(snakemake.output.claims).parent
    made = {
        (each["paper"], each["item"]): {
            "file": each["file"],
            "sha256": checksum(results / each["file"]),
            "job": each["job"],
        }
        for each in params.jobs
    }
    content = published.claims_json(ledger, params.papers, made)
    Draft202012Validator(storage.read_json(snakemake.input.schema[0])).validate(content)
    storage.write_json(snakemake.output.claims, content, sort_keys=False)
    for paper, about in content["papers"].items():
        badge = published.badge(paper, about["cells"])
        for file in snakemake.output.badges:
            if Path(file).parent.name == paper:
                svg = file.endswith(".svg")
                write = storage.write_text if svg else storage.write_json
                write(file, published.badge_svg(badge) if svg else badge)


if "snakemake" in globals():
    run(main, snakemake)
