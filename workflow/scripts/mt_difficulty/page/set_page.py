"""The page of an evaluation set, and the set's summary for the index."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from ..data import evalset
from ..data.evalset import EvaluationSet, SetFiles, language_notices
from ..evidence.levels import leaves_one_out, level_note, permuted
from ..evidence.nulls import NULLS
from ..evidence.subsets import best_first
from ..evidence.units import resampled_text
from ..metrics import METRICS
from ..scores import describe_counted
from ..settings import ScoreSettings
from ..statistics import of_scores
from ..weighting import fitted
from . import capitalised, finding, image, tables, times, token_weights
from .human_evaluation import section as human_section
from .segments import describe_segments, explain
from .tables import Content, Mark, agreement_table, correlation_table, mark_gold, score_table

# Further tables of results of a set with human scores: title, and how to read the table.
OF_GOLD = {
    "significance.csv": (
        "How sure each correlation is",
        "95 % intervals over segments (which are resampled by document where `unit` says so), over "
        "systems, over both, and over the segments of metric and human scores; where few systems "
        "make an interval too narrow, there is none. A gain is "
        "a weighting’s correlation minus the standard one’s. Detectable is the gain that the "
        "permutation test (PERM-BOTH) finds with 80 % power at p ≤ 0.05.",
    ),
    "controls.csv": (
        "Controls: is it difficulty that helps?",
        "Correlations over all systems, and those of random difficulties (nulls), which keep all "
        "else. `above null`: share of a null’s draws below the value; 0.5 means no better than the "
        "null. `beats unweighted`: share of the draws above the unweighted metric.",
    ),
    "difficulty_and_gold.csv": (
        "Do people rank systems on difficult segments as elsewhere?",
        "r between the systems’ mean human scores on the hardest 10 % of the segments with human "
        "scores, by mean difficulty, and on the rest; and the same for random subsets, for which "
        "the hardest segments’ places are permuted, by document where ten or more are known.",
    ),
}
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
    """Describe a set for its page and for the index.

    Parameters
    ----------
    files : SetFiles
        Results of the set.
    settings : ScoreSettings
        Metrics, difficulties and weightings that the page shows.
    statistics : sequence of str
        Names of the run's statistics.
    captions : dict of str to str
        Captions of the set's plots, by name of the plot.

    Returns
    -------
    page : dict
        Variables of the page's template, as JSON types.
    summary : dict
        The set's summary for the index, as JSON types.

    Raises
    ------
    Missing
        The archive has no such set.
    """
    texts = files.read("evalset.json")
    described = _described(files, settings)
    labels = fitted.labels(described["weightings"])
    gold = {
        label.name: Mark(label.uses_gold, label.tuned)
        for label in labels
        if label.uses_gold or label.tuned
    }
    page: Content = {
        "name": files.name,
        "index": "../" * len(Path(files.name).parts) + "report.html",
        "evalset": _describe_evalset(texts, settings, described),
        **describe_weightings(described, labels, texts.systems, has_gold=bool(texts.gold)),
        "weightings": [{"name": label.name, "uses_gold": label.uses_gold} for label in labels],
        "has_tuned": any(label.tuned for label in labels),
        "has_gold": bool(texts.gold),
        "changes": finding.read(files, gold),
        "ranks": files.optional("metric_ranks.txt"),
        "tables": {},
    }
    changes = [{"set": files.name, **row} for row in page["changes"]]
    page["finding"] = finding.describe(changes, of_set=True)
    scores = files.read("system_scores.csv")
    page["signatures"] = _signatures(scores, files.read("missing.csv"), gold)
    page["order"], order = best_first(texts, scores, settings.types)
    ranked_systems = [texts.systems[system] for system in order]
    intervals = files.optional("system_intervals.csv")
    shown_scores = scores if intervals is None else intervals
    page["scores"] = score_table(shown_scores, ranked_systems, gold)
    if texts.gold and len(page["scores"]["columns"]) > 1:
        _insert_human_scores(page["scores"], texts)
    page["resampled"] = _resampled(shown_scores)
    page["score_plots"] = []
    if not texts.gold:
        page["score_plots"] = finding.score_plots(shown_scores, ranked_systems)
    page["names"] = _explain_names(described, labels, settings)
    if (controls := files.optional("controls.csv")) is not None:
        _add_level_notes(page["names"], controls, described)
    page["segments"] = describe_segments(texts, files, settings, described, order)
    human_evaluation = files.optional("human_evaluation.json")
    page["human_evaluation"] = None
    if human_evaluation is not None:
        page["human_evaluation"] = human_section(human_evaluation)
    if texts.gold:
        page["tables"] = _tables_of_gold(files, gold)
        page |= _correlations(files, statistics, gold)
    else:  # say once what is left out
        page["no_gold"] = evalset.NO_GOLD
    images = _images(files, captions)
    page["top_k"] = images.pop("top_k", {})
    surface_image = images.pop("surface", {})
    page["figures"] = list(images.values())
    if texts.gold:
        page |= _surface(files, surface_image, gold)
    page |= sentences(page)

    summary = {key: page[key] for key in ("evalset", "weightings", "changes", "names", "resampled")}
    summary["token_weights"] = token_weights.of_set(files)
    summary["scores"] = None if texts.gold else page["scores"]
    summary["explained"] = explain(texts, files, list(settings.difficulties))
    summary["segments_shown"] = "reason" not in page["segments"]
    return page, summary


def sentences(page: Content) -> dict[str, str]:
    """Make the sentences of a set's page.

    Parameters
    ----------
    page : dict
        The other variables of the page's template. Of a page of scored texts also `comparisons`,
        whether they were `tested`, and how many systems the best one beats (`worse`).

    Returns
    -------
    dict
        `lead`, what was found; `about`, the set's size, reference and human scores;
        `about_correlations` and `about_scores`, how to read these tables.
    """
    if page["has_gold"]:
        lead = page["finding"]["lead"]
    else:
        lead = _best_system(page)
        if page["no_gold"]:
            lead += f" {capitalised(page['no_gold'])}."
    evalset_sentences = [_size(page["evalset"])]
    if page["evalset"]["texts_missing"]:
        reason = capitalised(page["evalset"]["texts_missing"])
        evalset_sentences.append(f"{reason}: metrics that need texts cannot be computed.")
    return {
        "lead": lead.strip(),
        "about": " ".join(evalset_sentences),
        "about_correlations": _about_correlations(page),
        "about_scores": _about_scores(page),
    }


def _about_correlations(page: Content) -> str:
    """Return what is in the brackets of the table of correlations."""
    text = "In brackets the 95 % interval over segments and systems, where there is one."
    if page["resampled"]:
        text += f" Intervals and p of gains resample {page['resampled']}."
    return text


def _size(described: Content) -> str:
    """Return a set's numbers of systems, segments and documents, its reference and its human
    scores as a sentence."""
    text = f"{described['systems']} systems"
    if described["segments"]:
        text += f" and {described['segments']} segments"
        if described["documents"] > 1:
            text += f" of {described['documents']} documents"
        reference = described["reference"]
        text += f", reference {reference}" if reference else ", no reference"
    if described["gold"]:
        text += f"; human scores {described['gold']}"
    if described["counted"]:
        text += f"; {described['counted']}"
    return f"{text}."


def _best_system(page: Content) -> str:
    """Return the best system of a set without human scores, its score, and how many others it
    beats significantly; "" without scores."""
    first_row = page["scores"]["rows"][0]
    if len(first_row) < 2:
        return ""
    best, score, *_ = first_row
    systems = times(page["evalset"]["systems"], "system")
    text = f"{best} scores best of {systems} by {page['order']}: {score}"
    others = page["evalset"]["systems"] - 1
    if not page.get("comparisons"):
        return f"{text}."
    worse = page["worse"]
    if not page["tested"]:
        text += "; whether another is worse was not tested"
    elif worse == others:
        text += f"; significantly better than {'the other' if worse == 1 else 'all others'}"
    elif worse:
        text += f"; significantly better than {worse} of {others} others"
    else:
        text += "; no other is shown to be worse"
    return f"{text}."


def _resampled(intervals: pd.DataFrame) -> str:
    """Return what the intervals of a table resample as text, such as "120 documents"; "" if it has
    none."""
    if "unit" not in intervals or intervals.empty:
        return ""
    first = intervals.iloc[0]
    return resampled_text(first.units, first.unit)


def _about_scores(page: Content) -> str:
    """Return the order of the table of system scores, and what is in its brackets."""
    order = "human scores" if page["has_gold"] else page["order"]
    text = f"The best first, by {order}"
    has_intervals = any("[" in text for text in page["scores"]["rows"][0][1:])
    if has_intervals:
        text += f"; in brackets the 95 % interval of a bootstrap over {page['resampled']}"
        if page["index"]:
            text += ". system_comparisons.csv compares every two systems"
    return f"{text}."


def _insert_human_scores(table: Content, texts: EvaluationSet) -> None:
    """Insert the human scores of the systems as the second column of a table of system scores."""
    score_by_system = dict(zip(texts.systems, texts.gold, strict=True))
    table["columns"].insert(1, {"heading": f"human ({texts.gold_label})", "text": False})
    for row in table["rows"]:
        row.insert(1, tables.number(score_by_system[row[0]]))


def _described(files: SetFiles, settings: ScoreSettings) -> dict[str, Content]:
    """Return the entries of `weightings.json` that the settings name, in their order, without those
    of tokens if no metric matches tokens."""
    described = files.read("weightings.json")
    named = {
        kind: {name: entries[name] for name in getattr(settings, kind)}
        for kind, entries in described.items()
    }
    return runnable(named, settings)


def _describe_evalset(
    texts: EvaluationSet, settings: ScoreSettings, described: dict[str, Content]
) -> Content:
    """Return the set's size and names for its page. Its notices are those of the texts, of metrics
    and of token weightings, such as an encoder without a baseline."""
    of_tokens = [
        notice
        for entry in described["weightings"].values()
        if entry["unit"] == "token"
        for notice in entry["notices"]
    ]
    return {
        "systems": len(texts.systems),
        "segments": len(texts.reference),
        "counted": describe_counted(texts),
        "outliers": texts.outliers,
        "documents": len(set(texts.documents)),
        "reference": texts.reference_name,
        "gold": texts.gold_label,
        "left_out": left_out_by_reason(texts.left_out),
        "texts_missing": texts.texts_missing,
        "notices": [
            *texts.notices,
            *language_notices(texts, settings.metrics),
            *dict.fromkeys(of_tokens),
        ],
    }


def left_out_by_reason(left_out: Mapping[str, str]) -> list[list[Any]]:
    """Return [reason, names of systems] for each reason why systems were left out, in alphabetical
    order."""
    by_reason: dict[str, list[str]] = {}
    for system in sorted(left_out, key=str.lower):
        by_reason.setdefault(left_out[system], []).append(system)
    return [[reason, by_reason[reason]] for reason in sorted(by_reason, key=str.lower)]


def _signatures(scores: pd.DataFrame, missing: pd.DataFrame, gold: dict[str, Mark]) -> Content:
    """Return a table with the signature of each score, or the reason why there is none."""
    columns = ["metric", "weighting", "difficulty", "signature"]
    reasons = "not computed: " + missing.reason.astype(str)
    rows = []
    for table in (scores, missing.assign(signature=reasons)):
        distinct = mark_gold(table, gold)[columns].drop_duplicates()
        rows += distinct.fillna("").to_numpy().tolist()
    return tables.text_table(columns, rows)


def _explain_names(
    described: Content, labels: list[fitted.WeightingLabel], settings: ScoreSettings
) -> dict[str, str]:
    """Return explanations of the names of weightings and of metrics."""
    names = {}
    for label in labels[1:]:  # the first is the unweighted metric
        difficulty = described["difficulties"].get(label.difficulty, {})
        names[label.name] = label.description
        if difficulty.get("description"):
            names[label.name] += f" Difficulty: {difficulty['description']}"
    for name, kind in settings.types.items():
        sentences = re.split(r"[;.]\s", inspect.getdoc(METRICS[kind]) or "")
        encoder = Path(settings.matches.get(name, "")).stem
        names[name] = f"{sentences[0]} (encoder: {encoder})." if encoder else f"{sentences[0]}."
    return names


def _add_level_notes(names: dict[str, str], controls: pd.DataFrame, described: Content) -> None:
    """Add to the explanations of leave-one-out weightings what the level of difficulty does."""
    of_all = permuted(controls[controls.subset == "all"])
    for name in described["weightings"]:
        if name in names and leaves_one_out(described, name):
            rows = of_all[of_all.weighting == name]
            note = level_note(rows, rows.metric)
            names[name] = f"{names[name]} {note}".strip()


def _rows_or_none(files: SetFiles, file: str) -> pd.DataFrame | None:
    """Return the table in a CSV file; None if it does not exist or has no rows."""
    frame = files.optional(file)
    return None if frame is None or frame.empty else frame


def _tables_of_gold(files: SetFiles, gold: dict[str, Mark]) -> dict[str, Content]:
    """Return the further tables of a set with human scores, or the reasons for missing ones."""
    content: dict[str, Content] = {}
    for file, (title, text) in OF_GOLD.items():
        about = {"title": title, "text": text}
        frame = _rows_or_none(files, file)
        if frame is None:
            if reason := files.reason(file):
                content[file] = about | {"reason": reason}
            continue
        terms = {}
        if file == "controls.csv":
            terms = {null: text for null, text in NULLS.items() if null in set(frame.null)}
            columns = {name: f"null_{name}" for name in ("mean", "low", "high", "quantile")}
            frame = frame[frame.subset == "all"].drop(columns="subset").rename(columns=columns)
        content[file] = about | tables.result_table(frame, gold) | {"terms": terms}
    return content


def _correlations(files: SetFiles, statistics: Sequence[str], gold: dict[str, Mark]) -> Content:
    """Return the tables of correlations and of the statistics of the metrics task."""
    content: Content = {}
    correlations = _rows_or_none(files, "correlations.csv")
    if correlations is not None:
        significance = _rows_or_none(files, "significance.csv")
        content["correlations"] = correlation_table(
            correlations, significance, of_scores(statistics), gold
        )
        subsets = correlations[correlations.subset != "all"]
        content["subsets"] = tables.result_table(subsets, gold)
    agreement = _rows_or_none(files, "agreement.csv")
    content["agreement"] = None if agreement is None else agreement_table(agreement, gold)
    return content


def _images(files: SetFiles, captions: dict[str, str]) -> dict[str, Content]:
    """Return the captions and data URIs of the plots that exist, by name of the plot."""
    images = {}
    for plot, caption in captions.items():
        svg = files.optional(f"figures/{plot}.svg")
        if svg:
            images[plot] = {"caption": caption, "image": image(svg)}
    return images


def _surface(files: SetFiles, plot: Content, gold: dict[str, Mark]) -> Content:
    """Return the section on thresholds and easy weights, if the set has one."""
    if reason := files.reason("surface.npz"):
        return {"surface": {"reason": reason}}
    if "surface.npz" not in files:
        return {}
    points = tables.result_table(files.read("parameters.csv"), gold)
    return {"surface": plot | {"points": points}}


def runnable(described: Content, settings: ScoreSettings) -> Content:
    """Return `described` without token difficulties and weightings if no metric matches tokens."""
    if settings.matches:
        return described
    return {
        kind: {name: entry for name, entry in entries.items() if entry["unit"] != "token"}
        for kind, entries in described.items()
    }


def describe_weightings(
    described: Content, labels: list[fitted.WeightingLabel], systems: list[str], *, has_gold: bool
) -> dict[str, Content]:
    """Make the tables of a set's difficulties and weightings.

    Parameters
    ----------
    described : dict
        The content of `weightings.json`.
    labels : list of WeightingLabel
        Labels of its weightings (`fitted.labels`).
    systems : list of str
        Names of the set's systems.
    has_gold : bool
        Whether the set has human scores. Without them no difficulty uses them, and there are no K
        best systems.

    Returns
    -------
    dict
        `difficulty_table` and `weighting_table`, which also say why a row was not computed.
    """
    return {
        "difficulty_table": _difficulty_table(described["difficulties"], has_gold=has_gold),
        "weighting_table": _weighting_table(described["weightings"], labels, systems),
    }


def _difficulty_table(difficulties: Content, *, has_gold: bool) -> Content:
    headings = ["difficulty", "type", "unit"]
    if has_gold:
        headings += ["computed again for the K best systems", "uses human scores"]
    headings.append("description")
    rows = []
    for name, entry in difficulties.items():
        description = entry["description"]
        if entry["missing"]:
            description += f" Not computed: {entry['missing']}"
        row = [tables.marked(name, entry["uses_gold"]), entry["type"], entry["unit"]]
        if has_gold:
            row.append("yes" if entry["depends_on_systems"] else "no")
            row.append("yes" if entry["uses_gold"] else "no")
        rows.append([*row, description])
    return tables.text_table(headings, rows)


def _weighting_table(
    weightings: Content, labels: list[fitted.WeightingLabel], systems: list[str]
) -> Content:
    rows = []
    for label in labels:
        entry = weightings.get(label.name, {})
        parameters = in_words(entry.get("parameters", {}), systems)
        notices = " ".join(entry.get("notices", []))
        parameters = ". ".join(filter(None, (parameters, notices)))
        missing = entry.get("missing", "")
        if missing and missing != notices:
            parameters += f" Not computed: {missing}"
        rows.append(
            [
                tables.marked(label.name, label.uses_gold, label.tuned),
                tables.marked(label.difficulty, label.uses_gold),
                entry.get("type", ""),
                entry.get("unit", ""),
                parameters,
                label.description,
            ]
        )
    headings = ["weighting", "difficulty", "type", "unit", "fitted parameters", "description"]
    return tables.text_table(headings, rows)


def in_words(parameters: Content, systems: list[str]) -> str:
    """Format fitted parameters (from `weightings.json`; None is undefined) as text with their
    origin. A parameter with a value for each system becomes a range from least to largest."""
    others = [key for key in parameters if key not in TERMS and key not in SIZES]
    phrases = []
    for key in (*TERMS, *others):
        if key not in parameters:
            continue
        value = _value_in_words(parameters[key], systems)
        if not value:
            continue
        phrase = f"{TERMS.get(key, key.replace('_', ' '))} {value}"
        origin = parameters.get(f"{key}_from")
        if origin:
            phrase += f" ({origin})"
        phrases.append(phrase)
    return "; ".join(phrases)


def _value_in_words(value: Any, systems: list[str]) -> str:
    """Format the value of a parameter; "" for a value that is no number."""
    if isinstance(value, dict) and value and set(value) == set(systems):
        least = _value_in_words(min(value.values()), systems)
        largest = _value_in_words(max(value.values()), systems)
        return least if least == largest else f"{least} {tables.DASH} {largest}"
    if value is None:
        return "undefined"
    return tables.number(value) if isinstance(value, (int, float)) else ""
