"""The figures of a study."""

from pathlib import Path

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.evidence import study
from mt_difficulty.evidence.contrasts import MEAN
from mt_difficulty.figures import study_figures
from mt_difficulty.figures.plots import draw_reason
from plotting import figure

NOTHING = "no set has what this figure shows"


def drawings(tables, contrast):
    """What draws each figure, by name, with the size of its axes."""
    primary = tables["effects"]
    primary = primary[(primary.contrast == contrast) & (primary.statistic == study.PRIMARY)]
    means = primary[(primary.metric == MEAN) & np.isfinite(primary.effect)]
    pooled = tables["synthesis"]
    pooled = pooled[(pooled.statistic == study.PRIMARY) & (pooled.phase == study.EVERY_PHASE)]
    of_contrast = pooled[(pooled.contrast == contrast) & np.isfinite(pooled.effect)]
    tier = of_contrast.sort_values("sets", ascending=False).tier.head(1).tolist()
    forest = means[means.tier.isin(tier)]
    pairs, tuned = tables["pairs"], tables["tuned"]
    return {
        "forest": (
            forest,
            lambda axes: study_figures.forest(
                axes, forest, of_contrast[of_contrast.tier.isin(tier)].iloc[0]
            ),
            study_figures.forest_size(forest) if len(forest) else None,
        ),
        "gain_by_tier": (pooled, lambda axes: study_figures.gain_by_tier(axes, pooled), (7, 5)),
        "gain_by_gap": (pairs, lambda axes: study_figures.gain_by_gap(axes, pairs), None),
        "gain_by_effective_size": (
            means,
            lambda axes: study_figures.gain_by_effective_size(axes, means),
            None,
        ),
        "tuned_and_null": (tuned, lambda axes: study_figures.tuned_and_null(axes, tuned), (7, 5)),
    }


def main(snakemake):
    tables = {kind: storage.read_table(file) for kind, file in snakemake.input.items()}
    made = drawings(tables, snakemake.params.contrast)
    for svg, pdf in zip(snakemake.output.svg, snakemake.output.pdf, strict=True):
        frame, draw, size = made[Path(svg).stem]
        with figure(svg, pdf, size=size or (4.6, 3.2)) as panels:
            if len(frame):
                draw(panels[0])
            else:
                draw_reason(panels[0], NOTHING)


if "snakemake" in globals():
    run(main, snakemake)
