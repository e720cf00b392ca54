"""Synthesis over evaluation sets: means on the sets at hand and random-effects means for others,
with intervals, corrections for many contrasts, and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .intervals import holm
from .pooled_errors import cluster_robust, hartung_knapp, joint_noise

if TYPE_CHECKING:
    import pandas as pd

LEVEL = 0.95
ALPHA = 0.05
HELPS, HARMS = "helps", "harms"
EQUIVALENT, UNKNOWN = "no effect larger than the margin", "cannot tell"
NOT_COMPUTED = "not computed"
CLUSTERS = ("campaign", "pair")
NO_VALUES, FEW_VALUES = "no set has a value", "fewer than two sets have a value"
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


class FixedMean(NamedTuple):
    """The plain mean over the sets at hand; fields as of `Pooled`, by the normal distribution."""

    effect: float
    error: float
    low: float
    high: float
    p: float


def random_effects(
    effects: np.ndarray, errors: np.ndarray, clusters: Sequence[np.ndarray]
) -> Pooled:
    """Random-effects mean of effects, with an interval that is robust to clusters.

    Between-study variance is Paule and Mandel's (statsmodels). The interval is the wider of two:
    Hartung and Knapp's (2001; t with k − 1 degrees of freedom, scale at least 1), and that of the
    sandwich estimator CR2 (Bell & McCaffrey 2002), summed over two ways of clustering as in
    Cameron, Gelbach & Miller (2011), with the smaller Satterthwaite degrees of freedom of both. The
    prediction interval has these degrees of freedom, at most k − 2. docs/study.md has the
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
        raise ValueError(FEW_VALUES)
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


def fixed_mean(effects: np.ndarray, errors: np.ndarray, draws: np.ndarray) -> FixedMean:
    """Mean over sets that are taken as they are: its error is that of their segments alone.

    Parameters
    ----------
    effects, errors : ndarray, (sets,)
    draws : ndarray, (sets, resamples)
        As for `joint_noise`.

    Raises
    ------
    ValueError
        There are no sets, or all errors are 0.
    """
    from scipy.special import ndtr, ndtri

    if not len(effects):
        raise ValueError(NO_VALUES)
    raised(errors)
    mean, error = effects.mean(), joint_noise(errors, draws).mean(axis=0).std()
    half = error * ndtri((1 + LEVEL) / 2)
    p = 2 * ndtr(-abs(mean) / error)
    return FixedMean(*map(float, (mean, error, mean - half, mean + half, p)))


