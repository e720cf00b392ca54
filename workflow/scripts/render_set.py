"""The page of one evaluation set, the segments beside it, and what the index says of the set."""

import hashlib
from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.page import segments, set_page
from pages import write_page


def main(snakemake):
    params, files = snakemake.params, list(map(str, snakemake.input.files))
    found = read_set(params.name, files)
    page, summary = set_page.describe(found, params.settings, params.captions, params.synthetic)
    (evalset,) = (file for file in files if Path(file).name == "evalset.json")
    summary["evalset"]["sha256"] = hashlib.sha256(Path(evalset).read_bytes()).hexdigest()
    storage.write_text(snakemake.output.segments, segments.script(page["segments"]))
    write_page(snakemake, page | {"synthetic": params.synthetic})
    storage.write_json(snakemake.output.summary, summary)


if "snakemake" in globals():
    run(main, snakemake)
