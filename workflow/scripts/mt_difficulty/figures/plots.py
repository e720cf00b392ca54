"""The figures of sets and papers, drawn on given axes so that papers, sets and pages share them."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..difficulty.base import deviation, scaled
from ..errors import Missing
from ..evidence.labels import TUNED, TUNED_NOTE
from ..evidence.subsets import CORRELATIONS, row_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from ..evidence.labels import WeightingLabel

# Okabe & Ito's colours, which colour-blind readers distinguish; one per metric.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = "os^Dv<>"
HATCHES = ("", "//", "..", "xx", "\\\\")
RC = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titley": 1.0,  # fixed, or each file computes titles' places again
    "font.size": 9,
    "grid.alpha": 0.3,
    "pdf.fonttype": 42,
    "svg.hashsalt": "mt-difficulty",
    "text.parse_math": False,  # a name may hold dollar signs
}
AXES = dict(zip(CORRELATIONS, ("Pearson's r", "Kendall's τ", "Spearman's ρ"), strict=True))
NO_TOKENS = "the references have no tokens"
UNITS = {"segment": "segment", "hypothesis": "hypothesis", "token": "reference token"}
BINS = 20  # of about as many hypotheses
EQUAL = 1e-9  # relative to their mean, the deviation of difficulties that differ by rounding alone
SMALLEST = 1e-250  # matplotlib draws an axis of yet smaller numbers as if all were 0
# Inches around each panel of surfaces, and for their legend.
LEFT, RIGHT, ABOVE, BELOW, LEGEND = 0.6, 0.85, 0.3, 0.5, 0.5
# Marker and size: distinct by shape, in grey and where one lies on another.
MARKS = {"in force": ("o", 11), "equations": ("s", 5), "optimum": ("*", 12)}


def draw_reason(axes: Axes, reason: str) -> None:
    """Say on the axes why there is nothing to draw."""
    text = "\n".join(textwrap.wrap(f"not computable: {reason}", 42))
    centred: dict[str, Any] = {"ha": "center", "va": "center", "transform": axes.transAxes}
    axes.text(0.5, 0.5, text, fontsize=8, **centred)
    axes.set(xticks=[], yticks=[])


def legend_above(axes: Axes, columns: int) -> None:
    """A legend above the axes, where it hides no mark."""
    options: dict[str, Any] = {"loc": "lower left", "bbox_to_anchor": (0, 1), "frameon": False}
    axes.legend(fontsize=7, ncols=columns, **options)


@contextmanager
def or_reason(axes: Axes) -> Iterator[None]:
    """Say on the axes why nothing can be drawn."""
    try:
        yield
    except Missing as reason:
        draw_reason(axes, str(reason))


def bin_means(
    difficulty: np.ndarray, scores: np.ndarray, width: float | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, mean scores and numbers of the hypotheses, (bins,), by difficulty, both (systems,
    segments); of bins that hold a hypothesis of finite difficulty, of which there is one. With a
    width, bins are within width/2 of 0, ±width, ±2·width, …, and places are their centres;
    without, bins end at BINS − 1 quantiles, and places are mean difficulties."""
    finite = np.isfinite(difficulty)
    values, own = difficulty[finite], scores[finite]
    if width:
        bins = np.floor(values / width + 0.5).astype(int)
    else:
        edges = np.quantile(values, np.arange(1, BINS) / BINS)
        bins = np.searchsorted(edges, values, side="right")
    kept, place, counts = np.unique(bins, return_inverse=True, return_counts=True)
    means = np.bincount(place, own) / counts
    return kept * width if width else np.bincount(place, values) / counts, means, counts


