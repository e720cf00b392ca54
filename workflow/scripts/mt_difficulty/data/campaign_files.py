"""The official archive: which files an evaluation set is read from, and what the texts are."""

import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, Missing, nearest
from .score_files import check_any_score, read_system_scores
from .text_files import (
    ADVICE,
    by_system,
    check_length,
    listed,
    normal,
    read_field,
    read_segments,
    read_source,
)
from .yaml_files import read_yaml

FILE = "campaigns.yaml"
LINES, OBJECTS = ".txt", ".jsonl"  # a segment a line, as it is or in a JSON object
RATINGS = ".seg.rating"
NO_TRANSLATION = "[No translation supplied]"
# Line 1 of every file of WMT24: text by which training data can be searched for the test set.
CANARY = re.compile(r"CANARY\b.*\bGUID\b")
CANARY_DOMAIN = "canary"
REFERENCE = "reference"  # the name of the reference in `untranslated`
SegmentGold = str | Sequence[str] | None


class KnownSet(NamedTuple):
    """What is standard in an evaluation set of the archive.

    Attributes
    ----------
    reference : str
    gold : str
        Human scores of systems; empty where there are none.
    segment_gold : str
        Human scores of segments; empty where there are none.
    outliers : tuple of str
        Systems that the official toolkit leaves out of its correlations.
    """

    campaign: str
    pair: str
    reference: str
    gold: str = ""
    segment_gold: str = ""
    outliers: tuple[str, ...] = ()


def read_campaigns(path: str | Path) -> list[KnownSet]:
    """The known sets of `workflow/campaigns.yaml`, in its order."""
    return [
        KnownSet(
            campaign,
            pair,
            facts["reference"],
            facts.get("gold", ""),
            facts.get("segment_gold", facts.get("gold", "")),
            tuple(facts.get("outliers", ())),
        )
        for campaign, pairs in read_yaml(path).items()
        for pair, facts in pairs.items()
    ]


def text_files(folder: str | Path, pair: str) -> list[Path]:
    """The files of a campaign's folder that a set's texts are read from."""
    folder = Path(folder)
    named = [source_file(folder, pair), documents_file(folder, pair)]
    return [
        *filter(Path.is_file, named),
        *reference_files(folder, pair).values(),
        *output_files(folder / "system-outputs" / pair),
    ]


def pairs_of(folder: Path) -> list[str]:
    """The language pairs of a campaign's folder, sorted."""
    places = [folder / place for place in ("sources", "system-outputs", "human-scores")]
    names = {path.name.partition(".")[0] for place in places for path in _listed(place)}
    return sorted(name for name in names if "-" in name)


def check_pair(campaign: str, pair: str, known: Collection[str]) -> None:
    """Raise `InputError` where a pair is not among those of a campaign."""
    if pair not in known:
        raise InputError(
            f"{campaign} has no pair {pair}; it has {', '.join(known)}{nearest(pair, known)}."
        )


def source_file(folder: Path, pair: str) -> Path:
    """The file of a set's source text; where there are two, `.txt` counts."""
    lines, objects = (folder / "sources" / f"{pair}{ending}" for ending in (LINES, OBJECTS))
    return objects if objects.is_file() and not lines.is_file() else lines


def documents_file(folder: Path, pair: str) -> Path:
    """The file that says which domain and document each segment is of."""
    return folder / "documents" / f"{pair}.docs"


def reference_files(folder: Path, pair: str) -> dict[str, Path]:
    """The files of a set's references, by the reference's name."""
    files = _counted(_of_pair(folder / "references", pair))
    return {path.stem.removeprefix(f"{pair}."): path for path in files}


def output_files(folder: Path) -> list[Path]:
    """The files of system outputs."""
    return _counted(_listed(folder))


def gold_files(
    folder: str | Path, pair: str, gold: str | None, segment_gold: SegmentGold = None
) -> list[Path]:
    """The files that a set's human scores are read from, of those that there are.

    Parameters
    ----------
    gold : str or None
        Human scores of systems and domains; None or empty for a set without.
    segment_gold : str or sequence of str, optional
        As for `segment_gold_name`.
    """
    folder = Path(folder)
    named = [score_file(folder, pair, gold, level) for level in ("sys", "domain") if gold]
    if of_segments := segment_gold_name(folder, pair, gold, segment_gold):
        named.append(score_file(folder, pair, of_segments, "seg"))
    return sorted(filter(Path.is_file, named))


