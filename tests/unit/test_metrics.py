"""Metrics against the libraries' own scores: from sums of statistics, nothing may be lost."""

from importlib import metadata
from random import Random

import nltk
import numpy as np
import pytest
import sacrebleu
from conftest import make_evalset
from hypothesis import example, given, settings
from hypothesis import strategies as st

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS, make_metric
from mt_difficulty.metrics.base import TextMetric
from mt_difficulty.metrics.bleu import BLEU
from mt_difficulty.metrics.chrf import ChrF
from mt_difficulty.metrics.meteor import METEOR
from mt_difficulty.metrics.stored import Stored
from mt_difficulty.metrics.ter import TER

CLOSE = {"rel": 0, "abs": 1e-9}
quick = settings(max_examples=150, deadline=None)

WORDS = ["a", "b", "c", "Hund", "hund", ".", ",", "1,5", "3.14", "&quot;", "don't", "x-y", "Ö—ß"]
segments = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(segments, segments), min_size=1, max_size=6)

REFERENCE = [
    "The cat sat on the mat.",
    "A large dog, 1,5 m tall!",
    "",
    "He runs quickly home",
    "Yes",
]
SYSTEMS = [
    ["The cat sat on a mat.", "A big dog of 1,5 m!", "something", "He ran home quickly", "Yes"],
    ["A feline sat.", "dog", "", "", "No"],
    ["THE CAT SAT ON THE MAT.", "a large dog, 1,5 m tall!", "x", "quickly home he runs", "yes yes"],
]


def texts(hypotheses=SYSTEMS, reference=REFERENCE, pair="en-de", **options):
    return make_evalset(hypotheses, reference, pair, **options)


def corpus_score(metric, corpus):
    """The metric's score of one system, from the sums of its segments' statistics."""
    hypotheses, reference = zip(*corpus, strict=True)
    statistics = metric.segment_statistics([hypotheses], reference)
    return float(metric.aggregate(statistics.sum(1), np.full(1, len(corpus)))[0])


def segment_scores(metric, hypotheses, reference):
    return metric.segment_scores(metric.segment_statistics([hypotheses], reference))[0].tolist()


def subsets(count, draws=8, seed=7):
    """Random non-empty sets of segments."""
    random = Random(seed)
    return [sorted(random.sample(range(count), random.randint(1, count))) for _ in range(draws)]


@pytest.fixture(scope="session")
def wordnet(wordnet):
    """Let NLTK find WordNet."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nltk.data, "path", [str(wordnet), *nltk.data.path])
        yield wordnet


@pytest.fixture(scope="module")
def wmt19(excerpt):
    return read_evaluation_set(excerpt / "wmt19", "wmt19", "en-de", "ref", "wmt-z")


def make(name, pair="en-de"):
    """A metric of the registry, by its name; METEOR's caller needs the fixture `wordnet`."""
    return make_metric("ESIM", pair, {"type": name})


@pytest.fixture(params=["bleu", "chrf", "meteor", "ter"])
def text_metric(request):
    if request.param == "meteor":
        request.getfixturevalue("wordnet")
    return make(request.param)


# What every metric promises


def test_only_ter_is_lower_is_better():
    assert {name for name, metric in METRICS.items() if not metric.higher_is_better} == {"ter"}


@pytest.mark.parametrize(
    ("name", "k"),
    [("bleu", 10), ("chrf", 1), ("meteor", 1), ("stored", 1), ("ter", 2), ("wnm", 2)],
)
def test_a_group_without_segments_is_nan(name, k):
    sums, counts = np.zeros((2, 3, k)), np.zeros((2, 3))
    score = METRICS[name].aggregate(sums, counts)
    assert score.shape == (2, 3)
    assert np.isnan(score).all()
    assert not np.isnan(METRICS[name].aggregate(sums, counts + 1)).any()


@pytest.mark.parametrize("name", ["bleu", "chrf", "meteor", "ter"])
def test_without_texts_a_text_metric_is_missing(name):
    found = texts([], [], texts_missing="only scores")
    assert issubclass(METRICS[name], TextMetric)
    with pytest.raises(Missing, match="only scores"):
        make(name).evaluate(found, None)


SIGNATURES = {
    "bleu": f"nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:{sacrebleu.__version__}",
    "chrf": (
        f"nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|version:{sacrebleu.__version__}"
        f"|aggregation:mean|fastchrf:{metadata.version('fastchrf')}"
    ),
    "meteor": (f"nrefs:1|tok:words|wordnet:3.0|aggregation:mean|version:nltk-{nltk.__version__}"),
    "ter": f"nrefs:1|case:lc|tok:tercom|norm:no|punct:yes|asian:no|version:{sacrebleu.__version__}",
}


