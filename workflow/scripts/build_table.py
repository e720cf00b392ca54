"""Rebuild one table of a paper, each published cell beside ours."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty.aligners import fast_align
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.papers import cases, complexity_tables, layout, tables
from mt_difficulty.statistics.correlation import best_systems
from mt_difficulty.weighting import tokens as token_weighting


class Inputs:
    """A rule's files by set, and what its params say of metrics."""

    def __init__(self, files, params):
        self.files = files
        self.systems = params.systems
        self.types = params.types
        self.left_out = params.left_out
        self.substitutes = params.substitutes
        self.DA = params.DA
        self.printed = params.printed

    def path(self, name, end):
        """The file of a set; `end` may leave out its extension's beginning, as in `entropy/`."""
        return next(file for file in self.files if f"/{name}/{end}" in file)

    def note(self, name, systems):
        """A remark on every number of a set, where its systems are not the paper's."""
        there, expected = len(systems), self.systems[name]
        differ = there != expected
        return f"{there} systems in this archive, {expected} in the paper" * differ

    def missing(self, name):
        """Why scores of a set do not exist, by metric and weighting."""
        reasons = {
            (metric, weighting): reason
            for metric, reason in self.left_out.items()
            for weighting in ("standard", "EE", "DA", "DA-LOO", "EE-DA")
        }
        for row in storage.read_table(self.path(name, "missing.csv")).itertuples():
            reasons[row.metric, row.weighting] = row.reason
        return reasons


def read_or_reason(read, path):
    """What `read` gives and no reason, or None and the reason why it is missing."""
    try:
        return read(path), ""
    except Missing as reason:
        return None, str(reason)


def read_set(inputs, name):
    """What the workflow has for one set; markers become reasons."""
    found = tables.SetResults(substitutes=inputs.substitutes.get(name, {}))
    try:
        systems = evalset.load(inputs.path(name, "evalset.json")).systems
    except Missing as reason:
        found.absent = str(reason)
        return found
    found.missing = inputs.missing(name)
    found.correlations = storage.read_table(inputs.path(name, "correlations.csv"))
    found.spread = storage.read_table(inputs.path(name, "correlation_spread.csv"))
    found.significance = storage.read_table(inputs.path(name, "significance.csv"))
    found.note = inputs.note(name, systems)
    return found


def correlations(item, table, inputs):
    names = sorted({column["set"] for column in table["columns"]})
    results = {name: read_set(inputs, name) for name in names}
    return tables.correlation_cells(item, table, results), {}


def examples(item, table, inputs):
    return tables.example_cells(item, table), {}


def parameters(item, table, inputs):
    found = {
        column["set"]: read_or_reason(
            storage.read_json, inputs.path(column["set"], "difficulty.json")
        )
        for column in table["columns"]
    }
    return tables.parameter_cells(item, table, found), {}


def ablation(item, table, inputs):
    rows, reason = read_or_reason(storage.read_table, inputs.files[0])
    rows = pd.DataFrame() if rows is None else rows
    missing = {metric: why for (metric, _), why in inputs.missing(table["set"]).items()}
    substitutes = inputs.substitutes.get(table["set"], {})
    return tables.ablation_cells(item, table, rows, missing, substitutes, reason), {}


def ranking(item, table, inputs):
    name = table["set"]
    found, absent = read_or_reason(evalset.load, inputs.path(name, "evalset.json"))
    frame = storage.read_table(inputs.path(name, "top_scores.csv"))
    frame = frame[frame["size"] == table["size"]]
    scores = {
        key: dict(zip(rows.system, rows.score, strict=True))
        for key, rows in frame.groupby(["metric", "weighting"])
    }
    best = [] if absent else best_systems(found.gold, table["size"])
    gold = {found.systems[system]: found.gold[system] for system in best}
    reasons = inputs.missing(name)
    for column in table["columns"]:
        column["higher_is_better"] = METRICS[inputs.types[column["metric"]]].higher_is_better
        if absent:
            reasons[column["metric"], column["weighting"]] = absent
    substitutes = inputs.substitutes.get(name, {})
    reasons["gold"] = absent
    cells = cases.ranking_cells(item, table, scores, gold, reasons, substitutes)
    return noted(cells, inputs, name, found), {}


def noted(cells, inputs, name, found):
    """Cells that say where the archive's systems are not the paper's."""
    note = inputs.note(name, found.systems) if found else ""
    return [cell if cell.reason else cell._replace(reason=note) for cell in cells]


