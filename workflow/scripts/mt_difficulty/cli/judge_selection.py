"""What a choice of segments does to the ranking of systems, in words and numbers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import numpy as np

from ..errors import InputError
from ..evidence import selection
from ..evidence.intervals import holm
from ..evidence.soft_accuracy import MINIMUM_SEGMENTS
from ..interface.selection import RANDOM, Pool, scores_by_system
from .text import aligned

RESAMPLES = 200
LEVEL = 0.05


def report(pool: Pool, arguments: argparse.Namespace) -> str:
    """Ranking by the choice beside that by all segments and by random choices.

    It is judged on the segments that have scores of every system: the method chooses among these
    for the same share of their cost.

    Raises
    ------
    InputError
        Fewer than MINIMUM_SEGMENTS segments have scores of every system.
    """
    scores = scores_by_system(arguments.judge, pool.sources)
    scores = {name: own for name, own in scores.items() if np.isfinite(own).any()}
    people = np.array(list(scores.values()))
    complete = np.flatnonzero(np.isfinite(people).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        raise InputError(
            f"{arguments.judge}: {len(complete)} segments have scores of all {len(people)} systems;"
            f" judging a choice needs {MINIMUM_SEGMENTS}."
        )
    own = pool.costs[complete]
    budget = max(1.0, arguments.budget * own.sum() / pool.costs.sum())
    rng = np.random.default_rng([arguments.seed, 1])
    judge = selection.Judge(people[:, complete])
    chosen = pool.choose(complete, budget, rng)
    if len(chosen) < 2:
        raise InputError(
            f"--judge: the budget pays {len(chosen)} of the {len(complete)} segments with scores; "
            "a ranking needs two."
        )
    random = [pool.choose(complete, budget, rng, RANDOM) for _ in range(selection.DRAWS)]
    resampled = selection.Resampled(judge.people, RESAMPLES, rng)
    ends = resampled.intervals(lambda drawn: pool.choose(complete[drawn], budget, rng))
    size = f"{len(chosen)} of {len(complete)} segments with scores of all {len(people)} systems"
    lines = [f"Judged on {size} ({arguments.judge.name}), against 1,000 random choices:", ""]
    if arguments.scores and arguments.scores.resolve() == arguments.judge.resolve():
        lines.insert(0, "notice: the scores that segments are chosen by are those that judge them.")
    lines += list(_rankings(judge, chosen, random, ends))
    lines += ["", *_shifts(judge, chosen, random, list(scores))]
    return "\n".join(lines)


def _rankings(
    judge: selection.Judge,
    chosen: np.ndarray,
    random: list[np.ndarray],
    ends: tuple[tuple[float, float], tuple[float, float]],
) -> Iterator[str]:
    found = judge.ranking(chosen)
    taus = selection.compared(found.tau, judge.taus(random))
    soft = selection.compared(found.soft_accuracy, judge.soft_accuracies(random))
    rows = [["ranking by the choice", "value", "95 % interval", "random", "95 % of random", "p"]]
    for name, each, own in (("tau-b", taus, ends[0]), ("soft accuracy", soft, ends[1])):
        rows.append(
            [
                *(name, f"{each.value:.3f}", f"{own[0]:.3f} to {own[1]:.3f}"),
                *(f"{each.random_mean:.3f}", f"{each.random_low:.3f} to {each.random_high:.3f}"),
                f"{each.p:.3f}",
            ]
        )
    yield aligned(rows, ("left", *["right"] * 5))
    yield f"clusters of significance: {found.clusters}; on all segments {judge.clusters}"
    if not np.isfinite([taus.p, soft.p]).all():
        yield "Nothing can be told: all systems have one mean score."
        return
    better = [name for name, each in (("tau-b", taus), ("SPA", soft)) if each.p <= LEVEL]
    if better:
        yield f"Better than random choices by {' and '.join(better)} (p <= {LEVEL})."
    else:
        yield f"Not shown to be better than random choices (p > {LEVEL})."


def _shifts(
    judge: selection.Judge, chosen: np.ndarray, random: list[np.ndarray], names: list[str]
) -> Iterator[str]:
    """Systems that gain or lose by the choice, beside random ones."""
    (moved,), drawn = judge.shifts([chosen]), judge.shifts(random)
    reached = (np.abs(drawn) >= np.abs(moved) - selection.TOLERANCE).sum(axis=0)
    p = holm((1 + reached) / (1 + len(drawn)))
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    rows = [["system", "gain", "95 % of random", "adjusted p"]]
    for place in np.argsort(-moved, kind="stable"):
        ends = f"{low[place]:.3f} to {high[place]:.3f}"
        rows.append([names[place], f"{moved[place]:+.3f}", ends, f"{p[place]:.3f}"])
    yield "Place by the chosen segments less that by all, in standard deviations over systems:"
    yield aligned(rows, ("left", "right", "right", "right"))
    biased = int((p <= LEVEL).sum())
    yield (
        f"{biased} of {len(names)} systems gain or lose more than by random choices."
        if biased
        else "No system is shown to gain or lose more than by random choices."
    )
