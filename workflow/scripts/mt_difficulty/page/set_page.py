"""The page of an evaluation set, and the set's summary for the index."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ..data import evalset
from ..data.evalset import SetFiles, language_notices
from ..evidence.nulls import NULLS
from ..evidence.subsets import best_first
from ..metrics import METRICS
from ..scores import describe_counted
from ..settings import ScoreSettings
from ..statistics import of_scores
from ..weighting import fitted
from . import finding, image, tables
from .segments import describe_segments, explain
from .tables import Content, Mark, agreement_table, correlation_table, mark_gold, score_table

# Further tables of results of a set with human scores; set.html.j2 has their titles and texts.
OF_GOLD = ("significance.csv", "controls.csv", "difficulty_and_gold.csv")
# Parameters of weightings in words, those that a reader looks for first.
TERMS = {
    "h": "threshold h",
    "w": "easy weight w",
    "effective_segments": "effective segments of a system",
    "difficult_hypotheses": "difficult hypotheses of a system",
}
# Entries of a fit that describe the set, not the weighting.
SIZES = ("systems", "segments")


def describe(
    files: SetFiles, settings: ScoreSettings, statistics: Sequence[str], captions: dict[str, str]
) -> tuple[Content, Content]:
    """Return the variables of a set's page and the set's summary for the index, as JSON types.
    Raises `Missing` where the archive has no such set. `statistics` are those of the run,
    `captions` those of the set's plots."""
    texts, weightings = files.read("evalset.json"), files.read("weightings.json")
    planned = {
        kind: {name: described[name] for name in getattr(settings, kind)}
        for kind, described in weightings.items()
    }
    described = runnable(planned, settings)
    labels = fitted.labels(described["weightings"])
    gold = {of.name: Mark(of.uses_gold, of.tuned) for of in labels if of.uses_gold or of.tuned}
    page: Content = {
        "name": files.name,
        "index": "../" * len(Path(files.name).parts) + "report.html",
        "evalset": {
            "systems": len(texts.systems),
            "segments": len(texts.reference),
            "counted": describe_counted(texts),
            "outliers": texts.outliers,
            "documents": len(set(texts.documents)),
            "reference": texts.reference_name,
            "gold": texts.gold_label,
            "left_out": texts.left_out,
            "texts_missing": texts.texts_missing,
            "notices": [*texts.notices, *language_notices(texts, settings.metrics)],
        },
        **describe_weightings(described, labels, texts.systems),
        "weightings": [{"name": of.name, "uses_gold": of.uses_gold} for of in labels],
        "changes": finding.read(files, gold),
        "ranks": files.optional("metric_ranks.txt"),
        "tables": {},
    }
    changes = [{"set": files.name, **row} for row in page["changes"]]
    page["finding"] = finding.describe(changes, of_set=True)
    scores, missing = files.read("system_scores.csv"), files.read("missing.csv")
    missing = missing.assign(signature="not computed: " + missing.reason.astype(str))
    key, signed = ["metric", "weighting", "difficulty", "signature"], []
    for table in (scores, missing):
        signed += mark_gold(table, gold)[key].drop_duplicates().fillna("").to_numpy().tolist()
    page["signatures"] = tables.text_table(key, signed)
    page["order"], order = best_first(texts, scores, settings.types)
    ranked = [texts.systems[system] for system in order]
    intervals = files.optional("system_intervals.csv")
    shown = scores if intervals is None else intervals
    page["scores"] = score_table(shown, ranked, gold)
    if not texts.gold and len(shown):
        page["score_plot"] = finding.score_plot(shown, ranked)
    # The names of weightings and of metrics, explained.
    page["names"] = {}
    for label in labels[1:]:
        about = described["difficulties"].get(label.difficulty, {}).get("description", "")
        page["names"][label.name] = label.description + f" Difficulty: {about}" * bool(about)
    for name, kind in settings.types.items():
        explained = re.split(r"[;.]\s", inspect.getdoc(METRICS[kind]) or "")
        encoder = Path(settings.matches.get(name, "")).stem
        page["names"][name] = explained[0] + f" (encoder: {encoder})" * bool(encoder) + "."
    page["segments"] = describe_segments(texts, files, settings, described, order)

    def rows_of(file: str) -> Any:
        """Return the table in a CSV file; None if it does not exist or has no rows."""
        frame = files.optional(file)
        return None if frame is None or frame.empty else frame

    for file in OF_GOLD:
        frame, terms = rows_of(file), {}
        if reason := files.reason(file):
            page["tables"][file] = {"reason": reason}
        if frame is None:
            continue
        if file == "controls.csv":
            terms = {null: text for null, text in NULLS.items() if null in set(frame.null)}
            names = {name: f"null_{name}" for name in ("mean", "low", "high", "quantile")}
            frame = frame[frame.subset == "all"].drop(columns="subset").rename(columns=names)
        page["tables"][file] = tables.result_table(frame, gold) | {"terms": terms}
    if texts.gold:
        correlations, agreement = rows_of("correlations.csv"), rows_of("agreement.csv")
        if correlations is not None:
            page["correlations"] = correlation_table(
                correlations, rows_of("significance.csv"), of_scores(statistics), gold
            )
            page["subsets"] = tables.result_table(correlations[correlations.subset != "all"], gold)
        page["agreement"] = None if agreement is None else agreement_table(agreement, gold)
    else:  # say once what is left out
        page["no_gold"], page["tables"] = evalset.NO_GOLD, {}

    images = {
        plot: {"caption": caption, "image": image(svg)}
        for plot, caption in captions.items()
        if (svg := files.optional(f"figures/{plot}.svg"))
    }
    page["top_k"], of_surface = images.pop("top_k", {}), images.pop("surface", {})
    page["figures"] = list(images.values())
    if texts.gold and (reason := files.reason("surface.npz")):
        page["surface"] = {"reason": reason}
    elif texts.gold and "surface.npz" in files:
        points = tables.result_table(files.read("parameters.csv"), gold)
        page["surface"] = of_surface | {"points": points}

    summary = {key: page[key] for key in ("evalset", "weightings", "changes", "names")}
    summary["scores"] = None if texts.gold else page["scores"]
    summary["explained"] = explain(texts, files, list(settings.difficulties))
    summary["segments_shown"] = "reason" not in page["segments"]
    return page, summary


