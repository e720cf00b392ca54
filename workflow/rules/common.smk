# What rules share: the plan's paths, sets and wildcards.

import re

RESULTS, SETS, PAPERS = PLAN.results, PLAN.sets, PLAN.papers
SUMMARY = outputs.summary_file(PLAN)
PAGE = outputs.page_file(PLAN)
CHECKS = outputs.checks_file(PLAN)
TOLD = 10  # damaged results that are named one by one
# Where downloads are kept.
WORDNET = "data/nltk/corpora/wordnet"


pathvars:
    results=RESULTS,
    logs=f"{RESULTS}/logs",
    set=f"{RESULTS}/{{campaign}}/{{pair}}",


def is_new(path, written):
    """Whether a file is of this run, by the lock that was `written` when it began: the file
    server's clock may be another than ours."""
    return path.stat().st_mtime > written.stat().st_mtime


def alternatives(names):
    return "|".join(map(re.escape, sorted(set(names)))) or "none"


wildcard_constraints:
    campaign=alternatives(planned.campaign for planned in SETS.values()),
    pair=alternatives(name.split("/")[1] for name in SETS),
    metric=alternatives(PLAN.metrics),
    encoder=alternatives(config["encoders"]),
    aligner="fast_align|exact",
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


def metric_modules(wildcards):
    """The modules of the metrics whose statistics a job reads."""
    if "paper" in wildcards.keys():
        types = paper_items.metric_types(PLAN, wildcards.paper)
    else:
        types = set_of(wildcards).types
    return sorted({f"metrics/{kind}" for kind in types.values()})


def statistic_modules():
    return [f"statistics/{name}" for name in config["statistics"]]


def all_metric_modules():
    return sorted({f"metrics/{kind}" for each in SETS.values() for kind in each.types.values()})


def files_of_metrics(wildcards, folder, metrics):
    return PLAN.files(name_of_set(wildcards), *(f"{folder}/{metric}.npz" for metric in metrics))


def entropy_of(wildcards):
    return PLAN.entropy_file(name_of_set(wildcards))


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
        return unpacked.unpacked(path, PLAN.campaigns)
    except InputError:
        return path
    except OSError as error:
        raise WorkflowError(explain(error))
