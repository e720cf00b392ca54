"""Evaluation sets (campaign × language pair): read, check, save and load."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from .. import storage
from ..errors import InputError, Missing, nearest
from . import campaign_files, checks, language
from .campaign_files import SegmentGold, reference_files, score_file, segment_gold_name
from .names import normal
from .score_files import check_gold, read_domain_gold, read_segment_gold
from .text_files import Sources, is_human, read_translation
from .text_formats import HYPOTHESIS, REFERENCE

NO_GOLD = "the set has no human scores"
NO_REFERENCE = "the set has no reference translation"
NO_SEGMENT_GOLD = "the set has no human scores of segments"
MISALIGNED = "the human scores of segments do not belong to the texts"


@dataclass(frozen=True)
class EvaluationSet:
    """The data of one evaluation set: systems that are ranked, all texts and human scores."""

    campaign: str = ""
    pair: str = ""
    reference_name: str = ""  # empty for none: then the segments of `reference` are empty
    gold_name: str = ""
    systems: list[str] = field(default_factory=list)  # the ranked ones, sorted by name
    gold: list[float] = field(default_factory=list)  # (systems,), higher is better; or empty
    left_out: dict[str, str] = field(default_factory=dict)  # why, by system
    source: list[str] = field(default_factory=list)
    reference: list[str] = field(default_factory=list)
    hypotheses: list[list[str]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)  # (segments,), or empty
    domains: list[str] = field(default_factory=list)  # (segments,), or empty
    # (systems, segments), None or NaN where a hypothesis has no human score; or empty
    segment_gold: list[list[float | None]] = field(default_factory=list)
    texts_missing: str | None = None  # why: then only metrics whose scores are stored can be used
    segment_gold_name: str = ""  # where it is not `gold_name`
    domain_gold: dict[str, list[float | None]] = field(default_factory=dict)
    outliers: list[str] = field(default_factory=list)  # ranked; the toolkit leaves them out
    segments: str = "rated"  # or "all": whether segments without human scores count
    canary: int = 0  # lines at the top of each of the archive's files that are no segments
    misaligned: str = "refuse"  # or "use": human scores of segments in another order than texts
    own_files: bool = False  # whether these are a user's files, not the archive's
    segment_gold_doubt: str = ""  # how the order differs
    text_doubts: list[str] = field(default_factory=list)  # sentences on what looks wrong
    gold_doubts: list[str] = field(default_factory=list)

    def require_texts(self) -> None:
        """Raise `Missing` if the archive has scores of this set but no texts."""
        if self.texts_missing:
            raise Missing(self.texts_missing)

    def require_reference(self) -> None:
        """Raise `Missing` if the set has no reference translation."""
        self.require_texts()
        if not self.reference_name:
            raise Missing(NO_REFERENCE)

    def require_source(self) -> None:
        """Raise `Missing` if the set has no source text."""
        self.require_texts()
        if not self.source:
            raise Missing("there is no source text")

    def require_gold(self) -> None:
        """Raise `Missing` if the set has no system-level human scores."""
        if not self.gold:
            raise Missing(NO_GOLD)

    def require_segment_gold(self) -> None:
        """Raise `Missing` if segment-level human scores are absent or left out as misaligned."""
        if not self.segment_gold:
            raise Missing(self.no_segment_gold)

    @property
    def gold_label(self) -> str:
        """Names of the system-level and, if different, the segment-level human scores, as text."""
        name = self.segment_gold_name
        return self.gold_name + f"; segments: {name}" * bool(name)

    @property
    def no_segment_gold(self) -> str:
        """The reason why the set has no segment-level human scores."""
        if not self.segment_gold_doubt:
            return NO_SEGMENT_GOLD
        return f"{MISALIGNED}: {self.segment_gold_doubt}"

    @property
    def notices(self) -> list[str]:
        """Warnings about suspicious human scores and texts of the set, a sentence each."""
        return [*self.gold_doubts, *self.text_doubts]


def checked(evalset: EvaluationSet, own_files: bool = False) -> EvaluationSet:
    """Return the set with warnings about its human scores and texts added. A user's own files
    (`own_files`) are checked more thoroughly. Segment-level scores that do not fit the texts are
    removed, unless `misaligned` is "use"."""
    if not evalset.reference:
        return evalset
    systems, reference, source = evalset.systems, evalset.reference, evalset.source
    doubt, gold_doubts, overlaps = "", [], {}
    segment_gold, gold = evalset.segment_gold, np.array(evalset.gold)
    segment_name = evalset.segment_gold_name or evalset.gold_name
    name = evalset.reference_name
    if name and not own_files:
        name = f"reference {name}"
    texts = dict(zip(systems, evalset.hypotheses, strict=True))
    copied_from = source if own_files else ()
    fit = checks.LineFit(texts, reference, copied_from) if name and texts else None
    text_doubts = checks.check_texts(texts, reference, source, name, own_files, fit)
    human_scores = np.array(segment_gold, dtype=float)
    if segment_gold:
        gold_doubts += checks.segment_sign_doubts(systems, human_scores, segment_name)
        doubt = checks.segment_gold_doubt(human_scores, evalset.hypotheses, reference, source)
    if doubt:
        consequence = "They are used all the same (`misaligned: use`)"
        if evalset.misaligned == "refuse":
            segment_gold = []
            consequence = (
                "They are left out: system scores are taken over all segments, and human scores of "
                "systems are used. To use them all the same, set `misaligned: use` in the set's "
                "entry in evaluation_sets"
            )
        gold_doubts.append(
            f"{segment_name}: {MISALIGNED}: {doubt}. Correct their order or sign. {consequence}."
        )
    if len(gold):
        if fit:
            overlaps = {"overlap with the reference": fit.overlaps.mean(axis=1)}
        gold_doubts += checks.find_doubts(systems, gold, evalset.gold_name, overlaps)
        if fit and segment_gold:
            metric = "the overlap with the reference"
            apart = checks.rated_apart(fit.overlaps, gold, human_scores, metric)
            gold_doubts += [f"{segment_name}: {apart}."] if apart else []
    return replace(
        evalset,
        segment_gold=segment_gold,
        segment_gold_doubt=doubt,
        text_doubts=text_doubts,
        gold_doubts=gold_doubts,
    )


def language_notices(evalset: EvaluationSet, metrics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return warnings about the target language of a set whose texts are aligned and scored by
    `metrics`, settings by name."""
    if not evalset.reference_name or not evalset.reference:
        return []
    types = {settings["type"] for settings in metrics.values()}
    return language.notices(evalset.pair, evalset.reference, types, split=True)