def segment_gold_name(folder: Path, pair: str, gold: str | None, segment_gold: SegmentGold) -> str:
    """The name of a set's human scores of segments; there need be no such scores.

    Parameters
    ----------
    gold : str or None
        Human scores of systems; those of the same name are used unless others are given.
    segment_gold : str or sequence of str, optional
        A name; of several the first that the campaign has scores of.
    """
    names = [segment_gold] if isinstance(segment_gold, str) else [*(segment_gold or [gold or ""])]
    there = (name for name in names if score_file(folder, pair, name, "seg").is_file())
    return next(there, names[-1])


def gold_file(folder: Path, pair: str, gold: str) -> Path:
    """The file of a campaign's system scores."""
    return score_file(folder, pair, gold, "sys")


def score_file(folder: Path, pair: str, gold: str, level: str) -> Path:
    """The file of human scores of a level: `sys`, `domain` or `seg`."""
    return folder / "human-scores" / f"{pair}.{gold}.{level}.score"


def gold_names(folder: Path, pair: str) -> list[str]:
    """The names of a pair's human scores of systems, sorted."""
    start, end = f"{pair}.", ".sys.score"
    names = [path.name for path in _of_pair(folder / "human-scores", pair)]
    return sorted(name[len(start) : -len(end)] for name in names if name.endswith(end))


def rating_files(folder: str | Path, pair: str, gold: str) -> list[Path]:
    """The files of the error spans that human scores were computed from, sorted: those of `mqm`
    are `<pair>.mqm.seg.rating`, `<pair>.mqm.rater1.seg.rating`, `<pair>.mqm.merged.seg.rating`."""
    found = _of_pair(Path(folder) / "human-scores", f"{pair}.{gold}")
    return [path for path in found if path.name.endswith(RATINGS)]


def stored_files(folder: str | Path, pair: str, metric: str) -> list[Path]:
    """The files of a metric's stored scores, with any reference."""
    found = _listed(Path(folder) / "metric-scores" / pair)
    return sorted(path for path in found if stored_name(path)[0] == metric)


def stored_name(path: Path) -> tuple[str, str, str]:
    """Metric, reference and level of a file `<metric>-<reference>.<level>.score`."""
    full, _, level = path.name.removesuffix(".score").rpartition(".")
    metric, _, reference = full.rpartition("-")
    return metric, reference, level


def stored_metrics(folder: str | Path, pair: str, reference: str) -> dict[str, dict[str, str]]:
    """Settings of the metrics whose scores a campaign stores, of one reference or without any, by
    their full names as in the files: `chrF-refA`, `CometKiwi-src`."""
    found = {}
    for path in sorted(_listed(Path(folder) / "metric-scores" / pair)):
        name, used, level = stored_name(path)
        if name and level in ("seg", "sys") and used in (reference, "src"):
            found[f"{name}-{used}"] = {"type": "stored", "name": name, "reference": used}
    return found


def read_scored(folder: str | Path, pair: str, gold: str | None) -> list[str]:
    """The systems that have a human score, sorted; none without a gold."""
    if not gold:
        return []
    scores = read_system_scores(gold_file(Path(folder), pair, gold))
    return sorted(system for system, score in scores.items() if not math.isnan(score))


def _counted(files: Iterable[Path]) -> list[Path]:
    """Those of the files that texts are read from, sorted: of `x.txt` and `x.jsonl`, the first."""
    files = sorted(path for path in files if path.suffix in (LINES, OBJECTS))
    lines = {normal(path.stem) for path in files if path.suffix == LINES}
    return [path for path in files if path.suffix == LINES or normal(path.stem) not in lines]


def _of_pair(folder: Path, start: str) -> list[Path]:
    """The files of a folder whose names begin with this and a dot, sorted."""
    return sorted(path for path in _listed(folder) if path.name.startswith(f"{start}."))


def _listed(folder: Path) -> Iterable[Path]:
    return folder.iterdir() if folder.is_dir() else ()


def read_gold(folder: Path, pair: str, gold: str, required: bool) -> dict[str, float]:
    """Human scores by system, NaN for `None`.

    Raises
    ------
    InputError
        A file of another form, without any score, or, where it is required, none at all.
    Missing
        There are no such scores, and none are required.
    """
    path = gold_file(folder, pair, gold)
    if not path.is_file():
        names = gold_names(folder, pair)
        there = listed(names) or "none"
        if required:
            pairs = sorted({file.name.split(".")[0] for file in path.parent.glob("*.sys.score")})
            hint = f". Pairs that have any: {listed(pairs) or 'none'}{nearest(pair, pairs)}"
            raise InputError(
                f"{path}: no such file. Human scores of {pair} here: {there}"
                f"{nearest(gold, names) if names else hint}."
            )
        raise Missing(f"the archive has no {gold} scores of {folder.name} {pair} (there: {there})")
    scores = read_system_scores(path)
    check_any_score(path, scores, "Choose another gold.")
    return scores


