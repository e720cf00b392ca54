"""The jobs of one small set of own files, as far as its scores, run in this process."""

from types import SimpleNamespace

from conftest import ROOT
from snakemake.iocontainers import Namedlist

import assess_set
import estimate_difficulty
import import_gold
import import_texts
import score_segments
import score_systems
from mt_difficulty import storage
from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import Missing
from mt_difficulty.plan.base import merge
from mt_difficulty.plan.campaigns import expand
from mt_difficulty.plan.config import Config
from mt_difficulty.plan.plan import make_plan

CONFIG = {
    "papers": [],
    "difficulties": {"length": {"type": "length"}},
    "weightings": {"long": {"type": "hardest", "difficulty": "length", "share": 0.5}},
    "random_subsets": {"sizes": [3], "draws": 3},
    "significance": {"resamples": 100, "draws": 2, "top": [3, 4]},
    "controls": {"draws": 100},
}


def write_own_files(folder, reference, systems, gold=None, source=None, documents=None):
    """Write own files; `systems` has the hypotheses by name, `gold` the human scores."""
    texts = {"source.txt": source or reference, "reference.txt": reference}
    texts |= {f"systems/{name}.txt": hypotheses for name, hypotheses in systems.items()}
    if documents:
        texts["documents.txt"] = documents
    if gold:
        texts["gold.tsv"] = [f"{name}\t{score}" for name, score in gold.items()]
    for name, lines in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        text = "".join(f"{line}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def plan_run(own, results, metrics, pair="en-xx", statistics=(), **settings):
    """The plan of a run on one set of own files; `metrics` are the types by name."""
    entry = {"files": str(own), "campaign": "small", "pair": pair, "metrics": list(metrics)}
    settings |= {"results": str(results), "evaluation_sets": [entry]}
    settings["metrics"] = {metric: {"type": kind} for metric, kind in metrics.items()}
    merged = merge(read_yaml(ROOT / "config.yaml"), merge(CONFIG, settings))
    config = Config.model_validate(merged)
    config.statistics = statistics or config.statistics
    plan, problems = make_plan(config, {}, expand(config, ROOT / "workflow/campaigns.yaml"))
    assert not problems
    return plan


def job(script, inputs, made, params=None, **wildcards):
    """Run a rule's script; a marker stands for a result that cannot be."""
    rule = SimpleNamespace(
        input=Namedlist(fromdict=inputs),
        output=Namedlist(fromdict=made if isinstance(made, dict) else {"file": made}),
        params=SimpleNamespace(**params or {}),
        wildcards=SimpleNamespace(campaign="small", **wildcards),
        threads=1,
    )
    try:
        script.main(rule)
    except Missing as missing:
        for path in rule.output:
            storage.write_missing(path, str(missing))


def file_of(plan, name, file):
    (path,) = plan.files(name, file)
    return path


def read_own_set(plan, name):
    """The set with and without its human scores; gives the file without."""
    planned, texts = plan.sets[name], file_of(plan, name, "texts.json")
    settings = planned.import_settings
    read = {"settings": settings.of_texts, "rated": {}, "location": planned.files}
    job(import_texts, {}, {"texts": texts}, read)
    files = ("evalset", "ratings", "human_evaluation")
    made = {file: file_of(plan, name, f"{file}.json") for file in files}
    job(import_gold, {"texts": texts}, made, {"settings": settings, "location": planned.files})
    return texts


def make_scores(plan, name):
    """The set, its difficulties, its weightings and its scores."""
    planned = plan.sets[name]
    texts = read_own_set(plan, name)
    made = {x: file_of(plan, name, f"statistics/{x}.npz") for x in planned.metrics}
    params = {"metrics": planned.metrics, "locations": {}}
    job(score_segments, {"evalset": texts, "wordnet": []}, made, params)
    for difficulty in planned.estimated:
        estimate(plan, name, difficulty)
    settings, tuned = plan.score_settings(name), planned.all_tuned
    params = {"name": name, "settings": settings, "tuned": tuned, **settings_of_statistics(plan)}
    names = {"scores": "system_scores", "spread": "correlation_spread"}
    names["rankings"] = "difficulty_and_gold"
    names |= {name: name for name in ("missing", "correlations", "top_scores")}
    made = {key: file_of(plan, name, f"{file}.csv") for key, file in names.items()}
    made["weightings"] = file_of(plan, name, "weightings.json")
    files = [file for file in plan.score_files(name) if file != made["weightings"]]
    job(score_systems, {"files": files}, made, params)


def settings_of_statistics(plan):
    config = plan.config.model_dump()
    return {
        "statistics": config["statistics"],
        "random_subsets": config["random_subsets"],
        "significance": config["significance"],
        "top": config["significance"]["top"],
        "controls": config["controls"],
        "printed": [],
        "seed": config["seed"],
    }


def estimate(plan, name, difficulty):
    """A difficulty of a set; raises what its job raises for input that is wrong."""
    planned, made = plan.sets[name], plan.difficulty_file(name, difficulty)
    settings = planned.difficulties[difficulty]
    evalset_file = "evalset.json" if make_estimator(settings).uses_gold else "texts.json"
    inputs = {
        "evalset": file_of(plan, name, evalset_file),
        "source": plan.difficulty_sources(name, difficulty),
    }
    params = {
        "settings": settings,
        "metric": planned.metrics.get(settings.metric),
        "location": plan.difficulty_location(name, difficulty),
    }
    job(estimate_difficulty, inputs, made, params, difficulty=difficulty)


def compare(plan, name):
    """The table of every metric's statistics of meta-evaluation."""
    params = {"name": name, "settings": plan.score_settings(name), **settings_of_statistics(plan)}
    made = {
        **{key: f"{key}.csv" for key in ("significance", "agreement")},
        **{key: f"system_{key}.csv" for key in ("comparisons", "intervals")},
        **{"tests": "metric_tests.csv", "ranks": "metric_ranks.txt"},
        **{"controls": "controls.csv", "surface": "surface.npz", "points": "parameters.csv"},
    }
    further = "system_scores.csv", "missing.csv", "correlations.csv"
    files = plan.score_files(name) + plan.files(name, *further)
    made = {key: file_of(plan, name, file) for key, file in made.items()}
    job(assess_set, {"files": files}, made, params)
