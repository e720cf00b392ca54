"""Evaluation sets: campaign × language pair, read from the archive's files and checked."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from .. import storage
from ..errors import InputError, Missing, nearest
from . import language
from .campaign_files import gold_file, output_files
from .ranked import (
    HUMAN,
    check_any_score,
    check_excluded,
    check_gold,
    describe_left_out,
    leave_out,
    listed,
)
from .text_files import (
    by_system,
    normal,
    read_segment_scores,
    read_segments,
    read_system_scores,
    score_lines,
)

NO_GOLD = "the set has no human scores (gold.tsv)"


@dataclass(frozen=True)
class EvaluationSet:
    """One campaign and language pair.

    `systems` are the ranked ones, sorted by name; `gold` has one score each, higher is
    better, or none at all in a set of own files. `hypotheses[s][i]` is system s's output for
    segment i. `left_out` says why an output or a gold score takes no part. Without texts
    (`texts_missing` says why), only metrics whose scores the archive stores can be used.
    `documents[i]` and `domains[i]` say where segment i comes from, and `segment_gold[s][i]` is its
    human score, None where it has none; each is empty where there is no such file.
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
    segments: str = "rated"

    def require_texts(self) -> None:
        """Raise `Missing` where the archive has only scores."""
        if self.texts_missing:
            raise Missing(self.texts_missing)

    def require_source(self) -> None:
        """Raise `Missing` where there is no source text."""
        self.require_texts()
        if not self.source:
            raise Missing("there is no source text")

    def require_gold(self) -> None:
        """Raise `Missing` where people have scored no system."""
        if not self.gold:
            raise Missing(NO_GOLD)


def notices(found: EvaluationSet) -> list[str]:
    """What is odd about a set's texts; nothing of a set without texts."""
    if not found.reference:
        return []
    notices = language.notices(found.pair, found.reference)
    if empty := sum(not segment.strip() for segment in found.reference):
        notices.append(
            f"{empty} of {len(found.reference)} reference segments are empty: no hypothesis can "
            "match them."
        )
    texts = zip(found.systems, found.hypotheses, strict=True)
    silent = [system for system, segments in texts if not any(map(str.strip, segments))]
    if silent:
        notices.append(f"every hypothesis is empty: {listed(silent)}.")
    return notices


def save(path: str | Path, evalset: EvaluationSet) -> None:
    """Write an evaluation set as one JSON file."""
    storage.write_json(path, asdict(evalset))


def load(path: str | Path) -> EvaluationSet:
    """Read an evaluation set; raises `Missing` for a set that is not in the archive."""
    return EvaluationSet(**storage.read_json(path))


def without_gold(evalset: EvaluationSet) -> EvaluationSet:
    """The ranked systems and their texts: what alignments, matches and metrics are made from. It
    does not change with a human score, unless a system gets its first one or loses it."""
    return replace(evalset, gold=[], segment_gold=[])


def read_evaluation_set(
    folder: str | Path,
    campaign: str,
    pair: str,
    reference: str,
    gold: str,
    exclude: Sequence[str] = (),
    texts_required: bool = True,
) -> EvaluationSet:
    """Read and check one evaluation set of an unpacked campaign.

    Parameters
    ----------
    folder : path
        The campaign's folder, in the archive's layout.
    reference, gold : str
        Names as in `references/<pair>.<reference>.txt`, `human-scores/<pair>.<gold>.sys.score`.
    exclude : sequence of str
        Systems to leave out of the ranking, beside references and humans.
    texts_required : bool
        Whether a set of which the archive holds only scores is an error.

    Raises
    ------
    InputError
        Bad input; the message names file, line or system, what was expected and what to do.
    Missing
        Not required, and the archive has no human scores for it.
    """
    folder = Path(folder)
    scores = _read_gold(folder, pair, gold, texts_required)
    references = _reference_names(folder, pair)
    outputs, texts_missing = dict.fromkeys(scores, folder), None
    try:
        outputs = _find_texts(folder, pair, reference, references)
    except Missing as missing:
        if texts_required:
            raise InputError(str(missing)) from None
        texts_missing = str(missing)
    check_gold(gold_file(folder, pair, gold), scores, outputs, folder / "system-outputs" / pair)
    exclude, humans = ([normal(name) for name in names] for names in (exclude, references))
    check_excluded(exclude, outputs, campaign, pair)
    left_out = leave_out(outputs, scores, humans, exclude, gold)
    systems = sorted(set(outputs) - set(left_out))
    if len(systems) < 3:
        raise InputError(
            f"{campaign}/{pair}: {len(systems)} systems to rank with gold {gold}, at least 3 are "
            f"needed. Left out: {describe_left_out(left_out)}."
        )
    texts: dict[str, Any] = {}
    if not texts_missing:
        texts = _read_segments_of_set(folder, pair, reference, gold, systems, outputs)
    return EvaluationSet(
        campaign=campaign,
        pair=pair,
        reference_name=reference,
        gold_name=gold,
        systems=systems,
        gold=[scores[system] for system in systems],
        left_out=left_out,
        texts_missing=texts_missing,
        **texts,
    )


