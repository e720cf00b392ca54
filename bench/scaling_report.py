"""Growth of every step, as tables, from what bench/scaling.py measured."""

from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.optimize import lsq_linear

# A step grows where at two sizes it takes so much more, and so many times as much, as at the
# smallest: anything less may be noise, which for seconds on a busy machine is nearly a factor of 2.
LEAST = {"cpu_seconds": 0.5, "peak_memory": 50.0}
TIMES = {"cpu_seconds": 2.0, "peak_memory": 1.0}
# A formula that says at some size so many times too much or too little is none.
OFF = 1.5
KEYS = ["systems", "segments"]
ROUNDS = 20
# Of which growth is reported.
UNIT = [10, 1000]
# What Snakemake itself takes, to plan and to start the jobs.
SNAKEMAKE = "snakemake, all jobs"


class Growth(NamedTuple):
    """A step takes start + work · (systems / 10)^p · (segments / 1,000)^q; `both` is the exponent
    of systems × segments alone. An exponent of 0 is none. A step that does not grow, or
    not so, has a start alone, what it takes at most, and NaN elsewhere; so have p and q where sizes
    are too few."""

    start: float
    work: float
    p: float
    q: float
    both: float

    def at(self, systems, segments):
        """What the step takes at a size."""
        p, q = np.nan_to_num([self.p, self.q], nan=self.both)
        beyond = self.work * (systems / UNIT[0]) ** p * (segments / UNIT[1]) ** q
        return self.start + np.nan_to_num(beyond)


def growth(own, quantity):
    """How what one step takes grows.

    Parameters
    ----------
    own : DataFrame
        The step's rows: systems, segments, hypotheses, and the quantity.
    quantity : {"cpu_seconds", "peak_memory"}
    """
    values, sizes = own[quantity].to_numpy(float), own[KEYS] / UNIT
    first = values[sizes.prod(axis=1).argmin()]
    kept = (values - first >= LEAST[quantity]) & (values >= TIMES[quantity] * first)
    start, work, (both,) = fit(sizes.prod(axis=1).to_frame(), values, kept)
    none = Growth(values.max(), *[np.nan] * 4)
    if not both > 0:
        return none
    plane = fit(sizes, values, kept)
    if not np.isnan(plane[2]).any():
        start, work = plane[:2]
    found = Growth(start, work, *plane[2], both)
    off = np.log(found.at(own.systems, own.segments) / values)
    return found if np.abs(off).max() <= np.log(OFF) else none


def fit(sizes, values, kept):
    """Least squares of the logarithms of what is beyond the start, which is what the smallest size
    takes less what the fit itself says of its work: start, work at size 1, and exponents, at least
    0; NaN where the sizes kept do not tell."""
    columns = np.column_stack([np.ones(len(sizes)), np.log(sizes.to_numpy(float))])
    first, work = columns.sum(axis=1).argmin(), 0.0
    least = np.r_[-np.inf, np.zeros(columns.shape[1] - 1)]
    if np.linalg.matrix_rank(columns[kept]) < columns.shape[1]:
        return np.nan, np.nan, np.full(columns.shape[1] - 1, np.nan)
    for _ in range(ROUNDS):
        beyond = np.log(values[kept] - values[first] + work)
        found = lsq_linear(columns[kept], beyond, (least, np.inf), method="bvls").x
        work = min(np.exp(columns[first] @ found), values[first])
    return values[first] - work, np.exp(found[0]), found[1:]


def measured(steps, quantity, digits):
    """The quantity by step and size, for people."""
    table = steps.pivot(index="step", columns=KEYS, values=quantity)
    table = table[sorted(table.columns, key=lambda size: (np.prod(size), size))]
    table.columns = [f"{systems}×{segments}" for systems, segments in table.columns]
    return table.map(lambda value: "–" if np.isnan(value) else f"{value:.{digits}f}")


def table(steps, quantity, digits):
    """Measured values and growth as markdown; the most costly step first."""
    found = {step: growth(own, quantity) for step, own in steps.groupby("step")}
    found = pd.DataFrame(found, index=Growth._fields).T
    form = {"start": digits, "work": digits}
    for name in found:
        shown = found[name].map(f"{{:.{form.get(name, 2)}f}}".format).astype(object)
        found[name] = shown.where(found[name].notna(), "")
    order = steps.groupby("step")[quantity].max().sort_values(ascending=False).index
    joined = measured(steps, quantity, digits).join(found).loc[order].reset_index()
    return joined.to_markdown(index=False, disable_numparse=True)


def write_report(steps, folder):
    """Write scaling.csv, and print time and memory of every step with their growth."""
    folder.mkdir(exist_ok=True)
    steps = steps[["step", *KEYS, "cpu_seconds", "peak_memory"]].sort_values(["step", *KEYS])
    steps.round(3).to_csv(folder / "scaling.csv", index=False)
    memory = steps[steps.step != SNAKEMAKE]
    print(f"CPU seconds\n{table(steps, 'cpu_seconds', 1)}\n")
    print(f"Peak memory, MB\n{table(memory, 'peak_memory', 0)}")
