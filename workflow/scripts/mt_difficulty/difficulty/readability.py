"""Readability of source texts; metric scores normalised by it (Babych, Elliott & Hartley 2004)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..data.evalset import EvaluationSet
from ..data.language import source_language, without_spaces
from ..errors import Missing, check_choice, version
from .base import Estimator

if TYPE_CHECKING:
    import pandas as pd

# Runs of letters with their marks (vowel signs), inner apostrophes included; no digits.
WORD = r"\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*"
# A sentence ends at . ! ? … । with closing quotes and brackets, before white space and a letter
# that is not lower-case; dots of initials (U.S., J.) and of these abbreviations do not end one.
ABBREVIATIONS = "Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Lt|Gen|Sen|Rep|Gov|No|Nr|vs|Mt|Ft|Inc|Ltd|Co|Corp"
SENTENCE_END = (
    rf"(?:[!?…।]|(?<!\b(?:\p{{Lu}}|{ABBREVIATIONS}))\.)[.!?…]*[\"'”’“»)\]]*"
    r"\s+(?=[\"'“‘„«(\[¿¡]*[\p{Lu}\p{Lt}\p{Lo}])"
)
# Words per sentence, syllables per word, Flesch Reading Ease, Flesch-Kincaid Grade Level.
PARAMETERS = ("ASL", "ASW", "FRE", "FKGL")


def reading_ease(asl: np.ndarray, asw: np.ndarray) -> np.ndarray:
    """Return Flesch Reading Ease (higher is easier) from words/sentence and syllables/word."""
    return 206.835 - 1.015 * asl - 84.6 * asw


def grade_level(asl: np.ndarray, asw: np.ndarray) -> np.ndarray:
    """Return Flesch-Kincaid Grade Level (school years) from words/sentence and syllables/word."""
    return 0.39 * asl + 11.8 * asw - 15.59


def readability(
    sentences: np.ndarray, words: np.ndarray, syllables: np.ndarray
) -> dict[str, np.ndarray]:
    """Compute readability from counts.

    Parameters
    ----------
    sentences, words, syllables : ndarray
        (texts,), numbers in each text.

    Returns
    -------
    dict of str to ndarray
        (texts,), words per sentence (ASL), syllables per word (ASW), Flesch Reading Ease (FRE,
        higher is easier) and Flesch-Kincaid Grade Level (FKGL, higher is harder); NaN for a text
        without words.
    """
    known_words = np.where(words > 0, words, np.nan)  # digits without words make a sentence, too
    with np.errstate(invalid="ignore", divide="ignore"):
        asl = np.divide(known_words, sentences)
        asw = np.divide(syllables, known_words)
    return {
        "ASL": asl,
        "ASW": asw,
        "FRE": reading_ease(asl, asw),
        "FKGL": grade_level(asl, asw),
    }


def normalise(
    score: ArrayLike, asw: ArrayLike, reference_asw: ArrayLike, power: float
) -> np.ndarray:
    """Convert scores to the ASW (mean syllables per word) of a reference text.

    Parameters
    ----------
    score : array_like
    asw, reference_asw : array_like
        ASW of the text that was scored, and of the reference text.
    power : float
        Babych et al. (2004, Section 6) use 1 for WNM and 2 for BLEU.

    Returns
    -------
    ndarray
        score × (ASW / reference ASW)^power.
    """
    return np.asarray(score) * (np.asarray(asw) / np.asarray(reference_asw)) ** power


@cache
def _dictionary(code: str) -> Any:
    """Return Pyphen's hyphenation dictionary of a language; None if it has none."""
    import pyphen

    # Pyphen's default for English is a worse dictionary.
    name = "en_US" if code == "en" else pyphen.language_fallback(code)
    return name and pyphen.Pyphen(lang=name)


def uncounted(pair: str, source: list[str]) -> tuple[str, str]:
    """Return two reasons: why words and sentences, and why syllables, of a pair's source segments
    cannot be counted. A reason is empty where they can; without words there are no syllables."""
    code = source_language(pair)
    if without_spaces(code, source):
        reason = f"{code} is written without spaces between words and sentences"
        return reason, reason
    if not _dictionary(code):
        return "", f"Pyphen has no hyphenation dictionary for {code}"
    return "", ""


