"""Warn about suspicious texts (lines that do not fit, damaged, empty, copied, wrong language) and
human scores (two scales, lost signs, reversed direction, wrong order). Warnings are sentences that
name the file or system, the problem and a remedy. With these thresholds, 230 outputs of WMT19 to
WMT25 and the human scores of WMT19 to WMT25 raise no warning without a cause that is there."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from unicodedata import is_normalized
from unicodedata import name as unicode_name

import numpy as np

from ..errors import shortened
from .line_checks import (
    LEAST_LINES,
    LineFit,
    Lines,
    has_spaces,
    line_warnings,
    listed_lines,
    overlap,
    runs_of,
)

# Marks of damage, and the lines that could have them: a doubt if more than half of these do.
LEAST_DAMAGED = 0.01  # share of lines
_BYTE = "[\x80-\xbf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]"  # bytes 0x80 to 0xBF as Windows-1252
_ENCODED = f"[Â-ß]{_BYTE}|[à-ï]{_BYTE}{{2}}|[ð-ô]{_BYTE}{{3}}|\ufffd"
_NO_VALUE = r"(?i)\A\s*(?:nan|none|null|n/a|<na>)\s*\Z"
_ENTITY = r"&(?:[a-zA-Z]{2,8}|#\d+|#x[0-9a-fA-F]+);"
DAMAGES = [
    ("missing values instead of texts", _NO_VALUE, _NO_VALUE, "Put the texts back"),
    ("UTF-8 that was read in another encoding", _ENCODED, r"[^\x00-\x7f]", "Take another copy"),
    ("HTML entities", _ENTITY, r"[&<>\"']", "Replace them by their characters"),
    ("marks of subword units", r"@@(?: |\Z)|▁|</w>|Ġ|￭|(?:^| )##\w", "", "Join the units to words"),
]
# Copies and languages
LEAST_LETTERS = 20  # of a line that is not copied by chance, or whose script is known
COPIED, COPIED_SHARE = 5, 0.1  # lines in a row that are the source's, or share of all lines
EQUAL_REFERENCE = 20  # lines in a row that are the reference's
OTHER_SCRIPT = 5  # lines that are not in the reference's script
RARE_SCRIPT = 0.05  # share of a text's letters below which it is not in a script
# Most frequent words, by which a language is known; their share in a text of that language, and how
# much smaller it is in another one; words of a text whose language can be told.
FREQUENT, LEAST_FREQUENT, LOST, LEAST_WORDS = 50, 0.2, 0.5, 200
# Human scores
HUNDRED = 10.0  # a score above which the scale is no longer 0 to 1
REVERSED, ONE_SIDED = -0.5, 2.33  # correlation with metric scores, standard errors (p < 0.01)
# A slip in one score: scores from which on it can be told, and its distance from the others as a
# share of the largest of these.
LEAST_SCORES, FAR_FROM_SCALE = 4, 0.5
# Lost signs of several systems: the share of the systems that they may be, and the share of the
# median size of scores that no score may be below, as z-scores of both signs are.
FEW_SYSTEMS, NEAR_ZERO = 1 / 3, 0.2
LOST_SIGN = "a lost sign"
# Signs of segment scores: scores needed, the share of a system's that makes its sign a lost one,
# and the share of single scores of the other sign that may be mistakes.
LEAST_SIGNED, SIGN_LOST, FEW_SIGNED = 20, 0.5, 0.02
# Systems are rated on different segments: share of the rated segments that are rated for all, and
# the difference in r from which on it is said.
RATED_FOR_ALL, APART = 0.9, 0.05
# For the 37 segment-level human scores of WMT21 to WMT24, z ≥ 7.1 and z / √segments ≥ 0.30, and no
# other order has a z that is larger by more than 1.3.
SURE, BETTER, LEAST_AGREEMENT = 4.0, 5.0, 0.2  # z, gain in z in another order, z / √segments
SHIFTS = (-1, 1, -2, 2, -3, 3)  # lines
CHARACTERS, FEWEST = 1_500_000, 3  # of hypotheses, and systems, that are compared: half a second
TINY = 1e-9  # a variance of rounding errors


def is_empty(lines: Lines) -> bool:
    """Return whether all lines are empty or white space."""
    return not any(map(str.strip, lines))


def check_texts(
    hypotheses: Mapping[str, Lines],
    reference: Lines,
    source: Lines = (),
    name: str = "the reference",
    thorough: bool = True,
    fit: LineFit | None = None,
) -> list[str]:
    """Return warnings about the texts of systems.

    Parameters
    ----------
    hypotheses : mapping of str to sequence of str
        Lines by name of the file or system.
    reference, source : sequence of str
        The lines of the reference are empty if there is none; the source is empty if unknown.
    name : str
        What messages call the reference; empty if there is none.
    thorough : bool
        Whether to look for copied text and wrong languages, too, which takes time.
    fit : LineFit, optional
        Of these texts, if it is known, and if none of them is empty.

    Returns
    -------
    list of str
        A sentence each.
    """
    sentences, blank = [], sum(not line.strip() for line in reference)
    if blank and name:
        sentences.append(
            f"{blank} of {len(reference)} reference segments are empty: no hypothesis can match "
            "them."
        )
    silent = [file for file, lines in hypotheses.items() if is_empty(lines)]
    advice = "every line is empty. Take another file, or leave the system out."
    sentences += [f"{file}: {advice}" for file in silent]
    hypotheses = {file: lines for file, lines in hypotheses.items() if file not in silent}
    of_damages, damaged = _find_damages(hypotheses, reference, source, name)
    sentences += of_damages
    if hypotheses and not is_empty(reference):
        if fit is None:
            fit = LineFit(hypotheses, reference, source if thorough else ())
        sentences += line_warnings(fit, name, damaged)
    for file, lines in hypotheses.items():
        empty = [n for n, line in enumerate(lines) if not line.strip()]
        if empty := [n for n in empty if reference[n].strip() or is_empty(reference)]:
            sentences.append(
                f"{file}: {listed_lines(empty)}: empty, and scored as such. If a translation was "
                "lost, put it back."
            )
        if thorough:
            odd = [*_copied(lines, source, reference, name), *_language(lines, reference, name)]
            sentences += [f"{file}: {sentence}" for sentence in odd]
    of_text: dict[tuple[str, ...], list[str]] = {}
    for file, lines in hypotheses.items() if thorough else ():
        of_text.setdefault(tuple(lines), []).append(file)
    for file, *others in of_text.values():
        if others:
            sentences.append(
                f"{file}: the same text as {', '.join(others)}. Keep one of them, or take the "
                "right files."
            )
    return sentences


def _find_damages(
    hypotheses: Mapping[str, Lines], reference: Lines, source: Lines, name: str
) -> tuple[list[str], set[str]]:
    """Return warnings on texts with many damaged lines (DAMAGES) or mixed Unicode forms, and the
    names of these texts."""
    texts = {name: reference, "the source": source, **hypotheses}
    sentences, damaged = [], set()
    for what, marks, possible, advice in DAMAGES:
        files = []
        for file, lines in texts.items():
            marked = [n for n, line in enumerate(lines) if re.search(marks, line)]
            if lines is not reference:
                marked = [n for n in marked if lines[n] != reference[n]]
            if len(marked) <= LEAST_DAMAGED * len(lines):
                continue
            if len(marked) > sum(bool(re.search(possible, line)) for line in lines) / 2:
                example = shortened(re.findall(marks, lines[marked[0]])[0].strip(), 60)
                files.append(f"{file} ({len(marked):,}, as `{example}`: {listed_lines(marked)})")
                damaged.add(file)
        if files:
            sentences.append(f"{what} in many lines of {', '.join(files)}. {advice}.")
    composed, mixed = [is_normalized("NFC", line) for line in reference], []
    for file, lines in {} if is_empty(reference) else hypotheses.items():
        odd = [n for n, line in enumerate(lines) if is_normalized("NFC", line) != composed[n]]
        if len(odd) > LEAST_DAMAGED * len(lines):
            mixed.append(f"{file} ({listed_lines(odd)})")
            damaged.add(file)
    if mixed:
        sentences.append(
            "accented letters are single characters (Unicode NFC) in one of two texts, and several "
            f"(NFD) in the other: of {name} and {'; '.join(mixed)}. Such letters are not equal, "
            "and scores may be too low. Normalise all texts in the same way."
        )
    return sentences, damaged


def _copied(lines: Lines, source: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Yield warnings if lines of a system output are copies of the source or reference."""
    if list(lines) == list(reference):
        yield f"the same text as {name}. A reference is no system's output: remove it."
        return
    long = [n for n, line in enumerate(lines) if sum(map(str.isalpha, line)) >= LEAST_LETTERS]
    same = [n for n in long if lines[n] == reference[n]]
    run = max(runs_of(same), key=len, default=[])
    if len(run) >= EQUAL_REFERENCE or len(same) > len(lines) / 2 >= LEAST_LINES / 2:
        yield (
            f"{len(same):,} of {len(lines):,} lines are those of {name}, as {listed_lines(run)}. "
            "Look whether the reference was mixed into the file."
        )
    same = [n for n in long if source and lines[n].strip() == source[n].strip()]
    same = [n for n in same if lines[n].strip() != reference[n].strip()]
    if max(map(len, runs_of(same)), default=0) >= COPIED or len(same) > COPIED_SHARE * len(lines):
        yield (
            f"{listed_lines(same)}: the source itself, not translated ({len(same):,} of "
            f"{len(lines):,} lines). Take the translation, or leave the system out."
        )


