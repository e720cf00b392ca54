"""Write the scores of all sets as files in the layout of the official archive."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.plan.export import FinishedSet, export_sets


@job
def main(snakemake):
    folder = Path(snakemake.output[0])
    sets = [
        FinishedSet(name, [file for file in snakemake.input.files if f"/{name}/" in file], settings)
        for name, settings in snakemake.params.sets.items()
    ]
    lines, notes = export_sets(folder, sets)
    lines = [line.removeprefix(f"{folder}/") for line in lines]
    storage.write_text(folder / "files.txt", "".join(f"{line}\n" for line in [*lines, *notes]))
