"""Plot one evaluation set: top-K curves, scores by entropy, mean entropies, parameters."""

from contextlib import suppress
from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import labels
from mt_difficulty.figures import plots, surface_figure
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.groups import mean_entropy, usable
from plotting import draw_plots


def draw_top_k(panels, snakemake):
    frame = storage.read_table(snakemake.input.correlations)
    wildcards = snakemake.wildcards
    weightings = [label.name for label in labels.describe(frame.weighting) if label.shown]
    title = f"{wildcards.campaign}/{wildcards.pair}: {plots.describe_styles(weightings)}"
    metrics = list(dict.fromkeys(frame.metric))
    plots.draw_top_k(panels[0], frame, metrics, title, weightings=weightings)


def draw_entropy_distribution(panels, snakemake):
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    means = usable(mean_entropy(entropy), snakemake.params.zero_segments)
    plots.draw_entropy_distribution(panels[0], means)


def draw_entropy_score(panels, snakemake):
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    file = snakemake.input.statistics[0]
    scores = METRICS[snakemake.params.types[Path(file).stem]].segment_scores(
        storage.read_arrays(file)["statistics"]
    )
    plots.draw_entropy_score(panels[0], entropy, scores, Path(file).stem)


def draw_surface(panels, snakemake):
    """EE's correlation over all h and w, a panel for each metric."""
    arrays = storage.read_arrays(snakemake.input.surface)
    points = storage.read_table(snakemake.input.parameters)
    surface_figure.draw_surfaces(
        panels,
        arrays["h"],
        arrays["w"],
        dict(zip(arrays["metrics"], arrays["correlations"][:, 0], strict=True)),
        {
            metric: dict(zip(rows.parameters, zip(rows.h, rows.w, strict=True), strict=True))
            for metric, rows in points.groupby("metric")
        },
    )


def surface_panels(snakemake):
    """Rows and columns, a panel for each metric."""
    count = 1
    with suppress(Missing):
        count = len(storage.read_arrays(snakemake.input.surface)["metrics"])
    columns = min(count, 3)
    return {"rows": -(-count // columns), "columns": columns}


DRAW = {
    "top_k": draw_top_k,
    "entropy_score": draw_entropy_score,
    "entropy_distribution": draw_entropy_distribution,
    "surface": draw_surface,
}


def main(snakemake):
    draw_plots(snakemake, DRAW, surface=surface_panels(snakemake))


if "snakemake" in globals():
    run(main, snakemake)
