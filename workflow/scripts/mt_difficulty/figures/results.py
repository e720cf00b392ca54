"""The figures of papers and of evaluation sets, drawn from the results of evaluation sets."""

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from ..data.evalset import SetFiles
from ..embedding import Matches, rescaled_matches, select
from ..errors import Missing
from ..evidence.subsets import best_first, best_systems
from ..metrics import METRICS
from ..papers import Inputs, case_studies, token_difficulty
from ..settings import ScoreSettings, WeightingSettings
from ..settings.protocol import (
    BalanceFigure,
    ChunkFigure,
    DifficultyScoreFigure,
    FitFigure,
    HeatMapFigure,
    Number,
    PaperFigure,
    ScoreBarFigure,
    SegmentDifficultyFigure,
    TokenDifficultyFigure,
    TopFigure,
)
from ..storage import Content
from ..weighting import fitted, make_weighting
from ..weighting.EE import EE, usable
from . import plots
from .over_sets import Drawings

HATCHES = ("", "//", "..", "xx", "\\\\")
SCORE_LABELS = {"human": "human score", "bleu": "BLEU", "wnmR": "WNM recall"}
SIZES = {
    "chunks": (7.5, 3.6),
    "segment_difficulties": (3.6, 2.8),
    "token_heat_map": (7, 3),
    "top_k": (6.6, 3.4),
}
# Figures that show one metric.
OF_METRIC = (DifficultyScoreFigure, HeatMapFigure, TokenDifficultyFigure)
# Largest number of metrics in a set's top-K plot; the first ones are shown.
MOST_METRICS = 8
# Largest number of panels of surfaces; the first ones are shown.
MOST_SURFACES = 12
# Lengths in tokens of a reference whose tokens the heat map shows.
SHORT = (8, 24)


def panels(figure: PaperFigure) -> tuple[int, tuple[float, float]]:
    """Return n of a figure's n × n grid of panels, and a panel's width and height in inches."""
    side = 1
    if isinstance(figure, SegmentDifficultyFigure):  # a panel for each set
        side = math.ceil(math.sqrt(len(figure.sets)))
    return side, SIZES.get(figure.kind, (4.6, 3.2))


def printed_numbers(figure: PaperFigure) -> dict[str, Number]:
    """Return the numbers that are printed in a figure, by label."""
    return figure.published if isinstance(figure, FitFigure) else {}


def draw(axes: Sequence[Axes], figure: PaperFigure, inputs: Inputs) -> tuple[float, str]:
    """Draw a figure of a paper.

    Parameters
    ----------
    axes : sequence of Axes
        The panels that `panels` counts.
    figure : PaperFigure
        The printed figure.
    inputs : Inputs
        Results and settings that it is drawn from.

    Returns
    -------
    value : float
        Ours of the number printed in the figure; NaN without one.
    reason : str
        Why drawing or computing failed. It is also written above the figure; if nothing is drawn,
        in it, and it is the figure's label.
    """
    try:
        value = KINDS[figure.kind](axes, figure, inputs)
    except Missing as missing:
        reason = str(missing)
        if not any(panel.has_data() for panel in axes):
            plots.write_reason(axes[0], reason)
            drawn = axes[0].get_figure(root=True)
            if drawn is not None:
                drawn.set_label(reason)
            return np.nan, reason
        axes[0].set_title("\n".join(textwrap.wrap(f"not computable: {reason}", 90)), fontsize=6)
        return np.nan, reason
    return np.nan if value is None else value, ""


def marks_of(figure: PaperFigure, inputs: Inputs) -> dict[str, str]:
    """Return what a figure's number is made with instead of the paper's: `substitute`, the encoder
    of its metric, and `systems_note`, the number of systems of its sets; "" where they agree."""
    substitute = ""
    if isinstance(figure, OF_METRIC):
        substitute = inputs.substitute(figure.set, figure.metric)
    notes = {name: inputs.other_systems(name) for name in inputs.sets}
    systems = "; ".join(f"{name}: {note}" for name, note in notes.items() if note)
    return {"substitute": substitute, "systems_note": systems}


