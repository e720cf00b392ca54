"""Evaluation sets: campaign × language pair, read from the archive's files and checked."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import storage
from ..errors import InputError, Missing, nearest
from . import gold_checks, language, text_checks
from .campaign_files import (
    CANARY_DOMAIN,
    REFERENCE,
    SegmentGold,
    find_outputs,
    gold_file,
    read_archive_texts,
    read_gold,
    reference_files,
    score_file,
    segment_gold_name,
)
from .score_files import check_gold, read_domain_gold, read_segment_gold
from .text_files import is_human, listed, normal

NO_GOLD = "the set has no human scores"
NO_REFERENCE = "the set has no reference translation"
NO_SEGMENT_GOLD = "the set has no human scores of segments"


@dataclass(frozen=True)
class EvaluationSet:
    """One campaign and language pair.

    `systems` are the ranked ones, sorted by name; `gold` has one score each, higher is
    better, or none at all in a set of own files. `hypotheses[s][i]` is system s's output for
    segment i. `left_out` says why an output or a gold score takes no part. Without texts
    (`texts_missing` says why), only metrics whose scores the archive stores can be used.
    `documents[i]` and `domains[i]` say where segment i comes from, and `segment_gold[s][i]` is its
    human score, None where it has none; each is empty where there is no such file.
    `segment_gold_name` is the name of those scores where it is not `gold_name`. `domain_gold[d][s]`
    is system s's human score in domain d, None where it has none. `outliers` are ranked systems
    that the official toolkit leaves out of its correlations. `segments` is "rated" or "all".
    `canary` lines stand at the top of each of the archive's files before the first segment.
    `untranslated` is how many segments, empty here, a system (or `reference`) did not translate.
    A set without a reference has an empty `reference_name`, and empty segments as `reference`.
    `segment_gold_doubt` says why human scores of segments do not belong to the texts; they are left
    out unless `misaligned` is "use". `text_doubts` and `gold_doubts` are sentences on texts and on
    human scores that look wrong.
    """

    campaign: str
    pair: str
    reference_name: str
    gold_name: str
    systems: list[str]
    gold: list[float]
    left_out: dict[str, str] = field(default_factory=dict)
    source: list[str] = field(default_factory=list)
    reference: list[str] = field(default_factory=list)
    hypotheses: list[list[str]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    domains: list[str] = field(default_factory=list)
    segment_gold: list[list[float | None]] = field(default_factory=list)
    texts_missing: str | None = None
    segment_gold_name: str = ""
    domain_gold: dict[str, list[float | None]] = field(default_factory=dict)
    outliers: list[str] = field(default_factory=list)
    segments: str = "rated"
    canary: int = 0
    untranslated: dict[str, int] = field(default_factory=dict)
    misaligned: str = "refuse"
    segment_gold_doubt: str = ""
    text_doubts: list[str] = field(default_factory=list)
    gold_doubts: list[str] = field(default_factory=list)

    def require_texts(self) -> None:
        """Raise `Missing` where the archive has only scores."""
        if self.texts_missing:
            raise Missing(self.texts_missing)

    def require_reference(self) -> None:
        """Raise `Missing` where there is no reference translation."""
        self.require_texts()
        if not self.reference_name:
            raise Missing(NO_REFERENCE)

    def require_source(self) -> None:
        """Raise `Missing` where there is no source text."""
        self.require_texts()
        if not self.source:
            raise Missing("there is no source text")

    def require_gold(self) -> None:
        """Raise `Missing` where people have scored no system."""
        if not self.gold:
            raise Missing(NO_GOLD)

    @property
    def gold_label(self) -> str:
        """The names of the human scores: of systems and, where it differs, of segments."""
        return self.gold_name + f"; segments: {self.segment_gold_name}" * bool(
            self.segment_gold_name
        )

    @property
    def no_segment_gold(self) -> str:
        """Why there are no human scores of segments, where there are none."""
        if not self.segment_gold_doubt:
            return NO_SEGMENT_GOLD
        return f"the human scores of segments do not belong to the texts: {self.segment_gold_doubt}"

    def require_segment_gold(self) -> None:
        """Raise `Missing` where people have scored no segment, or other texts than these."""
        if not self.segment_gold:
            raise Missing(self.no_segment_gold)


def notices(found: EvaluationSet) -> list[str]:
    """What is odd about a set's texts; nothing of a set without texts."""
    if not found.reference:
        return []
    notices = language.notices(found.pair, found.reference) if found.reference_name else []
    notices += [*doubts(found), *reference_gaps(found)]
    texts = zip(found.systems, found.hypotheses, strict=True)
    silent = [system for system, segments in texts if text_checks.is_empty(segments)]
    if silent:
        notices.append(f"every hypothesis is empty: {listed(silent)}.")
    return notices


