"""Tables and figures of papers from results made up for the purpose, of words and of characters."""

import naive
import numpy as np
import pandas as pd
import pytest
from conftest import figure_of, make_evalset, settings_of, table_of
from matplotlib import pyplot
from test_token_weighting import Texts

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.embedding import select
from mt_difficulty.figures import results
from mt_difficulty.papers import Inputs, case_studies, tables
from mt_difficulty.settings import MetricSettings
from mt_difficulty.settings.protocol import PrintedInputs
from mt_difficulty.weighting import DA as token_weighting
from mt_difficulty.weighting import fitted
from mt_difficulty.weighting.base import WeightedMetric

NAME = "lab/en-xx"
# A reference and two systems, of which the second exchanges words: three chunks.
TEXTS = {
    "en-de": (["der Hund  schläft nicht"], [["der Hund  schläft nicht"], ["der Katze schläft"]]),
    "en-zh": (["狗不 睡觉"], [["狗不 睡觉"], ["狗猫睡觉"]]),
}
NO_ROWS = pd.DataFrame(columns=["metric", "weighting", "reason"])


DIFFICULTIES = {
    "gaps": {"type": "chunk_entropy", "aligner": "exact"},
    "words": {"type": "length"},
    "missed": {"type": "token_dissimilarity"},
    "missed_by_others": {"type": "token_dissimilarity", "leave_one_out": True},
}
WEIGHTINGS = {
    "E2": {"type": "EE", "difficulty": "gaps", "threshold": 0.1, "easy_weight": 0.3},
    "top": {"type": "hardest", "difficulty": "gaps", "share": 0.5},
    "T": {"type": "DA", "difficulty": "missed"},
    "E2-T": {"type": "combined", "segments": "E2", "tokens": "T"},
}
SETTINGS = settings_of(
    metrics={"B": {"type": "chrf"}}, difficulties=DIFFICULTIES, weightings=WEIGHTINGS
)


def inputs_of(contents, **more):
    more = {"systems": {NAME: 2}, "types": {"B": "chrf"}, "settings": {NAME: SETTINGS}} | more
    return Inputs({NAME: SetFiles(NAME, contents)}, **more)


def difficulty_arrays(found, name):
    estimator = make_estimator(SETTINGS.difficulties[name])
    values = estimator.estimate(found, None)
    difficulty = estimator.difficulty(values, np.arange(len(found.systems)))
    return {"difficulty": difficulty, "signature": estimator.signature, **estimator.details}


def results_of(found, **more):
    """A set's texts, difficulties and weightings, with further files."""
    contents = {
        f"difficulty/{name}.npz": difficulty_arrays(found, name) for name in ("gaps", "words")
    }
    described = fitted.describe(
        SetFiles(NAME, contents), found.systems, SETTINGS.difficulties, SETTINGS.weightings
    )
    contents |= {"evalset.json": found, "weightings.json": described, "missing.csv": NO_ROWS}
    return contents | more


def set_of(pair, **more):
    reference, hypotheses = TEXTS[pair]
    return results_of(make_evalset(hypotheses, reference, pair), **more)


def statistics(values):
    """Of a metric whose segment scores are these, (systems, segments)."""
    systems = [f"S{number}" for number in range(len(values))]
    return {
        "statistics": np.array(values, dtype=float)[:, :, None],
        "systems": np.array(systems),
        "signature": "",
    }


CASE = {
    "kind": "case_study",
    "set": NAME,
    "metric": "B",
    "weighting": "E2",
    "difficulty": "gaps",
    "labels": ["BERTScore", "EE-BERTScore", "entropy"],
    "rows": [
        {"label": "A", "system": "S0", "segment": 1, "published": [0.1] * 7},
        {"label": "B", "system": "S1", "segment": 1, "published": [0.1] * 7},
        {"label": "C", "system": "S9", "segment": 1, "published": [0.1] * 7},
    ],
    "difficult_segments": {"label": "S1", "system": "S1", "published": 2},
}
NOT_COMPUTED = pd.DataFrame(
    [["B", "standard", "no encoder"], ["B", "E2", "no encoder"]],
    columns=["metric", "weighting", "reason"],
)


