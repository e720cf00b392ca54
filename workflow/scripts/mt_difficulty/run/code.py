"""The code that a script runs: its own file, the package's modules that it imports, and theirs."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

SCRIPTS = Path(__file__).parents[2]
# How files are read and written and errors worded changes no result.
NO_RESULT = frozenset(
    f"{name}.py"
    for name in (
        *("job", "mt_difficulty/__init__", "mt_difficulty/errors"),
        *("mt_difficulty/registry", "mt_difficulty/storage"),
        *("mt_difficulty/data/contents", "mt_difficulty/data/evalset"),
        "mt_difficulty/data/text_files",
    )
)
# Where a node of Python's syntax holds statements.
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def checksum(script: str, *members: str) -> str:
    """SHA-256 of all code that a script (`correlate`) runs, comments included.

    `members` are modules that it finds in registries, and those which it must follow though
    NO_RESULT has them, as in `metrics/chrf`.
    """
    files = closure(f"{script}.py", *(f"mt_difficulty/{member}.py" for member in members))
    found = hashlib.sha256()
    for file in sorted(files):
        of_file = hashlib.sha256((SCRIPTS / file).read_bytes()).hexdigest()
        found.update(f"{file}\0{of_file}\n".encode())
    return found.hexdigest()


def closure(*files: str) -> set[str]:
    """Files that are imported, directly or by others, with those given; paths from the scripts."""
    found: set[str] = set()
    ahead = list(files)
    while ahead:
        file = ahead.pop()
        if file not in found:
            found.add(file)
            ahead += imported(file) - NO_RESULT
    return found


@cache
def imported(file: str) -> frozenset[str]:
    """The files beside the scripts that one of them imports, wherever in its code."""
    package = Path(file).parent.parts
    found = set()
    for node in _statements(ast.parse((SCRIPTS / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name.split(".") for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = [*base, *(node.module or "").split(".")]
            names = [[*filter(None, module), alias.name] for alias in node.names]
        else:
            continue
        for parts in names:  # packages, then the module
            places = [Path(*parts[:end]) for end in range(1, len(parts) + 1)]
            files = [
                x for place in places for x in (place / "__init__.py", place.with_suffix(".py"))
            ]
            found |= {file.as_posix() for file in files if (SCRIPTS / file).is_file()}
    return frozenset(found)


def _statements(tree: ast.AST) -> Iterator[ast.AST]:
    """All statements but those of `if TYPE_CHECKING:`, which do not run. Expressions hold none."""
    for node in (inner for block in BLOCKS for inner in getattr(tree, block, ())):
        typing = isinstance(node, ast.If) and getattr(node.test, "id", "") == "TYPE_CHECKING"
        if not typing:
            yield node
            yield from _statements(node)
