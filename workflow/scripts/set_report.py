"""What the page says of one evaluation set, read from its files."""

import hashlib
import re
from pathlib import Path
from urllib.parse import quote

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.set_scores import best_first
from mt_difficulty.page import report_charts, report_tables
from segment_files import read_segments

# What further tables of results a set may have: title, and how to read it.
TABLES = {
    "significance.csv": (
        "How sure each correlation is",
        "Each correlation beside the 95 % intervals of bootstrap resamples: of segments, of "
        "systems, of both. A gain is a weighting's correlation less the standard one's; a small p "
        "says that chance alone seldom gives so large a difference. Where an interval is wide, "
        "another test set could well have told another story.",
    ),
    "controls.csv": (
        "Controls: is it difficulty that helps?",
        "If a gain came from weighting some segments more, whichever they are, then shuffled "
        "difficulty would bring it too. Each correlation stands beside what random difficulties "
        "(shuffled for each system, or permuted alike for all), inverted difficulty and a metric "
        "that knows nothing give. A share near 1 means better than random weights, not better than "
        "the plain metric: compare with its value. Inverting swaps EE's w and 1 − w; a small "
        "difficult group then still has more than its share.",
    ),
    "held_out.csv": (
        "Parameters chosen on other sets",
        "h and w that are tuned on a set flatter it. Here they come from elsewhere: from the "
        "equations, or from the other sets (held out). The optimum is an upper bound that nobody "
        "could have known beforehand.",
    ),
    "complexity.csv": (
        "Complexity of the source",
        "Readability measures of the source texts, as Babych et al. (2004) used them: how hard a "
        "text is to translate before any system has tried.",
    ),
    "system_intervals.csv": (
        "Scores of the systems",
        "Every system's score with the 95 % interval of a bootstrap over segments, on the scale of "
        "its metric. Systems whose intervals overlap widely are hard to tell apart.",
    ),
}


# What there is only with human scores.
OF_GOLD = ("significance.csv", "controls.csv", "held_out.csv", "surface.npz", "top_k", "surface")


class SetFiles:
    """Those of a rule's input files that belong to one set."""

    def __init__(self, folder, name, files):
        self.folder, self.name, self.files = Path(folder) / name, name, set(map(str, files))

    def path(self, file):
        """A file of the set; None where this run has none."""
        path = str(self.folder / file)
        return path if path in self.files else None

    def table(self, file):
        """A csv file; None where this run has none, or nothing is in it."""
        path = self.path(file)
        if path is None:
            return None
        frame = storage.read_table(path)
        return frame if len(frame) else None


def describe(files, settings, captions, shared):
    """All that the page says of a set.

    Parameters
    ----------
    files : SetFiles
    settings : dict
        The rule's params of the set.
    captions : dict of str to str
        Of the set's plots.
    shared : dict of str to DataFrame
        Tables of all sets, with a column `set`.
    """
    page = {"name": files.name}
    try:
        found = evalset.load(files.path("evalset.json"))
    except Missing as reason:
        return page | {"absent": str(reason)}
    page |= {"evalset": about(found, files), "difficulty": difficulty(files)}
    page |= {"scores": signatures(files), "encoders": encoders(files, settings["encoders"])}
    page["order"], order = best_first(
        found, storage.read_table(files.path("system_scores.csv")), settings["types"]
    )
    correlations = read_or_none(files, "correlations.csv")
    if correlations is not None:
        significance = read_or_none(files, "significance.csv")
        page["correlations"] = report_tables.correlation_table(correlations, significance)
        page["curves"] = report_charts.curves(correlations)
    page["tables"], page["left_out"] = further_tables(files, shared)
    page["surface"] = surface(files, shared.get("held_out.csv"))
    page["comparisons"] = compare(files, found, order)
    for file, there in (("surface.npz", "surface"), ("system_comparisons.csv", "comparisons")):
        page["left_out"] += [file] * (page[there] is None)
    page["segments"] = read_segments(found, files, settings, order)
    page["figures"] = [
        {"title": plot.replace("_", " "), "caption": caption, "image": image(path)}
        for plot, caption in captions.items()
        if (path := files.path(f"figures/{plot}.svg"))
    ]
    return page if found.gold else without_gold(page)


