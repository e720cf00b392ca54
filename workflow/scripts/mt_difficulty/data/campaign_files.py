"""Find and read the files of an evaluation set in the official archive (mt-metrics-eval)."""

from collections.abc import Collection, Iterable, Sequence
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import InputError, Missing, nearest, shortened
from ..settings import MetricSettings
from .names import by_name, normal
from .score_files import check_count, read_scores
from .text_files import (
    CANARY,
    Sources,
    read_documents,
    read_lines,
    read_segments,
    read_source,
    read_yaml,
)
from .text_formats import ADVICE, HYPOTHESIS, REFERENCE, SOURCE

FILE = "campaigns.yaml"
# Endings of texts: a segment a line, as it is or in a JSON object.
LINES = ".txt"
OBJECTS = ".jsonl"
RATINGS = ".seg.rating"
CANARY_DOMAIN = "canary"
SegmentGold = str | Sequence[str] | None


class KnownSet(NamedTuple):
    """An evaluation set of the archive.

    Attributes
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    reference : str
        Name of the standard reference.
    gold, segment_gold : str
        Names of the standard human scores of systems and of segments; empty if there are none.
    outliers : tuple of str
        Systems that the official toolkit leaves out of correlations.
    """

    campaign: str
    pair: str
    reference: str
    gold: str = ""
    segment_gold: str = ""
    outliers: tuple[str, ...] = ()


def read_campaigns(path: str | Path) -> list[KnownSet]:
    """Return the WMT archive's evaluation sets that the YAML file `path` lists, in file order."""
    known = []
    for campaign, pairs in read_yaml(path).items():
        for pair, facts in pairs.items():
            facts = {"segment_gold": facts.get("gold", ""), **facts}
            facts["outliers"] = tuple(facts.get("outliers", ()))
            known.append(KnownSet(campaign, pair, **facts))
    return known


# Find files


def _listed(folder: Path, start: str = "") -> list[Path]:
    """Return a folder's files, sorted; with `start`, only files named `<start>.<anything>`."""
    files = sorted(folder.iterdir()) if folder.is_dir() else []
    return [path for path in files if not start or path.name.startswith(f"{start}.")]


def _texts(files: Iterable[Path]) -> list[Path]:
    """Return the `.txt` and `.jsonl` files; of `x.txt` and `x.jsonl`, only `x.txt`."""
    files = [path for path in files if path.suffix in (LINES, OBJECTS)]
    lines = {normal(path.stem) for path in files if path.suffix == LINES}
    return [path for path in files if path.suffix == LINES or normal(path.stem) not in lines]


def pairs_of(folder: Path) -> list[str]:
    """Return the language pairs that have files in a campaign's folder, sorted."""
    names = set()
    for subfolder in ("sources", "system-outputs", "human-scores"):
        for path in _listed(folder / subfolder):
            names.add(path.name.partition(".")[0])
    return sorted(name for name in names if "-" in name)


def check_pair(campaign: str, pair: str, known: Collection[str]) -> None:
    """Check that a campaign has a language pair.

    Parameters
    ----------
    campaign, pair : str
    known : collection of str
        The language pairs of the campaign.

    Raises
    ------
    InputError
        If it has not.
    """
    if pair not in known:
        raise InputError(
            f"{campaign} has no pair {pair}; it has {', '.join(known)}{nearest(pair, known)}."
        )


def source_file(folder: Path, pair: str) -> Path:
    """Return the path of a set's source text: `.txt`, or `.jsonl` if only that exists."""
    lines = folder / "sources" / f"{pair}{LINES}"
    objects = folder / "sources" / f"{pair}{OBJECTS}"
    return objects if objects.is_file() and not lines.is_file() else lines


def reference_files(folder: Path, pair: str) -> dict[str, Path]:
    """Return the files of a pair's reference translations, by reference name (such as refA)."""
    files = _texts(_listed(folder / "references", pair))
    return {path.stem.removeprefix(f"{pair}."): path for path in files}


