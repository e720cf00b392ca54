"""Metrics against the libraries' own scores: from sums of statistics, nothing may be lost."""

import inspect
from collections import Counter
from functools import reduce
from itertools import pairwise, product
from operator import or_
from random import Random

import nltk
import numpy as np
import pytest
import sacrebleu
from conftest import make_evalset
from hypothesis import example, given, settings
from hypothesis import strategies as st
from memory import peak_of
from numba.core.caching import NullCache
from numba.core.dispatcher import Dispatcher

from mt_difficulty.compiled import ngrams, ter_edits
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS, base, bleu, make_metric, metric_settings
from mt_difficulty.metrics.bleu import BLEU
from mt_difficulty.metrics.chrf import ChrF
from mt_difficulty.metrics.meteor import METEOR
from mt_difficulty.metrics.stored import Stored
from mt_difficulty.metrics.ter import TER
from mt_difficulty.settings import MetricSettings

CLOSE = {"rel": 0, "abs": 1e-9}
quick = settings(max_examples=150, deadline=None)

WORDS = ["a", "b", "c", "Hund", "hund", ".", ",", "1,5", "3.14", "&quot;", "don't", "x-y", "Ö—ß"]
segments = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
corpora = st.lists(st.tuples(segments, segments), min_size=1, max_size=6)

REFERENCE = ["The cat sat on the mat.", "A large dog, 1,5 m tall!", "", "He runs home", "Yes"]
SYSTEMS = [["The cat sat on a mat.", "A big dog of 1,5 m!", "something", "", "Yes"]] * 3


def evalset(hypotheses=SYSTEMS, reference=REFERENCE, pair="en-de", **options):
    return make_evalset(hypotheses, reference, pair, **options)


def corpus_score(metric, corpus):
    """The metric's score of one system, from the sums of its segments' statistics."""
    hypotheses, reference = zip(*corpus, strict=True)
    statistics = metric.segment_statistics([hypotheses], reference)
    return float(metric.aggregate(statistics.sum(1), np.full(1, len(corpus)))[0])


def segment_scores(metric, hypotheses, reference):
    return metric.segment_scores(metric.segment_statistics([hypotheses], reference))[0].tolist()


@pytest.fixture(scope="session")
def wordnet(wordnet):
    """Let NLTK find WordNet."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(nltk.data, "path", [str(wordnet), *nltk.data.path])
        yield wordnet


@pytest.fixture(scope="module")
def wmt19(excerpt):
    return read_evaluation_set(excerpt / "wmt19", ImportSettings("wmt19", "en-de", "ref", "wmt-z"))


def make(name, pair="en-de"):
    """A metric of the registry, by its name; METEOR's caller needs the fixture `wordnet`."""
    return make_metric("ESIM", pair, MetricSettings(name))


# What every metric promises


@pytest.mark.parametrize(
    ("name", "k"),
    [("bleu", 10), ("chrf", 1), ("meteor", 1), ("stored", 1), ("ter", 2), ("wnm", 2)],
)
def test_a_group_without_segments_is_nan(name, k):
    sums, counts = np.zeros((2, 3, k)), np.zeros((2, 3))
    score = METRICS[name].aggregate(sums, counts)
    assert score.shape == (2, 3)
    np.testing.assert_array_equal(np.isnan(score), True)
    one_segment = METRICS[name].aggregate(sums, counts + 1)
    np.testing.assert_array_equal(np.isnan(one_segment), False)


def test_without_texts_a_text_metric_is_missing():
    found = evalset([], [], texts_missing="only scores")
    with pytest.raises(Missing, match="only scores"):
        make("chrf").evaluate(found, None)


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
@example("a b", "b a")
@example("a b c d e", "a")
def test_bleu_of_a_segment_is_sacrebleus(hypothesis, reference):
    (found,) = segment_scores(BLEU("en-de"), [hypothesis], [reference])
    expected = sacrebleu.sentence_bleu(hypothesis, [reference]).score
    assert found == pytest.approx(expected, **CLOSE)


