"""The figures of papers and of evaluation sets, drawn from the results of evaluation sets."""

import math
import textwrap
from collections.abc import Callable, Iterable, Sequence
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
SIZES = {"chunks": (7.5, 3.6), "segment_difficulties": (3.6, 2.8), "token_heat_map": (7, 3)}
# Figures that show one metric.
OF_METRIC = (DifficultyScoreFigure, HeatMapFigure, TokenDifficultyFigure)
# Largest numbers of metrics in a set's top-K plot, and of panels of surfaces; the first are shown.
MOST_METRICS, SURFACES = 8, 12


def panels(figure: PaperFigure) -> tuple[int, tuple[float, float]]:
    """Return n of a figure's n × n grid of panels, and a panel's width and height in inches."""
    side = 1
    if isinstance(figure, SegmentDifficultyFigure):  # a panel for each set
        side = math.ceil(math.sqrt(len(figure.sets)))
    return side, SIZES.get(figure.kind, (4.6, 3.2))


def needs_any_script(figure: PaperFigure, inputs: Inputs) -> bool:
    """Return whether a figure shows texts in scripts, such as Chinese, that its fonts may lack."""
    if isinstance(figure, ChunkFigure):
        evalset = inputs.sets[figure.set].optional("evalset.json")
        return evalset is not None and case_studies.units(evalset) == "characters"
    return isinstance(figure, HeatMapFigure)


def printed_numbers(figure: PaperFigure) -> dict[str, Number]:
    """Return the numbers that are printed in a figure, by label."""
    return figure.published if isinstance(figure, FitFigure) else {}


def draw(axes: Sequence[Axes], figure: PaperFigure, inputs: Inputs) -> tuple[float, str]:
    """Draw a figure of a paper on the panels that `panels` counts. Returns our value of the number
    printed in the figure, NaN without one, and the reason if drawing or computing failed. The
    reason is also written above the figure."""
    try:
        value = KINDS[figure.kind](axes, figure, inputs)
    except Missing as missing:
        reason = str(missing)
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
    """Draw mean segment scores of a metric by difficulty. Returns r of a linear fit, NaN if
    difficulties or mean scores are equal. Raises `Missing` without either."""
    entry, values = read_difficulty(files, name)
    statistics = files.read(f"statistics/{metric}.npz")["statistics"]
    if statistics.shape[1] != values.shape[1]:
        raise Missing(f"{metric} has no segment scores")
    scores, label = METRICS[kind].segment_scores(statistics), plots.axis_label(name, entry)
    return plots.draw_difficulty_scores(axes, values, scores, metric, label, width)


def distribution(
    axes: Axes, files: SetFiles, name: str, weightings: Iterable[WeightingSettings], title: str = ""
) -> None:
    """Draw the distribution of a set's mean segment difficulties. The first EE weighting decides
    whether segments of difficulty 0 are dropped; without one they are kept."""
    entry, values = read_difficulty(files, name)
    in_groups = (item for item in map(make_weighting, weightings) if isinstance(item, EE))
    zeros = next((item.zero_segments for item in in_groups), "keep")
    label = plots.axis_label(name, entry, mean=True)
    plots.draw_segment_difficulties(axes, usable(values.mean(axis=0), zeros), label, title)


def heat_map(
    axes: Axes, files: SetFiles, matches: Matches, values: np.ndarray, systems: np.ndarray, at: int
) -> None:
    """Draw a heat map of the reference of segment `at` (Zhan et al., Figure 1, with real systems):
    the difficulty of its tokens on top, then what systems (indices, in this order) miss, 1 − best
    similarity. `values` has the difficulties of all references' tokens."""
    evalset, of_segment = files.read("evalset.json"), matches.reference_segment == at
    sentence = evalset.reference[at].strip()
    tokens = [sentence[start:end] for start, end in matches.reference_offsets[of_segment]]
    missed = 1 - matches.reference_similarity[systems][:, of_segment]
    names = [evalset.systems[system] for system in systems]
    rows = np.vstack([values[of_segment], missed])
    image = axes.pcolormesh(rows, cmap="cividis", vmin=0, edgecolors="white", linewidth=0.5)
    axes.axhline(1, color="white", linewidth=4)
    axes.set_xticks(np.arange(len(tokens)) + 0.5, tokens, rotation=60, ha="right", fontsize=7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, ["difficulty", *names], fontsize=7)
    axes.invert_yaxis()
    axes.grid(False)
    axes.tick_params(length=0)
    axes.set_title(f"{files.name}, segment {at + 1}", fontsize=8)
    axes.figure.colorbar(image, ax=axes, label="1 − best similarity", pad=0.01)


def difficulty_scores(axes: Sequence[Axes], figure: DifficultyScoreFigure, inputs: Inputs) -> float:
    name, metric = figure.set, figure.metric
    if metric in inputs.left_out:
        raise Missing(inputs.left_out[metric])
    arguments = inputs.sets[name], figure.difficulty, metric, inputs.types[metric]
    r = scores_by_difficulty(axes[0], *arguments, figure.width)
    if np.isnan(r):
        raise Missing("the difficulties are about the same, or the mean scores")
    return abs(r)


