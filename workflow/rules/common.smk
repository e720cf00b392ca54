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
    metric=alternatives(PLAN.metrics),
    encoder=alternatives(config["encoders"]),
    difficulty=alternatives(each for planned in SETS.values() for each in planned.difficulties),
    paper=alternatives(PAPERS),
    table=alternatives(table for paper in PAPERS.values() for table in paper["tables"]),
    figure=alternatives(figure for paper in PAPERS.values() for figure in paper["figures"]),


def name_of_set(wildcards):
    return f"{wildcards.campaign}/{wildcards.pair}"


def set_of(wildcards):
    return SETS[name_of_set(wildcards)]


def sources(pattern):
    """Files of the workflow as input files: editing one re-runs the rules that use it."""
    return sorted(map(str, Path(os.path.relpath(ROOT)).glob(pattern)))


def page_sources(template, *scripts):
    """What a page is made from beside results; all have the script of tables."""
    return {
        "template": sources(f"report/{template}.html.j2"),
        "templates": sources("report/*.html.j2"),
        "style": sources("report/report.css"),
        "behaviour": [
            file for name in ("tables", *scripts) for file in sources(f"report/{name}.js")
        ],
    }


def modules_of_scores(*names):
    """The modules of all that the scores of some sets are made with."""
    found = set()
    for planned in (SETS[name] for name in names):
        found |= {f"metrics/{kind}" for kind in planned.types.values()}
        found |= {f"difficulty/{each['type']}" for each in planned.difficulties.values()}
        weightings = PLAN.score_settings(planned.name)["weightings"].values()
        found |= {f"weighting/{each['type']}" for each in weightings}
    return sorted(found)


def score_modules(wildcards):
    return modules_of_scores(name_of_set(wildcards))


def scored(script, **further):
    """Parameters of a job that reads the scores of a set, and further ones, which may be statistics."""
    statistics = [f"statistics/{name}" for name in further.get("statistics", ())]
    return {
        "code": lambda w: code.checksum(script, *score_modules(w), *statistics),
        "name": name_of_set,
        "settings": score_settings,
        **further,
    }


def files_of_set(wildcards, *files):
    return PLAN.files(name_of_set(wildcards), *files)


def score_files(wildcards):
    """What the scores of a set are made from."""
    return PLAN.score_files(name_of_set(wildcards))


def score_settings(wildcards):
    return PLAN.score_settings(name_of_set(wildcards))


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


def archive_location():
    """The folder of the archive's campaigns. Of a download that is there no more, what was unpacked of
    it counts; a job says what is wrong with an archive that cannot be unpacked."""
    path = Path(PLAN.archive)
    try:
        return download.unpacked(path, PLAN.campaigns)
    except InputError:
        return path
    except OSError as error:
        raise WorkflowError(explain(error))


def is_partial():
    """Whether a run makes only some results."""
    targets = set(workflow.dag_settings.targets)
    return bool(targets) and not {"all", PAGE, SUMMARY} & targets


def for_index(files):
    """Files that the index is made from: in a run of some sets' targets the pages of these, and of the
    others those that are there, which are not made again."""

    def inputs(wildcards):
        targets = workflow.dag_settings.targets
        names = [name for target in targets for name in TARGETS.get(target, [])]
        if not names or not is_partial():
            return files
        made = {path for name in names for path in PLAN.files(name, "report.html", "report.json")}
        there = [path for path in files if path in made or Path(path).exists()]
        return [path if path in made else before_update(path) for path in there]

    return inputs
