"""EE weighting (Liu et al. 2022): easy and difficult hypotheses are scored as two groups, whose
scores are combined with weights w and 1 − w."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from ..difficulty.base import deviation
from ..errors import Missing, check_choice
from .base import Parameters, Resamples, WeightedMetric, Weighting

# Threshold rules and their equations in Liu et al. (2022).
RULES = {"mean_plus_2sd": "Eq. 9", "rank_0.05": "Eq. 5"}
RULE = re.compile(
    r"(mean_plus_(?P<sd>\d+\.?\d*)sd|rank_(?P<rank>0?\.\d+)|quantile_(?P<q>0?\.\d+)"
    r"|hypotheses_(?P<hypotheses>0?\.\d+))\Z"
)
EASY_WEIGHTS = {"liu2022": "Eq. 11", "share": "share"}


class EE(Weighting):
    """w · score of the easy hypotheses + (1 − w) · score of the difficult ones, those of at least
    the threshold h (EE, Liu et al. 2022).

    Parameters
    ----------
    threshold : float or str
        h itself, or a rule. Rules over the segments' mean difficulties are `mean_plus_2sd` (Eq. 9),
        `rank_0.05` (Eq. 5) and `quantile_0.9`; `hypotheses_0.9` is a quantile of the difficulties
        of all hypotheses. Each rule accepts other numbers.
    easy_weight : float or str
        w itself, from 0 to 1; `liu2022`, Eq. 11, which was fitted to chunk entropies; or `share`,
        the share of easy hypotheses.
    zero_segments : {"drop", "keep"}
        Whether segments of mean difficulty 0 are used to estimate h and w. The authors' program
        drops them.

    Examples
    --------
    Difficulties of two systems on three segments.

    >>> difficulty = np.array([[0.1, 0.2, 0.9], [0.0, 0.7, 0.8]])
    >>> parameters = EE(threshold=0.5, easy_weight=0.3).fit(difficulty, ["A", "B"])
    >>> parameters["difficult_hypotheses"]
    {'A': 1, 'B': 2}
    """

    undefined = "no difficult or no easy hypothesis"

    def __init__(
        self,
        threshold: float | str = "mean_plus_2sd",
        easy_weight: float | str = "liu2022",
        zero_segments: str = "drop",
    ) -> None:
        if isinstance(threshold, str) and not RULE.match(threshold):
            raise ValueError(
                f"threshold {threshold}: expected a number, mean_plus_2sd, rank_0.05, "
                "quantile_0.9, hypotheses_0.9, or one of these with another number"
            )
        if isinstance(easy_weight, str) and easy_weight not in EASY_WEIGHTS:
            raise ValueError(f"easy_weight {easy_weight}: expected a number, liu2022 or share")
        if not isinstance(easy_weight, str) and not 0 <= easy_weight <= 1:
            raise ValueError(f"easy_weight {easy_weight}: expected a number from 0 to 1")
        check_choice("zero_segments", zero_segments, ("drop", "keep"))
        self.threshold = threshold
        self.easy_weight = easy_weight
        self.zero_segments = zero_segments

    def fit(
        self, difficulty: np.ndarray, systems: list[str], name: str = "chunk entropy"
    ) -> Parameters:
        """Estimate the threshold h and the easy weight w.

        Parameters
        ----------
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        systems : list of str
            Names of the systems.
        name : str
            Name of the difficulty in notices.

        Returns
        -------
        dict
            `h` and `w`, NaN if undefined or w not in [0, 1]; what the chosen rule (`estimate`) and
            Eq. 9 and 11 (`equations`) give; sizes; notices.
        """
        means = difficulty.mean(axis=0)  # Eq. 8
        usable_means = usable(means, self.zero_segments)
        h_is_given = not isinstance(self.threshold, str)
        rule = "mean_plus_2sd" if h_is_given else str(self.threshold)
        estimate = _estimate(usable_means, rule, difficulty)
        h = float(self.threshold) if h_is_given else estimate["h"]
        groups = balance(usable_means, h)
        difficult = (difficulty >= h).sum(axis=1)
        if self.easy_weight == "share":
            w = 1 - float(difficult.mean()) / means.size
        elif self.easy_weight == "liu2022":
            w = groups["w"]
        else:
            w = float(self.easy_weight)
        counts = dict(zip(systems, difficult.tolist(), strict=True))
        groups_of_eq_11 = groups if self.easy_weight == "liu2022" else None
        notices = list(_notices(name, h, means, counts, groups_of_eq_11))
        if self.easy_weight == "share" and (difficulty == difficulty[:1]).all():
            notices.append(
                f"{name} is the same for all systems and w is the share of easy hypotheses: scores "
                "of metrics that are means over segments are the unweighted ones."
            )
        return {
            "systems": len(systems),
            "segments": means.size,
            "rule": f"{RULES.get(rule, rule)}, zero segments {self.zero_segments}",
            "h": h,
            "w": w if 0 <= w <= 1 else np.nan,
            "h_from": "given" if h_is_given else RULES.get(rule, rule),
            "w_from": EASY_WEIGHTS.get(str(self.easy_weight), "given"),
            "estimate": estimate,
            "equations": _estimate(usable_means, "mean_plus_2sd", difficulty),
            "groups": groups,
            "difficult_hypotheses": counts,
            "notices": notices,
        }

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        """Split the hypotheses into an easy and a difficult group.

        Parameters
        ----------
        standard : WeightedMetric
            The unweighted metric.
        difficulty : ndarray of shape (systems, segments)
            Difficulties of hypotheses; higher is harder.
        parameters : dict
            From `fit`.

        Returns
        -------
        WeightedMetric

        Raises
        ------
        Missing
            h or w is undefined.
        """
        h, w = parameters["h"], parameters["w"]
        if h is None or w is None or np.isnan(h) or np.isnan(w):
            raise Missing(" ".join(parameters["notices"]))
        return standard.in_groups(difficulty >= h, w)

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        if self.easy_weight == "share":
            return super().resampled_sums(resamples)
        difficulty, terms, counts, totals, _ = resamples
        h, w = self._resampled_parameters(difficulty, counts)
        hard = np.empty(totals.shape)
        for system, (of_hypotheses, of_system) in enumerate(zip(difficulty, terms, strict=True)):
            # Hypotheses that are difficult in at least one resample.
            is_near = of_hypotheses >= np.fmin.reduce(h)
            hard_counts = counts[:, is_near] * (of_hypotheses[is_near] >= h[:, None])
            hard[:, system] = hard_counts @ of_system[is_near]
        return np.stack([totals - hard, hard], axis=2), np.stack([w, 1 - w], axis=1)

    def _resampled_parameters(
        self, difficulty: np.ndarray, counts: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Fit h and w, (resamples,), to every resample; w is NaN where either is undefined."""
        rule = RULE.match(str(self.threshold))
        fits_w = self.easy_weight == "liu2022"
        h = np.full(len(counts), np.nan if rule else self.threshold, dtype=float)
        w = np.full(len(counts), np.nan if fits_w else self.easy_weight, dtype=float)
        if rule and rule["hypotheses"]:
            h = _resampled_quantile(difficulty, counts, float(rule["hypotheses"]))
        means = difficulty.mean(axis=0)
        for row in np.flatnonzero(np.isnan(h) | fits_w):
            values = usable(np.repeat(means, counts[row].astype(int)), self.zero_segments)
            if np.isnan(h[row]):
                h[row] = threshold(values, str(self.threshold), difficulty)
            if fits_w:
                w[row] = balance(values, h[row])["w"]
        w[~((w >= 0) & (w <= 1)) | np.isnan(h)] = np.nan
        return h, w

    def signature(self, parameters: Parameters) -> str:
        return f"|EE|h:{parameters['h']:.4g}|w:{parameters['w']:.4g}"


