"""What a run makes: its final outputs, what its pages show, and what to look at first."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from ..data import own_files
from .paper_items import cells_of_paper, paper_items, sets_of, sets_of_claims

if TYPE_CHECKING:
    from .plan import Plan

# Tables of every set.
SET_TABLES = (
    "system_scores.csv",
    "correlations.csv",
    "significance.csv",
    "agreement.csv",
    "controls.csv",
    "difficulty_and_people.csv",
    "complexity.csv",
)
# Files beside these.
SET_FILES = (
    "texts.json",
    "protocol.json",
    "parameters.csv",
    "correlation_spread.csv",
    "top_scores.csv",
    "system_intervals.csv",
    "metric_tests.csv",
    "metric_ranks.txt",
    "ratings.json",
    "segments.js",
)
# What became of every number that papers print.
# What the page of a set shows, beside its tables and what its scores are made from.
PAGE_FILES = (
    "missing.csv",
    "system_comparisons.csv",
    "metric_ranks.txt",
    "surface.npz",
    "parameters.csv",
    "ratings.json",
)
COMPLEXITY_FILES = (
    "text_types.csv",
    "correlations.csv",
    "normalised_scores.csv",
    "spread.csv",
    "summary.md",
)
# Plots of every set, and those shown of one with token matches; with captions.
PLOTS = {
    "top_k": "Pearson's r of metric and human scores over the K best systems, for falling K; of "
    "the first metrics, where there are many.",
    "surface": "Pearson's r of weightings in two groups over thresholds and easy weights; marked "
    "are the parameters in force, those of Eq. 9 and 11, and the best; § are tuned on the human "
    "scores of the set. Of the first metrics, where there are many.",
    "difficulties": "One row per difficulty. Left: mean segment score by difficulty, with a linear "
    "fit. Right: distribution over segments of the mean difficulty, with N(μ, σ) and its tails "
    "beyond 2σ.",
}
TOKEN_PLOTS = {
    "token_heat_map": "What each system misses of a difficult reference: 1 − the best similarity "
    "of every reference token; their mean on top is the token's difficulty.",
    "difficulty_distribution": "Difficulties of all reference tokens, as densities.",
}
ALL_PLOTS = PLOTS | TOKEN_PLOTS


def page_file(plan: Plan) -> str:
    """The index of all pages."""
    return f"{plan.results}/report.html"


def summary_file(plan: Plan) -> str:
    """The summary, a run's last result."""
    return f"{plan.results}/summary.txt"


def run_record(plan: Plan) -> str:
    """What a run was made from: commit, versions, config, and how each set was scored."""
    return f"{plan.results}/run.json"


def export_folder(plan: Plan) -> str:
    """The scores of all sets as files of the archive's form."""
    return f"{plan.results}/export"


def final_outputs(plan: Plan) -> list[str]:
    """Every result, be it read by others or not: whichever is deleted is made again."""
    files = [f for paper in plan.papers for item in paper_items(plan, paper).values() for f in item]
    files += index_files(plan)
    for paper in plan.papers:
        files += paper_page_files(plan, paper)
    for name, planned in plan.sets.items():
        files += page_files_of_set(plan, name) + plan.files(name, *SET_FILES)
        for encoder in planned.used_encoders:
            files += plan.files(name, f"matches/{encoder}.npz", f"matches/{encoder}.json")
        for difficulty in planned.estimated:
            files += plan.difficulty_sources(name, difficulty)
        if planned.required:
            files += set_figures(plan, name)
    files += [path for name in plan.checked_sets for path in plan.files(name, "check.json")]
    if plan.sets:
        tables = ("held_out", "metrics_task")
        files += [f"{plan.results}/{table}.{end}" for table in tables for end in ("csv", "md")]
        files += [f"{plan.results}/complexity/{file}" for file in COMPLEXITY_FILES]
    files += [f"{plan.results}/audit.csv"] * bool(plan.papers)
    return [*dict.fromkeys(files), page_file(plan), summary_file(plan)]


def plots_of_set(plan: Plan, name: str) -> dict[str, str]:
    """The plots that the page shows, with their captions."""
    return ALL_PLOTS if plan.sets[name].neural else PLOTS


def set_figures(plan: Plan, name: str) -> list[str]:
    """The files of a set's plots; of what a set lacks one says so."""
    return plan.files(
        name, *(f"figures/{plot}.{end}" for plot in ALL_PLOTS for end in ("svg", "pdf"))
    )


