"""Whether difficulty weighting helps more among systems of similar human score: a mixed model of
all pairs of systems, and the mean gain in quintiles of the gap."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from .intervals import holm
from .synthesis import LEVEL

if TYPE_CHECKING:
    import pandas as pd

BINS = 20  # of the gap, whose means stand for pairs in the model
QUINTILES = 5
RESAMPLES = 2000
TERMS = {
    "weighted": "gain between systems of equal human score",
    "weighted × gap": "change of the gain per standard deviation of the gap",
}
# Random effects of a set, the first that converges; columns of the model.
RANDOM = {
    "intercept, weighted, weighted × gap": ["intercept", "weighted", "weighted × gap"],
    "intercept, weighted": ["intercept", "weighted"],
    "intercept": ["intercept"],
}
COLUMNS = [
    *("contrast", "kind", "tier", "term", "gap_low", "gap_high", "gap"),
    *("estimate", "error", "low", "high", "p", "p_adjusted", "pairs", "sets"),
    *("random_effects", "reason"),
]
FEW_SETS = "{} sets; the model needs 3"
NOT_CONVERGED = "the model did not converge with any random effects"
SIMPLER = "did not converge with random effects {}"


def pair_model(pairs: pd.DataFrame, seed: int = 0) -> pd.DataFrame:
    """Agreement with people on pairs of systems, by weighting and human gap.

    Model: agreement = b0 + b1·weighted + b2·gap + b3·weighted·gap + tier + effects of the set, a
    linear mixed model by REML (statsmodels' MixedLM) on means of cells (set × tier × weighted × bin
    of the gap), which count by the square root of their pairs. A negative b3 says that weighting
    gains more among systems of similar quality.

    Parameters
    ----------
    pairs : DataFrame
        A row per set, metric, contrast and pair of systems, with `set`, `tier`, `contrast`, `gap`
        (|difference of human scores| in standard deviations over systems), `agrees_plain` and
        `agrees` (1 where the metric orders the pair as people do, 0 where not, 0.5 for ties).
    seed : int
        Of the bootstrap over sets.

    Returns
    -------
    DataFrame
        COLUMNS. Rows of kind `model`: b1 and b3 with 95 % intervals (t with sets − 1 degrees of
        freedom), under random effects of a set as named; `p_adjusted` by Holm's method over the
        contrasts. Rows of kind `quintile`: the mean over sets of agrees − agrees_plain among pairs
        in a fifth of all gaps, for each tier and for `all`, with a 95 % interval (the same t,
        standard error from RESAMPLES bootstrap samples of sets). NaN with a reason for fewer than 3
        sets, where a fifth has fewer than two, and where no model converges; a model under fewer
        random effects than the first has in `reason` which did not.
    """
    import pandas as pd

    rows: list[dict] = []
    for contrast, own in pairs.groupby("contrast", sort=False):
        found = [*_model_rows(own), *_quintile_rows(own, np.random.default_rng([seed, 6]))]
        rows += [{"contrast": contrast, **row} for row in found]
    frame = pd.DataFrame(rows, columns=COLUMNS)
    frame["p_adjusted"] = frame["p_adjusted"].astype(float)
    for _, own in frame[frame["kind"] == "model"].groupby("term"):
        frame.loc[own.index, "p_adjusted"] = holm(own["p"].to_numpy(float))
    return frame


def _cells(pairs: pd.DataFrame) -> pd.DataFrame:
    """Means of pairs of a set, tier and bin of the gap, once plain and once weighted."""
    import pandas as pd

    edges = np.unique(np.quantile(pairs["gap"], np.arange(1, BINS) / BINS))
    bins = np.searchsorted(edges, pairs["gap"], side="right")
    found = pairs.groupby(["set", "tier", bins], observed=True).agg(
        pairs=("gap", "size"),
        gap=("gap", "mean"),
        plain=("agrees_plain", "mean"),
        weighted=("agrees", "mean"),
    )
    cells = found.reset_index(names=["set", "tier", "bin"])
    sides = enumerate(("plain", "weighted"))
    twice = [cells.assign(agrees=cells[side], weighted=i) for i, side in sides]
    return pd.concat(twice, ignore_index=True).sort_values("set", kind="stable")


def _model_rows(pairs: pd.DataFrame) -> list[dict]:
    sets = pairs["set"].nunique()
    head = {"kind": "model", "tier": "all", "pairs": len(pairs), "sets": sets}
    terms, name, reason = None, "", FEW_SETS.format(sets)
    if sets > 2:
        terms, name, reason = _fit(_cells(pairs))
    rows = []
    for term in TERMS:
        row = {**head, "term": term, "random_effects": name, "reason": reason}
        rows.append(row | _interval(*terms[term], sets) if terms else row)
    return rows


def _interval(estimate: float, error: float, sets: int) -> dict[str, float]:
    """Estimate with its 95 % interval and p by t with sets − 1 degrees of freedom."""
    from scipy.special import stdtr, stdtrit

    half = error * stdtrit(sets - 1, (1 + LEVEL) / 2)
    p = 2 * stdtr(sets - 1, -abs(estimate) / error) if error > 0 else np.nan
    ends = {"low": estimate - half, "high": estimate + half}
    return {"estimate": estimate, "error": error, **ends, "p": float(p)}


def _fit(cells: pd.DataFrame) -> tuple[dict[str, tuple[float, float]] | None, str, str]:
    """Estimates and standard errors by term of the first model of RANDOM that converges, its name,
    and which did not."""
    import pandas as pd
    from statsmodels.regression.mixed_linear_model import MixedLM

    columns = {
        "intercept": 1.0,
        "weighted": cells["weighted"].astype(float),
        "gap": cells["gap"],
        "weighted × gap": cells["weighted"] * cells["gap"],
    }
    for tier in sorted(cells["tier"].unique())[1:]:
        columns[f"tier {tier}"] = (cells["tier"] == tier).astype(float)
    root = np.sqrt(cells["pairs"])
    exog = pd.DataFrame(columns, index=cells.index).mul(root, axis=0)
    failed: list[str] = []
    for name, random in RANDOM.items():
        model = MixedLM(cells["agrees"] * root, exog, cells["set"], exog[random])
        with warnings.catch_warnings():
            # What they say of convergence is read from the result.
            warnings.simplefilter("ignore")
            try:
                result = model.fit(reml=True, method=["lbfgs", "bfgs"])
            except np.linalg.LinAlgError:
                result = None
        if result is None or not result.converged:
            failed.append(SIMPLER.format(name))
            continue
        # Errors by generalised least squares at the estimated variances: MixedLM's own invert the
        # Hessian of all parameters, which is singular where a variance is estimated as 0.
        inverse = np.zeros((exog.shape[1],) * 2)
        ratio = np.asarray(result.cov_re) / result.scale
        for rows in cells.groupby("set", sort=False).indices.values():
            x, z = exog.to_numpy()[rows], exog[random].to_numpy()[rows]
            inverse = inverse + x.T @ np.linalg.solve(np.eye(len(rows)) + z @ ratio @ z.T, x)
        errors = np.sqrt(np.diag(np.linalg.inv(inverse)) * result.scale)
        estimates = zip(result.fe_params, errors, strict=True)
        return dict(zip(exog.columns, estimates, strict=True)), name, "; ".join(failed)
    return None, "", NOT_CONVERGED


def _quintile_rows(pairs: pd.DataFrame, rng: np.random.Generator) -> list[dict]:
    edges = np.quantile(pairs["gap"], np.arange(QUINTILES + 1) / QUINTILES)
    bins = np.clip(np.searchsorted(edges, pairs["gap"], side="right") - 1, 0, QUINTILES - 1)
    cells = pairs.assign(bin=bins, gain=pairs["agrees"] - pairs["agrees_plain"])
    groups = [("all", cells), *cells.groupby("tier", sort=False)]
    rows = []
    for tier, own in groups:
        for i in range(QUINTILES):
            inside = own[own["bin"] == i]
            rows.append(
                {
                    "kind": "quintile",
                    "tier": tier,
                    "term": f"gain in fifth {i + 1} of the gap",
                    "gap_low": edges[i],
                    "gap_high": edges[i + 1],
                    "gap": inside["gap"].mean(),
                    "pairs": len(inside),
                    "sets": inside["set"].nunique(),
                    "random_effects": "",
                    **_bootstrapped_mean(inside.groupby("set")["gain"].mean().to_numpy(), rng),
                }
            )
    return rows


def _bootstrapped_mean(gains: np.ndarray, rng: np.random.Generator) -> dict[str, Any]:
    """Mean over sets with a bootstrap interval; gains (sets,)."""
    sets = len(gains)
    if sets < 2:
        return {"estimate": np.nan, "reason": "fewer than two sets have such pairs"}
    drawn = rng.multinomial(sets, np.full(sets, 1 / sets), RESAMPLES)
    # A bootstrap sample's variance is (sets − 1)/sets of the variance that it estimates.
    error = float((drawn @ gains / sets).std() * np.sqrt(sets / (sets - 1)))
    return {**_interval(float(gains.mean()), error, sets), "reason": ""}
