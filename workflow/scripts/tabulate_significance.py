"""The intervals and tests beside one of a paper's tables of correlations."""

from job import run
from mt_difficulty import storage
from mt_difficulty.papers.significance_tables import NOTES, join, printed, statistics_rows, summary


def main(snakemake):
    table, results = snakemake.params.table, {}
    inputs = snakemake.input
    for name, significance, controls, missing in zip(
        snakemake.params.sets,
        inputs.significance,
        inputs.controls,
        inputs.missing,
        strict=True,
    ):
        reasons = {
            (row.metric, row.weighting): row.reason
            for row in storage.read_table(missing).itertuples()
        }
        results[name] = (
            join(storage.read_table(significance), storage.read_table(controls)),
            lambda metric, weighting, reasons=reasons: snakemake.params.left_out.get(
                metric, reasons.get((metric, weighting), "not resampled")
            ),
        )
    frame = statistics_rows(table, results)
    caption = f"{table['caption']} {summary(frame)}"
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, to_markdown(frame, caption))


def to_markdown(frame, caption):
    table = printed(frame).to_markdown(index=False, disable_numparse=True)
    return "\n\n".join([caption, NOTES, table]) + "\n"


if "snakemake" in globals():
    run(main, snakemake)