def _language(lines: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Yield a warning if an output's script or language differs from the reference's."""
    if is_empty(reference):
        return
    letters = _scripts("".join(reference))
    usual = {script for script, count in letters.items() if count >= RARE_SCRIPT * letters.total()}
    odd = []
    for number, counts in enumerate(map(_scripts, lines)):
        of_usual = sum(counts[script] for script in usual)
        if counts.total() >= LEAST_LETTERS and of_usual < counts.total() / 2:
            odd.append(number)
    if usual and len(odd) >= OTHER_SCRIPT:
        scripts = _scripts("".join(lines[n] for n in odd)), letters
        strange, expected = (text.most_common(1)[0][0].capitalize() for text in scripts)
        yield (
            f"{listed_lines(odd)}: {strange} letters, while {name} is written in {expected} ones. "
            "Take the output in the right language and script."
        )
        return
    word = r"\w+" if has_spaces(lines) and has_spaces(reference) else r"\w"
    words = [re.findall(word, "\n".join(text).lower()) for text in (lines, reference)]
    if min(map(len, words)) < LEAST_WORDS:
        return
    frequent = {word for word, _ in Counter(words[1]).most_common(FREQUENT)}
    here, there = (sum(word in frequent for word in text) / len(text) for text in words)
    if here < LOST * there and there >= LEAST_FREQUENT:
        yield (
            f"the {FREQUENT} most frequent words of {name} are {here:.0%} of the words of "
            f"this output and {there:.0%} of the reference's: probably it is in another language. "
            "Take the output in the right one."
        )


@cache
def _script(letter: str) -> str:
    return unicode_name(letter, "").split(" ")[0]


def _scripts(text: str) -> Counter[str]:
    """Count a text's letters by script (such as LATIN), the first word of a Unicode name."""
    return Counter(map(_script, filter(str.isalpha, text)))


# Human scores


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
    odd = (
        _two_scales(systems, gold, name)
        or _slip(systems, gold, name, quality)
        or _lost_signs(systems, gold, name, quality)
    )
    return [doubt for doubt in (odd, _reversed(gold, name, quality)) if doubt]


def _two_scales(systems: Sequence[str], gold: np.ndarray, name: str) -> str:
    """Return a warning if some systems have scores up to 100, and others scores up to 1 or 0; not
    if one system alone has another scale by a slip."""
    kinds = {
        "0 or less": gold < 0,
        "0 to 1": (gold >= 0) & (gold <= 1),
        "up to 100": (gold > HUNDRED) & (gold <= 100),
    }
    sides = []
    for scale, kind in kinds.items():
        if kind.any():
            names, ends = ", ".join(np.array(systems)[kind]), (gold[kind].min(), gold[kind].max())
            sides.append(f"{names} ({scale}: {ends[0]:g} to {ends[1]:g})")
    of_one = [kind.sum() == 1 for kind in kinds.values() if kind.any()]
    slipped = any(of_one) and _slip(systems, gold, name, {})
    if not kinds["up to 100"].any() or len(sides) < 2 or slipped:
        return ""
    return (
        f"{name}: human scores on two scales: {'; '.join(sides)}. Bring them to one scale, or "
        "leave out the systems of the other."
    )


def _slip(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> str:
    """Return a warning if the score of one system is far from the others', and would be like them
    with the other sign, or divided or multiplied by 10 or 100; not if metrics then agree less with
    the scores."""
    finite = np.flatnonzero(np.isfinite(gold))
    if len(finite) < LEAST_SCORES:
        return ""
    for system in finite.tolist():
        others = gold[finite[finite != system]]
        score = float(gold[system])
        low, high = float(others.min()), float(others.max())
        width = max(high - low, TINY)
        distance = max(low - score, score - high)
        size = max(abs(low), abs(high))
        for what, corrected in _corrections(score):
            far = distance > max(width, FAR_FROM_SCALE * size)
            fits = low - width <= corrected <= high + width
            if far and fits and (what == LOST_SIGN or low * high > 0):
                mended = gold.copy()
                mended[system] = corrected
                if any(_r(mended, x) < _r(gold, x) for x in quality.values()):
                    continue
                return (
                    f"{name}: the human score of {systems[system]} is {score:g}, those of the "
                    f"other systems are {low:g} to {high:g}. Is {corrected:g} meant ({what})? "
                    "Correct it, or leave the system out."
                )
    return ""


def _lost_signs(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> str:
    """Return a warning if the scores of a few systems have another sign than the others', and would
    be like them without it; not if metrics then agree less with the scores."""
    finite = gold[np.isfinite(gold)]
    if not len(finite) or np.abs(finite).min() <= NEAR_ZERO * np.median(np.abs(finite)):
        return ""
    odd = np.isfinite(gold) & (np.sign(gold) != np.sign(np.median(finite)))
    if not 2 <= odd.sum() <= FEW_SYSTEMS * len(finite):
        return ""
    others = gold[np.isfinite(gold) & ~odd]
    low, high = float(others.min()), float(others.max())
    width = max(high - low, TINY)
    mended = np.where(odd, -gold, gold)
    is_like_them = (mended[odd] >= low - width).all() and (mended[odd] <= high + width).all()
    if not is_like_them or any(_r(mended, x) < _r(gold, x) for x in quality.values()):
        return ""
    named = ", ".join(f"{systems[s]} ({gold[s]:g})" for s in np.flatnonzero(odd).tolist())
    return (
        f"{name}: the human scores of {named} have another sign than those of the other systems, "
        f"{low:g} to {high:g}: {LOST_SIGN}? Correct them, or leave the systems out."
    )


def _r(gold: np.ndarray, scores: np.ndarray) -> float:
    """Return Pearson's r over the systems that have both scores; 0 if either is constant."""
    both = np.isfinite(gold) & np.isfinite(scores)
    if both.sum() < 2 or not gold[both].std() or not scores[both].std():
        return 0.0
    return float(np.corrcoef(gold[both], scores[both])[0, 1])


def _corrections(score: float) -> list[tuple[str, float]]:
    """Return what a score may be a slip of."""
    if score == 0:
        return []
    factors = [("a wrong decimal point", score * factor) for factor in (0.1, 10, 0.01, 100)]
    return [(LOST_SIGN, -score), *factors]


def _reversed(gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]) -> str:
    """Return a warning if all metrics correlate negatively with the scores."""
    correlations = []
    for metric, scores in quality.items():
        count = int((np.isfinite(gold) & np.isfinite(scores)).sum())
        if count < 4:
            continue
        r = _r(gold, scores)
        if r <= REVERSED and np.arctanh(max(r, -1 + 1e-9)) * np.sqrt(count - 3) < -ONE_SIDED:
            correlations.append(f"r = {r:.2f} with {metric} over {count} systems")
    if not correlations or len(correlations) < len(quality):
        return ""
    return (
        f"{name}: the human scores seem to run the other way, lower being better: "
        f"{', '.join(correlations[:3])}. If so, negate them."
    )


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
    """
    rated = scores[np.isfinite(scores)]
    signed = rated[rated != 0]
    if len(signed) < LEAST_SIGNED:
        return []
    doubts = []
    usual = np.sign(np.median(signed))
    if usual == 0:  # half of the scores have each sign
        return []
    odd = []
    for system, row in enumerate(scores):
        signed = row[np.isfinite(row) & (row != 0)]
        if len(signed) and (np.sign(signed) == -usual).mean() > SIGN_LOST:
            odd.append(system)
    clean = np.delete(scores, odd, axis=0)
    share = (np.sign(clean[np.isfinite(clean)]) == -usual).mean() if clean.size else 1.0
    if share > FEW_SIGNED:  # both signs are usual, as of z-scores
        return []
    sign, word = ("positive", "negative") if usual < 0 else ("negative", "positive")
    if odd:
        named = ", ".join(systems[s] for s in odd)
        doubts.append(
            f"{name}: the human scores of {named} are {sign}, nearly all others {word}: a lost "
            "sign? Correct them, or leave the system out."
        )
    kept = np.array([s not in odd for s in range(len(systems))])[:, None]
    places = np.argwhere(np.isfinite(scores) & (np.sign(scores) == -usual) & kept)
    if usual > 0 and (rated <= 100).mean() >= 1 - FEW_SIGNED and np.max(rated) > HUNDRED:
        too_high = np.argwhere(np.isfinite(scores) & (scores > 100))
        if len(too_high) and np.quantile(rated, 0.9) > HUNDRED:
            doubts.append(_listed_scores(systems, scores, too_high, name, "above 100"))
    if len(places):
        doubts.append(_listed_scores(systems, scores, places, name, f"{sign}, others {word}"))
    return doubts


def _listed_scores(
    systems: Sequence[str], scores: np.ndarray, places: np.ndarray, name: str, what: str
) -> str:
    system, segment = places[0]
    number = f"{len(places):,} human scores of segments are"
    if len(places) == 1:
        number = "one human score of a segment is"
    return (
        f"{name}: {number} {what}, as {scores[system, segment]:g} of {systems[system]} in segment "
        f"{segment + 1:,}. Correct them."
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
        (systems,), human scores of systems.
    segment_gold : ndarray
        (systems, segments), human scores of segments, NaN for unrated ones.
    metric : str
        What the message calls the metric.
    """
    rated = np.isfinite(segment_gold)
    by_some, by_all = rated.any(axis=0), rated.all(axis=0)
    usable = len(gold) > 2 and rated.any(axis=1).all() and np.isfinite(quality[:, by_some]).all()
    if not usable or by_all.sum() >= RATED_FOR_ALL * by_some.sum():
        return ""
    over_some = quality[:, by_some].mean(axis=1)
    over_own = np.array([row[known].mean() for row, known in zip(quality, rated, strict=True)])
    sides = [side for side in (gold, over_some, over_own) if np.ptp(side) > 0]
    if len(sides) < 3:
        return ""
    r, of_own = np.corrcoef(sides)[0, 1:]
    if abs(of_own - r) < APART:
        return ""
    return (
        f"the systems are rated on different segments, {by_all.sum():,} of {by_some.sum():,} for "
        f"all systems: {metric} correlates with the human scores at r = {r:.3f} over all rated "
        f"segments, and at {of_own:.3f} over those that each system was rated on"
    )


def segment_gold_doubt(
    scores: np.ndarray, hypotheses: Sequence[Lines], reference: Lines, source: Lines
) -> str:
    """Explain why segment-level human scores do not seem to belong to these texts in this order.
    Empty if they do, or if it cannot be told. Scores that do belong are lower for long segments and
    for hypotheses that overlap little with the reference (without a reference: with other
    hypotheses). Scores and hypotheses are (systems, segments); NaN is a missing score."""
    rated = np.isfinite(scores).sum(axis=1)
    if not rated.any():
        return ""
    most = np.argsort(-rated, kind="stable")  # of them as many as can be compared in half a second
    sizes = np.cumsum([sum(map(len, hypotheses[system])) for system in most])
    systems = np.sort(most[: max(FEWEST, int((sizes <= CHARACTERS).sum()))])
    texts = [list(map(_trigrams, hypotheses[system])) for system in systems]
    targets = [list(map(_trigrams, reference))] * len(texts)
    if is_empty(reference):
        targets = [*texts[1:], texts[0]]
    similarity = np.array([[*map(overlap, *x)] for x in zip(texts, targets, strict=True)])
    return order_doubt(scores[systems], similarity, np.array([*map(len, source)]))


def _trigrams(text: str) -> frozenset[str]:
    """Return the set of character trigrams of a text without its white space."""
    text = "".join(text.split())
    return frozenset(text[n : n + 3] for n in range(max(1, len(text) - 2))) - {""}


def order_doubt(scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray) -> str:
    """Compare the agreement of human scores and texts in the given order and after shifts of 1 to 3
    lines (SHIFTS). Return a warning, or an empty string. Parameters are those of `agreement`."""
    z, r = agreement(scores, similarity, lengths)
    if np.isnan(z):
        return ""
    moved = {}
    for shift in SHIFTS:
        order = np.clip(np.arange(len(lengths)) + shift, 0, len(lengths) - 1)
        moved[shift] = agreement(scores, similarity[:, order], lengths[order])
    best = max(moved, key=lambda shift: np.nan_to_num(moved[shift][0]))
    segments = int(np.isfinite(scores).any(axis=0).sum())
    observed = (
        "the correlation of segment means with the overlap of the outputs and, negatively, with "
        f"source length is r = {r:.2f} in the given order"
    )
    if moved[best][0] >= max(SURE, z + BETTER):
        way = f"{'down' if best > 0 else 'up'} by {abs(best)} line{'s' * (abs(best) > 1)}"
        return f"{observed}, and r = {moved[best][1]:.2f} if those of all lines are moved {way}"
    if z + SURE >= LEAST_AGREEMENT * np.sqrt(segments):
        return ""
    if z <= -SURE:
        return f"{observed}, as if lower scores were better"
    return (
        f"{observed}, too low for {segments:,} segments; probably the scores follow another order "
        "of documents"
    )


def agreement(
    scores: np.ndarray, similarity: np.ndarray, lengths: np.ndarray
) -> tuple[float, float]:
    """Measure how well segment-level human scores, (systems, segments), fit their texts. Two parts,
    of ranks within systems, count equally: differences between systems in the scores and overlaps
    of a segment's hypotheses (`similarity`, of the same shape); and segment means, compared with
    mean overlap and, negatively, the source's length, (segments,). Returns z, the standard
    deviations by which the fit exceeds that of random orders of segments (exact; NaN if nothing
    differs), and r, the correlation of segment means (0 if either is constant)."""
    known = np.isfinite(scores)
    rated = known.any(axis=0)
    if not rated.any():
        return np.nan, np.nan
    counts = np.maximum(known.sum(axis=1, keepdims=True), 1)
    ranks = _ranks(scores) / counts
    ranks = np.where(known, ranks - ranks.sum(axis=1, keepdims=True) / counts, 0)
    means = ranks.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    texts = _ranks(similarity) / len(lengths)
    expected = _standard(texts.mean(axis=0)) - _standard(_ranks(lengths[None])[0])
    between_systems = np.where(known, ranks - means, 0), texts - texts.mean(axis=0)
    z, r = [], 0.0
    for pair in (between_systems, (means[None], expected[None])):
        gold, side = (x[:, rated] - x[:, rated].mean(axis=1, keepdims=True) for x in pair)
        product = (gold * side).sum()
        variance = ((gold @ gold.T) * (side @ side.T)).sum() / max(1, gold.shape[1] - 1)
        if variance > TINY:
            z.append(product / np.sqrt(variance))
        norm = np.sqrt((gold**2).sum() * (side**2).sum())
        r = float(product / norm) if norm > TINY else 0.0  # in the end that of the segment means
    return (float(np.sum(z) / np.sqrt(len(z))), r) if z else (np.nan, np.nan)


def _ranks(values: np.ndarray) -> np.ndarray:
    """Return ranks within rows, from 1, (systems, segments); equal values share their average rank,
    and NaN has 0. (`scipy.stats` takes a second to import.)"""
    ranks = np.zeros(values.shape)
    for row, of_row in zip(values, ranks, strict=True):
        known = np.isfinite(row)
        _, place, counts = np.unique(row[known], return_inverse=True, return_counts=True)
        of_row[known] = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return ranks


def _standard(values: np.ndarray) -> np.ndarray:
    deviation = values.std()
    return (values - values.mean()) / (deviation if deviation > TINY else 1)
