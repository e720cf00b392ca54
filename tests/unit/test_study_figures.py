"""A study's figures: what they show, and that they are the same bytes from the same data."""

from functools import partial

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from study_frames import study_draws, study_effects, study_pairs

from mt_difficulty.errors import Missing
from mt_difficulty.evidence import pair_model, synthesis
from mt_difficulty.figures import study
from plotting import figure


def one_tier(sets):
    effects = study_effects(sets, np.random.default_rng(0))
    draws = study_draws(effects, np.random.default_rng(0))
    pooled = synthesis.pool(effects, ["contrast", "tier", "statistic"], 0.01, ["EE"], draws)
    return effects[(effects.contrast == "EE") & (effects.tier == "surface")], pooled


def tuned(sets):
    effects, _ = one_tier(sets)
    return effects.assign(null_low=0.78, null_mean=0.81, null_high=0.84)[
        ["set", "metric", "value", "plain", "null_low", "null_mean", "null_high"]
    ]


def drawings(sets=6):
    effects, pooled = one_tier(sets)
    pairs = pair_model.pair_model(study_pairs(4, np.random.default_rng(1)))
    return {
        "forest": partial(study.forest, effects=effects, pooled=pooled),
        "tier": partial(study.gain_by_tier, pooled=pooled),
        "gap": partial(study.gain_by_gap, pairs=pairs),
        "size": partial(study.gain_by_effective_size, effects=effects),
        "null": partial(study.tuned_and_null, tuned=tuned(sets)),
    }


@pytest.mark.parametrize("name", ["forest", "tier", "gap", "size", "null"])
def test_same_bytes(name, tmp_path):
    made = []
    for run in "ab":
        paths = [tmp_path / f"{run}.svg", tmp_path / f"{run}.pdf"]
        with figure(*paths) as panels:
            drawings()[name](panels[0])
        made.append([path.read_bytes() for path in paths])
    assert made[0] == made[1]
    assert b"<dc:date>" not in made[0][0]
    assert b"CreationDate" not in made[0][1]


def axes():
    return Figure().subplots()


def drawn_markers(panel):
    return {line.get_marker() for line in panel.get_lines()} - {"None", "_", "|"}


def test_forest_has_every_set_and_the_mean():
    panel, (effects, pooled) = axes(), one_tier(8)
    study.forest(panel, effects, pooled)
    labels = [tick.get_text() for tick in panel.get_yticklabels()]
    assert len(labels) == 8 + 4 + 1
    assert labels[:3] == ["wmt2019", "en-00, mqm", "en-01, mqm"]
    assert labels[-1] == "mean"
    assert len(set(panel.get_yticks())) == len(labels)
    diamond = next(each for each in panel.patches if isinstance(each, Polygon)).get_xy()
    assert diamond[:, 0].min() == pytest.approx(pooled.low[0])
    assert diamond[:, 0].max() == pytest.approx(pooled.high[0])
    lines = [line for line in panel.get_lines() if line.get_marker() in "os"]
    marked = np.concatenate([line.get_xdata() for line in lines])
    assert np.sort(marked) == pytest.approx(np.sort(effects.effect))
    assert drawn_markers(panel) == {"o", "s"}


def test_nothing_to_draw_is_said():
    effects, pooled = one_tier(4)
    none, no_pooled = effects.assign(effect=np.nan), pooled.assign(effect=np.nan)
    pairs = pair_model.pair_model(study_pairs(4, np.random.default_rng(1)))
    for draw in (
        partial(study.forest, effects=none, pooled=pooled),
        partial(study.gain_by_tier, pooled=no_pooled),
        partial(study.gain_by_gap, pairs=pairs.assign(estimate=np.nan)),
        partial(study.gain_by_effective_size, effects=none),
        partial(study.tuned_and_null, tuned=tuned(3).assign(value=np.nan)),
    ):
        with pytest.raises(Missing):
            draw(axes())
