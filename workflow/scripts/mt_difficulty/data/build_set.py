"""Build an evaluation set from texts and human scores that were read: choose the systems, check."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..errors import InputError, nearest
from ..settings import GoldSettings
from . import gold_checks, order_checks, text_checks
from .campaign_files import SegmentGold
from .evalset import MISALIGNED, EvaluationSet, describe_left_out
from .line_fit import LineFit, reference_overlaps
from .names import normal
from .text_files import Sources, is_human, read_translation
from .text_formats import HYPOTHESIS, REFERENCE


class ImportSettings(NamedTuple):
    """What a config says of how an evaluation set is read.

    Attributes
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    reference : str, optional
        Name of the reference; empty for none. In a user's folder by default the only one.
    gold : str
        Name of the human scores of systems, in the archive or of `rating_gold`; empty for none.
    segment_gold : str or sequence of str, optional
        Name of the human scores of segments, or several of which the first that exists is taken; by
        default `gold`.
    exclude : sequence of str
        Systems that are left out.
    ranked_references : sequence of str
        Further references, which are human translations, that are ranked as systems.
    outliers : sequence of str
        Systems that the official toolkit leaves out of correlations.
    drop_outliers : bool
        Whether `outliers` are left out.
    segments, misaligned : str
        As in `EvaluationSet`.
    texts_required : bool
        Whether a set of the archive without texts is an error.
    own_files : bool
        Whether the set is in a user's folder, not in the archive.
    annotations : sequence of str
        Files of ratings from which the human scores are computed.
    rating_gold : GoldSettings, optional
        How these ratings become human scores; `gold` is its name.
    rated : sequence of str
        The systems that these files rate.
    """

    campaign: str
    pair: str
    reference: str | None = None
    gold: str = ""
    segment_gold: SegmentGold = None
    exclude: Sequence[str] = ()
    ranked_references: Sequence[str] = ()
    outliers: Sequence[str] = ()
    drop_outliers: bool = False
    segments: str = "rated"
    misaligned: str = "refuse"
    texts_required: bool = True
    own_files: bool = False
    annotations: Sequence[str] = ()
    rating_gold: GoldSettings | None = None
    rated: Sequence[str] = ()

    @property
    def of_texts(self) -> "ImportSettings":
        """The settings on which the texts of a set depend, the others at their defaults."""
        outliers = self.outliers if self.drop_outliers else ()
        return self._replace(
            gold="human" if self.annotations else self.gold,
            segment_gold=None,
            outliers=outliers,
            segments="rated",
            misaligned="refuse",
            annotations=(),
            rating_gold=None,
        )


@dataclass(frozen=True)
class TextFiles:
    """The files of a set's texts.

    Attributes
    ----------
    outputs : mapping of str to Path
        By system.
    sources : Sources, optional
        The source text, documents and domains that were read; None for a set without texts.
    reference : Path, optional
        None for a set without a reference.
    reference_name : str
    human : collection of str
        Names of references, which among the outputs are human translations.
    missing : str, optional
        Why there are no texts.
    """

    outputs: Mapping[str, Path]
    sources: Sources | None
    reference: Path | None = None
    reference_name: str = ""
    human: Collection[str] = ()
    missing: str | None = None


@dataclass(frozen=True)
class HumanScores:
    """Human scores by system.

    Attributes
    ----------
    system_scores : mapping of str to float
        Higher is better; NaN is missing.
    segment_scores : mapping of str to list of float
        A score for each segment; NaN is missing. Empty if there are none.
    domain_scores : mapping of str to mapping of str to float
        Scores of systems by domain; None is missing.
    segment_name : str
        Name of those of segments, where it is another than of those of systems.
    covariance : list of list of float
        (ranked systems, ranked systems), of the errors of the scores; empty if unknown.
    degrees : list of float
        (ranked systems,), degrees of freedom of these errors; empty for normal errors.
    """

    system_scores: Mapping[str, float]
    segment_scores: Mapping[str, list[float]] = field(default_factory=dict)
    domain_scores: Mapping[str, Mapping[str, float | None]] = field(default_factory=dict)
    segment_name: str = ""
    covariance: list[list[float]] = field(default_factory=list)
    degrees: list[float] = field(default_factory=list)


def build_texts(
    texts: TextFiles, rated: Collection[str] | None, gold_name: str, settings: ImportSettings
) -> EvaluationSet:
    """Choose the systems to rank, read their texts, and check them.

    Parameters
    ----------
    texts : TextFiles
    rated : collection of str, optional
        Systems with a human score, which are ranked; None for a set without human scores, of which
        all systems are ranked.
    gold_name : str
        Name of the human scores.
    settings : ImportSettings

    Returns
    -------
    EvaluationSet
        Without human scores, and with warnings about the texts.

    Raises
    ------
    InputError
        For an unknown system in `exclude` or `ranked_references`, for less than 3 systems to rank
        (2 without human scores), and as `read_translation` does.
    """
    left_out = _left_out(texts, rated, gold_name, settings)
    systems = sorted(set(texts.outputs) - set(left_out))
    needed = 2
    with_gold = ""
    if gold_name:
        needed = 3
        with_gold = f" with gold {gold_name}"
    if len(systems) < needed:
        raise InputError(
            f"{settings.campaign}/{settings.pair}: {len(systems)} systems to rank{with_gold}, at "
            f"least {needed} are needed. Left out: {describe_left_out(left_out)}."
        )
    evalset = EvaluationSet(
        campaign=settings.campaign,
        pair=settings.pair,
        reference_name=texts.reference_name,
        gold_name=gold_name,
        systems=systems,
        left_out=left_out,
        texts_missing=texts.missing,
        own_files=settings.own_files,
    )
    sources = texts.sources
    if not sources:
        return evalset
    segments = len(sources.texts)
    canary = sources.canary
    reference = [""] * segments
    if texts.reference:
        reference = read_translation(texts.reference, REFERENCE, segments, canary)
    evalset = replace(
        evalset,
        source=sources.texts,
        reference=reference,
        hypotheses=[
            read_translation(texts.outputs[system], HYPOTHESIS, segments, canary)
            for system in systems
        ],
        documents=sources.documents,
        domains=sources.domains,
        canary=canary,
    )
    return replace(evalset, text_doubts=text_doubts(evalset))


def _left_out(
    texts: TextFiles, rated: Collection[str] | None, gold_name: str, settings: ImportSettings
) -> dict[str, str]:
    """Return the systems that are not ranked, with the reason."""
    exclude = [normal(system) for system in settings.exclude]
    ranked = [normal(system) for system in settings.ranked_references]
    outliers = [normal(system) for system in settings.outliers]
    set_name = f"{settings.campaign}/{settings.pair}"
    for key, named in (("exclude", exclude), ("ranked_references", ranked)):
        for system in named:
            if system not in texts.outputs:
                hint = nearest(system, texts.outputs)
                raise InputError(f"config, {set_name}, {key}: no system {system}{hint}.")
    if texts.reference_name in ranked:
        raise InputError(
            f"config, {set_name}, ranked_references: {texts.reference_name} is the set's "
            "reference; name a further one."
        )
    left_out = {}
    for system in sorted(texts.outputs):
        if is_human(system, texts.human) and system not in ranked:
            left_out[system] = "a human translation"
        elif system in exclude:
            left_out[system] = "excluded by config"
        elif settings.drop_outliers and system in outliers:
            left_out[system] = "an outlier by the official toolkit's list"
        elif rated is not None and system not in rated:
            left_out[system] = f"no {gold_name} score"
    return left_out


def text_doubts(evalset: EvaluationSet) -> list[str]:
    """Return warnings about the texts of a set, a sentence each. A user's own files are checked
    more thoroughly."""
    own_files = evalset.own_files
    name = evalset.reference_name
    if name and not own_files:
        name = f"reference {name}"
    hypotheses = dict(zip(evalset.systems, evalset.hypotheses, strict=True))
    fit = None
    if name and hypotheses:
        source = evalset.source if own_files else ()
        fit = LineFit(hypotheses, evalset.reference, source)
    return text_checks.check_texts(
        hypotheses,
        reference=evalset.reference,
        source=evalset.source,
        name=name,
        thorough=own_files,
        fit=fit,
    )


def add_gold(texts: EvaluationSet, human: HumanScores, settings: ImportSettings) -> EvaluationSet:
    """Add human scores to the texts of a set, and check them against the texts.

    Parameters
    ----------
    texts : EvaluationSet
        Of `build_texts`.
    human : HumanScores
    settings : ImportSettings

    Returns
    -------
    EvaluationSet
        With warnings about the human scores. Those of segments that do not fit the texts are left
        out, unless `misaligned` is "use".
    """
    systems = texts.systems
    segment_gold: list[list[float | None]] = []
    if human.segment_scores and texts.reference:
        unrated = [np.nan] * len(texts.reference)
        segment_gold = [list(human.segment_scores.get(system, unrated)) for system in systems]
    outliers = list(map(normal, settings.outliers))
    evalset = replace(
        texts,
        gold=[human.system_scores[system] for system in systems] if human.system_scores else [],
        segment_gold=segment_gold,
        segment_gold_name=human.segment_name,
        domain_gold={
            domain: [scores.get(system) for system in systems]
            for domain, scores in human.domain_scores.items()
        },
        outliers=[system for system in systems if system in outliers],
        segments=settings.segments,
        misaligned=settings.misaligned,
        gold_name=settings.gold or texts.gold_name,
        gold_covariance=human.covariance,
        gold_degrees=human.degrees,
    )
    return check_gold(evalset)


def check_gold(evalset: EvaluationSet) -> EvaluationSet:
    """Return a set with warnings about its human scores, and without human scores of segments that
    do not fit the texts, unless `misaligned` is "use"."""
    if not evalset.reference:
        return evalset
    systems = evalset.systems
    reference = evalset.reference
    name = evalset.segment_gold_name or evalset.gold_name
    gold = np.array(evalset.gold)
    segment_gold = evalset.segment_gold
    scores = np.array(segment_gold, dtype=float)
    doubts = []
    order_doubt = ""
    if segment_gold:
        doubts += gold_checks.segment_sign_doubts(systems, scores, name)
        order_doubt = order_checks.segment_gold_doubt(
            scores, evalset.hypotheses, reference, evalset.source
        )
    if order_doubt:
        consequence = "They are used all the same (`misaligned: use`)"
        if evalset.misaligned == "refuse":
            segment_gold = []
            consequence = (
                "They are left out: system scores are taken over all segments, and human scores of "
                "systems are used. To use them all the same, set `misaligned: use` in the set's "
                "entry in evaluation_sets"
            )
        doubts.append(
            f"{name}: {MISALIGNED}: {order_doubt}. Correct their order or sign. {consequence}."
        )
    if len(gold):
        overlaps = None
        if evalset.reference_name and evalset.hypotheses:
            hypotheses = dict(zip(systems, evalset.hypotheses, strict=True))
            overlaps = reference_overlaps(hypotheses, reference)
        doubts += _system_doubts(evalset, overlaps)
        if overlaps is not None and segment_gold:
            metric = "the overlap with the reference"
            apart = gold_checks.rated_apart(overlaps, gold, scores, metric)
            if apart:
                doubts.append(f"{name}: {apart}.")
    return replace(
        evalset, segment_gold=segment_gold, segment_gold_doubt=order_doubt, gold_doubts=doubts
    )


def _system_doubts(evalset: EvaluationSet, overlaps: np.ndarray | None) -> list[str]:
    """Return warnings about the human scores of systems; `overlaps` as of `reference_overlaps`."""
    quality = {}
    if overlaps is not None:
        quality["overlap with the reference"] = overlaps.mean(axis=1)
    return gold_checks.find_doubts(
        evalset.systems, np.array(evalset.gold), evalset.gold_name, quality
    )
