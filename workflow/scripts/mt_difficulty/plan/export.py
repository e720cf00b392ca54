"""Write the scores of a finished run in the layout of the official archive."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import storage
from ..data.evalset import EvaluationSet, read_set
from ..errors import InputError, Missing
from ..metrics.stored import is_without_reference
from ..scores import Key, ScoredSet, settings_of
from ..settings import ScoreSettings
from ..weighting.base import STANDARD, WeightedMetric

NEGATED = "negated: of the metric's own scores lower is better"
NO_REFERENCE = "src"  # the archive's name for it
OWN_REFERENCE = re.compile(r"reference\.(?:(.+)\.)?txt")
SYSTEMS_ALONE = (
    "{}: .sys.score alone; a weighting of segments gives a single segment no score of its own"
)


class FinishedSet(NamedTuple):
    """A set with scores in a run.

    Attributes
    ----------
    name : str
    files : list of str
        The files of its scores (`Plan.score_files`).
    settings : ScoreSettings
        What the scores were made from (`Plan.score_settings`).
    """

    name: str
    files: list[str]
    settings: ScoreSettings

    @property
    def weightings(self) -> list[str]:
        """Names of the weightings, `standard` first."""
        return [STANDARD, *self.settings.weightings]


def finished_sets(results: str | Path) -> dict[str, FinishedSet]:
    """Return the sets of a finished run, by name; raise `InputError` if a file is missing."""
    path = Path(results, "run.json")
    if not path.is_file():
        raise InputError(
            f"{results}: no run.json. Name the folder of a run's results, and let the run come to "
            "its end."
        )
    sets = {}
    for name, entry in storage.read_json(path)["sets"].items():
        files = [str(Path(results, file)) for file in entry["files"]]
        absent = [file for file in files if not Path(file).is_file()]
        if absent:
            raise InputError(f"{absent[0]}: no such file. Run again, to the end.")
        sets[name] = FinishedSet(name, files, settings_of(entry["settings"]))
    return sets


def export_sets(
    out: str | Path,
    sets: Iterable[FinishedSet],
    chosen: Callable[[Key], bool] = lambda key: True,
) -> tuple[list[str], list[str]]:
    """Write scores of systems and segments in the archive's layout, higher is better.

    If two sets would write the same file, the later set gets a folder of its own,
    `<out>/<pair and suffix>`.

    Parameters
    ----------
    out : path
        The folder to write to.
    sets : iterable of FinishedSet
    chosen : callable
        Whether to write the scores of a (metric, weighting) pair; by default all are written.

    Returns
    -------
    tuple of two lists of str
        Lines on the files written, and notes on scores that were not written, with reasons.

    Raises
    ------
    InputError
        Before anything is written, if two metrics of a set would have the same file, or if a file
        with other content exists.
    """
    written: set[Path] = set()  # without the endings of the files
    contents: dict[Path, str] = {}
    lines: list[str] = []
    notes: list[str] = []
    segment_weightings: dict[str, None] = {}
    for finished in sets:
        files = read_set(finished.name, finished.files)
        try:
            evalset: EvaluationSet = files.read("evalset.json")
            scores = ScoredSet(files, finished.settings)
        except Missing as missing:
            notes.append(f"{finished.name}: no scores: {missing}")
            continue
        notes += _missing_scores(finished, scores, chosen)
        keys = _keys_by_file(finished, evalset, scores, chosen)
        set_folder = Path(evalset.campaign, "metric-scores", evalset.pair)
        folder = Path(out, set_folder)
        if not written.isdisjoint(folder / file for file in keys):
            folder = Path(out, finished.name.rpartition("/")[2], set_folder)
        written.update(folder / file for file in keys)

        systems = system_labels(evalset.systems)
        everyone = np.arange(len(systems))
        key_list = list(keys.values())
        system_scores = scores.of(everyone, key_list)
        on_all_segments = scores.of(everyone, key_list, everywhere=True)
        for file, key in keys.items():
            metric, weighting = key
            weighted = system_scores[key]
            quality = weighted.observed_quality()
            line = f"{folder / file}.sys.score"
            contents[Path(line)] = score_text(systems, quality[:, None])
            reason = ""
            if scores.segment_difficulty(weighting):
                segment_weightings[weighting] = None
            else:
                # The standard system scores may be stored ones, which have no segments.
                is_standard = weighting == STANDARD
                on_segments = scores.plain[metric] if is_standard else on_all_segments[key]
                segment_scores = _segment_scores(on_segments, len(evalset.reference))
                if segment_scores is None:
                    reason = ".sys.score alone; not every hypothesis has a score"
                else:
                    segment_file = Path(f"{folder / file}.seg.score")
                    contents[segment_file] = score_text(systems, segment_scores, evalset.canary)
                    line += ", .seg.score"
            if not weighted.higher_is_better:
                line += f" ({NEGATED})"
            lines.append(line)
            reason = reason or scores.without_score(weighting, quality)
            if reason:
                notes.append(f"{finished.name}: {metric} under {weighting}: {reason}")
    _write_new(contents)
    if segment_weightings:
        notes.append(SYSTEMS_ALONE.format(", ".join(segment_weightings)))
    return lines, notes


def _missing_scores(
    finished: FinishedSet, scores: ScoredSet, chosen: Callable[[Key], bool]
) -> Iterator[str]:
    """Yield a note for each chosen (metric, weighting) pair of a set that has no scores."""
    for key, reason in scores.missing.items():
        metric, weighting = key
        if weighting in finished.weightings and chosen(key):
            yield f"{finished.name}: no scores of {metric} under {weighting}: {reason}"


def _keys_by_file(
    finished: FinishedSet,
    evalset: EvaluationSet,
    scores: ScoredSet,
    chosen: Callable[[Key], bool],
) -> dict[str, Key]:
    """Return the (metric, weighting) pairs to write by file name without `.sys.score`; `InputError`
    if two would have the same file."""
    keys: dict[str, Key] = {}
    for key in scores.keys:
        metric, weighting = key
        if weighting not in finished.weightings or not chosen(key):
            continue
        has_no_reference = is_without_reference(scores.signatures[key])
        file = base_name(metric, weighting, evalset, referenceless=has_no_reference)
        if file in keys:
            other_metric, other_weighting = keys[file]
            raise InputError(
                f"{finished.name}: {other_metric} under {other_weighting} and {metric} under "
                f"{weighting} would both be written to {file}. "
                "Choose one of them, or rename one in the config."
            )
        keys[file] = key
    return keys


def _segment_scores(weighted: WeightedMetric, segments: int) -> np.ndarray | None:
    """Return a metric's score of each hypothesis, (systems, segments), higher is better; None if
    not every hypothesis of the set's segments has one."""
    if segments == 0 or weighted.statistics.shape[1] != segments:
        return None
    scores = weighted.quality(weighted.columns)
    return scores if np.isfinite(scores).all() else None


