"""Two groups of hypotheses, easy and difficult, each with its weight: EE (Liu et al. 2022)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from ..difficulty.base import deviation
from ..errors import Missing
from .base import WeightedMetric, Weighting

# Rules for a threshold, with what the paper calls them.
RULES = {"mean_plus_2sd": "Eq. 9", "rank_0.05": "Eq. 5"}
RULE = re.compile(
    r"(mean_plus_(?P<sd>\d+\.?\d*)sd|rank_(?P<rank>0?\.\d+)|quantile_(?P<q>0?\.\d+)"
    r"|hypotheses_0?\.\d+)\Z"
)
OF_HYPOTHESES = "hypotheses_"
EASY_WEIGHTS = {"liu2022": "Eq. 11", "share": "share"}


class Threshold(NamedTuple):
    """Mean μ and standard deviation σ of the segments' mean difficulties, and the threshold h."""

    mu: float
    sigma: float
    h: float


class Balance(NamedTuple):
    """Eq. 11 and what enters it; NaN where undefined."""

    difficult: int
    ratio_count: float
    ratio_entropy: float
    w: float


class Groups(Weighting):
    """w · score of the easy hypotheses + (1 − w) · score of the difficult ones, those of at least
    the threshold h (EE, Liu et al. 2022).

    Eq. 4, 6 and 7.

    Parameters
    ----------
    threshold : float or str
        h itself, or a rule over the segments' mean difficulties: `mean_plus_2sd` (Eq. 9; any other
        number of deviations), `rank_0.05` (Eq. 5; any other share), `quantile_0.9`; or the quantile
        of all hypotheses' difficulties, `hypotheses_0.9`.
    easy_weight : float or str
        w itself, from 0 to 1; `liu2022`, Eq. 11, which was fitted to chunk entropies; or `share`,
        the share of easy hypotheses.
    zero_segments : {"drop", "keep"}
        Whether segments of mean difficulty 0 take part in the estimates, which they do not in the
        authors' program.
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
        if zero_segments not in ("drop", "keep"):
            raise ValueError(f"zero_segments {zero_segments}: expected drop or keep")
        self.threshold, self.easy_weight = threshold, easy_weight
        self.zero_segments = zero_segments

    def fit(
        self, difficulty: np.ndarray, systems: list[str], name: str = "chunk entropy"
    ) -> dict[str, Any]:
        """Estimates of h and w under every convention, the ones in force, and what they imply.

        Returns
        -------
        dict
            `h`, `w` are in force (NaN: w is undefined or outside [0, 1], and there are no scores);
            `estimate` is what the rule gives, `equations` what Eq. 9 and 11 do, `conventions` what
            they and Eq. 5 do with and without zero segments; `notices` are sentences.
        """
        means = mean_difficulty(difficulty)
        conventions = {
            f"{RULES[rule]}, zero segments {zeros}": _estimate(means, rule, zeros, difficulty)
            for rule in RULES
            for zeros in ("drop", "keep")
        }
        given = not isinstance(self.threshold, str)
        rule = "mean_plus_2sd" if given else str(self.threshold)
        estimate = _estimate(means, rule, self.zero_segments, difficulty)
        h = float(self.threshold) if given else estimate["h"]
        difficult = (difficulty >= h).sum(axis=1)
        groups = balance(usable(means, self.zero_segments), h)
        if self.easy_weight == "liu2022":
            w = groups.w
        elif self.easy_weight == "share":
            w = 1 - float(difficult.mean()) / means.size
        else:
            w = float(self.easy_weight)
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
            "h_from": "given" if given else RULES.get(rule, rule),
            "w_from": EASY_WEIGHTS.get(str(self.easy_weight), "given"),
            "estimate": estimate,
            "equations": conventions[f"Eq. 9, zero segments {self.zero_segments}"],
            "conventions": conventions,
            "groups": groups._asdict(),
            "difficult_hypotheses": counts,
            "notices": notices,
        }

    def apply(
        self, standard: WeightedMetric, difficulty: np.ndarray, parameters: dict[str, Any]
    ) -> WeightedMetric:
        h, w = parameters["h"], parameters["w"]
        if h is None or w is None or np.isnan(h) or np.isnan(w):
            raise Missing(" ".join(parameters["notices"]))
        return standard.in_groups(difficulty >= h, w)

    def summary(self, parameters: dict[str, Any]) -> str:
        h, w = (
            "undefined" if np.isnan(parameters[key]) else f"{parameters[key]:.3f}" for key in "hw"
        )
        return f"h = {h} ({parameters['h_from']}), w = {w} ({parameters['w_from']})"

    def signature(self, parameters: dict[str, Any]) -> str:
        return f"|EE|h:{parameters['h']:.4g}|w:{parameters['w']:.4g}"


def mean_difficulty(difficulty: np.ndarray) -> np.ndarray:
    """Eq. 8: mean over systems, (systems, segments) to (segments,)."""
    return difficulty.mean(axis=0)


def usable(means: np.ndarray, zero_segments: str) -> np.ndarray:
    """The mean difficulties that estimate a threshold, (segments,) to (m,).

    Infinite ones never count; those equal to zero only for `zero_segments="keep"`. The
    authors' program drops them.
    """
    finite = means[np.isfinite(means)]
    return finite[finite != 0] if zero_segments == "drop" else finite


def threshold_by_deviation(means: np.ndarray, deviations: float = 2.0) -> Threshold:
    """Eq. 9: h = μ + 2σ of the mean entropies, (m,); σ is the population's. NaN if m = 0."""
    if means.size == 0:
        return Threshold(np.nan, np.nan, np.nan)
    mu, sigma = means.mean(), deviation(means)
    return Threshold(mu, sigma, mu + deviations * sigma)


