"""The jobs of one small set of own files, run in this process: seconds instead of a minute."""

from types import SimpleNamespace

import align_hypotheses
import numpy as np
import page_run
from page_run import DA
from snakemake.iocontainers import Namedlist

import analyse_complexity
import assess_correlations
import control_weightings
import correlate
import describe_sources
import estimate_difficulty
import hold_out_parameters
import import_evalset
import import_texts
import map_parameters
import plot_evalset
import score_segments
import score_systems
import summarise_run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.run import invariants
from mt_difficulty.statistics import STATISTICS as REGISTRY

EE = {"zero_segments": "drop", "threshold": "Eq. 9"}
PLOTS = ("top_k", "entropy_score", "entropy_distribution", "surface")
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


def job(script, inputs, outputs, **more):
    """Run a rule's script; a marker stands for a result that cannot be."""
    more = {key: SimpleNamespace(**value) for key, value in more.items()}
    rule = SimpleNamespace(
        input=Namedlist(fromdict=inputs), output=Namedlist(fromdict=outputs), threads=1, **more
    )
    try:
        script.main(rule)
    except Missing as missing:
        for path in rule.output:
            storage.write_missing(path, str(missing))


def run(own, results, metrics, plots=PLOTS, pair="en-xx"):
    """Make a set's results and the page; give the set's folder.

    `metrics` are the types by name, none of which needs an encoder.
    """
    name = f"small/{pair}"
    folder = results / name
    files = make_scores(own, folder, metrics, pair)
    assess(files, folder, metrics)
    job(
        plot_evalset,
        files | {"statistics": files["statistics"][:1], "parameters": files["points"]},
        {end: [folder / f"figures/{plot}.{end}" for plot in plots] for end in ("svg", "pdf")},
        params={"zero_segments": "drop", "types": metrics},
        wildcards={"campaign": "small", "pair": pair},
    )
    make_page(files, results, name, metrics)
    return folder


def make_scores(own, folder, metrics, pair):
    """The set, its difficulty and its scores; the files by name."""
    files = {
        "texts": folder / "texts.json",
        "evalset": folder / "evalset.json",
        "entropy": folder / "entropy/fast_align.npz",
        "difficulty": folder / "difficulty.json",
        "statistics": [folder / f"statistics/{metric}.npz" for metric in metrics],
        "scores": folder / "system_scores.csv",
        "missing": folder / "missing.csv",
        "matches": [],
        "DA": [],
    }
    read = {"entry": {"pair": pair, "required": True}, "location": own}
    made, named = only(files, "evalset"), {"campaign": "small", "aligner": "fast_align"}
    job(import_evalset, {}, made, params=read, wildcards=named)
    job(import_texts, {}, only(files, "texts"), params=read, wildcards=named)
    made = only(files, "entropy")
    job(align_hypotheses, files, made, params={"zero_links": "zero"}, wildcards=named)
    job(estimate_difficulty, files, only(files, "difficulty"), params={"EE": EE, "given": {}})
    for (metric, kind), path in zip(metrics.items(), files["statistics"], strict=True):
        sources = files | {"source": [], "wordnet": []}
        settings = {"settings": {"type": kind}}
        job(score_segments, sources, {"file": path}, params=settings, wildcards={"metric": metric})
    settings = {"metrics": {metric: {"type": kind} for metric, kind in metrics.items()}, "DA": DA}
    job(score_systems, files, only(files, "scores", "missing"), params=settings)
    return files


