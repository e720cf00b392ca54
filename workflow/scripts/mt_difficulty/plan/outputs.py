"""What a run makes, and from which files: sets, papers, a study, the bench of estimators."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any, TypeVar

from ..data import own_files
from ..metrics import METRICS
from ..settings import Metrics, ScoreSettings
from ..settings.protocol import (
    AblationTable,
    AgreementTable,
    CaseTable,
    ChunkFigure,
    CorrelationTable,
    DifficultyScoreFigure,
    HeatMapFigure,
    ItemInputs,
    MatrixTable,
    PaperFigure,
    PaperSummary,
    PaperTable,
    SegmentDifficultyFigure,
    ShareCheck,
    TokenCaseTable,
    TokenDifficultyFigure,
    TopCheck,
    sets_of,
)
from ..settings.study import Study
from ..weighting import parts
from .papers import Paper
from .plan import Plan

# Tables of every set.
SET_TABLES = (
    "system_scores.csv",
    "correlations.csv",
    "significance.csv",
    "agreement.csv",
    "controls.csv",
    "difficulty_and_gold.csv",
)
# Further files of every set, beside its tables and page.
SET_FILES = (
    "texts.json",
    "correlation_spread.csv",
    "top_scores.csv",
    "system_intervals.csv",
    "system_comparisons.csv",
    "metric_tests.csv",
    "segments.js",
)
# Further input files of a set's page, beside its tables and the inputs of its scores.
PAGE_FILES = (
    "missing.csv",
    "metric_ranks.txt",
    "surface.npz",
    "parameters.csv",
    "ratings.json",
    "human_evaluation.json",
)
COMPLEXITY_FILES = (
    "readability.csv",
    "text_types.csv",
    "correlations.csv",
    "normalised_scores.csv",
    "spread.csv",
    "summary.md",
)
# Files of a paper's analysis of the run's own sets that its page reads, by folder of the results.
ANALYSES = {"complexity": ("correlations.csv", "spread.csv"), "sentinels": ("agreement.csv",)}
# Plots of every set, and plots of sets with token matches, with captions.
PLOTS = {
    "top_k": "Pearson’s r of metric and human scores over the K best systems, for falling K; of "
    "the first metrics, where there are many.",
    "surface": "Pearson’s r of weightings in two groups over thresholds and easy weights; marked "
    "are the parameters in force (those of the run), those of Eq. 9 and 11, and the best; § are "
    "tuned on the human scores of the set. Of the first metrics, where there are many.",
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
# A study: tables over all sets, and figures.
STUDY_TABLES = [
    "synthesis",
    "power",
    "effects",
    "nulls",
    "pairs",
    "tuned",
    "rankings",
    "submissions",
    "left_out",
]
# The keys of a config that define a study.
REGISTERED = ("study", "evaluation_sets", "metrics", "neural", "difficulties", "weightings", "seed")
STUDY_FIGURES = ("forest", "gain_by_tier", "gain_by_gap", "tuned_and_null")
# The bench of difficulty estimators: tables of each set and over all sets, and figures.
BENCH_SET_TABLES = ("values", "by_system", "tests", "segments", "selection")
BENCH_TABLES = ("leaderboard", "comparisons", "selection")
BENCH_FIGURES = ("leaderboard", "by_set", "items", "selection")

# Files of each set that a paper's tables, figures and claims read; some items read more.
FILES_OF_SET = (
    "evalset.json",
    "weightings.json",
    "missing.csv",
    "correlations.csv",
    "correlation_spread.csv",
    "top_scores.csv",
)
# Items that show a difficulty of segments or hypotheses.
DIFFICULTY_ITEMS = (CaseTable, ChunkFigure, DifficultyScoreFigure, SegmentDifficultyFigure)
# Items with scores of a metric under a weighting; items that read token matches.
SCORED_ITEMS = (CaseTable, TokenCaseTable)
TOKEN_ITEMS = (TokenDifficultyFigure, HeatMapFigure)
# Items with scores of unweighted metrics, one for each row.
METRIC_ITEMS = (AgreementTable, MatrixTable)


def final_outputs(plan: Plan) -> list[str]:
    """Return the paths of all result files of a run, including intermediate ones."""
    files = index_files(plan)
    for paper in plan.papers:
        for item_files in paper_items(plan, paper).values():
            files += item_files
        files += paper_page_files(plan, paper)
    for name, planned in plan.sets.items():
        files += page_files_of_set(plan, name) + plan.files(name, *SET_FILES)
        for encoder in planned.used_encoders:
            files += plan.files(name, f"matches/{encoder}.npz", f"matches/{encoder}.json")
        for difficulty in planned.estimated:
            files += plan.difficulty_sources(name, difficulty)
        if planned.required:
            files += set_figures(plan, name)
    for name in plan.checked_sets:
        files += plan.files(name, "check.json")
    if plan.sets:
        for file in ("held_out.csv", "held_out.md", "metrics_task.csv", "metrics_task.md"):
            files.append(f"{plan.results}/{file}")
        files += [f"{plan.results}/complexity/{file}" for file in COMPLEXITY_FILES]
    if plan.papers:
        files.append(f"{plan.results}/audit.csv")
    return [*dict.fromkeys(files), f"{plan.results}/report.html", f"{plan.results}/summary.txt"]


# Sets and their pages


def plots_of_set(plan: Plan, name: str) -> dict[str, str]:
    """Return the captions of the plots on a set's page, by the plot's name."""
    return ALL_PLOTS if plan.sets[name].encoders else PLOTS


def set_figures(plan: Plan, name: str) -> list[str]:
    """Return the paths of a set's plots, each as SVG and PDF, including plots that lack data."""
    files = []
    for plot in ALL_PLOTS:
        files += [f"figures/{plot}.svg", f"figures/{plot}.pdf"]
    return plan.files(name, *files)


