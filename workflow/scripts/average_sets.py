"""Means of the statistics of the metrics task over the sets of a run."""

from contextlib import suppress

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.labels import TUNED, TUNED_NOTE
from mt_difficulty.evidence.metric_table import averages, shared_name, year_of

HOW_TO_READ = """\
Agreement of metrics with human scores, averaged over evaluation sets as the WMT metrics task
averages its tasks. The group `all` is every set of the run; the other groups are its years, human
scores, language pairs and domains. A metric is in a group if it has a value on every set of the
group that has the statistic; `sets` is their number. `weighted mean` gives years equal weights,
`mean` gives sets equal weights. `mean rank` is the mean rank of significance clusters: a metric of
a lower rank is significantly better than some metric of its set (permutation test, p ≤ 0.05, not
adjusted for the number of comparisons)."""
NONE = "No two sets of this run with human scores have a metric in common."
SHOWN = (("soft_accuracy", ""), ("acc_eq", "item"))


def describe(frame, sets, tuned):
    """The averages of the statistics that head the official tables, as markdown; weightings that
    are tuned on some of the sets are marked."""
    parts = ["# The metrics over all sets", HOW_TO_READ, f"Sets: {', '.join(sets)}."]
    for statistic, grouping in SHOWN:
        rows = frame[(frame.statistic == statistic) & (frame.grouping.fillna("") == grouping)]
        rows = rows[rows.group_by == "all"].sort_values("weighted_mean", ascending=False)
        if len(rows):
            columns = ["metric", "weighting", "sets", "weighted_mean", "mean", "mean_rank"]
            marked = rows.weighting + rows.weighting.isin(tuned).map({True: TUNED, False: ""})
            table = (
                rows[columns]
                .assign(weighting=marked)
                .rename(columns=lambda name: name.replace("_", " "))
            )
            parts += [f"{statistic}:", table.to_markdown(index=False, floatfmt=".3f")]
    if set(frame.weighting) & set(tuned):
        parts.append(f"{TUNED_NOTE} Here: of at least one of the sets.")
    none = frame[frame.group_by == "all"].empty
    return "\n\n".join([*parts, *([NONE] if none else [])]) + "\n"


def main(snakemake):
    tables, output = {}, snakemake.output
    sets, files = snakemake.params.sets.items(), snakemake.input
    for (name, reference), file, of_set in zip(sets, files.agreement, files.evalsets, strict=True):
        with suppress(Missing):  # a set without human scores, or that is not in the archive
            found, known = storage.read_table(file), evalset.load(of_set)
            tables[name] = found.assign(
                metric=[shared_name(metric, reference) for metric in found.metric],
                domain=found.domain.fillna(""),
                set=name,
                year=year_of(known.campaign),
                pair=known.pair,
                gold=known.gold_label,
            )
    frame = averages([*tables.values()])
    storage.write_table(output.csv, frame)
    storage.write_text(output.md, describe(frame, tables, snakemake.params.tuned))


if "snakemake" in globals():
    run(main, snakemake)