def index_files(plan: Plan) -> list[str]:
    """What the index of the pages is made from, and the pages that it links."""
    papers = [f"{plan.results}/papers/{paper}/report.html" for paper in plan.papers]
    return plan.files_of_all("report.html", "report.json") + papers


def paper_page_files(plan: Plan, paper: str) -> list[str]:
    """What the page of a paper is made from."""
    items = paper_items(plan, paper).values()
    shown = [path for item in items for path in item if path.endswith((".csv", ".svg"))]
    claims = f"{plan.results}/papers/{paper}/claims.csv"
    return cells_of_paper(plan, paper) + shown + [claims] * ("claims" in plan.papers[paper])


def summaries_of_paper(plan: Plan, paper: str) -> list[str]:
    """What the pages of a paper's sets say of their weightings."""
    content = plan.papers[paper]
    items = [*content["tables"].values(), *content["figures"].values()]
    names = [name for item in items for name in sets_of(item)] + sets_of_claims(content)
    return [path for name in dict.fromkeys(names) for path in plan.files(name, "report.json")]


def page_files_of_set(plan: Plan, name: str) -> list[str]:
    """What the page of a set is made from; of the papers' many sets it shows less."""
    planned = plan.sets[name]
    files = [*PAGE_FILES, *SET_TABLES]
    files += [f"encoders/{encoder}.json" for encoder in planned.used_encoders]
    if planned.required:
        files.append("system_intervals.csv")
        files += [f"figures/{plot}.svg" for plot in plots_of_set(plan, name)]
    return plan.score_files(name) + plan.files(name, *files)


def page_settings(plan: Plan, name: str) -> dict[str, Any]:
    """What the page must know of a set to read its files."""
    planned = plan.sets[name]
    return plan.score_settings(name) | {
        # Hard segments, to be looked at one by one.
        "shown": 20 if planned.required else 6,
        "types": planned.types,
        "statistics": plan.config["statistics"],
    }


def page_paper(plan: Plan, name: str) -> dict[str, Any]:
    """A paper's title and captions."""
    paper = plan.papers[name]
    found: dict[str, Any] = {key: paper[key] for key in ("title", "authors", "year")}
    for kind in ("tables", "figures"):
        found[kind] = {item: content["caption"] for item, content in paper[kind].items()}
    return found


def places_to_look(plan: Plan) -> list[str]:
    """What a user would open first."""
    files = [f"{page_file(plan)} (everything below for a browser, a page for each set)"]
    files += [
        f"{plan.results}/papers/{paper}/ (tables as csv, md, tex; figures as svg, pdf)"
        for paper in plan.papers
    ]
    for name, planned in plan.sets.items():
        if planned.required:
            files += plan.files(name, "system_scores.csv")
            if _has_gold(plan, name):
                files += plan.files(name, "correlations.csv", "figures/top_k.svg")
            files += plan.files(name, *["figures/token_heat_map.svg"] * bool(planned.neural))
    with_gold = sum(_has_gold(plan, name) for name in plan.sets)
    files += [f"{plan.results}/held_out.md"] * (with_gold > 1)
    files += [f"{plan.results}/metrics_task.md"] * (with_gold > 1)
    return files + [f"{plan.results}/complexity/summary.md"] * bool(plan.sets)


def _has_gold(plan: Plan, name: str) -> bool:
    planned = plan.sets[name]
    if planned.files is None:
        return bool(planned.gold)
    return own_files.has_gold(planned.files)


def partial_targets(plan: Plan) -> dict[str, list[str]]:
    """What may be made on its own, by name: a paper (liu2022), one item of it (liu2022_table2), a
    set (wmt19_en_de), and all scores as files of the archive's form (export)."""
    targets: dict[str, list[str]] = defaultdict(list)
    if plan.sets:
        targets["export"].append(export_folder(plan))
    for paper in plan.papers:
        for item, files in paper_items(plan, paper).items():
            targets[paper] += files
            targets[f"{paper}_{item}"] += files
    for target, names in set_targets(plan).items():
        for name in names:
            files = plan.files(name, "report.html", *SET_TABLES) + set_figures(plan, name)
            targets[target] += [*files, page_file(plan)]
    return targets


def set_targets(plan: Plan) -> dict[str, list[str]]:
    """The sets that a target makes; campaign and pair name all that have them where none is in that
    folder."""
    targets: dict[str, list[str]] = defaultdict(list)
    for name, planned in plan.sets.items():
        pair = f"{planned.campaign}/{planned.pair}"
        for place in {name, name if pair in plan.sets else pair}:
            targets[re.sub(r"\W", "_", place)].append(name)
    return targets
