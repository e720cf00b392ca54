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
        self.threshold, self.easy_weight, self.zero_segments = threshold, easy_weight, zero_segments

    def fit(
        self, difficulty: np.ndarray, systems: list[str], name: str = "chunk entropy"
    ) -> Parameters:
        """Return parameters: threshold `h` and easy weight `w`, NaN if undefined or not in [0, 1];
        what the chosen rule (`estimate`) and Eq. 9 and 11 (`equations`) give; sizes; notices."""
        means = difficulty.mean(axis=0)  # Eq. 8
        values = usable(means, self.zero_segments)

        def estimated(rule: str) -> dict[str, float]:
            mu, sigma = (values.mean(), deviation(values)) if values.size else (np.nan, np.nan)
            h = threshold(values, rule, difficulty)
            return {"mu": mu, "sigma": sigma, "h": h, **balance(values, h)}

        h_given = not isinstance(self.threshold, str)
        rule = "mean_plus_2sd" if h_given else str(self.threshold)
        estimate = estimated(rule)
        h = float(self.threshold) if h_given else estimate["h"]
        difficult = (difficulty >= h).sum(axis=1)
        groups = balance(values, h)
        if self.easy_weight == "share":
            w = 1 - float(difficult.mean()) / means.size
        else:
            w = groups["w"] if self.easy_weight == "liu2022" else float(self.easy_weight)
        counts = dict(zip(systems, difficult.tolist(), strict=True))
        of_eq_11 = groups if self.easy_weight == "liu2022" else None
        notices = list(_notices(name, h, means, counts, of_eq_11))
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
            "h_from": "given" if h_given else RULES.get(rule, rule),
            "w_from": EASY_WEIGHTS.get(str(self.easy_weight), "given"),
            "estimate": estimate,
            "equations": estimated("mean_plus_2sd"),
            "groups": groups,
            "difficult_hypotheses": counts,
            "notices": notices,
        }

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: Parameters
    ) -> WeightedMetric:
        h, w = parameters["h"], parameters["w"]
        if h is None or w is None or np.isnan(h) or np.isnan(w):
            raise Missing(" ".join(parameters["notices"]))
        return standard.in_groups(difficulty >= h, w)

    def resampled_sums(self, resamples: Resamples) -> tuple[np.ndarray, np.ndarray]:
        if self.easy_weight == "share":
            return super().resampled_sums(resamples)
        difficulty, terms, counts, totals, _ = resamples
        rule, fit_w = RULE.match(str(self.threshold)), self.easy_weight == "liu2022"
        h = np.full(len(counts), np.nan if rule else self.threshold, dtype=float)
        w = np.full(len(counts), np.nan if fit_w else self.easy_weight, dtype=float)
        if rule and (share := rule["hypotheses"]):
            # Count down from the most difficult hypothesis.
            order = np.argsort(-difficulty, axis=None)
            segments, highest = order % difficulty.shape[1], difficulty.ravel()[order]
            for row, drawn in enumerate(counts.astype(np.int32)):
                drawn = np.cumsum(drawn[segments])
                above = drawn[-1] - 1 - np.floor((drawn[-1] - 1) * float(share))
                h[row] = highest[np.searchsorted(drawn, above, side="right")]
        means = difficulty.mean(axis=0)
        for place in np.flatnonzero(np.isnan(h) | fit_w):
            values = usable(np.repeat(means, counts[place].astype(int)), self.zero_segments)
            if np.isnan(h[place]):
                h[place] = threshold(values, str(self.threshold), difficulty)
            if fit_w:
                w[place] = balance(values, h[place])["w"]
        w[~((w >= 0) & (w <= 1)) | np.isnan(h)] = np.nan
        hard = np.empty(totals.shape)
        for system, (of_hypotheses, of_system) in enumerate(zip(difficulty, terms, strict=True)):
            near = of_hypotheses >= np.fmin.reduce(h)
            drawn = counts[:, near] * (of_hypotheses[near] >= h[:, None])
            hard[:, system] = drawn @ of_system[near]
        return np.stack([totals - hard, hard], axis=2), np.stack([w, 1 - w], axis=1)

    def signature(self, parameters: Parameters) -> str:
        return f"|EE|h:{parameters['h']:.4g}|w:{parameters['w']:.4g}"


def usable(means: np.ndarray, zero_segments: str) -> np.ndarray:
    """Select the mean difficulties of segments from which a threshold is estimated, (segments,) to
    (m,): finite values, without zeros if `zero_segments` is "drop"."""
    finite = means[np.isfinite(means)]
    return finite[finite != 0] if zero_segments == "drop" else finite


def threshold(means: np.ndarray, rule: str, difficulty: np.ndarray) -> float:
    """Compute the threshold h by a named rule from mean difficulties of segments, (m,), as `usable`
    returns, and difficulties of hypotheses, (systems, segments); NaN if undefined. `mean_plus_2sd`
    is Eq. 9, h = μ + 2σ with the population's σ; `rank_0.05` is Eq. 5, the least mean that is
    exceeded by a share below 0.05 of the other means."""
    of = RULE.match(rule)
    assert of
    if of["hypotheses"]:
        return float(np.quantile(difficulty, float(of["hypotheses"]), method="lower"))
    if means.size < (2 if of["rank"] else 1):
        return np.nan
    if of["sd"]:
        return means.mean() + float(of["sd"]) * deviation(means)
    if of["q"]:
        return float(np.quantile(means, float(of["q"])))
    ordered = np.sort(means)
    exceeding = ordered.size - np.searchsorted(ordered, ordered, side="right")
    return ordered[exceeding / (ordered.size - 1) < float(of["rank"])][0]


def balance(means: np.ndarray, h: float) -> dict[str, float]:
    """Compute w = R_N / (9.62 R_H + R_N − 22.23), Eq. 11, from a threshold h and usable mean
    entropies of segments. Returns `difficult`, the number of segments of at least h, `ratio_count`
    R_N, `ratio_entropy` R_H and `w`: NaN if a group is empty, infinite if the denominator is 0, and
    not always in [0, 1]."""
    hard = means >= h
    r_n = r_h = w = np.nan
    if 0 < hard.sum() < means.size:
        with np.errstate(divide="ignore", invalid="ignore"):
            r_n, r_h = (~hard).sum() / hard.sum(), means[~hard].sum() / means[hard].sum()
            w = float(r_n / (9.62 * r_h + r_n - 22.23))
    return {"difficult": int(hard.sum()), "ratio_count": r_n, "ratio_entropy": r_h, "w": w}


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
