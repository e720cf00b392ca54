"""What a run makes and from what: its final outputs, pages, items of papers, a study, and the bench
of difficulty estimators."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ..data import own_files
from ..papers.used_settings import used_settings
from . import studies
from .sets import reads_matches

if TYPE_CHECKING:
    from .papers import Paper
    from .plan import Plan

# Tables of every set.
SET_TABLES = (
    *("system_scores.csv", "correlations.csv", "significance.csv", "agreement.csv"),
    *("controls.csv", "difficulty_and_people.csv", "complexity.csv"),
)
# Files beside these.
SET_FILES = (
    *("texts.json", "protocol.json", "parameters.csv", "correlation_spread.csv", "top_scores.csv"),
    *("system_intervals.csv", "metric_tests.csv", "metric_ranks.txt", "ratings.json"),
    "segments.js",
)
# What the page of a set shows, beside its tables and what its scores are made from.
PAGE_FILES = (
    *("missing.csv", "system_comparisons.csv", "metric_ranks.txt", "surface.npz"),
    *("parameters.csv", "ratings.json"),
)
COMPLEXITY_FILES = (
    *("text_types.csv", "correlations.csv", "normalised_scores.csv", "spread.csv", "summary.md"),
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
# A study: tables over all sets, those that figures are drawn from, and figures.
STUDY_TABLES = (
    *("synthesis", "power", "effects", "nulls", "pairs", "tuned", "rankings", "submissions"),
    "left_out",
)
STUDY_DRAWN = ("synthesis", "effects", "pairs", "tuned")
STUDY_FIGURES = (
    *("forest", "gain_by_tier", "gain_by_gap", "gain_by_effective_size", "tuned_and_null"),
)
# The bench of difficulty estimators: tables of each set, those that figures are drawn from, tables
# over all sets, and figures.
BENCH_SET_TABLES = ("values", "by_system", "tests", "segments", "selection")
BENCH_DRAWN = ("values", "by_system", "segments")
BENCH_TABLES = ("leaderboard", "comparisons", "selection")
BENCH_FIGURES = ("leaderboard", "by_set", "by_system", "items", "selection")

# What each set contributes to a table or figure, by its kind; of metrics and difficulties, more.
FILES_OF_KIND = {
    # tables
    "ablation": ("missing.csv",),
    "case_study": ("evalset.json", "weightings.json", "missing.csv"),
    "correlations": (
        *("evalset.json", "correlations.csv", "correlation_spread.csv", "significance.csv"),
        "missing.csv",
    ),
    "parameters": ("weightings.json",),
    "ranking": ("evalset.json", "top_scores.csv", "missing.csv"),
    "token_cases": ("evalset.json", "missing.csv"),
    # figures
    "balance_fit": ("weightings.json",),
    "chunks": ("evalset.json",),
    "difficulty_scores": ("weightings.json",),
    "segment_difficulties": ("weightings.json",),
    "top_k": ("correlations.csv", "weightings.json"),
}
# What each set contributes to the check of a claim, by its kind; beside its difficulty.
FILES_OF_CHECK = {
    "difficult_share": ("weightings.json",),
    "top_systems": ("correlations.csv",),
}
# Kinds that show a difficulty of segments or hypotheses, and those of these that show chunks.
DIFFICULTY_KINDS = ("case_study", "chunks", "difficulty_scores", "segment_difficulties")
CHUNK_KINDS = ("case_study", "chunks")
# Kinds that score a metric under a weighting, and those that read its token matches.
SCORED_KINDS = ("case_study", "token_cases")
TOKEN_KINDS = ("token_difficulties", "token_heat_map")
# Kinds that show the parameters of two groups of segments.
GROUP_KINDS = ("ablation", "balance_fit", "parameters", "segment_difficulties")


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
    return [*dict.fromkeys(files), f"{plan.results}/report.html", f"{plan.results}/summary.txt"]


def plots_of_set(plan: Plan, name: str) -> dict[str, str]:
    """The plots that the page shows, with their captions."""
    return ALL_PLOTS if plan.sets[name].neural else PLOTS


def set_figures(plan: Plan, name: str) -> list[str]:
    """The files of a set's plots; of what a set lacks one says so."""
    files = (f"figures/{plot}.{end}" for plot in ALL_PLOTS for end in ("svg", "pdf"))
    return plan.files(name, *files)


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
    files = [f"{plan.results}/report.html (everything below for a browser, a page for each set)"]
    for paper in plan.papers:
        place = f"{plan.results}/papers/{paper}"
        files.append(f"{place}/ (tables as csv, md, tex; figures as svg, pdf)")
    with_gold = 0
    for name, planned in plan.sets.items():
        has_gold = own_files.has_gold(planned.files) if planned.files else bool(planned.gold)
        with_gold += has_gold
        if planned.required:
            files += plan.files(name, "system_scores.csv")
            if has_gold:
                files += plan.files(name, "correlations.csv", "figures/top_k.svg")
            files += plan.files(name, *["figures/token_heat_map.svg"] * bool(planned.neural))
    if with_gold > 1:
        files += [f"{plan.results}/held_out.md", f"{plan.results}/metrics_task.md"]
    return files + [f"{plan.results}/complexity/summary.md"] * bool(plan.sets)


