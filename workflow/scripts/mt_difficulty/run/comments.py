"""Comments of config.yaml: the descriptions of its options, so that each is written down once.

`python -m mt_difficulty.run.comments config.yaml` renews them: `make format` does.
"""

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .configs import Config
from .options import resolve, schema_of

WIDTH = 100
OPTION = re.compile(r"( *)(# )?(\w+):")  # one that no run of config.yaml uses is commented out


def commented(text: str) -> str:
    """A config with the description of every option above it.

    Comments above the first empty line, and those inside of mappings whose keys are names, stay.
    """
    asked = schema_of(Config)
    head, _, body = text.partition("\n\n")
    lines: list[str] = [head]
    section: dict[str, Any] = {}
    for line in body.splitlines():
        found = OPTION.match(line)
        depth = len(line) - len(line.lstrip())
        options = asked if depth == 0 else section
        if found and found[3] in options.get("properties", {}):
            option = resolve(Config, options["properties"][found[3]])
            if depth == 0:
                section = option
                lines.append("")
            else:
                line = line.partition(" # ")[0]
            lines += [f"{' ' * depth}# {said}" for said in _description(option, depth)]
            lines.append(line)
        elif line and not ("properties" in options and line.lstrip().startswith("#")):
            lines.append(line)
    return "\n".join(lines) + "\n"


def _description(option: dict, depth: int) -> Iterator[str]:
    """An option's description and, of one that holds several mappings, that of their options."""
    width = WIDTH - depth - 2
    yield from textwrap.wrap(option["description"], width)
    inner = option.get("items") or option.get("additionalProperties") or {}
    items = resolve(Config, inner).get("properties", {}) if "$ref" in inner else {}
    items = {name: item for name, item in items.items() if "description" in item}
    column = max(map(len, items), default=0) + 4
    for name, item in items.items():
        yield from textwrap.wrap(
            item["description"],
            width,
            initial_indent=f"  {name}".ljust(column),
            subsequent_indent=" " * column,
        )


if __name__ == "__main__":
    config = Path(sys.argv[1])
    config.write_text(commented(config.read_text(encoding="utf-8")), encoding="utf-8")
