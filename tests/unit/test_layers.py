"""BERTScore by every layer of an encoder, and the layer that agrees best with human scores."""

import json

import numpy as np
import pytest
from conftest import ROOT, make_evalset

from mt_difficulty import cli
from mt_difficulty.embedding.baselines import mean_scores, random_pairs
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.layers import AllLayers, layer_scores
from mt_difficulty.embedding.matching import match_tokens
from mt_difficulty.errors import InputError
from mt_difficulty.metrics.bertscore import segment_scores
from mt_difficulty.scoring.layers import layer_table

pytestmark = pytest.mark.usefixtures("one_thread")

CLOSE = {"rtol": 0, "atol": 1e-6}
ARCHIVE = ROOT / "data/demo/archive"


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_every_layer_has_the_scores_of_an_encoder_up_to_it(request, kind, texts):
    folder = request.getfixturevalue(f"small_{kind}")
    reference = [*texts[:34], "", texts[0]]  # of two blocks
    hypotheses = [[*texts[1:35], "x", " "], [text[: len(text) // 2] for text in reference]]
    found = layer_scores(AllLayers(folder, "cpu"), reference, hypotheses)
    assert found.scores.shape == (4, 2, 36, 3)
    pairs = random_pairs(sorted(set(filter(None, reference))))
    for layer in range(4):
        encoder = Encoder(folder, layer, "cpu")
        expected = segment_scores(match_tokens(encoder, reference, hypotheses))
        np.testing.assert_allclose(found.scores[layer], expected, **CLOSE)
        np.testing.assert_allclose(found.baselines[layer], mean_scores(encoder, *pairs), **CLOSE)


def test_the_best_layer_has_the_highest_r_over_rated_hypotheses(small_bert, texts):
    """Human scores that are layer 1's F, of all but one hypothesis, and none of two segments."""
    reference = texts[:20]
    hypotheses = [texts[20:40], texts[40:60]]
    f = segment_scores(match_tokens(Encoder(small_bert, 1, "cpu"), reference, hypotheses))[..., 2]
    gold = f.tolist()
    gold[0][3] = None
    gold[0][7] = gold[1][7] = gold[0][8] = gold[1][8] = np.nan
    evalset = make_evalset(hypotheses, reference, segment_gold=gold)
    table = layer_table(evalset, small_bert, segments=100, seed=1, device="cpu")
    assert table.layer.tolist() == [0, 1, 2, 3]
    assert table.best.tolist() == [False, True, False, False]
    assert table.pearson[1] == pytest.approx(1, abs=1e-6)
    assert table.segments.tolist() == [18] * 4
    assert table.hypotheses.tolist() == [35] * 4
    fewer = layer_table(evalset, small_bert, segments=6, seed=1, device="cpu")
    assert fewer.segments.tolist() == [6] * 4
    again = layer_table(evalset, small_bert, segments=6, seed=1, device="cpu")
    np.testing.assert_array_equal(again.pearson, fewer.pearson)


def test_equal_human_scores_choose_no_layer(small_bert, texts):
    evalset = make_evalset([texts[:3]], texts[3:6], segment_gold=[[1.0, 1.0, 1.0]])
    with pytest.raises(InputError, match="fewer than three human scores of segments, or all"):
        layer_table(evalset, small_bert, segments=3, seed=1)


def test_the_command_prints_each_layer_and_marks_the_best(capsys, small_bert):
    arguments = ["layers", "demo/en-de", "--archive", str(ARCHIVE), "--encoder", str(small_bert)]
    arguments += ["--segments", "12"]
    assert cli.main([*arguments, "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    (best,) = [row["layer"] for row in rows if row["best"]]
    assert [row["layer"] for row in rows if row["pearson"] >= rows[best]["pearson"]] == [best]
    assert cli.main(arguments) == 0
    head, columns, _, *lines = capsys.readouterr().out.splitlines()
    assert head.startswith("demo/en-de: 12 segments, ")
    assert columns.split() == ["layer", "r", "baseline"]
    assert [line.split()[0] for line in lines] == ["0", "1", "2", "3"]
    assert [line.split()[0] for line in lines if line.endswith("best")] == [str(best)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("demo/* --encoder {encoder}", "2 sets. Name one."),
        ("demo/en-de --encoder nowhere", "no folder nowhere"),
        ("demo/en-fr --encoder {encoder}", "en-fr"),
    ],
)
def test_wrong_input_is_one_line(capsys, small_bert, options, message):
    arguments = options.format(encoder=small_bert).split()
    assert cli.main(["layers", *arguments, "--archive", str(ARCHIVE)]) == 1
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