def page_files_of_set(plan: Plan, name: str) -> list[str]:
    """Return the paths that a set's page reads; no plots or intervals for sets of papers alone."""
    planned = plan.sets[name]
    files = [*PAGE_FILES, *SET_TABLES]
    files += [f"encoders/{encoder}.json" for encoder in planned.used_encoders]
    if planned.required:
        files.append("system_intervals.csv")
        files += [f"figures/{plot}.svg" for plot in plots_of_set(plan, name)]
    return plan.score_files(name) + plan.files(name, *files)


def index_files(plan: Plan) -> list[str]:
    """Return the paths that the index page uses: pages of sets and papers, summaries of sets, and
    papers' analyses of the run's own sets."""
    papers = [f"{plan.results}/papers/{paper}/report.html" for paper in plan.papers]
    analyses: list[str] = []
    for paper in plan.papers:
        analyses += analysis_files(plan, paper)
    return plan.files_of_all("report.html", "report.json") + papers + analyses


def analysis_files(plan: Plan, paper: str) -> list[str]:
    """Return the paths of a paper's analysis of the run's own sets; empty if it has none, or if the
    run has no set."""
    folder = plan.papers[paper].method.analysis
    if not folder or not plan.sets:
        return []
    return [f"{plan.results}/{folder}/{file}" for file in ANALYSES[folder]]


def encoder_notices(plan: Plan) -> list[str]:
    """Return the paths of JSON files with encoder warnings on any set, such as of truncation."""
    files: list[str] = []
    for name, planned in plan.sets.items():
        files += plan.files(name, *(f"matches/{encoder}.json" for encoder in planned.used_encoders))
        for difficulty in planned.estimated:
            for source in plan.difficulty_sources(name, difficulty):
                if f"{name}/consensus/" in source:
                    files.append(source.replace(".npz", ".json"))
    return list(dict.fromkeys(files))


def places_to_look(plan: Plan) -> list[str]:
    """Return lines of text, each with the path of a result that a user would open first."""
    lines = [f"{plan.results}/report.html (everything below for a browser, a page for each set)"]
    for paper in plan.papers:
        lines.append(
            f"{plan.results}/papers/{paper}/ (tables as csv, md, tex; figures as svg, pdf)"
        )
    sets_with_gold = 0
    for name, planned in plan.sets.items():
        has_gold = bool(planned.gold or (planned.files and own_files.gold_files(planned.files)))
        if has_gold:
            sets_with_gold += 1
        if planned.required:
            files = ["system_scores.csv"]
            if has_gold:
                files += ["correlations.csv", "figures/top_k.svg"]
            if planned.encoders:
                files.append("figures/token_heat_map.svg")
            lines += plan.files(name, *files)
    if sets_with_gold > 1:
        lines += [f"{plan.results}/held_out.md", f"{plan.results}/metrics_task.md"]
    if plan.sets:
        lines.append(f"{plan.results}/complexity/summary.md")
    return lines