def read_difficulty(files: SetFiles, name: str) -> tuple[Content, np.ndarray]:
    """Return a difficulty's entry in `weightings.json` and its values, (systems, segments)."""
    entry = files.read("weightings.json")["difficulties"][name]
    if entry["missing"]:
        raise Missing(entry["missing"])
    return entry, files.read(f"difficulty/{name}.npz")["difficulty"]


def scores_by_difficulty(
    axes: Axes, files: SetFiles, name: str, metric: str, kind: str, width: float | None = None
) -> float:
    """Draw mean segment scores of a metric by difficulty.

    Parameters
    ----------
    axes : Axes
        The panel.
    files : SetFiles
        Results of the set.
    name : str
        Name of the difficulty.
    metric, kind : str
        Name and type of the metric.
    width : float, optional
        Width of a bin of difficulty (`plots.bin_means`).

    Returns
    -------
    float
        r of a linear fit; NaN if difficulties or mean scores are equal.

    Raises
    ------
    Missing
        The set lacks the difficulty or segment scores.
    """
    entry, values = read_difficulty(files, name)
    statistics = files.read(f"statistics/{metric}.npz")["statistics"]
    if statistics.shape[1] != values.shape[1]:
        raise Missing(f"{metric} has no segment scores")
    scores = METRICS[kind].segment_scores(statistics)
    label = plots.axis_label(name, entry)
    return plots.draw_difficulty_scores(axes, values, scores, metric, label, width)


def distribution(
    axes: Axes, files: SetFiles, name: str, weightings: Iterable[WeightingSettings], title: str = ""
) -> None:
    """Draw the distribution of a set's mean segment difficulties.

    Parameters
    ----------
    axes : Axes
        The panel.
    files : SetFiles
        Results of the set.
    name : str
        Name of the difficulty.
    weightings : iterable of WeightingSettings
        Weightings by the difficulty. The first EE weighting decides whether segments of difficulty
        0 are dropped; without one they are kept.
    title : str
        Title of the panel.

    Raises
    ------
    Missing
        The set lacks the difficulty, or no segment's difficulty is finite.
    """
    entry, values = read_difficulty(files, name)
    zero_segments = "keep"
    for settings in weightings:
        weighting = make_weighting(settings)
        if isinstance(weighting, EE):
            zero_segments = weighting.zero_segments
            break
    means = usable(values.mean(axis=0), zero_segments)
    label = plots.axis_label(name, entry, mean=True)
    plots.draw_segment_difficulties(axes, means, label, title)


def heat_map(
    axes: Axes,
    files: SetFiles,
    matches: Matches,
    values: np.ndarray,
    systems: np.ndarray,
    segment: int,
) -> None:
    """Draw a heat map of a reference (Zhan et al., Figure 1, with real systems): the difficulty of
    its tokens on top, then what systems miss, 1 − best similarity.

    Parameters
    ----------
    axes : Axes
        The panel.
    files : SetFiles
        Results of the set.
    matches : Matches
        Similarities of tokens.
    values : ndarray of shape (tokens,)
        Difficulties of all references' tokens.
    systems : ndarray of int
        Indices of the systems, from top to bottom.
    segment : int
        Index of the segment, from 0.
    """
    evalset = files.read("evalset.json")
    of_segment = matches.reference_segment == segment
    sentence = evalset.reference[segment].strip()
    tokens = [sentence[start:end] for start, end in matches.reference_offsets[of_segment]]
    missed = 1 - matches.reference_similarity[systems][:, of_segment]
    names = [evalset.systems[system] for system in systems]
    rows = np.vstack([values[of_segment], missed])
    image = axes.pcolormesh(rows, cmap="cividis", vmin=0, edgecolors="white", linewidth=0.5)
    axes.axhline(1, color="white", linewidth=4)
    axes.set_xticks(np.arange(len(tokens)) + 0.5, tokens, rotation=60, ha="right", fontsize=7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, ["difficulty", *names], fontsize=7)
    axes.invert_yaxis()
    axes.grid(visible=False)
    axes.tick_params(length=0)
    title = f"{files.name}, segment {segment + 1}: what each system misses of the reference"
    axes.set_title(title, fontsize=8, loc="left")
    axes.figure.colorbar(image, ax=axes, label="1 − best similarity", pad=0.01)


