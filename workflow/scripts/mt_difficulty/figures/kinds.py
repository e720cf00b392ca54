"""The kinds of figures of papers: each draws from the results of the sets that it names."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from ..evidence.subsets import best_systems
from ..metrics import METRICS
from ..papers import chunks
from ..papers.inputs import Inputs
from ..weighting import tokens as token_weighting
from ..weighting.groups import mean_entropy, usable
from . import complexity_figures, plots, rule_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..embedding.matching import Matches

SCORE_LABELS = {"human": "human score", "bleu": "BLEU", "wnmR": "WNM recall"}
PANELS = ("entropy_distribution",)  # a set each
SIZES = {
    "chunks": (7.5, 3.6),
    "rule_graph": (9, 7),
    "entropy_distribution": (3.6, 2.8),
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
        return found is not None and chunks.units(found) == "characters"
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


def entropy_score(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> float:
    files, metric = inputs.sets[figure["set"]], figure["metric"]
    entropy = files.read(files.in_folder("entropy")[0])["entropy"]
    statistics = files.read(f"statistics/{metric}.npz")["statistics"]
    scores = METRICS[inputs.types[metric]].segment_scores(statistics)
    r = plots.draw_entropy_score(axes[0], entropy, scores, metric)
    if np.isnan(r):
        raise Missing("all hypotheses have about the same entropy, or the same mean score")
    return abs(r)


def top_k(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    name, metrics = figure["set"], figure["metrics"]
    frame = inputs.sets[name].read("correlations.csv")
    if frame.empty:
        raise Missing(f"the archive has no {name}")
    weightings = figure.get("weightings", list(dict.fromkeys(frame.weighting)))
    title = f"{name}: {plots.describe_styles(weightings)}"
    absent = [metric for metric in metrics if metric not in set(frame.metric)]
    if absent:
        reason = inputs.left_out.get(absent[0], "see missing.csv")
        title += f"\nwithout {', '.join(absent)}: {reason}"
    for metric in metrics:
        text = inputs.substitute(name, metric)
        if text and metric not in absent:
            title += "\n" + textwrap.fill(f"{metric}: {text}", 70)
    statistic = figure.get("statistic", "pearson")
    plots.draw_top_k(axes[0], frame, metrics, title, statistic, weightings)


def _read_tokens(
    figure: dict[str, Any], inputs: Inputs
) -> tuple[EvaluationSet, Matches, np.ndarray]:
    """The evaluation set, its matches as DA uses them, and the best systems."""
    files = inputs.sets[figure["set"]]
    if "evalset.json" not in files:
        raise Missing(inputs.left_out[figure["metric"]])
    found = files.read("evalset.json")
    matches, _ = token_weighting.rescaled_matches(files.read(files.in_folder("matches")[0]))
    return found, matches, best_systems(found.gold, figure["size"])


def difficulty_distribution(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    _, matches, best = _read_tokens(figure, inputs)
    similarity = matches.reference_similarity
    difficulties = {
        f"all {len(similarity)} systems": token_weighting.token_difficulty(similarity)[0],
        f"the best {len(best)}": token_weighting.token_difficulty(similarity[best])[0],
    }
    plots.draw_difficulty_distribution(axes[0], difficulties)
    _note_substitute(axes[0], figure, inputs)


def token_heat_map(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    found, matches, best = _read_tokens(figure, inputs)
    title = f"{figure['set']}, segment {figure['segment']}"
    draw_heat_map(axes[0], found, matches, figure["segment"] - 1, best, title)
    _note_substitute(axes[0], figure, inputs)


def draw_heat_map(
    axes: Axes,
    found: EvaluationSet,
    matches: Matches,
    segment: int,
    systems: np.ndarray,
    title: str,
) -> None:
    """What systems miss of one reference; `systems` are indices, the first on top."""
    own = matches.reference_segment == segment
    sentence = found.reference[segment].strip()
    plots.draw_token_heat_map(
        axes,
        [sentence[start:end] for start, end in matches.reference_offsets[own]],
        [found.systems[system] for system in systems],
        1 - matches.reference_similarity[systems][:, own],
        title,
    )


def _note_substitute(axes: Axes, figure: dict[str, Any], inputs: Inputs) -> None:
    if text := inputs.substitute(figure["set"], figure["metric"]):
        axes.set_title(f"{axes.get_title()}\n{textwrap.fill(text, 70)}".strip(), fontsize=8)


def chunk_boxes(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    files, sentences = inputs.sets[figure["set"]], []
    found = files.read("evalset.json")
    arrays = files.read(files.in_folder("entropy")[0])
    for hypothesis in figure["hypotheses"]:
        if hypothesis["system"] not in found.systems:
            raise Missing(f"{hypothesis['system']} is not among the ranked systems")
        place = found.systems.index(hypothesis["system"]), hypothesis["segment"] - 1
        label = f"{hypothesis['label']}, H = {arrays['entropy'][place]:.3f}"
        tokens = chunks.hypothesis_tokens(found, *place)
        sentences.append(
            (label, tokens, chunks.chunks_of(arrays["links"], arrays["lengths"], *place))
        )
    spaced = chunks.units(found) == "words"
    plots.draw_chunks(axes[0], sentences, space=0.01 if spaced else 0)


def entropy_distribution(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    for panel, name in zip(axes, figure["sets"], strict=False):
        files = inputs.sets[name]
        try:
            entropy = files.read(files.in_folder("entropy")[0])["entropy"]
            means = usable(mean_entropy(entropy), inputs.settings["zero_segments"])
            plots.draw_entropy_distribution(panel, means, name)
        except Missing as reason:
            plots.draw_reason(panel, str(reason))


def balance_fit(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> float:
    points, reasons = {}, []
    for name in figure["sets"]:
        try:
            found = inputs.sets[name].read("difficulty.json")
        except Missing as reason:
            reasons.append(str(reason))
            continue
        groups, w = found["groups"], found["w"]
        if not w or groups["ratio_entropy"] is None:
            reasons.append(f"{name}: {' '.join(found['notices']) or 'w is 0'}")
            continue
        points[name] = (groups["ratio_entropy"], (1 - w) * groups["ratio_count"] / w)
    r = plots.draw_balance_fit(axes[0], points)
    if np.isnan(r):
        why = f"a line needs three sets, {len(points)} can be computed; {'; '.join(reasons)}"
        raise Missing(why)
    return abs(r)


def score_bars(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    printed, name = inputs.settings["printed"], figure["scores"]
    scores = printed["human"] if name == "human" else printed["scores"][name]
    systems = printed["systems"][: max(map(len, scores.values()))]
    complexity_figures.draw_score_bars(axes[0], systems, scores, SCORE_LABELS[name])


def rule_graph(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    rule_figure.draw_rule_graph(axes[0], *inputs.settings["graph"])


KINDS: dict[str, Callable[[Sequence[Axes], dict[str, Any], Inputs], float | None]] = {
    "balance_fit": balance_fit,
    "chunks": chunk_boxes,
    "difficulty_distribution": difficulty_distribution,
    "entropy_distribution": entropy_distribution,
    "entropy_score": entropy_score,
    "rule_graph": rule_graph,
    "score_bars": score_bars,
    "token_heat_map": token_heat_map,
    "top_k": top_k,
}