def made_from(plan: Plan) -> dict[str, list[str]]:
    """Return the tables behind each page and each table over all sets, directly or indirectly. A
    partial run may remake these tables without the page, which is then outdated."""
    tables: dict[str, list[str]] = defaultdict(list)
    for name in plan.sets:
        shown = [file for file in page_files_of_set(plan, name) if file.endswith(".csv")]
        tables[f"{plan.results}/{name}/report.html"] = shown
        tables[f"{plan.results}/report.html"] += shown
        tables[f"{plan.results}/held_out.csv"] += plan.score_files(name)
    for paper, content in plan.papers.items():
        files = claim_inputs(plan, paper)
        for item in content.items:
            files += item_inputs(plan, paper, item)
        analysis = analysis_files(plan, paper)
        tables[f"{plan.results}/papers/{paper}/report.html"] = files + analysis
        tables[f"{plan.results}/audit.csv"] += files
    return dict(tables)


def partial_targets(plan: Plan) -> dict[str, list[str]]:
    """Return the files of each partial target: a paper (liu2022), one of its items
    (liu2022_table2), a set (wmt19_en_de), or all scores in the archive's layout (export)."""
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
    """Return the sets that each target makes, by target. The target campaign_pair (wmt19_en_de)
    makes all sets of the campaign and pair, unless a set is named exactly campaign/pair."""
    targets: dict[str, list[str]] = defaultdict(list)
    for name, planned in plan.sets.items():
        pair = f"{planned.campaign}/{planned.pair}"
        target_names = {name}
        if pair not in plan.sets:
            target_names.add(pair)
        for target_name in target_names:
            targets[re.sub(r"\W", "_", target_name)].append(name)
    return targets


# Studies


def is_development(study: Study, campaign: str) -> bool:
    """Return whether a campaign's name matches a pattern of the study's `development` campaigns."""
    return any(fnmatchcase(campaign, pattern) for pattern in study.development)


def study_facts(plan: Plan, study: Study) -> dict[str, list[str]]:
    """Return a list per set: campaign, pair, reference, gold, `development` or `confirmation`."""
    facts = {}
    for name, planned in plan.sets.items():
        phase = "development" if is_development(study, planned.campaign) else "confirmation"
        names = [planned.campaign, planned.pair, planned.reference or "", planned.gold or ""]
        facts[name] = [*names, phase]
    return facts