# Figures of papers, by kind


def difficulty_scores(axes: Sequence[Axes], figure: DifficultyScoreFigure, inputs: Inputs) -> float:
    """Draw mean segment scores by difficulty, like Figure 1 of Liu et al.

    Parameters
    ----------
    axes : sequence of Axes
        One panel.
    figure : DifficultyScoreFigure
        The printed figure.
    inputs : Inputs
        Results of its set.

    Returns
    -------
    float
        |r| of a linear fit.

    Raises
    ------
    Missing
        There is no r.
    """
    metric = figure.metric
    if metric in inputs.left_out:
        raise Missing(inputs.left_out[metric])
    r = scores_by_difficulty(
        axes[0],
        inputs.sets[figure.set],
        figure.difficulty,
        metric,
        inputs.types[metric],
        figure.width,
    )
    if np.isnan(r):
        raise Missing("the difficulties are about the same, or the mean scores")
    return abs(r)


def top_k(axes: Sequence[Axes], figure: TopFigure, inputs: Inputs) -> None:
    """Draw a statistic over the K best systems, for falling K.

    Parameters
    ----------
    axes : sequence of Axes
        One panel.
    figure : TopFigure
        The printed figure.
    inputs : Inputs
        Results of its set.

    Raises
    ------
    Missing
        The archive has no such set.
    """
    name = figure.set
    metrics = figure.metrics
    files = inputs.sets[figure.set]
    frame = files.read("correlations.csv")
    if frame.empty:
        raise Missing(f"the archive has no {name}")
    labels = fitted.labels(files.read("weightings.json")["weightings"])
    if figure.weightings is not None:
        labels = [label for label in labels if label.name in figure.weightings]
    title = plots.top_k_title(name, labels, figure.statistic)
    absent = [metric for metric in metrics if metric not in set(frame.metric)]
    if absent:
        reason = inputs.left_out.get(absent[0], "see missing.csv")
        title += f"\nwithout {', '.join(absent)}: {reason}"
    for metric in metrics:
        substitute = inputs.substitute(name, metric)
        if substitute and metric not in absent:
            title += "\n" + textwrap.fill(f"{metric}: {substitute}", 90)
    plots.draw_top_k(axes[0], frame, metrics, title, labels, figure.statistic)


def token_difficulties(axes: Sequence[Axes], figure: TokenDifficultyFigure, inputs: Inputs) -> None:
    """Draw densities of token difficulties computed from all systems and from the best systems.

    Parameters
    ----------
    axes : sequence of Axes
        One panel.
    figure : TokenDifficultyFigure
        The printed figure.
    inputs : Inputs
        Results of its set.
    """
    name = figure.set
    difficulty = figure.difficulty
    files = inputs.sets[figure.set]
    matches = inputs.matches(name, figure.metric)
    evalset = files.read("evalset.json")
    best = best_systems(evalset.gold, figure.size)
    settings = inputs.settings[name].difficulties[difficulty]
    difficulties = {
        f"all {len(evalset.systems)} systems": token_difficulty(evalset, matches, settings),
        f"the best {len(best)}": token_difficulty(evalset, select(matches, best), settings),
    }
    entry = files.read("weightings.json")["difficulties"][difficulty]
    plots.draw_token_difficulties(axes[0], difficulties, plots.axis_label(difficulty, entry))
    _note_substitute(axes[0], figure, inputs)


def token_heat_map(axes: Sequence[Axes], figure: HeatMapFigure, inputs: Inputs) -> None:
    """Draw a heat map of the token difficulties of a segment (`heat_map`), of the best systems.

    Parameters
    ----------
    axes : sequence of Axes
        One panel.
    figure : HeatMapFigure
        The printed figure.
    inputs : Inputs
        Results of its set.
    """
    name = figure.set
    files = inputs.sets[figure.set]
    matches = inputs.matches(name, figure.metric)
    evalset = files.read("evalset.json")
    best = best_systems(evalset.gold, figure.size)
    settings = inputs.settings[name].difficulties[figure.difficulty]
    values = token_difficulty(evalset, select(matches, best), settings)
    heat_map(axes[0], files, matches, values, best, figure.segment - 1)
    _note_substitute(axes[0], figure, inputs)