@pytest.mark.parametrize(
    ("pair", "expected"),
    [
        ("en-de", ["[der Hund schläft nicht]", "[der] Katze [schläft]"]),
        ("en-zh", ["[狗不 睡觉]", "[狗]猫[睡觉]"]),
    ],
)
def test_case_studies_cut_a_text_by_the_sets_units(pair, expected):
    contents = set_of(pair) | {"missing.csv": NOT_COMPUTED}
    cells, texts = tables.make_table("t", table_of(CASE), inputs_of(contents))
    assert list(texts.values()) == expected
    found = {(cell.row, cell.column): cell for cell in cells}
    # Two chunks in n matched tokens have the entropy of their shares, here 1/2 or 1/3 and 2/3.
    share = 1 / 2 if pair == "en-de" else 1 / 3
    entropy = -(share * np.log10(share) + (1 - share) * np.log10(1 - share))
    assert found["A", "entropy"].reproduced == 0
    assert found["B", "entropy"].reproduced == pytest.approx(entropy)
    assert found["C", "entropy"].reason == "S9 is not among the ranked systems"
    assert found["B", "BERTScore segment"].reason == "no encoder"
    assert found["S1", "difficult segments"].reproduced == 1


REFERENCE = ["der Hund schläft", "der Hund bellt", "die Katze schläft"]
SECOND = ["der Katze schläft", "der Hund bellt", "die Katze schläft"]
SCORES = [[1.0] * 3, [0.25, 1, 0.85]]
ROW = {"label": "B", "system": "S1", "segment": 1, "published": [0.1] * 7}


def case_of(**table):
    """The cells of a case study by column, and those of the set that it is of."""
    found = make_evalset([REFERENCE, SECOND], REFERENCE)
    contents = results_of(found, **{"statistics/B.npz": statistics(SCORES)})
    case = {key: value for key, value in CASE.items() if key != "difficult_segments"}
    case = table_of(case | {"rows": [ROW]} | table)
    cells, _ = tables.make_table("t", case, inputs_of(contents))
    return {cell.column: cell for cell in cells}


def test_case_studies_weigh_segments_by_group():
    found = case_of()
    # The one difficult segment has 1 − w of the weight.
    weighted = 0.3 * (1 + 0.85) / 2 + 0.7 * 0.25
    assert found["EE-BERTScore system"].reproduced == pytest.approx(weighted)
    share = found["EE-BERTScore contribution %"].reproduced
    assert share == pytest.approx(100 * 0.7 * 0.25 / weighted)
    share = found["BERTScore contribution %"].reproduced
    assert share == pytest.approx(100 / 3 * 0.25 / 0.7)
    assert found["EE-BERTScore segment"].reproduced == pytest.approx(0.25)


FITTED = {"E2": WEIGHTINGS["E2"] | {"threshold": "mean_plus_2sd"}}


@pytest.mark.parametrize(
    ("weightings", "noted"),
    [
        (WEIGHTINGS, ""),  # h and w are given, and every system has its own entropies
        (WEIGHTINGS | FITTED, "EE-BERTScore"),
    ],
)
def test_case_studies_of_other_systems_note_what_is_fitted_to_all(weightings, noted):
    found = make_evalset([REFERENCE, SECOND], REFERENCE)
    contents = results_of(found, **{"statistics/B.npz": statistics(SCORES)})
    files = SetFiles(NAME, contents)
    settings = settings_of(
        metrics={"B": {"type": "chrf"}}, difficulties=DIFFICULTIES, weightings=weightings
    )
    described = fitted.describe(files, found.systems, settings.difficulties, settings.weightings)
    contents["weightings.json"] = described
    inputs = inputs_of(contents, systems={NAME: 9}, settings={NAME: settings})
    cells, _ = tables.make_table("t", table_of(CASE | {"rows": [ROW]}), inputs)
    note = "2 systems in this archive, 9 in the paper"
    columns = {cell.column for cell in cells if cell.systems_note == note}
    wanted = {"EE-BERTScore segment", "EE-BERTScore system", "EE-BERTScore contribution %"}
    assert columns == (wanted | {"difficult segments"} if noted else set())
    assert inputs.other_systems_at(NAME, "gaps") == ""
    assert inputs.other_systems_for(NAME, "T") == note  # averaged over systems
    assert inputs.other_systems_for(NAME, "E2-T") == note