def assess(files, folder, metrics):
    """Correlations, how sure they are, controls, parameters and complexity."""
    made = {
        "correlations": folder / "correlations.csv",
        "spread": folder / "correlation_spread.csv",
        "top_scores": folder / "top_scores.csv",
        "significance": folder / "significance.csv",
        "comparisons": folder / "system_comparisons.csv",
        "intervals": folder / "system_intervals.csv",
        "controls": folder / "controls.csv",
        "surface": folder / "surface.npz",
        "points": folder / "parameters.csv",
        "complexity": folder / "complexity.csv",
    }
    files |= made
    settings = {"metrics": {metric: {"type": kind} for metric, kind in metrics.items()}, "DA": DA}
    settings |= {"statistics": list(REGISTRY), "neural": [], "seed": 1}
    settings |= {"sizes": [3], "top": [3, 4], "draws": 100}
    settings["subsets"] = {"sizes": [3], "draws": 3}
    settings["significance"] = {"resamples": 100, "draws": 2, "top": [3, 4]}
    tables = only(files, "spread", "top_scores")
    job(correlate, files, {"mean": files["correlations"]} | tables, params=settings)
    settings["printed"] = [3]
    tables = only(files, "significance", "comparisons", "intervals")
    job(assess_correlations, files, tables, params=settings)
    job(control_weightings, files, only(files, "controls"), params=settings)
    job(map_parameters, files, only(files, "surface", "points"), params=settings)
    job(describe_sources, files, only(files, "complexity"))


def make_page(files, results, name, metrics):
    """What is made of all sets, and the page."""
    held_out = {end: results / f"held_out.{end}" for end in ("csv", "md")}
    sources = {"surfaces": [files["surface"]], "points": [files["points"]]}
    job(hold_out_parameters, sources, held_out, params={"tests": {name: name}})
    analysed = results / "complexity"
    tables = {
        "text_types": analysed / "text_types.csv",
        "correlations": analysed / "correlations.csv",
        "normalised": analysed / "normalised_scores.csv",
        "spread": analysed / "spread.csv",
        "summary": analysed / "summary.md",
    }
    settings = {"metrics": {name: metrics}, "references": {}}
    job(analyse_complexity, {"evalsets": [files["evalset"]]}, tables, params=settings)
    sources = {key: [files[key]] for key in ("missing", "difficulty")}
    sources |= {"evalsets": [files["evalset"]], "notices": [], "checks": [], "audit": []}
    summary = {"file": results / "summary.txt"}
    job(summarise_run, sources, summary, params={"sets": [name], "look": []})
    settings = {"shown": 20, "types": metrics, "DA": DA}
    page_run.render_one(results, name, settings, dict.fromkeys(PLOTS, "A caption."))
    page_run.render_index(results, [name], {})


def only(files, *names):
    return {name: files[name] for name in names}


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
    assert invariants.broken(folder, list(metrics)) == []
    scored = check_scores(folder, systems, metrics)
    for file, column in (("top_scores.csv", "system"), ("system_intervals.csv", "system")):
        if (frame := table(folder, file)) is not None and len(frame):
            assert set(frame[column]) == set(systems), file
    comparisons = table(folder, "system_comparisons.csv")
    if len(comparisons):
        assert set(comparisons.system) == set(comparisons.other) == set(systems)
    for file in ("correlations.csv", "significance.csv", "controls.csv", "parameters.csv"):
        frame = table(folder, file)
        assert (frame is None) == (not found.gold), file
        if found.gold:
            check_reasons(frame, file, scored)
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
        for weighting in ("standard", "EE"):
            rows = scores[(scores.metric == metric) & (scores.weighting == weighting)]
            there = len(rows) and np.isfinite(rows.score).all()
            assert there or reasons[metric, weighting]
            assert not len(rows) or rows.system.tolist() == systems
    return set(scores.metric[scores.weighting == "standard"])


def check_reasons(frame, file, metrics):
    """Numbers that are undefined have a reason, and every metric that has scores has rows."""
    assert set(metrics) <= set(frame.metric), file
    values = ["value", "shuffled_mean", "permuted_mean", "inverted", "random_low", *INTERVALS]
    values = [name for name in (*values, *STATISTICS) if name in frame]
    if file == "significance.csv":
        assert (frame.reason[frame.value.isna()] != "").all()
        frame = frame[frame.statistic != "soft_accuracy"]  # which has no intervals
    undefined = frame[values].isna().any(axis=1)
    assert (frame.reason[undefined] != "").all(), (file, frame[undefined])
