"""A new statistic is one file and its name in the config."""

import numpy as np
import pytest
import small_run
import small_sets

from mt_difficulty import statistics
from mt_difficulty.evidence.subsets import CORRELATIONS

KEYS = ["metric", "weighting"]
# Ranks instead of signs, so that a system that is far out of place counts more.
MODULE = '''
import numpy as np

from .base import ScoreStatistic


class MeanRankDifference(ScoreStatistic):
    """Negative mean absolute difference of ranks, 0 or less."""

    symbol = "MRD"
    description = "mean difference of ranks, negative"

    def compute(self, scores, gold):
        ranks = [side.argsort(axis=-1).argsort(axis=-1) for side in (scores, gold)]
        return -np.abs(ranks[0] - ranks[1]).mean(axis=-1)
'''


@pytest.fixture
def rank_difference(tmp_path, monkeypatch):
    """As a file among the others, in a folder of its own."""
    (tmp_path / "new").mkdir()
    (tmp_path / "new/rank_difference.py").write_text(MODULE, encoding="utf-8")
    places = [*statistics.__path__, str(tmp_path / "new")]
    monkeypatch.setattr(statistics, "__path__", places)


def test_a_new_statistic_is_in_every_table(tmp_path, rank_difference):
    assert "rank_difference" in statistics.STATISTICS
    small_sets.write(tmp_path / "own", list("abcdefgh"))
    names = [*CORRELATIONS, "accuracy", "rank_difference"]
    own, results = tmp_path / "own", tmp_path / "results"
    folder = small_run.run(own, results, {"chrF": "chrf"}, statistics=names)
    correlations = small_run.table(folder, "correlations.csv")
    correlations = correlations[correlations.subset == "all"].set_index(KEYS).rank_difference
    spread = small_run.table(folder, "correlation_spread.csv")
    assert np.isfinite(spread.rank_difference[spread.draws > 1]).all()
    tested, controls = (
        table[(table.statistic == "rank_difference") & (table.subset == "all")].set_index(KEYS)
        for table in (
            small_run.table(folder, file) for file in ("significance.csv", "controls.csv")
        )
    )
    assert correlations["chrF", "standard"] < 0
    assert tested.value["chrF", "standard"] == correlations["chrF", "standard"]
    row = tested.loc[("chrF", "standard")]
    assert np.isfinite([row.segments_low, row.segments_high]).all()
    assert np.isnan([row.systems_low, row.both_low]).all()  # its variance is not known
    assert "over systems" in row.reason
    random = controls[controls.null == "random"].loc[("chrF", "EE")]
    assert random.low < random.high < 0
