"""The kinds of figures of papers: each draws from the results of the sets that it names."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..embedding.matches import select
from ..errors import Missing
from ..evidence import labels
from ..evidence.subsets import best_systems
from ..metrics import METRICS
from ..papers import case_studies
from ..papers.inputs import Inputs, token_difficulty
from ..weighting import make_weighting
from ..weighting.groups import Groups, mean_difficulty, usable
from . import complexity_figures, plots, rule_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..embedding.matches import Matches

SCORE_LABELS = {"human": "human score", "bleu": "BLEU", "wnmR": "WNM recall"}
PANELS = ("segment_difficulties",)  # a set each
SIZES = {
    "chunks": (7.5, 3.6),
    "rule_graph": (9, 7),
    "segment_difficulties": (3.6, 2.8),
    "token_heat_map": (7, 3),
}


def panels(figure: dict[str, Any]) -> tuple[int, tuple[float, float]]:
    """How many panels a side a figure has, and the size of each in inches."""
    side = math.ceil(math.sqrt(len(figure["sets"]))) if figure["kind"] in PANELS else 1
    return side, SIZES.get(figure["kind"], (4.6, 3.2))


def needs_any_script(figure: dict[str, Any], inputs: Inputs) -> bool:
    """Whether a figure holds texts of scripts that matplotlib's fonts may not have."""
    if figure["kind"] == "chunks":
        found = inputs.sets[figure["set"]].optional("evalset.json")
        return found is not None and case_studies.units(found) == "characters"
    return figure["kind"] == "token_heat_map"