def _note_substitute(
    axes: Axes, figure: TokenDifficultyFigure | HeatMapFigure, inputs: Inputs
) -> None:
    """Add to the title how the encoder differs from the paper's, if it does."""
    substitute = inputs.substitute(figure.set, figure.metric)
    if substitute:
        title = f"{axes.get_title()}\n{textwrap.fill(substitute, 70)}"
        axes.set_title(title.strip(), fontsize=8)


def chunk_boxes(panels: Sequence[Axes], figure: ChunkFigure, inputs: Inputs) -> None:
    """Write hypotheses with boxes around chunks of aligned tokens, like Table 6 of Liu et al.

    Parameters
    ----------
    panels : sequence of Axes
        One panel.
    figure : ChunkFigure
        The printed figure, which names the hypotheses.
    inputs : Inputs
        Results of its set.

    Raises
    ------
    Missing
        A system is not ranked, or the set lacks texts or word alignments.
    """
    axes = panels[0]
    files = inputs.sets[figure.set]
    evalset = files.read("evalset.json")
    for hypothesis in figure.hypotheses:
        if hypothesis.system not in evalset.systems:
            raise Missing(case_studies.NOT_RANKED.format(hypothesis.system))
    axes.axis("off")
    # All lengths are shares of the axes.
    space = 0.01 if case_studies.units(evalset) == "words" else 0
    indent = 0.02
    line_height = 0.06
    width = axes.get_window_extent().width
    arrays = files.read(f"difficulty/{figure.difficulty}.npz")
    y = 1.0
    for hypothesis in figure.hypotheses:
        system, segment = evalset.systems.index(hypothesis.system), hypothesis.segment - 1
        label = f"{hypothesis.label}, H = {arrays['difficulty'][system, segment]:.3f}"
        axes.text(0, y, label, weight="bold", fontsize=8, transform=axes.transAxes)
        chunks = case_studies.chunks_of(arrays["links"], arrays["lengths"], system, segment)
        tokens = case_studies.hypothesis_tokens(evalset, system, segment)
        x = indent
        y -= line_height
        for token, chunk in zip(tokens, chunks, strict=True):
            box = {"facecolor": "none", "edgecolor": "none", "pad": 1.2}
            if chunk >= 0:
                box["facecolor"] = plots.COLOURS[chunk % 6]
                box["alpha"] = 0.35
            text = axes.text(x, y, token, fontsize=8, bbox=box, transform=axes.transAxes)
            token_width = text.get_window_extent().width / width
            if x + token_width > 1:
                x = indent
                y -= line_height
                text.set_position((x, y))
            x += token_width + space
        y -= 1.4 * line_height


def segment_difficulties(
    axes: Sequence[Axes], figure: SegmentDifficultyFigure, inputs: Inputs
) -> None:
    """Draw distributions of mean segment difficulties, like Figure 4 of Liu et al.

    Parameters
    ----------
    axes : sequence of Axes
        A panel for each set.
    figure : SegmentDifficultyFigure
        The printed figure.
    inputs : Inputs
        Results of its sets.
    """
    for panel, name in zip(axes, figure.sets, strict=False):
        weighting = inputs.settings[name].weightings[figure.weighting]
        with plots.or_reason(panel):
            distribution(panel, inputs.sets[name], figure.difficulty, [weighting], name)