def syllables(words: Sequence[str] | np.ndarray, code: str) -> np.ndarray:
    """Estimate the number of syllables of words, (words,): a word's hyphenation points plus one.

    Hyphenation dictionaries omit points that typesetters avoid: English `area`, `open` and `any`
    have none. English WMT sources get 4 to 6 % fewer syllables than by counting vowel groups, so
    their FRE is 5 to 8 points easier. Do not compare values with those of other programs.
    """
    dictionary = _dictionary(code)
    return np.array([len(dictionary.positions(word.lower())) + 1 for word in words], dtype=int)


def count(segments: list[str], pair: str) -> np.ndarray:
    """Count sentences, words and syllables of every source segment, (segments, 3); NaN where
    `uncounted` gives a reason. A segment without letters or digits has 0 sentences."""
    import regex

    counts = np.full((len(segments), 3), np.nan)
    no_words, no_syllables = uncounted(pair, segments)
    if no_words:
        return counts
    sentence_end = regex.compile(SENTENCE_END)
    word = regex.compile(WORD)
    letter_or_digit = regex.compile(r"[\p{L}\p{N}]")
    all_words: list[str] = []
    for number, segment in enumerate(segments):
        words = word.findall(segment)
        all_words += words
        has_content = letter_or_digit.search(segment) is not None
        counts[number, 0] = len(sentence_end.findall(segment)) + 1 if has_content else 0
        counts[number, 1] = len(words)
    if not no_syllables:
        vocabulary, index = np.unique(all_words, return_inverse=True)
        word_syllables = syllables(vocabulary, source_language(pair))[index]
        segment_of_word = np.repeat(np.arange(len(segments)), counts[:, 1].astype(int))
        counts[:, 2] = np.bincount(segment_of_word, word_syllables, len(segments))
    return counts


def membership(labels: list[str]) -> tuple[list[str], np.ndarray]:
    """Return the distinct labels, in order of first occurrence, and a float matrix (groups,
    segments), 1 where a segment has the label and else 0."""
    names = list(dict.fromkeys(labels))
    return names, (np.array(names)[:, None] == np.array(labels)).astype(float)


def levels(evalset: EvaluationSet) -> dict[str, list[str]]:
    """Return each segment's label by level: campaign and, where known, domain and document."""
    labels = {
        "campaign": [evalset.campaign] * len(evalset.source),
        "domain": evalset.domains,
        "document": evalset.documents,
    }
    return {level: level_labels for level, level_labels in labels.items() if level_labels}


def describe(evalset: EvaluationSet) -> pd.DataFrame:
    """Return a table of the readability of a set's source: whole, by domain and by document.

    Columns: level (campaign, domain, document), name, segments, sentences, words, syllables, ASL,
    ASW, FRE, FKGL, and reason, which explains NaN.
    """
    import pandas as pd

    counts = count(evalset.source, evalset.pair)
    tables = []
    for level, labels in levels(evalset).items():
        names, members = membership(labels)
        sums = members @ counts
        frame = pd.DataFrame({"level": level, "name": names, "segments": members.sum(axis=1)})
        frame[["sentences", "words", "syllables"]] = sums
        tables.append(frame.assign(**readability(*sums.T)))
    table = pd.concat(tables, ignore_index=True)
    count_columns = ["segments", "sentences", "words", "syllables"]
    if table[count_columns].notna().all(axis=None):
        table = table.astype(dict.fromkeys(count_columns, int))
    _, no_syllables = uncounted(evalset.pair, evalset.source)
    no_words = np.where(table.words == 0, "the text has no words", "")
    return table.assign(reason=no_syllables or no_words)


class SourceReadability(Estimator):
    """Readability of the source segment by one measure; Flesch Reading Ease with its sign turned,
    so that higher is harder. A segment without words is as easy as the easiest one.

    Parameters
    ----------
    measure : {"ASL", "ASW", "FRE", "FKGL"}
    """

    information = "source"

    def __init__(self, measure: str = "FKGL") -> None:
        check_choice("measure", measure, PARAMETERS)
        self.measure = measure

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_source()
        _, no_syllables = uncounted(evalset.pair, evalset.source)
        if no_syllables:
            raise Missing(no_syllables)
        sentences, words, syllables = count(evalset.source, evalset.pair).T
        values = readability(sentences, words, syllables)[self.measure]
        if self.measure == "FRE":
            values = -values
        if np.isnan(values).all():
            raise Missing("the source has no words")
        self.signature = f"readability:{self.measure}|pyphen {version('pyphen')}"
        return np.where(np.isnan(values), np.nanmin(values), values)
