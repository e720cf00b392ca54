import re

RESULTS = config["results"]
SUMMARY = f"{RESULTS}/summary.txt"
PAGE = f"{RESULTS}/report.html"
CHECKS = f"{RESULTS}/checks.json"
TOLD = 10  # damaged results that are named one by one


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    set=f"{RESULTS}/{{campaign}}/{{pair}}",


def is_new(path, written):
    """Whether a file is of this run, by the lock that was `written` when it began: the file
    server's clock may be another than ours."""
    return path.stat().st_mtime > written.stat().st_mtime


def read_paper(name):
    path = ROOT / "papers" / f"{name}.yaml"
    if not path.is_file():
        known = sorted(p.stem for p in path.parent.glob("*.yaml"))
        hint = nearest(name, known)
        raise WorkflowError(
            f"config, papers: no paper {name}. There are: {', '.join(known)}{hint}."
        )
    try:
        paper, asked = read_yaml(path), read_yaml(ROOT / "schemas/paper.schema.yaml")
    except InputError as error:
        raise WorkflowError(str(error))
    if found := schema.problems(paper, asked, {os.path.relpath(path): paper}):
        raise WorkflowError("\n".join(found))
    return paper


PAPERS = {name: read_paper(name) for name in config["papers"]}


# By convention, a metric's type is the name of its module.
METRIC_TYPES = sorted(
    path.stem
    for path in (ROOT / "scripts/mt_difficulty/metrics").glob("*.py")
    if path.stem not in ("__init__", "base")
)


PROTOCOL = {"files", "reference", "gold", "exclude", "h", "w", "EE", "DA"}


def collect_sets():
    """The evaluation sets of the papers and of the config, by the folder of their results.

    Only sets that the config names must have texts (`required`).
    """
    sets = {}
    for paper in PAPERS.values():
        for entry in paper["sets"]:
            add_paper_set(sets, paper, entry)
    for entry in sets.values():
        entry |= {key: config[key] for key in ("EE", "DA") if key not in entry}
    for entry in config["evaluation_sets"]:
        add_config_set(sets, entry)
    if not sets and not PAPERS:
        raise WorkflowError("config: no evaluation set; name one in evaluation_sets or papers.")
    return sets


def add_paper_set(sets, paper, entry):
    """Add a set in campaign/pair; two papers may share it where what they state agrees."""
    name = f"{entry['campaign']}/{entry['pair']}"
    metrics = chosen(paper["metrics"] | entry.get("metrics", {}))
    stated = {key: paper[key] for key in ("EE", "DA") if key in paper} | entry
    stated |= {"metrics": metrics}
    known = sets.get(name, {"metrics": {}, "required": False})
    if not compatible(known, stated):
        raise WorkflowError(f"config, papers: two papers differ on {name}; run one of them.")
    sets[name] = known | stated | {"metrics": known["metrics"] | metrics}


def add_config_set(sets, entry):
    """Add a set in campaign/pair, or, where it differs from a set that is there, in a folder of
    its own: a paper's numbers are always those of its protocol."""
    name = f"{entry['campaign']}/{entry['pair']}"
    names = entry.get("metrics", config["metrics"])
    metrics = chosen({metric: metric_settings(metric) for metric in names})
    if not metrics:
        raise WorkflowError(
            f"config, evaluation_sets: {name} has no metrics but neural ones, which this run "
            "leaves out (neural: false)."
        )
    entry = {"EE": config["EE"], "DA": config["DA"], **entry, "metrics": metrics}
    if "files" in entry:
        entry["files"] = os.path.expanduser(entry["files"])
    known = sets.get(name, entry)
    if not compatible(known, entry) or known.keys() & PROTOCOL != entry.keys() & PROTOCOL:
        name += f".{own_name(entry)}"
    known = sets.get(name, {"metrics": {}, "required": False})
    if known["required"]:
        raise WorkflowError(f"config, evaluation_sets: {name} is named twice.")
    sets[name] = known | entry | {"metrics": known["metrics"] | metrics, "required": True}


def own_name(entry):
    """What tells a set from others of its campaign and pair."""
    if "files" in entry:
        return re.sub(r"[^\w.-]", "_", Path(entry["files"]).name)
    return f"{entry['reference']}.{entry['gold']}"


NEURAL_TYPES = ("bertscore",)


def chosen(metrics):
    """The metrics that are computed: with `neural: false` those that need no encoder."""
    return {
        name: settings
        for name, settings in metrics.items()
        if config["neural"] or settings["type"] not in NEURAL_TYPES
    }


def compatible(one, other):
    """Whether two entries agree in whatever both of them say."""
    keys = PROTOCOL & one.keys() & other.keys()
    metrics = one["metrics"].keys() & other["metrics"].keys()
    return all(one[key] == other[key] for key in keys) and all(
        one["metrics"][name] == other["metrics"][name] for name in metrics
    )