def made_from(plan: Plan) -> dict[str, list[str]]:
    """The tables that pages, and tables over all sets, show directly or by way of others: a run of
    a part may make these again and leave the page, which is then outdated."""
    found: dict[str, list[str]] = defaultdict(list)
    for name in plan.sets:
        shown = [file for file in page_files_of_set(plan, name) if file.endswith(".csv")]
        found[f"{plan.results}/{name}/report.html"] = shown
        found[f"{plan.results}/report.html"] += shown
        found[f"{plan.results}/held_out.csv"] += plan.score_files(name)
    for paper, content in plan.papers.items():
        files = claim_inputs(plan, paper)
        for item in (*content["tables"], *content["figures"]):
            files += item_inputs(plan, paper, item)
        found[f"{plan.results}/papers/{paper}/report.html"] = files
        found[f"{plan.results}/audit.csv"] += files
    return dict(found)


def partial_targets(plan: Plan) -> dict[str, list[str]]:
    """What may be made on its own, by name: a paper (liu2022), one item of it (liu2022_table2), a
    set (wmt19_en_de), and all scores as files of the archive's form (export)."""
    targets: dict[str, list[str]] = defaultdict(list)
    if plan.sets:
        targets["export"].append(f"{plan.results}/export")
    for paper in plan.papers:
        for item, files in paper_items(plan, paper).items():
            targets[paper] += files
            targets[f"{paper}_{item}"] += files
    for target, names in set_targets(plan).items():
        for name in names:
            files = plan.files(name, "report.html", *SET_TABLES) + set_figures(plan, name)
            targets[target] += [*files, f"{plan.results}/report.html"]
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


def study_facts(plan: Plan, name: str) -> list[str]:
    """Campaign, pair, reference, gold and phase of a set."""
    planned = plan.sets[name]
    development = studies.is_development(plan.config["study"], planned.campaign)
    phase = "development" if development else "confirmation"
    return [planned.campaign, planned.pair, planned.reference or "", planned.gold or "", phase]


def paper_items(plan: Plan, paper: str) -> dict[str, list[str]]:
    """The files of a paper's tables and figures, by item."""
    folder = f"{plan.results}/papers/{paper}"
    items = {}
    for name, table in plan.papers[paper]["tables"].items():
        items[name] = [f"{folder}/{name}.{end}" for end in ("csv", "md", "tex")]
        if table["kind"] == "correlations":
            items[name] += [f"{folder}/{name}_statistics.{end}" for end in ("csv", "md")]
    for name in plan.papers[paper]["figures"]:
        items[name] = [f"{folder}/{name}.{end}" for end in ("svg", "pdf")]
    if "claims" in plan.papers[paper]:
        items["claims"] = [f"{folder}/claims.csv", f"{folder}/claims.md"]
    return items


def cells_of_paper(plan: Plan, paper: str) -> list[str]:
    """The cells of a paper's tables and figures."""
    items = [*plan.papers[paper]["tables"], *plan.papers[paper]["figures"]]
    return [f"{plan.results}/papers/{paper}/cells/{item}.csv" for item in items]


def checks_of_claims(paper: Paper) -> list[dict[str, Any]]:
    """The checks of a paper's claims, those beside them too."""
    claims = paper.get("claims", [])
    checks: list[Any] = [claim["check"] for claim in claims if "check" in claim]
    return [*checks, *(check for claim in claims for check in claim.get("beside", {}).values())]


def sets_of_claims(paper: Paper) -> list[str]:
    """The sets on whose results a paper's claims are checked."""
    return list(dict.fromkeys(c["set"] for c in checks_of_claims(paper) if "set" in c))


