"""Compare weightings in two groups under parameters chosen on other sets and on the set itself."""

from contextlib import suppress

from job import job
from mt_difficulty import page, storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.parameters import describe_held_out, hold_out
from mt_difficulty.tables import TABLES


@job
def main(snakemake):
    texts = snakemake.params.texts
    surfaces = {}
    points = {}
    files = zip(texts, snakemake.input.surfaces, snakemake.input.points, strict=True)
    for name, surface_file, points_file in files:
        with suppress(Missing):  # a set without segment scores
            surface = storage.read_arrays(surface_file)
            points[name] = storage.read_table(points_file)
            surfaces[name] = surface
    if not surfaces:
        raise Missing("no evaluation set has human scores and scores of segments")
    held_out = hold_out(surfaces, points, texts)
    storage.write_table(snakemake.output.csv, held_out, TABLES["held_out.csv"])
    text = page.text(snakemake.input.template[0], describe_held_out(held_out))
    storage.write_text(snakemake.output.md, text.strip() + "\n")
