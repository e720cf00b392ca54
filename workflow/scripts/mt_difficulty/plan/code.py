"""Checksums of the code that a script runs: its file and the modules that it imports."""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
# Modules that change no result: they read and write files or word errors.
NO_RESULT = {"job.py"} | {
    f"mt_difficulty/{name}.py"
    for name in (
        "__init__",
        "caches",
        "errors",
        "registry",
        "storage",
        "data/evalset",
        "data/text_files",
    )
}
# Imports for types alone, and import statements: the module, if any, and names. (Python's parser
# takes a fifth of the time of a run with nothing to do.)
NOT_RUN = re.compile(r"^if TYPE_CHECKING:\n(?:    .*\n|\n)+", re.M)
IMPORT = re.compile(r"^ *(?:from ([\w.]+) )?import (\([^)]*\)|[^#\n]*)", re.M)


def checksum(script: str, *members: str) -> str:
    """Return the SHA-256 of all code that a script (`correlate`) runs, comments included. `members`
    are further modules, such as members of registries (`metrics/chrf`)."""
    checksums = hashlib.sha256()
    for file in sorted(closure(f"{script}.py", *(f"mt_difficulty/{name}.py" for name in members))):
        of_file = hashlib.sha256((SCRIPTS / file).read_bytes()).hexdigest()
        checksums.update(f"{file}\0{of_file}\n".encode())
    return checksums.hexdigest()


def closure(*files: str) -> set[str]:
    """Return `files` and the project files they import, directly or not, except NO_RESULT."""
    reached, ahead = set[str](), set(files)
    while ahead:
        reached |= ahead
        ahead = {module for file in ahead for module in imported(file)} - NO_RESULT - reached
    return reached


@cache
def imported(file: str) -> frozenset[str]:
    """Return the project files that a file imports directly, also inside functions."""
    package, modules = Path(file).parent.parts, set()
    code = NOT_RUN.sub("", (SCRIPTS / file).read_text(encoding="utf-8"))
    for source, names in IMPORT.findall(code):
        module = source.lstrip(".")
        dots = len(source) - len(module)
        base = [*package[: len(package) + 1 - dots]] if dots else []
        base += filter(None, module.split("."))
        for name in re.findall(r"([\w.]+)(?: as \w+)?", names):
            parts = [*base, *name.split(".")]  # packages, then the module
            places = [Path(*parts[:end]) for end in range(1, len(parts) + 1)]
            modules |= {place / "__init__.py" for place in places}
            modules |= {place.with_suffix(".py") for place in places}
    return frozenset(path.as_posix() for path in modules if (SCRIPTS / path).is_file())
