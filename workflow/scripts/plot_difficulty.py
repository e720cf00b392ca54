"""Plot one difficulty of an evaluation set: scores by difficulty, and its distribution."""

from functools import partial
from pathlib import Path

from job import run
from mt_difficulty.data.set_files import read_set
from mt_difficulty.errors import Missing
from mt_difficulty.figures import plots
from mt_difficulty.figures.kinds import means_that_count, scores_of_segments
from plotting import draw_plots


def read_difficulty(files, name):
    """The values, (systems, segments), and what is known of them."""
    values = files.read(f"difficulty/{name}.npz")["difficulty"]
    return values, files.read("weightings.json")["difficulties"][name]


def draw_scores(name, metrics, panels, files):
    """Scores of the first metric that has them."""
    values, entry = read_difficulty(files, name)
    reason = "the set has no metrics"
    for file in files.in_folder("statistics"):
        metric = Path(file).stem
        try:
            statistics = files.read(file)["statistics"]
            scores = scores_of_segments(metric, metrics[metric]["type"], statistics, values)
        except Missing as missing:
            reason = str(missing)
            continue
        label = plots.axis_label(name, entry)
        plots.draw_difficulty_scores(panels[0], values, scores, metric, label)
        return
    raise Missing(reason)


def draw_distribution(name, weightings, panels, files):
    values, entry = read_difficulty(files, name)
    own = [each for each in weightings.values() if each.get("difficulty") == name]
    means = means_that_count(values, own)
    plots.draw_segment_difficulties(panels[0], means, plots.mean_label(name, entry))


def main(snakemake):
    params, name = snakemake.params, snakemake.params.difficulty
    draw = {
        f"{name}_scores": partial(draw_scores, name, params.settings["metrics"]),
        f"{name}_distribution": partial(draw_distribution, name, params.settings["weightings"]),
    }
    draw_plots(snakemake.output, draw, read_set(params.name, snakemake.input.files))


if "snakemake" in globals():
    run(main, snakemake)
