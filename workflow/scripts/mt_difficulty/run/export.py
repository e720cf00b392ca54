"""Scores of a finished run as files in the layout of the official archive."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import storage
from ..data import score_files
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles, read_set
from ..errors import InputError, Missing
from ..evidence.counted import STANDARD
from ..evidence.set_scores import Key, SetScores
from ..metrics.stored import is_without_reference
from ..weighting.base import WeightedMetric

NO_REFERENCE = "src"  # the archive's name for it
NEGATED = "negated: of the metric's own scores lower is better"
SYSTEMS_ALONE = (
    "{}: .sys.score alone; a weighting of segments gives a single segment no score of its own"
)


class Export(NamedTuple):
    """Scores of a metric under a weighting, higher is better."""

    metric: str
    weighting: str
    reference: str  # `src` for a metric without reference
    quality: np.ndarray  # (systems,), NaN where a system has no score
    segments: np.ndarray | None  # (systems, segments), None where there are none, or not all
    weighs_segments: bool  # which is why there are none
    negated: bool  # of the metric's own scores lower is better


class FinishedSet(NamedTuple):
    """A set whose scores a run has: its name, the files that they are made from, and what must be
    known to read these (`Plan.score_files`, `Plan.score_settings`)."""

    name: str
    files: list[str]
    settings: dict[str, Any]

    @property
    def metrics(self) -> list[str]:
        return list(self.settings["metrics"])

    @property
    def weightings(self) -> list[str]:
        return ["standard", *self.settings["weightings"]]


def finished_sets(results: str | Path) -> dict[str, FinishedSet]:
    """The sets of a folder of results, by name, as `run.json` has them. Raises `InputError` where
    there is none, or a result is not there."""
    path = Path(results, "run.json")
    if not path.is_file():
        raise InputError(
            f"{results}: no run.json. Name the folder of a run's results, and let the run come to "
            "its end."
        )
    found = {}
    for name, entry in storage.read_json(path)["sets"].items():
        files = [str(Path(results, file)) for file in entry["files"]]
        if absent := [file for file in files if not Path(file).is_file()]:
            raise InputError(f"{absent[0]}: no such file. Run again, to the end.")
        found[name] = FinishedSet(name, files, entry["settings"])
    return found


def export_sets(
    out: str | Path, sets: Iterable[FinishedSet], chosen: Callable[[Key], bool] = lambda key: True
) -> tuple[list[str], list[str]]:
    """Write the scores of sets, of `chosen` metrics under weightings; a set that would write a file
    of another set goes to a folder of its own, `<out>/<pair and what tells the set from others>`.
    Returns a line for each file that was written, and what was not, and why.
    """
    written: dict[Path, Export] = {}
    lines, notes = [], []
    for each in sets:
        files: SetFiles = read_set(each.name, each.files)
        try:
            found: EvaluationSet = files.read("evalset.json")
            keys = [(metric, weighting) for metric in each.metrics for weighting in each.weightings]
            scores = SetScores(files, each.settings)
            exported, of_set = _exports(scores, found, [*filter(chosen, keys)])
        except Missing as reason:
            notes.append(f"{each.name}: no scores: {reason}")
            continue
        notes += [f"{each.name}: {note}" for note in of_set]
        folder = score_files.folder_of(out, found)
        paths = _paths(folder, exported, each.name)
        if written.keys() & paths.keys():
            folder = score_files.folder_of(Path(out, each.name.rpartition("/")[2]), found)
            paths = _paths(folder, exported, each.name)
        systems = score_files.system_labels(found.systems)
        for path, one in paths.items():
            score_files.write_system_scores(f"{path}.sys.score", systems, one.quality)
            line = f"{path}.sys.score"
            if one.segments is not None:
                file = f"{path}.seg.score"
                score_files.write_segment_scores(file, systems, one.segments, found.canary)
                line += ", .seg.score"
            lines.append(line + f" ({NEGATED})" * one.negated)
        written |= paths
    alone = dict.fromkeys(one.weighting for one in written.values() if one.weighs_segments)
    return lines, notes + [SYSTEMS_ALONE.format(", ".join(alone))] * bool(alone)


def _exports(
    scores: SetScores, found: EvaluationSet, keys: Collection[Key]
) -> tuple[list[Export], list[str]]:
    """What a set's metrics give under weightings, (metric, weighting), and what they do not, in
    sentences."""
    notes = [
        f"no scores of {metric} under {weighting}: {reason}"
        for (metric, weighting), reason in scores.missing.items()
        if (metric, weighting) in keys
    ]
    chosen = [key for key in scores.keys if key in keys]
    everyone = np.arange(len(scores.systems))
    made, whole = scores.of(everyone, chosen), scores.of(everyone, chosen, everywhere=True)
    signatures, exported = scores.signatures, []
    for (metric, weighting), one in made.items():
        single, reason, weighs = None, "", scores.weighs_segments(weighting)
        if not weighs:
            plain = weighting == STANDARD  # whose system scores may be stored ones
            of_all = scores.plain[metric] if plain else whole[metric, weighting]
            single, reason = _of_segments(of_all, len(found.reference))
        quality = one.observed_quality()
        reason = reason or scores.without_score(weighting, quality)
        notes += [f"{metric} under {weighting}: {reason}"] * bool(reason)
        without = is_without_reference(signatures[metric, weighting])
        reference = NO_REFERENCE if without else score_files.reference_label(found)
        negated = not one.higher_is_better
        exported.append(Export(metric, weighting, reference, quality, single, weighs, negated))
    return exported, notes


def _of_segments(one: WeightedMetric, segments: int) -> tuple[np.ndarray | None, str]:
    """Scores of single segments, (systems, segments), or None and why not."""
    if segments == 0 or one.statistics.shape[1] != segments:
        return None, ".sys.score alone; it has no scores of segments"
    found = one.quality(one.columns)
    if absent := np.count_nonzero(~np.isfinite(found)):
        return None, f".sys.score alone; {absent} of {found.size} hypotheses have no score"
    return found, ""


def _paths(folder: Path, exported: list[Export], name: str) -> dict[Path, Export]:
    """The scores by the path of their files, without `.sys.score` and `.seg.score`. Raises
    `InputError` where two would have one name."""
    found: dict[Path, Export] = {}
    for one in exported:
        path = folder / f"{score_files.base_name(one.metric, one.weighting)}-{one.reference}"
        if path in found:
            labels = [f"{x.metric} under {x.weighting}" for x in (found[path], one)]
            raise InputError(
                f"{name}: {' and '.join(labels)} would both be written to {path.name}. Choose one "
                "of them, or rename one in the config."
            )
        found[path] = one
    return found