def doubts(found: EvaluationSet) -> list[str]:
    """Sentences on human scores and texts that look wrong."""
    sentences = [*found.gold_doubts, *found.text_doubts]
    if found.segment_gold_doubt:
        consequence = "They are used all the same (`misaligned: use`)"
        if not found.segment_gold:
            consequence = (
                "They are left out: system scores are taken over all segments, and human scores of "
                "systems are used. To use them all the same, set `misaligned: use` in the set's "
                "entry in evaluation_sets"
            )
        name = found.segment_gold_name or found.gold_name
        doubt = f"{name}: {found.no_segment_gold}. Correct their order or sign. {consequence}."
        sentences.insert(0, doubt)
    return sentences


def reference_gaps(found: EvaluationSet) -> list[str]:
    """Sentences on segments without a reference translation."""
    absent, total = found.untranslated.get(REFERENCE, 0), len(found.reference)
    empty = sum(not segment.strip() for segment in found.reference) - absent
    gaps = []
    if absent:
        gaps.append(
            f"{absent} of {total} segments have no reference translation, and no hypothesis can "
            "match them."
        )
    if empty and found.reference_name:
        gaps.append(
            f"{empty} of {total} reference segments are empty: no hypothesis can match them."
        )
    return gaps


def checked(
    found: EvaluationSet, texts: Mapping[str, Sequence[str]] | None = None
) -> EvaluationSet:
    """The set with doubts about its human scores and its texts; scores of segments that do not
    belong to the texts are left out, unless it is to use them.

    Parameters
    ----------
    found : EvaluationSet
    texts : dict of str to sequence of str, optional
        Hypotheses of own files by file, which are checked more thoroughly than those of an archive.
    """
    if not found.reference:
        return found
    hypotheses = texts or dict(zip(found.systems, found.hypotheses, strict=True))
    name = found.reference_name if texts else f"reference {found.reference_name}"
    text_doubts = text_checks.check_texts(
        hypotheses, found.reference, found.source, name, thorough=bool(texts)
    )
    segment_gold = np.array(found.segment_gold, dtype=float)
    doubt = segment_gold_doubt(found, segment_gold)
    gold_doubts, quality = [], {}
    if found.gold:
        if found.reference_name:
            overlaps = text_checks.mean_overlaps(found.hypotheses, found.reference)
            quality = {"overlap with the reference": overlaps}
        gold_doubts = gold_checks.find_doubts(
            found.systems,
            np.array(found.gold),
            segment_gold if segment_gold.size else np.empty((len(found.systems), 0)),
            found.gold_name,
            quality,
            same=not found.segment_gold_name,
        )
    return replace(
        found,
        segment_gold=[] if doubt and found.misaligned == "refuse" else found.segment_gold,
        segment_gold_doubt=doubt,
        text_doubts=text_doubts,
        gold_doubts=gold_doubts,
    )


def segment_gold_doubt(found: EvaluationSet, gold: np.ndarray) -> str:
    """Why human scores of a set's segments, (systems, segments), do not belong to its texts; empty
    where they do, or where that cannot be told."""
    texts = found.hypotheses, found.reference, found.source, found.documents, found.domains
    return gold_checks.segment_gold_doubt(gold, *texts) if np.isfinite(gold).any() else ""


def save(path: str | Path, evalset: EvaluationSet) -> None:
    """Write an evaluation set as one JSON file."""
    storage.write_json(path, asdict(evalset))


def load(path: str | Path) -> EvaluationSet:
    """Read an evaluation set; raises `Missing` for a set that is not in the archive."""
    return EvaluationSet(**storage.read_json(path))


def without_gold(evalset: EvaluationSet) -> EvaluationSet:
    """The ranked systems and their texts: what alignments, matches and metrics are made from. It
    does not change with a human score, unless a system gets its first one or loses it."""
    scores: dict[str, Any] = {"gold": [], "segment_gold": [], "domain_gold": {}}
    scores |= {"segment_gold_name": "", "segment_gold_doubt": "", "gold_doubts": []}
    scores |= {"misaligned": "refuse"}
    return replace(evalset, **scores, outliers=[], segments="rated")


