"""Tables and figures of papers: the files they consist of, and those that they are made from."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..difficulty import make_estimator
from ..difficulty.chunk_entropy import ChunkEntropy
from ..errors import nearest
from ..papers.used_settings import used_settings, weighs_tokens
from ..weighting import make_weighting
from ..weighting.groups import Groups
from .sets import expanded, reads_matches

if TYPE_CHECKING:
    from .paper_settings import Paper
    from .plan import Plan

NEURAL_REASON = "neural metrics were left out (NEURAL=no)"
# What each set contributes to a table or figure, by its kind; of metrics and difficulties, more.
FILES_OF_KIND = {
    # tables
    "ablation": ("missing.csv",),
    "case_study": ("evalset.json", "weightings.json", "missing.csv"),
    "correlations": (
        "evalset.json",
        "correlations.csv",
        "correlation_spread.csv",
        "significance.csv",
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


def cells_files(plan: Plan) -> list[str]:
    """The cells of all tables and figures of all papers, which the audit reads."""
    return [file for paper in plan.papers for file in cells_of_paper(plan, paper)]


def cells_of_paper(plan: Plan, paper: str) -> list[str]:
    """The cells of a paper's tables and figures."""
    items = [*plan.papers[paper]["tables"], *plan.papers[paper]["figures"]]
    return [f"{plan.results}/papers/{paper}/cells/{item}.csv" for item in items]


def claims_files(plan: Plan) -> list[str]:
    """The checked claims of the papers that have any."""
    found = [paper for paper in plan.papers if "claims" in plan.papers[paper]]
    return [f"{plan.results}/papers/{paper}/claims.csv" for paper in found]


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


def table_inputs(plan: Plan, paper: str, table: str) -> list[str]:
    """What a table is made from, set by set; `build_table` finds a file by its path."""
    item, files = plan.papers[paper]["tables"][table], []
    if item["kind"] == "ablation":
        files = [f"{plan.results}/papers/{paper}/ablation.csv"]
    return files + _files_of_sets(plan, item)


def _files_of_sets(plan: Plan, item: Any) -> list[str]:
    """What the sets of a table or figure contribute, each file once."""
    return list(
        dict.fromkeys(file for name in sets_of(item) for file in _files_of_set(plan, name, item))
    )


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
    return _files_of_sets(plan, plan.papers[paper]["figures"][figure])


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
    return {name: NEURAL_REASON for name, kind in types.items() if reads_matches({"type": kind})}


def substitutions(plan: Plan, paper: str) -> dict[str, dict[str, str]]:
    """By set and metric, what its cells say of an encoder that is not the paper's."""
    names = [f"{entry['campaign']}/{entry['pair']}" for entry in plan.papers[paper]["sets"]]
    return {name: plan.sets[name].substitutions for name in names}


def item_problems(
    paper: Paper, difficulties: Mapping[str, dict], weightings: Mapping[str, dict]
) -> list[str]:
    """What the tables and figures of a paper name that there is not, or that is of another kind.

    Parameters
    ----------
    paper : dict
        That the schema has nothing against, and whose sets are there.
    difficulties, weightings : dict of str to dict
        Settings of the paper's and of the config's, without problems.

    Returns
    -------
    list of str
        Sentences that begin with the item.
    """
    found: list[str] = []
    weightings = expanded(weightings)
    items: dict[str, Any] = {**paper["tables"], **paper["figures"]}
    if "ablation" in paper:
        items["ablation"] = {"kind": "ablation", **paper["ablation"]}
    for name, item in items.items():
        problems = [
            *_unknown("metric", _named(item, "metric"), _metrics_of_item(paper, item)),
            *_unknown("weighting", _named(item, "weighting"), ["standard", *weightings]),
            *_unknown("difficulty", _named(item, "difficulty"), difficulties),
        ]
        if not problems:
            problems = [*_of_other_kinds(paper, item, difficulties, weightings)]
        found += [f"{name}: {problem}" for problem in problems]
    return found


def _unknown(what: str, names: list[str], known: Collection[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"no {what} {name}; there are {', '.join(known)}{nearest(name, known)}."


def _named(item: Any, what: str) -> list[str]:
    """The metrics, weightings or difficulties that an item names."""
    rows = {"correlations": "rows", "ranking": "columns"}.get(item["kind"], "")
    entries = [item, *item.get(rows, [])]
    if item["kind"] == "ablation":
        entries.append(item.get("published", {}))
    found = [entry[what] for entry in entries if what in entry]
    return list(dict.fromkeys([*found, *item.get(f"{what}s", [])]))


def _metrics_of_item(paper: Paper, item: Any) -> dict[str, dict]:
    """The metrics of the sets that an item names; of the whole paper where it names none."""
    names, metrics = sets_of(item), dict(paper["metrics"])
    for entry in paper["sets"]:
        if f"{entry['campaign']}/{entry['pair']}" in names:
            metrics |= entry.get("metrics", {})
    return metrics


def _of_other_kinds(
    paper: Paper, item: Any, difficulties: Mapping[str, dict], weightings: Mapping[str, dict]
) -> Iterator[str]:
    """What an item names that its kind can not show."""
    kind, weighting, difficulty = item["kind"], item.get("weighting"), item.get("difficulty")
    if kind == "ablation" and "ablation" not in paper:
        yield "a table of kind ablation needs the paper's `ablation`."
    if weighting == "standard":
        yield "the standard weighting has no difficulty; name another one."
    elif weighting:
        grouped = isinstance(make_weighting(weightings[weighting]), Groups)
        if not grouped and (kind in GROUP_KINDS or "difficult_segments" in item):
            yield f"{weighting} is no weighting in groups."
        if kind == "token_cases" and not weighs_tokens(weightings, weighting):
            yield f"{weighting} is no weighting of tokens."
    if difficulty:
        estimator = make_estimator(difficulties[difficulty])
        if kind in TOKEN_KINDS and estimator.unit != "token":
            yield f"{difficulty} is no difficulty of tokens."
        if kind in DIFFICULTY_KINDS and estimator.unit == "token":
            yield f"{difficulty} is a difficulty of tokens."
        elif kind in CHUNK_KINDS and not isinstance(estimator, ChunkEntropy):
            yield f"{difficulty} has no chunks."
    if kind in (*TOKEN_KINDS, "token_cases"):
        metric = item["metric"]
        if not reads_matches(_metrics_of_item(paper, item)[metric]):
            yield f"{metric} has no token matches."
