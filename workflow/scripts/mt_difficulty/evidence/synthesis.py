"""Synthesis over evaluation sets: means for these sets and random-effects means for other sets,
with corrections, verdicts, nulls and power; a model of the gain by the distance between systems."""

import warnings
from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from ..storage import Content
from ..tables import TABLES
from .resampling import holm

LEVEL = 0.95
ALPHA = 0.05
# Smaller changes of Pearson's r count as no effect.
MARGIN = 0.02
HELPS = "helps"
HARMS = "harms"
EQUIVALENT = "no effect larger than the margin"
UNKNOWN = "cannot tell"
NOT_COMPUTED = "not computed"
CLUSTERS = ("campaign", "pair")
HOLM = "Holm, primary contrasts"
FDR = "false discovery rate, other contrasts"
# Iterations of Paule and Mandel's estimator, at most.
ITERATIONS = 500
KEYS = ["contrast", "tier", "statistic"]
DRAWN = ["set", *KEYS]
NOT_COMPARED = "not compared with chance"
MORE = "more than chance"
NOT_MORE = "not shown to be more than chance"
# Effects, in the outcome's unit, whose power is computed.
COMMON = (0.01, 0.02, 0.03, 0.05)
# Simulated studies.
REPEATS = 1000
# Columns of the mean over the sets at hand.
FIXED = [f"fixed_{name}" for name in ("effect", "error", "low", "high", "p")]

# Bins of the gap between two systems, whose means stand for pairs in the model.
BINS = 20
QUINTILES = 5
RESAMPLES = 2000
TERMS = ["weighted", "weighted × gap"]


# A random-effects mean over studies: standard error, degrees of freedom, 95 % interval, p for a
# mean of 0; τ², the variance of true effects (Paule & Mandel 1982); I², its share of the variance,
# and Cochran's Q; 95 % prediction interval of a new study's true effect (NaN below 3 studies).
Pooled = namedtuple("Pooled", "effect error df low high p tau2 i2 q prediction_low prediction_high")


def interval_of(mean: Any, error: Any, df: float = np.inf) -> tuple[float, float, float]:
    """Compute the 95 % interval of a mean, and p for a mean of 0.

    Parameters
    ----------
    mean, error : float
        The mean and its standard error.
    df : float
        Degrees of freedom of Student's t; by default infinite (normal).

    Returns
    -------
    tuple of float
        Lower and upper end, and two-sided p, which is NaN for an error of 0.
    """
    from scipy.special import stdtr, stdtrit

    half = error * stdtrit(df, (1 + LEVEL) / 2)
    p = np.nan
    if error > 0:
        p = 2 * stdtr(df, -abs(mean) / error)
    return float(mean - half), float(mean + half), float(p)


def random_effects(
    effects: np.ndarray, errors: np.ndarray, clusters: Sequence[np.ndarray]
) -> Pooled:
    """Compute the random-effects mean over studies.

    Parameters
    ----------
    effects, errors : ndarray
        Finite effects and their standard errors, (studies,); an error of 0 is raised to the
        smallest above 0.
    clusters : sequence of ndarray
        Labellings of the studies, (studies,) each, such as campaigns (`cluster_robust`).

    Returns
    -------
    Pooled

    Raises
    ------
    ValueError
        For fewer than two studies or no error above 0.

    Notes
    -----
    The interval is the wider of Hartung and Knapp's (2001; t with k − 1 degrees of freedom, scale
    at least 1) and that of `cluster_robust`. The prediction interval has the degrees of freedom of
    the wider one, at most k − 2.
    """
    from scipy.special import stdtrit
    from statsmodels.stats.meta_analysis import combine_effects

    effects = np.asarray(effects, float)
    errors = np.asarray(errors, float)
    studies = len(effects)
    if studies < 2:
        raise ValueError("fewer than two sets have a value")
    with np.errstate(divide="ignore"):  # of effects that are all equal
        fit = combine_effects(effects, raised(errors) ** 2, method_re="pm", maxiter=ITERATIONS)
    hartung_knapp = max(fit.sd_eff_w_re, np.sqrt(fit.var_hksj_re))
    error = float(hartung_knapp)
    df = studies - 1.0
    robust = cluster_robust(effects, fit.weights_re, clusters)
    if robust:
        robust_error, robust_df = robust
        half = error * stdtrit(df, (1 + LEVEL) / 2)
        robust_half = robust_error * stdtrit(robust_df, (1 + LEVEL) / 2)
        if robust_half > half:
            error = robust_error
            df = robust_df
    mean = float(fit.mean_effect_re)
    tau2 = float(fit.tau2)
    q = float(fit.q)
    low, high, p = interval_of(mean, error, df)
    prediction_low = prediction_high = np.nan
    if studies > 2:
        prediction_error = np.hypot(np.sqrt(tau2), error)
        prediction_df = min(df, studies - 2)
        prediction_low, prediction_high, _ = interval_of(mean, prediction_error, prediction_df)
    i2 = 0.0
    if q > 0:
        i2 = max(0.0, 1 - (studies - 1) / q)
    return Pooled(
        effect=mean,
        error=error,
        df=df,
        low=low,
        high=high,
        p=p,
        tau2=tau2,
        i2=i2,
        q=q,
        prediction_low=prediction_low,
        prediction_high=prediction_high,
    )


