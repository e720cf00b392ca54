"""Official numbers of human evaluations: scores of systems and segments, tests and clusters, as WMT
computes them for each procedure; and a check of published scores against ratings."""

from collections.abc import Callable, Mapping
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..gold.ratings import Ratings
from .formats.base import DA, DA_SQM, ESA
from .reading import Evaluation

LEVEL = 0.05


class Official(NamedTuple):
    """Official numbers of a human evaluation.

    Attributes
    ----------
    systems : pandas.DataFrame
        Index system, best first, with the columns

        - `mean`: mean raw score of the cells;
        - `by_domain`: mean over domains of the mean in each; NaN without domains, and for other
          procedures than ESA;
        - `z`: mean z-score of the cells, NaN for procedures without z-scores;
        - `segments`, `ratings`: numbers of cells and of ratings;
        - `wins`, `losses`: significant ones (p < 0.05) against the other systems;
        - `rank_low`, `rank_high`: losses + 1, and number of systems - wins;
        - `cluster`: number from 1; all systems of a cluster beat all of the following ones.
    segments : pandas.DataFrame
        A row for each rated cell: `system`, `segment`, `mean`, `z`, `ratings`.
    p : pandas.DataFrame
        p of "row is better than column", systems in the order of `systems`; NaN on the diagonal and
        where a test is impossible.
    test : str
        Name of the test.
    ordered_by : str
        The column of `systems` that the order follows: `mean`, `by_domain` or `z`.
    """

    systems: pd.DataFrame
    segments: pd.DataFrame
    p: pd.DataFrame
    test: str
    ordered_by: str


def official(evaluation: Evaluation) -> Official:
    """Compute the official numbers of a human evaluation by its procedure.

    DA (WMT21, 22 into English): z by annotator over all of his items, controls included; mean over
    the ratings of a cell, then over cells; one-sided rank sum. DA+SQM (WMT22, 23): the same with z
    over the ratings that count, and Mann-Whitney on the segments that both systems have. ESA
    (WMT24): means by domain, then over domains; signed rank by domain, combined by Stouffer's
    method. MQM and others: means over raters, then over segments; one-sided signed rank.

    Parameters
    ----------
    evaluation : Evaluation

    Returns
    -------
    Official
    """
    ratings = evaluation.ratings
    has_z = evaluation.procedure in (DA, DA_SQM)
    cells = cell_scores(ratings, with_z=has_z)
    systems = _system_scores(cells)
    test = _SIGNED_RANK
    compare: Callable[[pd.Series, pd.Series], float] = _signed_rank
    ordered_by = "mean"
    value = "mean"
    is_symmetric = False
    if evaluation.procedure == DA:
        test = "one-sided rank sum of z-scores"
        ordered_by = "z"
        value = "z"
        compare = rank_sum
    elif evaluation.procedure == DA_SQM:
        test = "one-sided rank sum of z-scores on segments of both systems"
        ordered_by = "z"
        value = "z"
        compare = _rank_sum_matched
    elif evaluation.procedure == ESA and evaluation.domains:
        domains = pd.Series(evaluation.domains)
        systems["by_domain"] = _means_over_domains(cells, domains)
        ordered_by = "by_domain"
        is_symmetric = True
        test = "signed rank by domain, combined by Stouffer's method"

        def compare(first: pd.Series, second: pd.Series) -> float:
            return _signed_rank_by_domain(first, second, domains)

    systems = systems.sort_values(ordered_by, ascending=False, kind="stable")
    p = _pairwise(cells, list(systems.index), value, compare, is_symmetric=is_symmetric)
    return Official(
        systems=_ranked(systems, p),
        segments=cells,
        p=p,
        test=test,
        ordered_by=ordered_by,
    )


def cell_scores(ratings: Ratings, *, with_z: bool = True) -> pd.DataFrame:
    """Return the mean raw score and the mean z-score of each rated cell.

    Parameters
    ----------
    ratings : Ratings
    with_z : bool
        Whether z-scores are computed; else they are NaN.

    Returns
    -------
    pandas.DataFrame
        Columns `system`, `segment`, `mean`, `z`, `ratings`, sorted by system and segment. The
        z-score of an annotator of one rating, or of standard deviation 0, is NaN and does not
        count.
    """
    table = ratings.table.assign(z=z_scores(ratings) if with_z else np.nan)
    grouped = table.groupby(["system", "segment"], sort=True)
    cells = grouped.agg(mean=("score", "mean"), z=("z", "mean"), ratings=("score", "size"))
    return cells.reset_index()


def z_scores(ratings: Ratings) -> np.ndarray:
    """Return the z-score of each rating: (score - mean) / standard deviation of its annotator.

    Parameters
    ----------
    ratings : Ratings
        With `annotator_scale`, its means and standard deviations are used; else those of the
        ratings, with the denominator n - 1.

    Returns
    -------
    ndarray
        (ratings,), NaN for an annotator of one rating or of standard deviation 0.
    """
    table = ratings.table
    if ratings.annotator_scale is not None:
        scale = ratings.annotator_scale
        mean = table.annotator.map(scale["mean"])
        deviation = table.annotator.map(scale["deviation"])
    else:
        grouped = table.groupby("annotator").score
        mean = grouped.transform("mean")
        deviation = grouped.transform("std")
    return ((table.score - mean) / deviation.where(deviation > 0)).to_numpy(float)