def save(path: str | Path, evalset: EvaluationSet) -> None:
    """Write an evaluation set to a JSON file."""
    storage.write_json(path, asdict(evalset))


def load(path: str | Path) -> EvaluationSet:
    """Read an evaluation set from a JSON file; raise `Missing` if the file marks a missing set."""
    return EvaluationSet(**storage.read_json(path))


def without_gold(evalset: EvaluationSet) -> EvaluationSet:
    """Return the set without human scores, as alignments, matches and metrics read it: new human
    scores change it only if a system gets its first score or loses its last."""
    scores: dict[str, Any] = {"gold": [], "segment_gold": [], "domain_gold": {}}
    scores |= {"segment_gold_name": "", "segment_gold_doubt": "", "gold_doubts": []}
    return replace(evalset, **scores, misaligned="refuse", outliers=[], segments="rated")


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
    """Read and check an evaluation set in the folder of an unpacked campaign. `reference` names
    `references/<pair>.<reference>.txt` or `.jsonl` (empty for none), `gold` names
    `human-scores/<pair>.<gold>.sys.score`; without `gold`, all outputs except human translations
    are ranked. For `segment_gold` see `segment_gold_name`. Systems in `exclude` are left out and,
    if `drop_outliers`, those in `outliers`, as by the official toolkit; for `segments` and
    `misaligned` see `EvaluationSet`. Raises `InputError` for bad input, and `Missing` if the
    archive has no human scores or no texts of the set."""
    folder, gold = Path(folder), gold or ""
    scores = campaign_files.read_gold(folder, pair, gold, texts_required) if gold else {}
    references, place = reference_files(folder, pair), folder / "system-outputs" / pair
    humans, sources, texts_missing = list(map(normal, references)), None, None
    try:
        outputs = campaign_files.find_outputs(folder, pair, reference)
        sources = campaign_files.read_archive_source(folder, pair)
    except Missing as missing:
        texts_missing = str(missing)
        if texts_required:
            raise InputError(texts_missing) from None
        if not scores:
            raise
        outputs = dict.fromkeys(scores, folder)
    check_gold(score_file(folder, pair, gold, "sys"), scores, outputs, place)
    known, of_segments, name = {*outputs, *humans}, {}, gold  # files of scores may name both
    if sources:
        name = segment_gold_name(folder, pair, gold, segment_gold)
        file, size = score_file(folder, pair, name, "seg"), len(sources.texts)
        of_segments = read_segment_gold(file, known, place, size, sources.canary)
    file = score_file(folder, pair, gold, "domain")
    return build_set(
        (outputs, references.get(reference), sources),
        (scores, of_segments, read_domain_gold(file, known, place, campaign_files.CANARY_DOMAIN)),
        exclude,
        humans,
        drop_outliers,
        campaign=campaign,
        pair=pair,
        reference_name=reference,
        gold_name=gold,
        texts_missing=texts_missing,
        segment_gold_name=name if of_segments and name != gold else "",
        outliers=list(map(normal, outliers)),
        segments=segments,
        misaligned=misaligned,
    )