def runnable(described: Content, settings: ScoreSettings) -> Content:
    """Return `described` without token difficulties and weightings if no metric matches tokens."""
    there = settings.matches
    return {
        kind: {name: of for name, of in entries.items() if there or of["unit"] != "token"}
        for kind, entries in described.items()
    }


def describe_weightings(
    described: Content, labels: list[fitted.WeightingLabel], systems: list[str]
) -> dict[str, Content]:
    """Return `difficulty_table` and `weighting_table`, which also say why a row was not computed.
    `described` is the content of `weightings.json`, with `labels`."""
    heads = ("difficulty", "type", "unit", "made anew for the K best systems", "uses human scores")
    rows = [
        [tables.marked(name, entry["uses_gold"]), entry["type"], entry["unit"]]
        + ["yes" if entry[flag] else "no" for flag in ("depends_on_systems", "uses_gold")]
        + [entry["description"] + (" Not computed: " + entry["missing"]) * bool(entry["missing"])]
        for name, entry in described["difficulties"].items()
    ]
    difficulty_table = tables.text_table([*heads, "description"], rows)
    rows = []
    for label in labels:
        entry = described["weightings"].get(label.name, {})
        parameters = in_words(entry.get("parameters", {}), systems)
        notices, missing = " ".join(entry.get("notices", [])), entry.get("missing", "")
        parameters = ". ".join(filter(None, (parameters, notices)))
        if missing and missing != notices:
            parameters += f" Not computed: {missing}"
        name = tables.marked(label.name, label.uses_gold, label.tuned)
        of_difficulty = tables.marked(label.difficulty, label.uses_gold)
        kind = [entry.get(key, "") for key in ("type", "unit")]
        rows.append([name, of_difficulty, *kind, parameters, label.description])
    heads = ("weighting", "difficulty", "type", "unit", "fitted parameters")
    return {
        "difficulty_table": difficulty_table,
        "weighting_table": tables.text_table([*heads, "description"], rows),
    }


def in_words(parameters: Content, systems: list[str]) -> str:
    """Format fitted parameters (from `weightings.json`; None is undefined) as text with their
    origin. A parameter with a value for each system becomes a range from least to largest."""

    def text(value: Any) -> str:
        if isinstance(value, dict) and value and set(value) == set(systems):
            ends = [text(end) for end in (min(value.values()), max(value.values()))]
            return f" {tables.DASH} ".join(dict.fromkeys(ends))
        if value is None:
            return "undefined"
        return tables.number(value) if isinstance(value, (int, float)) else ""

    parts = []
    for key in [*TERMS, *(key for key in parameters if key not in TERMS and key not in SIZES)]:
        if key in parameters and (value := text(parameters[key])):
            origin = parameters.get(f"{key}_from")
            term = TERMS.get(key, key.replace("_", " "))
            parts.append(f"{term} {value} ({origin})" if origin else f"{term} {value}")
    return "; ".join(parts)
