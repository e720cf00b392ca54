# What rules share: the plan's paths, sets and wildcards.

import re
import time

RESULTS, SETS, PAPERS = PLAN.results, PLAN.sets, PLAN.papers
SUMMARY = f"{RESULTS}/summary.txt"
PAGE = f"{RESULTS}/report.html"
# The sets that targets make, by the targets' names in the workflow that uses this one.
TARGETS = {
    workflow.modifier.modify_rulename(target): names
    for target, names in outputs.set_targets(PLAN).items()
}
# Where downloads are kept.
WORDNET = "data/nltk/wordnet.txt"
STARTED = time.time()


def alternatives(names):
    return "|".join(map(re.escape, sorted(set(names)))) or "none"


CAMPAIGNS = alternatives(planned.campaign for planned in SETS.values())
PAIRS = alternatives(name.split("/")[1] for name in SETS)


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    # Snakemake 9.27 does not apply wildcard_constraints to wildcards of pathvars.
    set=f"{RESULTS}/{{campaign,{CAMPAIGNS}}}/{{pair,{PAIRS}}}",


wildcard_constraints:
    campaign=CAMPAIGNS,
    pair=PAIRS,
    metric=alternatives(metric for planned in SETS.values() for metric in planned.metrics),
    encoder=alternatives(config["encoders"]),
    difficulty=alternatives(name for planned in SETS.values() for name in planned.difficulties),
    paper=alternatives(PAPERS),
    table=alternatives(table for paper in PAPERS.values() for table in paper.tables),
    figure=alternatives(figure for paper in PAPERS.values() for figure in paper.figures),


def name_of_set(wildcards):
    return f"{wildcards.campaign}/{wildcards.pair}"


def set_of(wildcards):
    return SETS[name_of_set(wildcards)]


def files_of_set(wildcards, *files):
    return PLAN.files(name_of_set(wildcards), *files)


def score_files(wildcards):
    """The files from which the scores of a set are computed."""
    return PLAN.score_files(name_of_set(wildcards))


def sources(pattern):
    """Files of the workflow as input files: editing one re-runs the rules that use it."""
    return sorted(map(str, Path(os.path.relpath(ROOT)).glob(pattern)))


def page_sources(template, *scripts):
    """Inputs of a page other than results: template, style and scripts (`tables.js` in all)."""
    return {
        "template": sources(f"report/{template}.html.j2"),
        "templates": sources("report/*.html.j2"),
        "style": sources("report/report.css"),
        "behaviour": [
            file for name in ("tables", *scripts) for file in sources(f"report/{name}.js")
        ],
    }


def modules_of_scores(*names):
    """The modules of the metrics, difficulties and weightings that sets' scores use."""
    members = {"metrics": "metrics", "difficulty": "difficulties", "weighting": "weightings"}
    return sorted(
        {
            f"{folder}/{settings.type}"
            for name in names
            for folder, kind in members.items()
            for settings in getattr(PLAN.score_settings(name), kind).values()
        }
    )


def scored(script, **further):
    """Parameters of a job that reads the scores of a set, with `further` ones such as `statistics`."""
    statistics = [f"statistics/{name}" for name in further.get("statistics", ())]
    return {
        "code": lambda w: code.checksum(script, *modules_of_scores(name_of_set(w)), *statistics),
        "name": name_of_set,
        "settings": lambda w: PLAN.score_settings(name_of_set(w)),
        **further,
    }


def untracked(parameter):
    """A parameter that Snakemake does not compare, because its function takes `input`; for locations,
    since the same content in another place gives the same results."""
    return lambda wildcards, input: parameter(wildcards)


def is_partial():
    """Whether a run makes only some results."""
    targets = set(workflow.dag_settings.targets)
    return bool(targets) and not {"all", PAGE, SUMMARY} & targets


def for_index(files):
    """Files that the index is made from. A run of some sets' targets makes the pages of these sets; of
    other sets it takes the pages that exist, without making them again."""

    def inputs(wildcards):
        names = [name for x in workflow.dag_settings.targets for name in TARGETS.get(x, [])]
        if not names or not is_partial():
            return files
        made = {path for name in names for path in PLAN.files(name, "report.html", "report.json")}
        there = [path for path in files if path in made or Path(path).exists()]
        return [path if path in made else before_update(path) for path in there]

    return inputs


def look_for_wordnet_again():
    """Where an earlier run did not find WordNet, look for it before jobs are planned: if it is here now,
    METEOR is computed; if not, no job runs for it."""
    planned = workflow.is_main_process and PLAN.needs_wordnet
    if planned and Path(WORDNET).exists() and is_missing(WORDNET):
        try:
            download.find_wordnet(Path(WORDNET).parent)
        except Missing:
            return
        write_text(WORDNET, "found\n")