def _read_segments_of_set(
    folder: Path, pair: str, reference: str, gold: str, systems: list[str], outputs: dict[str, Path]
) -> dict[str, Any]:
    """What a set knows of its segments: texts, documents and human scores."""
    source, references = folder / "sources" / f"{pair}.txt", folder / "references"
    files = [outputs[name] for name in systems]
    found = read_texts(source, references / f"{pair}.{reference}.txt", files)
    segments = len(found["source"])
    found |= _read_documents(folder, pair, segments)
    scores = _read_segment_gold(folder, pair, gold, outputs, segments)
    none = [math.nan] * segments
    rows = [scores.get(system, none) for system in systems] if scores else []
    return found | {"segment_gold": rows}


def _read_gold(folder: Path, pair: str, gold: str, required: bool) -> dict[str, float]:
    path = gold_file(folder, pair, gold)
    if not path.is_file():
        names = _middles(path.parent, pair, ".sys.score")
        there = listed(names) or "none"
        if required:
            message = f"{path}: no such file. Human scores of {pair} here: {there}"
            hint = nearest(gold, names) if names else _other_pairs(path.parent, pair)
            raise InputError(f"{message}{hint}.")
        raise Missing(f"the archive has no {gold} scores of {folder.name} {pair} (there: {there})")
    scores = read_system_scores(path)
    check_any_score(path, scores, "Choose another gold.")
    return scores


def _other_pairs(folder: Path, pair: str) -> str:
    """The pairs of a campaign that have human scores."""
    pairs = sorted({path.name.split(".")[0] for path in folder.glob("*.sys.score")})
    return f". Pairs that have any: {listed(pairs) or 'none'}{nearest(pair, pairs)}"


def _reference_names(folder: Path, pair: str) -> list[str]:
    return _middles(folder / "references", pair, ".txt")


def _find_texts(folder: Path, pair: str, reference: str, references: list[str]) -> dict[str, Path]:
    """The outputs' files by system; `Missing` where the pair has no texts at all."""
    outputs = by_system(output_files(folder / "system-outputs" / pair))
    if not outputs or not references:
        what = "system outputs" if references else "references"
        raise Missing(f"the archive has no {what} of {folder.name} {pair}, only scores")
    if reference not in references:
        raise InputError(
            f"{folder / 'references'}: no reference {reference} for {pair}. "
            f"There are: {listed(references)}{nearest(reference, references)}."
        )
    return outputs


def read_texts(source_file: Path, reference_file: Path, outputs: Iterable[Path]) -> dict[str, Any]:
    """Source, reference and outputs, one segment a line.

    Raises
    ------
    InputError
        No source, a file that is not UTF-8, or another number of lines than the source has.
    """
    if not source_file.is_file():
        raise InputError(f"{source_file}: no such file. Every set needs its source text.")
    source = read_segments(source_file)
    if not source:
        raise InputError(f"{source_file}: the file is empty; expected one segment a line.")

    def read(path: Path) -> list[str]:
        lines = read_segments(path)
        if len(lines) != len(source):
            raise InputError(
                f"{path}: expected {len(source)} lines (as in {source_file}), found {len(lines)}. "
                "A segment without a translation is an empty line."
            )
        return lines

    return {
        "source": source,
        "reference": read(reference_file),
        "hypotheses": [read(path) for path in outputs],
    }


def _read_documents(folder: Path, pair: str, segments: int) -> dict[str, list[str]]:
    """Domain and document of every segment, `domain <tab> document` a line."""
    path = folder / "documents" / f"{pair}.docs"
    if not path.is_file():
        return {}
    lines = [line.split("\t") for line in read_segments(path)]
    if len(lines) != segments:
        raise InputError(
            f"{path}: expected {segments} lines (one per segment), found {len(lines)}."
        )
    for number, fields in enumerate(lines, 1):
        if len(fields) != 2 or not all(field.strip() for field in fields):
            raise InputError(
                f"{path}, line {number}: expected `domain <tab> document`, "
                f"found `{' '.join(fields)}`."
            )
    domains, documents = zip(*lines, strict=True)
    return {"domains": list(domains), "documents": list(documents)}


def _read_segment_gold(
    folder: Path, pair: str, gold: str, outputs: Collection[str], segments: int
) -> dict[str, list[float]]:
    """Human scores of segments by system; empty where the archive has none."""
    path = folder / "human-scores" / f"{pair}.{gold}.seg.score"
    if not path.is_file():
        return {}
    for number, system, _ in score_lines(path):
        if system not in outputs and not HUMAN.fullmatch(system):
            raise InputError(
                f"{path}, line {number}: no output in {folder / 'system-outputs' / pair} for "
                f"{system}{nearest(system, outputs)}. Add the output or remove the scores."
            )
    return read_segment_scores(path, segments)


def _middles(folder: Path, pair: str, suffix: str) -> list[str]:
    """The middles of the files' names `<pair>.<middle><suffix>`."""
    if not folder.is_dir():
        return []
    names = [path.name for path in folder.iterdir() if path.name.endswith(suffix)]
    return sorted(n[len(pair) + 1 : -len(suffix)] for n in names if n.startswith(f"{pair}."))