TOKENS = {"set": NAME, "metric": "N", "size": 2}
TOKEN_CASES = TOKENS | {
    "kind": "token_cases",
    "weighting": "T",
    "labels": ["N", "T-N"],
    "digits": 3,
    "rows": [
        {"label": "Case 1 A", "system": "S0", "segment": 2, "published": [0.1, 0.1]},
        {"label": "Case 1 B", "system": "S2", "segment": 2, "published": [0.1, 0.1]},
    ],
}


@pytest.fixture
def tokens():
    """The files of a set of three systems with token matches, the last system first by gold, and
    its matches."""
    matches = Texts(4, 3, 5).matches()
    texts = [" ".join("x" * n) for n in matches.reference_lengths]
    found = make_evalset([texts] * 3, texts)
    found.gold[:] = [0.2, 0.1, 0.3]
    offsets = [(2 * n, 2 * n + 1) for length in matches.reference_lengths for n in range(length)]
    arrays = vars(matches) | {"reference_offsets": np.array(offsets), "signature": ""}
    scores = np.random.default_rng(0).random((3, 5))
    contents = results_of(
        found,
        **{"matches/tiny.npz": arrays | {"baseline": np.full(3, np.nan), "baseline_from": "none"}},
        **{"statistics/N.npz": statistics(scores)},
    )
    return contents, matches, scores


def token_inputs(contents, **more):
    metrics = {"N": MetricSettings("bertscore")}
    settings = SETTINGS._replace(metrics=metrics, matches={"N": "matches/tiny.npz"})
    more = {"systems": {NAME: 3}, "types": {"N": "bertscore"}} | more
    return inputs_of(contents, settings={NAME: settings}, **more)


@pytest.mark.parametrize("weighting", ["T", "E2-T"])
def test_token_cases_are_of_the_best_systems(tokens, weighting):
    contents, matches, scores = tokens
    table = table_of(TOKEN_CASES | {"weighting": weighting})
    cells, texts = tables.make_table("t", table, token_inputs(contents))
    found = {(cell.row, cell.column): cell.reproduced for cell in cells}
    among = select(matches, np.array([2, 0]))
    difficulty = naive.token_difficulty(among.reference_similarity)
    settings = token_weighting.DA()
    expected = settings.aggregate(
        token_weighting.segment_scores(among, difficulty, settings), np.ones((2, 5))
    )
    for label, system, place in (("Case 1 A", 0, 1), ("Case 1 B", 2, 0)):
        assert found[label, "N"] == pytest.approx(scores[system, 1]), label
        assert found[label, "T-N"] == pytest.approx(expected[place, 1]), label
    assert list(texts) == ["Case 1 Ref", "Case 1 A", "Case 1 B"]
    # Of all tokens of the set the most difficult tenth is marked.
    harder = (difficulty[0] > difficulty[0][:, None]).mean(axis=1)
    marks = harder[matches.reference_segment == 1] < 0.1
    assert texts["Case 1 Ref"].split() == ["**x**" if mark else "x" for mark in marks]
    assert {cell.systems_note for cell in cells} == {""}
    others = token_inputs(contents, systems={NAME: 9})
    cells, _ = tables.make_table("t", table, others)
    note = "3 systems in this archive, 9 in the paper"
    assert [cell.systems_note for cell in cells] == ["", note] * 2


