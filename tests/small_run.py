"""The jobs of one small set of own files, run in this process: seconds instead of a minute."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import page_run
from page_run import ROOT
from snakemake.iocontainers import Namedlist

import analyse_complexity
import assess_correlations
import compare_metrics
import control_weightings
import correlate
import describe_sources
import estimate_difficulty
import fit_weightings
import hold_out_parameters
import import_evalset
import import_texts
import map_parameters
import plot_evalset
import rank_by_difficulty
import score_segments
import score_systems
import summarise_run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import Missing
from mt_difficulty.run import configs, outputs
from mt_difficulty.run.plan import make_plan

CONFIG = {
    "papers": [],
    "difficulties": {"length": {"type": "length"}},
    "weightings": {"long": {"type": "hardest", "difficulty": "length", "share": 0.5}},
    "random_subsets": {"sizes": [3], "draws": 3},
    "significance": {"resamples": 100, "draws": 2, "top": [3, 4]},
    "controls": {"draws": 100},
}
# Difficulties of weightings: of those that every metric has, and of those of tokens.
OF_SEGMENTS = {"standard": "", "EE": "chunk_entropy", "long": "length"}
OF_TOKENS = {
    "DA": "token_dissimilarity",
    "DA-LOO": "token_dissimilarity_others",
    "EE-DA": "chunk_entropy+token_dissimilarity",
}
PLOTS = ("top_k", "surface", "difficulties")
STATISTICS = ["pearson", "kendall", "spearman"]
INTERVALS = [f"{over}_{end}" for over in ("segments", "systems", "both") for end in ("low", "high")]


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


def plan_run(own, results, metrics, pair="en-xx", **settings):
    """The plan of a run on one set of own files; `metrics` are the types by name."""
    entry = {"files": str(own), "campaign": "small", "pair": pair, "metrics": list(metrics)}
    settings |= {"results": str(results), "evaluation_sets": [entry]}
    settings["metrics"] = {metric: {"type": kind} for metric, kind in metrics.items()}
    config = configs.merge(read_yaml(ROOT / "config.yaml"), configs.merge(CONFIG, settings))
    plan, problems = make_plan(config, {})
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


def run(own, results, metrics, plots=PLOTS, pair="en-xx", **settings):
    """Make a set's results and the page; give the set's folder.

    `metrics` are the types by name, none of which needs an encoder.
    """
    plan = plan_run(own, results, metrics, pair, **settings)
    (name,) = plan.sets
    make_scores(plan, name)
    assess(plan, name)
    draw(plan, name, plots)
    make_page(plan, name)
    return Path(results, name)


def file_of(plan, name, file):
    (path,) = plan.files(name, file)
    return path


def read_own_set(plan, name):
    """The set with and without its human scores; gives the file without."""
    planned, texts = plan.sets[name], file_of(plan, name, "texts.json")
    read = {"entry": planned.import_settings, "location": planned.files}
    made = {file: file_of(plan, name, f"{file}.json") for file in ("evalset", "protocol")}
    job(import_evalset, {}, made, read)
    job(import_texts, {}, texts, read)
    return texts


def make_scores(plan, name):
    """The set, its difficulties, its weightings and its scores."""
    planned = plan.sets[name]
    texts = read_own_set(plan, name)
    for metric, settings in planned.metrics.items():
        made = file_of(plan, name, f"statistics/{metric}.npz")
        inputs = {"evalset": texts, "source": [], "wordnet": []}
        job(score_segments, inputs, made, {"settings": settings}, metric=metric)
    for difficulty in planned.estimated:
        estimate(plan, name, difficulty)
    inputs = {"evalset": texts, "difficulties": plan.difficulty_files(name)}
    settings = plan.score_settings(name) | {"tuned": planned.all_tuned}
    made = file_of(plan, name, "weightings.json")
    job(fit_weightings, inputs, made, settings, pair=planned.pair)
    made = {"scores": "system_scores.csv", "missing": "missing.csv"}
    made = {key: file_of(plan, name, file) for key, file in made.items()}
    files = {"files": plan.score_files(name)}
    job(score_systems, files, made, {"name": name, "settings": settings})


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
        "metric": planned.metrics.get(settings.get("metric")),
        "location": plan.model_folder(name, difficulty) or plan.estimates_file(name, difficulty),
    }
    job(estimate_difficulty, inputs, made, params, difficulty=difficulty)


def assess(plan, name):
    """Correlations, how sure they are, controls, parameters and complexity."""
    config = plan.config
    params = {"name": name, "settings": plan.score_settings(name), "seed": config["seed"]}
    params |= {"statistics": config["statistics"], "significance": config["significance"]}
    params |= {"subsets": config["random_subsets"], "sizes": config["random_subsets"]["sizes"]}
    params |= {"printed": config["random_subsets"]["sizes"]}
    params |= {"top": config["significance"]["top"], "draws": config["controls"]["draws"]}
    params |= {"resamples": config["significance"]["resamples"]}
    files = plan.score_files(name)
    for script, more, made in (
        (
            correlate,
            [],
            {
                "mean": "correlations.csv",
                "spread": "correlation_spread.csv",
                "top_scores": "top_scores.csv",
            },
        ),
        (
            assess_correlations,
            ["missing.csv"],
            {
                "significance": "significance.csv",
                "comparisons": "system_comparisons.csv",
                "intervals": "system_intervals.csv",
            },
        ),
        (
            control_weightings,
            ["correlations.csv", "missing.csv"],
            {"file": "controls.csv"},
        ),
        (
            compare_metrics,
            ["missing.csv"],
            {
                "agreement": "agreement.csv",
                "tests": "metric_tests.csv",
                "ranks": "metric_ranks.txt",
            },
        ),
        (map_parameters, [], {"surface": "surface.npz", "points": "parameters.csv"}),
    ):
        made = {key: file_of(plan, name, file) for key, file in made.items()}
        job(script, {"files": files + plan.files(name, *more)}, made, params)
    files = plan.files(name, "evalset.json", "weightings.json") + plan.difficulty_files(name)
    job(
        rank_by_difficulty,
        {"files": files},
        file_of(plan, name, "difficulty_and_people.csv"),
        params,
    )
    texts = {"evalset": file_of(plan, name, "texts.json")}
    job(describe_sources, texts, file_of(plan, name, "complexity.csv"))


def draw(plan, name, plots):
    """Those of a set's plots that are named."""
    params = {"name": name, "settings": plan.score_settings(name)}

    made = {end: plan.files(name, *(f"figures/{p}.{end}" for p in plots)) for end in ("svg", "pdf")}
    files = ("correlations.csv", "surface.npz", "parameters.csv", "system_scores.csv")
    inputs = {"files": plan.score_files(name) + plan.files(name, *files)}
    job(plot_evalset, inputs, made, params | {"metric": plan.sets[name].plotted_metric})