CHINESE = [("我喜欢这只很大的猫。", "我喜欢那只很大的狗。")]
JAPANESE = [("私は大きな猫が好きです。", "私は大きな犬が好きです。")]
ENGLISH = [("It’s the «old»/new 1,5-fold cat–dog", "It’s an «old»/new 1,5-fold cat–bird")]


@pytest.mark.parametrize(
    ("pair", "setting", "corpus", "tokenizer"),
    [
        ("en-zh", {}, CHINESE, "zh"),
        ("en-ja", {}, JAPANESE, "ja-mecab"),
        ("zh-en", {}, ENGLISH, "13a"),
        ("en-de", {"tokenize": "intl"}, ENGLISH, "intl"),
    ],
)
def test_bleus_tokenizer(pair, setting, corpus, tokenizer):
    bleu = BLEU(pair, **setting)
    expected = sacrebleu_score(corpus, tokenizer)
    assert corpus_score(bleu, corpus) == pytest.approx(expected, **CLOSE)
    assert f"|tok:{tokenizer}" in bleu.signature


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


# n-grams of BLEU and chrF, on texts of many kinds

ODD_LINES = [
    "",
    " ",
    "The  cat\u00a0sat. \u2028on the mat",
    "the cat sat on the mat, the cat sat on the mat",
    "THE CAT, 1,5 m (and 3.14!) -5 2019.",
    "2019. .5 ...a .,. 5- -5 a.b 1.a a.1 --",
    "&quot;Q&amp;A&lt;&gt; <skipped>x<skipped>x a-\nb c\n",
    "我喜欢这只很大的猫。ABC 我喜欢猫",
    "私は大きな猫が好きです。",
    "Кошка сидела на ковре, кошка!",
    "ΟΔΟΣ ΟΔΟΣ. İI",
    "😀😀 👩\u200d👩\u200d👧 e\u0301é \ud800 \ue000\ue001",
    "(hi) «hi» ((hi)) ! a! !a 'n' ''",
    "\ta\x1cb\x85c\u3000d ",
]
odd_texts = st.lists(
    st.one_of(
        st.sampled_from(ODD_LINES),
        st.text("ab1A.,-&;(猫Σ \n\t\x1c\x85\u00a0\u3000\ue000😀", max_size=15),
        st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join),
    ),
    min_size=3,
    max_size=3,
)
odd_corpora = st.lists(odd_texts, min_size=1, max_size=5)
ALL_ODD = [[a, b, "the cat. "] for a, b in product(ODD_LINES, ODD_LINES)]
SAME = {"rel": 0, "abs": 1e-12}


def assert_scores_are_sacrebleus(metric, scorer, of_sentence, corpus):
    """Compare scores of a corpus and of its segments, for one reference and for two."""
    hypotheses, *references = map(list, zip(*corpus, strict=True))
    for sides in (references[:1], references):
        statistics = metric.segment_statistics([hypotheses], sides[0], more_references=sides[1:])
        found = metric.aggregate(statistics.sum(1), np.full(1, len(corpus)))[0]
        assert found == pytest.approx(scorer.corpus_score(hypotheses, sides).score, **SAME)
        assert metric.signature == scorer.get_signature().format()
        segment_scores = metric.segment_scores(statistics)[0].tolist()
        expected = [
            of_sentence.sentence_score(text, list(others)).score
            for text, *others in zip(hypotheses, *sides, strict=True)
        ]
        assert segment_scores == pytest.approx(expected, **SAME)


BLEUS = [
    ("en-de", {}),
    ("en-de", {"lowercase": True}),
    ("en-de", {"tokenize": "intl"}),
    ("en-de", {"tokenize": "intl", "lowercase": True}),
    ("en-de", {"tokenize": "char"}),
    ("en-de", {"tokenize": "none"}),
    ("en-zh", {}),
]