def claim_inputs(plan: Plan, paper: str) -> list[str]:
    """The results of sets that a paper's claims are checked on."""
    files = []
    for check in checks_of_claims(plan.papers[paper]):
        if check["kind"] in FILES_OF_CHECK:
            files += plan.files(check["set"], *FILES_OF_CHECK[check["kind"]])
        if "difficulty" in check:
            files.append(plan.difficulty_file(check["set"], check["difficulty"]))
    return list(dict.fromkeys(files))


def sets_of(item: Any) -> list[str]:
    """The evaluation sets that a table or figure names."""
    found = [item["set"]] if "set" in item else list(item.get("sets", []))
    found += [column["set"] for column in item.get("columns", []) if "set" in column]
    return list(dict.fromkeys(found))


def item_inputs(plan: Plan, paper: str, name: str) -> list[str]:
    """What a table or figure is made from, set by set, each file once; what is drawn from the
    paper's file or from the rules reads no results."""
    item: Any = (plan.papers[paper]["tables"] | plan.papers[paper]["figures"])[name]
    files = [f"{plan.results}/papers/{paper}/ablation.csv"] * (item["kind"] == "ablation")
    for each in sets_of(item):
        files += _files_of_set(plan, each, item)
    return list(dict.fromkeys(files))


def _files_of_set(plan: Plan, name: str, item: Any) -> Iterator[str]:
    kind, metric, used = item["kind"], item.get("metric"), item_settings(plan, item)[name]
    yield from plan.files(name, *FILES_OF_KIND.get(kind, ()))
    if kind in DIFFICULTY_KINDS:
        yield plan.difficulty_file(name, item["difficulty"])
    if metric not in plan.sets[name].metrics:
        return
    if kind in (*SCORED_KINDS, "difficulty_scores"):
        yield from plan.files(name, f"statistics/{metric}.npz")
    if kind in (*SCORED_KINDS, *TOKEN_KINDS):
        yield from plan.files(name, "evalset.json", "weightings.json", *used["matches"].values())
        estimated = [each for each in used["difficulties"] if each in plan.sets[name].estimated]
        yield from (plan.difficulty_file(name, each) for each in estimated)


def item_settings(plan: Plan, item: Any) -> dict[str, dict[str, Any]]:
    """By set, the settings of metrics, difficulties and weightings that an item uses."""
    return {name: used_settings(plan.score_settings(name), item) for name in sets_of(item)}


def printed_sizes(plan: Plan, name: str) -> list[int]:
    """Sizes of random subsets of a set's systems over which a paper prints correlations."""
    tables = [table for paper in plan.papers.values() for table in paper["tables"].values()]
    columns = [c for table in tables if table["kind"] == "correlations" for c in table["columns"]]
    of_set = [column for column in columns if column["set"] == name]
    return sorted({column["size"] for column in of_set if column["subset"] == "random"})


def systems(plan: Plan, paper: str) -> dict[str, int]:
    """How many systems a paper had of each of its sets."""
    entries = plan.papers[paper]["sets"]
    return {f"{entry['campaign']}/{entry['pair']}": entry["systems"] for entry in entries}


def ablated_metrics(plan: Plan, paper: str) -> dict[str, dict]:
    """The paper's metrics with segment statistics."""
    metrics = plan.sets[plan.papers[paper]["ablation"]["set"]].metrics
    of_paper = [name for name in plan.papers[paper]["metrics"] if name in metrics]
    return {name: metrics[name] for name in of_paper if metrics[name]["type"] != "stored"}


def metric_types(plan: Plan, paper: str) -> dict[str, str]:
    """The types of a paper's metrics, by name."""
    metrics = dict(plan.papers[paper]["metrics"])
    for entry in plan.papers[paper]["sets"]:
        metrics |= entry.get("metrics", {})
    return {name: settings["type"] for name, settings in metrics.items()}


def left_out(plan: Plan, paper: str) -> dict[str, str]:
    """Metrics of a paper that this run leaves out, with the reason."""
    if plan.config["neural"]:
        return {}
    types, reason = metric_types(plan, paper), "neural metrics were left out (NEURAL=no)"
    return {name: reason for name, kind in types.items() if reads_matches({"type": kind})}


def substitutions(plan: Plan, paper: str) -> dict[str, dict[str, str]]:
    """By set and metric, what its cells say of an encoder that is not the paper's."""
    names = [f"{entry['campaign']}/{entry['pair']}" for entry in plan.papers[paper]["sets"]]
    return {name: plan.sets[name].substitutions for name in names}
