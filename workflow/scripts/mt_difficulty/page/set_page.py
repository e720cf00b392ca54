"""What the page of one evaluation set shows, from the set's results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..data import evalset
from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..errors import Missing
from ..evidence.counted import describe_counted
from ..evidence.subsets import best_first
from ..statistics import of_scores
from . import agreement, controls, difficulties, finding, report_charts, report_tables
from .explained import explain
from .segments import describe_segments
from .template import image

# What further tables of results a set may have: title, and how to read it.
TABLES = {
    "significance.csv": (
        "How sure each correlation is",
        "Each correlation with its 95 % intervals: over segments, over systems, over both, and "
        "jointly over the segments of metric and human scores; where few systems leave an interval "
        "too narrow, there is none. A gain is a weighting's correlation minus the standard one's, "
        "with the same intervals; a small p (PERM-BOTH: halves of the hypotheses are exchanged "
        "and scored again) means that so large a difference is unlikely by chance. Detectable is "
        "the gain that this test finds with 80 % power at p ≤ 0.05: a p above 0.05 says nothing "
        "about smaller ones.",
    ),
    "controls.csv": (
        "Controls: is it difficulty that helps?",
        "Each correlation over all systems and its nulls, which keep everything but the "
        "difficulty’s information. `above null` is the share of a null’s draws below the value: "
        "0.5 means no better than that null. `beats unweighted` is the share of the draws above "
        "the unweighted metric: where it is high, a gain over the unweighted metric shows little. "
        "controls.csv has the K best systems, too.",
    ),
    "difficulty_and_people.csv": (
        "Do people rank systems on difficult segments as elsewhere?",
        "r between the systems’ mean human scores on the hardest 10 % of the segments with human "
        "scores, by mean difficulty, and on the rest; also the same for random subsets of as "
        "many segments. A quantile near 0.5 means that difficult segments rank systems as random "
        "ones do. `r within segments` says whether the more difficult of a segment’s hypotheses "
        "get other human scores.",
    ),
    "complexity.csv": (
        "Complexity of the source",
        "Readability measures of the source texts, as Babych et al. (2004) used them: how hard a "
        "text is to translate before any system has tried.",
    ),
    "system_intervals.csv": (
        "Scores of the systems",
        "Every system's score with the 95 % interval of a bootstrap over segments, on the scale of "
        "its metric. Systems whose intervals overlap widely are hard to distinguish.",
    ),
}


# What there is only with human scores.
OF_GOLD = ("significance.csv", "controls.csv", "difficulty_and_people.csv", "surface.npz")
# Plots of which the page has a chart.
CHARTS = ("top_k", "surface")


def describe(
    files: SetFiles, settings: dict[str, Any], captions: dict[str, str], synthetic: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that the page of a set shows, and what the index says of it.

    Parameters
    ----------
    files : SetFiles
    settings : dict
        As `outputs.page_settings` makes them: what `SetScores` needs, `types` of the metrics,
        `statistics` of the run, and `shown`, how many of the hardest segments.
    captions : dict of str to str
        Of the set's plots.
    synthetic : bool
        Whether the set is made up.

    Returns
    -------
    page, summary : dict
        What the templates read; the summary can be written as JSON.

    Raises
    ------
    Missing
        The archive has no such set.
    """
    found = files.read("evalset.json")
    page: dict[str, Any] = {"name": files.name, "index": "../" * len(Path(files.name).parts)}
    page["index"] += "report.html"
    page |= {"evalset": about(found)} | difficulties.describe(files, settings)
    gold = difficulties.of_gold(page)
    page["scores"] = signatures(files, gold)
    scores = files.read("system_scores.csv")
    page["order"], order = best_first(found, scores, settings["types"])
    correlations = optional_table(files, "correlations.csv")
    if correlations is not None:
        significance = optional_table(files, "significance.csv")
        statistics = of_scores(settings["statistics"])
        page["correlations"] = report_tables.correlation_table(
            correlations, significance, statistics, gold
        )
        page["curves"] = report_charts.curves(correlations, significance, statistics, gold)
    agreed = optional_table(files, "agreement.csv")
    page["agreement"] = {} if agreed is None else agreement.tables(agreed, gold)
    page["ranks"] = files.optional("metric_ranks.txt")
    page["tables"], page["left_out"] = further_tables(files, gold)
    page["surface"] = surface(files, gold)
    page["comparisons"] = compare(files, found, order, gold)
    for file, shown in (("surface.npz", "surface"), ("system_comparisons.csv", "comparisons")):
        page["left_out"] += [file] * (page[shown] is None)
    page["segments"] = describe_segments(found, files, settings, order)
    page["figures"] = figures(files, captions)
    page["changes"] = finding.read(files, gold)
    own = [{"set": files.name, **row} for row in page["changes"]]
    page["finding"] = finding.describe(own, 1, 1, synthetic, of_set=True)
    page = page if found.gold else without_gold(page)
    return page, summarise(page, files, settings)


