"""Write the scores of a finished run in the layout of the official archive."""

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .. import storage
from ..data.evalset import EvaluationSet, read_set
from ..errors import InputError, Missing
from ..metrics.stored import is_without_reference
from ..scores import Key, ScoredSet
from ..settings import ScoreSettings
from ..weighting.base import STANDARD

NEGATED = "negated: of the metric's own scores lower is better"
NO_REFERENCE = "src"  # the archive's name for it
OWN_REFERENCE = re.compile(r"reference\.(?:(.+)\.)?txt")
SYSTEMS_ALONE = (
    "{}: .sys.score alone; a weighting of segments gives a single segment no score of its own"
)


class FinishedSet(NamedTuple):
    """A set with scores in a run: its name, the files of its scores (`Plan.score_files`), and the
    settings needed to read them (`Plan.score_settings`)."""

    name: str
    files: list[str]
    settings: ScoreSettings

    @property
    def weightings(self) -> list[str]:
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
        if absent := [file for file in files if not Path(file).is_file()]:
            raise InputError(f"{absent[0]}: no such file. Run again, to the end.")
        sets[name] = FinishedSet(name, files, ScoreSettings.of(entry["settings"]))
    return sets


def export_sets(
    out: str | Path, sets: Iterable[FinishedSet], chosen: Callable[[Key], bool] = lambda key: True
) -> tuple[list[str], list[str]]:
    """Write the scores of sets for `chosen` (metric, weighting) pairs, higher is better. If two
    sets would write the same file, the later set gets a folder of its own, `<out>/<pair and
    suffix>`. Returns lines on the files written, and notes on scores that were not written, with
    reasons. Raises `InputError`, before anything is written, if two metrics of a set would have the
    same file, or if a file with other content is there."""
    written: set[Path] = set()
    contents: dict[Path, str] = {}
    lines, notes = [], []
    alone: dict[str, None] = {}  # weightings of segments
    for finished in sets:
        files = read_set(finished.name, finished.files)
        try:
            evalset: EvaluationSet = files.read("evalset.json")
            scores = ScoredSet(files, finished.settings)
        except Missing as missing:
            notes.append(f"{finished.name}: no scores: {missing}")
            continue
        notes += [
            f"{finished.name}: no scores of {metric} under {weighting}: {why}"
            for (metric, weighting), why in scores.missing.items()
            if weighting in finished.weightings and chosen((metric, weighting))
        ]

        # The names of the files, without `.sys.score`.
        keys: dict[str, Key] = {}
        for key in scores.keys:
            if key[1] not in finished.weightings or not chosen(key):
                continue
            file = base_name(*key, evalset, is_without_reference(scores.signatures[key]))
            if file in keys:
                first, second = (f"{m} under {w}" for m, w in (keys[file], key))
                raise InputError(
                    f"{finished.name}: {first} and {second} would both be written to {file}. "
                    "Choose one of them, or rename one in the config."
                )
            keys[file] = key
        of_archive = evalset.campaign, "metric-scores", evalset.pair
        folder = Path(out, *of_archive)
        if written & {folder / file for file in keys}:
            folder = Path(out, finished.name.rpartition("/")[2], *of_archive)
        written |= {folder / file for file in keys}

        systems = system_labels(evalset.systems)
        everyone, segments = np.arange(len(systems)), len(evalset.reference)
        counted = scores.of(everyone, [*keys.values()])
        everywhere = scores.of(everyone, [*keys.values()], everywhere=True)
        for file, (metric, weighting) in keys.items():
            weighted, reason = counted[metric, weighting], ""
            quality = weighted.observed_quality()
            line = f"{folder / file}.sys.score"
            contents[Path(line)] = score_text(systems, quality[:, None])
            if scores.segment_difficulty(weighting):
                alone[weighting] = None
            else:
                plain = weighting == STANDARD  # whose system scores may be stored ones
                of_all = scores.plain[metric] if plain else everywhere[metric, weighting]
                whole = 0 < segments == of_all.statistics.shape[1]
                if whole and np.isfinite(single := of_all.quality(of_all.columns)).all():
                    of_segments = score_text(systems, single, evalset.canary)
                    contents[Path(f"{folder / file}.seg.score")] = of_segments
                    line += ", .seg.score"
                else:
                    reason = ".sys.score alone; not every hypothesis has a score"
            lines.append(line + f" ({NEGATED})" * (not weighted.higher_is_better))
            if reason := reason or scores.without_score(weighting, quality):
                notes.append(f"{finished.name}: {metric} under {weighting}: {reason}")
    for path, text in contents.items():
        if path.exists() and path.read_bytes() != text.encode():
            raise InputError(
                f"{path}: a file with other scores is there, and an export replaces no file. Name "
                "another folder, or remove the file."
            )
    for path, text in contents.items():
        storage.write_text(path, text)
    return lines, notes + [SYSTEMS_ALONE.format(", ".join(alone))] * bool(alone)


def base_name(metric: str, weighting: str, evalset: EvaluationSet, referenceless: bool) -> str:
    """Return the archive's file name before `.seg.score`: `BLEU-refA`, `EE_BLEU-refA`,
    `CometKiwi-src`. For own files the reference is the name in `reference.<name>.txt`, or refA for
    `reference.txt`. Dashes and dots in names become `_`, as the toolkit splits there."""
    own_reference = OWN_REFERENCE.fullmatch(evalset.reference_name)
    reference = (own_reference[1] or "refA") if own_reference else evalset.reference_name
    reference = NO_REFERENCE if referenceless else reference or NO_REFERENCE
    name = metric if weighting == "standard" else f"{weighting}_{metric}"
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
    """Return the text of a `.sys.score` or `.seg.score` file, lines `system <tab> score`. Systems
    are as from `system_labels`, scores are (systems, 1 or segments); NaN is not written. Before
    each system's segment scores come zeros for the `canary` lines (see `Sources`)."""
    lines = [
        # repr is the shortest text that is read as the same number; + 0.0 turns -0.0 into 0.0.
        f"{system}\t{float(score) + 0.0!r}\n"
        for system, row in zip(systems, scores, strict=True)
        for score in [*[0.0] * canary, *row]
        if not np.isnan(score)
    ]
    return "".join(lines)
