"""Tables and figures of papers: the files they consist of, and those that they are made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .sets import NEURAL_TYPES

if TYPE_CHECKING:
    from .plan import Plan

NEURAL_REASON = "neural metrics were left out (NEURAL=no)"
# What each set contributes to a table, by the table's kind.
FILES_OF_KIND = {
    "ablation": ("missing.csv",),
    "case_study": ("evalset.json", "difficulty.json", "system_scores.csv", "missing.csv"),
    "correlations": (
        "evalset.json",
        "correlations.csv",
        "correlation_spread.csv",
        "significance.csv",
        "missing.csv",
    ),
    "examples": (),
    "parameters": ("difficulty.json",),
    "ranking": ("evalset.json", "top_scores.csv", "missing.csv"),
    "token_cases": ("evalset.json", "missing.csv"),
}


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
    return items


def cells_files(plan: Plan) -> list[str]:
    """The cells of all tables and figures of all papers, which the audit reads."""
    return [
        f"{plan.results}/papers/{paper}/cells/{item}.csv"
        for paper in plan.papers
        for item in paper_items(plan, paper)
    ]


def sets_of(item: Any) -> list[str]:
    """The evaluation sets that a table or figure names."""
    found = [item["set"]] if "set" in item else list(item.get("sets", []))
    found += [column["set"] for column in item.get("columns", []) if "set" in column]
    return list(dict.fromkeys(found))


def table_inputs(plan: Plan, paper: str, table: str) -> list[str]:
    """What a table is made from, set by set; `build_table` finds a file by its path."""
    item = plan.papers[paper]["tables"][table]
    kind, files = item["kind"], []
    if kind == "ablation":
        files = [f"{plan.results}/papers/{paper}/ablation.csv"]
    for name in sets_of(item):
        files += plan.files(name, *FILES_OF_KIND[kind])
        if kind == "case_study":
            files.append(plan.entropy_file(name))
        if kind in ("case_study", "token_cases") and item["metric"] in plan.sets[name].metrics:
            files += plan.files(name, f"statistics/{item['metric']}.npz")
            if kind == "token_cases":
                files.append(plan.matches_file(name, item["metric"]))
    return files


def files_of_table_sets(plan: Plan, paper: str, table: str, file: str) -> list[str]:
    """A file of each set that a table names."""
    names = sets_of(plan.papers[paper]["tables"][table])
    return [path for name in names for path in plan.files(name, file)]


def printed_sizes(plan: Plan, name: str) -> list[int]:
    """Sizes of random subsets of a set's systems over which a paper prints correlations."""
    tables = [table for paper in plan.papers.values() for table in paper["tables"].values()]
    columns = [c for table in tables if table["kind"] == "correlations" for c in table["columns"]]
    of_set = [column for column in columns if column["set"] == name]
    return sorted({column["size"] for column in of_set if column["subset"] == "random"})


def figure_inputs(plan: Plan, paper: str, figure: str) -> list[str]:
    """What a figure is drawn from, set by set; what is drawn from the paper's file or from the
    rules reads no results."""
    item = plan.papers[paper]["figures"][figure]
    kind, names = item["kind"], sets_of(item)
    if kind in ("score_bars", "rule_graph"):
        return []
    if kind == "entropy_distribution":
        return [plan.entropy_file(name) for name in names]
    if kind in ("top_k", "balance_fit"):
        file = {"top_k": "correlations.csv", "balance_fit": "difficulty.json"}[kind]
        return [path for name in names for path in plan.files(name, file)]
    (name,) = names
    if kind == "entropy_score":
        statistics = plan.files(name, f"statistics/{item['metric']}.npz")
        return [plan.entropy_file(name), *statistics]
    if kind == "chunks":
        return [*plan.files(name, "evalset.json"), plan.entropy_file(name)]
    if item["metric"] not in plan.sets[name].metrics:  # of tokens
        return []
    return [*plan.files(name, "evalset.json"), plan.matches_file(name, item["metric"])]


def systems(plan: Plan, paper: str) -> dict[str, int]:
    """How many systems a paper had of each of its sets."""
    entries = plan.papers[paper]["sets"]
    return {f"{entry['campaign']}/{entry['pair']}": entry["systems"] for entry in entries}


def ablated_metrics(plan: Plan, paper: str) -> dict[str, dict]:
    """The paper's metrics with segment statistics."""
    metrics = plan.sets[plan.papers[paper]["ablation"]["set"]].metrics
    return {
        metric: metrics[metric]
        for metric, settings in plan.papers[paper]["metrics"].items()
        if metric in metrics and settings["type"] != "stored"
    }


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
    types = metric_types(plan, paper)
    return {name: NEURAL_REASON for name, kind in types.items() if kind in NEURAL_TYPES}


def substitutions(plan: Plan, paper: str) -> dict[str, dict[str, str]]:
    """By set and metric, what its cells say of an encoder that is not the paper's."""
    names = [f"{entry['campaign']}/{entry['pair']}" for entry in plan.papers[paper]["sets"]]
    return {name: plan.sets[name].substitutions for name in names}