def test_signatures(text_metric):
    text_metric.evaluate(texts(), None)
    (name,) = (name for name, metric in METRICS.items() if metric is type(text_metric))
    assert text_metric.signature == SIGNATURES[name]


# BLEU


def sacrebleu_score(corpus, tokenize="13a"):
    hypotheses, reference = zip(*corpus, strict=True)
    return sacrebleu.corpus_bleu(hypotheses, [reference], tokenize=tokenize, force=True).score


@quick
@given(corpora)
@example([("", "")])
@example([("", "a b c d")])
@example([("a b c d", "")])
@example([("a", "a")])
@example([("a b c", "a b c")])
@example([("a b c d", "b a d c")])
@example([("a", "a"), ("b c b c a", "c b b c a"), ("", "")])
def test_bleu_of_a_corpus_is_sacrebleus(corpus):
    assert corpus_score(BLEU("en-de"), corpus) == pytest.approx(sacrebleu_score(corpus), **CLOSE)


@quick
@given(segments, segments)
@example("", "")
@example("a b", "a b")
@example("a b", "b a")
@example("a b c d e", "a")
def test_bleu_of_a_segment_is_sacrebleus(hypothesis, reference):
    (found,) = segment_scores(BLEU("en-de"), [hypothesis], [reference])
    expected = sacrebleu.sentence_bleu(hypothesis, [reference]).score
    assert found == pytest.approx(expected, **CLOSE)


CHINESE = [
    ("我喜欢这只很大的猫。", "我喜欢那只很大的狗。"),
    ("他在2019年来到北京", "他2019年来到了北京"),
]
JAPANESE = [
    ("私は大きな猫が好きです。", "私は大きな犬が好きです。"),
    ("東京に行きました", "東京へ行きました"),
]
ENGLISH = [("It’s the «old»/new 1,5-fold cat–dog", "It’s an «old»/new 1,5-fold cat–bird")]


@pytest.mark.parametrize(
    ("pair", "setting", "corpus", "tokenizer"),
    [
        ("en-zh", {}, CHINESE, "zh"),
        ("en-ja", {}, JAPANESE, "ja-mecab"),
        ("zh-en", {}, ENGLISH, "13a"),
        ("en-de", {"tokenize": "intl"}, ENGLISH, "intl"),
        ("en-de", {"tokenize": "none"}, ENGLISH, "none"),
        ("en-zh", {"tokenize": "char"}, CHINESE, "char"),
    ],
)
def test_bleus_tokenizer(pair, setting, corpus, tokenizer):
    bleu = BLEU(pair, **setting)
    expected = sacrebleu_score(corpus, tokenizer)
    assert corpus_score(bleu, corpus) == pytest.approx(expected, **CLOSE)
    assert f"|tok:{tokenizer}" in bleu.signature
    if tokenizer != "13a":
        assert abs(expected - sacrebleu_score(corpus)) > 0.1


def test_bleu_of_wmt_as_published(wmt19):
    """Zhan et al. 2021, Table 2: BLEU of Facebook and MSRA, with the tokenizer `intl`."""
    numbers = [wmt19.systems.index(name) for name in ["Facebook_FAIR.6862", "MSRA.MADL.6926"]]
    bleu = BLEU("en-de", tokenize="intl")
    statistics = bleu.segment_statistics([wmt19.hypotheses[n] for n in numbers], wmt19.reference)
    scores = bleu.aggregate(statistics.sum(1), np.full(2, len(wmt19.reference)))
    assert scores.round(2).tolist() == [43.64, 46.03]


# chrF


def sentence_chrf(hypothesis, reference):
    return sacrebleu.sentence_chrf(hypothesis, [reference]).score


lines = st.text(st.sampled_from("abcé猫が😀\u0301 \t\u3000\x1c\x85\u200b\x00"), max_size=20)


@quick
@given(st.lists(st.tuples(lines, lines), min_size=1, max_size=6))
@example([(" \t", "a"), ("a", "\u3000"), (" ", ""), ("abcdefg", "abcdefg")])
@example([("e\u0301e\u0301", "é"), ("😀😀", "😀"), ("猫が寝る", "猫が寝た。")])
@example([("ab" * 5000, "ba" * 6000), ("the cat " * 2000, "the mat " * 1500)])
def test_chrf_of_any_text_is_sacrebleus_bit_by_bit(corpus):
    expected = [sentence_chrf(hypothesis, reference) for hypothesis, reference in corpus]
    assert segment_scores(ChrF("en-de"), *zip(*corpus, strict=True)) == expected
    assert corpus_score(ChrF("en-de"), corpus) == pytest.approx(np.mean(expected), **CLOSE)