def make_page(plan, name):
    """What is made of all sets, and the page."""
    results, planned = Path(plan.results), plan.sets[name]
    held_out = {end: results / f"held_out.{end}" for end in ("csv", "md")}
    sources = {
        key: plan.files(name, file)
        for key, file in (("surfaces", "surface.npz"), ("points", "parameters.csv"))
    }
    job(hold_out_parameters, sources, held_out, {"tests": {name: name}})
    tables = {
        key: results / "complexity" / file
        for key, file in zip(
            ("text_types", "correlations", "normalised", "spread", "summary"),
            outputs.COMPLEXITY_FILES,
            strict=True,
        )
    }
    settings = {"metrics": {name: planned.types}, "references": {}}
    job(analyse_complexity, {"evalsets": plan.files(name, "texts.json")}, tables, settings)
    sources = {"notices": [], "checks": [], "audit": [], "wordnet": []}
    for key, file in (
        ("evalsets", "evalset.json"),
        ("weightings", "weightings.json"),
        ("missing", "missing.csv"),
    ):
        sources[key] = plan.files(name, file)
    params = {"sets": [name], "look": [], "unread": {}, "config": {}, "archive": ""}
    params |= {"settings": {name: {}}, "files": {name: []}}
    made = {"summary": results / "summary.txt", "run": results / "run.json"}
    job(summarise_run, sources, made, params)
    captions = outputs.plots_of_set(plan, name)
    page_run.render_one(results, name, outputs.page_settings(plan, name), captions)
    page_run.render_index(results, [name], {})


