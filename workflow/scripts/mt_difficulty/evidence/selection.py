"""Which segments to give to people for a budget, what a choice does to the ranking of systems, and
how well the segments of highest difficulty rank the systems of a set and of all sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import Missing
from ..statistics import evaluate
from .changes import family
from .intervals import holm
from .metric_tests import clusters, ranking
from .soft_accuracy import MINIMUM_SEGMENTS, normal_p
from .synthesis import ALPHA, CLUSTERS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

    from .estimators import Bench

# Random choices of the same budget that a choice is compared with.
DRAWS = 1000
LEVEL = 0.05
TOLERANCE = 1e-12
# Budgets, as shares of the segments.
SHARES = (0.1, 0.25, 0.5)
STATISTICS = ("tau", "soft_accuracy")
STRATIFIED = "stratified sample"
RESAMPLES = 200  # of the segments, for intervals
SAMPLES = 200  # of these, whose mean stands in the table
COLUMNS = [
    *("difficulty", "information", "share", "chosen", "statistic", "value", "low", "high"),
    *("random_mean", "random_low", "random_high", "random_quantile", "p", "clusters"),
    "clusters_all",
]
SUMMARY = [
    *("share", "statistic", "difficulty", "information", "gain", "value", "random_mean"),
    *("p", "p_adjusted", "family", "verdict", "sets", "campaigns", "pairs"),
]
BETTER, WORSE = "better than random", "worse than random"
FEW = "{} segments have human scores of every system; a choice of segments needs {}"


def by_documents(documents: np.ndarray | None, segments: int) -> np.ndarray:
    """The unit that each segment is chosen with: its document's number, or its own place."""
    if documents is None:
        return np.arange(segments)
    return np.unique(documents, return_inverse=True)[1].ravel()


def highest(
    values: np.ndarray, costs: np.ndarray, budget: float, units: np.ndarray | None = None
) -> np.ndarray:
    """The segments of highest value that a budget pays, by falling value; of equal ones the earlier
    segment comes first. What is too dear for the rest of the budget is passed over.

    Parameters
    ----------
    values, costs : ndarray, (segments,)
        Costs are above 0, in the budget's unit.
    budget : float
    units : ndarray of int, (segments,), optional
        Segments of one unit, such as a document, are chosen together, by their mean value, and
        stand in their order.
    """
    units = by_documents(None, len(values)) if units is None else units
    sizes = np.bincount(units)
    means, prices = np.bincount(units, values) / sizes, np.bincount(units, costs)
    first = np.full(len(sizes), len(units))
    np.minimum.at(first, units, np.arange(len(units)))
    order = np.lexsort((first, -means))
    members = np.argsort(units, kind="stable")
    starts = np.cumsum(sizes) - sizes
    chosen = [
        members[starts[u] : starts[u] + sizes[u]] for u in affordable(prices[order], budget, order)
    ]
    return np.concatenate([*chosen, np.empty(0, dtype=int)]).astype(int)


def affordable(prices: np.ndarray, budget: float, order: np.ndarray) -> list[int]:
    """Units in an order, but for those that the rest of a budget does not pay."""
    left, taken = budget + 1e-9, []
    cheapest_left = np.minimum.accumulate(prices[::-1])[::-1]
    for place, (unit, price) in enumerate(zip(order.tolist(), prices.tolist(), strict=True)):
        if price <= left:
            taken.append(unit)
            left -= price
        elif cheapest_left[place] > left:
            break
    return taken


def stratified(
    keys: list[np.ndarray], costs: np.ndarray, budget: float, rng: np.random.Generator
) -> np.ndarray:
    """Random segments, ascending, that are spread evenly over strata: a systematic sample, from a
    random start, of the segments sorted by some keys, segments of equal keys in random order.

    Parameters
    ----------
    keys : list of ndarray, (segments,)
        Such as domain, document and length; the first is the coarsest.
    costs : ndarray, (segments,)
    budget : float
        The sample has as many segments as it pays on average. Of a sample that costs more, random
        segments are left out; what is left of the budget pays random others.
    """
    segments = len(costs)
    number = min(segments, int(budget / costs.mean() + 1e-9))
    if not number:
        return np.empty(0, dtype=int)
    ranks = [np.unique(key, return_inverse=True)[1].ravel() for key in keys]
    order = np.lexsort([rng.random(segments), *ranks[::-1]])
    places = np.floor((np.arange(number) + rng.random()) * segments / number).astype(int)
    sample = rng.permutation(order[places])
    rest = rng.permutation(np.setdiff1d(order, sample))
    ahead = np.concatenate([sample, rest])
    return np.sort(affordable(costs[ahead], budget, ahead))


class Ranking(NamedTuple):
    """How well some segments rank systems: Kendall's τ-b between the systems' mean human scores
    on these segments and on all, soft pairwise accuracy of these p-values with those on all
    segments, and clusters of significance (a system begins a new one if one of the cluster
    before is better: one-sided p ≤ 0.05, a normal approximation of paired permutation tests)."""

    tau: float
    soft_accuracy: float
    clusters: int


