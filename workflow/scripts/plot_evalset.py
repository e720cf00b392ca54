"""Plot one evaluation set: top-K curves, and correlations over the parameters of weightings."""

from job import run
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import labels
from mt_difficulty.evidence.correlations import row_label
from mt_difficulty.figures import plots
from mt_difficulty.figures.surface_figure import Surface, draw_surfaces
from plotting import draw_plots


def draw_top_k(panels, files):
    frame = files.read("correlations.csv")
    known = labels.describe(files.read("weightings.json")["weightings"])
    shown = [label for label in known if label.shown]
    title = f"{files.name}: {plots.describe_styles(shown)}"
    plots.draw_top_k(panels[0], frame, list(dict.fromkeys(frame.metric)), title, shown)


def draw_surface(panels, files):
    """Correlations over all thresholds and easy weights: a panel for each metric under each
    weighting in two groups."""
    arrays, points = files.read("surface.npz"), files.read("parameters.csv")
    surfaces = []
    for metric, weighting, correlations in zip(
        arrays["metrics"], arrays["weightings"], arrays["correlations"], strict=True
    ):
        rows = points[(points.metric == metric) & (points.weighting == weighting)]
        surfaces.append(
            Surface(
                row_label({"metric": metric, "weighting": weighting}),
                rows.difficulty.iloc[0],
                correlations[0],
                dict(zip(rows.parameters, zip(rows["quantile"], rows.w, strict=True), strict=True)),
            )
        )
    draw_surfaces(panels, arrays["quantiles"], arrays["w"], surfaces)


def surface_panels(files):
    """Rows and columns, a panel for each surface."""
    arrays = files.optional("surface.npz")
    count = len(arrays["metrics"]) if arrays else 1
    columns = min(count, 3)
    return {"rows": -(-count // columns), "columns": columns}


DRAW = {"top_k": draw_top_k, "surface": draw_surface}


def main(snakemake):
    files = read_set(snakemake.params.name, snakemake.input.files)
    draw_plots(snakemake.output, DRAW, files, surface=surface_panels(files))


if "snakemake" in globals():
    run(main, snakemake)
