"""The papers' figures, drawn on given axes so that papers, sets and pages share them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ..errors import Missing
from ..evidence import labels
from ..evidence.correlations import CORRELATIONS, row_label

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

# Okabe & Ito's colours, told apart by colour-blind readers; one per metric.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = "os^Dv<>"
RC = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.constrained_layout.use": True,
    "font.size": 9,
    "grid.alpha": 0.3,
    "pdf.fonttype": 42,
    "svg.hashsalt": "mt-difficulty",
    "text.parse_math": False,  # a name may hold dollar signs
}
AXES = dict(zip(CORRELATIONS, ("Pearson's r", "Kendall's τ", "Spearman's ρ"), strict=True))
NO_TOKENS = "the references have no tokens"


def bin_means(
    entropy: np.ndarray, scores: np.ndarray, width: float = 0.1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean score of the hypotheses whose entropy is within width/2 of 0, width, 2·width, ….

    Parameters
    ----------
    entropy, scores : ndarray, (systems, segments)

    Returns
    -------
    centres, means, counts : ndarray, (bins,)
        Bins that hold a hypothesis. An infinite entropy is in none.
    """
    finite = np.isfinite(entropy)
    bins = np.floor(entropy[finite] / width + 0.5).astype(int)
    counts = np.bincount(bins)
    with np.errstate(invalid="ignore"):
        means = np.bincount(bins, weights=scores[finite]) / counts
    kept = counts > 0
    return np.flatnonzero(kept) * width, means[kept], counts[kept]


def linear_fit(x: np.ndarray, y: np.ndarray) -> tuple[float, float, float]:
    """Slope, intercept and Pearson's r of a least-squares line; NaN for fewer than two points, and
    r where all y are equal."""
    if len(x) < 2:
        return np.nan, np.nan, np.nan
    slope, intercept = np.polyfit(x, y, 1)
    return slope, intercept, np.nan if np.ptp(y) == 0 else np.corrcoef(x, y)[0, 1]


def draw_entropy_score(axes: Axes, entropy: np.ndarray, scores: np.ndarray, metric: str) -> float:
    """Mean segment score by chunk entropy, with a linear fit (Liu et al., Figure 1); gives r, NaN
    where entropies or mean scores are equal. Raises `Missing` where every entropy is infinite."""
    centres, means, counts = bin_means(entropy, scores)
    if not counts.size:
        raise Missing("no hypothesis has a link, so that every entropy is infinite")
    slope, intercept, r = linear_fit(centres, means)
    axes.scatter(centres, means, s=12 + 60 * counts / counts.max(), color=COLOURS[0], zorder=3)
    label = "no linear fit: one value of entropy"
    if len(counts) > 1:
        label = "linear fit, " + ("equal scores" if np.isnan(r) else f"r = {r:.3f}")
    axes.plot(centres, slope * centres + intercept, color=COLOURS[1], label=label)
    axes.set(xlabel="chunk entropy of the hypothesis", ylabel=f"mean segment {metric}")
    axes.legend()
    return r


def describe_styles(weightings: Sequence[str]) -> str:
    """What the lines of `draw_top_k` mean."""
    return ", ".join(f"{label.line} {label.name}" for label in labels.describe(weightings))