def case_study(item, table, inputs):
    name, metric = table["set"], table["metric"]
    found, absent = read_or_reason(evalset.load, inputs.path(name, "evalset.json"))
    arrays, no_entropy = read_or_reason(storage.read_arrays, inputs.path(name, "entropy/"))
    missing, values, texts = inputs.missing(name), {}, {}
    reasons = {
        "BERTScore": absent or missing.get((metric, "standard"), ""),
        "EE-BERTScore": absent or missing.get((metric, "EE"), ""),
        "entropy": no_entropy,
    }
    places = {system: s for s, system in enumerate([] if no_entropy else found.systems)}
    for row in table["rows"]:
        system, segment = row["system"], row["segment"] - 1
        if system in places:
            place = (places[system], segment)
            values[system, row["segment"]] = {"entropy": arrays["entropy"][place]}
            chunks = cases.chunks_of(arrays["links"], arrays["lengths"], *place)
            tokens = fast_align.tokens(found.hypotheses[place[0]][segment])
            texts[row["label"]] = cases.mark_chunks(tokens, chunks)
        elif not no_entropy:
            reasons[system] = f"{system} is not among the ranked systems"
    count = table["difficult_segments"]
    difficulty, _ = read_or_reason(storage.read_json, inputs.path(name, "difficulty.json"))
    if values and not reasons["BERTScore"]:
        add_scores(values, inputs, name, metric, places, arrays["entropy"], difficulty)
    substitute = inputs.substitutes.get(name, {}).get(metric, "")
    cells = cases.case_cells(item, table, values, reasons, substitute)
    ours = difficulty["difficult_hypotheses"].get(count["system"], np.nan) if difficulty else np.nan
    label, why = "difficult segments", reasons["entropy"]
    cells.append(tables.make_cell(item, count["label"], label, count["published"], 0, ours, why))
    return cells, texts


def add_scores(values, inputs, name, metric, places, entropy, difficulty):
    """Add segment and system scores, and the weights of segments, to a case study's values."""
    statistics = storage.read_arrays(inputs.path(name, f"statistics/{metric}.npz"))["statistics"]
    scores = METRICS[inputs.types[metric]].segment_scores(statistics)
    frame = storage.read_table(inputs.path(name, "system_scores.csv"))
    frame = frame[frame.metric == metric].set_index(["system", "weighting"]).score
    h, w = difficulty["h"], difficulty["w"]
    for (system, segment), ours in values.items():
        place = places[system]
        hard = (entropy[place] >= h).sum()
        share = (1 - w) / hard if ours["entropy"] >= h else w / (entropy.shape[1] - hard)
        ours |= {
            "segment": scores[place, segment - 1],
            "standard": frame[system, "standard"],
            "EE": frame.get((system, "EE"), np.nan),
            "standard share": 1 / entropy.shape[1],
            "EE share": share,
        }


def token_cases(item, table, inputs):
    name, metric, texts, scores = table["set"], table["metric"], {}, {}
    found, reason = read_or_reason(evalset.load, inputs.path(name, "evalset.json"))
    reason = reason or inputs.missing(name).get((metric, "DA"), "")
    if not reason:
        best = best_systems(found.gold, table["size"])
        plain = storage.read_arrays(inputs.path(name, f"statistics/{metric}.npz"))["statistics"]
        arrays = storage.read_arrays(inputs.path(name, "matches/"))
        matches, _ = token_weighting.rescaled_matches(arrays)
        matches, settings = (
            token_weighting.select(matches, best),
            token_weighting.Tokens(**inputs.DA),
        )
        difficulty = token_weighting.token_difficulty(matches.reference_similarity)
        weighted = token_weighting.segment_scores(matches, difficulty, settings)
        hard = difficulty[0] >= np.quantile(difficulty[0], 1 - cases.MARKED_SHARE)
        for row in table["rows"]:
            if row["system"] not in [found.systems[system] for system in best]:
                reason = cases.not_among(row["system"], table["size"])
                continue
            segment, system = row["segment"] - 1, found.systems.index(row["system"])
            case = row["label"].rsplit(" ", 1)[0]
            own = matches.reference_segment == segment
            texts[f"{case} Ref"] = cases.mark_difficult(
                found.reference[segment].strip(), matches.reference_offsets[own], hard[own]
            )
            texts[row["label"]] = found.hypotheses[system][segment]
            place = list(best).index(system), segment
            scores[row["system"], row["segment"]] = (
                plain[system, segment, 0],
                settings.aggregate(weighted[place], 1),
            )
    substitute = inputs.substitutes.get(name, {}).get(metric, "")
    cells = cases.token_case_cells(item, table, scores, reason, substitute)
    return noted(cells, inputs, name, found), texts


def from_printed(make_cells):
    """A kind of table that is computed from what the paper prints."""
    return lambda item, table, inputs: (make_cells(item, table, inputs.printed), {})


KINDS = {
    "ablation": ablation,
    "case_study": case_study,
    "correlations": correlations,
    "examples": examples,
    "parameters": parameters,
    "ranking": ranking,
    "token_cases": token_cases,
    **{kind: from_printed(make) for kind, make in complexity_tables.KINDS.items()},
}


def main(snakemake):
    item, table = snakemake.wildcards.table, snakemake.params.table
    cells, texts = KINDS[table["kind"]](
        item, table, Inputs(snakemake.input.files, snakemake.params)
    )
    frame, notes = layout.layout(cells, texts), layout.notes(cells)
    caption = table["caption"]
    storage.write_table(snakemake.output.cells, pd.DataFrame(cells))
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, layout.to_markdown(frame, caption, notes))
    storage.write_text(snakemake.output.tex, layout.to_latex(frame, caption, item, notes))


if "snakemake" in globals():
    run(main, snakemake)
