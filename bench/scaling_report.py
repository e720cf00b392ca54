"""Growth of every step, as tables and a plot, from what bench/scaling.py measured."""

import re
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
ENCODER = "match_tokens random"
# Jobs of which each needs the one before, from the archive to the page; between these stand the
# metric that takes longest, and the longer one of the STATISTICS.
CHAIN = ("import_texts", "score_systems", "correlate", "render_set", "render_report")
STATISTICS = ["assess_correlations", "control_weightings"]
PAIRS, WMT24PP = 55, (40, 1000)
# TER takes longer on real texts, whose errors are no random words: seconds a hypothesis on WMT19
# En→De.
REAL_TER = 14.0 / 43_934


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


def full_run(steps):
    """What a run of WMT24++'s size takes, encoders aside, as markdown: a pair as measured at its
    size, and steps that were not by their growth.

    Pairs are independent jobs, and steps of the whole run are taken to grow with the pairs. What
    was measured without and with BERTScore is added.
    """
    own = {step: growth(one, "cpu_seconds").at(*WMT24PP) for step, one in steps.groupby("step")}
    alike = steps[(steps[KEYS] == WMT24PP).all(axis=1)]
    own |= dict(zip(alike.step, alike.cpu_seconds, strict=True))
    own = pd.Series(own).drop(ENCODER).rename(lambda step: step.removesuffix(" with BERTScore"))
    own = own.groupby(level=0).sum()
    own["score_segments TER"] = REAL_TER * np.prod(WMT24PP)
    rows = []
    for label, left_out in (("with TER", []), ("without TER", ["score_segments TER"])):
        taken = own.drop(left_out)
        scores = taken[taken.index.str.startswith("score_segments ")]
        rest = taken[[*CHAIN]].copy()
        rest["render_report"] *= PAIRS
        chain = scores.max() + taken[STATISTICS].max() + rest.sum()
        total = PAIRS * taken.sum()
        spread = [hours(max(total / cores, chain)) for cores in (2, 16, 320)]
        rows.append([label, hours(taken.sum()), hours(total), *spread, hours(chain)])
    columns = ["", "one pair, CPU", "55 pairs, CPU", "2 cores", "16 cores", "20 nodes of 16 cores"]
    found = pd.DataFrame(rows, columns=[*columns, "longest chain of jobs"])
    return found.to_markdown(index=False, disable_numparse=True)


def hours(seconds):
    """A time for people."""
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def draw(steps, path):
    """CPU seconds over hypotheses, a line for each step that takes long."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "scaling"
    import matplotlib.pyplot as plt

    longest = steps.groupby("step").cpu_seconds.max().sort_values(ascending=False).index[:9]
    plot, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
    for number, step in enumerate(longest):
        rows = steps[steps.step == step].sort_values(["hypotheses", "systems"])
        marker = "os^vDPX*h"[number]
        axes.plot(rows.hypotheses, rows.cpu_seconds, marker + "-", ms=4, lw=1, label=step)
    axes.set(xscale="log", yscale="log", xlabel="systems × segments", ylabel="CPU seconds")
    axes.legend(fontsize=7, frameon=False, loc="upper left")
    plot.savefig(path, metadata={"Date": None})
    plt.close(plot)


def write_report(steps, folder):
    """Write scaling.csv, scaling.svg, and the tables in scaling.md, which stand between comments
    `<!-- name -->` and `<!-- / -->`; print them."""
    folder.mkdir(exist_ok=True)
    steps = steps[["step", *KEYS, "cpu_seconds", "peak_memory"]].sort_values(["step", *KEYS])
    steps.round(3).to_csv(folder / "scaling.csv", index=False)
    steps = steps.assign(hypotheses=steps.systems * steps.segments)
    draw(steps, folder / "scaling.svg")
    tables = {
        "time": table(steps, "cpu_seconds", 1),
        "memory": table(steps[steps.step != SNAKEMAKE], "peak_memory", 0),
    }
    tables["full"] = full_run(steps)
    for name, content in tables.items():
        print(f"{name}\n{content}\n")
    page = folder / "scaling.md"
    if page.exists():
        text = page.read_text(encoding="utf-8")
        page.write_text(filled(text, tables), encoding="utf-8")


def filled(text, blocks):
    """A text with new content between the comments `<!-- name -->` and `<!-- / -->`."""
    parts = re.split(r"(<!-- (?:\w+|/) -->\n)", text)
    for place, part in enumerate(parts):
        name = part.strip("<>!- \n")
        if part.startswith("<!--") and name in blocks:
            parts[place + 1] = f"\n{blocks[name]}\n\n"
    return "".join(parts)
