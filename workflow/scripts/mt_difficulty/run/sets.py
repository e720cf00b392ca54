"""The evaluation sets of a run: those of its papers and those of its config, merged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InputError, nearest

if TYPE_CHECKING:
    from .paper_settings import Paper
    from .settings import Config

NEURAL_TYPES = ("bertscore",)
# What two entries of one set must agree in.
PROTOCOL = ("files", "reference", "gold", "exclude", "h", "w", "EE", "DA")


@dataclass(frozen=True)
class PlannedSet:
    """An evaluation set of a run.

    Attributes
    ----------
    name : str
        The folder of its results: campaign/pair, or longer where two sets have these.
    metrics : dict of str to dict
        Settings of its metrics, by name.
    required : bool
        Whether the config names it: then it must have texts, and the page shows more of it.
    reference, gold, files : str, optional
        Either names in the archive, or a folder of own files.
    h, w : float, optional
        EE's parameters where they are given.
    encoders, substitutions : dict of str to str
        By neural metric the encoder that is used, and, in sets of papers, what cells say of one
        that is not the paper's.
    """

    name: str
    campaign: str
    pair: str
    metrics: dict[str, dict[str, Any]]
    required: bool
    EE: dict[str, Any]
    DA: dict[str, Any]
    reference: str | None = None
    gold: str | None = None
    files: str | None = None
    exclude: list[str] | None = None
    h: float | None = None
    w: float | None = None
    encoders: dict[str, str] = field(default_factory=dict)
    substitutions: dict[str, str] = field(default_factory=dict)

    @property
    def types(self) -> dict[str, str]:
        """Types of the metrics, by name."""
        return {metric: settings["type"] for metric, settings in self.metrics.items()}

    @property
    def neural(self) -> list[str]:
        """Metrics that need an encoder."""
        return [metric for metric, kind in self.types.items() if kind in NEURAL_TYPES]

    @property
    def used_encoders(self) -> list[str]:
        """Encoders of the neural metrics, each once."""
        return list(dict.fromkeys(self.encoders.values()))

    def given(self, *names: str) -> dict[str, Any]:
        """Those of the named attributes that have a value."""
        return {name: value for name in names if (value := getattr(self, name)) is not None}


def collect_sets(
    config: Config, papers: Mapping[str, Paper]
) -> tuple[dict[str, dict[str, Any]], list[str]]:
    """The sets of papers and config as entries, by name, and why others are none."""
    sets: dict[str, dict[str, Any]] = {}
    problems: list[str] = []
    for paper in papers.values():
        _add_each(problems, _add_paper_set, sets, config, paper["sets"], paper)
    for entry in sets.values():
        entry |= {key: config[key] for key in ("EE", "DA") if key not in entry}
    _add_each(problems, _add_config_set, sets, config, config["evaluation_sets"])
    if not sets and not config["papers"] and not problems:
        problems.append("config: no evaluation set; name one in evaluation_sets or papers.")
    return sets, problems


def _add_each(
    problems: list[str],
    add: Callable,
    sets: dict,
    config: Config,
    entries: Iterable[Any],
    *arguments: Any,
) -> None:
    for entry in entries:
        try:
            add(sets, config, entry, *arguments)
        except InputError as error:
            problems.append(str(error))


def _add_paper_set(sets: dict, config: Config, entry: dict, paper: Paper) -> None:
    """Add a set in campaign/pair; two papers may share it where what they state agrees."""
    name = f"{entry['campaign']}/{entry['pair']}"
    metrics = chosen_metrics(paper["metrics"] | entry.get("metrics", {}), config["neural"])
    stated = {key: value for key, value in paper.items() if key in ("EE", "DA")} | entry
    stated |= {"metrics": metrics}
    known = sets.get(name, {"metrics": {}, "required": False})
    if not _agree(known, stated):
        raise InputError(f"config, papers: two papers differ on {name}; run one of them.")
    sets[name] = known | stated | {"metrics": known["metrics"] | metrics}


def _add_config_set(sets: dict, config: Config, entry: dict) -> None:
    """Add a set in campaign/pair, or, where it differs from a set that is there, in a folder of
    its own: a paper's numbers are always those of its protocol."""
    name = f"{entry['campaign']}/{entry['pair']}"
    metrics = _metrics_of_entry(name, entry, config)
    entry = {"EE": config["EE"], "DA": config["DA"], **entry, "metrics": metrics}
    if "files" in entry:
        entry["files"] = os.path.expanduser(entry["files"])
    known = sets.get(name, entry)
    if not _agree(known, entry) or _protocol(known) != _protocol(entry):
        name += f".{_own_name(entry)}"
    known = sets.get(name, {"metrics": {}, "required": False})
    if known["required"]:
        raise InputError(f"config, evaluation_sets: {name} is named twice.")
    sets[name] = known | entry | {"metrics": known["metrics"] | metrics, "required": True}


def _metrics_of_entry(name: str, entry: dict, config: Config) -> dict[str, dict]:
    known = config["metrics"]
    for metric in entry.get("metrics", ()):
        if metric not in known:
            raise InputError(
                f"config, evaluation_sets: no metric {metric}; config.metrics has: "
                f"{', '.join(known)}{nearest(metric, known)}."
            )
    named = {metric: known[metric] for metric in entry.get("metrics", known)}
    if not (metrics := chosen_metrics(named, config["neural"])):
        raise InputError(
            f"config, evaluation_sets: {name} has no metrics but neural ones, which this run "
            "leaves out (neural: false)."
        )
    return metrics


def chosen_metrics(metrics: Mapping[str, dict], neural: bool) -> dict[str, dict]:
    """The metrics that are computed: without neural ones those that need no encoder."""
    return {
        name: settings
        for name, settings in metrics.items()
        if neural or settings["type"] not in NEURAL_TYPES
    }


def _protocol(entry: Mapping[str, Any]) -> set[str]:
    return entry.keys() & set(PROTOCOL)


def _agree(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two entries agree in whatever both of them say."""
    metrics = one["metrics"].keys() & other["metrics"].keys()
    return all(one[key] == other[key] for key in _protocol(one) & _protocol(other)) and all(
        one["metrics"][name] == other["metrics"][name] for name in metrics
    )


def _own_name(entry: Mapping[str, Any]) -> str:
    """What tells a set from others of its campaign and pair."""
    if "files" in entry:
        return re.sub(r"[^\w.-]", "_", Path(entry["files"]).name)
    return f"{entry['reference']}.{entry['gold']}"
