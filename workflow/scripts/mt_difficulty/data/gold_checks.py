"""Warn about suspicious human scores: two scales, lost signs, wrong decimal points, the reversed
direction, and systems that were rated on different segments.

A warning is a sentence that names the scores, the problem and a remedy. With these thresholds, the
human scores of WMT19 to WMT25 raise no warning without a cause in the scores.
"""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

# A score above this value is not on a scale from 0 to 1.
HUNDRED = 10.0
# Scores run in the wrong direction if their correlation with a metric is at most REVERSED, and
# differs from 0 by more than ONE_SIDED standard errors (one-sided p < 0.01). The standard error
# needs LEAST_CORRELATED systems.
REVERSED = -0.5
ONE_SIDED = 2.33
LEAST_CORRELATED = 4
# A slip in one score can be detected from this number of scores on. The score's distance from the
# others must exceed this share of the largest absolute value of these.
LEAST_SCORES = 4
FAR_FROM_SCALE = 0.5
# Signs of several systems are lost only if these are at most this share of the systems, and if no
# absolute score is below this share of the median absolute score, as with z-scores of both signs.
FEW_SYSTEMS = 1 / 3
NEAR_ZERO = 0.2
LOST_SIGN = "a lost sign"
# Signs of segment scores: number of scores that are needed, share of a system's scores with the
# unusual sign from which on its sign is a lost one, and share of single scores with the unusual
# sign up to which these can be mistakes.
LEAST_SIGNED = 20
SIGN_LOST = 0.5
FEW_SIGNED = 0.02
# Systems are rated on the same segments if this share of the rated segments is rated for all. A
# difference in r below APART is not reported.
RATED_FOR_ALL = 0.9
APART = 0.05
# Range or standard deviation below which differences are rounding errors.
TINY = 1e-9


