"""Checksums of the code that a script runs: its file and the modules that it imports."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
# Modules that change no number: they read and write files, word errors or explain columns.
NO_RESULT = {
    "job.py",
    "mt_difficulty/__init__.py",
    "mt_difficulty/caches.py",
    "mt_difficulty/errors.py",
    "mt_difficulty/registry.py",
    "mt_difficulty/storage.py",
    "mt_difficulty/tables.py",
    "mt_difficulty/data/evalset.py",
    "mt_difficulty/data/text_files.py",
}
# Imports for types alone, and import statements: the module, if any, and names. Regular expressions
# find them because Python's parser takes a fifth of the time of a run with nothing to do.
NOT_RUN = re.compile(r"^if TYPE_CHECKING:\n(?:    .*\n|\n)+", re.M)
IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|[^#\n]*)", re.M)


@cache
def checksum(script: str, *members: str) -> str:
    """Return the SHA-256 of all code that a script (`correlate`) runs, comments included. `members`
    are further modules, such as members of registries (`metrics/chrf`)."""
    modules = [f"mt_difficulty/{name}.py" for name in members]
    checksums = hashlib.sha256()
    for file in sorted(closure(f"{script}.py", *modules)):
        checksums.update(f"{file}\0{file_checksum(file)}\n".encode())
    return checksums.hexdigest()


@cache
def file_checksum(file: str) -> str:
    """Return the SHA-256 of a project file."""
    return hashlib.sha256((SCRIPTS / file).read_bytes()).hexdigest()


def closure(*files: str) -> set[str]:
    """Return `files` and the project files they import, directly or not, except NO_RESULT."""
    reached: set[str] = set()
    frontier = set(files)
    while frontier:
        reached |= frontier
        modules = set().union(*(imported(file) for file in frontier))
        frontier = modules - NO_RESULT - reached
    return reached


@cache
def imported(file: str) -> frozenset[str]:
    """Return the project files that a file imports directly, also inside functions."""
    package = file.split("/")[:-1]
    modules = set()
    code = NOT_RUN.sub("", (SCRIPTS / file).read_text(encoding="utf-8"))
    for source, names in IMPORT.findall(code):
        module = source.lstrip(".")
        dots = len(source) - len(module)
        base = package[: len(package) + 1 - dots] if dots else []
        base += filter(None, module.split("."))
        for name in re.findall(r"([\w.]+)(?: as \w+)?", names):
            parts = [*base, *name.split(".")]  # packages, then the module
            for end in range(1, len(parts) + 1):
                path = "/".join(parts[:end])
                modules |= {f"{path}.py", f"{path}/__init__.py"}
    return frozenset(modules & project_files())


@cache
def project_files() -> frozenset[str]:
    """Return the scripts and the modules of the package."""
    # Where the package is installed, beside it are all others, too.
    files = [*SCRIPTS.glob("*.py"), *(SCRIPTS / "mt_difficulty").rglob("*.py")]
    return frozenset(file.relative_to(SCRIPTS).as_posix() for file in files)
