"""What a table or a figure of a paper is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ..data.set_files import SetFiles
from ..errors import Missing
from ..evidence import labels


@dataclass(frozen=True)
class Inputs:
    """Results by set, and what the paper and the run say of them.

    `sets` are the result files of each set, `own` those of the paper itself. `systems` says how
    many systems the paper had of a set, `types` the type of each metric, `left_out` why a metric
    is not in this run, `substitutes`, by set and metric, which encoder took the place of the
    paper's. `settings` are the paper's other ones (`DA`, `printed`, `zero_segments`, `graph`).
    """

    sets: dict[str, SetFiles]
    own: SetFiles = field(default_factory=lambda: SetFiles(""))
    systems: dict[str, int] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    substitutes: dict[str, dict[str, str]] = field(default_factory=dict)
    settings: dict[str, Any] = field(default_factory=dict)

    def note(self, name: str) -> str:
        """A remark on every number of a set, where its systems are not the paper's."""
        there, expected = len(self.sets[name].read("evalset.json").systems), self.systems[name]
        differ = there != expected
        return f"{there} systems in this archive, {expected} in the paper" * differ

    def missing(self, name: str) -> dict[tuple[str, str], str]:
        """Why scores of a set do not exist, by metric and weighting."""
        reasons = {
            (metric, label.name): reason
            for metric, reason in self.left_out.items()
            for label in labels.LABELS
        }
        for row in self.sets[name].read("missing.csv").itertuples():
            reasons[str(row.metric), str(row.weighting)] = str(row.reason)
        return reasons

    def substitute(self, name: str, metric: str) -> str:
        """Which encoder took the place of the paper's; empty for the paper's own."""
        return self.substitutes.get(name, {}).get(metric, "")


def read_or_reason(files: SetFiles, file: str) -> tuple[Any, str]:
    """A file's content and no reason, or None and the reason why it is missing."""
    try:
        return files.read(file), ""
    except Missing as reason:
        return None, str(reason)
