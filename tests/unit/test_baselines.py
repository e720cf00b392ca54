"""Baselines of encoders: bert-score's, computed, given or none."""

import numpy as np
import pytest
from bert_score.utils import bert_cos_score_idf
from conftest import make_evalset
from transformers import AutoModel, AutoTokenizer

from mt_difficulty.embedding import baselines, encoders
from mt_difficulty.embedding.baselines import PAIRS, check, find, mean_scores, parse, random_pairs
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.settings import EncoderSettings

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2


@pytest.mark.parametrize("kind", ["bert", "roberta"])
def test_computed_baselines_are_bert_scores_of_the_same_pairs(request, kind, texts):
    """Against the function that bert-score's own baselines were made with, without idf."""
    folder = request.getfixturevalue(f"small_{kind}")
    first, second = random_pairs(sorted(set(texts))[:40])
    found = mean_scores(Encoder(folder, LAYER, device="cpu"), first[:60], second[:60])
    tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    model = AutoModel.from_pretrained(folder).eval()
    model.encoder.layer = model.encoder.layer[:LAYER]
    weights = dict.fromkeys(range(len(tokenizer)), 1.0)
    weights[tokenizer.cls_token_id] = weights[tokenizer.sep_token_id] = 0.0
    scores = bert_cos_score_idf(
        model, second[:60], first[:60], tokenizer, weights, batch_size=1, device="cpu"
    )
    expected = scores.double().mean(dim=0)[: len(found)].numpy()
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6)
    assert 0.01 < found[2] < 0.95


@pytest.mark.parametrize("sentences", [2, 5, 40, PAIRS, PAIRS + 500])
def test_pairs_are_of_different_sentences_and_none_twice(sentences):
    names = [str(number) for number in range(sentences)]
    first, second = random_pairs(names)
    pairs = set(zip(first, second, strict=True))
    assert len(pairs) == len(first) == min(PAIRS, sentences * (sentences - 1))
    assert [pair for pair in pairs if pair[0] == pair[1]] == []
    assert len({*first, *second}) == min(PAIRS, sentences)
    assert random_pairs(names) == (first, second)


def settings_of(folder, baseline, model="mine"):
    files = encoders.checksums("mine", folder)
    return EncoderSettings("mine", model, LAYER, device="cpu", files=files, baseline=baseline)


def test_a_baseline_depends_on_the_references_alone(small_bert, texts, tmp_path):
    references = texts[:30]
    computed = find(
        settings_of(small_bert, "auto"), make_evalset([references], references), small_bert
    )
    assert computed.origin.startswith("870 random pairs of the set's references (")
    assert computed.origin.endswith(f"), seed {baselines.SEED}")
    assert computed.notices == []  # 870 pairs are enough
    shuffled = [*references[::-1], references[0], " "]
    other = make_evalset([["x"] * 32, ["y"] * 32], shuffled)
    for _ in range(2):  # the second time from the cache
        again = find(settings_of(small_bert, "computed"), other, small_bert, cache_folder=tmp_path)
        np.testing.assert_array_equal(again.values, computed.values)
        assert again.origin == computed.origin
    more = find(settings_of(small_bert, "auto"), make_evalset([texts[:31]], texts[:31]), small_bert)
    assert more.origin != computed.origin
    assert more.values[2] != computed.values[2]


def test_bert_scores_own_baseline_comes_first(small_bert, texts):
    model = "bert-base-multilingual-cased"
    evalset = make_evalset([texts[:9]], texts[:9])
    expected = np.float32(encoders.baseline(model, LAYER, "de"))
    found = find(settings_of(small_bert, "auto", model), evalset, small_bert)
    np.testing.assert_array_equal(found.values, expected)
    assert found.origin == "bert-score"
    computed = find(settings_of(small_bert, "computed", model), evalset, small_bert)
    assert computed.origin.startswith("72 random pairs")
    (notice,) = computed.notices  # of nine references
    assert "is computed from 72 pairs of references, all that there are" in notice
    assert found.notices == []
    assert computed.values[2] != expected[2]


def test_baselines_that_are_given_or_none():
    evalset = make_evalset([["a", "b"]], ["a", "a"])
    given = find(settings_of_nothing([0.1, 0.2, 0.3]), evalset, "no folder")
    np.testing.assert_array_equal(given.values, np.float32([0.1, 0.2, 0.3]))
    assert given.origin == "given"
    for setting, why in (("none", "baseline: none"), ("computed", "no two different references")):
        absent = find(settings_of_nothing(setting), evalset, "no folder")
        assert np.isnan(absent.values).all()
        assert why in absent.origin


def settings_of_nothing(baseline):
    return EncoderSettings("mine", "mine", LAYER, baseline=baseline)


def test_settings_are_rules_or_numbers():
    assert check(0.5) == parse("0.5") == [0.5] * 3
    assert check([0.1, 0, 0.3]) == parse("0.1,0,0.3") == [0.1, 0.0, 0.3]
    for rule in baselines.RULES:
        assert check(rule) == parse(rule) == rule


@pytest.mark.parametrize("setting", ["some", 1, -1.5, [0.1, 0.2], True, None, [0.1, "a", 0.2]])
def test_other_settings_are_refused(setting):
    with pytest.raises(ValueError, match="expected auto, computed or none, or b, or three numbers"):
        check(setting)