def output_files(folder: Path, pair: str) -> list[Path]:
    """Return the files with a language pair's system outputs in a campaign's folder."""
    return _texts(_listed(folder / "system-outputs" / pair))


def text_files(folder: str | Path, pair: str) -> list[Path]:
    """Return the existing files with a set's texts: source, documents, references and outputs."""
    folder = Path(folder)
    named = [source_file(folder, pair), folder / f"documents/{pair}.docs"]
    files = [*filter(Path.is_file, named), *reference_files(folder, pair).values()]
    return files + output_files(folder, pair)


def score_file(folder: Path, pair: str, gold: str, level: str) -> Path:
    """Return the path of a file of human scores.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    pair : str
    gold : str
        Name of the human scores, such as mqm.
    level : {"sys", "domain", "seg"}

    Returns
    -------
    Path
        The file may not exist.
    """
    return folder / "human-scores" / f"{pair}.{gold}.{level}.score"


def gold_names(folder: Path, pair: str) -> list[str]:
    """Return the sorted names (such as mqm) of the human scores that a pair has at system level."""
    names = [path.name.removeprefix(f"{pair}.") for path in _listed(folder / "human-scores", pair)]
    ending = ".sys.score"
    return sorted(name.removesuffix(ending) for name in names if name.endswith(ending))


def segment_gold_name(folder: Path, pair: str, gold: str | None, segment_gold: SegmentGold) -> str:
    """Return the name of a set's segment-level human scores.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    pair : str
    gold : str or None
        Name of the human scores of systems.
    segment_gold : str or sequence of str, optional
        Name of the human scores of segments, or several of which the first that has a file is
        taken; by default `gold`.

    Returns
    -------
    str
        The file of that name may not exist.
    """
    if isinstance(segment_gold, str):
        return segment_gold
    names = list(segment_gold or [gold or ""])
    for name in names:
        if score_file(folder, pair, name, "seg").is_file():
            return name
    return names[-1]


def gold_files(
    folder: str | Path, pair: str, gold: str | None, segment_gold: SegmentGold = None
) -> list[Path]:
    """Return a set's existing files of human scores.

    Parameters
    ----------
    folder : path
        Folder of the campaign.
    pair : str
    gold : str or None
        Name of the human scores of systems.
    segment_gold : str or sequence of str, optional
        As in `segment_gold_name`.

    Returns
    -------
    list of Path
        Scores of systems, domains and segments, and error spans.
    """
    folder = Path(folder)
    files = []
    if gold:
        files += [score_file(folder, pair, gold, "sys"), score_file(folder, pair, gold, "domain")]
    segment_name = segment_gold_name(folder, pair, gold, segment_gold)
    if segment_name:
        files.append(score_file(folder, pair, segment_name, "seg"))
    return [*filter(Path.is_file, files), *rating_files(folder, pair, gold)]


def rating_files(folder: str | Path, pair: str, gold: str | None) -> list[Path]:
    """Return the files with the raters' error spans behind human scores.

    Parameters
    ----------
    folder : path
        Folder of the campaign.
    pair : str
    gold : str or None
        Name of the human scores.

    Returns
    -------
    list of Path
        Sorted. For `mqm` they are `<pair>.mqm.seg.rating`, `<pair>.mqm.rater1.seg.rating`,
        `<pair>.mqm.merged.seg.rating`.
    """
    files = _listed(Path(folder) / "human-scores", f"{pair}.{gold}") if gold else []
    return [path for path in files if path.name.endswith(RATINGS)]


def _stored_name(path: Path) -> tuple[str, str, str]:
    """Split a file name `<metric>-<reference>.<level>.score` into metric, reference and level."""
    name, _, level = path.name.removesuffix(".score").rpartition(".")
    metric, _, reference = name.rpartition("-")
    return metric, reference, level


def stored_files(folder: str | Path, pair: str, metric: str) -> list[Path]:
    """Return the files of a metric's scores, with any reference, at any level.

    Parameters
    ----------
    folder : path
        Folder of the campaign.
    pair, metric : str

    Returns
    -------
    list of Path
        Sorted.
    """
    files = _listed(Path(folder) / "metric-scores" / pair)
    return [path for path in files if _stored_name(path)[0] == metric]