def test_shares_of_segments_are_those_of_their_scores():
    rng = np.random.default_rng(0)
    statistics, weights = rng.random((3, 6, 1)), rng.random((3, 6, 2))
    one = WeightedMetric(lambda s, n: s[..., 0] / n, statistics, weights, np.array([0.3, 0.7]))
    shares = one.segment_shares()
    parts = shares * case_studies.segment_scores(one)
    np.testing.assert_allclose(parts.sum(axis=1), one.scores())
    np.testing.assert_allclose(one.unweighted().segment_shares(), 1 / 6)


TOP_K = pd.DataFrame(
    [["N", "standard", "top", 3, 0.4], ["N", "T", "top", 3, 0.6]],
    columns=["metric", "weighting", "subset", "size", "pearson"],
)
PRINTED = PrintedInputs(
    systems=["S1", "S2"],
    human={"text [flu]": [2.5, None]},
    scores={"bleu": {"text": [0.2, 0.3]}},
    readability={},
    reference="text",
    powers={"bleu": 2},
)
HYPOTHESES = [{"label": "Case A", "segment": 2, "system": "S1"}]
TOKEN_FIGURE = TOKENS | {"difficulty": "missed"}


@pytest.mark.parametrize(
    ("entry", "shown", "reason"),
    [
        ({"kind": "balance_fit", "sets": [NAME], "weighting": "E2"}, "", "a line needs three sets"),
        (
            {"kind": "chunks", "set": NAME, "difficulty": "gaps", "hypotheses": HYPOTHESES},
            "Case A, H = 0.",
            "",
        ),
        (
            {
                "kind": "chunks",
                "set": NAME,
                "difficulty": "gaps",
                "hypotheses": [HYPOTHESES[0] | {"system": "S9"}],
            },
            "not computable",
            "S9 is not among the ranked systems",
        ),
        ({"kind": "difficulty_scores", "set": NAME, "metric": "N", "difficulty": "words"}, "", ""),
        ({"kind": "score_bars", "scores": "human"}, "human score", ""),
        ({"kind": "score_bars", "scores": "bleu"}, "BLEU", ""),
        (
            {
                "kind": "segment_difficulties",
                "sets": [NAME],
                "difficulty": "words",
                "weighting": "E2",
            },
            NAME,
            "",
        ),
        (TOKEN_FIGURE | {"kind": "token_difficulties"}, "the best 2", ""),
        (TOKEN_FIGURE | {"kind": "token_heat_map", "segment": 2}, f"{NAME}, segment 2", ""),
        ({"kind": "top_k", "set": NAME, "metrics": ["N"]}, "T-N", ""),
        ({"kind": "top_k", "set": NAME, "metrics": ["N"], "weightings": ["standard"]}, "N", ""),
    ],
)
def test_every_kind_of_figure_is_drawn_or_says_why_not(tokens, entry, shown, reason):
    contents, _, _ = tokens
    inputs = token_inputs(contents | {"correlations.csv": TOP_K}, printed=PRINTED)
    wanted = figure_of(entry)
    drawn, axes = pyplot.subplots()
    value, why = results.draw([axes], wanted, inputs)
    titles = [axes.get_title(loc=place) for place in ("left", "center")]
    texts = [*titles, axes.get_ylabel(), *(text.get_text() for text in axes.texts)]
    if legend := axes.get_legend():
        texts += [text.get_text() for text in legend.get_texts()]
    pyplot.close(drawn)
    assert why.startswith(reason)
    assert bool(why) == bool(reason)
    assert any(shown in text for text in texts), texts
    assert np.isfinite(value) == (wanted.kind == "difficulty_scores")
    assert results.marks_of(wanted, inputs) == {"substitute": "", "systems_note": ""}
