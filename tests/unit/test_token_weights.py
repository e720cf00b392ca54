"""What a paper's page says first of its weighting of tokens: numbers of significance.csv and
controls.csv, and a verdict."""

import pandas as pd
import pytest

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.page import token_weights

KEY = {"metric": "BERTScore", "weighting": "DA", "statistic": "pearson"}


def make(subset="all", size=22, p=0.0001, low=-0.074, high=-0.004, quantile=0.03):
    """Results of a set under DA and EE, which weighs segments."""
    tested = {"value": 0.959, "difference": -0.023, "permutation_p": p}
    tested |= {"difference_both_low": low, "difference_both_high": high}
    of_subset = {**KEY, "subset": subset, "size": size}
    significance = [of_subset | tested, of_subset | tested | {"weighting": "EE"}]
    nulls = {"constant": 0.960, "real_unseen_reference": 0.986, "permuted": 0.961}
    controls = [of_subset | {"null": null, "mean": mean} for null, mean in nulls.items()]
    controls[-1] |= {"low": 0.955, "high": 0.967, "quantile": quantile}
    controls.append(of_subset | {"weighting": "EE", "null": "permuted", "mean": 0.9})
    scores = [
        {**KEY, "system": "a", "signature": "encoder:e5|layer:12|DA"},
        {**KEY, "weighting": "EE", "system": "a", "signature": "encoder:e5|layer:12|EE"},
    ]
    tables = {"significance": significance, "controls": controls, "system_scores": scores}
    frames = {f"{name}.csv": pd.DataFrame(rows) for name, rows in tables.items()}
    return SetFiles("wmt19/en-de", contents=frames)


def test_numbers_of_a_weighting_of_tokens_alone():
    [row] = token_weights.of_set(make())
    assert (row["weighting"], row["encoder"]) == ("DA", "e5, layer 12")
    assert row["standard"] == pytest.approx(0.982)
    assert (row["constant"], row["reference"]) == (0.960, 0.986)
    assert (row["permuted_low"], row["permuted_high"]) == (0.955, 0.967)


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "it harms"),
        ({"p": 0.3}, "we cannot tell"),
        ({"high": 0.01}, "we cannot tell"),
        ({"p": float("nan")}, "not tested"),
        ({"low": float("nan")}, "not tested"),
    ],
)
def test_a_verdict_needs_p_and_interval(changes, verdict):
    [row] = token_weights.of_set(make(**changes))
    text = token_weights.sentences([{"set": "wmt19/en-de", **row}])
    assert f"from 0.982 to 0.959: {verdict}" in text
    assert "equally difficult" in text
    assert "is 0.986" in text


def test_only_printed_subsets_of_the_papers_sets_are_told():
    rows = token_weights.of_set(make("top", 6)) + token_weights.of_set(make("top", 7))
    summaries = [
        {"name": "wmt19/en-de", "token_weights": rows + token_weights.of_set(make())},
        {"name": "wmt24/en-cs", "token_weights": token_weights.of_set(make())},
    ]
    sizes = {"wmt19/en-de": [6]}
    told = token_weights.of_paper("DA", ["BERTScore"], sizes, summaries)
    assert [(row["set"], row["size"]) for row in told] == [("wmt19/en-de", 6), ("wmt19/en-de", 22)]
    assert token_weights.of_paper("DA", ["chrF"], sizes, summaries) == []
    assert token_weights.of_paper("DA-LOO", ["BERTScore"], sizes, summaries) == []
