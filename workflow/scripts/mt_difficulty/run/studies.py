"""Studies: what is wrong with one in a config, and what its jobs read and make."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

from ..errors import nearest

if TYPE_CHECKING:
    from .plan import Plan

STANDARD = "standard"
# The parts of a config that say what a study is.
REGISTERED = (
    *("study", "evaluation_sets", "metrics", "neural", "difficulties", "weightings", "seed"),
)
# Tables over all sets of a study.
TABLES = (
    *("synthesis", "power", "effects", "nulls", "pairs", "tuned", "rankings", "submissions"),
    "left_out",
)
FIGURES = ("forest", "gain_by_tier", "gain_by_gap", "gain_by_effective_size", "tuned_and_null")
# Tables that figures are drawn from.
DRAWN = ("synthesis", "effects", "pairs", "tuned")


def study_problems(study: Mapping[str, Any], weightings: Mapping[str, Mapping]) -> Iterator[str]:
    """What is wrong with a study beside its form.

    Parameters
    ----------
    study : dict
        The config's `study`.
    weightings : dict of str to dict
        The config's.
    """
    elsewhere = study.get("elsewhere", {})
    for name, base in elsewhere.items():
        if name in weightings:
            yield f"elsewhere: {name} is a weighting of the config. Name it otherwise."
        if base not in weightings:
            yield f"elsewhere, {name}: no weighting {base}{nearest(base, weightings)}."
        elif weightings[base]["type"] != "groups":
            yield f"elsewhere, {name}: {base} is no weighting in two groups (type: groups)."
    known = [STANDARD, *weightings, *elsewhere]
    for name, contrast in study["contrasts"].items():
        for key in ("weighting", "against"):
            if (wanted := contrast.get(key, STANDARD)) not in known:
                yield (
                    f"contrasts, {name}: {key}: no weighting {wanted}; there are "
                    f"{', '.join(known)}{nearest(wanted, known)}."
                )
        weighting = contrast["weighting"]
        if "nulls" in contrast and (why := _without_nulls(weighting, weightings)):
            yield f"contrasts, {name}: nulls need a weighting of segments; {weighting} {why}."


def _without_nulls(weighting: str, weightings: Mapping[str, Mapping]) -> str:
    """Why a weighting has no weights of segments alone; empty where it has."""
    kind = weightings.get(weighting, {}).get("type")
    if weighting == STANDARD:
        return "weighs none"
    return "weighs tokens" if kind in ("tokens", "combined") else ""


def is_development(study: Mapping[str, Any], campaign: str) -> bool:
    """Whether a campaign is one that ideas were developed on."""
    return any(fnmatchcase(campaign, pattern) for pattern in study["development"])


def study_checksum(config: Mapping[str, Any]) -> str:
    """SHA-256 of what a study compares, and on which sets: REGISTERED as they stand in the merged
    config."""
    text = json.dumps({key: config[key] for key in REGISTERED}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def outputs(plan: Plan) -> list[str]:
    """What a study makes over all sets; nothing without one."""
    if "study" not in plan.config:
        return []
    files = ["findings.md", "tables.tex", "report.html"]
    tables = [f"{plan.results}/study/{file}" for file in files]
    return tables + [file for end in ("svg", "pdf") for file in figure_files(plan, end)]


def findings_text(plan: Plan) -> str:
    """The findings of a study, which a run prints at its end."""
    return f"{plan.results}/study/findings.txt"


def figure_files(plan: Plan, end: str) -> list[str]:
    """The figures of a study in one format."""
    return [f"{plan.results}/study/{name}.{end}" for name in FIGURES]


def first_primary(study: Mapping[str, Any]) -> str:
    """The contrast that figures of one contrast show: the first primary one, or the first."""
    return [*primary(study), *study["contrasts"]][0]


def primary(study: Mapping[str, Any]) -> list[str]:
    """The primary contrasts."""
    return [name for name, each in study["contrasts"].items() if each.get("primary")]


def facts(plan: Plan, name: str) -> list[str]:
    """Campaign, pair, reference, gold and phase of a set."""
    planned = plan.sets[name]
    development = is_development(plan.config["study"], planned.campaign)
    phase = "development" if development else "confirmation"
    return [planned.campaign, planned.pair, planned.reference or "", planned.gold or "", phase]


def development_sets(plan: Plan) -> list[str]:
    """Sets of the campaigns that ideas were developed on."""
    study = plan.config["study"]
    return [name for name, each in plan.sets.items() if is_development(study, each.campaign)]
