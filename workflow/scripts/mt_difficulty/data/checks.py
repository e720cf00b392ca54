"""Warn about suspicious texts (shifted lines, damaged, empty, copied, wrong language) and human
scores (two scales, reversed direction, wrong order). Warnings are sentences that name the file or
system, the problem and a remedy. With these thresholds, the 230 outputs of WMT19 to WMT25 and the
human scores of WMT21 to WMT24 raise no false warning."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from unicodedata import is_normalized
from unicodedata import name as unicode_name

import numpy as np

Lines = Sequence[str]
Units = Sequence[frozenset[str]]

# Lines in a wrong place
START = 4  # characters of a word that are compared
SPACED = 1 / 12  # words a letter, below which a text is written without spaces
SHIFTS = (-1, 1, -2, 2, -3, 3)  # lines
LEAST_LINES = 20  # of a file from which on can be told whether it belongs to the reference
LEAST_MOVED, LEAST_GAIN, MOVED = 5, 2.0, 5.0  # lines, their summed gain in overlap, standard errors
IN_PLACE = 0.5  # an overlap with the reference from which on a line is where it belongs
BELONGS = 3.0  # standard errors by which its lines overlap more with their reference than others
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
# For the 37 segment-level human scores of WMT21 to WMT24, z ≥ 7.1 and z / √segments ≥ 0.30, and no
# other order has a z that is larger by more than 1.3.
SURE, BETTER, LEAST_AGREEMENT = 4.0, 5.0, 0.2  # z, gain in z in another order, z / √segments
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
) -> list[str]:
    """Return warnings about hypotheses, given as lists of lines by name of the file or system.

    `name` is the reference's name; it is empty if there is no reference, and then the reference's
    lines are empty, too. The source is empty if unknown. `thorough` also looks for copied text and
    wrong languages, which takes the most time."""
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
    if not is_empty(reference):
        sentences += _displaced(hypotheses, reference, name)
    sentences += _damaged(hypotheses, reference, source, name)
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
    for (file, lines), (second, text) in combinations(hypotheses.items() if thorough else (), 2):
        if list(lines) == list(text):
            sentences.append(
                f"{file}: the same text as {second}. Remove one of them, or take the right file."
            )
    return sentences


def _displaced(hypotheses: Mapping[str, Lines], reference: Lines, name: str) -> Iterator[str]:
    """Warn about files whose lines overlap more with reference lines 1 to 3 places away, or no more
    with their own line than with a distant one; about the reference if most are shifted alike."""
    doubts = {}  # by file: the shift (0 for another text), and a sentence
    targets_of = cache(lambda spaced: _units(reference, spaced))
    for file, lines in hypotheses.items():
        spaced = has_spaces(lines, reference)
        units, targets = _units(lines, spaced), targets_of(spaced)
        count, numbers = len(units), np.arange(len(units))
        unshifted = _overlaps(units, targets, numbers)
        runs = []
        for shift in SHIFTS:
            gains = _overlaps(units, targets, numbers + shift, unshifted <= IN_PLACE) - unshifted
            gain, first, end = best_stretch(gains)
            clear = end - first >= LEAST_MOVED and gain >= LEAST_GAIN
            if clear and _larger(gains[first:end], MOVED):
                runs.append((gain, shift, first, end))
        if runs:
            gain, shift, first, end = max(runs)
            here = unshifted[first:end].mean()
            doubts[file] = (
                shift,
                f"lines {first + 1:,} to {end:,} overlap more ({here + gain / (end - first):.0%} "
                f"instead of {here:.0%}) with lines {first + shift + 1:,} to {end + shift:,} of "
                f"{name}. Look which of the texts lacks a line before line {first + 1:,}, or has "
                "one more.",
            )
        elif count >= LEAST_LINES:
            away = _overlaps(units, targets, (numbers + count // 2) % count)
            if not _larger(unshifted - away, BELONGS):
                own_overlap = unshifted.mean()
                doubts[file] = (
                    0,
                    f"its lines overlap with their own line of {name} no more ({own_overlap:.0%}) "
                    f"than with another one ({away.mean():.0%}): another text, language or order "
                    "of lines. Take the right texts.",
                )
    shifts = Counter(shift for shift, _ in doubts.values()).most_common(1)
    if shifts and shifts[0][1] >= max(2, len(hypotheses) / 2 + 0.5):
        shift, count = shifts[0]
        example = next(sentence for of_file, sentence in doubts.values() if of_file == shift)
        yield f"{name}: {count} of {len(hypotheses)} outputs fit other lines of it: {example}"
    else:
        yield from (f"{file}: {sentence}" for file, (_, sentence) in doubts.items())


def has_spaces(*texts: Lines) -> bool:
    """Return whether all texts are written with spaces between words."""
    words = (sum(line.count(" ") + 1 for line in lines if line) for lines in texts)
    return all(n > SPACED * sum(map(len, lines)) for n, lines in zip(words, texts, strict=True))


def _units(lines: Lines, spaced: bool) -> Units:
    """Return each line's set of word beginnings or, if not `spaced`, of characters."""
    if spaced:
        return [frozenset([word[:START] for word in line.split()]) for line in lines]
    return [frozenset(line.replace(" ", "")) for line in lines]


