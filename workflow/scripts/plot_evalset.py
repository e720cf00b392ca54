"""Plot one evaluation set: top-K curves, scores by entropy, or mean entropies."""

from pathlib import Path

from job import run
from mt_difficulty import figures, storage
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import mean_entropy, usable
from plotting import figure


def draw(axes, snakemake):
    plot = snakemake.wildcards.plot
    if plot == "top_k":
        frame = storage.read_table(snakemake.input.correlations)
        wildcards = snakemake.wildcards
        title = f"{wildcards.campaign}/{wildcards.pair}: dashed standard, solid EE"
        figures.draw_top_k(axes, frame, list(dict.fromkeys(frame.metric)), title)
        return
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    if plot == "entropy_distribution":
        means = usable(mean_entropy(entropy), snakemake.params.zero_segments)
        figures.draw_entropy_distribution(axes, means)
    else:
        file = snakemake.input.statistics[0]
        scores = METRICS[snakemake.params.type].segment_scores(
            storage.read_arrays(file)["statistics"]
        )
        figures.draw_entropy_score(axes, entropy, scores, Path(file).stem)


def main(snakemake):
    with figure(snakemake.output) as (axes,):
        try:
            draw(axes, snakemake)
        except Missing as reason:
            figures.draw_reason(axes, str(reason))


if "snakemake" in globals():
    run(main, snakemake)