def top_k(axes: Sequence[Axes], figure: TopFigure, inputs: Inputs) -> None:
    name, metrics, files = figure.set, figure.metrics, inputs.sets[figure.set]
    frame = files.read("correlations.csv")
    if frame.empty:
        raise Missing(f"the archive has no {name}")
    chosen = fitted.labels(files.read("weightings.json")["weightings"])
    if figure.weightings is not None:
        chosen = [label for label in chosen if label.name in figure.weightings]
    title = f"{name}: {plots.describe_styles(chosen)}"
    if absent := [metric for metric in metrics if metric not in set(frame.metric)]:
        reason = inputs.left_out.get(absent[0], "see missing.csv")
        title += f"\nwithout {', '.join(absent)}: {reason}"
    for metric in metrics:
        text = inputs.substitute(name, metric)
        if text and metric not in absent:
            title += "\n" + textwrap.fill(f"{metric}: {text}", 70)
    plots.draw_top_k(axes[0], frame, metrics, title, chosen, figure.statistic)


def token_difficulties(axes: Sequence[Axes], figure: TokenDifficultyFigure, inputs: Inputs) -> None:
    """Plot densities of token difficulties computed from all systems and from the best systems."""
    name, difficulty, files = figure.set, figure.difficulty, inputs.sets[figure.set]
    matches, evalset = inputs.matches(name, figure.metric), files.read("evalset.json")
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
    name, files = figure.set, inputs.sets[figure.set]
    matches, evalset = inputs.matches(name, figure.metric), files.read("evalset.json")
    best = best_systems(evalset.gold, figure.size)
    settings = inputs.settings[name].difficulties[figure.difficulty]
    values = token_difficulty(evalset, select(matches, best), settings)
    heat_map(axes[0], files, matches, values, best, figure.segment - 1)
    _note_substitute(axes[0], figure, inputs)


def _note_substitute(
    axes: Axes, figure: TokenDifficultyFigure | HeatMapFigure, inputs: Inputs
) -> None:
    if text := inputs.substitute(figure.set, figure.metric):
        axes.set_title(f"{axes.get_title()}\n{textwrap.fill(text, 70)}".strip(), fontsize=8)


def chunk_boxes(panels: Sequence[Axes], figure: ChunkFigure, inputs: Inputs) -> None:
    """Write hypotheses with boxes around chunks of aligned tokens, like Table 6 of Liu et al."""
    axes, files = panels[0], inputs.sets[figure.set]
    evalset = files.read("evalset.json")
    for hypothesis in figure.hypotheses:
        if hypothesis.system not in evalset.systems:
            raise Missing(case_studies.NOT_RANKED.format(hypothesis.system))
    axes.axis("off")
    space = 0.01 if case_studies.units(evalset) == "words" else 0  # a share of the width
    width, height, y = axes.get_window_extent().width, 0.06, 1.0
    arrays = files.read(f"difficulty/{figure.difficulty}.npz")
    for hypothesis in figure.hypotheses:
        place = evalset.systems.index(hypothesis.system), hypothesis.segment - 1
        label = f"{hypothesis.label}, H = {arrays['difficulty'][place]:.3f}"
        chunks = case_studies.chunks_of(arrays["links"], arrays["lengths"], *place)
        axes.text(0, y, label, weight="bold", fontsize=8, transform=axes.transAxes)
        x, y = 0.02, y - height
        tokens = case_studies.hypothesis_tokens(evalset, *place)
        for token, chunk in zip(tokens, chunks, strict=True):
            box = {"facecolor": "none", "edgecolor": "none", "pad": 1.2}
            if chunk >= 0:
                box |= {"facecolor": plots.COLOURS[chunk % 6], "alpha": 0.35}
            text = axes.text(x, y, token, fontsize=8, bbox=box, transform=axes.transAxes)
            needed = text.get_window_extent().width / width
            if x + needed > 1:
                x, y = 0.02, y - height
                text.set_position((x, y))
            x += needed + space
        y -= 1.4 * height


def segment_difficulties(
    axes: Sequence[Axes], figure: SegmentDifficultyFigure, inputs: Inputs
) -> None:
    for panel, name in zip(axes, figure.sets, strict=False):
        weighting = inputs.settings[name].weightings[figure.weighting]
        with plots.or_reason(panel):
            distribution(panel, inputs.sets[name], figure.difficulty, [weighting], name)


def balance_fit(axes: Sequence[Axes], figure: BalanceFigure, inputs: Inputs) -> float:
    points, reasons, weighting = {}, [], figure.weighting
    difficulty = inputs.settings[figure.sets[0]].weightings[weighting].difficulty
    for name in figure.sets:
        try:
            known = inputs.parameters(name, weighting)
        except Missing as reason:
            reasons.append(str(reason))
            continue
        groups, w = known["groups"], known["w"]
        if not w or groups["ratio_entropy"] is None:
            reasons.append(f"{name}: {' '.join(known['notices']) or 'w is 0'}")
            continue
        points[name] = (groups["ratio_entropy"], (1 - w) * groups["ratio_count"] / w)
    r = plots.draw_balance_fit(axes[0], points, difficulty)
    if np.isnan(r):
        why = f"a line needs three sets, {len(points)} can be computed; {'; '.join(reasons)}"
        raise Missing(why)
    return abs(r)