class Judge:
    """Rankings of systems by some of the segments, beside that by all; `people`, (systems,
    segments), are human scores, or a metric's, of every system and segment, higher is better."""

    def __init__(self, people: np.ndarray) -> None:
        self.people = people
        self.means = people.mean(axis=1)
        self.p = self._p(np.arange(people.shape[1]))

    @property
    def clusters(self) -> int:
        """Clusters of significance on all segments."""
        return self._clusters(np.arange(self.people.shape[1]))

    def taus(self, chosen: list[np.ndarray]) -> np.ndarray:
        """τ-b of several choices, (choices,); 0 where a choice gives all systems one score, NaN
        where all segments do."""
        means = np.stack([self.people[:, own].mean(axis=1) for own in chosen])
        taus = evaluate(("kendall",), means, np.broadcast_to(self.means, means.shape))[:, 0]
        return taus if np.ptp(self.means) == 0 else np.nan_to_num(taus)

    def soft_accuracies(self, chosen: list[np.ndarray]) -> np.ndarray:
        """Soft pairwise accuracy of several choices, (choices,)."""
        return np.array([1 - np.abs(self._p(own) - self.p).mean() for own in chosen])

    def ranking(self, chosen: np.ndarray) -> Ranking:
        """A choice's ranking."""
        tau, soft = self.taus([chosen])[0], self.soft_accuracies([chosen])[0]
        return Ranking(float(tau), float(soft), self._clusters(chosen))

    def shifts(self, chosen: list[np.ndarray]) -> np.ndarray:
        """What each system gains by a choice, (choices, systems): its place among the systems by
        the mean score on the segments, less that on all, in standard deviations over systems.

        Hard segments have lower scores and tell systems further apart; that is no gain.
        """
        means = np.stack([self.people[:, own].mean(axis=1) for own in chosen])
        return _standardised(means) - _standardised(self.means[None])

    def _p(self, chosen: np.ndarray) -> np.ndarray:
        own = self.people[:, chosen]
        influence = (own - own.mean(axis=1, keepdims=True)) / max(own.shape[1], 1)
        return normal_p(own.mean(axis=1)[None], influence, np.ones((1, own.shape[1])))[0]

    def _clusters(self, chosen: np.ndarray) -> int:
        systems = len(self.people)
        p = np.ones((systems, systems))
        one, other = np.triu_indices(systems, 1)
        found = self._p(chosen)
        p[one, other], p[other, one] = found, 1 - found
        means = self.people[:, chosen].mean(axis=1)
        names = [f"{place:06d}" for place in range(systems)]
        return int(clusters(p, ranking(means, names), LEVEL).max())


def _standardised(scores: np.ndarray) -> np.ndarray:
    """Scores, (choices, systems), with mean 0 and deviation 1 over systems; 0 where all are
    equal."""
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    return centred / np.where(spread > 0, spread, 1.0)


class Compared(NamedTuple):
    """A value of a choice beside random choices of the same budget: their mean and 95 %
    interval, the share of them below the value (ties count half), and of those at least as high,
    the choice at hand counted (`p`)."""

    value: float
    random_mean: float
    random_low: float
    random_high: float
    random_quantile: float
    p: float


def compared(value: float, random: np.ndarray) -> Compared:
    """A choice's value beside those of random choices, (draws,); NaN where one is undefined."""
    if np.isnan(value) or np.isnan(random).any():
        return Compared(value, *[np.nan] * 5)
    low, high = map(float, np.percentile(random, [2.5, 97.5]))
    above, tied = (random > value + TOLERANCE).sum(), (np.abs(random - value) <= TOLERANCE).sum()
    below = 1 - (above + tied / 2) / random.size
    p = (1 + above + tied) / (1 + random.size)
    return Compared(value, float(random.mean()), low, high, float(below), float(p))


def random_choices(
    costs: np.ndarray,
    budget: float,
    units: np.ndarray | None,
    rng: np.random.Generator,
    draws: int = DRAWS,
) -> list[np.ndarray]:
    """Random choices that the budget pays, of whole units."""
    units = by_documents(None, len(costs)) if units is None else units
    kinds = units.max() + 1
    return [highest(rng.random(kinds)[units], costs, budget, units) for _ in range(draws)]


class Resampled:
    """Sets of as many segments, drawn with replacement: the choices that a method makes of them."""

    def __init__(self, people: np.ndarray, resamples: int, rng: np.random.Generator) -> None:
        segments = people.shape[1]
        self._drawn = list(rng.integers(segments, size=(resamples, segments)))
        self._judges = [Judge(people[:, own]) for own in self._drawn]

    def intervals(
        self, choose: Callable[[np.ndarray], np.ndarray]
    ) -> tuple[tuple[float, float], tuple[float, float]]:
        """95 % intervals of τ and of soft pairwise accuracy, by percentiles; `choose` is given
        the segments of a resample and returns the chosen ones' places among these."""
        found = []
        for drawn, judge in zip(self._drawn, self._judges, strict=True):
            own = [choose(drawn)]
            found.append([judge.taus(own)[0], judge.soft_accuracies(own)[0]])
        low, high = np.percentile(found, [2.5, 97.5], axis=0)
        return (float(low[0]), float(high[0])), (float(low[1]), float(high[1]))


