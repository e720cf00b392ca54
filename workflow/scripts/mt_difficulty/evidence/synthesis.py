"""Synthesis over evaluation sets: means on the sets at hand and random-effects means for others,
with intervals, corrections for many contrasts, verdicts, nulls, and the effects that a study like
the one at hand finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .intervals import holm

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
KEYS = ["contrast", "tier", "statistic"]
DRAWN = ["set", *KEYS]
NOT_COMPARED, MORE = "not compared with chance", "more than chance"
NOT_MORE = "not shown to be more than chance"
NULL_NUMBERS = ["sets", "effect", "null_mean", "null_low", "null_high", "p"]
COMMON = (0.01, 0.02, 0.03, 0.05)  # effects, in the outcome's unit, whose power is computed
REPEATS = 1000  # simulated studies
POWER = [*KEYS, "sets", "campaigns", "common_effect", "power", "fixed_power", "tests", "margin"]


class Pooled(NamedTuple):
    """A random-effects mean over studies with its standard error, degrees of freedom, 95 % interval
    and two-sided p of 0; all in the effects' unit but `p`, `i2`, `df` and counts.

    Attributes
    ----------
    tau2 : float
        Variance of true effects between studies, by Paule and Mandel (1982).
    i2 : float
        Share of the effects' variance that is between studies, from Cochran's Q; 0 to 1.
    q : float
        Cochran's Q; chi-squared with studies − 1 degrees of freedom if effects are equal.
    prediction_low, prediction_high : float
        95 % prediction interval of a new study's true effect; NaN for fewer than 3 studies.
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
    coverage.

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
    hartung_knapp = max(fit.sd_eff_w_re, np.sqrt(fit.var_hksj_re))
    spreads = [(float(hartung_knapp), len(effects) - 1.0)]
    if robust := cluster_robust(effects, fit.weights_re, clusters):
        spreads.append(robust)
    error, df = max(spreads, key=lambda each: each[0] * stdtrit(each[1], (1 + LEVEL) / 2))
    half, studies = error * stdtrit(df, (1 + LEVEL) / 2), len(effects)
    mean, tau2, q, reach = float(fit.mean_effect_re), float(fit.tau2), float(fit.q), np.nan
    if studies > 2:
        t = stdtrit(min(df, studies - 2), (1 + LEVEL) / 2)
        reach = t * np.hypot(np.sqrt(tau2), error)
    p = float(2 * stdtr(df, -abs(mean) / error))
    i2 = max(0.0, 1 - (studies - 1) / q) if q > 0 else 0.0
    ends = [float(mean + sign * by) for by in (half, reach) for sign in (-1, 1)]
    counts = tuple(len(np.unique(labels)) for labels in clusters)
    head = mean, float(error), float(df), ends[0], ends[1], p, tau2, i2, q
    return Pooled(*head, ends[2], ends[3], studies, counts)


def raised(errors: np.ndarray) -> np.ndarray:
    """Standard errors, those of 0 raised to the smallest above 0. Raises ValueError without one."""
    if not (errors > 0).any():
        raise ValueError(NO_ERRORS)
    return np.maximum(errors, errors[errors > 0].min())


def cluster_robust(
    effects: np.ndarray, weights: np.ndarray, clusters: Sequence[np.ndarray]
) -> tuple[float, float] | None:
    """Standard error and degrees of freedom of a weighted mean by CR2 over one or two ways of
    clusters (labels, (studies,) each); None where no way has two clusters. With two ways the
    variance is the sum of both less that of their intersections, and at least the larger of
    both."""
    codes = [np.unique(labels, return_inverse=True)[1] for labels in clusters]
    codes = [each for each in codes if each.max() > 0]
    if not codes:
        return None
    ways = [_one_way(effects, weights, each) for each in codes]
    variance = max(way[0] for way in ways)
    if len(codes) == 2:
        both = np.unique(np.column_stack(codes), axis=0, return_inverse=True)[1].ravel()
        shared = _one_way(effects, weights, both)[0]
        variance = max(variance, ways[0][0] + ways[1][0] - shared)
    return float(np.sqrt(variance)), min(way[1] for way in ways)