def _resampled_quantile(difficulty: np.ndarray, counts: np.ndarray, share: float) -> np.ndarray:
    """Return a quantile of the difficulties of all hypotheses in every resample, (resamples,)."""
    h = np.empty(len(counts))
    # Count down from the most difficult hypothesis.
    order = np.argsort(-difficulty, axis=None)
    segments = order % difficulty.shape[1]
    descending = difficulty.ravel()[order]
    for row, drawn in enumerate(counts.astype(np.int32)):
        cumulative = np.cumsum(drawn[segments])
        last = cumulative[-1] - 1
        above = last - np.floor(last * share)
        h[row] = descending[np.searchsorted(cumulative, above, side="right")]
    return h


def usable(means: np.ndarray, zero_segments: str) -> np.ndarray:
    """Select the mean difficulties of segments from which a threshold is estimated, (segments,) to
    (m,): finite values, without zeros if `zero_segments` is "drop"."""
    finite = means[np.isfinite(means)]
    return finite[finite != 0] if zero_segments == "drop" else finite


def _estimate(means: np.ndarray, rule: str, difficulty: np.ndarray) -> dict[str, float]:
    """Return μ and σ of usable mean difficulties, h by a rule, and what `balance` gives."""
    mu = sigma = np.nan
    if means.size:
        mu = float(means.mean())
        sigma = deviation(means)
    h = threshold(means, rule, difficulty)
    return {"mu": mu, "sigma": sigma, "h": h, **balance(means, h)}