def test_chrf_of_wmt(wmt19):
    systems, reference = [system[:100] for system in wmt19.hypotheses], wmt19.reference[:100]
    found = ChrF("en-de").segment_statistics(systems, reference)
    expected = [list(map(sentence_chrf, system, reference)) for system in systems]
    assert found[..., 0].tolist() == expected


# TER


@quick
@given(corpora)
@example([("", "")])
@example([("a b", "")])
@example([("a b", ""), ("", "a"), ("a b c", "c b a b")])
def test_ter_of_a_corpus_is_sacrebleus(corpus):
    hypotheses, reference = zip(*corpus, strict=True)
    expected = sacrebleu.corpus_ter(hypotheses, [reference]).score
    assert corpus_score(TER("en-de"), corpus) == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize(
    ("hypothesis", "reference"), [(40, 40), (60, 55), (5, 300), (300, 5), (1, 90)]
)
def test_ter_of_shuffled_words_is_sacrebleus(hypothesis, reference):
    """Texts with many shifts, and more candidates than sacreBLEU looks at; and of lengths for
    which its beam is wider."""
    random = Random(1)
    corpus = [
        (
            " ".join(random.choices("abcdefghijklmnop", k=hypothesis)),
            " ".join(random.choices("abcdefghijklmnop", k=reference)),
        )
        for _ in range(3)
    ]
    statistics = TER("en-de").segment_statistics([[h for h, _ in corpus]], [r for _, r in corpus])
    expected = [sacrebleu.sentence_ter(h, [r]) for h, r in corpus]
    assert statistics[0].tolist() == [[score.num_edits, score.ref_length] for score in expected]


@pytest.mark.parametrize(
    ("pair", "hypothesis", "reference", "score"),
    [
        ("en-zh", "我喜欢猫", "我喜欢狗", 25),
        ("en-zh", "我在 2019年", "我在2019年。", 20),
        ("en-ja", "東京へ", "京都へ", 200 / 3),
        ("zh-en", "I like cats.", "I like dogs", 100 / 3),
        ("en-de", "我喜欢猫", "我喜欢狗", 100),
    ],
)
def test_ter_counts_chinese_characters_where_there_are_no_spaces(
    pair, hypothesis, reference, score
):
    ter, without_spaces = TER(pair), pair in ("en-zh", "en-ja")
    assert corpus_score(ter, [(hypothesis, reference)]) == pytest.approx(score, **CLOSE)
    options = {"normalized": without_spaces, "asian_support": without_spaces}
    expected = sacrebleu.corpus_ter([hypothesis], [[reference]], **options).score
    assert score == pytest.approx(expected, **CLOSE)
    assert ("|norm:yes|punct:yes|asian:yes|" in ter.signature) == without_spaces


def test_ter_of_wmt(wmt19):
    ter = TER("en-de")
    system, reference = wmt19.hypotheses[5][:25], wmt19.reference[:25]
    (statistics,) = ter.segment_statistics([system], reference)
    for subset in subsets(25, draws=3):
        expected = sacrebleu.corpus_ter(
            [system[i] for i in subset], [[reference[i] for i in subset]]
        ).score
        found = ter.aggregate(statistics[subset].sum(0), np.array(len(subset)))
        assert found == pytest.approx(expected, **CLOSE)


# METEOR


def plain_meteor(hypothesis, reference):
    """NLTK's, with its own stemmer and WordNet, of lists of tokens."""
    from nltk.translate.meteor_score import single_meteor_score

    return single_meteor_score(reference, hypothesis)


ENGLISH_WORDS = (
    "car automobile dogs dog ran run running Runs quick fast big large . the The".split()
)
english = st.lists(st.sampled_from(ENGLISH_WORDS), max_size=8)


@pytest.mark.usefixtures("wordnet")
@quick
@given(st.lists(st.tuples(english, english), min_size=1, max_size=4))
def test_meteor_with_looked_up_words_is_nltks(corpus):
    hypotheses = [" ".join(hypothesis) for hypothesis, _ in corpus]
    reference = [" ".join(tokens) for _, tokens in corpus]
    expected = [plain_meteor(hypothesis, tokens) for hypothesis, tokens in corpus]
    assert segment_scores(METEOR("zh-en"), hypotheses, reference) == expected
    score = corpus_score(METEOR("zh-en"), list(zip(hypotheses, reference, strict=True)))
    assert score == pytest.approx(np.mean(expected), **CLOSE)


