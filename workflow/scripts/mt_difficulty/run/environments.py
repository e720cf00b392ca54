"""The environment of rules that run no encoder, made from the lock: all but PyTorch's side.

`python -m mt_difficulty.run.environments` writes envs/base.yaml where the lock is installed.
"""

import re
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, requires
from pathlib import Path

# What encoders and models need.
NEURAL = frozenset(
    {"bert-score", "huggingface-hub", "safetensors", "tokenizers", "torch", "transformers"}
)
HEAD = """\
# Rules that run no encoder; `make lock` makes it from requirements.txt.
name: mt-difficulty-base
channels: [conda-forge, nodefaults]
dependencies:
  - python=3.12
  - pip
  - pip:
"""


def base_pins(asked: Iterable[str], pins: Iterable[str]) -> list[str]:
    """The pins of what is asked for without NEURAL, and of all that it needs, as installed.

    Parameters
    ----------
    asked : iterable of str
        Lines of requirements.in.
    pins : iterable of str
        Lines of requirements.txt.
    """
    wanted: set[str] = set()
    ahead = [line for line in asked if line and line[0] != "#" and name_of(line) not in NEURAL]
    while ahead:
        line = ahead.pop()
        key = name_of(line) + "".join(re.findall(r"\[.*?\]", line))
        if key not in wanted:
            wanted.add(key)
            ahead += _needed(line)
    names = {name.partition("[")[0] for name in wanted}
    return [pin for pin in pins if name_of(pin) in names]


def name_of(requirement: str) -> str:
    """The normalised name of a distribution."""
    found = re.match(r"[\w.-]+", requirement)
    return re.sub(r"[-_.]+", "-", found[0]).lower() if found else ""


def _needed(line: str) -> list[str]:
    """What a distribution needs, with the extras that are asked for; of another system's none."""
    extras = [each.strip() for group in re.findall(r"\[(.*?)\]", line) for each in group.split(",")]
    try:
        stated = requires(name_of(line)) or []
    except PackageNotFoundError:
        return []
    return [
        each
        for each in stated
        if "extra ==" not in each or any(re.search(f"['\"]{extra}['\"]", each) for extra in extras)
    ]


def environment(pins: Iterable[str]) -> str:
    """A conda environment of these pins."""
    return HEAD + "".join(f"      - {pin}\n" for pin in pins)


if __name__ == "__main__":
    folder = Path("envs")
    asked, pins = ((folder / f"requirements.{end}").read_text() for end in ("in", "txt"))
    chosen = base_pins(asked.splitlines(), pins.splitlines())
    (folder / "base.yaml").write_text(environment(chosen))