def summarise(page: dict[str, Any], files: SetFiles, settings: dict[str, Any]) -> dict[str, Any]:
    """What the index says of a set."""
    explained = explain(files.read("evalset.json"), files, list(settings["difficulties"]))
    summary: dict[str, Any] = {"explained": explained}
    summary["segments_shown"] = "reason" not in page["segments"]
    summary |= {key: page[key] for key in ("evalset", "difficulties", "weightings", "changes")}
    frame, rows = optional_table(files, "correlations.csv"), []
    if frame is not None:
        columns = ["metric", "weighting", "difficulty", "pearson"]
        rows = frame.loc[frame.subset == "all", columns].to_dict("records")
        rows = [row | {"pearson": finite(row["pearson"])} for row in rows]
    return summary | {"correlations": rows, "encoders": encoders(files)}


def finite(value: float) -> float | None:
    """A number for JSON; None for NaN."""
    return value if np.isfinite(value) else None


def without_gold(page: dict[str, Any]) -> dict[str, Any]:
    """The page of a set without human scores, which says once what is left out."""
    tables = {file: table for file, table in page["tables"].items() if file not in OF_GOLD}
    left_out = [file for file in page["left_out"] if file not in OF_GOLD]
    changes = {"tables": tables, "left_out": left_out, "surface": None}
    return page | changes | {"no_gold": evalset.NO_GOLD}


def about(found: EvaluationSet) -> dict[str, Any]:
    """A set's size and texts."""
    return {
        "systems": len(found.systems),
        "segments": len(found.reference),
        "counted": describe_counted(found),
        "outliers": found.outliers,
        "documents": len(set(found.documents)),
        "reference": found.reference_name,
        "gold": found.gold_label,
        "left_out": found.left_out,
        "texts_missing": found.texts_missing,
        "notices": evalset.notices(found),
        "pair": found.pair,
    }


def figures(files: SetFiles, captions: dict[str, str]) -> list[dict[str, str]]:
    """The set's plots that are there, but for those that charts of the page show."""
    return [
        {"plot": plot, "caption": caption, "image": image(svg)}
        for plot, caption in captions.items()
        if plot not in CHARTS and (svg := files.optional(f"figures/{plot}.svg"))
    ]


def signatures(files: SetFiles, gold: dict[str, report_tables.Mark]) -> dict[str, list]:
    """Metrics with the settings that made them, and what is missing, in the files' order."""
    tables = (files.read(file) for file in ("system_scores.csv", "missing.csv"))
    there, missing = (report_tables.mark_gold(table, gold) for table in tables)
    key = ["metric", "weighting", "difficulty"]
    return {
        "there": there[[*key, "signature"]].drop_duplicates().values.tolist(),
        "missing": missing[[*key, "reason"]].values.tolist(),
    }


def encoders(files: SetFiles) -> list[dict[str, Any]]:
    """Of each encoder its layer, precision and checksums; those made on the spot have none."""
    keys = ("name", "model", "hub", "revision", "layer", "dtype", "files")
    found = map(files.optional, files.in_folder("encoders"))  # what one would have scored says why
    return [{key: settings.get(key) for key in keys} for settings in found if settings]


def optional_table(files: SetFiles, file: str) -> Any:
    """A table; None where it does not exist or has no rows."""
    frame = files.optional(file)
    return None if frame is None or frame.empty else frame


def further_tables(
    files: SetFiles, gold: dict[str, report_tables.Mark]
) -> tuple[dict[str, dict], list[str]]:
    """Tables of results by file, and the files that this run has not."""
    tables: dict[str, dict[str, Any]] = {}
    left_out = []
    for file, (title, text) in TABLES.items():
        frame = optional_table(files, file)
        if reason := files.reason(file):
            tables[file] = {"title": title, "text": text, "reason": reason}
        elif frame is None:
            left_out.append(file)
        else:
            tables[file] = {"title": title, "text": text}
            if file == "controls.csv":
                tables[file]["terms"] = controls.terms(frame)
                frame = controls.shown(frame)
            tables[file] |= report_tables.result_table(frame, gold)
    return tables, left_out


def surface(files: SetFiles, gold: dict[str, report_tables.Mark]) -> dict[str, Any] | None:
    """Correlations over thresholds and easy weights, a reason, or None where this run has none."""
    if "surface.npz" not in files:
        return None
    try:
        arrays, parameters = files.read("surface.npz"), files.read("parameters.csv")
    except Missing as reason:
        return {"reason": str(reason)}
    return report_charts.surface(arrays, parameters, gold)


def compare(
    files: SetFiles, found: EvaluationSet, order: np.ndarray, gold: dict[str, report_tables.Mark]
) -> dict[str, Any] | None:
    """Paired bootstrap wins of the systems, in the given order."""
    frame = optional_table(files, "system_comparisons.csv")
    if frame is None:
        return None
    names = [found.systems[system] for system in order]
    return {"systems": names, "metrics": report_charts.comparisons(frame, names, gold)}
