import numpy as np
import pandas as pd
import pytest

from mt_difficulty.evidence.intervals import holm
from mt_difficulty.papers import significance_tables as st

ENDS = [f"{over}_{end}" for over in st.INTERVALS for end in ("low", "high")]


def significance(metric, weighting, subset, size, statistic, p, difference=0.1):
    interval = dict.fromkeys(ENDS, 0.25)
    difficulty = {"standard": ""}.get(weighting, "chunk_entropy")
    head = {"metric": metric, "weighting": weighting, "difficulty": difficulty}
    head |= {"subset": subset, "size": size}
    tests = {"difference": difference, "permutation_p": p, "williams_p": np.nan, "reason": np.nan}
    return {**head, "statistic": statistic, "value": 0.5, **interval, **tests}


TABLE = {
    "columns": [
        {"label": "En→De", "set": "a/en-de", "subset": "all"},
        {"label": "En→De (top 4)", "set": "a/en-de", "subset": "top", "size": 4},
    ],
    "rows": [
        {"metric": "BLEU", "weighting": "standard"},
        {"metric": "BLEU", "weighting": "EE"},
        {"metric": "ESIM", "weighting": "standard"},
    ],
}
ROWS = pd.DataFrame(
    [
        significance("BLEU", "standard", "all", 9, "pearson", np.nan, np.nan),
        significance("BLEU", "EE", "all", 9, "pearson", 0.0004),
        significance("BLEU", "EE", "all", 9, "kendall", 0.03),
        significance("BLEU", "EE", "top", 4, "pearson", 0.2),
        significance("BLEU", "EE", "top", 6, "pearson", 0.9),  # in no column
        significance("BLEU", "EE", "all", 9, "same_rank", 0.01),  # no statistic of these tables
    ]
)
CONTROLS = [*st.KEYS, "tuned", "null", "quantile"]


@pytest.fixture
def frame():
    place = ("BLEU", "EE", "top", 4, "pearson")
    nulls = {"shuffled": 0.75, "permuted": 0.6, "swapped": np.nan, "retuned": 0.4}
    controls = pd.DataFrame(
        [[*place, "yes", null, quantile] for null, quantile in nulls.items()], columns=CONTROLS
    )
    controls["difficulty"] = "chunk_entropy"
    rows = st.join(ROWS, controls)
    results = {"a/en-de": (rows, lambda metric, weighting: f"no {metric}, {weighting}")}
    return st.statistics_rows(TABLE, results)


def test_every_row_and_column_has_its_statistics_or_a_reason(frame):
    assert frame.columns.tolist() == st.COLUMNS
    found = frame.set_index(["row", "column", "statistic"])
    assert len(found) == 4 + 3  # three more combinations have none
    top = found.loc["EE-BLEU", "En→De (top 4)", "pearson"]
    assert (top.permutation_p, top.tuned) == (0.2, "yes")
    assert top[st.QUANTILES].tolist() == [0.75, 0.6, 0.4]
    other = found.loc["EE-BLEU", "En→De", "pearson"]
    assert other[st.QUANTILES].isna().all()
    assert other.tuned == ""
    assert found.loc["ESIM", "En→De", "pearson"].reason == "no ESIM, standard"
    assert np.isnan(found.loc["ESIM", "En→De", "pearson"].value)
    place = ["metric", "weighting", "difficulty"]
    assert top[place].tolist() == ["BLEU", "EE", "chunk_entropy"]
    assert found.loc["ESIM", "En→De", "pearson"][place].tolist() == ["ESIM", "standard", ""]


def test_holm_is_over_the_tests_of_the_table_alone(frame):
    tests = frame.permutation_p.notna()
    assert frame.permutation_p[tests].tolist() == [0.0004, 0.03, 0.2]
    expected = holm([0.0004, 0.03, 0.2])
    np.testing.assert_allclose(frame.permutation_p_holm[tests], expected)
    assert frame.permutation_p_holm[~tests].isna().all()
