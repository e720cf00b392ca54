"""Synthesis over evaluation sets: random-effects means with intervals that are robust to clusters,
tests of equivalence, and corrections for many contrasts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .classical_tests import holm
from .pooled_errors import cluster_robust, hartung_knapp

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
ALPHA = 0.05
HELPS, HARMS = "helps", "harms"
EQUIVALENT, UNKNOWN = "no effect larger than the margin", "cannot tell"
CLUSTERS = ("campaign", "pair")
NO_VALUES = "fewer than two sets have a value"
NO_ERRORS = "no set has a bootstrap error above 0"
HOLM, FDR = "Holm, primary contrasts", "false discovery rate, other contrasts"
ITERATIONS = 500  # of Paule and Mandel's estimator


class Pooled(NamedTuple):
    """A random-effects mean over studies; all in the effects' unit but `p`, `i2`, `df` and counts.

    Attributes
    ----------
    mean : float
    error : float
        Standard error that the interval is made of.
    df : float
        Degrees of freedom of its t distribution.
    low, high : float
        95 % interval of the mean.
    p : float
        Of mean = 0, two-sided.
    tau2 : float
        Variance of true effects between studies, by Paule and Mandel (1982).
    i2 : float
        Share of the effects' variance that is between studies, from Cochran's Q; 0 to 1.
    q : float
        Cochran's Q; chi-squared with studies − 1 degrees of freedom if effects are equal.
    prediction_low, prediction_high : float
        95 % prediction interval of a new study's true effect; NaN for fewer than 3 studies.
    studies : int
    clusters : tuple of int
        Number of clusters of each way.
    """

    mean: float
    error: float
    df: float
    low: float
    high: float
    p: float
    tau2: float
    i2: float
    q: float
    prediction_low: float
    prediction_high: float
    studies: int
    clusters: tuple[int, ...]


class Equivalence(NamedTuple):
    """p of two one-sided tests, and what interval and tests say in words."""

    p: float
    verdict: str


def random_effects(
    effects: np.ndarray, errors: np.ndarray, clusters: Sequence[np.ndarray]
) -> Pooled:
    """Random-effects mean of effects, with an interval that is robust to clusters.

    Between-study variance is Paule and Mandel's (statsmodels). The interval is the wider of two:
    Hartung and Knapp's (2001; t with k − 1 degrees of freedom, scale at least 1), and that of the
    sandwich estimator CR2 (Bell & McCaffrey 2002), summed over two ways of clustering as in
    Cameron, Gelbach & Miller (2011), with the smaller Satterthwaite degrees of freedom of both. The
    prediction interval has these degrees of freedom, at most k − 2. docs/synthesis.md has the
    coverage of both.

    Parameters
    ----------
    effects, errors : ndarray, (studies,)
        Finite; errors are standard errors. One of 0 is raised to the smallest that is above 0.
    clusters : sequence of ndarray, (studies,)
        Labels, such as campaigns and language pairs. A way of one cluster is left out.

    Raises
    ------
    ValueError
        Fewer than two studies, or all errors are 0.
    """
    from scipy.special import stdtr, stdtrit
    from statsmodels.stats.meta_analysis import combine_effects

    effects, errors = np.asarray(effects, float), np.asarray(errors, float)
    if len(effects) < 2:
        raise ValueError(NO_VALUES)
    errors = raised(errors)
    fit = combine_effects(effects, errors**2, method_re="pm", maxiter=ITERATIONS)
    spreads = [hartung_knapp(effects, fit.weights_re)]
    if robust := cluster_robust(effects, fit.weights_re, clusters):
        spreads.append(robust)
    error, df = max(spreads, key=lambda each: each[0] * stdtrit(each[1], (1 + LEVEL) / 2))
    half, mean, studies = error * stdtrit(df, (1 + LEVEL) / 2), fit.mean_effect_re, len(effects)
    reach = np.nan
    if studies > 2:
        t = stdtrit(min(df, studies - 2), (1 + LEVEL) / 2)
        reach = t * np.hypot(np.sqrt(fit.tau2), error)
    return Pooled(
        mean=float(mean),
        error=float(error),
        df=float(df),
        low=float(mean - half),
        high=float(mean + half),
        p=float(2 * stdtr(df, -abs(mean) / error)),
        tau2=float(fit.tau2),
        i2=max(0.0, 1 - (studies - 1) / float(fit.q)) if fit.q > 0 else 0.0,
        q=float(fit.q),
        prediction_low=float(mean - reach),
        prediction_high=float(mean + reach),
        studies=studies,
        clusters=tuple(len(np.unique(labels)) for labels in clusters),
    )


def raised(errors: np.ndarray) -> np.ndarray:
    """Standard errors, those of 0 raised to the smallest above 0. Raises ValueError without one."""
    if not (errors > 0).any():
        raise ValueError(NO_ERRORS)
    return np.maximum(errors, errors[errors > 0].min())


def equivalence(pooled: Pooled, margin: float = 0.01) -> Equivalence:
    """Two one-sided tests that a mean lies within ±margin (Schuirmann 1987), of level 5 %, with the
    standard error and degrees of freedom of the interval.

    Parameters
    ----------
    pooled : Pooled
    margin : float
        In the effects' unit.

    Returns
    -------
    Equivalence
        The verdict is `helps` or `harms` where the 95 % interval leaves out 0, `no effect larger
        than the margin` where equivalence is shown, both of these, or `cannot tell`.
    """
    from scipy.special import stdtr

    p = float(stdtr(pooled.df, (abs(pooled.mean) - margin) / pooled.error))
    said = [HELPS] * (pooled.low > 0) + [HARMS] * (pooled.high < 0) + [EQUIVALENT] * (p < ALPHA)
    return Equivalence(p, ", but ".join(said) or UNKNOWN)


def false_discovery_rate(p: np.ndarray) -> np.ndarray:
    """p-values adjusted by Benjamini & Hochberg (1995), (tests,) to (tests,); NaN are no tests and
    stay NaN."""
    from statsmodels.stats.multitest import multipletests

    p = np.asarray(p, float)
    adjusted, finite = np.full(p.size, np.nan), np.isfinite(p)
    if finite.any():
        adjusted[finite] = multipletests(p[finite], method="fdr_bh")[1]
    return adjusted


def pool(
    effects: pd.DataFrame, by: Sequence[str], margin: float, primary: Sequence[str]
) -> pd.DataFrame:
    """Effects of sets pooled by contrast, tier, statistic and so on.

    Parameters
    ----------
    effects : DataFrame
        A row per set and group, with `set`, `campaign`, `pair`, `effect`, `error`, `reason` and
        the columns `by`.
    by : sequence of str
        `contrast` and `statistic` are among them.
    margin : float
        Of the equivalence test.
    primary : sequence of str
        Contrasts whose p-values have Holm's correction; the others' have that of the false
        discovery rate. A family has one value of `statistic`, and of `phase` if that is in `by`.

    Returns
    -------
    DataFrame
        A row per group: `by`; the fields of `Pooled`, with the mean as `effect`, and clusters as
        `campaigns` and `pairs`; `equivalence_p`, `margin`, `verdict`; `p_adjusted` and its
        `family`; `sets` with a value, `sets_without` without one and `reasons` with their counts;
        `reason` why the row has no mean (its numbers are then NaN, its verdict `cannot tell`).
    """
    import pandas as pd

    rows = []
    for key, group in effects.groupby(list(by), sort=False):
        rows.append({**dict(zip(by, key, strict=True)), **_pool_group(group, margin)})
    pooled = pd.DataFrame(rows, columns=None if rows else [*by, "effect", "p", "verdict"])
    within = [name for name in ("statistic", "phase") if name in by]
    first = pooled["contrast"].isin(primary)
    pooled["p_adjusted"], pooled["family"] = np.nan, ""
    for _, group in pooled.groupby(within, sort=False):
        for chosen, adjust, name in ((first, holm, HOLM), (~first, false_discovery_rate, FDR)):
            rows_of = group.index[chosen[group.index]]
            p = pooled.loc[rows_of, "p"].to_numpy()
            pooled.loc[rows_of, "p_adjusted"] = adjust(p)
            pooled.loc[rows_of, "family"] = f"{name}, {np.isfinite(p).sum()} tests"
    return pooled


def _pool_group(group: pd.DataFrame, margin: float) -> dict:
    valued = np.isfinite(group["effect"]) & np.isfinite(group["error"])
    used, left = group[valued], group[~valued]
    counts = left["reason"].value_counts()
    row = {
        "sets": used["set"].nunique(),
        "sets_without": len(left),
        "reasons": "; ".join(f"{count} × {reason}" for reason, count in counts.items()),
        "margin": margin,
    }
    effects, errors = used["effect"].to_numpy(), used["error"].to_numpy()
    try:
        pooled = random_effects(effects, errors, [used[name].to_numpy() for name in CLUSTERS])
    except ValueError as reason:
        empty = dict.fromkeys(_NUMBERS, np.nan)
        clusters = {f"{name}s": used[name].nunique() for name in CLUSTERS}
        found = {"equivalence_p": np.nan, "verdict": UNKNOWN, "reason": str(reason)}
        return {**_renamed(empty), **clusters, **found, **row}
    test = equivalence(pooled, margin)
    clusters = {f"{name}s": count for name, count in zip(CLUSTERS, pooled.clusters, strict=True)}
    found = {"equivalence_p": test.p, "verdict": test.verdict, "reason": ""}
    return {**_renamed(pooled._asdict()), **clusters, **found, **row}


_NUMBERS = [name for name in Pooled._fields if name not in ("studies", "clusters")]


def _renamed(numbers: Mapping[str, float]) -> dict[str, float]:
    return {"effect" if name == "mean" else name: numbers[name] for name in _NUMBERS}