def read_evaluation_set(
    folder: str | Path,
    campaign: str,
    pair: str,
    reference: str,
    gold: str | None = None,
    exclude: Sequence[str] = (),
    texts_required: bool = True,
    segment_gold: SegmentGold = None,
    outliers: Sequence[str] = (),
    segments: str = "rated",
    drop_outliers: bool = False,
    misaligned: str = "refuse",
) -> EvaluationSet:
    """Read and check one evaluation set of an unpacked campaign.

    Parameters
    ----------
    folder : path
        The campaign's folder, in the archive's layout.
    reference : str
        As in `references/<pair>.<reference>.txt`, or `.jsonl`; empty for none.
    gold : str, optional
        As in `human-scores/<pair>.<gold>.sys.score`; None or empty for a set without human
        scores, of which all outputs but human translations are ranked.
    exclude : sequence of str
        Systems to leave out of the ranking, beside references and humans.
    texts_required : bool
        Whether a set of which the archive holds only scores is an error.
    segment_gold : str or sequence of str, optional
        As in `human-scores/<pair>.<segment_gold>.seg.score`, if it is not the gold; of several the
        first of which there is a file. There need be none.
    outliers : sequence of str
        Systems that the official toolkit leaves out; there need be no output of them.
    segments : {"rated", "all"}
        Kept as it is.
    drop_outliers : bool
        Whether outliers are left out here, too.
    misaligned : {"refuse", "use"}
        What becomes of human scores of segments that do not belong to the texts in this order.

    Raises
    ------
    InputError
        Bad input; the message names file, line or system, what was expected and what to do.
    Missing
        Texts are not required, and the archive has no human scores of the set, or, where none are
        asked for, no texts.
    """
    folder, gold = Path(folder), gold or ""
    scores = read_gold(folder, pair, gold, texts_required) if gold else {}
    texts_missing = None
    try:
        outputs = find_outputs(folder, pair, reference)
    except Missing as missing:
        texts_missing = str(missing)
        if texts_required:
            raise InputError(texts_missing) from None
        if not scores:
            raise
        outputs = dict.fromkeys(scores, folder)
    place = folder / "system-outputs" / pair
    check_gold(gold_file(folder, pair, gold), scores, outputs, place)
    outliers = list(map(normal, outliers))
    humans = list(map(normal, reference_files(folder, pair)))
    systems, left_out = rank_systems(
        f"{campaign}/{pair}", outputs, scores, gold, exclude, humans, outliers * drop_outliers
    )
    texts: dict[str, Any] = {}
    if not texts_missing:
        files = {system: outputs[system] for system in systems}
        texts = read_archive_texts(folder, pair, reference, files)
    segments_read, canary = len(texts.get("source", ())), texts.get("canary", 0)
    # Files of scores may name outputs and humans.
    known, segment_scores = {*outputs, *humans}, {}
    name = segment_gold_name(folder, pair, gold, segment_gold)
    if segments_read:
        file = score_file(folder, pair, name, "seg")
        segment_scores = read_segment_gold(file, known, place, segments_read, canary)
    unrated: list[float | None] = [math.nan] * segments_read
    found = EvaluationSet(
        campaign=campaign,
        pair=pair,
        reference_name=reference,
        gold_name=gold,
        systems=systems,
        gold=[scores[system] for system in systems] if scores else [],
        left_out=left_out,
        segment_gold=[
            [*segment_scores.get(system, unrated)] for system in systems if segment_scores
        ],
        texts_missing=texts_missing,
        segment_gold_name=name if segment_scores and name != gold else "",
        domain_gold=read_domain_gold(
            score_file(folder, pair, gold, "domain"),
            known,
            place,
            systems,
            set(texts.get("domains", ())),
            [CANARY_DOMAIN] * canary,
        ),
        outliers=[system for system in systems if system in outliers],
        segments=segments,
        misaligned=misaligned,
        **texts,
    )
    return checked(found)


def rank_systems(
    name: str,
    outputs: Collection[str],
    scores: Mapping[str, float],
    gold: str,
    exclude: Iterable[str] = (),
    references: Collection[str] = (),
    outliers: Collection[str] = (),
) -> tuple[list[str], dict[str, str]]:
    """The systems that are ranked, sorted, and why others take no part: the first reason that
    applies.

    Parameters
    ----------
    name : str
        Of the set.
    scores : dict of str to float
        Human ones by system; empty for a set without.
    references, outliers : collection of str
        Outputs that are not ranked.

    Raises
    ------
    InputError
        The config excludes a system that is not there; fewer than three systems are left to
        correlate with human scores, or than two without.
    """
    exclude = list(map(normal, exclude))
    for system in exclude:
        if system not in outputs:
            raise InputError(
                f"config, {name}, exclude: no system {system}{nearest(system, outputs)}."
            )
    left_out = {}
    for system in sorted(outputs):
        if is_human(system, references):
            left_out[system] = "a human translation"
        elif system in exclude:
            left_out[system] = "excluded by config"
        elif system in outliers:
            left_out[system] = "an outlier by the official toolkit's list"
        elif scores and math.isnan(scores.get(system, math.nan)):
            left_out[system] = f"no {gold} score"
    systems, needed = sorted(set(outputs) - set(left_out)), 3 if gold else 2
    if len(systems) < needed:
        raise InputError(
            f"{name}: {len(systems)} systems to rank{f' with gold {gold}' if gold else ''}, at "
            f"least {needed} are needed. Left out: {describe_left_out(left_out)}."
        )
    return systems, left_out


def describe_left_out(left_out: dict[str, str]) -> str:
    """What takes no part in the ranking, and why."""
    return listed(f"{system} ({reason})" for system, reason in left_out.items()) or "none"
