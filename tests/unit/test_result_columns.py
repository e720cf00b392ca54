"""Every column of a result table is defined once, in tables.py."""

import numpy as np
import pandas as pd
import pytest

from mt_difficulty import storage
from mt_difficulty.evidence import (
    estimators,
    gains,
    metric_table,
    nulls,
    parameters,
    study,
    synthesis,
)
from mt_difficulty.papers import audit, tables
from mt_difficulty.statistics import STATISTICS
from mt_difficulty.tables import COLUMNS, column_of

TABLES = {
    "correlations of a paper": tables.STATISTICS_COLUMNS,
    "audit": audit.COLUMNS,
    "claims": audit.CLAIM_COLUMNS,
    "significance": gains.COLUMNS,
    "comparisons of systems": gains.COMPARISONS,
    "intervals of systems": gains.INTERVALS,
    "agreement": metric_table.COLUMNS,
    "tests of metrics": metric_table.TESTS,
    "averages": metric_table.AVERAGES,
    "controls": nulls.COLUMNS,
    "human rankings": nulls.RANKING_COLUMNS,
    "parameters": [*parameters.KEYS, *parameters.POINT_COLUMNS, *parameters.TUNED_COLUMNS],
    "ablation": parameters.ABLATION_COLUMNS,
    "effects": study.EFFECTS,
    "draws of nulls": study.NULL_DRAWS,
    "pairs": study.PAIRS,
    "tuned": study.TUNED,
    "synthesis": [*synthesis.KEYS, *synthesis.Pooled._fields, *synthesis.FIXED],
    "power": synthesis.POWER,
    "model of pairs": synthesis.PAIR_COLUMNS,
    "difficulties": estimators.COLUMNS,
    "difficulties by system": estimators.SYSTEM_COLUMNS,
    "tests of difficulties": estimators.TEST_COLUMNS,
    "hard segments": estimators.SEGMENT_COLUMNS,
    "selection": estimators.SELECTION_COLUMNS,
    "leaderboard": estimators.LEADERBOARD,
}


@pytest.mark.parametrize("table", TABLES)
def test_the_columns_of_a_table_are_defined(table):
    assert [x for x in TABLES[table] if x not in COLUMNS and x not in STATISTICS] == []


def test_tables_are_read_by_the_definitions(tmp_path):
    """Names of systems stay as they are, whatever they look like."""
    frame = pd.DataFrame({"system": ["2019", "1.0", "NA"], "score": [1.5, np.nan, 3]})
    storage.write_table(tmp_path / "t.csv", frame)
    found = storage.read_table(tmp_path / "t.csv")
    assert found.system.tolist() == ["2019", "1.0", "NA"]
    np.testing.assert_array_equal(found.score, [1.5, np.nan, 3])
    assert not column_of("a name that is not there").is_number
