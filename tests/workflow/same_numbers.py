"""What several tables of an evaluation set hold, and one table of several runs, side by side."""

import numpy as np
import pandas as pd

PLACE = ["metric", "weighting", "subset", "size", "statistic"]
SCORE = ["system", "metric", "weighting"]


def long(frame):
    """A row for every statistic."""
    statistics = ["pearson", "kendall", "spearman"]
    keys = [column for column in PLACE if column in frame]
    return frame.melt(keys, statistics, "statistic", "value")


def same_quantities(folder):
    """Pairs of tables with the same keys and one column each, by what is compared."""
    names = ("correlations", "significance", "controls", "parameters")
    names += ("system_scores", "system_intervals", "top_scores")
    read = {name: pd.read_csv(folder / f"{name}.csv") for name in names}
    correlations = long(read["correlations"][read["correlations"].subset != "random"])
    controls = read["controls"].drop_duplicates(PLACE)  # a row for every null
    plain = correlations[correlations.weighting == "standard"].drop(columns="weighting")
    gain = read["significance"][["difference", *PLACE]].rename(columns={"difference": "value"})
    gain = gain[gain.weighting != "standard"]
    of_controls = controls.assign(value=controls.value - controls.standard)
    parameters = read["parameters"]
    parameters = parameters[parameters.parameters.isin(["standard", "in force"])]
    plain_rows = parameters.parameters == "standard"
    parameters = parameters.assign(weighting=parameters.weighting.mask(plain_rows, "standard"))
    whole = correlations[correlations.subset == "all"].drop(columns=["subset", "size"])
    scores, top = read["system_scores"], read["top_scores"]
    yield "value", correlations, read["significance"], PLACE
    yield "value", correlations, controls, PLACE
    yield "value", of_controls, gain, PLACE
    standard = controls.drop(columns="value").rename(columns={"standard": "value"})
    yield "value", plain, standard, [key for key in PLACE if key != "weighting"]
    yield "value", whole, long(parameters), ["metric", "weighting", "statistic"]
    yield "score", scores, read["system_intervals"], SCORE
    yield "score", scores, top[top["size"] == top["size"].max()], SCORE


def largest_differences(folder):
    """By comparison: how many quantities both tables hold, and the largest difference between
    them, relative to 1 or to the larger of scores."""
    for column, one, other, keys in same_quantities(folder):
        both = one.merge(other, on=keys, suffixes=("", "_other"))
        a, b = both[column], both[f"{column}_other"]
        assert (a.isna() == b.isna()).all()
        yield len(both), ((a - b).abs() / np.maximum(1, a.abs())).max()


TABLES = (
    *("system_scores", "missing", "correlations", "correlation_spread", "top_scores"),
    *("significance", "system_comparisons", "system_intervals", "controls", "parameters"),
)
# A float32 encoder's similarities differ by about 5e-7 between processors, and so do scores; their
# correlations over the best few systems, whose scores are alike, by more.
OF_ENCODER = {"system_scores": 1e-6, "system_intervals": 1e-6, "correlations": 1e-4}


def differences(folder, other, metric):
    """Largest relative differences of a metric's numbers between two runs, by table; rows, texts
    and what is missing must be equal."""
    for name in TABLES:
        one, two = (pd.read_csv(f"{run}/{name}.csv") for run in (folder, other))
        one, two = (table[table.metric == metric] for table in (one, two))
        numbers = one.select_dtypes(float).columns
        pd.testing.assert_frame_equal(one.drop(columns=numbers), two.drop(columns=numbers))
        apart = (one[numbers] - two[numbers]).abs() / np.maximum(1, one[numbers].abs())
        assert (one[numbers].isna() == two[numbers].isna()).all(axis=None)
        yield name, np.nanmax(apart.to_numpy(), initial=0)
