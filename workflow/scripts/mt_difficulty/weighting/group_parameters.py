"""Everything that is known of an evaluation set's difficulty, for `difficulty.json`."""

from collections.abc import Iterator

import numpy as np

from . import group_weighting


def describe(
    entropy: np.ndarray,
    systems: list[str],
    threshold: str = "Eq. 9",
    zero_segments: str = "drop",
    h: float | None = None,
    w: float | None = None,
) -> dict:
    """Estimates of h and w under every convention, the ones in force, and what they imply.

    Parameters
    ----------
    entropy : ndarray, (systems, segments)
    systems : list of str
    threshold : {"Eq. 9", "Eq. 5"}
        The rule for the estimate in force.
    zero_segments : {"drop", "keep"}
        Whether segments of mean entropy 0 take part in it.
    h, w : float, optional
        Given instead of estimated.

    Returns
    -------
    dict
        `h`, `w` are in force (NaN: w is undefined or outside [0, 1], so EE is); `estimate` is
        what the rule gives, `conventions` what every rule does; `notices` are sentences.
    """
    means = group_weighting.mean_entropy(entropy)
    conventions = {
        f"{rule}, zero segments {zeros}": _estimate(means, rule, zeros)
        for rule in ("Eq. 9", "Eq. 5")
        for zeros in ("drop", "keep")
    }
    estimate = conventions[f"{threshold}, zero segments {zero_segments}"]
    h_used = estimate["h"] if h is None else h
    counted = group_weighting.usable(means, zero_segments)
    groups = group_weighting.balance(counted, h_used)._asdict()
    w_used = groups["w"] if w is None else w
    difficult = (entropy >= h_used).sum(axis=1)
    notices = list(_notices(means, groups, h_used, w_used, w is not None, systems, difficult))
    return {
        "systems": len(systems),
        "segments": means.size,
        "rule": f"{threshold}, zero segments {zero_segments}",
        "h": h_used,
        "w": w_used if 0 <= w_used <= 1 else np.nan,
        "h_from": "given" if h is not None else threshold,
        "w_from": "given" if w is not None else "Eq. 11",
        "estimate": estimate,
        "conventions": conventions,
        "groups": groups,
        "difficult_hypotheses": dict(zip(systems, difficult.tolist(), strict=True)),
        "notices": notices,
    }


def _estimate(means: np.ndarray, rule: str, zeros: str) -> dict[str, float]:
    values = group_weighting.usable(means, zeros)
    threshold = group_weighting.threshold_by_deviation(values)
    h = threshold.h if rule == "Eq. 9" else group_weighting.threshold_by_rank(values)
    return {
        "mu": threshold.mu,
        "sigma": threshold.sigma,
        "h": h,
        **group_weighting.balance(values, h)._asdict(),
    }


def _notices(
    means: np.ndarray,
    groups: dict,
    h: float,
    w: float,
    w_given: bool,
    systems: list[str],
    difficult: np.ndarray,
) -> Iterator[str]:
    if not np.isfinite(means).all():
        yield (
            f"{np.count_nonzero(~np.isfinite(means))} segments have infinite mean entropy "
            "(a hypothesis without links); they take no part in μ, σ and Eq. 11."
        )
    if np.isnan(h):
        yield (
            "h is undefined: too few segments have a mean entropy that counts, finite and above 0 "
            "(a hypothesis in one piece has 0); no EE scores unless h and w are given."
        )
        return
    if w_given:
        pass
    elif np.isnan(groups["w"]):
        which = "difficult" if groups["difficult"] == 0 else "easy"
        yield f"no segment is {which} at h = {h:.3f}: Eq. 11 is undefined."
    elif not 0 <= w <= 1:
        slope = 9.62 * groups["ratio_entropy"] + groups["ratio_count"] - 22.23
        yield (
            f"Eq. 11 gives w = {w:.3f}, outside [0, 1] (R_N = {groups['ratio_count']:.2f}, "
            f"R_H = {groups['ratio_entropy']:.2f}, denominator {slope:.2f}; its pole is at 0): "
            "no EE scores unless w is given."
        )
    for side, counts in (("difficult", difficult), ("easy", means.size - difficult)):
        empty = [system for system, count in zip(systems, counts, strict=True) if count == 0]
        if empty:
            yield f"no {side} hypothesis at h = {h:.3f}: {', '.join(empty)}; no EE score."
