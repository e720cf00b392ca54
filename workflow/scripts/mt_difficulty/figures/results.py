"""The figures of papers and of evaluation sets, drawn from the results of the sets that they
name."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.set_files import SetFiles
from ..embedding.matches import rescaled_matches, select
from ..errors import Missing
from ..evidence import labels
from ..evidence.subsets import best_first, best_systems, row_label
from ..metrics import METRICS
from ..papers import case_studies
from ..papers.inputs import Inputs, token_difficulty
from ..weighting import make_weighting
from ..weighting.groups import Groups, mean_difficulty, usable
from . import plots

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..embedding.matches import Matches

SCORE_LABELS = {"human": "human score", "bleu": "BLEU", "wnmR": "WNM recall"}
SIZES = {
    "chunks": (7.5, 3.6),
    "rule_graph": (9, 7),
    "segment_difficulties": (3.6, 2.8),
    "token_heat_map": (7, 3),
}
# Metrics of top-K curves of a set, and panels of surfaces, that can be told apart: the first ones.
MOST_METRICS, SURFACES = 8, 12


def panels(figure: dict[str, Any]) -> tuple[int, tuple[float, float]]:
    """How many panels a side a figure of a paper has, and the size of each in inches."""
    of_sets = figure["kind"] == "segment_difficulties"  # a panel each
    side = math.ceil(math.sqrt(len(figure["sets"]))) if of_sets else 1
    return side, SIZES.get(figure["kind"], (4.6, 3.2))


def needs_any_script(figure: dict[str, Any], inputs: Inputs) -> bool:
    """Whether a figure holds texts of scripts that matplotlib's fonts may not have."""
    if figure["kind"] == "chunks":
        found = inputs.sets[figure["set"]].optional("evalset.json")
        return found is not None and case_studies.units(found) == "characters"
    return figure["kind"] == "token_heat_map"