def metric_settings(name):
    if name not in config["metrics"]:
        known = ", ".join(config["metrics"])
        hint = nearest(name, config["metrics"])
        raise WorkflowError(
            f"config, evaluation_sets: no metric {name}; config.metrics has: {known}{hint}."
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

# Where downloads are kept.
WORDNET = "data/nltk/corpora/wordnet"
ARCHIVE = "data/downloads/mt-metrics-eval-v2.tgz"

if config["archive"] and not Path(config["archive"]).exists():
    raise WorkflowError(
        f"archive: no such file or folder: {config['archive']}. Name a .tgz or an unpacked folder, "
        "or leave `archive` (ARCHIVE=) empty to download it."
    )


# Tables of every set.
SET_TABLES = (
    "system_scores.csv",
    "correlations.csv",
    "significance.csv",
    "controls.csv",
    "complexity.csv",
)

# Tables beside these, which the page does not show of every set.
SET_FILES = (
    "parameters.csv",
    "correlation_spread.csv",
    "top_scores.csv",
    "system_intervals.csv",
)

# Plots of every set, and of one with token difficulty.
PLOTS = {
    "top_k": "Pearson's r of metric and human scores over the K best systems, for falling K.",
    "entropy_score": "Mean segment score by chunk entropy of the hypothesis, with a linear fit.",
    "entropy_distribution": "Mean chunk entropies of the segments, with the normal distribution "
    "of the same μ and σ; beyond μ + 2σ a segment is difficult by Eq. 9.",
    "surface": "Pearson's r of EE over thresholds h and balances w; marked are the parameters in "
    "force, those of Eq. 9 and 11, and the best.",
}
TOKEN_PLOTS = {
    "token_heat_map": "What each system misses of a difficult reference: 1 − the best similarity "
    "of every reference token; their mean on top is the token's difficulty.",
    "difficulty_distribution": "Difficulties of all reference tokens, as densities.",
}


def alternatives(names):
    return "|".join(map(re.escape, sorted(set(names)))) or "none"


wildcard_constraints:
    campaign=alternatives(entry["campaign"] for entry in SETS.values()),
    pair=alternatives(name.split("/")[1] for name in SETS),
    metric=alternatives(METRICS),
    aligner="fast_align|exact",
    paper=alternatives(PAPERS),
    table=alternatives(table for paper in PAPERS.values() for table in paper["tables"]),
    figure=alternatives(figure for paper in PAPERS.values() for figure in paper["figures"]),
    plot="|".join(PLOTS | TOKEN_PLOTS),


def entry_of(wildcards):
    return SETS[f"{wildcards.campaign}/{wildcards.pair}"]


def sources(pattern):
    """Files of the workflow as input files: editing one re-runs the rules that use it."""
    return sorted(map(str, Path(os.path.relpath(ROOT)).glob(pattern)))


def metric_modules(wildcards):
    """The modules of the metrics whose statistics a job reads."""
    if "paper" in wildcards.keys():
        types = metric_types(wildcards.paper)
    else:
        types = types_of_set(f"{wildcards.campaign}/{wildcards.pair}")
    return sorted({f"metrics/{kind}" for kind in types.values()})


def all_metric_modules():
    return sorted({f"metrics/{kind}" for name in SETS for kind in types_of_set(name).values()})


def files_of_set(name, *files):
    return [f"{RESULTS}/{name}/{file}" for file in files]


def files_of_metrics(wildcards, folder, metrics):
    name = f"{wildcards.campaign}/{wildcards.pair}"
    return files_of_set(name, *(f"{folder}/{metric}.npz" for metric in metrics))


def entropy_file(name):
    return f"{RESULTS}/{name}/entropy/{SETS[name]['EE']['aligner']}.npz"


def entropy_of(wildcards):
    return entropy_file(f"{wildcards.campaign}/{wildcards.pair}")


def content_of(location, files):
    """Checksums of files outside of the results, as a parameter: other content is another result,
    whatever its time. The job says what is wrong with one that is no regular file; opening a FIFO
    would wait for ever."""
    try:
        return contents.checksums(location, [path for path in files if path.is_file()])
    except OSError as error:
        raise WorkflowError(explain(error))


def untracked(parameter):
    """A parameter that Snakemake does not compare, as it takes `input`: the same content in another
    place gives the same results."""
    return lambda wildcards, input: parameter(wildcards)


def archive_content(wildcards):
    """Checksums of the packed archive, or of the campaign's files in an unpacked one."""
    if not config["archive"]:
        return {}  # the download is an input
    top = archive_location()
    files = [top] if top.is_file() else (top / wildcards.campaign).rglob("*")
    return content_of(top, sorted(files))


def archive_location(wildcards=None):
    return archive.top_of(Path(config["archive"] or ARCHIVE))


def paper_items(paper):
    """The files of a paper's tables and figures, by item."""
    folder = f"{RESULTS}/papers/{paper}"
    items = {
        name: [f"{folder}/{name}.{end}" for end in ("csv", "md", "tex")]
        + [f"{folder}/{name}_statistics.{end}" for end in ("csv", "md")]
        * (table["kind"] == "correlations")
        for name, table in PAPERS[paper]["tables"].items()
    }
    items |= {
        figure: [f"{folder}/{figure}.{end}" for end in ("svg", "pdf")]
        for figure in PAPERS[paper]["figures"]
    }
    return items


def plots_of_set(name):
    """Plots with their captions."""
    return PLOTS | (TOKEN_PLOTS if neural_metrics(name) else {})


NEURAL_REASON = "neural metrics were left out (NEURAL=no)"


def sets_of(wildcards, item):
    """The evaluation sets that a table or figure names."""
    found = [item["set"]] if "set" in item else item.get("sets", [])
    found += [column["set"] for column in item.get("columns", []) if "set" in column]
    return list(dict.fromkeys(found))