def balance_fit(axes: Sequence[Axes], figure: BalanceFigure, inputs: Inputs) -> float:
    """Draw the two sides of Eq. 10 of Liu et al. for each set, like their Figure 5.

    Parameters
    ----------
    axes : sequence of Axes
        One panel.
    figure : BalanceFigure
        The printed figure.
    inputs : Inputs
        Results of its sets.

    Returns
    -------
    float
        |r| of the points.

    Raises
    ------
    Missing
        Fewer than three sets have a point.
    """
    points = {}
    reasons = []
    weighting = figure.weighting
    for name in figure.sets:
        try:
            parameters = inputs.parameters(name, weighting)
        except Missing as reason:
            reasons.append(str(reason))
            continue
        groups = parameters["groups"]
        w = parameters["w"]
        if not w or groups["ratio_entropy"] is None:
            reasons.append(f"{name}: {' '.join(parameters['notices']) or 'w is 0'}")
            continue
        points[name] = (groups["ratio_entropy"], (1 - w) * groups["ratio_count"] / w)
    difficulty = inputs.settings[figure.sets[0]].weightings[weighting].difficulty
    r = plots.draw_balance_fit(axes[0], points, difficulty)
    if np.isnan(r):
        raise Missing(
            f"a line needs three sets, {len(points)} can be computed; {'; '.join(reasons)}"
        )
    return abs(r)


def score_bars(panels: Sequence[Axes], figure: ScoreBarFigure, inputs: Inputs) -> None:
    """Draw scores printed by Babych et al. as bars by system and text, like their Fig. 1 to 3.

    Parameters
    ----------
    panels : sequence of Axes
        One panel.
    figure : ScoreBarFigure
        The printed figure.
    inputs : Inputs
        Printed numbers.
    """
    printed = inputs.printed
    name = figure.scores
    axes = panels[0]
    assert printed is not None
    scores = printed.human if name == "human" else printed.scores[name]
    systems = printed.systems[: max(map(len, scores.values()))]
    positions = np.arange(len(systems))
    width = 0.8 / len(scores)
    for index, (text, values) in enumerate(scores.items()):
        heights = np.array(values, dtype=float)
        shift = (index - (len(scores) - 1) / 2) * width
        axes.bar(
            positions[: heights.size] + shift,
            heights,
            width,
            label=text,
            color=plots.COLOURS[index],
            hatch=HATCHES[index],
            edgecolor="white",
        )
    axes.set_xticks(positions, systems)
    axes.grid(axis="x", visible=False)
    axes.set_axisbelow(True)
    axes.set(ylabel=SCORE_LABELS[name])
    axes.legend(fontsize=7, ncols=len(scores), loc="lower center", bbox_to_anchor=(0.5, 1))


# Each function draws figures of its kind alone.
KINDS: dict[str, Callable[[Sequence[Axes], Any, Inputs], float | None]] = {
    "balance_fit": balance_fit,
    "chunks": chunk_boxes,
    "difficulty_scores": difficulty_scores,
    "score_bars": score_bars,
    "segment_difficulties": segment_difficulties,
    "token_difficulties": token_difficulties,
    "token_heat_map": token_heat_map,
    "top_k": top_k,
}


# Plots of a set


def plots_of_set(files: SetFiles, metric: str, settings: ScoreSettings) -> Drawings:
    """Return the plots of an evaluation set.

    Parameters
    ----------
    files : SetFiles
        Results of the set.
    metric : str
        The metric whose segment scores are drawn by difficulty.
    settings : ScoreSettings
        Metrics, difficulties and weightings of the set.

    Returns
    -------
    dict of str to (callable, dict)
        By name: the function that draws the plot on given panels, and the number and size of the
        panels.
    """
    names = [name for name, entry in _entries(files).items() if entry["unit"] != "token"]
    arrays = files.optional("surface.npz")
    surfaces = min(len(arrays["metrics"]), MOST_SURFACES) if arrays else 1
    columns = min(surfaces, 3)
    rows = math.ceil(surfaces / columns)
    return {
        "top_k": (partial(_draw_top_k, files=files), {"size": SIZES["top_k"]}),
        "surface": (partial(_draw_surfaces, files=files), {"rows": rows, "columns": columns}),
        "difficulties": (
            partial(_draw_difficulties, files=files, names=names, metric=metric, settings=settings),
            {"rows": len(names), "columns": 2} if names else {},
        ),
        "token_heat_map": (
            partial(_draw_hardest_segment, files=files, settings=settings),
            {"size": (7, 3.4)},
        ),
        "difficulty_distribution": (
            partial(_draw_token_distribution, files=files, settings=settings),
            {},
        ),
    }