def raised(errors: np.ndarray) -> np.ndarray:
    """Replace standard errors of 0 by the smallest above 0; ValueError if all are 0."""
    if not (errors > 0).any():
        raise ValueError("no set has a bootstrap error above 0")
    return np.maximum(errors, errors[errors > 0].min())


def cluster_robust(
    effects: np.ndarray, weights: np.ndarray, clusters: Sequence[np.ndarray]
) -> tuple[float, float] | None:
    """Compute a cluster-robust standard error of a weighted mean (CR2; Bell & McCaffrey 2002).

    Parameters
    ----------
    effects, weights : ndarray
        (studies,); the working model is independent effects of variance 1/weight.
    clusters : sequence of ndarray
        One or two labellings, (studies,) each.

    Returns
    -------
    tuple of float or None
        Standard error and Satterthwaite degrees of freedom; None if no labelling has two clusters.

    Notes
    -----
    For two labellings, the variance is the sum of both less that of their intersections (Cameron,
    Gelbach & Miller 2011), at least the larger; degrees of freedom are the smaller.
    """
    total = weights.sum()

    def one_way(codes: np.ndarray) -> tuple[float, float]:
        """Variance and degrees of freedom for one labelling."""
        mean = weights @ effects / total
        sums = np.bincount(codes, weights * (effects - mean))
        shares = np.bincount(codes, weights) / total
        others = 1 - shares
        variance = (sums**2 / others).sum() / total**2
        cross = np.outer(shares, shares) / np.sqrt(np.outer(others, others))
        np.fill_diagonal(cross, shares)
        df = 1 / (cross**2).sum()
        return float(variance), float(df)

    labellings = []
    for labels in clusters:
        _, codes = np.unique(labels, return_inverse=True)
        if codes.max() > 0:
            labellings.append(codes)
    if not labellings:
        return None
    variances, df = zip(*map(one_way, labellings), strict=True)
    variance = max(variances)
    if len(labellings) == 2:
        pairs = np.column_stack(labellings)
        _, intersections = np.unique(pairs, axis=0, return_inverse=True)
        variance_of_pairs, _ = one_way(intersections.ravel())
        variance = max(variance, sum(variances) - variance_of_pairs)
    return float(np.sqrt(variance)), min(df)