def selection_rows(bench: Bench, seed: int) -> pd.DataFrame:
    """COLUMNS of every difficulty and budget, on the segments that have human scores of every
    system: the hardest segments by mean difficulty over systems, beside DRAWS random choices;
    and the mean of SAMPLES stratified ones (by domain and length), whose `low` and `high` are
    those of single samples. The seed gives the same random choices and resamples for all
    difficulties. Raises `Missing` for fewer than MINIMUM_SEGMENTS such segments."""
    import pandas as pd

    complete = np.flatnonzero(np.isfinite(bench.judged.people).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        raise Missing(FEW.format(len(complete), MINIMUM_SEGMENTS))
    judge = Judge(bench.judged.people[:, complete])
    costs = np.ones(len(complete))
    rng = np.random.default_rng([seed, 9])
    resampled = Resampled(judge.people, RESAMPLES, rng)
    rows: list[list] = []
    for share in SHARES:
        budget = max(2, int(share * len(complete)))
        draws = random_choices(costs, budget, None, rng)
        random = {"tau": judge.taus(draws), "soft_accuracy": judge.soft_accuracies(draws)}
        for name, each in bench.estimates.items():
            values = each.values[:, complete].mean(axis=0)
            if np.isnan(values).any():  # of some hypotheses alone
                continue

            def choose(
                segments: np.ndarray, values: np.ndarray = values, budget: int = budget
            ) -> np.ndarray:
                return np.argsort(-values[segments], kind="stable")[:budget]

            chosen = judge.ranking(choose(np.arange(len(values))))
            for statistic, ends in zip(STATISTICS, resampled.intervals(choose), strict=True):
                beside = compared(getattr(chosen, statistic), random[statistic])
                head = [name, each.information, share, budget, statistic, beside.value]
                rows.append([*head, *ends, *beside[1:], chosen.clusters, judge.clusters])
        keys = [bench.domains[complete], bench.judged.lengths[complete]]
        samples = [stratified(keys, costs, budget, rng) for _ in range(SAMPLES)]
        of_samples = judge.taus(samples), judge.soft_accuracies(samples)
        for statistic, drawn in zip(STATISTICS, of_samples, strict=True):
            mean, within = float(drawn.mean()), map(float, np.percentile(drawn, [2.5, 97.5]))
            beside_mean = compared(mean, random[statistic])[1:4]
            head = [STRATIFIED, "source", share, budget, statistic, mean]
            rows.append([*head, *within, *beside_mean, *[np.nan] * 3, judge.clusters])
    return pd.DataFrame(rows, columns=COLUMNS)


def summarise(rows: pd.DataFrame) -> pd.DataFrame:
    """Choices over sets, SUMMARY, from COLUMNS of all sets, with `set`, `campaign` and `pair`: mean
    value and gain over random choices; p, two-sided, of the mean normal score of the place among
    random choices.

    Sets of one campaign and pair share texts: the mean of their normal scores counts as one. p is
    adjusted by Holm's method over the difficulties of a budget and statistic.
    """
    import pandas as pd

    found = []
    keys = ["share", "statistic", "difficulty"]
    for key, own in rows.groupby(keys, sort=False):
        found.append(
            {
                **dict(zip(keys, key, strict=True)),
                "information": own.information.iloc[0],
                "gain": float((own["value"] - own.random_mean).mean()),
                "value": float(own["value"].mean()),
                "random_mean": float(own.random_mean.mean()),
                "p": _combined(own),
                "sets": own.set.nunique(),
                **{f"{name}s": own[name].nunique() for name in CLUSTERS},
            }
        )
    frame = pd.DataFrame(found, columns=SUMMARY)
    frame["p_adjusted"], frame["family"] = frame["p_adjusted"].astype(float), ""
    for _, own in frame[frame["p"].notna()].groupby(["share", "statistic"]):
        frame.loc[own.index, "p_adjusted"] = holm(own["p"].to_numpy(float))
        of = f"by {own.statistic.iloc[0]}, {100 * own.share.iloc[0]:.0f} % of the segments"
        frame.loc[own.index, "family"] = family(len(own), of)
    decided = np.where(frame["gain"] > 0, BETTER, WORSE)
    tested = np.where(frame["p_adjusted"] > ALPHA, UNKNOWN, decided)
    frame["verdict"] = np.where(frame["p_adjusted"].isna(), "", tested)
    return frame.sort_values(["share", "statistic", "gain"], ascending=[True, False, False])


def _combined(rows: pd.DataFrame) -> float:
    """Two-sided p of Stouffer's sum of normal scores, one for each campaign and pair."""
    from scipy.special import ndtr, ndtri

    if rows.random_quantile.isna().any():
        return np.nan
    least = 0.5 / DRAWS
    scores = ndtri(np.clip(rows.random_quantile.to_numpy(), least, 1 - least))
    means = rows.assign(score=scores).groupby(list(CLUSTERS))["score"].mean()
    return float(2 * ndtr(-abs(means.sum()) / np.sqrt(len(means))))