@pytest.mark.parametrize(("pair", "options"), BLEUS)
@settings(max_examples=30, deadline=None)
@given(odd_corpora)
@example(ALL_ODD)
@example([["a b", "a b c d", ""], ["a b", "a", "a b c"], ["a b", "", "  "]])
def test_bleu_of_odd_texts_is_sacrebleus(pair, options, corpus):
    given_settings = {"trg_lang": pair[3:], "force": True, **options}
    scorer = sacrebleu.BLEU(**given_settings)
    of_sentence = sacrebleu.BLEU(**given_settings, effective_order=True)
    assert_scores_are_sacrebleus(BLEU(pair, **options), scorer, of_sentence, corpus)


@pytest.mark.parametrize("tokenize", ["ja-mecab", "ko-mecab"])
def test_bleu_of_morphemes_is_sacrebleus(tokenize):
    pytest.importorskip({"ja-mecab": "MeCab", "ko-mecab": "mecab_ko"}[tokenize])
    corpus = [[text, other, text[1:]] for text, other in pairwise(ODD_LINES)]
    corpus = [[text.replace("\ud800", "") for text in texts] for texts in corpus]
    scorers = [sacrebleu.BLEU(tokenize=tokenize, effective_order=each) for each in (False, True)]
    assert_scores_are_sacrebleus(BLEU("en-de", tokenize=tokenize), *scorers, corpus)


CHRFS = [
    {},
    {"word_order": 2},
    {"char_order": 1, "word_order": 1, "beta": 1},
    {"char_order": 9, "word_order": 3, "beta": 3, "lowercase": True},
]


@pytest.mark.parametrize("options", CHRFS)
@settings(max_examples=30, deadline=None)
@given(odd_corpora)
@example(ALL_ODD)
@example([["", "", " "]])
@example([["ab ab", "ab", "ba ab"], ["abc", "", "x"], ["x y", "y x", "x y"]])
def test_chrf_of_odd_texts_is_sacrebleus(options, corpus):
    scorer = sacrebleu.CHRF(**options)
    metric = ChrF("en-de", average="corpus", **options)
    assert_scores_are_sacrebleus(metric, scorer, scorer, corpus)
    hypotheses, *references = map(list, zip(*corpus, strict=True))
    of_segments = ChrF("en-de", **options)
    scores = of_segments.segment_statistics(
        [hypotheses], references[0], more_references=references[1:]
    )
    assert scores[0, :, 0].tolist() == [
        scorer.sentence_score(text, others).score for text, *others in corpus
    ]


def plain_matches(references, hypothesis, order):
    """Clipped matches by counting tuples."""
    matches = []
    for n in range(1, order + 1):
        of_texts = [
            Counter(tuple(text[i : i + n]) for i in range(len(text) - n + 1))
            for text in (hypothesis, *references)
        ]
        most = reduce(or_, of_texts[1:])
        matches.append((of_texts[0] & most).total())
    return matches


def test_clipped_matches_are_those_of_plain_counters():
    rng = np.random.default_rng(1)
    sizes = rng.integers(0, 30, (5, 8))
    sizes[:, 3] = 0
    texts = [[rng.integers(0, 3, size).tolist() for size in row] for row in sizes]
    texts[4][1] = (2**31 - 1 - np.array(texts[4][1])).tolist()  # the largest numbers
    flat = np.array([token for row in texts for tokens in row for token in tokens])
    limits = base.sequence_limits(sizes.ravel(), 5)
    found = ngrams.clipped_matches(flat, limits[:2], limits[2:], 5)
    for system, segment in np.ndindex(3, 8):
        references = [texts[0][segment], texts[1][segment]]
        expected = plain_matches(references, texts[2 + system][segment], 5)
        assert found[system, segment].tolist() == expected


def test_ngrams_are_compiled_once_for_words_and_characters():
    """Another layout or kind of array would be compiled in addition, which takes seconds."""
    for metric in (BLEU("en-de"), ChrF("en-de", word_order=2)):
        metric.segment_statistics([["a b", "c"]], ["a", "b"], more_references=[["c", "d"]])
    assert len(ngrams._count.signatures) == 1