def draw(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> tuple[float, str]:
    """Draw a figure of a paper on its panels.

    Parameters
    ----------
    axes : sequence of Axes
        As many as `panels` says.
    figure : dict
        Its entry in the paper's file; `kind` is one of KINDS.
    inputs : Inputs

    Returns
    -------
    value : float
        The number that the paper prints in such a figure; NaN where there is none.
    reason : str
        Why nothing could be drawn, or no number be computed; it stands above the figure.
    """
    value = None
    try:
        value = KINDS[figure["kind"]](axes, figure, inputs)
    except Missing as missing:
        reason = str(missing)
        axes[0].set_title("\n".join(textwrap.wrap(f"not computable: {reason}", 90)), fontsize=6)
        return np.nan, reason
    return np.nan if value is None else value, ""


def difficulty_scores(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> float:
    name, metric, difficulty = figure["set"], figure["metric"], figure["difficulty"]
    if metric in inputs.left_out:
        raise Missing(inputs.left_out[metric])
    label = plots.axis_label(difficulty, inputs.difficulty(name, difficulty))
    values = inputs.sets[name].read(f"difficulty/{difficulty}.npz")["difficulty"]
    statistics = inputs.sets[name].read(f"statistics/{metric}.npz")["statistics"]
    scores = scores_of_segments(metric, inputs.types[metric], statistics, values)
    r = plots.draw_difficulty_scores(axes[0], values, scores, metric, label, figure.get("width"))
    if np.isnan(r):
        raise Missing("the difficulties are about the same, or the mean scores")
    return abs(r)


def scores_of_segments(
    metric: str, kind: str, statistics: np.ndarray, difficulty: np.ndarray
) -> np.ndarray:
    """A metric's score of every segment, (systems, segments). Raises `Missing` where only scores of
    systems are stored."""
    if statistics.shape[1] != difficulty.shape[1]:
        raise Missing(f"{metric} has no segment scores")
    return METRICS[kind].segment_scores(statistics)


def top_k(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    name, metrics = figure["set"], figure["metrics"]
    frame = inputs.sets[name].read("correlations.csv")
    if frame.empty:
        raise Missing(f"the archive has no {name}")
    known = labels.describe(inputs.sets[name].read("weightings.json")["weightings"])
    chosen = [label for label in known if label.name in figure.get("weightings", [label.name])]
    title = f"{name}: {plots.describe_styles(chosen)}"
    absent = [metric for metric in metrics if metric not in set(frame.metric)]
    if absent:
        reason = inputs.left_out.get(absent[0], "see missing.csv")
        title += f"\nwithout {', '.join(absent)}: {reason}"
    for metric in metrics:
        text = inputs.substitute(name, metric)
        if text and metric not in absent:
            title += "\n" + textwrap.fill(f"{metric}: {text}", 70)
    statistic = figure.get("statistic", "pearson")
    plots.draw_top_k(axes[0], frame, metrics, title, chosen, statistic)


def _read_tokens(
    figure: dict[str, Any], inputs: Inputs
) -> tuple[EvaluationSet, Matches, np.ndarray]:
    """The evaluation set, its matches as weightings of tokens use them, and the best systems."""
    matches = inputs.matches(figure["set"], figure["metric"])
    found = inputs.sets[figure["set"]].read("evalset.json")
    return found, matches, best_systems(found.gold, figure["size"])


def token_difficulties(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    found, matches, best = _read_tokens(figure, inputs)
    name, difficulty = figure["set"], figure["difficulty"]
    settings = inputs.settings[name]["difficulties"][difficulty]
    difficulties = {
        f"all {len(found.systems)} systems": token_difficulty(found, matches, settings),
        f"the best {len(best)}": token_difficulty(found, select(matches, best), settings),
    }
    label = plots.axis_label(difficulty, inputs.difficulty(name, difficulty))
    plots.draw_token_difficulties(axes[0], difficulties, label)
    _note_substitute(axes[0], figure, inputs)


def token_heat_map(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    found, matches, best = _read_tokens(figure, inputs)
    settings = inputs.settings[figure["set"]]["difficulties"][figure["difficulty"]]
    difficulty = token_difficulty(found, select(matches, best), settings)
    title = f"{figure['set']}, segment {figure['segment']}"
    draw_heat_map(axes[0], found, matches, figure["segment"] - 1, best, difficulty, title)
    _note_substitute(axes[0], figure, inputs)


def draw_heat_map(
    axes: Axes,
    found: EvaluationSet,
    matches: Matches,
    segment: int,
    systems: np.ndarray,
    difficulty: np.ndarray,
    title: str,
) -> None:
    """What systems miss of one reference, and the difficulty of its tokens, of those of all
    references; `systems` are indices, the first on top."""
    own = matches.reference_segment == segment
    sentence = found.reference[segment].strip()
    plots.draw_token_heat_map(
        axes,
        [sentence[start:end] for start, end in matches.reference_offsets[own]],
        [found.systems[system] for system in systems],
        1 - matches.reference_similarity[systems][:, own],
        difficulty[own],
        title,
    )


def _note_substitute(axes: Axes, figure: dict[str, Any], inputs: Inputs) -> None:
    if text := inputs.substitute(figure["set"], figure["metric"]):
        axes.set_title(f"{axes.get_title()}\n{textwrap.fill(text, 70)}".strip(), fontsize=8)


def chunk_boxes(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    files, sentences = inputs.sets[figure["set"]], []
    found = files.read("evalset.json")
    arrays = files.read(f"difficulty/{figure['difficulty']}.npz")
    for hypothesis in figure["hypotheses"]:
        if hypothesis["system"] not in found.systems:
            raise Missing(case_studies.not_ranked(hypothesis["system"]))
        place = found.systems.index(hypothesis["system"]), hypothesis["segment"] - 1
        label = f"{hypothesis['label']}, H = {arrays['difficulty'][place]:.3f}"
        tokens = case_studies.hypothesis_tokens(found, *place)
        sentences.append(
            (label, tokens, case_studies.chunks_of(arrays["links"], arrays["lengths"], *place))
        )
    spaced = case_studies.units(found) == "words"
    plots.draw_chunks(axes[0], sentences, space=0.01 if spaced else 0)


def segment_difficulties(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    difficulty = figure["difficulty"]
    for panel, name in zip(axes, figure["sets"], strict=False):
        weighting = inputs.settings[name]["weightings"][figure["weighting"]]
        try:
            values = inputs.sets[name].read(f"difficulty/{difficulty}.npz")["difficulty"]
            means = means_that_count(values, [weighting])
            label = plots.mean_label(difficulty, inputs.difficulty(name, difficulty))
            plots.draw_segment_difficulties(panel, means, label, name)
        except Missing as reason:
            plots.draw_reason(panel, str(reason))


def means_that_count(difficulty: np.ndarray, weightings: Iterable[Mapping[str, Any]]) -> np.ndarray:
    """Finite mean difficulties of segments, (systems, segments) to (m,); those of 0 as the first
    weighting in groups has it, and with the others where there is none.

    Parameters
    ----------
    difficulty : ndarray, (systems, segments)
    weightings : iterable of dict
        Settings of weightings that use the difficulty.
    """
    made = map(make_weighting, weightings)
    zeros = next((one.zero_segments for one in made if isinstance(one, Groups)), "keep")
    return usable(mean_difficulty(difficulty), zeros)


def balance_fit(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> float:
    points, reasons, weighting = {}, [], figure["weighting"]
    difficulty = inputs.settings[figure["sets"][0]]["weightings"][weighting]["difficulty"]
    for name in figure["sets"]:
        try:
            found = inputs.parameters(name, weighting)
        except Missing as reason:
            reasons.append(str(reason))
            continue
        groups, w = found["groups"], found["w"]
        if not w or groups["ratio_entropy"] is None:
            reasons.append(f"{name}: {' '.join(found['notices']) or 'w is 0'}")
            continue
        points[name] = (groups["ratio_entropy"], (1 - w) * groups["ratio_count"] / w)
    r = plots.draw_balance_fit(axes[0], points, difficulty)
    if np.isnan(r):
        why = f"a line needs three sets, {len(points)} can be computed; {'; '.join(reasons)}"
        raise Missing(why)
    return abs(r)


def score_bars(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    printed, name = inputs.printed, figure["scores"]
    scores = printed["human"] if name == "human" else printed["scores"][name]
    systems = printed["systems"][: max(map(len, scores.values()))]
    complexity_figures.draw_score_bars(axes[0], systems, scores, SCORE_LABELS[name])


def rule_graph(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    rule_figure.draw_rule_graph(axes[0], *inputs.graph)


KINDS: dict[str, Callable[[Sequence[Axes], dict[str, Any], Inputs], float | None]] = {
    "balance_fit": balance_fit,
    "chunks": chunk_boxes,
    "difficulty_scores": difficulty_scores,
    "rule_graph": rule_graph,
    "score_bars": score_bars,
    "segment_difficulties": segment_difficulties,
    "token_difficulties": token_difficulties,
    "token_heat_map": token_heat_map,
    "top_k": top_k,
}