def draw_top_k(
    axes: Axes,
    correlations: pd.DataFrame,
    metrics: Sequence[str],
    title: str,
    statistic: str = "pearson",
    weightings: Sequence[str] | None = None,
) -> None:
    """A correlation over the top-K systems, for falling K (Liu et al., Figure 3; Zhan et al.,
    Figure 2), under all or the given weightings. Raises `Missing` without any."""
    top = correlations[correlations.subset == "top"]
    if top.empty:
        raise Missing("no metric has scores")
    for index, metric in enumerate(metrics):
        for label in labels.describe(top.weighting if weightings is None else weightings):
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
                    label=row_label({"metric": metric, "weighting": label.name}),
                )
    axes.axhline(0, color="black", linewidth=0.8)
    axes.set(xlabel="K best systems by human score", ylabel=AXES[statistic], ylim=(-1.05, 1.05))
    sizes = sorted(set(top["size"]))
    axes.set_xticks(sizes[:: -(-len(sizes) // 12)])
    axes.invert_xaxis()
    axes.set_title(title, fontsize=8)
    axes.legend(fontsize=7, ncols=2, handlelength=4)


def draw_entropy_distribution(axes: Axes, means: np.ndarray, title: str = "") -> None:
    """Mean entropies, (m,), with N(μ, σ) and what lies beyond 2σ (Liu et al., Figure 4). Raises
    `Missing` if m = 0."""
    if not means.size:
        raise Missing(
            "no segment's mean entropy counts: each is 0 (no hypothesis has two chunks) or infinite"
        )
    mu, sigma = means.mean(), means.std()
    axes.hist(means, bins=40, density=True, color=COLOURS[5], alpha=0.6)
    if sigma > 0:
        x = np.linspace(min(0, mu - 3 * sigma), max(means.max(), mu + 3 * sigma), 300)
        density = np.exp(-(((x - mu) / sigma) ** 2) / 2) / (sigma * np.sqrt(2 * np.pi))
        axes.plot(x, density, color=COLOURS[0])
        for tail in (x <= mu - 2 * sigma, x >= mu + 2 * sigma):
            axes.fill_between(x[tail], density[tail], color=COLOURS[1], alpha=0.5)
    axes.axvline(mu + 2 * sigma, color=COLOURS[1], linewidth=1)
    label = f"{title}\n" if title else ""
    axes.set_title(
        f"{label}μ = {mu:.3f}, σ = {sigma:.3f}, μ + 2σ = {mu + 2 * sigma:.3f}", fontsize=8
    )
    axes.set(xlabel="mean entropy of the segment", ylabel="density")


def draw_difficulty_distribution(axes: Axes, difficulties: dict[str, np.ndarray]) -> None:
    """Token difficulties as densities, each array under its label (Zhan et al., Figure 3). Raises
    `Missing` without tokens."""
    tokens = np.concatenate(list(difficulties.values()))
    if not tokens.size:
        raise Missing(NO_TOKENS)
    ends = np.quantile(tokens, [0, 0.999])
    for colour, (label, values) in zip(COLOURS, difficulties.items(), strict=False):
        axes.hist(
            values, bins=60, range=ends, density=True, histtype="step", color=colour, label=label
        )
    axes.set(xlabel="difficulty of the reference token", ylabel="density")
    axes.legend()


def draw_token_heat_map(
    axes: Axes, tokens: list[str], systems: list[str], missed: np.ndarray, title: str
) -> None:
    """What every system misses of one reference (Zhan et al., Figure 1, on real systems).

    Parameters
    ----------
    tokens : list of str
        The reference's, as columns.
    systems : list of str
        The best one first.
    missed : ndarray, (systems, tokens)
        1 − best similarity; their mean, the difficulty, is the row on top.
    """
    rows = np.vstack([missed.mean(axis=0), missed])
    image = axes.pcolormesh(rows, cmap="cividis", vmin=0, edgecolors="white", linewidth=0.5)
    axes.axhline(1, color="white", linewidth=4)
    axes.set_xticks(np.arange(len(tokens)) + 0.5, tokens, rotation=60, ha="right", fontsize=7)
    axes.set_yticks(np.arange(len(rows)) + 0.5, ["difficulty", *systems], fontsize=7)
    axes.invert_yaxis()
    axes.grid(False)
    axes.tick_params(length=0)
    axes.set_title(title, fontsize=8)
    axes.figure.colorbar(image, ax=axes, label="1 − best similarity", pad=0.01)


def draw_chunks(
    axes: Axes, sentences: list[tuple[str, list[str], np.ndarray]], space: float = 0.01
) -> None:
    """Sentences with every chunk, a run of matched tokens, in a box of its own colour (Liu et al.,
    Table 6).

    Parameters
    ----------
    sentences : list of (str, list of str, ndarray)
        Label, tokens, and the chunk of every token (-1: not matched).
    space : float
        Between tokens, as a share of the width; 0 for characters.
    """
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


def hardest_short_segment(
    difficulty: np.ndarray, segments: np.ndarray, lengths: np.ndarray, most: int = 24
) -> int:
    """The segment of highest mean token difficulty among those short enough to be drawn. Raises
    `Missing` without tokens.

    Parameters
    ----------
    difficulty, segments : ndarray, (reference tokens,)
        Of each token its difficulty and its segment.
    lengths : ndarray, (segments,)
    """
    if not difficulty.size:
        raise Missing(NO_TOKENS)
    means = np.bincount(segments, difficulty, lengths.size) / np.maximum(lengths, 1)
    short = (lengths >= min(8, lengths.max())) & (lengths <= max(most, lengths.min()))
    return int(np.argmax(np.where(short, means, -np.inf)))


def draw_balance_fit(axes: Axes, points: dict[str, tuple[float, float]]) -> float:
    """Eq. 10's two sides per set, with the line of Eq. 11 (Figure 5).

    Parameters
    ----------
    points : dict of str to (R_H, (1−w)·R_N/w)

    Returns
    -------
    float
        r of a line through the points, NaN for fewer than three (two always lie on one).
    """
    x = np.array([point[0] for point in points.values()])
    y = np.array([point[1] for point in points.values()])
    span = np.linspace(0, max([10, *x * 1.2]), 50)
    axes.plot(span, 9.62 * span - 22.23, color=COLOURS[1], label="Eq. 11: 9.62 R_H − 22.23")
    axes.scatter(x, y, color=COLOURS[0], zorder=3)
    for name, point in points.items():
        axes.annotate(name, point, xytext=(4, 4), textcoords="offset points", fontsize=8)
    axes.set(xlabel="ratio of total entropy, easy to difficult (R_H)", ylabel="(1 − w) R_N / w")
    axes.legend()
    return linear_fit(x, y)[2] if len(x) > 2 else np.nan


def draw_reason(axes: Axes, reason: str) -> None:
    """Say on the axes why there is nothing to draw."""
    import textwrap

    axes.text(
        0.5,
        0.5,
        "\n".join(textwrap.wrap(f"not computable: {reason}", 42)),
        ha="center",
        va="center",
        transform=axes.transAxes,
        fontsize=8,
    )
    axes.set(xticks=[], yticks=[])
