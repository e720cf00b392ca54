"""Case studies of EE and of DA: a few hypotheses, their scores and their texts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..embedding.matching import Matches
from ..evidence.subsets import best_systems
from ..metrics import METRICS
from ..weighting import tokens as token_weighting
from . import cases, chunks, tables
from .inputs import Inputs, read_or_reason
from .tables import Cell

Values = dict[tuple[str, int], dict[str, float]]


def case_study(
    item: str, table: dict[str, Any], inputs: Inputs
) -> tuple[list[Cell], dict[str, str]]:
    """EE's case study: scores, weights and entropies of hypotheses, and their chunks."""
    name, metric, files = table["set"], table["metric"], inputs.sets[table["set"]]
    found, absent = read_or_reason(files, "evalset.json")
    arrays, no_entropy = read_or_reason(files, files.in_folder("entropy")[0])
    difficulty = files.optional("difficulty.json")
    missing = inputs.missing(name)
    reasons = {
        "BERTScore": absent or missing.get((metric, "standard"), ""),
        "EE-BERTScore": absent or missing.get((metric, "EE"), ""),
        "entropy": no_entropy,
    }
    values: Values = {}
    texts: dict[str, str] = {}
    for row in [] if no_entropy else table["rows"]:
        if row["system"] not in found.systems:
            reasons[row["system"]] = f"{row['system']} is not among the ranked systems"
            continue
        place = found.systems.index(row["system"]), row["segment"] - 1
        values[row["system"], row["segment"]] = {"entropy": arrays["entropy"][place]}
        texts[row["label"]] = chunks.mark_chunks(chunks.hypothesis_pieces(found, arrays, *place))
    if values and not reasons["BERTScore"]:
        kind = METRICS[inputs.types[metric]]
        _add_scores(values, found, files, metric, kind, arrays["entropy"], difficulty)
    cells = cases.case_cells(item, table, values, reasons, inputs.substitute(name, metric))
    cells.append(_count_cell(item, table["difficult_segments"], difficulty, no_entropy))
    return cells, texts


def _count_cell(item: str, count: dict[str, Any], difficulty: Any, reason: str) -> Cell:
    """How many segments are difficult for a system."""
    there = difficulty["difficult_hypotheses"] if difficulty else {}
    ours = there.get(count["system"], np.nan)
    label = "difficult segments"
    return tables.make_cell(item, count["label"], label, count["published"], 0, ours, reason)


def _add_scores(
    values: Values,
    found: EvaluationSet,
    files: SetFiles,
    metric: str,
    kind: Any,
    entropy: np.ndarray,
    difficulty: dict[str, Any],
) -> None:
    """Add segment and system scores, and the weights of segments, to a case study's values."""
    scores = kind.segment_scores(files.read(f"statistics/{metric}.npz")["statistics"])
    frame = files.read("system_scores.csv")
    frame = frame[frame.metric == metric].set_index(["system", "weighting"]).score
    h, w = difficulty["h"], difficulty["w"]
    for (system, segment), ours in values.items():
        place = found.systems.index(system)
        difficult = (entropy[place] >= h).sum()
        easy = entropy.shape[1] - difficult
        ours |= {
            "segment": scores[place, segment - 1],
            "standard": frame[system, "standard"],
            "EE": frame.get((system, "EE"), np.nan),
            "standard share": 1 / entropy.shape[1],
            "EE share": (1 - w) / difficult if ours["entropy"] >= h else w / easy,
        }


def token_cases(
    item: str, table: dict[str, Any], inputs: Inputs
) -> tuple[list[Cell], dict[str, str]]:
    """DA's case study: scores of hypotheses, and references with their difficult tokens."""
    name, metric, files = table["set"], table["metric"], inputs.sets[table["set"]]
    found, absent = read_or_reason(files, "evalset.json")
    reason = absent or inputs.missing(name).get((metric, "DA"), "")
    texts: dict[str, str] = {}
    scores: dict[tuple[str, int], tuple[float, float]] = {}
    if not reason:
        best = best_systems(found.gold, table["size"])
        among = [found.systems[system] for system in best]
        plain = files.read(f"statistics/{metric}.npz")["statistics"]
        matches, difficulty, weighted = _weigh(files, inputs, best)
        marked = difficulty >= np.quantile(difficulty, 1 - cases.MARKED_SHARE)
        for row in table["rows"]:
            if row["system"] not in among:
                reason = cases.not_among(row["system"], table["size"])
                continue
            segment, system = row["segment"] - 1, found.systems.index(row["system"])
            case, own = row["label"].rsplit(" ", 1)[0], matches.reference_segment == segment
            texts[f"{case} Ref"] = cases.mark_difficult(
                found.reference[segment].strip(), matches.reference_offsets[own], marked[own]
            )
            texts[row["label"]] = found.hypotheses[system][segment]
            scores[row["system"], row["segment"]] = (
                plain[system, segment, 0],
                weighted[among.index(row["system"]), segment],
            )
    substitute = inputs.substitute(name, metric)
    cells = cases.token_case_cells(item, table, scores, reason, substitute)
    return (cells if absent else cases.with_note(cells, inputs.note(name))), texts


def _weigh(
    files: SetFiles, inputs: Inputs, systems: np.ndarray
) -> tuple[Matches, np.ndarray, np.ndarray]:
    """Matches of the given systems, the difficulty of the reference's tokens among them, and
    DA's segment scores, (systems, segments)."""
    settings = token_weighting.Tokens(**inputs.settings["DA"])
    matches, _ = token_weighting.rescaled_matches(files.read(files.in_folder("matches")[0]))
    matches = token_weighting.select(matches, systems)
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)
    weighted = token_weighting.segment_scores(matches, difficulty, settings)
    return matches, difficulty[0], settings.aggregate(weighted, 1)