@pytest.mark.parametrize("metric", [BLEU("en-de"), ChrF("en-de", word_order=2)])
def test_memory_of_long_lines(metric):
    """Twelve systems and lines of 3,200 words: n-grams as text take more than 100 MB."""
    random = Random(1)
    line = [f"word{random.randrange(3000)}" for _ in range(3200)]
    texts = [" ".join(random.choices(line, k=len(line))) for _ in range(13)]
    metric.segment_statistics([["a"]], ["a"])  # compiled
    systems = [[text] for text in texts[1:]]
    assert peak_of(lambda: metric.segment_statistics(systems, texts[:1])) < 20e6


def test_the_tokenizer_13a_splits_every_word_alone():
    """Words are tokenized by one call, also where they have a mark that could be put between."""
    words = [word for line in ODD_LINES for word in line.split(" ")] + ["\ue000", "a\ue000.b"]
    tokenizer = sacrebleu.BLEU().tokenizer
    found = bleu.tokens_of_words(tokenizer, words)
    assert found == [tokenizer(word).split() for word in words]
    assert bleu.tokens_of_words(tokenizer, []) == []


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
    hypotheses, references, others = (
        [" ".join(random.choices("abcdefghijklmnop", k=size)) for _ in range(3)]
        for size in (hypothesis, reference, hypothesis)
    )
    for more in ((), (others,)):
        references_used = 1 + len(more)
        (found,) = TER("en-de").segment_statistics([hypotheses], references, more_references=more)
        expected = [
            sacrebleu.sentence_ter(text, list(sides))
            for text, *sides in zip(hypotheses, references, *more, strict=True)
        ]
        counts = [[score.num_edits, score.ref_length] for score in expected]
        assert found.tolist() == counts, f"{references_used} references"


def test_memory_of_ter_follows_the_words_of_a_line():
    """A table of all pairs of words takes 45 MB."""
    random = Random(1)
    line = [str(random.randrange(500)) for _ in range(3000)]
    other = [word if random.random() < 0.9 else "x" for word in line]
    ter_edits.translation_edit_rate(other[:9], line[:9])  # compiled
    assert peak_of(lambda: ter_edits.translation_edit_rate(other, line)) < 5e6


def test_a_compiled_generator_is_not_kept_on_its_own():
    """numba reads it from a file, and then cannot compile what calls it: where a first run was
    interrupted, or runs at the same time, every later one failed (`KeyError: … generator(…)`)."""
    compiled = {name: of for name, of in vars(ter_edits).items() if isinstance(of, Dispatcher)}
    assert len(compiled) > 3
    for name, function in compiled.items():
        is_kept = not isinstance(function._cache, NullCache)
        assert is_kept != inspect.isgeneratorfunction(function.py_func), name


@pytest.mark.parametrize(
    ("pair", "hypothesis", "reference", "score"),
    [
        ("en-zh", "我在 2019年", "我在2019年。", 20),
        ("en-ja", "東京へ", "京都へ", 200 / 3),
        ("zh-en", "I like cats.", "I like dogs", 100 / 3),
        ("en-de", "我喜欢猫", "我喜欢狗", 100),
    ],
)
def test_ter_counts_chinese_characters(pair, hypothesis, reference, score):
    """Where there are no spaces."""
    ter, characters = TER(pair), pair in ("en-zh", "en-ja")
    assert corpus_score(ter, [(hypothesis, reference)]) == pytest.approx(score, **CLOSE)
    assert ("|norm:yes|punct:yes|asian:yes|" in ter.signature) == characters


# Blocks of segments


@pytest.mark.parametrize("metric", [BLEU, TER, lambda pair: ChrF(pair, average="corpus")])
def test_blocks_of_segments_have_the_statistics_of_all(metric, texts, monkeypatch):
    reference, more = texts[:40], texts[1:41]
    hypotheses = [texts[2:42], [*texts[2:22], *texts[:20]], texts[5:45]]
    whole, parts = metric("en-de"), metric("en-de")
    expected = whole.segment_statistics(hypotheses, reference, more_references=[more])
    monkeypatch.setattr(base, "BLOCK", 500)
    assert 5 < len(base.text_blocks(reference)) < 20
    found = parts.segment_statistics(hypotheses, reference, more_references=[more])
    np.testing.assert_array_equal(found, expected)
    assert parts.signature == whole.signature