@pytest.mark.usefixtures("wordnet")
@pytest.mark.parametrize("pair", ["en-zh", "en-ja"])
def test_meteor_of_characters(pair):
    hypothesis, reference = "我 喜欢\u3000猫。", "我喜欢狗。"
    meteor = METEOR(pair)
    expected = plain_meteor(list("我喜欢猫。"), list("我喜欢狗。"))
    assert 0 < expected < 1
    assert corpus_score(meteor, [(hypothesis, reference)]) == pytest.approx(expected, **CLOSE)
    assert "|tok:characters|" in meteor.signature
    assert corpus_score(METEOR("en-de"), [(hypothesis, reference)]) == 0


@pytest.mark.usefixtures("wordnet")
def test_meteor_of_wmt(wmt19):
    system, reference = wmt19.hypotheses[0][:40], wmt19.reference[:40]
    expected = [plain_meteor(h.split(), r.split()) for h, r in zip(system, reference, strict=True)]
    assert segment_scores(METEOR("en-de"), system, reference) == expected


# Stored scores


def put_scores(folder, file, lines, pair="en-de"):
    path = folder / "metric-scores" / pair / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))
    return path


def seg_lines(systems, segments, first=0.0):
    return [f"{name}\t{first + i}" for name in systems for i in range(segments)]


def test_stored_segment_scores_are_preferred(tmp_path):
    put_scores(tmp_path, "ESIM-refA.sys.score", ["S0 9", "S1 9", "S2 9"])
    put_scores(tmp_path, "ESIM-refA.seg.score", seg_lines(["S2", "other", "S0", "S1"], 5, 0.25))
    put_scores(tmp_path, "ESIM-src.seg.score", seg_lines(["S0", "S1", "S2"], 5, 100))
    stored = Stored("en-de", "ESIM")
    statistics = stored.evaluate(texts(), tmp_path)
    assert statistics.shape == (3, 5, 1)
    assert statistics[1, :, 0].tolist() == [0.25, 1.25, 2.25, 3.25, 4.25]
    assert stored.aggregate(statistics.sum(1), np.full(3, 5)).tolist() == [2.25] * 3
    assert stored.signature == "stored:ESIM-refA.seg.score"


def test_stored_scores_follow_the_systems_order(tmp_path):
    put_scores(tmp_path, "ESIM-refA.sys.score", ["S2 0.75", "S0 0.25", "refA None", "S1 0.5"])
    stored = Stored("en-de", "ESIM")
    statistics = stored.evaluate(texts(), tmp_path)
    assert statistics.tolist() == [[[0.25]], [[0.5]], [[0.75]]]
    assert stored.aggregate(statistics.sum(1), np.ones(3)).tolist() == [0.25, 0.5, 0.75]
    assert stored.signature == "stored:ESIM-refA.sys.score"


@pytest.mark.parametrize("level", ["seg", "sys"])
def test_stored_scores_without_a_reference(tmp_path, level):
    count = 5 if level == "seg" else 1
    put_scores(tmp_path, f"YiSi-2-refB.{level}.score", ["S0 7"])
    put_scores(tmp_path, f"YiSi-2-src.{level}.score", seg_lines(["S0", "S1", "S2"], count))
    stored = Stored("en-de", "YiSi-2")
    assert stored.evaluate(texts(), tmp_path).shape == (3, count, 1)
    assert stored.signature == f"stored:YiSi-2-src.{level}.score"


@pytest.mark.parametrize(
    "elsewhere", [None, ("ESIM2-refA.sys.score", "en-de"), ("ESIM-refA.sys.score", "de-en")]
)
def test_stored_scores_that_are_missing(tmp_path, elsewhere):
    if elsewhere:
        put_scores(tmp_path, elsewhere[0], ["S0 1", "S1 1", "S2 1"], pair=elsewhere[1])
    with pytest.raises(Missing) as error:
        Stored("en-de", "ESIM").evaluate(texts(), tmp_path)
    assert str(error.value) == "the archive has no ESIM scores of wmt99 en-de"


@pytest.mark.parametrize(
    ("level", "lines"),
    [
        ("sys", ["S0 1", "S2 1"]),
        ("sys", ["S0 1", "S1 None", "S2 1"]),
        ("seg", seg_lines(["S0", "S2"], 5)),
        ("seg", [*seg_lines(["S0", "S2"], 5), "S1 1", "S1 1", "S1 None", "S1 1", "S1 1"]),
    ],
    ids=["no line", "None", "no lines", "None for a segment"],
)
def test_a_stored_score_of_a_system_that_is_missing(tmp_path, level, lines):
    path = put_scores(tmp_path, f"ESIM-refA.{level}.score", lines)
    with pytest.raises(Missing) as error:
        Stored("en-de", "ESIM").evaluate(texts(), tmp_path)
    assert str(error.value) == f"{path.name} has no score, or not all, of system S1"
