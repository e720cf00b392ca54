"""Where a run's metrics find scores that others computed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ..data import campaign_files, own_files
from ..metrics import METRICS, constructor_settings
from .project import located

if TYPE_CHECKING:
    from .sets import PlannedSet


def are_read(planned: PlannedSet, metric: str) -> bool:
    """Whether a set's metric reads scores that others computed."""
    return METRICS[planned.types[metric]].reads == "stored"


def location(planned: PlannedSet, metric: str, folder: str | Path) -> Path:
    """The `source` of a set's metric that reads such scores: the campaign's folder in the archive,
    or a user's file.

    Parameters
    ----------
    folder : path
        That of the campaign, or of a set of own files.
    """
    own = constructor_settings(metric, planned.metrics[metric])
    if own.get("file"):
        return Path(located(own_files.file_of_set(own["file"], planned.campaign, planned.pair)))
    if planned.files is not None:
        return own_files.scores_file(folder, own["name"])
    return Path(folder)


def files(planned: PlannedSet, metric: str, folder: str | Path) -> list[Path]:
    """The files that its scores may be read from."""
    own = constructor_settings(metric, planned.metrics[metric])
    if own.get("file") or planned.files is not None:
        return [location(planned, metric, folder)]
    return campaign_files.stored_files(folder, planned.pair, own["name"])