def joint_noise(errors: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """Return correlated errors of sets, (sets, resamples): centred effects on resamples (0 for
    NaN), scaled to standard errors, (sets,). Sets that share segments have correlated resamples."""
    means = np.nanmean(draws, axis=1, keepdims=True)
    noise = np.nan_to_num(draws - means)
    spread = noise.std(axis=1)
    scale = np.zeros(len(errors))
    np.divide(errors, spread, out=scale, where=spread > 0)
    return noise * scale[:, None]


def fixed_mean(effects: np.ndarray, errors: np.ndarray, draws: np.ndarray) -> dict[str, float]:
    """Average effects over the sets at hand.

    Parameters
    ----------
    effects, errors : ndarray
        Effects and their standard errors, (sets,).
    draws : ndarray
        Effects on resamples, (sets, resamples); the error of the mean comes from `joint_noise`.

    Returns
    -------
    dict
        Mean, error, normal 95 % interval and p (keys FIXED).

    Raises
    ------
    ValueError
        Without sets, or if all errors are 0.
    """
    if not len(effects):
        raise ValueError("no set has a value")
    raised(errors)
    mean = float(effects.mean())
    noise_of_mean = joint_noise(errors, draws).mean(axis=0)
    error = float(noise_of_mean.std())
    low, high, p = interval_of(mean, error)
    return dict(zip(FIXED, (mean, error, low, high, p), strict=True))


def verdicts(
    rows: pd.DataFrame,
    effect: str,
    margin: float,
    words: tuple[str, str, str] = (HELPS, HARMS, EQUIVALENT),
    start: str = "",
) -> np.ndarray:
    """Give a verdict on every effect.

    Parameters
    ----------
    rows : DataFrame
        With the columns `effect`, `low`, `high` and `p_adjusted`, NaN if absent.
    effect : str
        Name of the column of effects.
    margin : float
        Largest effect that counts as none.
    words : tuple of str
        Verdicts: an effect above 0; below 0 (both with p_adjusted ≤ ALPHA and an interval, if any,
        that excludes 0); an interval within ±margin.
    start : str
        Prefix of the columns.

    Returns
    -------
    ndarray
        (rows,): one of `words`; NOT_COMPUTED without an effect; otherwise UNKNOWN.
    """
    value = rows[f"{start}{effect}"].to_numpy(float)
    low = rows[f"{start}low"].to_numpy(float)
    high = rows[f"{start}high"].to_numpy(float)
    p = rows[f"{start}p_adjusted"].to_numpy(float)
    includes_0 = (low <= 0) & (high >= 0)
    is_shown = (p <= ALPHA) & (value != 0) & ~includes_0
    is_within_margin = (low >= -margin) & (high <= margin)
    # The first case that is true counts.
    cases = [np.isnan(value), is_shown & (value > 0), is_shown, is_within_margin]
    return np.select(cases, [NOT_COMPUTED, *words], UNKNOWN)


def adjusted(tests: pd.DataFrame, by: list[str], suffix: str) -> pd.DataFrame:
    """Add Holm's correction within families of tests.

    Parameters
    ----------
    tests : DataFrame
        With the column `p`.
    by : list of str
        Columns whose values define a family.
    suffix : str
        End of the description of a family: a format string of a row's values.

    Returns
    -------
    DataFrame
        With `p_adjusted`, and `family`, its description in words; NaN and "" where p is NaN.
    """
    p = tests.assign(p=tests["p"].astype(float)).groupby(by)["p"]
    records: Any = tests.to_dict("records")
    families = []
    for size, row in zip(p.transform("count"), records, strict=True):
        family = ""
        if row["p"] >= 0:
            comparisons = "comparison" if size == 1 else "comparisons"
            family = f"Holm, {size} {comparisons} {suffix.format_map(row)}"
        families.append(family)
    p_adjusted = p.transform(lambda group: holm(group.to_numpy())).astype(float)
    return tests.assign(p_adjusted=p_adjusted, family=families)


def pool(
    effects: pd.DataFrame,
    by: Sequence[str],
    margin: float,
    primary: Sequence[str],
    draws: pd.DataFrame,
) -> pd.DataFrame:
    """Pool effects over sets within groups.

    Parameters
    ----------
    effects : DataFrame
        A row per set and group: `set`, `campaign`, `pair`, `effect`, `error`, `reason`.
    by : sequence of str
        Columns of groups, which include KEYS.
    margin : float
        Largest effect that counts as none.
    primary : sequence of str
        Contrasts whose p is corrected by Holm's method; that of others by the false discovery rate
        (Benjamini & Hochberg 1995). A family has one `statistic` and `phase`.
    draws : DataFrame
        Effects on resamples, a column each, indexed by DRAWN.

    Returns
    -------
    DataFrame
        By group: the fields of `Pooled`, `p_adjusted`, `family` and `verdict`; FIXED,
        `fixed_p_adjusted` and `fixed_verdict` for the mean over these sets; `over_sets`; and the
        `reason` for no mean.
    """
    from scipy.stats import false_discovery_control

    rows = []
    for key, group in effects.groupby(list(by), sort=False):
        used, counts = over_sets(group, "effect")
        row: Content = dict(zip(by, key, strict=True))
        row |= dict.fromkeys([*Pooled._fields, *FIXED], np.nan)
        row |= counts
        row["margin"] = margin
        row["reason"] = ""
        values = used["effect"].to_numpy()
        errors = used["error"].to_numpy()
        try:
            row |= fixed_mean(values, errors, draws_of(used, draws))
            labels = [used[name].to_numpy() for name in CLUSTERS]
            row |= random_effects(values, errors, labels)._asdict()
        except ValueError as reason:
            row["reason"] = str(reason)
        rows.append(row)
    empty = [*by, "effect", "p", "low", "high", "margin", *FIXED]
    pooled = pd.DataFrame(rows, columns=None if rows else empty)
    pooled["family"] = np.where(pooled["contrast"].isin(primary), HOLM, FDR)
    family_columns = [name for name in ("statistic", "phase") if name in by] + ["family"]
    for start in ("", "fixed_"):
        pooled[f"{start}p_adjusted"] = np.nan
        for key, p in pooled.groupby(family_columns)[f"{start}p"]:
            adjust = holm if key[-1] == HOLM else false_discovery_control
            tested = p.dropna()
            pooled.loc[tested.index, f"{start}p_adjusted"] = adjust(tested.to_numpy(float))
        pooled[f"{start}verdict"] = verdicts(pooled, "effect", margin, start=start)
    tests = pooled.groupby(family_columns)["p"].transform("count").astype(str)
    return pooled.assign(family=pooled["family"] + ", " + tests + " tests")


def over_sets(rows: pd.DataFrame, column: str) -> tuple[pd.DataFrame, Content]:
    """Select rows of sets with a value and error. Also count their `sets`, `campaigns` and `pairs`,
    and the sets without a value (`sets_without`, with `reasons`)."""
    used = valued(rows, column)
    without = rows.drop(used.index)
    reasons = without["reason"].value_counts().items()
    counts: Content = {f"{name}s": used[name].nunique() for name in ("set", *CLUSTERS)}
    counts["sets_without"] = len(without)
    counts["reasons"] = "; ".join(f"{count} × {reason}" for reason, count in reasons)
    return used, counts


def valued(rows: pd.DataFrame, column: str = "effect") -> pd.DataFrame:
    """Return the rows with finite values in `error` and in the column named by `column`."""
    return rows[np.isfinite(rows[column]) & np.isfinite(rows["error"])]


def draws_of(used: pd.DataFrame, draws: pd.DataFrame) -> np.ndarray:
    """Look up in `draws` the bootstrap effects for the rows of `used`, (rows, resamples)."""
    rows = list(used[DRAWN].itertuples(index=False, name=None))
    return draws.loc[rows].to_numpy(float)


def pool_nulls(effects: pd.DataFrame, draws: pd.DataFrame) -> pd.DataFrame:
    """Average effects over sets, and effects under nulls on the same sets.

    Parameters
    ----------
    effects : DataFrame
        A row per set and KEYS, as for `pool`.
    draws : DataFrame
        Effects under nulls: a row per set, KEYS, `null` and `draw`.

    Returns
    -------
    DataFrame
        `study/nulls.csv`, with `p_adjusted` by Holm's method over the tiers and nulls of a contrast
        and statistic; NaN for fewer than two sets. Sets without an effect or draws are left out.

    Notes
    -----
    Sets have the weights 1/(error² + τ²) of the observed effects. Under a null the observed mean is
    one more draw: p is that of t with draws − 1 degrees of freedom. Draws of sets of one campaign
    and pair are taken as fully correlated, which can only raise p.
    """
    observed = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    for key, null_rows in draws.groupby([*KEYS, "null"], sort=False):
        by_set = null_rows.pivot(index="draw", columns="set", values="effect")
        is_complete = np.isfinite(by_set.to_numpy()).all(axis=0)
        by_set = by_set.loc[:, is_complete]
        used = valued(observed[key[:3]])
        used = used[used["set"].isin(by_set.columns)]
        row: Content = dict(zip([*KEYS, "null"], key, strict=True))
        row["sets"] = len(used)
        rows.append(row)
        values = used["effect"].to_numpy()
        errors = used["error"].to_numpy()
        try:
            pooled = random_effects(values, errors, [])
        except ValueError:
            continue
        weights = 1 / (raised(errors) ** 2 + pooled.tau2)
        weights /= weights.sum()
        null = by_set[used["set"]].to_numpy()
        effect = float(values @ weights)
        null_means = null @ weights
        mean = float(null_means.mean())
        spreads = used[list(CLUSTERS)].assign(spread=weights * null.std(axis=0, ddof=1))
        cluster_spreads = spreads.groupby(list(CLUSTERS))["spread"].sum()
        variance_of_draw = (cluster_spreads**2).sum()
        # Standard error of one draw minus the mean of the others.
        error = np.sqrt(variance_of_draw * (1 + 1 / len(null)))
        low, high, p = interval_of(effect - mean, error, len(null) - 1)
        row["effect"] = effect
        row["null_mean"] = mean
        row["p"] = p
        row["null_low"] = effect - high
        row["null_high"] = effect - low
    table = pd.DataFrame(rows, columns=TABLES["study/nulls.csv"].names(without=["p_adjusted"]))
    families = table.groupby(["contrast", "statistic"], sort=False)["p"]
    return table.assign(p_adjusted=families.transform(lambda p: holm(p.to_numpy())))


def against_chance(pooled: pd.DataFrame, nulls: pd.DataFrame) -> list[str]:
    """Say in words whether pooled effects (`pool`, by KEYS and `phase`) exceed the effects of nulls
    (`pool_nulls`, of all phases) on the same sets."""
    tested = nulls[np.isfinite(nulls["p"].astype(float))]  # object without any null
    tests = dict(list(tested.groupby(KEYS, sort=False)))
    answers = []
    for *key, phase in pooled[[*KEYS, "phase"]].itertuples(index=False):
        rows = tests.get(tuple(key))
        if rows is None or phase != "all":
            answers.append(NOT_COMPARED)
            continue
        difference = rows["effect"] - rows["null_mean"]
        is_beyond = difference * np.sign(rows["effect"]) > 0
        is_significant = rows["p_adjusted"] <= ALPHA
        shown = rows.loc[is_beyond & is_significant, "null"]
        if len(shown) == len(rows):
            answers.append(MORE)
        elif len(shown):
            answers.append(f"{MORE} by {', '.join(shown)} alone")
        else:
            answers.append(NOT_MORE)
    return answers


def power_table(
    effects: pd.DataFrame, pooled: pd.DataFrame, draws: pd.DataFrame, seed: int
) -> pd.DataFrame:
    """Simulate the probability that the study finds an effect common to all sets (power).

    Parameters
    ----------
    effects, draws : DataFrame
        As for `pool`.
    pooled : DataFrame
        Rows of `pool` by KEYS, of all phases.
    seed : int

    Returns
    -------
    DataFrame
        `study/power.csv`: for each effect of COMMON, the power of the random-effects mean and of
        the mean over the sets at hand.

    Notes
    -----
    Simulated sets have the common effect, errors of a random resample of the study's sets and
    independent effects of variance τ²; p must be at most 5 % after correction for all `tests` of
    the family, as if no other test were significant.
    """
    from scipy.special import ndtr, ndtri, stdtr

    groups = dict(list(effects.groupby(KEYS, sort=False)))
    rows = []
    pooled = pooled.assign(tests=pooled.groupby("family")["p"].transform("count"))
    for row in pooled[np.isfinite(pooled["effect"])].to_dict("records"):
        key = tuple(row[name] for name in KEYS)
        used = valued(groups[key])
        level = ALPHA / row["tests"]
        rng = np.random.default_rng([seed, 7])
        errors = used["error"].to_numpy()
        clusters = [used[name].to_numpy() for name in CLUSTERS]
        noise = joint_noise(errors, draws_of(used, draws))
        resamples = rng.integers(noise.shape[1], size=REPEATS)
        drawn = noise[:, resamples]
        drawn = drawn + np.sqrt(row["tau2"]) * rng.normal(size=drawn.shape)
        # A common effect shifts the mean without changing its error.
        simulated = [random_effects(values, errors, clusters)[:3] for values in drawn.T]
        mean, error, df = np.array(simulated).T
        fixed_error = noise.mean(axis=0).std()
        fixed_power = ndtr(np.array(COMMON) / fixed_error + ndtri(level / 2))
        for effect, fixed in zip(COMMON, fixed_power, strict=True):
            p = 2 * stdtr(df, -(mean + effect) / error)
            record = {name: row[name] for name in (*KEYS, "sets", "campaigns", "margin", "tests")}
            record["common_effect"] = effect
            record["power"] = np.mean(p <= level)
            record["fixed_power"] = fixed
            rows.append(record)
    return pd.DataFrame(rows, columns=TABLES["study/power.csv"].names())


def pair_model(pairs: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Model how often metrics order pairs of systems as human scores do, by weighting and gap
    between the human scores.

    Parameters
    ----------
    pairs : DataFrame
        The sets' `study/pairs.csv`, with `set`.
    seed : int

    Returns
    -------
    DataFrame
        `study/pairs.csv`. Rows of kind `model` have b1 and b3 (TERMS) with 95 % intervals (t with
        sets − 1 degrees of freedom) and `p_adjusted` by Holm's method over the contrasts. Negative
        b3: weighting gains more among systems of similar quality. Rows of kind `quintile` have the
        mean over sets of the gain in a fifth of all gaps, for each tier and for `all` (standard
        error from RESAMPLES bootstrap samples of sets). NaN with a reason for too few sets, and
        where no model converges.

    Notes
    -----
    The model is agreement = b0 + b1·weighted + b2·gap + b3·weighted·gap + tier + effects of the
    set, a linear mixed model by REML on means of cells (set × tier × weighted × bin of the gap).
    """
    rows: list[dict] = []
    for contrast, contrast_pairs in pairs.groupby("contrast", sort=False):
        sets = contrast_pairs["set"].nunique()
        estimates: dict[str, tuple[float, float]] = {}
        random = ""
        reason = f"{sets} sets; the model needs 3"
        if sets > 2:
            estimates, random, reason = _fit(contrast_pairs)
        for term in TERMS:
            row = {
                "contrast": contrast,
                "kind": "model",
                "tier": "all",
                "sets": sets,
                "pairs": len(contrast_pairs),
                "random_effects": random,
                "reason": reason,
                "term": term,
            }
            if estimates:
                row |= _numbers(estimates[term], sets)
            rows.append(row)
        rng = np.random.default_rng([seed, 6])
        for row in _quintile_rows(contrast_pairs, rng):
            rows.append({"contrast": contrast, "kind": "quintile", **row})
    frame = pd.DataFrame(rows, columns=TABLES["study/pairs.csv"].names())
    of_model = frame[frame["kind"] == "model"].astype({"p": float})
    p_by_term = of_model.groupby("term")["p"]
    p_adjusted = p_by_term.transform(lambda p: holm(p.to_numpy()))
    return frame.assign(p_adjusted=p_adjusted.astype(float))


def _numbers(estimated: tuple[float, float], sets: int) -> dict[str, float]:
    """Return estimate, error, 95 % interval and p (t, sets − 1 degrees of freedom) as a dict."""
    estimate, error = estimated
    low, high, p = interval_of(estimate, error, sets - 1)
    return {"estimate": estimate, "error": error, "low": low, "high": high, "p": p}


def _fit(pairs: pd.DataFrame) -> tuple[dict[str, tuple[float, float]], str, str]:
    """Return estimates and standard errors by term for the first mixed model that converges, its
    random effects, and which models did not converge."""
    from statsmodels.regression.mixed_linear_model import MixedLM

    cells = _cells(pairs)
    root = np.sqrt(cells["size"])
    fixed = cells[["weighted", "gap"]].copy()
    fixed[TERMS[1]] = cells["weighted"] * cells["gap"]
    fixed.insert(0, "intercept", 1.0)
    tiers = pd.get_dummies(cells["tier"], drop_first=True, dtype=float)
    fixed = fixed.join(tiers).mul(root, axis=0)
    failed = []
    # Try random effects of the set from the richest; the first model that converges is used.
    for random in (["intercept", *TERMS], ["intercept", TERMS[0]], ["intercept"]):
        name = ", ".join(random)
        model = MixedLM(cells["agreement"] * root, fixed, cells["set"], fixed[random])
        with warnings.catch_warnings():
            # Convergence is read from the result, not from warnings.
            warnings.simplefilter("ignore")
            try:
                result = model.fit(reml=True, method=["lbfgs", "bfgs"])
            except np.linalg.LinAlgError:
                result = None
        if result is None or not result.converged:
            failed.append(f"did not converge with random effects {name}")
            continue
        errors = _standard_errors(result, cells, fixed, fixed[random])
        estimates = zip(result.fe_params, errors, strict=True)
        return dict(zip(fixed.columns, estimates, strict=True)), name, "; ".join(failed)
    return {}, "", "the model did not converge with any random effects"


def _cells(pairs: pd.DataFrame) -> pd.DataFrame:
    """Return mean agreement and gap, and number of pairs, by set, tier, bin of the gap, and side:
    unweighted (0) and weighted (1)."""
    quantiles = np.arange(1, BINS) / BINS
    edges = np.unique(np.quantile(pairs["gap"], quantiles))
    pairs = pairs.assign(bin=np.searchsorted(edges, pairs["gap"], side="right"))
    labels = ["set", "tier", "bin", "gap"]
    long = pairs.melt(labels, ["agrees_plain", "agrees"], "weighted", "agreement")
    long["weighted"] = (long["weighted"] == "agrees").astype(float)
    groups = long.groupby(["set", "weighted", "tier", "bin"])
    cells = groups[["gap", "agreement"]].mean()
    return cells.assign(size=groups.size()).reset_index()


def _standard_errors(
    result: Any, cells: pd.DataFrame, fixed: pd.DataFrame, random: pd.DataFrame
) -> np.ndarray:
    """Return standard errors of fixed effects by generalised least squares at the estimated
    variances. MixedLM's own errors invert the Hessian of all parameters, which is singular where a
    variance is estimated as 0."""
    information = np.zeros((fixed.shape[1], fixed.shape[1]))
    ratio = np.asarray(result.cov_re) / result.scale
    for rows in cells.groupby("set", sort=False).indices.values():
        x = fixed.to_numpy()[rows]
        z = random.to_numpy()[rows]
        covariance = np.eye(len(rows)) + z @ ratio @ z.T
        information = information + x.T @ np.linalg.solve(covariance, x)
    variances = np.diag(np.linalg.inv(information)) * result.scale
    return np.sqrt(variances)


def _quintile_rows(pairs: pd.DataFrame, rng: np.random.Generator) -> list[dict]:
    """Return rows: mean gain over sets, by tier and fifth of the systems' human-score gap."""
    edges = np.quantile(pairs["gap"], np.arange(QUINTILES + 1) / QUINTILES)
    bins = np.searchsorted(edges, pairs["gap"], side="right") - 1
    bins = np.clip(bins, 0, QUINTILES - 1)  # the largest gap is in the last one
    gain = pairs["agrees"] - pairs["agrees_plain"]
    cells = pairs.assign(bin=bins, gain=gain)
    rows = []
    for tier, tier_cells in [("all", cells), *cells.groupby("tier", sort=False)]:
        for i in range(QUINTILES):
            inside = tier_cells[tier_cells["bin"] == i]
            gains = inside.groupby("set")["gain"].mean().to_numpy()
            sets = len(gains)
            row = {
                "tier": tier,
                "term": f"gain in fifth {i + 1} of the gap",
                "random_effects": "",
                "gap_low": edges[i],
                "gap_high": edges[i + 1],
                "gap": inside["gap"].mean(),
                "pairs": len(inside),
                "sets": sets,
                "reason": "fewer than two sets have such pairs" if sets < 2 else "",
            }
            if sets > 1:
                drawn = rng.multinomial(sets, np.full(sets, 1 / sets), RESAMPLES)
                spread = (drawn @ gains / sets).std()
                # The bootstrap's variance is too small by the factor (sets − 1)/sets.
                error = float(spread * np.sqrt(sets / (sets - 1)))
                mean = float(gains.mean())
                row |= _numbers((mean, error), sets)
            rows.append(row)
    return rows
