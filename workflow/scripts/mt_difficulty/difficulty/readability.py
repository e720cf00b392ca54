"""Translation complexity of source texts (Babych, Elliott & Hartley 2004): readability, and scores
that are normalised by it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import metadata
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..data.evalset import EvaluationSet
from ..data.language import source_language, without_spaces
from ..errors import Missing
from .base import Estimator

if TYPE_CHECKING:
    import pandas as pd

# Runs of letters with their marks (vowel signs), inner apostrophes included; no digits.
WORD = r"\p{L}[\p{L}\p{M}]*(?:['’][\p{L}\p{M}]+)*"
# A sentence ends at . ! ? … । with closing quotes and brackets, before white space and a letter
# that is no small one; the dot of an initial (U.S., J.) or of these abbreviations ends none.
ABBREVIATIONS = "Mr|Mrs|Ms|Dr|Prof|St|Sr|Jr|Lt|Gen|Sen|Rep|Gov|No|Nr|vs|Mt|Ft|Inc|Ltd|Co|Corp"
SENTENCE_END = (
    rf"(?:[!?…।]|(?<!\b(?:\p{{Lu}}|{ABBREVIATIONS}))\.)[.!?…]*[\"'”’“»)\]]*"
    r"\s+(?=[\"'“‘„«(\[¿¡]*[\p{Lu}\p{Lt}\p{Lo}])"
)
# Where Pyphen's choice for a language without a country is not the better one.
DICTIONARIES = {"en": "en_US"}
PARAMETERS = ("ASL", "ASW", "FRE", "FKGL")


class Readability(NamedTuple):
    """Average sentence length in words, average word length in syllables, Flesch Reading Ease
    (higher is easier) and Flesch-Kincaid Grade Level (higher is harder)."""

    ASL: np.ndarray
    ASW: np.ndarray
    FRE: np.ndarray
    FKGL: np.ndarray


def reading_ease(asl: np.ndarray, asw: np.ndarray) -> np.ndarray:
    """Flesch Reading Ease: 206.835 − 1.015 ASL − 84.6 ASW; about 0 (hard) to 100 (easy)."""
    return 206.835 - 1.015 * asl - 84.6 * asw


def grade_level(asl: np.ndarray, asw: np.ndarray) -> np.ndarray:
    """Flesch-Kincaid Grade Level: 0.39 ASL + 11.8 ASW − 15.59, in school years."""
    return 0.39 * asl + 11.8 * asw - 15.59


def readability(sentences: np.ndarray, words: np.ndarray, syllables: np.ndarray) -> Readability:
    """Readability of texts from their counts, arrays of one shape; NaN without words or where
    a count is NaN."""
    with np.errstate(invalid="ignore", divide="ignore"):
        asl, asw = np.divide(words, sentences), np.divide(syllables, words)
    return Readability(asl, asw, reading_ease(asl, asw), grade_level(asl, asw))


def normalise(
    score: ArrayLike, asw: ArrayLike, reference_asw: ArrayLike, power: float
) -> np.ndarray:
    """Scores as they would be on a text of another ASW: score × (ASW / reference ASW)^power.

    The paper's power is 1 for WNM and 2 for BLEU (Section 6). Arrays broadcast.
    """
    return np.asarray(score) * (np.asarray(asw) / np.asarray(reference_asw)) ** power


def without_words(pair: str, source: list[str]) -> str:
    """Why words and sentences of a pair's source segments cannot be counted; empty where they
    can."""
    code = source_language(pair)
    return f"{code} is written without spaces between words and sentences" * without_spaces(
        code, source
    )


def without_syllables(pair: str, source: list[str]) -> str:
    """Why syllables of a pair's source segments cannot be counted; empty where they can.

    Of the languages of WMT's campaigns, Pyphen has no dictionary for bn, fi, gu, ha, he, hi, iu,
    kk, ps, sah, ta, tr, xh; without words there are no syllables (ja, km, th, zh).
    """
    code = source_language(pair)
    return without_words(pair, source) or f"Pyphen has no hyphenation dictionary for {code}" * (
        _dictionary(code) is None
    )


@cache
def _dictionary(code: str) -> Any:
    import pyphen

    name = DICTIONARIES.get(code) or pyphen.language_fallback(code)
    return name and pyphen.Pyphen(lang=name)


def syllables(words: Sequence[str] | np.ndarray, code: str) -> np.ndarray:
    """Syllables of words, estimated: one more than a word's hyphenation points.

    An estimate: dictionaries leave out points that typesetters avoid (English `area`, `open` and
    `any` have none) and now and then have one too many. English WMT sources get 4 to 6 % fewer
    syllables than by counting groups of vowels, which makes FRE 5 to 8 points easier. Compare
    texts of one language counted this way, and not with readability from other programs.

    Parameters
    ----------
    words : sequence of str
    code : str
        A language with a dictionary.

    Returns
    -------
    ndarray of int, (words,)
    """
    dictionary = _dictionary(code)
    return np.array([len(dictionary.positions(word.lower())) + 1 for word in words], dtype=int)


def count(segments: list[str], pair: str) -> np.ndarray:
    """Sentences, words and syllables of every source segment.

    A segment holds at least one sentence, unless it has neither letter nor digit; see SENTENCE_END
    and WORD for what ends a sentence and what a word is.

    Parameters
    ----------
    segments : list of str
    pair : str
        Language pair; the source language decides.

    Returns
    -------
    ndarray of float, (segments, 3)
        A column is NaN where `without_words` or `without_syllables` says why.
    """
    import regex

    counts = np.full((len(segments), 3), np.nan)
    if without_words(pair, segments):
        return counts
    end, word, content = map(regex.compile, (SENTENCE_END, WORD, r"[\p{L}\p{N}]"))
    counts[:, 0] = [len(end.findall(s)) + 1 if content.search(s) else 0 for s in segments]
    found = [word.findall(segment) for segment in segments]
    counts[:, 1] = [len(words) for words in found]
    if not without_syllables(pair, segments):
        vocabulary, places = np.unique([w for words in found for w in words], return_inverse=True)
        owner = np.repeat(np.arange(len(segments)), counts[:, 1].astype(int))
        each = syllables(vocabulary, source_language(pair))[places]
        counts[:, 2] = np.bincount(owner, each, len(segments))
    return counts


def membership(labels: list[str]) -> tuple[list[str], np.ndarray]:
    """Groups of segments, in the order in which they first occur.

    Returns
    -------
    names : list of str
    members : ndarray of float, (groups, segments)
        1 where a segment belongs to a group: a product with it sums over groups.
    """
    names = list(dict.fromkeys(labels))
    return names, (np.array(names)[:, None] == np.array(labels)).astype(float)


def describe(evalset: EvaluationSet) -> pd.DataFrame:
    """Readability of a set's source: as a whole, and by domain and document where it has them.

    Parameters
    ----------
    evalset : EvaluationSet
        With texts.

    Returns
    -------
    DataFrame
        level (campaign, domain, document), name, segments, sentences, words, syllables, ASL, ASW,
        FRE, FKGL and, where there are NaNs, the reason.
    """
    import pandas as pd

    counts, tables = count(evalset.source, evalset.pair), []
    for level, labels in levels(evalset).items():
        names, members = membership(labels)
        sums = members @ counts
        frame = pd.DataFrame({"level": level, "name": names, "segments": members.sum(axis=1)})
        frame[["sentences", "words", "syllables"]] = sums
        tables.append(frame.assign(**readability(*sums.T)._asdict()))
    found = pd.concat(tables, ignore_index=True)
    none = np.where(found.words == 0, "the text has no words", "")
    return found.assign(reason=without_syllables(evalset.pair, evalset.source) or none)


def levels(evalset: EvaluationSet) -> dict[str, list[str]]:
    """What a set's segments are grouped by: labels of the segments, by level."""
    found = {"campaign": [evalset.campaign] * len(evalset.source)}
    found |= {"domain": evalset.domains, "document": evalset.documents}
    return {level: labels for level, labels in found.items() if labels}


class SourceReadability(Estimator):
    """Readability of the source segment by one measure; Flesch Reading Ease with its sign turned,
    so that higher is harder. A segment without words is as easy as the easiest one.

    Parameters
    ----------
    measure : {"ASL", "ASW", "FRE", "FKGL"}
    """

    information = "source"

    def __init__(self, measure: str = "FKGL") -> None:
        if measure not in PARAMETERS:
            raise ValueError(f"measure {measure}: expected one of {', '.join(PARAMETERS)}")
        self.measure = measure

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_source()
        if reason := without_syllables(evalset.pair, evalset.source):
            raise Missing(reason)
        found = readability(*count(evalset.source, evalset.pair).T)._asdict()[self.measure]
        values = -found if self.measure == "FRE" else found
        if np.isnan(values).all():
            raise Missing("the source has no words")
        return np.where(np.isnan(values), np.nanmin(values), values)

    @property
    def signature(self) -> str:
        return f"readability:{self.measure}|pyphen {metadata.version('pyphen')}"