def find_doubts(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> list[str]:
    """Return warnings about human scores of systems: two scales, a lost sign, a wrong decimal
    point, or the reversed direction.

    Parameters
    ----------
    systems : sequence of str
    gold : ndarray
        (systems,), higher is better; NaN is missing.
    name : str
        What messages call the human scores.
    quality : mapping of str to ndarray
        Scores by metric, (systems,), higher is better.

    Returns
    -------
    list of str
        A sentence each.
    """
    wrong_values = (
        _two_scales(systems, gold, name)
        or _slip(systems, gold, name, quality)
        or _lost_signs(systems, gold, name, quality)
    )
    wrong_direction = _reversed(gold, name, quality)
    return [warning for warning in (wrong_values, wrong_direction) if warning]


def _two_scales(systems: Sequence[str], gold: np.ndarray, name: str) -> str:
    """Return a warning if some systems have scores up to 100, and others scores up to 1 or 0; not
    if one system alone has another scale by a slip."""
    is_on_scale = {
        "0 or less": gold < 0,
        "0 to 1": (gold >= 0) & (gold <= 1),
        "up to 100": (gold > HUNDRED) & (gold <= 100),
    }
    used = {scale: members for scale, members in is_on_scale.items() if members.any()}
    if "up to 100" not in used or len(used) < 2:
        return ""
    has_single_system = any(members.sum() == 1 for members in used.values())
    if has_single_system and _slip(systems, gold, name, {}):
        return ""
    descriptions = []
    for scale, members in used.items():
        names = ", ".join(np.array(systems)[members])
        low = gold[members].min()
        high = gold[members].max()
        descriptions.append(f"{names} ({scale}: {low:g} to {high:g})")
    return (
        f"{name}: human scores on two scales: {'; '.join(descriptions)}. Bring them to one scale, "
        "or leave out the systems of the other."
    )


def _slip(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> str:
    """Return a warning if the score of one system is far from the others', and would be like them
    with the other sign, or divided or multiplied by 10 or 100; not if metrics then agree less with
    the scores."""
    known = np.flatnonzero(np.isfinite(gold))
    if len(known) < LEAST_SCORES:
        return ""
    for system in known.tolist():
        others = gold[known[known != system]]
        low = float(others.min())
        high = float(others.max())
        score = float(gold[system])
        for kind, corrected in _corrections(score, low, high):
            mended = gold.copy()
            mended[system] = corrected
            if _agree_less(mended, gold, quality.values()):
                continue
            return (
                f"{name}: the human score of {systems[system]} is {score:g}, those of the "
                f"other systems are {low:g} to {high:g}. Is {corrected:g} meant ({kind})? "
                "Correct it, or leave the system out."
            )
    return ""


def _corrections(score: float, low: float, high: float) -> list[tuple[str, float]]:
    """Return what a score may be a slip of, as kind of slip and corrected score. The score must be
    far from the range of the others, low to high, and the corrected score near it."""
    width = max(high - low, TINY)
    distance = max(low - score, score - high)
    if score == 0 or distance <= max(width, FAR_FROM_SCALE * max(abs(low), abs(high))):
        return []
    candidates = [(LOST_SIGN, -score)]
    if low * high > 0:
        candidates += [("a wrong decimal point", score * by) for by in (0.1, 10, 0.01, 100)]
    return [
        (kind, corrected)
        for kind, corrected in candidates
        if low - width <= corrected <= high + width
    ]


def _lost_signs(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> str:
    """Return a warning if the scores of a few systems have another sign than the others', and would
    be like them without it; not if metrics then agree less with the scores."""
    is_known = np.isfinite(gold)
    known = gold[is_known]
    if not len(known) or np.abs(known).min() <= NEAR_ZERO * np.median(np.abs(known)):
        return ""
    has_odd_sign = is_known & (np.sign(gold) != np.sign(np.median(known)))
    if not 2 <= has_odd_sign.sum() <= FEW_SYSTEMS * len(known):
        return ""
    others = gold[is_known & ~has_odd_sign]
    low = float(others.min())
    high = float(others.max())
    width = max(high - low, TINY)
    mended = np.where(has_odd_sign, -gold, gold)
    corrected = mended[has_odd_sign]
    is_like_others = (corrected >= low - width).all() and (corrected <= high + width).all()
    if not is_like_others or _agree_less(mended, gold, quality.values()):
        return ""
    odd_systems = np.flatnonzero(has_odd_sign).tolist()
    named = ", ".join(f"{systems[system]} ({gold[system]:g})" for system in odd_systems)
    return (
        f"{name}: the human scores of {named} have another sign than those of the other systems, "
        f"{low:g} to {high:g}: {LOST_SIGN}? Correct them, or leave the systems out."
    )


def _agree_less(mended: np.ndarray, gold: np.ndarray, quality: Iterable[np.ndarray]) -> bool:
    """Return whether a metric correlates less with the mended human scores than with the given."""
    return any(_correlation(mended, scores) < _correlation(gold, scores) for scores in quality)


def _correlation(gold: np.ndarray, scores: np.ndarray) -> float:
    """Return Pearson's r over the systems that have both scores; 0 if either is constant."""
    both = np.isfinite(gold) & np.isfinite(scores)
    if both.sum() < 2 or not gold[both].std() or not scores[both].std():
        return 0.0
    return float(np.corrcoef(gold[both], scores[both])[0, 1])


def _reversed(gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]) -> str:
    """Return a warning if all metrics correlate negatively with the scores."""
    correlations = []
    for metric, scores in quality.items():
        count = int((np.isfinite(gold) & np.isfinite(scores)).sum())
        if count < LEAST_CORRELATED:
            return ""
        r = _correlation(gold, scores)
        is_reversed = r <= REVERSED and _fisher_z(r, count) < -ONE_SIDED
        if not is_reversed:
            return ""
        correlations.append(f"r = {r:.2f} with {metric} over {count} systems")
    if not correlations:
        return ""
    return (
        f"{name}: the human scores seem to run the other way, lower being better: "
        f"{', '.join(correlations[:3])}. If so, negate them."
    )


def _fisher_z(r: float, count: int) -> float:
    """Return a negative correlation in standard errors, by Fisher's transformation."""
    return np.arctanh(max(r, -1 + 1e-9)) * np.sqrt(count - 3)


def segment_sign_doubts(systems: Sequence[str], scores: np.ndarray, name: str) -> list[str]:
    """Return warnings about human scores of segments whose sign differs from that of nearly all
    others, or that lie above 100 where nearly all others are from 0 to 100.

    Parameters
    ----------
    systems : sequence of str
    scores : ndarray
        (systems, segments), NaN for unrated hypotheses.
    name : str
        What messages call the human scores.

    Returns
    -------
    list of str
        A sentence each.
    """
    rated = scores[np.isfinite(scores)]
    signed = rated[rated != 0]
    if len(signed) < LEAST_SIGNED:
        return []
    usual = np.sign(np.median(signed))
    if usual == 0:  # half of the scores have each sign
        return []
    has_odd_sign = np.isfinite(scores) & (np.sign(scores) == -usual)
    odd_systems = _systems_of_odd_sign(scores, has_odd_sign)
    others = np.delete(scores, odd_systems, axis=0)
    is_rated = np.isfinite(others)
    odd_share = 1.0
    if others.size:
        odd_share = np.delete(has_odd_sign, odd_systems, axis=0)[is_rated].mean()
    if odd_share > FEW_SIGNED:  # both signs are usual, as of z-scores
        return []

    sign, usual_sign = ("positive", "negative") if usual < 0 else ("negative", "positive")
    warnings = []
    if odd_systems:
        named = ", ".join(systems[system] for system in odd_systems)
        warnings.append(
            f"{name}: the human scores of {named} are {sign}, nearly all others {usual_sign}: a "
            "lost sign? Correct them, or leave the system out."
        )
    if usual > 0 and _is_hundred_scale(rated):
        too_high = np.argwhere(np.isfinite(scores) & (scores > 100))
        if len(too_high):
            warnings.append(_listed_scores(systems, scores, too_high, name, "above 100"))
    has_odd_sign[odd_systems] = False
    single = np.argwhere(has_odd_sign)
    if len(single):
        description = f"{sign}, others {usual_sign}"
        warnings.append(_listed_scores(systems, scores, single, name, description))
    return warnings


def _systems_of_odd_sign(scores: np.ndarray, has_odd_sign: np.ndarray) -> list[int]:
    """Return the indices of the systems most of whose scores, but for 0, have the unusual sign."""
    systems = []
    for system, row in enumerate(scores):
        is_signed = np.isfinite(row) & (row != 0)
        if is_signed.any() and has_odd_sign[system, is_signed].mean() > SIGN_LOST:
            systems.append(system)
    return systems


def _is_hundred_scale(rated: np.ndarray) -> bool:
    """Return whether nearly all scores are at most 100, and a tenth of them above HUNDRED."""
    few_above = (rated <= 100).mean() >= 1 - FEW_SIGNED
    return bool(few_above and np.quantile(rated, 0.9) > HUNDRED)


def _listed_scores(
    systems: Sequence[str], scores: np.ndarray, cells: np.ndarray, name: str, description: str
) -> str:
    """Return a warning about the scores in some cells, (cells, 2), indices of system and
    segment."""
    system, segment = cells[0]
    number = f"{len(cells):,} human scores of segments are"
    if len(cells) == 1:
        number = "one human score of a segment is"
    return (
        f"{name}: {number} {description}, as {scores[system, segment]:g} of {systems[system]} in "
        f"segment {segment + 1:,}. Correct them."
    )


def rated_apart(
    quality: np.ndarray, gold: np.ndarray, segment_gold: np.ndarray, metric: str
) -> str:
    """Return a warning if systems were rated on different segments and this changes a metric's
    correlation.

    Parameters
    ----------
    quality : ndarray
        (systems, segments), scores of a metric; higher is better.
    gold : ndarray
        (systems,), human scores of systems; higher is better.
    segment_gold : ndarray
        (systems, segments), human scores of segments, NaN for unrated ones.
    metric : str
        What the message calls the metric.

    Returns
    -------
    str
        A clause without a full stop; empty if there is nothing to warn of.
    """
    is_rated = np.isfinite(segment_gold)
    rated_for_some = is_rated.any(axis=0)
    rated_for_all = is_rated.all(axis=0)
    if len(gold) <= 2 or not is_rated.any(axis=1).all():
        return ""
    if not np.isfinite(quality[:, rated_for_some]).all():
        return ""
    if rated_for_all.sum() >= RATED_FOR_ALL * rated_for_some.sum():
        return ""

    over_all_rated = quality[:, rated_for_some].mean(axis=1)
    over_own_rated = np.array(
        [row[rated].mean() for row, rated in zip(quality, is_rated, strict=True)]
    )
    scores = [gold, over_all_rated, over_own_rated]
    if not all(np.ptp(values) > 0 for values in scores):
        return ""
    r_all, r_own = np.corrcoef(scores)[0, 1:]
    if abs(r_own - r_all) < APART:
        return ""
    return (
        f"the systems are rated on different segments, {rated_for_all.sum():,} of "
        f"{rated_for_some.sum():,} for all systems: {metric} correlates with the human scores at "
        f"r = {r_all:.3f} over all rated segments, and at {r_own:.3f} over those that each system "
        "was rated on"
    )
