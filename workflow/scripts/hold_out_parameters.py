"""EE with parameters that other sets chose, beside a set's own."""

from contextlib import suppress

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import surface
from mt_difficulty.evidence.correlations import CORRELATIONS

HOW_TO_READ = """\
EE with a threshold h and a balance w of several origins, over all systems of a set. `in force`:
given by the paper or the config, or else the equations'. `equations`: Eq. 9 and Eq. 11 of Liu et
al. (2022). `held out`: of the highest mean Pearson's r of that metric over the other sets, so that
no human score of the set itself took part. `optimum`: of the highest r on the set itself, an upper
bound that takes its human scores to find."""
NONE = "Here no metric has another set to choose h and w on."


def held_out(frame):
    """Whether a metric could be given parameters from other sets."""
    return frame.pearson[frame.parameters == "held out"].notna().any()


def sentence(frame):
    """What EE with held-out parameters is better than, and how often."""
    others = {
        "standard": "the plain metric",
        "equations": "EE with the equations' parameters",
        "in force": "EE with those in force",
    }
    parts = [
        "{} in {} of {}".format(what, *surface.count_wins(frame, "pearson", "held out", other))
        for other, what in others.items()
    ]
    return (
        "By Pearson's r, EE with held-out parameters is better than "
        f"{', than '.join(parts)} pairs of set and metric."
    )


def counts(frame):
    """How often EE is better than the plain metric, by statistic and origin of parameters."""
    origins = surface.PARAMETERS[1:]
    rows = [
        [statistic, *("{} of {}".format(*surface.count_wins(frame, statistic, o)) for o in origins)]
        for statistic in CORRELATIONS
    ]
    return pd.DataFrame(rows, columns=["EE better than the plain metric by", *origins])


def correlations(frame):
    """Pearson's r by set and metric, and the held-out parameters."""
    keys = ["set", "metric"]
    table = frame.pivot(index=keys, columns="parameters", values="pearson")
    table = table.reindex(columns=surface.PARAMETERS).map("{:.3f}".format, na_action="ignore")
    chosen = frame[frame.parameters == "held out"].set_index(keys)[["h", "w"]]
    chosen = chosen.map("{:.2f}".format, na_action="ignore").add_prefix("held-out ")
    return table.join(chosen).astype(object).fillna("–").reset_index()


def describe(frame):
    """The results for people, as markdown."""
    parts = [
        "# Held-out parameters",
        HOW_TO_READ,
        *([sentence(frame), counts(frame).to_markdown(index=False)] if held_out(frame) else [NONE]),
        "Pearson's r of every pair:",
        correlations(frame).to_markdown(index=False, disable_numparse=True),
    ]
    return "\n\n".join(parts) + "\n"


def main(snakemake):
    surfaces, rows = {}, {}
    for name, grid, points in zip(
        snakemake.params.tests, snakemake.input.surfaces, snakemake.input.points, strict=True
    ):
        with suppress(Missing):  # a set without segment scores
            arrays = storage.read_arrays(grid)
            surfaces[name] = dict(zip(arrays["metrics"], arrays["correlations"], strict=True))
            rows[name] = storage.read_table(points)
    if not surfaces:
        raise Missing("no evaluation set has human scores and scores of segments")
    frame = surface.hold_out(surfaces, rows, snakemake.params.tests)
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, describe(frame))


if "snakemake" in globals():
    run(main, snakemake)
