"""Where a project stands: its config, its papers, and the folder that its paths start from."""

import sysconfig
from pathlib import Path
from typing import NamedTuple


class Project(NamedTuple):
    """A project's folder, its config and the folder of its papers."""

    folder: Path
    config: Path
    papers: Path


def find_project() -> Project:
    """The project in this folder, else the one that this package stands in; of a package that was
    installed elsewhere, what came with it, and this folder."""
    for folder in (Path.cwd(), Path(__file__).resolve().parents[4]):
        if (folder / "workflow/papers").is_dir() and (folder / "config.yaml").is_file():
            return Project(folder, folder / "config.yaml", folder / "workflow/papers")
    installed = Path(sysconfig.get_path("data"), "share/mt-difficulty")
    return Project(Path.cwd(), installed / "config.yaml", installed / "papers")
