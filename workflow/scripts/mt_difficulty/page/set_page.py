"""The page of one evaluation set, from the set's results, and what the index says of the set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..data import evalset
from ..data.set_files import SetFiles
from ..evidence import labels
from ..evidence.counted import describe_counted
from ..evidence.nulls import NULLS
from ..evidence.subsets import best_first
from ..statistics import of_scores
from . import finding
from .segments import describe_segments, explain
from .tables import (
    DASH,
    Mark,
    agreement_tables,
    correlation_table,
    mark_gold,
    marked,
    number,
    result_table,
    text_table,
)
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
    "system_comparisons.csv": (
        "Systems against each other",
        "For each pair of systems, the better one by {order} first: the share of bootstrap "
        "resamples of the segments in which it scores better, and p. A metric that agrees with "
        "this order has shares above 0.5; they are significant from about 0.975 (two-sided, p ≤ "
        "0.05). system_comparisons.csv has every pair in both directions.",
    ),
    "system_intervals.csv": (
        "Scores of the systems",
        "Every system's score with the 95 % interval of a bootstrap over segments, on the scale of "
        "its metric. Systems whose intervals overlap widely are hard to distinguish.",
    ),
}


# What there is only with human scores.
OF_GOLD = ("significance.csv", "controls.csv", "difficulty_and_people.csv", "surface.npz")
# Parameters of weightings in words, those that a reader looks for first.
TERMS = {
    "h": "threshold h",
    "w": "easy weight w",
    "effective_segments": "effective segments of a system",
    "difficult_hypotheses": "difficult hypotheses of a system",
}
# What a fit says of the set, not of the weighting.
SIZES = ("systems", "segments")
# What a page needs of a weighting's label.
LABEL = ("name", "difficulty", "description", "uses_gold", "tuned")
ENCODER = ("name", "model", "hub", "revision", "layer", "dtype", "files")


def describe(
    files: SetFiles, settings: dict[str, Any], captions: dict[str, str], synthetic: bool = False
) -> tuple[dict[str, Any], dict[str, Any]]:
    """All that the page of a set shows, and what the index says of it, which can be written as
    JSON. Raises `Missing` where the archive has no such set.

    `settings`, from `outputs.page_settings`, has what `SetScores` needs, `types` of the metrics,
    `statistics` of the run, and `shown`, how many of the hardest segments; `captions` are those of
    the set's plots; `synthetic`: the set is made up."""
    texts = files.read("evalset.json")
    page: dict[str, Any] = {"name": files.name}
    page["index"] = "../" * len(Path(files.name).parts) + "report.html"
    page["evalset"] = {
        "systems": len(texts.systems),
        "segments": len(texts.reference),
        "counted": describe_counted(texts),
        "outliers": texts.outliers,
        "documents": len(set(texts.documents)),
        "reference": texts.reference_name,
        "gold": texts.gold_label,
        "left_out": texts.left_out,
        "texts_missing": texts.texts_missing,
        "notices": evalset.notices(texts),
        "pair": texts.pair,
    }
    weightings = files.read("weightings.json")
    described = {
        kind: {name: weightings[kind][name] for name in settings[kind]}
        for kind in ("difficulties", "weightings")
    }
    page |= describe_weightings(described, texts.systems)
    gold = {
        each["name"]: Mark(each["uses_gold"], each["tuned"])
        for each in page["weightings"]
        if each["uses_gold"] or each["tuned"]
    }
    scores = files.read("system_scores.csv")
    key = ["metric", "weighting", "difficulty"]
    missing = files.read("missing.csv")
    missing = missing.assign(signature="not computed: " + missing.reason.astype(str))
    signed = []
    for table in (scores, missing):
        rows = mark_gold(table, gold)[[*key, "signature"]].drop_duplicates()
        signed += rows.fillna("").to_numpy().tolist()
    page["signatures"] = text_table([*key, "signature"], signed)
    page["order"], order = best_first(texts, scores, settings["types"])
    images = {
        plot: {"caption": caption, "image": image(svg)}
        for plot, caption in captions.items()
        if (svg := files.optional(f"figures/{plot}.svg"))
    }

    correlations = optional_table(files, "correlations.csv")
    if correlations is not None:
        significance = optional_table(files, "significance.csv")
        statistics = of_scores(settings["statistics"])
        page["correlations"] = correlation_table(correlations, significance, statistics, gold)
        page["subsets"] = result_table(correlations[correlations.subset != "all"], gold)
    page["top_k"] = images.pop("top_k", {})
    agreement = optional_table(files, "agreement.csv")
    page["agreement"] = {} if agreement is None else agreement_tables(agreement, gold)
    page["ranks"] = files.optional("metric_ranks.txt")
    ranked = [texts.systems[system] for system in order]
    page["tables"], page["left_out"] = further_tables(files, gold, page["order"], ranked)
    page["surface"], of_surface = None, images.pop("surface", {})
    if "surface.npz" not in files:
        page["left_out"].append("surface.npz")
    elif reason := files.reason("surface.npz"):
        page["surface"] = {"reason": reason}
    else:
        page["surface"] = of_surface | {"points": result_table(files.read("parameters.csv"), gold)}
    page["segments"] = describe_segments(texts, files, settings, described, order)
    page["figures"] = list(images.values())
    page["changes"] = finding.read(files, gold)
    changes = [{"set": files.name, **row} for row in page["changes"]]
    page["finding"] = finding.describe(changes, 1, 1, synthetic, of_set=True)
    if not texts.gold:  # say once what is left out
        page["no_gold"], page["surface"] = evalset.NO_GOLD, None
        page["tables"] = {file: one for file, one in page["tables"].items() if file not in OF_GOLD}
        page["left_out"] = [file for file in page["left_out"] if file not in OF_GOLD]

    summary = {key: page[key] for key in ("evalset", "difficulties", "weightings", "changes")}
    summary["explained"] = explain(texts, files, list(settings["difficulties"]))
    summary["segments_shown"] = "reason" not in page["segments"]
    summary["correlations"] = []
    if correlations is not None:
        columns = ["metric", "weighting", "difficulty", "pearson"]
        rows = correlations.loc[correlations.subset == "all", columns]
        rows = rows.astype(object).where(rows.notna(), None)  # JSON has no NaN
        summary["correlations"] = rows.to_dict("records")
    encoders = map(files.optional, files.in_folder("encoders"))  # one can have a reason instead
    summary["encoders"] = [{key: each.get(key) for key in ENCODER} for each in encoders if each]
    return page, summary