def threshold(means: np.ndarray, rule: str, difficulty: np.ndarray) -> float:
    """Compute the threshold h by a named rule.

    Parameters
    ----------
    means : ndarray of shape (m,)
        Usable mean difficulties of segments (`usable`).
    rule : str
        `mean_plus_2sd` is Eq. 9, h = μ + 2σ with the population's σ; `rank_0.05` is Eq. 5, the
        least mean that is exceeded by a share below 0.05 of the other means; see `EE`.
    difficulty : ndarray of shape (systems, segments)
        Difficulties of hypotheses.

    Returns
    -------
    float
        NaN if undefined.

    Examples
    --------
    >>> difficulty = np.array([[0.1, 0.2, 0.9], [0.1, 0.6, 0.5]])
    >>> round(float(threshold(difficulty.mean(axis=0), "mean_plus_2sd", difficulty)), 3)
    0.89
    """
    numbers = RULE.match(rule)
    assert numbers
    if numbers["hypotheses"]:
        return float(np.quantile(difficulty, float(numbers["hypotheses"]), method="lower"))
    if means.size < (2 if numbers["rank"] else 1):
        return np.nan
    if numbers["sd"]:
        return float(means.mean()) + float(numbers["sd"]) * deviation(means)
    if numbers["q"]:
        return float(np.quantile(means, float(numbers["q"])))
    ordered = np.sort(means)
    exceeding = ordered.size - np.searchsorted(ordered, ordered, side="right")
    return float(ordered[exceeding / (ordered.size - 1) < float(numbers["rank"])][0])


def balance(means: np.ndarray, h: float) -> dict[str, float]:
    """Compute w = R_N / (9.62 R_H + R_N − 22.23), Eq. 11, from a threshold h and usable mean
    entropies of segments. Returns `difficult`, the number of segments of at least h, `ratio_count`
    R_N, `ratio_entropy` R_H and `w`: NaN if a group is empty, infinite if the denominator is 0, and
    not always in [0, 1]."""
    is_hard = means >= h
    r_n = r_h = w = np.nan
    if 0 < is_hard.sum() < means.size:
        with np.errstate(divide="ignore", invalid="ignore"):
            r_n = (~is_hard).sum() / is_hard.sum()
            r_h = means[~is_hard].sum() / means[is_hard].sum()
            w = float(r_n / (9.62 * r_h + r_n - 22.23))
    return {
        "difficult": int(is_hard.sum()),
        "ratio_count": float(r_n),
        "ratio_entropy": float(r_h),
        "w": w,
    }


def _notices(
    name: str, h: float, means: np.ndarray, difficult: dict[str, int], groups: dict | None
) -> Iterator[str]:
    """Yield warnings if h or w is undefined or a system has no easy or no difficult hypothesis."""
    if infinite := np.count_nonzero(~np.isfinite(means)):
        yield (
            f"{infinite} segments have infinite mean {name}; they take no part in μ, σ and Eq. 11."
        )
    if np.isnan(h):
        yield (
            f"h is undefined: too few segments have a mean {name} that counts, finite and not 0; "
            "no scores unless h and w are given."
        )
        return
    if groups and np.isnan(groups["w"]):
        which = "difficult" if groups["difficult"] == 0 else "easy"
        yield f"no segment is {which} at h = {h:.3f}: Eq. 11 is undefined."
    elif groups and not 0 <= groups["w"] <= 1:
        r_n, r_h = groups["ratio_count"], groups["ratio_entropy"]
        yield (
            f"Eq. 11 gives w = {groups['w']:.3f}, outside [0, 1] (R_N = {r_n:.2f}, "
            f"R_H = {r_h:.2f}, denominator {9.62 * r_h + r_n - 22.23:.2f}; its pole is "
            "at 0): no scores unless w is given."
        )
    for side, none in (("difficult", 0), ("easy", means.size)):
        if empty := [system for system, count in difficult.items() if count == none]:
            yield f"no {side} hypothesis at h = {h:.3f}: {', '.join(empty)}; no score."