def draw(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> tuple[float, str]:
    """Draw a figure of a paper, its entry in the paper's file, on as many panels as `panels`
    says; gives the number that the paper prints in such a figure, NaN where there is none, and
    why nothing could be drawn or no number be computed, which then stands above the figure."""
    value = None
    try:
        value = KINDS[figure["kind"]](axes, figure, inputs)
    except Missing as missing:
        reason = str(missing)
        axes[0].set_title("\n".join(textwrap.wrap(f"not computable: {reason}", 90)), fontsize=6)
        return np.nan, reason
    return np.nan if value is None else value, ""


def scores_by_difficulty(
    axes: Axes, files: SetFiles, name: str, metric: str, kind: str, width: float | None = None
) -> float:
    """Mean segment scores of a metric by a difficulty of a set, and r of a linear fit; NaN where
    difficulties or mean scores are equal. Raises `Missing`, also where only scores of systems are
    stored."""
    entry = described(files, name)
    values = files.read(f"difficulty/{name}.npz")["difficulty"]
    statistics = files.read(f"statistics/{metric}.npz")["statistics"]
    if statistics.shape[1] != values.shape[1]:
        raise Missing(f"{metric} has no segment scores")
    scores, label = METRICS[kind].segment_scores(statistics), plots.axis_label(name, entry)
    return plots.draw_difficulty_scores(axes, values, scores, metric, label, width)


def distribution(
    axes: Axes, files: SetFiles, name: str, weightings: Iterable[Mapping], title: str = ""
) -> None:
    """Mean difficulties of a set's segments; those of 0 as the first of the weightings in groups
    has it, and with the others where there is none."""
    entry = described(files, name)
    values = files.read(f"difficulty/{name}.npz")["difficulty"]
    made = map(make_weighting, weightings)
    zeros = next((one.zero_segments for one in made if isinstance(one, Groups)), "keep")
    means, label = usable(mean_difficulty(values), zeros), plots.mean_label(name, entry)
    plots.draw_segment_difficulties(axes, means, label, title)


def described(files: SetFiles, name: str) -> dict[str, Any]:
    """What is known of a difficulty. Raises `Missing` where hypotheses lack it."""
    entry = files.read("weightings.json")["difficulties"][name]
    if entry["missing"]:
        raise Missing(entry["missing"])
    return entry


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


def difficulty_scores(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> float:
    name, metric = figure["set"], figure["metric"]
    if metric in inputs.left_out:
        raise Missing(inputs.left_out[metric])
    of = inputs.sets[name], figure["difficulty"], metric, inputs.types[metric]
    r = scores_by_difficulty(axes[0], *of, figure.get("width"))
    if np.isnan(r):
        raise Missing("the difficulties are about the same, or the mean scores")
    return abs(r)


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
    entry = inputs.sets[name].read("weightings.json")["difficulties"][difficulty]
    plots.draw_token_difficulties(axes[0], difficulties, plots.axis_label(difficulty, entry))
    _note_substitute(axes[0], figure, inputs)


def token_heat_map(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    found, matches, best = _read_tokens(figure, inputs)
    settings = inputs.settings[figure["set"]]["difficulties"][figure["difficulty"]]
    difficulty = token_difficulty(found, select(matches, best), settings)
    title = f"{figure['set']}, segment {figure['segment']}"
    draw_heat_map(axes[0], found, matches, figure["segment"] - 1, best, difficulty, title)
    _note_substitute(axes[0], figure, inputs)


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
    for panel, name in zip(axes, figure["sets"], strict=False):
        weighting = inputs.settings[name]["weightings"][figure["weighting"]]
        with plots.or_reason(panel):
            distribution(panel, inputs.sets[name], figure["difficulty"], [weighting], name)


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
    plots.draw_score_bars(axes[0], systems, scores, SCORE_LABELS[name])


def rule_graph(axes: Sequence[Axes], figure: dict[str, Any], inputs: Inputs) -> None:
    plots.draw_rule_graph(axes[0], *inputs.graph)


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


def plots_of_set(
    files: SetFiles, metric: str, settings: Mapping[str, Any]
) -> dict[str, tuple[Callable[[Any], None], dict[str, Any]]]:
    """The plots of an evaluation set: by name, what draws it on the panels given, and the
    panels' number and size. `metric` is that whose segment scores are shown by difficulty,
    `settings` are those of the set's metrics, difficulties and weightings."""
    entries = (files.optional("weightings.json") or {}).get("difficulties", {})
    names = [name for name, entry in entries.items() if entry["unit"] != "token"]
    arrays = files.optional("surface.npz")
    surfaces = min(len(arrays["metrics"]), SURFACES) if arrays else 1
    columns = min(surfaces, 3)

    def top(axes: Sequence[Axes]) -> None:
        frame = files.read("correlations.csv")
        known = labels.describe(files.read("weightings.json")["weightings"])
        shown = [label for label in known if label.shown]
        title = f"{files.name}: {plots.describe_styles(shown)}"
        metrics = list(dict.fromkeys(frame.metric))
        if len(metrics) > MOST_METRICS:
            title += f"; {MOST_METRICS} of {len(metrics)} metrics"
        plots.draw_top_k(axes[0], frame, metrics[:MOST_METRICS], title, shown)

    def surface(axes: Sequence[Axes]) -> None:
        """A panel for each metric under each weighting in two groups."""
        grid, points = files.read("surface.npz"), files.read("parameters.csv")
        drawn = []
        each = (grid[key][:SURFACES] for key in ("metrics", "weightings", "correlations"))
        for of_metric, weighting, correlations in zip(*each, strict=True):
            rows = points[(points.metric == of_metric) & (points.weighting == weighting)]
            places = zip(rows["quantile"], rows.w, strict=True)
            drawn.append(
                plots.Surface(
                    row_label({"metric": of_metric, "weighting": weighting}),
                    rows.difficulty.iloc[0],
                    correlations[0],
                    dict(zip(rows.parameters, places, strict=True)),
                    set(rows.parameters[rows.tuned == "yes"]),
                )
            )
        plots.draw_surfaces(axes, grid["quantiles"], grid["w"], drawn)

    def difficulties(axes: Any) -> None:
        """A row for each difficulty: scores by it, and its distribution."""
        files.read("weightings.json")
        if not names:
            raise Missing("no difficulty of segments or hypotheses is configured")
        for name, (left, right) in zip(names, axes.reshape(-1, 2), strict=True):
            of_weightings = settings["weightings"].values()
            weightings = [each for each in of_weightings if each.get("difficulty") == name]
            with plots.or_reason(left):
                scores_by_difficulty(left, files, name, metric, settings["metrics"][metric]["type"])
            with plots.or_reason(right):
                distribution(right, files, name, weightings)

    def tokens() -> tuple[Matches, str, np.ndarray]:
        """Matches as weightings of tokens use them, an axis of the set's first difficulty of
        tokens, and the difficulty of every reference token."""
        if not (there := files.in_folder("matches")):
            raise Missing("no metric of the set reads token matches")
        matches, _ = rescaled_matches(files.read(there[0]))
        for name, entry in files.read("weightings.json")["difficulties"].items():
            if entry["unit"] == "token":
                values = token_difficulty(
                    files.read("evalset.json"), matches, settings["difficulties"][name]
                )
                return matches, plots.axis_label(name, entry), values
        raise Missing("no difficulty of tokens is configured")

    def token_distribution(axes: Sequence[Axes]) -> None:
        matches, label, values = tokens()
        name = f"all {len(matches.reference_similarity)} systems"
        plots.draw_token_difficulties(axes[0], {name: values}, label)

    def heat_map(axes: Sequence[Axes]) -> None:
        found, (matches, _, values) = files.read("evalset.json"), tokens()
        segment = plots.hardest_short_segment(
            values, matches.reference_segment, matches.reference_lengths
        )
        title = f"{files.name}, segment {segment + 1}, best systems on top"
        types = {name: each["type"] for name, each in settings["metrics"].items()}
        _, order = best_first(found, files.read("system_scores.csv"), types)
        draw_heat_map(axes[0], found, matches, segment, order, values, title)

    shape = {"rows": -(-surfaces // columns), "columns": columns, "layout": "none"}
    return {
        "top_k": (top, {}),
        "surface": (surface, shape),
        "difficulties": (difficulties, {"rows": len(names), "columns": 2} if names else {}),
        "token_heat_map": (heat_map, {"size": (7, 3.4), "any_script": True}),
        "difficulty_distribution": (token_distribution, {}),
    }