def study_checksum(config: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the config entries that define a study (listed in REGISTERED)."""
    text = json.dumps({key: config[key] for key in REGISTERED}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


# Papers


def paper_items(plan: Plan, paper: str) -> dict[str, list[str]]:
    """Return lists of a paper's result paths, by table or figure name, or `claims` for claims."""
    folder = f"{plan.results}/papers/{paper}"
    content = plan.papers[paper]
    items = {}
    for name, table in content.tables.items():
        items[name] = [f"{folder}/{name}.{end}" for end in ("csv", "md", "tex")]
        if isinstance(table, CorrelationTable):
            items[name].append(f"{folder}/{name}_statistics.csv")
    for name in content.figures:
        items[name] = [f"{folder}/{name}.svg", f"{folder}/{name}.pdf"]
    if content.claims:
        items["claims"] = [f"{folder}/claims.csv"]
    return items


def cells_of_paper(plan: Plan, paper: str) -> list[str]:
    """Return paths, one per table or figure of a paper: CSV of published and computed numbers."""
    folder = f"{plan.results}/papers/{paper}/cells"
    return [f"{folder}/{item}.csv" for item in plan.papers[paper].items]


def paper_page_files(plan: Plan, paper: str) -> list[str]:
    """Return the paths that a paper's page reads: CSV files of numbers, SVG files of figures, and
    the paper's analysis of the run's own sets."""
    shown = []
    for files in paper_items(plan, paper).values():
        shown += [file for file in files if file.endswith((".csv", ".svg"))]
    return cells_of_paper(plan, paper) + shown + analysis_files(plan, paper)


def page_paper(plan: Plan, name: str) -> PaperSummary:
    """Return what pages say of a paper beside its numbers."""
    paper = plan.papers[name]
    return PaperSummary(
        title=paper.title,
        authors=paper.authors,
        year=paper.year,
        method=paper.method,
        sets=[entry.name for entry in paper.sets],
        metrics=list(paper.metrics),
        tables={item: table.caption for item, table in paper.tables.items()},
        figures={item: figure.caption for item, figure in paper.figures.items()},
        top_sizes=top_sizes(paper),
    )


def top_sizes(paper: Paper) -> dict[str, list[int]]:
    """Return, for each set of a paper, of how many best systems its tables print correlations."""
    sizes: dict[str, list[int]] = {entry.name: [] for entry in paper.sets}
    for table in paper.tables.values():
        if isinstance(table, CorrelationTable):
            for column in table.columns:
                if column.subset == "top" and column.size not in sizes[column.set]:
                    sizes[column.set].append(column.size)
    return sizes


def claim_inputs(plan: Plan, paper: str) -> list[str]:
    """Return the paths of sets' result files that are read to check a paper's claims."""
    files: list[str] = []
    difficulties: list[str] = []
    for check in plan.papers[paper].checks:
        if isinstance(check, ShareCheck | TopCheck):
            files += plan.files(check.set, *FILES_OF_SET)
        if isinstance(check, ShareCheck):
            difficulties.append(plan.difficulty_file(check.set, check.difficulty))
    return list(dict.fromkeys(files + difficulties))


def item_inputs(plan: Plan, paper: str, name: str) -> list[str]:
    """Return the paths of the results that a paper's table or figure is made from.

    Parameters
    ----------
    plan : Plan
    paper : str
        The paper's name.
    name : str
        The name of the table or figure.
    """
    item = plan.papers[paper].items[name]
    files: list[str] = []
    if isinstance(item, AblationTable):
        files.append(f"{plan.results}/papers/{paper}/ablation.csv")
    for set_name in sets_of(item):
        files += plan.files(set_name, *FILES_OF_SET)
        if isinstance(item, CorrelationTable):
            files += plan.files(set_name, "significance.csv", "controls.csv")
        difficulties = [item.difficulty] if isinstance(item, DIFFICULTY_ITEMS) else []
        metrics = plan.sets[set_name].metrics
        if isinstance(item, METRIC_ITEMS):
            scored = [row.metric for row in item.rows if row.metric in metrics]
            files += plan.files(set_name, *(f"statistics/{metric}.npz" for metric in scored))
        if isinstance(item, (*SCORED_ITEMS, DifficultyScoreFigure)) and item.metric in metrics:
            files += plan.files(set_name, f"statistics/{item.metric}.npz")
        if isinstance(item, (*SCORED_ITEMS, *TOKEN_ITEMS)) and item.metric in metrics:
            used = used_settings(plan.score_settings(set_name), item)
            files += plan.files(set_name, *used.matches.values())
            estimated = plan.sets[set_name].estimated
            difficulties += [x for x in used.difficulties if x in estimated]
        files += [plan.difficulty_file(set_name, difficulty) for difficulty in difficulties]
    return list(dict.fromkeys(files))


def inputs_of_item(plan: Plan, paper: str, item: PaperTable | PaperFigure) -> ItemInputs:
    """Return the parameters of a table's or figure's script.

    They hold only settings that the item uses, so that changes to others cause no rerun.

    Parameters
    ----------
    plan : Plan
    paper : str
        The paper's name.
    item : PaperTable or PaperFigure
    """
    names = sets_of(item)
    settings = {name: used_settings(plan.score_settings(name), item) for name in names}
    return _inputs_of_sets(plan, paper, names, settings)


def inputs_of_claims(plan: Plan, paper: str) -> ItemInputs:
    """Return the parameters of the script that checks a paper's claims; checks use no settings."""
    names: list[str] = []
    for check in plan.papers[paper].checks:
        names += sets_of(check)
    return _inputs_of_sets(plan, paper, list(dict.fromkeys(names)), {})


def _inputs_of_sets(
    plan: Plan, paper: str, names: list[str], settings: dict[str, ScoreSettings]
) -> ItemInputs:
    """Return what scripts read of a paper and of the given sets of the run."""
    content = plan.papers[paper]
    return {
        "sets": names,
        "systems": {entry.name: entry.systems for entry in content.sets},
        "types": metric_types(plan, paper),
        "left_out": left_out(plan, paper),
        "substitutes": {name: plan.sets[name].substitutions for name in names},
        "tuned": {name: plan.sets[name].all_tuned for name in names},
        "settings": settings,
        "printed": content.inputs,
    }


def used_settings(settings: ScoreSettings, item: PaperTable | PaperFigure) -> ScoreSettings:
    """Return the part of a set's settings that a table or figure uses.

    This is its `metric` or the metrics of its rows, its `difficulty` and `weighting`, the
    weightings that a combined one is made of, and their difficulties. There are no token matches
    for weightings of segments alone, and no metric that the set lacks.

    Parameters
    ----------
    settings : ScoreSettings
        All settings of the set (`Plan.score_settings`).
    item : PaperTable or PaperFigure
    """
    if isinstance(item, METRIC_ITEMS):
        names: set[str | None] = {row.metric for row in item.rows}
        return ScoreSettings(metrics=_selected(settings.metrics, names))
    # Not every kind of item has each of these attributes.
    metric = getattr(item, "metric", None)
    weighting = getattr(item, "weighting", None)
    metrics_with_matches = {metric}
    weightings = set()
    difficulties = {getattr(item, "difficulty", None)}
    if weighting is not None:
        segments, tokens = parts(weighting, settings.weightings)
        weighting_parts = {segments, tokens} - {""}
        weightings = {weighting, *weighting_parts}
        difficulties.update(settings.weightings[name].difficulty for name in weighting_parts)
        if not tokens:
            metrics_with_matches = set()
    return ScoreSettings(
        metrics=_selected(settings.metrics, {metric}),
        difficulties=_selected(settings.difficulties, difficulties),
        weightings=_selected(settings.weightings, weightings),
        matches=_selected(settings.matches, metrics_with_matches),
    )


Member = TypeVar("Member")


def _selected(members: Mapping[str, Member], names: set[str | None]) -> dict[str, Member]:
    """Return the members of the given names, in their order."""
    return {name: member for name, member in members.items() if name in names}


def printed_sizes(plan: Plan, name: str) -> list[int]:
    """Return the sorted sizes of a set's random system subsets in papers' correlation tables."""
    sizes = set()
    for paper in plan.papers.values():
        for table in paper.tables.values():
            if isinstance(table, CorrelationTable):
                for column in table.columns:
                    if column.set == name and column.subset == "random":
                        sizes.add(column.size)
    return sorted(sizes)


def ablated_metrics(plan: Plan, paper: str) -> Metrics:
    """Return settings, by name, of a paper's metrics, not stored ones, on its ablation's set."""
    metrics = plan.sets[plan.papers[paper].ablation.set].metrics
    paper_metrics = [name for name in plan.papers[paper].metrics if name in metrics]
    return {name: metrics[name] for name in paper_metrics if metrics[name].type != "stored"}


def metric_types(plan: Plan, paper: str) -> dict[str, str]:
    """Return the `type` (such as `chrf`) of each metric of a paper, by the metric's name."""
    content = plan.papers[paper]
    metrics = dict(content.metrics)
    for entry in content.sets:
        metrics |= entry.metrics
    return {name: settings.type for name, settings in metrics.items()}


def left_out(plan: Plan, paper: str) -> dict[str, str]:
    """Return, by name, why the run omits a paper's neural metrics; empty if it omits none."""
    types = {} if plan.config.neural else metric_types(plan, paper)
    neural = [name for name, kind in types.items() if METRICS[kind].reads == "matches"]
    return dict.fromkeys(neural, "neural metrics were left out (NEURAL=no)")