def overlap(first: frozenset[str], second: frozenset[str]) -> float:
    """Return the share of units that two texts have in common (Dice coefficient), 0 to 1. Higher is
    more alike; 0 if a text has no units. Integer counts make it the same on every processor."""
    if not first or not second:
        return 0.0
    return 2 * len(first & second) / (len(first) + len(second))


def _overlaps(
    units: Units, targets: Units, order: np.ndarray, compared: np.ndarray | bool = True
) -> np.ndarray:
    """Return each line's overlap with the target line whose index `order` gives, (segments,). It is
    0 for lines outside `compared` or with an index out of range."""
    overlaps = np.zeros(len(units))
    for line in np.flatnonzero((order >= 0) & (order < len(units)) & compared).tolist():
        overlaps[line] = overlap(units[line], targets[order[line]])
    return overlaps


def _larger(gains: np.ndarray, errors: float) -> bool:
    """Return whether the mean of `gains` exceeds 0 by more than `errors` standard errors."""
    return bool(gains.sum() > errors * gains.std() * np.sqrt(len(gains)))


def best_stretch(gains: np.ndarray) -> tuple[float, int, int]:
    """Find the run of consecutive lines with the largest sum of gains, (segments,). Returns the
    sum, the first index and the index after the last; the run is empty if no sum exceeds 0."""
    sums = np.concatenate([[0.0], np.cumsum(gains)])
    end = int(np.argmax(sums - np.minimum.accumulate(sums)))
    first = int(np.argmin(sums[: end + 1]))
    return float(sums[end] - sums[first]), first, end