def build_set(
    texts: tuple[Mapping[str, Path], Path | None, Sources | None],
    gold: tuple[Mapping[str, float], Mapping[str, list[float]], Mapping[str, Any]],
    exclude: Iterable[str] = (),
    humans: Collection[str] = (),
    drop_outliers: bool = False,
    own_files: bool = False,
    **fields: Any,
) -> EvaluationSet:
    """Select the systems to rank, read their texts, and check the set. `texts` are files of outputs
    by system, a reference file, and the source (None without texts); `gold` human scores of
    systems, segments and domains, by system; `humans` names of references; `own_files` whether
    these are a user's files; `fields` other fields of the set. Raises `InputError` for an unknown
    system in `exclude`, too few systems (below 3, or 2 without gold), and as `read_translation`."""
    (outputs, reference, sources), (scores, of_segments, of_domains) = texts, gold
    name, outliers = f"{fields['campaign']}/{fields['pair']}", fields.pop("outliers", [])
    exclude, left_out = list(map(normal, exclude)), {}
    for system in exclude:
        if system not in outputs:
            hint = nearest(system, outputs)
            raise InputError(f"config, {name}, exclude: no system {system}{hint}.")
    for system in sorted(outputs):
        if is_human(system, humans):
            left_out[system] = "a human translation"
        elif system in exclude:
            left_out[system] = "excluded by config"
        elif drop_outliers and system in outliers:
            left_out[system] = "an outlier by the official toolkit's list"
        elif scores and math.isnan(scores.get(system, math.nan)):
            left_out[system] = f"no {fields['gold_name']} score"
    systems, needed = sorted(set(outputs) - set(left_out)), 3 if fields["gold_name"] else 2
    if len(systems) < needed:
        with_gold = f" with gold {fields['gold_name']}" * bool(fields["gold_name"])
        raise InputError(
            f"{name}: {len(systems)} systems to rank{with_gold}, at least {needed} are needed. "
            f"Left out: {describe_left_out(left_out)}."
        )
    if sources:
        size, canary = len(sources.texts), sources.canary
        fields |= {"source": sources.texts, "canary": canary, "reference": [""] * size}
        fields |= {"documents": sources.documents, "domains": sources.domains}
        if reference:
            fields["reference"] = read_translation(reference, REFERENCE, size, canary)
        files = [outputs[system] for system in systems]
        fields["hypotheses"] = [read_translation(x, HYPOTHESIS, size, canary) for x in files]
        unrated = [math.nan] * size
        fields["segment_gold"] = [[*of_segments.get(x, unrated)] for x in systems if of_segments]
    evalset = EvaluationSet(
        systems=systems,
        gold=[scores[system] for system in systems] if scores else [],
        left_out=left_out,
        domain_gold={part: [*map(of_domains[part].get, systems)] for part in of_domains},
        outliers=[system for system in systems if system in outliers],
        own_files=own_files,
        **fields,
    )
    return checked(evalset, own_files)


def describe_left_out(left_out: dict[str, str]) -> str:
    """Return left-out systems with reasons as text, `A (reason), B (reason)`; `none` if empty."""
    return ", ".join(f"{system} ({why})" for system, why in left_out.items()) or "none"


# The result files of a set, as a job reads them

READERS = {".csv": storage.read_table, ".json": storage.read_json, ".npz": storage.read_arrays}


@dataclass(frozen=True)
class SetFiles:
    """The files of a set that a job reads, by path in the set's folder: an evaluation set, table,
    arrays, JSON, text, or a `Missing` with the reason if there is no result."""

    name: str
    contents: dict[str, Any] = field(default_factory=dict)

    def __contains__(self, file: str) -> bool:
        return file in self.contents

    def read(self, file: str) -> Any:
        """Return a file's content; raise `Missing` if it holds a reason instead of a result."""
        if isinstance(content := self.contents[file], Missing):
            raise Missing(str(content))
        return content

    def optional(self, file: str) -> Any:
        """Return a file's content; None if it is absent or holds a reason instead of a result."""
        content = self.contents.get(file)
        return None if isinstance(content, Missing) else content

    def reason(self, file: str) -> str:
        """Return why a file holds no result; empty text if it holds a result or is absent."""
        content = self.contents.get(file)
        return str(content) if isinstance(content, Missing) else ""

    def missing_scores(self) -> dict[tuple[str, str], str]:
        """Return the reasons in `missing.csv` why scores are missing, by (metric, weighting)."""
        rows = self.read("missing.csv").itertuples()
        return {(row.metric, row.weighting): row.reason for row in rows}


def read_set(name: str, files: Iterable[str]) -> SetFiles:
    """Read those of `files` that lie in the folder of set `name`; return their contents by path."""
    contents: dict[str, Any] = {}
    for file in files:
        if f"/{name}/" not in file:
            continue
        path, place = Path(file), file.rpartition(f"/{name}/")[2]
        try:
            storage.check_present(path)
            if path.name in ("evalset.json", "texts.json"):
                contents[place] = load(path)
            elif path.suffix in READERS:
                contents[place] = READERS[path.suffix](path)
            else:
                contents[place] = path.read_text(encoding="utf-8")
        except Missing as missing:
            contents[place] = missing
    return SetFiles(name, contents)


def read_tables(
    names: Iterable[str], files: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a CSV file per set; return dicts by set: the tables, and reasons for missing tables."""
    tables, absent = {}, {}
    for name, file in zip(names, files, strict=True):
        try:
            tables[name] = storage.read_table(file)
        except Missing as reason:
            absent[name] = str(reason)
    return tables, absent