def score_bars(panels: Sequence[Axes], figure: ScoreBarFigure, inputs: Inputs) -> None:
    """Draw scores printed by Babych et al. as bars by system and text, like their Fig. 1 to 3."""
    printed, name, axes = inputs.printed, figure.scores, panels[0]
    assert printed is not None
    scores = printed.human if name == "human" else printed.scores[name]
    systems = printed.systems[: max(map(len, scores.values()))]
    width, places = 0.8 / len(scores), np.arange(len(systems))
    for place, (text, values) in enumerate(scores.items()):
        heights = np.array(values, dtype=float)
        at = places[: heights.size] + (place - (len(scores) - 1) / 2) * width
        style: Any = {"color": plots.COLOURS[place], "hatch": HATCHES[place], "edgecolor": "white"}
        axes.bar(at, heights, width, label=text, **style)
    axes.set_xticks(places, systems)
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


def plots_of_set(files: SetFiles, metric: str, settings: ScoreSettings) -> Drawings:
    """Return the plots of an evaluation set: by name, the function that draws it on given panels,
    and the number and size of the panels. `metric` is the metric whose segment scores are drawn by
    difficulty."""
    entries = (files.optional("weightings.json") or {}).get("difficulties", {})
    names = [name for name, entry in entries.items() if entry["unit"] != "token"]
    arrays = files.optional("surface.npz")
    surfaces = min(len(arrays["metrics"]), SURFACES) if arrays else 1
    columns = min(surfaces, 3)

    def top(axes: Sequence[Axes]) -> None:
        frame = files.read("correlations.csv")
        known = fitted.labels(files.read("weightings.json")["weightings"])
        shown = [label for label in known if label.shown and label.name in set(frame.weighting)]
        title = f"{files.name}: {plots.describe_styles(shown)}"
        metrics = list(dict.fromkeys(frame.metric))
        if len(metrics) > MOST_METRICS:
            title += f"; {MOST_METRICS} of {len(metrics)} metrics"
        plots.draw_top_k(axes[0], frame, metrics[:MOST_METRICS], title, shown)

    def surface(axes: Sequence[Axes]) -> None:
        """Plot r with human scores over EE's threshold h and easy weight w, a panel per key."""
        plots.draw_surfaces(axes, files.read("surface.npz"), files.read("parameters.csv"))

    def difficulties(axes: Any) -> None:
        """Per estimator, plot mean segment score by difficulty, and difficulty's distribution."""
        files.read("weightings.json")
        if not names:
            raise Missing("no difficulty of segments or hypotheses is configured")
        for name, (left, right) in zip(names, axes.reshape(-1, 2), strict=True):
            of_weightings = settings.weightings.values()
            weightings = [entry for entry in of_weightings if entry.difficulty == name]
            with plots.or_reason(left):
                scores_by_difficulty(left, files, name, metric, settings.metrics[metric].type)
            with plots.or_reason(right):
                distribution(right, files, name, weightings)

    def tokens() -> tuple[Matches, str, np.ndarray]:
        """Return matches as token weightings use them, the axis label of the set's first token
        difficulty, and the difficulty of every reference token. Raises `Missing` without either."""
        if not (there := [x for x in files.contents if x.startswith("matches/")]):
            raise Missing("no metric of the set reads token matches")
        matches, _ = rescaled_matches(files.read(there[0]))
        name = next((name for name in entries if name not in names), "")
        if not name:
            raise Missing("no difficulty of tokens is configured")
        arguments = files.read("evalset.json"), matches, settings.difficulties[name]
        return matches, plots.axis_label(name, entries[name]), token_difficulty(*arguments)

    def token_distribution(axes: Sequence[Axes]) -> None:
        matches, label, values = tokens()
        name = f"all {len(matches.reference_similarity)} systems"
        plots.draw_token_difficulties(axes[0], {name: values}, label)

    def hardest(axes: Sequence[Axes]) -> None:
        """Draw a heat map of token difficulties in one segment, the hardest of the short ones."""
        matches, _, values = tokens()
        if not values.size:
            raise Missing(plots.NO_TOKENS)
        lengths = matches.reference_lengths
        sums = np.bincount(matches.reference_segment, values, lengths.size)
        short = (lengths >= min(8, lengths.max())) & (lengths <= max(24, lengths.min()))
        segment = int(np.argmax(np.where(short, sums / np.maximum(lengths, 1), -np.inf)))
        _, order = best_first(
            files.read("evalset.json"), files.read("system_scores.csv"), settings.types
        )
        heat_map(axes[0], files, matches, values, order, segment)

    return {
        "top_k": (top, {}),
        "surface": (surface, {"rows": -(-surfaces // columns), "columns": columns}),
        "difficulties": (difficulties, {"rows": len(names), "columns": 2} if names else {}),
        "token_heat_map": (hardest, {"size": (7, 3.4), "any_script": True}),
        "difficulty_distribution": (token_distribution, {}),
    }