def mean_overlaps(hypotheses: Sequence[Lines], reference: Lines, most: int = 300) -> np.ndarray:
    """Return the mean overlap of each system's lines with the reference, (systems,), 0 to 1. It is
    a fast stand-in for a metric, computed on a sample of about `most` lines."""
    lines = range(0, len(reference), max(1, len(reference) // most))
    spaced = has_spaces(reference)
    units = [_units([text[line] for line in lines], spaced) for text in (reference, *hypotheses)]
    numbers = np.arange(len(lines))
    return np.array([_overlaps(system, units[0], numbers).mean() for system in units[1:]])


def _damaged(
    hypotheses: Mapping[str, Lines], reference: Lines, source: Lines, name: str
) -> Iterator[str]:
    """Yield warnings on texts with many damaged lines (DAMAGES) or mixed Unicode forms."""
    texts = {name: reference, "the source": source, **hypotheses}
    for what, marks, possible, advice in DAMAGES:
        files = []
        for file, lines in texts.items():
            marked = [n for n, line in enumerate(lines) if re.search(marks, line)]
            if lines is not reference:
                marked = [n for n in marked if lines[n] != reference[n]]
            if len(marked) <= LEAST_DAMAGED * len(lines):
                continue
            if len(marked) > sum(bool(re.search(possible, line)) for line in lines) / 2:
                example = re.findall(marks, lines[marked[0]])[0].strip()
                files.append(f"{file} ({len(marked):,}, as `{example}`: {listed_lines(marked)})")
        if files:
            yield f"{what} in many lines of {', '.join(files)}. {advice}."
    composed, mixed = [is_normalized("NFC", line) for line in reference], []
    for file, lines in {} if is_empty(reference) else hypotheses.items():
        odd = [n for n, line in enumerate(lines) if is_normalized("NFC", line) != composed[n]]
        if len(odd) > LEAST_DAMAGED * len(lines):
            mixed.append(f"{file} ({listed_lines(odd)})")
    if mixed:
        yield (
            "accented letters are single characters (Unicode NFC) in one of two texts, and several "
            f"(NFD) in the other: of {name} and {'; '.join(mixed)}. Such letters are not equal, "
            "and scores may be too low. Normalise all texts in the same way."
        )


def _copied(lines: Lines, source: Lines, reference: Lines, name: str) -> Iterator[str]:
    """Yield warnings if lines of a system output are copies of the source or reference."""
    if list(lines) == list(reference):
        yield f"the same text as {name}. A reference is no system's output: remove it."
        return
    long = [n for n, line in enumerate(lines) if sum(map(str.isalpha, line)) >= LEAST_LETTERS]
    same = [n for n in long if lines[n] == reference[n]]
    run = max(_runs(same), key=len, default=[])
    if len(run) >= EQUAL_REFERENCE or len(same) > len(lines) / 2 >= LEAST_LINES / 2:
        yield (
            f"{len(same):,} of {len(lines):,} lines are those of {name}, as {listed_lines(run)}. "
            "Look whether the reference was mixed into the file."
        )
    same = [n for n in long if source and lines[n].strip() == source[n].strip()]
    same = [n for n in same if lines[n].strip() != reference[n].strip()]
    if max(map(len, _runs(same)), default=0) >= COPIED or len(same) > COPIED_SHARE * len(lines):
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
    word = r"\w+" if has_spaces(lines, reference) else r"\w"
    words = [re.findall(word, "\n".join(text).lower()) for text in (lines, reference)]
    if min(map(len, words)) < LEAST_WORDS:
        return
    frequent = {word for word, _ in Counter(words[1]).most_common(FREQUENT)}
    here, there = (sum(word in frequent for word in text) / len(text) for text in words)
    if here < LOST * there and there >= LEAST_FREQUENT:
        yield (
            f"the {FREQUENT} most frequent words of {name} are {here:.0%} of its words and "
            f"{there:.0%} of the reference's: probably it is in another language. Take the output "
            "in the right one."
        )


@cache
def _script(letter: str) -> str:
    return unicode_name(letter, "").split(" ")[0]


def _scripts(text: str) -> Counter[str]:
    """Count a text's letters by script (such as LATIN), the first word of a Unicode name."""
    return Counter(map(_script, filter(str.isalpha, text)))


def _runs(lines: Sequence[int]) -> list[list[int]]:
    """Split ascending line indices into runs of consecutive indices."""
    runs = np.split(lines, np.flatnonzero(np.diff(lines) > 1) + 1) if len(lines) else []
    return [run.tolist() for run in runs]


def listed_lines(lines: Sequence[int], most: int = 5) -> str:
    """Return 0-based line indices as text, numbered from 1: `lines 3, 7 to 9 and 2 more places`."""
    runs = [f"{run[0] + 1:,}" + f" to {run[-1] + 1:,}" * (len(run) > 1) for run in _runs(lines)]
    unlisted = len(runs) - most
    more = f" and {unlisted:,} more place{'s' * (unlisted > 1)}" * (unlisted > 0)
    return f"line{'s' * (len(lines) > 1)} {', '.join(runs[:most])}{more}"


# Human scores


def find_doubts(
    systems: Sequence[str], gold: np.ndarray, name: str, quality: Mapping[str, np.ndarray]
) -> list[str]:
    """Return warnings about system-level human scores, (systems,): two scales, or reversed
    direction. `quality` holds scores by metric, (systems,). Higher is better; NaN is missing."""
    doubts, correlations = [], []
    kinds = {"0 or less": gold < 0, "0 to 1": (gold >= 0) & (gold <= 1)}
    kinds["up to 100"] = gold > HUNDRED
    sides = []
    for scale, kind in kinds.items():
        if kind.any():
            names, ends = ", ".join(np.array(systems)[kind]), (gold[kind].min(), gold[kind].max())
            sides.append(f"{names} ({scale}: {ends[0]:g} to {ends[1]:g})")
    if kinds["up to 100"].any() and len(sides) > 1:
        doubts.append(
            f"{name}: human scores on two scales: {'; '.join(sides)}. Bring them to one scale, or "
            "leave out the systems of the other."
        )
    for metric, scores in quality.items():
        both = np.isfinite(gold) & np.isfinite(scores)
        count = int(both.sum())
        if count < 4 or not gold[both].std() or not scores[both].std():
            continue
        r = float(np.corrcoef(gold[both], scores[both])[0, 1])
        if r <= REVERSED and np.arctanh(max(r, -1 + 1e-9)) * np.sqrt(count - 3) < -ONE_SIDED:
            correlations.append(f"r = {r:.2f} with {metric} over {count} systems")
    if correlations and len(correlations) == len(quality):
        doubts.append(
            f"{name}: the human scores seem to run the other way, lower being better: "
            f"{', '.join(correlations[:3])}. If so, negate them."
        )
    return doubts


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
    lines. Return a warning, or an empty string. Parameters are those of `agreement`."""
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