def find_outputs(folder: Path, pair: str, reference: str) -> dict[str, Path]:
    """The outputs' files by system.

    Raises
    ------
    InputError
        The pair has references, but not this one.
    Missing
        The archive has no references, of which one is asked for, or no outputs of the pair at all.
    """
    outputs = by_system(output_files(folder / "system-outputs" / pair))
    references, name = reference_files(folder, pair), f"{folder.name} {pair}"
    if outputs and (references or not reference):
        if reference and reference not in references:
            raise InputError(
                f"{folder / 'references'}: no reference {reference} for {pair}. "
                f"There are: {listed(references)}{nearest(reference, references)}."
            )
        return outputs
    if outputs:
        raise Missing(f"the archive has no references of {name}")
    if references or not reference:
        raise Missing(f"the archive has no system outputs of {name}")
    if source_file(folder, pair).is_file():
        raise Missing(f"the archive has no references and no system outputs of {name}")
    if gold_names(folder, pair):
        raise Missing(f"the archive has no references of {name}, only scores")
    raise Missing(f"the archive has neither texts nor human scores of {name}")


def read_archive_texts(
    folder: Path, pair: str, reference: str, outputs: Mapping[str, Path]
) -> dict[str, Any]:
    """Read the texts of a set, without a canary's lines.

    Parameters
    ----------
    reference : str
        Empty for none: its segments are empty.
    outputs : mapping of str to path
        The ranked systems' files, in their order.

    Returns
    -------
    dict
        The fields `source`, `reference`, `hypotheses`, `documents`, `domains`, `canary` and
        `untranslated` of an evaluation set.

    Raises
    ------
    InputError
        No source, a file that is not UTF-8, a line of another form, or another number of lines
        than the source has.
    """
    origin, file = read_archive_source(folder, pair), source_file(folder, pair)
    canary, count = origin["canary"], len(origin["source"])
    paths = {REFERENCE: reference_files(folder, pair)[reference]} if reference else {}
    texts, untranslated = {REFERENCE: [""] * count}, {}
    for name, path in {**paths, **outputs}.items():
        items: Sequence[str | None] = []
        if path.suffix == OBJECTS:
            items = read_field(path, "target" if name == REFERENCE else "hypothesis")
        else:
            items = read_segments(path)
        check_length(path, len(items), file, canary + count)
        lines = [
            None if item is None or item.rstrip() == NO_TRANSLATION else item
            for item in items[canary:]
        ]
        texts[name] = [line or "" for line in lines]
        if None in lines:
            untranslated[name] = lines.count(None)
    return {
        **origin,
        "reference": texts.pop(REFERENCE),
        "hypotheses": [*texts.values()],
        "untranslated": untranslated,
    }


def read_archive_source(folder: Path, pair: str) -> dict[str, Any]:
    """Read the source text of a set, without a canary's lines: the fields `source`, `canary` and,
    where the archive has them, `documents` and `domains`. Raises InputError as
    `read_archive_texts`."""
    file = source_file(folder, pair)

    def read_objects(path: Path) -> list[str]:
        items = read_field(path, "source")
        if None in items:
            raise InputError(
                f"{path}, line {items.index(None) + 1}: expected a string as `source`, found null. "
                f"{ADVICE}"
            )
        return [item or "" for item in items]

    source = read_source(file, read_objects if file.suffix == OBJECTS else read_segments)
    documents = _read_documents(documents_file(folder, pair), len(source))
    canary = 0  # lines at the top, told by their text or their domain
    for text, domain in zip_longest(source, documents.get("domains", [])):
        if not CANARY.match(text) and domain != CANARY_DOMAIN:
            break
        canary += 1
    else:
        raise InputError(f"{file}: no segment, only a canary. Take another copy of the file.")
    texts = {name: lines[canary:] for name, lines in {"source": source, **documents}.items()}
    return {**texts, "canary": canary}


def _read_documents(path: Path, lines: int) -> dict[str, list[str]]:
    """Domain and document of every line, `domain <tab> document`; spaces will do for the tab.

    Returns
    -------
    dict
        `domains` and `documents`, a name a line; empty without such a file.
    """
    if not path.is_file():
        return {}
    found = read_segments(path)
    if len(found) != lines:
        raise InputError(f"{path}: expected {lines} lines (one per segment), found {len(found)}.")
    rows = [list(map(str.strip, line.split("\t" if "\t" in line else None))) for line in found]
    for number, fields in enumerate(rows, 1):
        if len(fields) != 2 or not all(fields):
            raise InputError(
                f"{path}, line {number}: expected `domain <tab> document`, "
                f"found `{found[number - 1].expandtabs(1)}`."
            )
    domains, documents = zip(*rows, strict=True)
    return {"domains": list(domains), "documents": list(documents)}