def unsupported_cells(
    ratings: Ratings, gold: Mapping[str, np.ndarray], first_line: int = 0
) -> list[tuple[str, int, float]]:
    """Find human scores of segments that no rating supports.

    Parameters
    ----------
    ratings : Ratings
        With segments as lines of the archive.
    gold : mapping of str to ndarray
        Human scores by system, (segments,), NaN where there is none; of the archive's
        `human-scores/*.seg.score`, without the canary.
    first_line : int
        Line of the first segment, which is the number of the canary's lines.

    Returns
    -------
    list of tuple
        System, segment (line, from 0) and score, sorted. Systems without any rating are left out:
        they belong to another evaluation.
    """
    rated = set(zip(ratings.table.system, ratings.table.segment, strict=True))
    systems = set(ratings.table.system)
    unsupported = []
    for system in sorted(systems & set(gold)):
        for index in np.flatnonzero(np.isfinite(gold[system])).tolist():
            line = index + first_line
            if (system, str(line)) not in rated:
                unsupported.append((system, line, float(gold[system][index])))
    return unsupported


def _system_scores(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the mean over cells of each system, with numbers of cells and ratings."""
    grouped = cells.assign(by_domain=np.nan).groupby("system")
    return grouped.agg(
        mean=("mean", "mean"),
        by_domain=("by_domain", "mean"),
        z=("z", "mean"),
        segments=("mean", "size"),
        ratings=("ratings", "sum"),
    )


def _means_over_domains(cells: pd.DataFrame, domains: pd.Series) -> pd.Series:
    """Return the mean over domains of a system's mean score in each, by system. Segments without a
    domain are left out."""
    by_domain = cells.assign(domain=cells.segment.map(domains)).dropna(subset="domain")
    means = by_domain.groupby(["system", "domain"])["mean"].mean()
    return means.groupby("system").mean()


# Tests of one pair of systems. Each takes two Series of scores by segment, and returns a p.

_SIGNED_RANK = "one-sided signed rank"


def rank_sum(first: pd.Series, second: pd.Series) -> float:
    """Return the one-sided p of the rank-sum test that the first scores are higher.

    Parameters
    ----------
    first, second : pandas.Series
        Scores of two systems by segment; the segments may differ.

    Returns
    -------
    float
        By the normal approximation with corrections for continuity and ties, as R's `wilcox.test`;
        NaN without scores.
    """
    from scipy.stats import mannwhitneyu

    first = first.dropna()
    second = second.dropna()
    if first.empty or second.empty:
        return float("nan")
    return float(mannwhitneyu(first, second, alternative="greater", method="asymptotic").pvalue)


def _rank_sum_matched(first: pd.Series, second: pd.Series) -> float:
    """Return the p of `rank_sum` on the segments that both systems have."""
    both = pd.concat([first, second], axis=1, join="inner").dropna()
    return rank_sum(both.iloc[:, 0], both.iloc[:, 1])


def _signed_rank(first: pd.Series, second: pd.Series) -> float:
    """Return the one-sided p of Wilcoxon's signed-rank test on the segments of both systems."""
    return _wilcoxon(_differences(first, second), "greater")


def _signed_rank_by_domain(first: pd.Series, second: pd.Series, domains: pd.Series) -> float:
    """Return the p of WMT24: two-sided signed-rank tests by domain, whose standard normal quantiles
    are summed (Stouffer). It is the same for both directions."""
    from scipy.stats import norm

    differences = _differences(first, second)
    groups = differences.groupby(domains.reindex(differences.index).to_numpy())
    quantiles = norm.isf([_wilcoxon(group, "two-sided") for _, group in groups])
    quantiles = quantiles[~np.isnan(quantiles)]
    if not len(quantiles):
        return float("nan")
    return float(norm.sf(quantiles.sum() / np.sqrt(len(quantiles))))


def _differences(first: pd.Series, second: pd.Series) -> pd.Series:
    """Return the differences on the segments that both systems have."""
    both = pd.concat([first, second], axis=1, join="inner").dropna()
    return both.iloc[:, 0] - both.iloc[:, 1]


def _wilcoxon(differences: pd.Series, alternative: str) -> float:
    """Return the p of the signed-rank test; 1 if all differences are 0, NaN without any."""
    from scipy.stats import wilcoxon

    if differences.empty:
        return float("nan")
    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, alternative=alternative).pvalue)


# Ranks and clusters


def _pairwise(
    cells: pd.DataFrame,
    systems: list[str],
    value: str,
    compare: Callable[[pd.Series, pd.Series], float],
    *,
    is_symmetric: bool,
) -> pd.DataFrame:
    """Return the p of each ordered pair of systems. A symmetric test has the same p for both
    directions."""
    scores = {system: rows.set_index("segment")[value] for system, rows in cells.groupby("system")}
    p = np.full((len(systems), len(systems)), np.nan)
    for first, second in combinations(range(len(systems)), 2):
        above = scores[systems[first]]
        below = scores[systems[second]]
        p[first, second] = compare(above, below)
        p[second, first] = p[first, second] if is_symmetric else compare(below, above)
    return pd.DataFrame(p, index=systems, columns=systems)


def _ranked(systems: pd.DataFrame, p: pd.DataFrame) -> pd.DataFrame:
    """Add wins, losses, ranges of ranks and clusters to systems, which are sorted, best first.

    A system beats only systems that stand below it. A cluster ends where all systems above beat all
    systems below."""
    count = len(systems)
    is_above = np.triu(np.ones((count, count), bool), 1)
    beats = is_above & (p.to_numpy() < LEVEL)
    wins = beats.sum(axis=1)
    losses = beats.sum(axis=0)
    clusters = []
    cluster = 1
    for index in range(count):
        if index and beats[:index, index:].all():
            cluster += 1
        clusters.append(cluster)
    return systems.assign(
        wins=wins,
        losses=losses,
        rank_low=losses + 1,
        rank_high=count - wins,
        cluster=clusters,
    )