def verdict(
    effect: float,
    low: float,
    high: float,
    p_adjusted: float,
    margin: float,
    words: tuple[str, str, str] = (HELPS, HARMS, EQUIVALENT),
) -> str:
    """The verdict on an effect, the same for a set, a study and the bench of estimators.

    Parameters
    ----------
    effect, low, high : float
        With its 95 % interval; NaN where there is none.
    p_adjusted : float
        Corrected for the family of tests that is named beside the verdict; NaN for no test.
    margin : float
    words : tuple of str
        What an effect above 0, below 0 and within ±margin is called.

    Returns
    -------
    str
        One of the first two words where p is at most ALPHA and the interval, if there is one,
        excludes 0; the third where the interval lies within ±margin; NOT_COMPUTED without an
        effect; otherwise UNKNOWN.
    """
    if np.isnan(effect):
        return NOT_COMPUTED
    both_sides = low <= 0 <= high  # false for NaN
    if p_adjusted <= ALPHA and effect and not both_sides:
        return words[0] if effect > 0 else words[1]
    return words[2] if -margin <= low and high <= margin else UNKNOWN


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
    effects: pd.DataFrame,
    by: Sequence[str],
    margin: float,
    primary: Sequence[str],
    draws: pd.DataFrame,
) -> pd.DataFrame:
    """Effects of sets pooled by contrast, tier, statistic and so on.

    Parameters
    ----------
    effects : DataFrame
        A row per set and group, with `set`, `campaign`, `pair`, `effect`, `error`, `reason` and
        the columns `by`.
    by : sequence of str
        `contrast`, `tier` and `statistic` are among them.
    margin : float
        An effect is called none where its interval lies within ±margin.
    primary : sequence of str
        Contrasts whose p-values have Holm's correction; the others' have that of the false
        discovery rate. A family has one value of `statistic`, and of `phase` if that is in `by`.
    draws : DataFrame
        Effects on the resamples, a column each, by DRAWN.

    Returns
    -------
    DataFrame
        A row per group: `by`; the fields of `Pooled`, with the mean as `effect`, and clusters as
        `campaigns` and `pairs`; `margin`, `p_adjusted` and its `family`,
        `verdict`. FIXED and `fixed_verdict` are the same of the mean over the sets at hand.
        `sets` with a value, `sets_without` without one and `reasons` with their counts; `reason`
        why the row has no mean (its numbers are then NaN).
    """
    import pandas as pd

    rows = []
    for key, group in effects.groupby(list(by), sort=False):
        rows.append({**dict(zip(by, key, strict=True)), **_pool_group(group, margin, draws)})
    empty = [*by, "effect", "p", "low", "high", "margin", *FIXED]
    pooled = pd.DataFrame(rows, columns=None if rows else empty)
    within = [name for name in ("statistic", "phase") if name in by]
    first = pooled["contrast"].isin(primary)
    pooled["family"] = ""
    for start in ("", "fixed_"):
        pooled[f"{start}p_adjusted"] = np.nan
        for _, group in pooled.groupby(within, sort=False):
            for chosen, adjust, name in ((first, holm, HOLM), (~first, false_discovery_rate, FDR)):
                rows_of = group.index[chosen[group.index]]
                p = pooled.loc[rows_of, f"{start}p"].to_numpy()
                pooled.loc[rows_of, f"{start}p_adjusted"] = adjust(p)
                if not start:
                    pooled.loc[rows_of, "family"] = f"{name}, {np.isfinite(p).sum()} tests"
        names = [f"{start}{name}" for name in ("effect", "low", "high", "p_adjusted")]
        numbers = zip(*(pooled[name].astype(float) for name in (*names, "margin")), strict=True)
        pooled[f"{start}verdict"] = [verdict(*row) for row in numbers]
    return pooled


DRAWN = ["set", "contrast", "tier", "statistic"]
FIXED = [f"fixed_{name}" for name in FixedMean._fields]


def valued(group: pd.DataFrame) -> pd.DataFrame:
    """The rows of sets that have an effect and its error."""
    return group[np.isfinite(group["effect"]) & np.isfinite(group["error"])]


def draws_of(used: pd.DataFrame, draws: pd.DataFrame) -> np.ndarray:
    """The draws of rows of effects, (sets, resamples)."""
    return draws.loc[list(used[DRAWN].itertuples(index=False, name=None))].to_numpy(float)


def _pool_group(group: pd.DataFrame, margin: float, draws: pd.DataFrame) -> dict:
    used = valued(group)
    left = group.drop(used.index)
    counts = left["reason"].value_counts()
    row = {
        **dict.fromkeys([*_NUMBERS, *FIXED], np.nan),
        **{f"{name}s": used[name].nunique() for name in CLUSTERS},
        "sets": used["set"].nunique(),
        "sets_without": len(left),
        "reasons": "; ".join(f"{count} × {reason}" for reason, count in counts.items()),
        "margin": margin,
        "reason": "",
    }
    effects, errors = used["effect"].to_numpy(), used["error"].to_numpy()
    try:
        fixed = fixed_mean(effects, errors, draws_of(used, draws))
        row |= dict(zip(FIXED, fixed, strict=True))
        pooled = random_effects(effects, errors, [used[name].to_numpy() for name in CLUSTERS])
    except ValueError as reason:
        return row | {"reason": str(reason)}
    return row | {own: getattr(pooled, name) for own, name in _NUMBERS.items()}


# Columns by fields of `Pooled`.
_NUMBERS = {
    "effect" if name == "mean" else name: name
    for name in Pooled._fields
    if name not in ("studies", "clusters")
}
