"""Where the project's own files are: its config, its papers, its demo."""

import os
import sysconfig
from pathlib import Path
from typing import NamedTuple

# The checkout that this package is in, if it is in one.
CHECKOUT = Path(__file__).resolve().parents[4]
# How a config names files of the checkout, wherever a run is started.
IN_CHECKOUT = "{project}/"


class Project(NamedTuple):
    """A project's config and the folder of its papers."""

    config: Path
    papers: Path


def find_project() -> Project:
    """The project in this folder, else the one that this package is in; of a package that was
    installed elsewhere, what came with it."""
    for folder in (Path.cwd(), CHECKOUT):
        if (folder / "workflow/papers").is_dir() and (folder / "config.yaml").is_file():
            return Project(folder / "config.yaml", folder / "workflow/papers")
    installed = Path(sysconfig.get_path("data"), "share/mt-difficulty")
    return Project(installed / "config.yaml", installed / "papers")


def located(path: str) -> str:
    """A path of the config, with the folders that `~` and `{project}` stand for; other relative
    paths start from the folder of the run."""
    if path.startswith(IN_CHECKOUT):
        return str(CHECKOUT / path.removeprefix(IN_CHECKOUT))
    return os.path.expanduser(path)