def test_a_block_has_at_least_one_segment_and_together_they_have_all(monkeypatch):
    monkeypatch.setattr(base, "BLOCK", 10)
    lengths = [3, 4, 5, 100, 0, 10, 11, 1]
    blocks = base.text_blocks(["x" * length for length in lengths])
    parts = [lengths[block] for block in blocks]
    assert parts == [[3, 4], [5], [100], [0, 10], [11], [1]]


def test_memory_of_ngrams_is_that_of_a_block(texts, monkeypatch):
    """All n-grams of these 300 segments take 7 MB."""
    chrf, many = ChrF("en-de", average="corpus"), texts[:300]
    monkeypatch.setattr(base, "BLOCK", 4000)
    assert peak_of(lambda: chrf.segment_statistics([many], many)) < 4e6


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


# Stored scores


def put_scores(folder, file, lines):
    path = folder / "metric-scores/en-de" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{line}\n" for line in lines))


def seg_lines(systems, segments, first=0.0):
    return [f"{name}\t{first + i}" for name in systems for i in range(segments)]


def test_stored_segment_scores_are_preferred(tmp_path):
    put_scores(tmp_path, "ESIM-refA.sys.score", ["S2 9", "S1 8", "refA None", "S0 7"])
    put_scores(tmp_path, "ESIM-src.seg.score", seg_lines(["S0", "S1", "S2"], 5, 100))
    stored = Stored("en-de", "ESIM")
    assert stored.evaluate(evalset(), tmp_path).tolist() == [[[7]], [[8]], [[9]]]
    assert stored.signature == "stored:ESIM-refA.sys.score"
    put_scores(tmp_path, "ESIM-refA.seg.score", seg_lines(["S2", "other", "S0", "S1"], 5, 0.25))
    statistics = stored.evaluate(evalset(), tmp_path)
    assert statistics[..., 0].tolist() == [[0.25, 1.25, 2.25, 3.25, 4.25]] * 3
    assert stored.signature == "stored:ESIM-refA.seg.score"
    assert stored.system_scores.tolist() == [7, 8, 9]


@pytest.mark.parametrize(
    ("file", "lines", "reason"),
    [
        ("ESIM2-refA.sys.score", ["S0 1", "S1 1", "S2 1"], "the archive has no ESIM scores of "),
        ("ESIM-refA.sys.score", ["S0 1", "S1 None", "S2 1"], "lacks 1 of 1 scores of .* S1"),
        ("ESIM-refA.seg.score", seg_lines(["S0", "S2"], 5), "has no score of system S1"),
        (
            "ESIM-refA.seg.score",
            [*seg_lines(["S0", "S2"], 5), *(f"S1 {x}" for x in (1, "None", 1, 1, 1))],
            "ESIM-refA.seg.score lacks 1 of 5 scores of system S1",
        ),
    ],
)
def test_stored_scores_that_are_missing(tmp_path, file, lines, reason):
    put_scores(tmp_path, file, lines)
    with pytest.raises(Missing, match=reason):
        Stored("en-de", "ESIM").evaluate(evalset(), tmp_path)


@pytest.mark.parametrize(("kind", "is_apart"), [("bertscore", True), ("chrf", False)])
def test_only_metrics_of_token_matches_have_their_encoder_apart(kind, is_apart):
    entry = {"type": kind, "encoder": "mine", "other": 1}
    settings = metric_settings(entry)
    assert settings.encoder == ("mine" if is_apart else "")
    assert settings.arguments == ({"other": 1} if is_apart else {"encoder": "mine", "other": 1})
    assert metric_settings(settings.entry()) == settings