def describe_weightings(
    described: dict[str, dict[str, Any]], systems: list[str]
) -> dict[str, list[dict[str, Any]] | dict[str, Any]]:
    """What the pages show of difficulties and weightings; `described` as `weightings.json`.

    `difficulties`: its entries there, with their names. `weightings`: LABEL, and of all but the
    standard one type, unit, and the fitted parameters in words. Tables of both, `difficulty_table`
    and `weighting_table`, have the reasons of what is missing."""
    difficulties = [{"name": name, **entry} for name, entry in described["difficulties"].items()]
    rows = []
    for each in difficulties:
        missing = f" Not computed: {each['missing']}" if each["missing"] else ""
        flags = ["yes" if each[flag] else "no" for flag in ("depends_on_systems", "uses_gold")]
        name = marked(each["name"], each["uses_gold"])
        rows.append([name, each["type"], each["unit"], *flags, each["description"] + missing])
    headings = ("difficulty", "type", "unit", "depends on the systems at hand", "uses human scores")
    found: dict[str, Any] = {
        "difficulties": difficulties,
        "difficulty_table": text_table([*headings, "description"], rows),
    }
    weightings, rows = [], []
    for label in labels.describe(described["weightings"]):
        entry = described["weightings"].get(label.name, {})
        each = {key: getattr(label, key) for key in LABEL}
        each |= {key: entry.get(key, "") for key in ("type", "unit", "missing")}
        each["parameters"] = in_words(entry.get("parameters", {}), systems)
        weightings.append(each)
        notices = " ".join(entry.get("notices", []))
        fitted = ". ".join(filter(None, (each["parameters"], notices)))
        if each["missing"] and each["missing"] != notices:
            fitted += f" Not computed: {each['missing']}"
        name = marked(label.name, label.uses_gold, label.tuned)
        difficulty = marked(label.difficulty, label.uses_gold)
        rows.append([name, difficulty, each["type"], each["unit"], fitted, label.description])
    headings = ("weighting", "difficulty", "type", "unit", "fitted parameters")
    table = text_table([*headings, "description"], rows)
    return found | {"weightings": weightings, "weighting_table": table}


def in_words(parameters: dict[str, Any], systems: list[str]) -> str:
    """Fitted parameters (as in `weightings.json`; None is undefined) as a text: numbers, where they
    come from, and the range of what every system has one of."""

    def text(value: Any) -> str:
        if value is None:
            return "undefined"
        if isinstance(value, dict) and value and set(value) == set(systems):
            ends = [text(end) for end in (min(value.values()), max(value.values()))]
            return ends[0] if ends[0] == ends[1] else f"{ends[0]} {DASH} {ends[1]}"
        return number(value) if isinstance(value, (int, float)) else ""

    order = [*TERMS, *(key for key in parameters if key not in TERMS and key not in SIZES)]
    parts = []
    for key in order:
        if key in parameters and (value := text(parameters[key])):
            origin = parameters.get(f"{key}_from")
            term = TERMS.get(key, key.replace("_", " "))
            parts.append(f"{term} {value} ({origin})" if origin else f"{term} {value}")
    return "; ".join(parts)


def optional_table(files: SetFiles, file: str) -> Any:
    """A table; None where it does not exist or has no rows."""
    frame = files.optional(file)
    return None if frame is None or frame.empty else frame


def further_tables(
    files: SetFiles, gold: dict[str, Mark], order: str, ranked: list[str]
) -> tuple[dict[str, dict], list[str]]:
    """TABLES by file, and the files that this run has not; `ranked` are systems, the best first by
    `order`."""
    tables: dict[str, dict[str, Any]] = {}
    left_out = []
    for file, (title, text) in TABLES.items():
        frame = optional_table(files, file)
        if frame is None and not files.reason(file):
            left_out.append(file)
            continue
        tables[file] = {"title": title, "text": text.format(order=order)}
        if frame is None:
            tables[file]["reason"] = files.reason(file)
            continue
        if file == "controls.csv":
            there = set(frame.null)
            tables[file]["terms"] = {null: text for null, text in NULLS.items() if null in there}
            names = {name: f"null_{name}" for name in ("mean", "low", "high", "quantile")}
            frame = frame[frame.subset == "all"].drop(columns="subset").rename(columns=names)
        if file == "system_comparisons.csv":
            places = {system: place for place, system in enumerate(ranked)}
            frame = frame[frame.system.map(places) < frame.other.map(places)]
            frame = frame.rename(columns={"wins": "win_share", "p": "one_sided_p"})
        tables[file] |= result_table(frame, gold)
    return tables, left_out
