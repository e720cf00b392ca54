"""The figures of a study."""

import numpy as np

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import study
from mt_difficulty.evidence.study import MEAN
from mt_difficulty.figures import study_figures
from plotting import draw_plots


def forest(axes, effects, pooled):
    """The forest plot of a contrast, or why there is none."""
    if effects.empty:
        raise Missing(study_figures.NONE)
    study_figures.forest(axes, effects, pooled.iloc[0])


def drawings(tables, contrast):
    """What draws each figure, by name, and their sizes."""
    effects, pooled = tables["effects"], study.overall(tables["synthesis"])
    effects = effects[(effects.contrast == contrast) & (effects.statistic == study.PRIMARY)]
    means = effects[(effects.metric == MEAN) & np.isfinite(effects.effect)]
    pairs, tuned = (tables[kind][tables[kind].contrast == contrast] for kind in ("pairs", "tuned"))
    of_contrast = pooled[(pooled.contrast == contrast) & np.isfinite(pooled.effect)]
    of_contrast = of_contrast.sort_values("sets", ascending=False, kind="stable").head(1)
    shown = means[means.tier.isin(of_contrast.tier)]
    draw = {
        "forest": lambda panels, _: forest(panels[0], shown, of_contrast),
        "gain_by_tier": lambda panels, _: study_figures.gain_by_tier(panels[0], pooled),
        "gain_by_gap": lambda panels, _: study_figures.gain_by_gap(panels[0], pairs),
        "gain_by_effective_size": lambda panels, _: study_figures.gain_by_effective_size(
            panels[0], means
        ),
        "tuned_and_null": lambda panels, _: study_figures.tuned_and_null(panels[0], tuned),
    }
    sizes = {
        "forest": study_figures.forest_size(shown),
        "gain_by_tier": (7, 5),
        "tuned_and_null": study_figures.forest_size(tuned.drop(columns="campaign")),
    }
    return draw, {name: {"size": size} for name, size in sizes.items()}


def main(snakemake):
    tables = {kind: storage.read_table(file) for kind, file in snakemake.input.items()}
    draw, sizes = drawings(tables, snakemake.params.contrast)
    draw_plots(snakemake.output, draw, None, **sizes)


if "snakemake" in globals():
    run(main, snakemake)
