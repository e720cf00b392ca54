"""Files of metric scores in the layout of the official archive, which its toolkit reads."""

import re
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from .. import storage
from ..errors import InputError
from .evalset import EvaluationSet

OWN_REFERENCE = re.compile(r"reference\.(?:(.+)\.)?txt")


def folder_of(out: str | Path, found: EvaluationSet) -> Path:
    """Where the archive has the metric scores of a set."""
    return Path(out, found.campaign, "metric-scores", found.pair)


def base_name(metric: str, weighting: str) -> str:
    """The metric's name in the archive: `BLEU`, `EE_BLEU`.

    The toolkit takes what follows the last dash of `<name>-<reference>` for the reference, and a
    dot for the end of the name: characters other than letters, digits, `_` and `+` become `_`.
    """
    name = metric if weighting == "standard" else f"{weighting}_{metric}"
    return re.sub(r"[^A-Za-z0-9_+]", "_", name)


def reference_label(found: EvaluationSet) -> str:
    """The reference's name in the archive: as it is there, of own files the name in
    `reference.<name>.txt`, refA for `reference.txt`; without dash and dot. src where there is
    none."""
    own = OWN_REFERENCE.fullmatch(found.reference_name)
    name = (own[1] or "refA") if own else found.reference_name or "src"
    return re.sub(r"[^A-Za-z0-9_+]", "_", name)


def system_labels(systems: Sequence[str]) -> list[str]:
    """The systems as the toolkit reads them: white space, which ends a name, becomes `_`.

    Raises
    ------
    InputError
        Two systems would have one name.
    """
    labels = [re.sub(r"\s", "_", system) for system in systems]
    for label, system in zip(labels, systems, strict=True):
        if labels.count(label) > 1:
            raise InputError(
                f"system `{system}`: with `_` for white space another system is called {label}, "
                "too. Rename the system's file."
            )
    return labels


def write_system_scores(path: str | Path, systems: Sequence[str], quality: np.ndarray) -> None:
    """Write a `.sys.score` file: `system <tab> score` a line.

    Parameters
    ----------
    systems : sequence of str
        As from `system_labels`.
    quality : ndarray, (systems,)
        Higher is better; a system of NaN has no line.
    """
    pairs = zip(systems, quality, strict=True)
    lines = [f"{system}\t{_number(score)}\n" for system, score in pairs if not np.isnan(score)]
    storage.write_text(path, "".join(lines))


def write_segment_scores(
    path: str | Path, systems: Sequence[str], quality: np.ndarray, canary: int = 0
) -> None:
    """Write a `.seg.score` file: a block of one line per segment for each system.

    Parameters
    ----------
    systems : sequence of str
        As from `system_labels`.
    quality : ndarray, (systems, segments)
        Higher is better, all finite.
    canary : int
        How many lines of the archive's texts come before the segments: 0 is written for each.
    """
    blocks = [
        "".join(f"{system}\t{_number(score)}\n" for score in [*[0.0] * canary, *scores])
        for system, scores in zip(systems, quality, strict=True)
    ]
    storage.write_text(path, "".join(blocks))


def _number(score: float) -> str:
    """The shortest text that is read as the same number; no minus before 0."""
    return repr(float(score) + 0.0)