def _entries(files: SetFiles) -> dict[str, Content]:
    """Return the entries of difficulties in `weightings.json`; none without this file."""
    return (files.optional("weightings.json") or {}).get("difficulties", {})


def _draw_top_k(axes: Sequence[Axes], files: SetFiles) -> None:
    """Draw Pearson's r over the K best systems."""
    frame = files.read("correlations.csv")
    known = [
        label
        for label in fitted.labels(files.read("weightings.json")["weightings"])
        if label.name in set(frame.weighting)
    ]
    labels = [label for label in known if label.shown]
    title = plots.top_k_title(files.name, labels)
    left_out = [label.name for label in known if not label.shown]
    if left_out:
        title += "\n" + textwrap.fill(f"not drawn, see the table: {', '.join(left_out)}", 90)
    metrics = list(dict.fromkeys(frame.metric))
    if len(metrics) > MOST_METRICS:
        title += f" ({MOST_METRICS} of {len(metrics)} metrics)"
    plots.draw_top_k(axes[0], frame, metrics[:MOST_METRICS], title, labels)


def _draw_surfaces(axes: Sequence[Axes], files: SetFiles) -> None:
    """Draw r with human scores by EE's threshold h and easy weight w."""
    plots.draw_surfaces(axes, files.read("surface.npz"), files.read("parameters.csv"))


def _draw_difficulties(
    axes: Any, files: SetFiles, names: list[str], metric: str, settings: ScoreSettings
) -> None:
    """Draw, for each difficulty of segments or hypotheses, mean segment scores by difficulty and
    the distribution of the difficulty."""
    files.read("weightings.json")
    if not names:
        raise Missing("no difficulty of segments or hypotheses is configured")
    for name, (left, right) in zip(names, axes.reshape(-1, 2), strict=True):
        weightings = [
            weighting for weighting in settings.weightings.values() if weighting.difficulty == name
        ]
        with plots.or_reason(left):
            scores_by_difficulty(left, files, name, metric, settings.metrics[metric].type)
        with plots.or_reason(right):
            distribution(right, files, name, weightings)


def _token_difficulty(files: SetFiles, settings: ScoreSettings) -> tuple[Matches, str, np.ndarray]:
    """Return matches as token weightings use them, the axis label of the set's first token
    difficulty, and the difficulty of every reference token. Raises `Missing` without either."""
    matches_files = [file for file in files.contents if file.startswith("matches/")]
    if not matches_files:
        raise Missing("no metric of the set reads token matches")
    matches, _ = rescaled_matches(files.read(matches_files[0]))
    for name, entry in _entries(files).items():
        if entry["unit"] == "token":
            evalset = files.read("evalset.json")
            values = token_difficulty(evalset, matches, settings.difficulties[name])
            return matches, plots.axis_label(name, entry), values
    raise Missing("no difficulty of tokens is configured")


def _draw_token_distribution(
    axes: Sequence[Axes], files: SetFiles, settings: ScoreSettings
) -> None:
    """Draw the density of token difficulties."""
    matches, label, values = _token_difficulty(files, settings)
    name = f"all {len(matches.reference_similarity)} systems"
    plots.draw_token_difficulties(axes[0], {name: values}, label)


def _draw_hardest_segment(axes: Sequence[Axes], files: SetFiles, settings: ScoreSettings) -> None:
    """Draw a heat map of token difficulties in the hardest of the short segments."""
    matches, _, values = _token_difficulty(files, settings)
    if not values.size:
        raise Missing(plots.NO_TOKENS)
    lengths = matches.reference_lengths
    sums = np.bincount(matches.reference_segment, values, lengths.size)
    means = sums / np.maximum(lengths, 1)
    shortest, longest = min(SHORT[0], lengths.max()), max(SHORT[1], lengths.min())
    is_short = (lengths >= shortest) & (lengths <= longest)
    segment = int(np.argmax(np.where(is_short, means, -np.inf)))
    _, order = best_first(
        files.read("evalset.json"), files.read("system_scores.csv"), settings.types
    )
    heat_map(axes[0], files, matches, values, order, segment)