def threshold_by_rank(means: np.ndarray, alpha: float = 0.05) -> float:
    """Eq. 5: the least mean entropy which a share below alpha of the others, (m,), exceeds.

    NaN if no segment qualifies (fewer than two segments).
    """
    if means.size < 2:
        return np.nan
    ordered = np.sort(means)
    exceeding = ordered.size - np.searchsorted(ordered, ordered, side="right")
    return ordered[exceeding / (ordered.size - 1) < alpha][0]


def threshold(means: np.ndarray, rule: str) -> float:
    """The threshold h by a rule's name, see `Groups`; NaN where it is undefined."""
    found = RULE.match(rule)
    assert found
    if found["sd"]:
        return threshold_by_deviation(means, float(found["sd"])).h
    if found["rank"]:
        return threshold_by_rank(means, float(found["rank"]))
    return float(np.quantile(means, float(found["q"]))) if means.size else np.nan


def balance(means: np.ndarray, h: float) -> Balance:
    """Eq. 11: w = R_N / (9.62 R_H + R_N − 22.23) for a threshold h.

    Parameters
    ----------
    means : ndarray, (segments,)
        Usable mean entropies; those of at least h are the difficult segments D_s.

    Returns
    -------
    Balance
        All NaN if a group is empty. w is an estimate by a line through five sets: it can leave
        [0, 1], and is infinite where the denominator is 0.
    """
    hard = means >= h
    difficult = int(hard.sum())
    if difficult in (0, means.size):
        return Balance(difficult, np.nan, np.nan, np.nan)
    ratio_count = (means.size - difficult) / difficult
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio_entropy = means[~hard].sum() / means[hard].sum()
        w = np.float64(ratio_count) / (9.62 * ratio_entropy + ratio_count - 22.23)
    return Balance(difficult, ratio_count, ratio_entropy, float(w))


def _estimate(means: np.ndarray, rule: str, zeros: str, difficulty: np.ndarray) -> dict[str, float]:
    values = usable(means, zeros)
    mu, sigma, _ = threshold_by_deviation(values)
    share = rule.removeprefix(OF_HYPOTHESES)
    if share == rule:
        h = threshold(values, rule)
    else:
        h = float(np.quantile(difficulty, float(share), method="lower"))
    return {"mu": mu, "sigma": sigma, "h": h, **balance(values, h)._asdict()}


def _notices(
    name: str, h: float, means: np.ndarray, difficult: dict[str, int], groups: Balance | None
) -> Iterator[str]:
    """What is odd about a set's groups; `groups` where Eq. 11 is in force."""
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
    if groups and np.isnan(groups.w):
        which = "difficult" if groups.difficult == 0 else "easy"
        yield f"no segment is {which} at h = {h:.3f}: Eq. 11 is undefined."
    elif groups and not 0 <= groups.w <= 1:
        slope = 9.62 * groups.ratio_entropy + groups.ratio_count - 22.23
        yield (
            f"Eq. 11 gives w = {groups.w:.3f}, outside [0, 1] (R_N = {groups.ratio_count:.2f}, "
            f"R_H = {groups.ratio_entropy:.2f}, denominator {slope:.2f}; its pole is at 0): no "
            "scores unless w is given."
        )
    for side, none in (("difficult", 0), ("easy", means.size)):
        if empty := [system for system, count in difficult.items() if count == none]:
            yield f"no {side} hypothesis at h = {h:.3f}: {', '.join(empty)}; no score."