def _one_way(effects: np.ndarray, weights: np.ndarray, codes: np.ndarray) -> tuple[float, float]:
    """CR2 variance of a weighted mean and its Satterthwaite degrees of freedom (Bell & McCaffrey
    2002), for independent effects of variance 1/weight as the working model."""
    total = weights.sum()
    sums = np.bincount(codes, weights * (effects - weights @ effects / total))
    shares = np.bincount(codes, weights) / total
    variance = (sums**2 / (1 - shares)).sum() / total**2
    cross = np.outer(shares, shares) / np.sqrt(np.outer(1 - shares, 1 - shares))
    np.fill_diagonal(cross, shares)
    return float(variance), float(1 / (cross**2).sum())


def joint_noise(errors: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Errors of sets as they occur together, (sets, resamples): effects on resamples, scaled to
    the sets' standard errors, (sets,). The same resample of sets that share segments draws these
    alike. NaN where an effect is undefined: its error is 0."""
    noise = np.nan_to_num(draws - np.nanmean(draws, axis=1, keepdims=True))
    spread = noise.std(axis=1)
    return noise * np.divide(errors, spread, out=np.zeros(len(errors)), where=spread > 0)[:, None]


def fixed_mean(effects: np.ndarray, errors: np.ndarray, draws: np.ndarray) -> FixedMean:
    """Mean over sets that are taken as they are: its error is that of their segments alone.
    Parameters as of `joint_noise`; ValueError without sets, or where all errors are 0."""
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


# Columns of a pooled row by fields of `Pooled`, and those of the mean over the sets at hand.
NUMBERS = {
    "effect" if name == "mean" else name: name
    for name in Pooled._fields
    if name not in ("studies", "clusters")
}
FIXED = [f"fixed_{name}" for name in FixedMean._fields]


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
        A row per set and group, with `set`, `campaign`, `pair`, `effect`, `error`, `reason` and the
        columns `by`, among them KEYS.
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
        `campaigns` and `pairs`; `margin`, `p_adjusted` and its `family`, `verdict`. FIXED and
        `fixed_verdict` are the same of the mean over the sets at hand. `sets` with a value,
        `sets_without` without one and `reasons` with their counts; `reason` why the row has no mean
        (its numbers are then NaN).
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
        **dict.fromkeys([*NUMBERS, *FIXED], np.nan),
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
    return row | {column: getattr(pooled, name) for column, name in NUMBERS.items()}


def pool_nulls(effects: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Weighted means over sets of effects, and of what nulls give on the same sets.

    Weights are 1/(error² + τ²) of the observed effects, as of the random-effects mean. Sets without
    an effect or without draws are left out. Under a null an observed effect is one more of its
    draws: p is that of t with draws − 1 degrees of freedom. Draws of different texts are
    independent; sets of the same campaign and pair share texts, and their draws are taken to rise
    and fall together, which can only raise p.

    Parameters
    ----------
    effects, draws : DataFrame
        A row per set and KEYS, with `campaign`, `pair`, `effect` and `error`; and per `null` and
        `draw`, with `effect`.

    Returns
    -------
    DataFrame
        A row per KEYS and null: NULL_NUMBERS, with 95 % of what the null gives and the two-sided p,
        and `p_adjusted` by Holm's method over the tiers and nulls of a contrast and statistic; NaN
        for fewer than two sets.
    """
    import pandas as pd

    observed = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    for key, own in draws.groupby([*KEYS, "null"], sort=False):
        by_set = own.pivot(index="draw", columns="set", values="effect")
        row = dict(zip([*KEYS, "null"], key, strict=True))
        rows.append(row | _compare(observed[key[:3]], by_set))
    found = pd.DataFrame(rows, columns=[*KEYS, "null", *NULL_NUMBERS])
    families = found.groupby(["contrast", "statistic"], sort=False)["p"]
    return found.assign(p_adjusted=families.transform(lambda p: holm(p.to_numpy())))


def _compare(effects: pd.DataFrame, draws: pd.DataFrame) -> dict[str, float]:
    from scipy.special import stdtr, stdtrit

    used = valued(effects)
    drawn = draws.columns[np.isfinite(draws.to_numpy()).all(axis=0)]
    used = used[used["set"].isin(drawn)]
    try:
        pooled = random_effects(used["effect"].to_numpy(), used["error"].to_numpy(), [])
    except ValueError:
        return {"sets": len(used)}
    weights = 1 / (raised(used["error"].to_numpy()) ** 2 + pooled.tau2)
    weights /= weights.sum()
    null = draws[used["set"]].to_numpy()
    effect, mean = used["effect"].to_numpy() @ weights, float((null @ weights).mean())
    spreads = used[list(CLUSTERS)].assign(spread=weights * null.std(axis=0, ddof=1))
    of_texts = spreads.groupby(list(CLUSTERS))["spread"].sum()
    # That of one draw around the mean of the others.
    error, df = np.sqrt((of_texts**2).sum() * (1 + 1 / len(null))), len(null) - 1
    half = error * stdtrit(df, (1 + LEVEL) / 2)
    p = 2 * stdtr(df, -abs(effect - mean) / error) if error > 0 else np.nan
    ends = {"null_low": mean - half, "null_high": mean + half}
    return {"sets": len(used), "effect": float(effect), "null_mean": mean, **ends, "p": float(p)}


def against_chance(pooled: pd.DataFrame, nulls: pd.DataFrame) -> list[str]:
    """Whether pooled effects (`pool`, by KEYS and `phase`) are more than what nulls
    (`pool_nulls`, of all phases) give on the same sets, in words."""
    tests = dict(list(nulls[np.isfinite(nulls["p"])].groupby(KEYS, sort=False)))
    said = []
    for row in pooled.to_dict("records"):
        own = tests.get(tuple(row[key] for key in KEYS))
        if own is None or row["phase"] != "all":
            said.append(NOT_COMPARED)
            continue
        beyond = (own["effect"] - own["null_mean"]) * np.sign(own["effect"]) > 0
        shown = own.loc[beyond & (own["p_adjusted"] <= ALPHA), "null"]
        alone = f"{MORE} by {', '.join(shown)} alone" if len(shown) else NOT_MORE
        said.append(MORE if len(shown) == len(own) else alone)
    return said


def told(verdict: str, against: str) -> str:
    """A verdict; one that a weighting helps or harms with what `against_chance` says."""
    return f"{verdict} ({against})" if HELPS in verdict or HARMS in verdict else verdict


def power_table(
    effects: pd.DataFrame, pooled: pd.DataFrame, draws: pd.DataFrame, seed: int
) -> pd.DataFrame:
    """The probability that a common effect is found: that it helps, by the study's own rule.

    Simulated sets have the common effect, the errors of the study's sets (a random resample's, so
    that sets of the same segments err alike) and independent effects of their own with variance τ².
    The p must be at most 5 % after a correction for all tests of the family, as if the others found
    nothing.

    Parameters
    ----------
    effects, draws : DataFrame
        As for `pool`.
    pooled : DataFrame
        Rows of `pool`, each of another contrast, tier and statistic, of all phases.
    seed : int

    Returns
    -------
    DataFrame
        POWER, a row for each effect of COMMON and each pooled mean. `power` is that of the
        random-effects mean, `fixed_power` that of the mean over the sets at hand, for which τ² does
        not matter. `tests` is the size of the family.
    """
    import pandas as pd
    from scipy.special import ndtr, ndtri, stdtr

    groups = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    for row in pooled[np.isfinite(pooled["effect"])].to_dict("records"):
        used = valued(groups[tuple(row[name] for name in KEYS)])
        family = pooled["family"] == row["family"]
        tests = int(np.isfinite(pooled.loc[family, "p"]).sum())
        level, rng = ALPHA / tests, np.random.default_rng([seed, 7])
        errors, clusters = used["error"].to_numpy(), [used[name].to_numpy() for name in CLUSTERS]
        noise = joint_noise(errors, draws_of(used, draws))
        drawn = noise[:, rng.integers(noise.shape[1], size=REPEATS)]
        drawn = drawn + np.sqrt(row["tau2"]) * rng.normal(size=drawn.shape)
        # A common effect moves the mean and leaves its error as it is.
        simulated = [random_effects(each, errors, clusters) for each in drawn.T]
        mean, error, df = np.array([(each.mean, each.error, each.df) for each in simulated]).T
        fixed = ndtr(np.array(COMMON) / noise.mean(axis=0).std() + ndtri(level / 2))
        about = {name: row[name] for name in (*KEYS, "sets", "campaigns", "margin")}
        for effect, share in zip(COMMON, fixed, strict=True):
            power = np.mean(2 * stdtr(df, -(mean + effect) / error) <= level)
            row_of = {"tests": tests, "common_effect": effect, "power": power, "fixed_power": share}
            rows.append(about | row_of)
    return pd.DataFrame(rows, columns=POWER)
