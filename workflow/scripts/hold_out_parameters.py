"""Weightings in groups with parameters that other sets chose, beside a set's own."""

from contextlib import suppress

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import surface
from mt_difficulty.evidence.labels import TUNED, TUNED_NOTE
from mt_difficulty.evidence.subsets import CORRELATIONS

HOW_TO_READ = f"""\
Weightings of two groups of segments (such as EE of Liu et al. 2022), over all systems of a set,
with a threshold h and an easy weight w of several origins:

- `in force`: the parameters in use, from the paper or the config, else from the weighting's rules.
- `equations`: Eq. 9 and Eq. 11 of Liu et al. (2022), for the difficulty that they were fitted to.
- `held out`: the quantile of difficulty and the w with the highest mean Pearson's r of the same
  metric and weighting over the other sets. No human score of the set itself is used; other language
  pairs of its campaign, which may share the source, count as other sets.
- `optimum`: the point of the grid with the highest r on the set itself. The grid contains the
  unweighted metric, so the optimum cannot be worse; it is compared with the optimum of permuted
  difficulties, tuned in the same way (tuned random).

{TUNED_NOTE}

Cases of one set share its segments, human scores and difficulties, so they are not independent:
count sets, not cases. A set counts as better if the mean difference over its cases is above 0."""
NONE = "No metric of this run has another set on which to choose h and w."
# Origins whose wins are counted: an optimum always wins.
COUNTED = surface.PARAMETERS[1:-1]


def held_out(frame):
    """Whether a metric could be given parameters from other sets."""
    return frame.pearson[frame.parameters == "held out"].notna().any()


def sentence(frame):
    """What weightings with held-out parameters are better than, and how often."""
    others = {
        "standard": "the unweighted metric",
        "equations": "the equations' parameters",
        "in force": "those in force",
    }
    counted = {what: count(frame, "pearson", "held out", other) for other, what in others.items()}
    parts = [f"{what} in {text}" for what, text in counted.items() if text]
    return (
        "By Pearson's r, weightings with held-out parameters are better than "
        f"{', than '.join(parts)} (cases are sets × metrics × weightings)."
    )


def count(frame, statistic, label, other="standard"):
    """How often one origin is better than another, as `3 of 4 sets, 6 of 15 cases`; empty where
    none has both."""
    sets = surface.count_sets(frame, statistic, label, other)
    cases = surface.count_wins(frame, statistic, label, other)
    return f"{sets[0]} of {sets[1]} sets, {cases[0]} of {cases[1]} cases" * bool(cases[1])


def counts(frame):
    """How often a weighting is better than the unweighted metric, by weighting, statistic and
    origin, marked where the origin is tuned on some set."""
    tuned = set(frame.parameters[frame.tuned == "yes"])
    rows = [
        [weighting, statistic, *(count(rows, statistic, origin) or "–" for origin in COUNTED)]
        for weighting, rows in frame.groupby("weighting", sort=False)
        for statistic in CORRELATIONS
    ]
    origins = [origin + TUNED * (origin in tuned) for origin in COUNTED]
    return pd.DataFrame(rows, columns=["weighting", "better than unweighted by", *origins])


def fitted(frame):
    """What tuned values reach beside permuted difficulties that are tuned in the same way."""
    rows = frame[(frame.tuned == "yes") & frame.retuned_quantile.notna()]
    texts = []
    for origin, own in rows.groupby("parameters", sort=False):
        above = own.retuned_quantile > 0.95
        texts.append(
            f"`{origin}`{TUNED}: r is above 95 % of tuned random difficulties in {above.sum()} of "
            f"{len(own)} cases, in {own[above].set.nunique()} of {own.set.nunique()} sets."
        )
    return " ".join(texts)


def correlations(frame):
    """Pearson's r by set, metric and weighting, and the held-out parameters; tuned values are
    marked, and the optimum stands beside the range of tuned random difficulties."""
    keys = ["set", *surface.KEYS]
    texts = frame.pearson.map("{:.3f}".format, na_action="ignore")
    frame = frame.assign(text=texts + (frame.tuned == "yes").map({True: TUNED, False: ""}))
    table = frame.pivot(index=keys, columns="parameters", values="text")
    table = table.reindex(columns=surface.PARAMETERS)
    best = frame[frame.parameters == "optimum"].set_index(keys)
    table["tuned random"] = [
        np.nan if np.isnan(low) else f"[{low:.3f}, {high:.3f}]"
        for low, high in best.loc[table.index, ["retuned_low", "retuned_high"]].to_numpy()
    ]
    chosen = frame[frame.parameters == "held out"].set_index(keys)[["quantile", "w"]]
    chosen = chosen.map("{:.2f}".format, na_action="ignore").add_prefix("held-out ")
    return table.join(chosen).astype(object).fillna("–").reset_index()


def describe(frame):
    """The results for people, as markdown."""
    parts = [
        "# Held-out parameters",
        HOW_TO_READ,
        *([sentence(frame), counts(frame).to_markdown(index=False)] if held_out(frame) else [NONE]),
        fitted(frame),
        "Pearson's r of every case:",
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
            rows[name] = storage.read_table(points)
            # The same weighting of another difficulty has another grid.
            of = dict(zip(rows[name].weighting, rows[name].difficulty, strict=True))
            difficulties = [of[weighting] for weighting in arrays["weightings"]]
            keys = zip(arrays["metrics"], arrays["weightings"], difficulties, strict=True)
            grids = map(surface.Surface, arrays["correlations"], arrays["thresholds"])
            surfaces[name] = dict(zip(keys, grids, strict=True))
    if not surfaces:
        raise Missing("no evaluation set has human scores and scores of segments")
    frame = surface.hold_out(surfaces, rows, snakemake.params.tests)
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, describe(frame))


if "snakemake" in globals():
    run(main, snakemake)