def _write_new(contents: Mapping[Path, str]) -> None:
    """Write texts to files; `InputError`, before any is written, if a file has other content."""
    for path, text in contents.items():
        if path.exists() and path.read_bytes() != text.encode():
            raise InputError(
                f"{path}: a file with other scores is there, and an export replaces no file. Name "
                "another folder, or remove the file."
            )
    for path, text in contents.items():
        storage.write_text(path, text)


def base_name(metric: str, weighting: str, evalset: EvaluationSet, *, referenceless: bool) -> str:
    """Return the archive's file name before `.seg.score`.

    Dashes and dots in names become `_`, because the official toolkit splits names there.

    Parameters
    ----------
    metric, weighting : str
    evalset : EvaluationSet
        For own files the reference is the name in `reference.<name>.txt`, or refA for
        `reference.txt`.
    referenceless : bool
        Whether the metric reads no reference.

    Returns
    -------
    str
        Such as `BLEU-refA`, `EE_BLEU-refA` or `CometKiwi-src`.
    """
    own_reference = OWN_REFERENCE.fullmatch(evalset.reference_name)
    if referenceless:
        reference = NO_REFERENCE
    elif own_reference:
        reference = own_reference[1] or "refA"
    else:
        reference = evalset.reference_name or NO_REFERENCE
    name = metric if weighting == STANDARD else f"{weighting}_{metric}"
    return "-".join(re.sub(r"[^A-Za-z0-9_+]", "_", part) for part in (name, reference))


def system_labels(systems: Sequence[str]) -> list[str]:
    """Return the system names, white space replaced by `_`; `InputError` if two become equal."""
    labels = [re.sub(r"\s", "_", system) for system in systems]
    for label, system in zip(labels, systems, strict=True):
        if labels.count(label) > 1:
            raise InputError(
                f"system `{system}`: with `_` for white space another system is called {label}, "
                "too. Rename the system's file."
            )
    return labels


def score_text(systems: Sequence[str], scores: np.ndarray, canary: int = 0) -> str:
    """Return the text of a `.sys.score` or `.seg.score` file, lines `system <tab> score`.

    Parameters
    ----------
    systems : sequence of str
        As from `system_labels`.
    scores : ndarray
        (systems, 1) or (systems, segments); NaN is not written.
    canary : int
        Number of canary lines (see `Sources`), which get zeros before the scores of each system.
    """
    lines = []
    for system, row in zip(systems, scores, strict=True):
        for score in [*[0.0] * canary, *row]:
            if not np.isnan(score):
                unsigned_zero = float(score) + 0.0  # -0.0 becomes 0.0
                # repr is the shortest text that is read as the same number.
                lines.append(f"{system}\t{unsigned_zero!r}\n")
    return "".join(lines)