def stored_metrics(folder: str | Path, pair: str, reference: str) -> dict[str, MetricSettings]:
    """Return the metrics whose scores are stored, and that use the given reference or none.

    Parameters
    ----------
    folder : path
        Folder of the campaign.
    pair : str
    reference : str
        Name of the reference.

    Returns
    -------
    dict of str to MetricSettings
        By name in the archive (`chrF-refA`, `CometKiwi-src`).
    """
    settings = {}
    for path in _listed(Path(folder) / "metric-scores" / pair):
        name, metric_reference, level = _stored_name(path)
        if name and level in ("seg", "sys") and metric_reference in (reference, "src"):
            arguments = {"name": name, "reference": metric_reference}
            settings[f"{name}-{metric_reference}"] = MetricSettings("stored", arguments)
    return settings


# Read files


def read_gold(folder: Path, pair: str, gold: str, *, required: bool) -> dict[str, float]:
    """Read system-level human scores.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    pair : str
    gold : str
        Name of the human scores.
    required : bool
        Whether a missing file is an error.

    Returns
    -------
    dict of str to float
        By system; NaN for `None`.

    Raises
    ------
    InputError
        For malformed lines, or if the file is missing and required.
    Missing
        If the file is missing and not required.
    """
    path = score_file(folder, pair, gold, "sys")
    if path.is_file():
        return {system: score for system, (score,) in read_scores(path).items()}
    names = gold_names(folder, pair)
    existing = ", ".join(names) or "none"
    if not required:
        raise Missing(
            f"the archive has no {gold} scores of {folder.name} {pair} (there: {existing})"
        )
    hint = nearest(gold, names)
    if not names:
        pairs = sorted({file.name.split(".")[0] for file in path.parent.glob("*.sys.score")})
        hint = f". Pairs that have any: {', '.join(pairs) or 'none'}{nearest(pair, pairs)}"
    raise InputError(f"{path}: no such file. Human scores of {pair} here: {existing}{hint}.")


def find_outputs(folder: Path, pair: str, reference: str) -> dict[str, Path]:
    """Find the files of system outputs.

    Parameters
    ----------
    folder : Path
        Folder of the campaign.
    pair : str
    reference : str
        Name of the reference; empty for none.

    Returns
    -------
    dict of str to Path
        By system.

    Raises
    ------
    InputError
        If the pair has references, but not this one.
    Missing
        If the pair has no outputs, or no references although one is named.
    """
    outputs = by_name(output_files(folder, pair), "systems")
    references = reference_files(folder, pair)
    _check_twins([source_file(folder, pair)], SOURCE)
    _check_twins(references.values(), REFERENCE)
    _check_twins(outputs.values(), HYPOTHESIS)
    absent = []
    if reference and not references:
        absent.append("references")
    if not outputs:
        absent.append("system outputs")
    if absent:
        raise Missing(f"the archive has no {' and no '.join(absent)} of {folder.name} {pair}")
    if reference and reference not in references:
        raise InputError(
            f"{folder / 'references'}: no reference {reference} for {pair}. "
            f"There are: {', '.join(references)}{nearest(reference, references)}."
        )
    return outputs


def _check_twins(files: Iterable[Path], role: str) -> None:
    """Raise `InputError` if a text is there as `.txt` and as `.jsonl`, and they differ."""
    for path in files:
        other = path.with_suffix(OBJECTS)
        if path.suffix != LINES or not path.is_file() or not other.is_file():
            continue
        if read_segments(path, role) != read_segments(other, role):
            raise InputError(f"{path} and {other.name} hold different texts. Remove one of them.")