def without_gold(page):
    """The page of a set without human scores, which says once what is left out."""
    tables = {file: table for file, table in page["tables"].items() if file not in OF_GOLD}
    left_out = [file for file in page["left_out"] if file not in OF_GOLD]
    titles = {plot.replace("_", " ") for plot in OF_GOLD}
    figures = [figure for figure in page["figures"] if figure["title"] not in titles]
    changes = {"tables": tables, "left_out": left_out, "figures": figures, "surface": None}
    return page | changes | {"no_gold": evalset.NO_GOLD}


def about(found, files):
    """A set's size, texts and checksum."""
    return {
        "systems": len(found.systems),
        "segments": len(found.reference),
        "documents": len(set(found.documents)),
        "reference": found.reference_name,
        "gold": found.gold_name,
        "left_out": found.left_out,
        "texts_missing": found.texts_missing,
        "notices": evalset.notices(found),
        "pair": found.pair,
        "sha256": hashlib.sha256(Path(files.path("evalset.json")).read_bytes()).hexdigest(),
    }


def difficulty(files):
    """EE's parameters, or why there are none."""
    try:
        found = storage.read_json(files.path("difficulty.json"))
    except Missing as reason:
        return {"reason": str(reason)}
    keys = ("h", "w", "h_from", "w_from", "notices")
    return {key: found[key] for key in keys}


def signatures(files):
    """Metrics with the settings that made them, and what is missing, in the files' order."""
    scores = storage.read_table(files.path("system_scores.csv"))
    scores = scores.drop_duplicates(["metric", "weighting", "signature"])
    missing = storage.read_table(files.path("missing.csv"))
    return {
        "there": scores[["metric", "weighting", "signature"]].values.tolist(),
        "missing": missing[["metric", "weighting", "reason"]].values.tolist(),
    }


def encoders(files, names):
    """Of each encoder its layer, precision and checksums; those made on the spot have none."""
    found = []
    for name in names:
        try:
            settings = storage.read_json(files.path(f"encoders/{name}.json"))
        except Missing:
            continue  # what it would have scored says why
        keys = ("name", "model", "hub", "revision", "layer", "dtype", "files")
        found.append({key: settings.get(key) for key in keys})
    return found


def read_or_none(files, file):
    try:
        return files.table(file)
    except Missing:
        return None


def further_tables(files, shared):
    """Tables of results by file, and the files that this run has not."""
    tables, left_out = {}, []
    for file, (title, text) in TABLES.items():
        try:
            frame = shared[file] if file in shared else files.table(file)
        except Missing as reason:
            tables[file] = {"title": title, "text": text, "reason": str(reason)}
            continue
        if frame is not None and "set" in frame:
            frame = frame[frame["set"] == files.name].drop(columns="set")
        if frame is None or frame.empty:
            left_out.append(file)
        else:
            tables[file] = {"title": title, "text": text, **report_tables.result_table(frame)}
    return tables, left_out


def surface(files, held_out):
    """EE's correlations over h and w, a reason, or None where this run has none."""
    path = files.path("surface.npz")
    if path is None or held_out is None:
        return None
    try:
        own = held_out[held_out["set"] == files.name]
        return report_charts.surface(storage.read_arrays(path), own)
    except Missing as reason:
        return {"reason": str(reason)}


def compare(files, found, order):
    """Paired bootstrap wins of the systems, in the given order."""
    frame = read_or_none(files, "system_comparisons.csv")
    if frame is None:
        return None
    names = [found.systems[system] for system in order]
    return {"systems": names, "metrics": report_charts.comparisons(frame, names)}


def image(path):
    """A figure as a data URI: inlined, the names in matplotlib's svg files would collide."""
    text = Path(path).read_text(encoding="utf-8")
    text = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", text))
    return f"data:image/svg+xml,{quote(text, safe=' /:=;,.-+()@!*$?[]^|~')}"
