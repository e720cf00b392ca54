"""Scores of a finished run as files in the layout of the official archive."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NamedTuple

from .. import storage
from ..data import score_files
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles, read_set
from ..errors import InputError, Missing
from ..evidence.exports import Export, exports
from ..evidence.set_scores import Key, SetScores

NEGATED = "negated: of the metric's own scores lower is better"
SYSTEMS_ALONE = (
    "{}: .sys.score alone; a weighting of segments gives a single segment no score of its own"
)


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
    """The sets of a folder of results, by name, as `run.json` has them.

    Raises
    ------
    InputError
        There is no `run.json`, or a result is not there.
    """
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
    out: str | Path,
    sets: Iterable[FinishedSet],
    chosen: Callable[[Key], bool] = lambda key: True,
) -> tuple[list[str], list[str]]:
    """Write the scores of sets; a set that would write a file of another set goes to a folder of
    its own, `<out>/<pair and what tells the set from others>`.

    Parameters
    ----------
    out : path
    sets : iterable of FinishedSet
    chosen : callable
        Whether a metric under a weighting is written.

    Returns
    -------
    files : list of str
        A line for each file that was written.
    notes : list of str
        What was not, and why.
    """
    written: dict[Path, Export] = {}
    lines, notes = [], []
    for each in sets:
        files: SetFiles = read_set(each.name, each.files)
        try:
            found: EvaluationSet = files.read("evalset.json")
            keys = [(metric, weighting) for metric in each.metrics for weighting in each.weightings]
            scores = SetScores(files, each.settings)
            exported, of_set = exports(scores, found, [*filter(chosen, keys)])
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


def _paths(folder: Path, exported: list[Export], name: str) -> dict[Path, Export]:
    """The scores by the path of their files, without `.sys.score` and `.seg.score`.

    Raises
    ------
    InputError
        Two would have one name.
    """
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