def read_archive_source(folder: Path, pair: str) -> Sources:
    """Read the source text of a set, without the canary at its top (lines that are not segments).
    Raises `InputError` if there is no source text, or for a malformed file of documents."""
    file = source_file(folder, pair)
    source = read_source(file)
    domains, documents = read_documents(
        folder / f"documents/{pair}.docs", len(source), "domain <tab> document"
    )
    canary = 0  # lines at the top that have the text or the domain of a canary
    for text, domain in zip_longest(source, domains):
        if not CANARY.match(text) and domain != CANARY_DOMAIN:
            break
        canary += 1
    if canary == len(source):
        raise InputError(f"{file}: no segment, only a canary. Take another copy of the file.")
    return Sources(
        texts=source[canary:],
        documents=documents[canary:],
        domains=domains[canary:],
        place=folder,
        pair=pair,
        canary=canary,
    )


# Error spans that human raters marked


# Error spans by system, and segment: a list of spans, or None if it is unrated.
Spans = dict[str, list[list[dict[str, Any]] | None]]
Ratings = dict[str, Spans]  # by name


def read_ratings(
    folder: str | Path,
    pair: str,
    gold: str,
    systems: Collection[str],
    segments: int,
    canary: int = 0,
) -> Ratings:
    """Read the error spans that raters marked (files: `rating_files`).

    A line is `system <tab> rating`, with an optional third column, for each canary line and
    segment; a rating is JSON or `None`.

    Parameters
    ----------
    folder : path
        Folder of the campaign.
    pair : str
    gold : str
        Name of the human scores.
    systems : collection of str
        Systems whose spans are read.
    segments : int
        Number of segments.
    canary : int
        Lines of the archive's files before the first segment.

    Returns
    -------
    dict
        Lists by name of the ratings (`mqm.rater1`) and system. They hold, for each segment, a list
        of errors, or None if unrated: `start` and `end` count characters of the hypothesis, or of
        the source if `is_source_error`, and may lie beyond the end of the text.

    Raises
    ------
    InputError
        For a malformed line or a wrong number of lines.
    """
    ratings: Ratings = {}
    for path in rating_files(folder, pair, gold):
        spans = _read_spans(path, systems)
        for system, system_spans in spans.items():
            check_count(path, system, "ratings", len(system_spans), segments, canary)
        name = path.name.removeprefix(f"{pair}.").removesuffix(RATINGS)
        ratings[name] = {system: system_spans[canary:] for system, system_spans in spans.items()}
    return ratings


def _read_spans(path: Path, systems: Collection[str]) -> Spans:
    """Return the error spans of a file, by system and line."""
    from pydantic import BaseModel, Field, ValidationError

    class ErrorSpan(BaseModel, strict=True, extra="ignore"):
        """A marked error in a hypothesis, as the archive's ratings files have it.

        Attributes
        ----------
        start, end : int
            First character of the span, from 0, and the one after its last.
        category, severity : str, optional
            Kind of the error, and how severe it is, such as `major`.
        score : float, optional
            Weight of the error in the rating.
        is_source_error : bool
            Whether the span is one of the source text.
        """

        start: int = Field(ge=0)
        end: int
        category: str | None = None
        severity: str | None = None
        score: float | None = Field(default=None, allow_inf_nan=False)
        is_source_error: bool = False

    class Rating(BaseModel):
        """The errors that were marked in a hypothesis.

        Attributes
        ----------
        errors : list of ErrorSpan
            Marked errors; empty for a hypothesis without errors.
        """

        errors: list[ErrorSpan]

    spans: Spans = {}
    for number, line in enumerate(read_lines(path), 1):
        fields = [field.strip() for field in line.strip().split("\t")]
        if len(fields) not in (2, 3):
            raise InputError(
                f"{path}, line {number}: expected `system <tab> rating`, found "
                f"`{shortened(line.strip())}`. {ADVICE}"
            )
        system = normal(fields[0])
        if system not in systems:
            continue
        errors = None
        if fields[1] != "None":
            try:
                rating = Rating.model_validate_json(fields[1])
            except ValidationError as error:
                first = error.errors()[0]
                key = ".".join(map(str, first["loc"])) or "rating"
                raise InputError(
                    f"{path}, line {number}: {key}: {first['msg']}. {ADVICE}"
                ) from None
            errors = [span.model_dump(exclude_unset=True) for span in rating.errors]
        spans.setdefault(system, []).append(errors)
    return spans