def table(folder, file):
    """A table, or None where a marker says that it cannot be."""
    try:
        return storage.read_table(folder / file)
    except Missing:
        return None


def check(folder, systems, metrics):
    """Every table has the systems that went in, and whatever is undefined has a reason."""
    systems = sorted(systems)
    found = evalset.load(folder / "evalset.json")
    assert found.systems == systems
    scored = check_scores(folder, systems, metrics)
    for file, column in (("top_scores.csv", "system"), ("system_intervals.csv", "system")):
        if (frame := table(folder, file)) is not None and len(frame):
            assert set(frame[column]) == set(systems), file
    comparisons = table(folder, "system_comparisons.csv")
    if len(comparisons):
        assert set(comparisons.system) == set(comparisons.other) == set(systems)
    for file in (
        *("correlations.csv", "significance.csv", "agreement.csv"),
        *("controls.csv", "parameters.csv"),
    ):
        frame = table(folder, file)
        assert (frame is None) == (not found.gold), file
        if found.gold:
            check_reasons(frame, file, scored)
            known = frame.weighting.map(OF_SEGMENTS | OF_TOKENS)
            assert (frame.difficulty == known).all(), file
    check_complexity(folder)
    assert (folder / "report.html").stat().st_size > 40_000
    assert f"{folder.parent.name}/{folder.name}/report.html" in (
        folder.parents[1] / "report.html"
    ).read_text(encoding="utf-8")


def check_complexity(folder):
    found, analysed = table(folder, "complexity.csv"), folder.parents[1] / "complexity"
    assert (found.reason[found[["ASL", "ASW", "FRE", "FKGL"]].isna().any(axis=1)] != "").all()
    names = dict.fromkeys(evalset.load(folder / "evalset.json").documents)
    assert found.name[found.level == "document"].tolist() == list(names)
    for file, values in (
        ("text_types", ["score", "ASW"]),
        ("correlations", ["r"]),
        ("normalised_scores", ["score", "normalised_1", "normalised_2"]),
        ("spread", ["ratio", "relative_ratio"]),
    ):
        if (frame := table(analysed, f"{file}.csv")) is not None:
            undefined = ~np.isfinite(frame[values].astype(float)).all(axis=1)
            assert (frame.reason[undefined] != "").all(), (file, frame[undefined])
            if "text" in frame:
                own = frame.group == f"{folder.parent.name}/{folder.name}"
                assert set(frame.text[own & (frame.level == "document")]) <= set(names)


def check_scores(folder, systems, metrics):
    """Give the metrics that have standard scores."""
    scores, missing = table(folder, "system_scores.csv"), table(folder, "missing.csv")
    reasons = {(row.metric, row.weighting): row.reason for row in missing.itertuples()}
    assert all(reasons.values())
    for metric in metrics:
        for weighting in OF_SEGMENTS:
            rows = scores[(scores.metric == metric) & (scores.weighting == weighting)]
            there = len(rows) and np.isfinite(rows.score).all()
            assert there or reasons[metric, weighting]
            assert not len(rows) or rows.system.tolist() == systems
    return set(scores.metric[scores.weighting == "standard"])


def check_reasons(frame, file, metrics):
    """Numbers that are undefined have a reason, and every metric that has scores has rows."""
    assert set(metrics) <= set(frame.metric), file
    values = ["value", "mean", *INTERVALS]
    values = [name for name in (*values, *STATISTICS) if name in frame]
    if file == "significance.csv":
        assert (frame.reason[frame.value.isna()] != "").all()
        frame = frame[frame.statistic != "soft_accuracy"]  # which has no intervals
    undefined = frame[values].isna().any(axis=1)
    assert (frame.reason[undefined] != "").all(), (file, frame[undefined])