def linear_fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Slope, intercept and Pearson's r of a least-squares line; NaN for fewer than two points, and
    r where all y are equal."""
    if len(x) < 2:
        return np.nan, np.nan, np.nan
    multiples, exponent = scaled(x)
    slope, intercept = np.polyfit(multiples, y, 1)
    r = np.nan if np.ptp(y) == 0 else np.corrcoef(multiples, y)[0, 1]
    return np.ldexp(slope, -exponent), intercept, r


def _check_size(difficulty: np.ndarray, label: str) -> None:
    """Raise `Missing` where an axis cannot show finite difficulties because all are too small."""
    if 0 < np.abs(difficulty).max() < SMALLEST:
        raise Missing(f"the {label} is below {SMALLEST:g} everywhere, too small for an axis")


def axis_label(name: str, difficulty: Mapping[str, Any]) -> str:
    """What an axis says of a difficulty, such as `chunk entropy of the hypothesis`; `difficulty`
    is its entry in `weightings.json`."""
    gold = " (from human scores)" * difficulty["uses_gold"]
    return f"{name.replace('_', ' ')} of the {UNITS[difficulty['unit']]}{gold}"


def mean_label(name: str, difficulty: Mapping[str, Any]) -> str:
    """What an axis says of the mean of a difficulty over systems; parameters as of `axis_label`."""
    return f"mean {axis_label(name, {**difficulty, 'unit': 'segment'})}"


def draw_difficulty_scores(
    axes: Axes,
    difficulty: np.ndarray,
    scores: np.ndarray,
    metric: str,
    label: str,
    width: float | None = None,
) -> float:
    """Mean segment score by difficulty, both (systems, segments), with a linear fit (Liu et al.,
    Figure 1) and its r; NaN where difficulties or mean scores are equal. `label` is that of the
    axis, `width` that of `bin_means`. Raises `Missing` where no difficulty is finite."""
    if not np.isfinite(difficulty).any():
        raise Missing(f"the {label} is finite nowhere")
    _check_size(difficulty[np.isfinite(difficulty)], label)
    places, means, counts = bin_means(difficulty, scores, width)
    slope, intercept, r = linear_fit(places, means)
    axes.scatter(places, means, s=12 + 60 * counts / counts.max(), color=COLOURS[0], zorder=3)
    fit = "no linear fit: one value of difficulty"
    if len(counts) > 1:
        fit = "linear fit, " + ("equal scores" if np.isnan(r) else f"r = {r:.3f}")
    axes.plot(places, slope * places + intercept, color=COLOURS[1], label=fit)
    axes.set(xlabel=label, ylabel=f"mean segment {metric}")
    axes.legend()
    return r


def describe_styles(labels: Sequence[WeightingLabel]) -> str:
    """What the lines of `draw_top_k` mean, and the mark of tuned weightings."""
    styles = ", ".join(f"{label.line} {label.name}{label.mark}" for label in labels)
    note = "\n" + textwrap.fill(TUNED_NOTE, 70) if any(label.tuned for label in labels) else ""
    return styles + note


def draw_top_k(
    axes: Axes,
    correlations: pd.DataFrame,
    metrics: Sequence[str],
    title: str,
    labels: Sequence[WeightingLabel],
    statistic: str = "pearson",
) -> None:
    """A correlation over the top-K systems, for falling K (Liu et al., Figure 3; Zhan et al.,
    Figure 2), under the weightings of the labels. Raises `Missing` without any."""
    top = correlations[correlations.subset == "top"]
    if top.empty:
        raise Missing("no metric has scores")
    for index, metric in enumerate(metrics):
        for label in labels:
            rows = top[(top.metric == metric) & (top.weighting == label.name)]
            if len(rows):
                axes.plot(
                    rows["size"],
                    rows[statistic],
                    linestyle=(0, label.dash) if label.dash else "-",
                    color=COLOURS[index % len(COLOURS)],
                    marker=MARKERS[index % len(MARKERS)],
                    markersize=3.5,
                    fillstyle="full" if label.filled else "none",
                    clip_on=False,
                    label=row_label({"metric": metric, "weighting": label.name}) + label.mark,
                )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="K best systems by human score", ylabel=AXES[statistic], ylim=(-1.05, 1.05))
    sizes = sorted(set(top["size"]))
    axes.set_xticks(sizes[:: -(-len(sizes) // 12)])
    axes.invert_xaxis()
    axes.set_title(title, fontsize=8)
    axes.legend(fontsize=7, ncols=2, handlelength=4)


def draw_segment_difficulties(axes: Axes, means: np.ndarray, label: str, title: str = "") -> None:
    """Finite mean difficulties of segments, (m,), with N(μ, σ) and what lies beyond 2σ (Liu et
    al., Figure 4); `label` is that of the axis. Raises `Missing` for m = 0."""
    if not means.size:
        raise Missing(f"no {label} counts: each is infinite, or dropped as 0")
    _check_size(means, label)
    mu, sigma = means.mean(), deviation(means)
    spread = sigma > EQUAL * abs(mu)
    axes.hist(means if spread else means[:1], bins=40, density=True, color=COLOURS[5], alpha=0.6)
    if spread:
        x = np.linspace(min(means.min(), mu - 3 * sigma), max(means.max(), mu + 3 * sigma), 300)
        density = np.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        axes.plot(x, density, color=COLOURS[0])
        for tail in (x <= mu - 2 * sigma, x >= mu + 2 * sigma):
            axes.fill_between(x[tail], density[tail], color=COLOURS[1], alpha=0.5)
    axes.axvline(mu + 2 * sigma, color=COLOURS[1], linewidth=1)
    above = f"{title}\n" if title else ""
    axes.set_title(
        f"{above}μ = {mu:.3f}, σ = {sigma:.3f}, μ + 2σ = {mu + 2 * sigma:.3f}", fontsize=8
    )
    axes.set(xlabel=label, ylabel="density")


def draw_token_difficulties(axes: Axes, difficulties: dict[str, np.ndarray], label: str) -> None:
    """Token difficulties as densities, each array under its name (Zhan et al., Figure 3); `label`
    is that of the axis. Raises `Missing` without tokens."""
    tokens = np.concatenate(list(difficulties.values()))
    if not tokens.size:
        raise Missing(NO_TOKENS)
    ends = np.quantile(tokens, [0, 0.999])
    for colour, (name, values) in zip(COLOURS, difficulties.items(), strict=False):
        axes.hist(
            values, bins=60, range=ends, density=True, histtype="step", color=colour, label=name
        )
    axes.set(xlabel=label, ylabel="density")
    axes.legend()


def draw_token_heat_map(
    axes: Axes,
    tokens: list[str],
    systems: list[str],
    missed: np.ndarray,
    difficulty: np.ndarray,
    title: str,
) -> None:
    """What every system, the best one first, misses of one reference (1 − best similarity,
    (systems, tokens)), with the difficulty of its tokens, (tokens,), on top (Zhan et al., Figure
    1, on real systems)."""
    rows = np.vstack([difficulty, missed])
    image = axes.pcolormesh(rows, cmap="cividis", vmin=0, edgecolors="white", linewidth=0.5)
    axes.axhline(1, color="white", linewidth=4)
    axes.set_xticks(np.arange(len(tokens)) + 0.5, tokens, rotation=60, ha="right", fontsize=7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, ["difficulty", *systems], fontsize=7)
    axes.invert_yaxis()
    axes.grid(False)
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=8)
    axes.figure.colorbar(image, ax=axes, label="1 − best similarity", pad=0.01)


def hardest_short_segment(
    difficulty: np.ndarray, segments: np.ndarray, lengths: np.ndarray, most: int = 24
) -> int:
    """The segment of highest mean token difficulty among those short enough to be drawn;
    `difficulty` and `segments` are by reference token, lengths by segment. Raises `Missing`
    without tokens."""
    if not difficulty.size:
        raise Missing(NO_TOKENS)
    means = np.bincount(segments, difficulty, lengths.size) / np.maximum(lengths, 1)
    short = (lengths >= min(8, lengths.max())) & (lengths <= max(most, lengths.min()))
    return int(np.argmax(np.where(short, means, -np.inf)))


def draw_chunks(
    axes: Axes, sentences: list[tuple[str, list[str], np.ndarray]], space: float = 0.01
) -> None:
    """Sentences, each with its label, tokens and the chunk of every token (-1: not matched),
    with every chunk, a run of matched tokens, in a box of its own colour (Liu et al., Table 6).
    `space`, between tokens, is a share of the width; 0 for characters."""
    axes.axis("off")
    width, height = axes.get_window_extent().width, 0.06
    y = 1.0
    for label, tokens, chunks in sentences:
        axes.text(0, y, label, weight="bold", fontsize=8, transform=axes.transAxes)
        x, y = 0.02, y - height
        for token, chunk in zip(tokens, chunks, strict=True):
            box = {"facecolor": "none", "edgecolor": "none", "pad": 1.2}
            if chunk >= 0:
                box |= {"facecolor": COLOURS[chunk % 6], "alpha": 0.35}
            text = axes.text(x, y, token, fontsize=8, bbox=box, transform=axes.transAxes)
            needed = text.get_window_extent().width / width
            if x + needed > 1:
                x, y = 0.02, y - height
                text.set_position((x, y))
            x += needed + space
        y -= 1.4 * height


def draw_balance_fit(axes: Axes, points: dict[str, tuple[float, float]], difficulty: str) -> float:
    """Eq. 10's two sides per set, (R_H, (1−w)·R_N/w), with the line of Eq. 11 (Figure 5); gives
    r of a line through the points, NaN for fewer than three (two always lie on one)."""
    x = np.array([point[0] for point in points.values()])
    y = np.array([point[1] for point in points.values()])
    span = np.linspace(0, max([10, *x * 1.2]), 50)
    axes.plot(span, 9.62 * span - 22.23, color=COLOURS[1], label="Eq. 11: 9.62 R_H − 22.23")
    axes.scatter(x, y, color=COLOURS[0], zorder=3)
    for name, point in points.items():
        axes.annotate(name, point, xytext=(4, 4), textcoords="offset points", fontsize=8)
    label = f"ratio of total {difficulty.replace('_', ' ')}, easy to difficult (R_H)"
    axes.set(xlabel=label, ylabel="(1 − w) R_N / w")
    axes.legend()
    return linear_fit(x, y)[2] if len(x) > 2 else np.nan


class Surface(NamedTuple):
    """Pearson's r of a metric under a weighting, (quantiles, w), and points of it.

    `difficulty` is the name of the weighting's, `points` has (quantile, w) by the name of the
    parameters: those of MARKS are drawn. `tuned` are the names of points that were chosen with the
    human scores of the set.
    """

    title: str
    difficulty: str
    pearson: np.ndarray
    points: dict[str, tuple[float, float]]
    tuned: Collection[str] = ()


def draw_surfaces(
    panels: Sequence[Axes], quantiles: np.ndarray, w: np.ndarray, surfaces: Sequence[Surface]
) -> None:
    """A panel for each surface over a grid and a legend for all, in a figure without a layout
    engine; more panels stay empty."""
    figure: Any = panels[0].figure
    for axes, surface in zip(panels, surfaces, strict=False):
        draw_surface(axes, quantiles, w, surface)
    for axes in panels[len(surfaces) :]:
        axes.set_axis_off()
    marked: dict[Any, Any] = {}
    for axes in panels:
        marked |= dict(zip(*reversed(axes.get_legend_handles_labels()), strict=True))
    figure.legend(
        marked.values(),
        marked.keys(),
        loc="lower center",
        ncols=len(MARKS),
        title=f"white line: r of the unweighted metric; {TUNED} tuned on this set",
    )
    # All panels are alike: measuring their texts would take half of the time.
    grid: Any = panels[0].get_gridspec()
    rows, columns = grid.get_geometry()
    width, height = figure.get_size_inches()
    inside = width / columns - LEFT - RIGHT, (height - LEGEND) / rows - BELOW - ABOVE
    figure.subplots_adjust(
        left=LEFT / width,
        right=1 - RIGHT / width,
        bottom=(LEGEND + BELOW) / height,
        top=1 - ABOVE / height,
        wspace=(LEFT + RIGHT) / inside[0],
        hspace=(BELOW + ABOVE) / inside[1],
    )


def draw_surface(axes: Axes, quantiles: np.ndarray, w: np.ndarray, surface: Surface) -> None:
    """Pearson's r over the threshold, as a quantile of the difficulty, and the easy weight w,
    with a line where it is that of the unweighted metric, the grid's point (0, 0). Where a group
    is empty (NaN) it is left white; points outside of what is drawn are left out."""
    pearson, title = surface.pearson, surface.title
    if not np.isfinite(pearson).any():
        return draw_reason(axes, f"{title}: constant scores, or no difficult or easy hypotheses")
    # At w = 1 the difficult hypotheses, and so higher thresholds, do not matter.
    drawn = quantiles[np.isfinite(pearson[:, :-1]).any(axis=1)]
    last = drawn.max(initial=quantiles[1])
    # Thresholds with hardly any difficult hypothesis must not take all colours.
    image = axes.pcolormesh(
        quantiles, w, pearson.T, cmap="cividis", vmin=np.nanquantile(pearson, 0.1), rasterized=True
    )
    if np.nanmin(pearson) < pearson[0, 0] < np.nanmax(pearson):
        levels = [pearson[0, 0]]
        axes.contour(quantiles, w, pearson.T, levels=levels, colors="white", linewidths=0.9)
    style: dict[str, Any] = {
        "color": "white",
        "markeredgecolor": "black",
        "linestyle": "none",
        "clip_on": False,
    }
    for name, (marker, size) in MARKS.items():
        x, y = surface.points.get(name, (np.nan, np.nan))
        if 0 <= x <= last and 0 <= y <= 1:
            axes.plot(
                x, y, marker, label=name + TUNED * (name in surface.tuned), markersize=size, **style
            )
    name = surface.difficulty.replace("_", " ")
    axes.set(
        xlim=(0, last),
        ylim=(0, 1),
        xlabel=f"threshold, a quantile of {name}",
        ylabel="easy weight w",
    )
    axes.grid(False)
    axes.locator_params(nbins=5)
    axes.set_title(title, fontsize=8)
    beside = axes.inset_axes((1.03, 0, 0.05, 1))
    axes.figure.colorbar(image, cax=beside, label="Pearson's r", extend="min")
    beside.locator_params(nbins=4)


def draw_score_bars(
    axes: Axes, systems: list[str], scores: dict[str, Sequence[float | None]], label: str
) -> None:
    """Scores of systems on several texts as grouped bars (Babych et al., Figures 1 to 3): by
    text a score for each system, None where there is none; `label` says what the scores are."""
    width = 0.8 / len(scores)
    for place, (text, values) in enumerate(scores.items()):
        heights = np.array(values, dtype=float)
        offset = (place - (len(scores) - 1) / 2) * width
        axes.bar(
            np.arange(heights.size) + offset,
            heights,
            width,
            color=COLOURS[place],
            edgecolor="white",
            hatch=HATCHES[place],
            label=text,
        )
    axes.set_xticks(np.arange(len(systems)), systems)
    axes.grid(axis="x", visible=False)
    axes.set_axisbelow(True)
    axes.set(ylabel=label)
    axes.legend(fontsize=7, ncols=len(scores), loc="lower center", bbox_to_anchor=(0.5, 1))


def draw_rule_graph(axes: Axes, names: dict[Any, str], edges: list[tuple]) -> None:
    """A workflow's rules, layered from first to last (Liu et al.'s Figure 2 as it is run here):
    names by node, and edges (node, node) from a rule to one that uses its output."""
    edges = _direct(edges)
    places = _places(names, edges)
    for start, end in edges:
        axes.annotate(
            "",
            xy=places[end],
            xytext=places[start],
            arrowprops={"arrowstyle": "->", "color": "#777777", "shrinkA": 8, "shrinkB": 11},
        )
    for node, place in places.items():
        box = {"boxstyle": "round", "facecolor": "white", "edgecolor": COLOURS[0]}
        axes.text(*place, names[node], ha="center", va="center", fontsize=7, bbox=box)
    rows = [row for _, row in places.values()]
    width = max(rows.count(row) for row in rows)
    axes.set(xlim=(-width / 2, width / 2 + 0.3), ylim=(min(rows) - 0.5, 0.5))
    axes.axis("off")


def _direct(edges: list[tuple]) -> list[tuple]:
    """The edges that no longer path implies."""
    after: dict[Any, set] = {}
    for start, end in edges:
        after.setdefault(start, set()).add(end)

    def reached(node: Any) -> set:
        return set().union(*({n} | reached(n) for n in after.get(node, ())))

    return [
        (start, end)
        for start, end in edges
        if not any(end in reached(other) for other in after[start] - {end})
    ]


def _places(names: dict[Any, str], edges: list[tuple]) -> dict[Any, tuple[float, float]]:
    """Node positions: a layer for each length of the longest path that leads to a node; a layer is
    ordered by the mean position of what leads to it."""
    depth = dict.fromkeys(names, 0)
    for _ in names:
        for start, end in edges:
            depth[end] = max(depth[end], depth[start] + 1)
    places: dict[Any, tuple[float, float]] = {}

    def wish(node: Any) -> tuple[float, str]:
        before = [places[start][0] for start, end in edges if end == node and start in places]
        return float(np.mean(before)) if before else 0.0, names[node]

    for row in range(max(depth.values()) + 1):
        layer = sorted((node for node in names if depth[node] == row), key=wish)
        # Every other layer stands aside, so that no edge runs behind a rule between its ends.
        for column, node in enumerate(layer):
            places[node] = (column - (len(layer) - 1) / 2 + 0.3 * (row % 2), -row)
    return places
