import re
from pathlib import Path

import yaml
from snakemake.exceptions import WorkflowError
from snakemake.utils import min_version, validate

min_version("9.0")
validate(config, "../schemas/config.schema.yaml")

ROOT = Path(workflow.basedir) / "workflow"
RESULTS = config["results"].rstrip("/")
SUMMARY = f"{RESULTS}/summary.txt"


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    set=f"{RESULTS}/{{campaign}}/{{pair}}",
    aligner=config["EE"]["aligner"],


def read_paper(name):
    path = ROOT / "papers" / f"{name}.yaml"
    if not path.is_file():
        known = ", ".join(sorted(p.stem for p in path.parent.glob("*.yaml")))
        raise WorkflowError(f"config, papers: no paper {name}. There are: {known}.")
    paper = yaml.safe_load(path.read_text(encoding="utf-8"))
    validate(paper, "../schemas/paper.schema.yaml")
    return paper


PAPERS = {name: read_paper(name) for name in config["papers"]}


# By convention, a metric's type is the name of its module.
METRIC_TYPES = sorted(
    path.stem
    for path in (ROOT / "scripts/mt_difficulty/metrics").glob("*.py")
    if path.stem not in ("__init__", "base")
)


def collect_sets():
    """The evaluation sets of the papers and of the config, by campaign/pair.

    A config entry goes over a paper's; only sets that the config names must have texts.
    """
    named = [
        (entry, paper["metrics"], False) for paper in PAPERS.values() for entry in paper["sets"]
    ]
    named += [
        (
            entry,
            {name: metric_settings(name) for name in entry.get("metrics", config["metrics"])},
            True,
        )
        for entry in config["evaluation_sets"]
    ]
    sets = {}
    for entry, metrics, required in named:
        name = f"{entry['campaign']}/{entry['pair']}"
        known = sets.setdefault(name, {"metrics": {}, "required": False})
        known |= {key: value for key, value in entry.items() if key != "metrics"}
        known["metrics"] |= metrics
        known["required"] |= required
    if not sets:
        raise WorkflowError("config: no evaluation set; name one in evaluation_sets or papers.")
    return sets


def metric_settings(name):
    if name not in config["metrics"]:
        known = ", ".join(config["metrics"])
        raise WorkflowError(
            f"config, evaluation_sets: no metric {name}; config.metrics has: {known}."
        )
    settings = config["metrics"][name]
    if settings["type"] not in METRIC_TYPES:
        raise WorkflowError(
            f"config, metrics, {name}: no type {settings['type']}; "
            f"there are {', '.join(METRIC_TYPES)}."
        )
    return settings


SETS = collect_sets()
METRICS = sorted({metric for entry in SETS.values() for metric in entry["metrics"]})

if config["archive"] and not Path(config["archive"]).exists():
    raise WorkflowError(
        f"archive: no such file or folder: {config['archive']}. Name a .tgz or an unpacked folder, "
        "or leave `archive` (ARCHIVE=) empty to download it."
    )


def alternatives(names):
    return "|".join(map(re.escape, sorted(set(names)))) or "none"


wildcard_constraints:
    campaign=alternatives(entry["campaign"] for entry in SETS.values()),
    pair=alternatives(entry["pair"] for entry in SETS.values()),
    metric=alternatives(METRICS),
    aligner="fast_align|exact",
    paper=alternatives(PAPERS),
    table=alternatives(table for paper in PAPERS.values() for table in paper["tables"]),
    figure=alternatives(figure for paper in PAPERS.values() for figure in paper["figures"]),
    plot="top_k|entropy_score|entropy_distribution",


def entry_of(wildcards):
    return SETS[f"{wildcards.campaign}/{wildcards.pair}"]


def modules(*names):
    """Package modules as input files: editing one re-runs the rules that use it."""
    package = ROOT / "scripts" / "mt_difficulty"
    return [str(path) for name in names for path in sorted(package.glob(f"{name}.py"))]


def files_of_set(name, *files):
    return [f"{RESULTS}/{name}/{file}" for file in files]


def paper_items(paper):
    """The files of a paper's tables and figures, by item."""
    folder = f"{RESULTS}/papers/{paper}"
    items = {
        table: [f"{folder}/{table}.{end}" for end in ("csv", "md", "tex")]
        for table in PAPERS[paper]["tables"]
    }
    items |= {
        figure: [f"{folder}/{figure}.{end}" for end in ("svg", "pdf")]
        for figure in PAPERS[paper]["figures"]
    }
    return items


def final_outputs():
    files = [file for paper in PAPERS for item in paper_items(paper).values() for file in item]
    for name in SETS:
        files += files_of_set(name, "system_scores.csv", "correlations.csv")
        if SETS[name]["required"]:
            files += set_figures(name)
    return files + [f"{RESULTS}/audit.csv"] * bool(PAPERS) + [SUMMARY]


def set_figures(name):
    return files_of_set(
        name,
        *(
            f"figures/{plot}.{end}"
            for plot in ("top_k", "entropy_score", "entropy_distribution")
            for end in ("svg", "pdf")
        ),
    )


NEURAL_REASON = (
    "needs an encoder, which this version cannot run yet"
    if config["neural"]
    else "neural metrics were left out (NEURAL=no)"
)


def places_to_look():
    """What a user would open first."""
    sets = [name for name in SETS if SETS[name]["required"]]
    files = [
        f"{RESULTS}/papers/{paper}/ (tables as csv, md, tex; figures as svg, pdf)"
        for paper in PAPERS
    ]
    files += [
        file
        for name in sets
        for file in files_of_set(name, "correlations.csv", "figures/top_k.svg")
    ]
    return files


def sets_of(wildcards, item):
    """The evaluation sets that a table or figure names."""
    found = [item["set"]] if "set" in item else item.get("sets", [])
    if item["kind"] == "ablation":
        found = [PAPERS[wildcards.paper]["ablation"]["set"]]
    return list(dict.fromkeys(found + [c["set"] for c in item.get("columns", [])]))


def table_inputs(wildcards):
    """What each set contributes, by kind of table; `build_table` finds a file by its path."""
    item = PAPERS[wildcards.paper]["tables"][wildcards.table]
    files = {
        "correlations": [
            "evalset.json",
            "correlations.csv",
            "correlation_spread.csv",
            "missing.csv",
            "difficulty.json",
        ],
        "parameters": [
            "evalset.json",
            "correlations.csv",
            "correlation_spread.csv",
            "missing.csv",
            "difficulty.json",
        ],
        "case_study": ["evalset.json", "difficulty.json", f"entropy/{config['EE']['aligner']}.npz"],
    }.get(item["kind"], [])
    found = [file for name in sets_of(wildcards, item) for file in files_of_set(name, *files)]
    return found + [f"{RESULTS}/papers/{wildcards.paper}/ablation.csv"] * (
        item["kind"] == "ablation"
    )


def figure_inputs(wildcards):
    item = PAPERS[wildcards.paper]["figures"][wildcards.figure]
    files = {
        "entropy_score": [
            f"entropy/{config['EE']['aligner']}.npz",
            f"statistics/{item.get('metric')}.npz",
        ],
        "top_k": ["correlations.csv"],
        "entropy_distribution": [f"entropy/{config['EE']['aligner']}.npz"],
        "balance_fit": ["difficulty.json"],
    }.get(item["kind"], [])
    if item["kind"] == "rule_graph":
        return [str(file) for file in sorted((ROOT / "rules").glob("*.smk"))]
    return [file for name in sets_of(wildcards, item) for file in files_of_set(name, *files)]
