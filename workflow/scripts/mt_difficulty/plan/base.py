"""The project's folders, and the merging of configs."""

from __future__ import annotations

import os
import sysconfig
from pathlib import Path

# The checkout of the project, if the package was not installed elsewhere.
CHECKOUT = Path(__file__).resolve().parents[4]
# Path of the downloaded archive, in the current folder.
ARCHIVE = "data/downloads/mt-metrics-eval-v2.tgz"


def find_project() -> tuple[Path, Path]:
    """Return the config and the papers folder of the project: in the current folder, else in this
    package's checkout, else installed with the package."""
    for folder in (Path.cwd(), CHECKOUT):
        if (folder / "workflow/papers").is_dir() and (folder / "config.yaml").is_file():
            return folder / "config.yaml", folder / "workflow/papers"
    installed = Path(sysconfig.get_path("data"), "share/mt-difficulty")
    return installed / "config.yaml", installed / "papers"


def located(path: str) -> str:
    """Return a path from the config with `~` or a leading `{project}` (the checkout) expanded."""
    if path.startswith("{project}/"):
        return str(CHECKOUT / path.removeprefix("{project}/"))
    return os.path.expanduser(path)


def merge(base: dict, changes: dict) -> dict:
    """Return `base` updated by `changes`: dicts are merged recursively, other values replaced."""
    merged = base | changes
    for key in base.keys() & changes.keys():
        if isinstance(base[key], dict) and isinstance(changes[key], dict):
            merged[key] = merge(base[key], changes[key])
    return merged
