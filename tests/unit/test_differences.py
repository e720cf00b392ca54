"""What differs between own systems: against counting by loops, sacreBLEU and scipy; and systems
that do not differ."""

import json
from collections import Counter
from itertools import product

import numpy as np
import pytest
from conftest import ROOT, make_evalset
from sacrebleu.metrics import BLEU, CHRF
from scipy import stats

import mt_difficulty as md
from mt_difficulty.data.text_files import read_lines
from mt_difficulty.evidence import resampling
from mt_difficulty.evidence.units import single_segments, units_of, whole_documents
from mt_difficulty.metrics.base import Metric
from mt_difficulty.page import differences as section
from mt_difficulty.scoring import differences
from mt_difficulty.scoring.comparing import draw
from mt_difficulty.weighting.base import WeightedMetric

DEMO = ROOT / "data/demo/archive/demo"
NAMES = ["oak", "ash", "birch"]
FILES = [DEMO / f"system-outputs/en-de/{name}.txt" for name in NAMES]
TEXTS = {name: read_lines(file) for name, file in zip(NAMES, FILES, strict=True)}
REFERENCE_FILE = DEMO / "references/en-de.refA.txt"
REFERENCE = read_lines(REFERENCE_FILE)
DOCUMENTS = [f"document {segment // 13}" for segment in range(len(REFERENCE))]


@pytest.fixture(scope="module")
def scores():
    return md.score(TEXTS, REFERENCE, metrics=["chrF", "BLEU"], lang="de", resamples=0)


@pytest.fixture(scope="module")
def found(scores):
    return scores.differences("oak", "ash", resamples=200)


def random_texts(rng, texts, segments, vocabulary):
    """Texts × segments of 0 to 8 made-up words, of which the first are the most frequent."""
    chances = 1 / np.arange(1, vocabulary + 1)
    words = [f"w{number}" for number in range(vocabulary)]
    return [
        [
            " ".join(rng.choice(words, rng.integers(9), p=chances / chances.sum()))
            for _ in range(segments)
        ]
        for _ in range(texts)
    ]


def ngrams_of(segment, length):
    words = segment.split()
    return Counter(tuple(words[i : i + length]) for i in range(len(words) - length + 1))


def counted(found, tokens):
    """What `find_ngrams` found, as {(n-gram, unit): (count in the reference, matches...)}."""
    cells = zip(found.units, found.numbers, found.counts, found.matched.T, strict=True)
    as_text = {}
    for unit, number, count, matched in cells:
        ngram = tuple(tokens.ngram(found.first[number], found.length).split())
        as_text[ngram, int(unit)] = (int(count), *map(int, matched))
    return as_text


@pytest.mark.parametrize("documents", [None, 12])
def test_clipped_matches_are_those_of_counters(documents):
    rng = np.random.default_rng(4)
    reference, *hypotheses = random_texts(rng, 4, 60, 12)
    evalset = make_evalset(hypotheses, reference)
    tokens = differences.tokenized(evalset)
    units = single_segments(60)
    if documents:
        units = whole_documents([f"d{segment % documents:02}" for segment in range(60)])
    for found in differences.find_ngrams(tokens.sequences):
        expected = {}
        for segment, line in enumerate(reference):
            of_systems = [ngrams_of(system[segment], found.length) for system in hypotheses]
            for ngram, count in ngrams_of(line, found.length).items():
                cell = ngram, int(units.numbers[segment])
                matches = [min(count, of_system[ngram]) for of_system in of_systems]
                expected[cell] = np.add(expected.get(cell, [0] * 4), [count, *matches])
        as_text = counted(found.by_unit(units), tokens)
        assert as_text.keys() == expected.keys()
        assert all((as_text[cell] == expected[cell]).all() for cell in expected)


def test_words_are_counted_by_their_frequency_in_the_reference():
    rng = np.random.default_rng(5)
    reference, *hypotheses = random_texts(rng, 3, 80, 200)
    tokens = differences.tokenized(make_evalset(hypotheses, reference))
    counts = differences.word_counts(tokens.sequences, differences.find_ngrams(tokens.sequences)[0])
    frequency = Counter(word for line in reference for word in line.split())
    bounds = [*differences.FREQUENCIES, np.inf]
    for system, segment, group in product(range(2), range(80), range(len(bounds) - 1)):
        kept = [
            Counter(w for w in line.split() if bounds[group] <= frequency[w] < bounds[group + 1])
            for line in (reference[segment], hypotheses[system][segment])
        ]
        expected = [(kept[0] & kept[1]).total(), kept[0].total(), kept[1].total()]
        assert counts[system, segment, group].tolist() == expected
    assert (counts.sum(axis=(0, 1, 3)) > 0).sum() >= 4  # groups
    np.testing.assert_allclose(differences.f1(np.array([3.0, 4, 6]), np.ones(())), 60)


def test_the_sign_test_is_scipys():
    for more, fewer in product(range(0, 40, 3), repeat=2):
        if more + fewer:
            expected = stats.binomtest(more, more + fewer).pvalue
            p = differences.sign_test(np.array([more]), np.array([fewer]))
            assert p == pytest.approx(expected, abs=1e-12)


def noisy(rng, reference, share):
    """Copies of a reference in which this share of the words is replaced."""
    return [
        " ".join("x" if rng.random() < share else word for word in line.split())
        for line in reference
    ]


def test_of_equal_systems_no_ngram_is_significant_in_95_percent_of_the_samples():
    rng = np.random.default_rng(6)
    false = 0
    tested = 0
    for _ in range(120):
        (reference,) = random_texts(rng, 1, 250, 30)
        hypotheses = [noisy(rng, reference, 0.3) for _ in range(2)]
        tokens = differences.tokenized(make_evalset(hypotheses, reference))
        tests = differences.compare_ngrams(differences.find_ngrams(tokens.sequences), 0, 1)
        tested += int(np.isfinite(tests.p).sum())
        assert np.isnan(tests.p[tests.more + tests.fewer < differences.LEAST_DIFFERING]).all()
        false += bool((tests.p_holm < 0.05).any())
    assert tested >= 120 * 8
    assert false <= stats.binom.ppf(0.999, 120, 0.05)


def test_a_word_that_one_system_lacks_stands_first():
    rng = np.random.default_rng(7)
    (reference,) = random_texts(rng, 1, 200, 30)
    one, other = (noisy(rng, reference, 0.1) for _ in range(2))
    other = [line.replace("w3 ", "y ") for line in other]
    hypotheses = {"one": one, "other": other}
    scores = md.score(hypotheses, reference, weightings=[], lang="en", resamples=0)
    first, *rest = scores.differences("other", "one").ngrams.to_dict("records")
    rows = [row for row in (first, *rest) if row["system"] == "one"]
    row = rows[0]
    assert (row["ngram"], row["other"]) == ("w3", "other")
    lines = list(zip(reference, one, other, strict=True))
    matches = [
        [min(line.split().count("w3"), text.split().count("w3")) for text in texts]
        for line, *texts in lines
    ]
    assert [row["matches"], row["other_matches"]] == np.sum(matches, axis=0).tolist()
    more = sum(a > b for a, b in matches)
    fewer = sum(a < b for a, b in matches)
    assert (row["units"], row["other_units"]) == (more, fewer)
    assert row["p"] == pytest.approx(stats.binomtest(more, more + fewer).pvalue)
    assert row["p"] < row["p_holm"] < 0.001
    assert row["in_reference"] == sum(line.split().count("w3") for line in reference)


def test_characters_are_the_tokens_of_languages_without_spaces():
    texts = {"A": ["我爱你"] * 12, "B": ["我恨你"] * 12}
    scores = md.score(texts, ["我爱 你"] * 12, weightings=[], lang="zh", resamples=0)
    found = scores.differences("A", "B").ngrams
    assert set(found.ngram) == {"爱", "我爱", "爱你", "我爱你"}
    assert (found.matches == 12).all()
    assert (found.other_matches == 0).all()


def test_groups_have_about_the_same_size_and_equal_values_are_in_one():
    rng = np.random.default_rng(8)
    numbers = differences.equal_groups(rng.random(200), 10)
    assert np.bincount(numbers).tolist() == [20] * 10
    values = np.r_[np.zeros(100), rng.random(100)]
    numbers = differences.equal_groups(values, 10)
    assert np.bincount(numbers)[0] == 100
    assert len(np.unique(numbers)) == 6
    assert differences.equal_groups(rng.random(35), 10).max() == 2
    names = differences.range_names(np.array([0.12345, 0.12346, 0.5]), np.array([0, 1, 2]))
    assert names == ["0.12345", "0.12346", "0.5"]
    assert differences.range_names(np.array([1.0, 1234]), np.array([0, 0])) == ["1 to 1234"]


def test_scores_of_a_group_are_sacrebleus_on_its_segments(scores, found):
    lengths = np.array([len(line.split()) for line in REFERENCE])
    rows = found.scores[found.scores.grouping == "length"]
    assert set(rows.metric) == {"chrF", "BLEU"}
    for row in rows.itertuples():
        ends = [float(end) for end in row.group.split(" to ")]
        low, high = ends[0], ends[-1]  # of one length, both are equal
        chosen = np.flatnonzero((lengths >= low) & (lengths <= high))
        assert (row.segments, row.words) == (len(chosen), lengths[chosen].sum())
        texts = [[lines[i] for i in chosen] for lines in (TEXTS[row.system], REFERENCE)]
        metric = {"chrF": CHRF, "BLEU": BLEU}[row.metric]()
        expected = metric.corpus_score(texts[0], [texts[1]]).score
        assert row.score == pytest.approx(expected)
    compared = found.comparisons.merge(
        found.scores.pivot(index=["grouping", "group", "metric"], columns="system", values="score"),
        on=["grouping", "group", "metric"],
    )
    np.testing.assert_allclose(compared.difference, compared.oak - compared.ash)
    groupings = {"difficulty", "length", "word frequency"}
    assert set(found.comparisons.grouping) == groupings


def test_intervals_and_p_are_those_of_the_groups_segments():
    """Of a mean, against resampling by loops and scipy's permutation test."""
    rng = np.random.default_rng(9)
    values = rng.normal(size=(3, 120, 1)) + np.array([0.3, 0, 0])[:, None, None]
    units = units_of([], 120)
    draws = draw(units, 1000, 3)
    chosen = np.arange(5, 65)
    weighted = WeightedMetric(Metric.aggregate, values).select(segments=chosen)
    group = differences.Group(
        "length", "a", "mean", weighted, units.select(chosen), units.numbers[chosen], 0
    )
    pairs = np.array([0, 1]), np.array([1, 2])
    compared = differences._compare(group, draws, *pairs)
    for pair, (first, second) in enumerate(zip(*pairs, strict=True)):
        difference = values[first, chosen, 0] - values[second, chosen, 0]
        assert compared.difference[pair] == pytest.approx(difference.mean())
        drawn = [np.average(difference, weights=weights[chosen]) for weights in draws.weights]
        low, high = np.percentile(drawn, [2.5, 97.5])
        assert (compared.low[pair], compared.high[pair]) == pytest.approx((low, high))
        permuted = stats.permutation_test(
            (difference,), np.mean, permutation_type="samples", n_resamples=20_000, rng=1
        ).pvalue
        beyond = np.mean(np.array(drawn) * np.sign(difference.mean()) <= 0)
        assert compared.p[pair] == pytest.approx(max(permuted, 2 * beyond), abs=0.06)
    assert compared.p[0] < 0.05 < compared.p[1] or compared.difference[0] < 0.2


def test_p_is_corrected_over_the_groups_of_a_grouping_and_pair(found):
    for _, rows in found.comparisons.groupby(["grouping", "metric"]):
        if len(rows) <= 5:  # 200 resamples suffice for five tests
            np.testing.assert_allclose(rows.p_holm, resampling.holm(rows.p.to_numpy()))
        else:
            assert rows.p_holm.isna().all()
            assert rows.p.notna().any()


def test_a_single_document_is_not_compared_but_documents_are_resampled():
    scores = md.score(TEXTS, REFERENCE, lang="de", documents=DOCUMENTS, resamples=0)
    found = scores.differences("oak", "ash", resamples=1000)
    assert found.resampled == "20 documents"
    rows = found.comparisons.set_index("grouping")
    assert rows.loc["document"].group.tolist() == list(dict.fromkeys(DOCUMENTS))
    assert rows.loc["document", ["low", "high", "p", "p_holm"]].isna().all(axis=None)
    assert rows.loc["length", ["low", "high", "p", "p_holm"]].notna().all(axis=None)
    by_segment = md.score(
        TEXTS, REFERENCE, lang="de", documents=DOCUMENTS, resamples=0, unit="segments"
    ).differences("oak", "ash", resamples=1000)
    assert by_segment.comparisons.set_index("grouping").loc["document"].p.notna().all()
    # An n-gram is more often in at most as many documents as segments.
    widest = [
        frame.ngrams[["units", "other_units"]].to_numpy().max() for frame in (found, by_segment)
    ]
    assert widest[0] <= 20


@pytest.mark.parametrize(("systems", "pairs"), [(1, 0), (2, 1), (6, 15), (7, 6)])
def test_many_systems_are_compared_with_the_best_alone(systems, pairs):
    scores = np.arange(systems, dtype=float)
    names = [f"S{number}" for number in range(systems)]
    weighted = WeightedMetric(Metric.aggregate, np.tile(scores[:, None, None], (1, 4, 1)))
    chosen, which = differences.choose_pairs(names, {"mean": weighted})
    assert len(chosen) == len(set(chosen)) == pairs
    assert all(names.index(one) > names.index(other) for one, other in chosen)
    best = "each system with S6, the best by mean"
    assert which == (best if systems == 7 else "every two systems")
    without_scores = "each system with S0, the first" if systems == 7 else "every two systems"
    assert differences.choose_pairs(names, {})[1] == without_scores


def test_resamples_are_those_of_the_scores_and_enough_for_many_groups():
    scores = md.score(TEXTS, REFERENCE, lang="de", resamples=0)
    assert scores.differences("oak", "ash").comparisons.p.isna().all()
    documents = [f"d{number // 10}" for number in range(300)]
    texts = {name: (lines * 2)[:300] for name, lines in TEXTS.items()}
    reference = (REFERENCE * 2)[:300]
    scores = md.score(texts, reference, lang="de", documents=documents, unit="segments")
    rows = scores.differences("oak", "ash").comparisons.set_index("grouping").loc["document"]
    assert len(rows) == 30
    assert rows.p_holm.notna().all()


def test_small_groups_between_equal_values_join_their_neighbours():
    values = np.array([0.0] * 19 + [0.5] + [1.0] * 30 + list(range(2, 52)))
    sizes = np.bincount(differences.equal_groups(values, 10))
    assert sizes.min() >= differences.MINIMUM_UNITS
    assert sizes.sum() == 100
    assert differences.equal_groups(np.zeros(5), 10).tolist() == [0] * 5


def test_python_and_json_agree_and_other_formats_compute_nothing(
    command, monkeypatch, scores, tmp_path
):
    arguments = ["score", REFERENCE_FILE, "-i", *FILES, "--lang", "de", "-m", "chrF", "BLEU"]
    report = json.loads(command(*arguments, "--format", "json", "--resamples", 100)[1])
    of_json = report["differences"]
    assert [pair["system"] for pair in of_json["pairs"]] == ["birch", "birch", "oak"]
    assert (of_json["resamples"], of_json["tokens"]) == (100, "words")
    found = scores.differences("oak", "ash", resamples=100)
    for key in ("comparisons", "ngrams"):
        systems = {"oak", "ash"}
        rows = [row for row in of_json[key] if {row["system"], row["other"]} == systems]
        frame = getattr(found, key)
        columns = frame.astype(object).where(frame.notna(), None)
        assert rows == columns.to_dict("records"), key
    monkeypatch.setattr(differences, "describe_differences", None)
    assert command(*arguments, "--resamples", 0)[0] == 0
    assert command(*arguments, "--format", "tsv", "--resamples", 0)[0] == 0


def test_json_has_the_documented_keys(command):
    arguments = ["score", REFERENCE_FILE, "-i", *FILES[:2], "--lang", "de", "--resamples", 0]
    of_json = json.loads(command(*arguments, "--format", "json")[1])["differences"]
    documented = (ROOT / "docs/own_systems.md").read_text(encoding="utf-8")
    names = {*of_json, *of_json["pairs"][0]}
    for key in ("scores", "comparisons", "ngrams"):
        names |= of_json[key][0].keys()
    assert [name for name in sorted(names) if f"`{name}`" not in documented] == []


@pytest.mark.parametrize(
    ("pair", "message"),
    [(("oak", "elm"), "no system elm"), (("oak", "oak"), "expected two systems, found oak twice")],
)
def test_wrong_pairs_are_named(scores, pair, message):
    with pytest.raises(md.InputError, match=message):
        scores.differences(*pair)


def test_texts_of_one_segment_or_without_words_have_no_groups():
    scores = md.score({"A": ["a cat"], "B": ["a dog"]}, ["a cat"], weightings=[], lang="en")
    found = scores.differences("A", "B")
    assert set(found.scores.grouping) == {"word frequency"}
    assert found.comparisons[["low", "high", "p"]].isna().all(axis=None)
    assert found.ngrams.p.isna().all()
    scores = md.score({"A": ["a"] * 3, "B": ["b"] * 3}, [" "] * 3, weightings=[], lang="en")
    found = scores.differences("A", "B")
    assert len(found.scores) == len(found.ngrams) == 0


def test_the_page_says_what_differs(command, tmp_path):
    page = tmp_path / "page.html"
    arguments = ["score", REFERENCE_FILE, "-i", *FILES, "--lang", "de", "--html", page]
    assert command(*arguments)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert '<h2 id="differences">What differs between the systems</h2>' in text
    assert 'href="#differences"' in text
    pairs = ["birch and oak", "birch and ash", "oak and ash"]
    assert [pair for pair in pairs if f"<summary>{pair}</summary>" not in text] == []
    assert "By difficulty of the segment (mean chunk entropy)" in text


def test_plots_show_what_can_be_told(scores):
    rows = []
    for number, (low, high, p) in enumerate([(1.0, 3.0, 0.01), (-1.0, 3.0, 0.4), (None,) * 3]):
        row = {"grouping": "length", "group": str(number), "metric": "chrF", "system": "A"}
        ends = {"difference": 1.5, "low": low, "high": high, "p": p, "p_holm": p}
        rows.append(row | {"other": "B"} | ends)
    ngram = {"system": "B", "other": "A", "ngram": "<b>", "in_reference": 30, "matches": 20}
    ngram |= {"other_matches": 2, "units": 18, "other_units": 1, "p": 0.0001, "p_holm": 0.01}
    content = {
        "tokens": "words",
        "pairs": [{"system": "A", "other": "B", "ngrams_tested": 7}],
        "which_pairs": "every two systems",
        "unit": "segments",
        "resampled": "90 segments",
        "resamples": 1000,
        "needed_resamples": 120,
        "scores": [],
        "comparisons": rows,
        "ngrams": [ngram],
    }
    (pair,) = section.describe(content, ["A", "B"], "difficulty")["pairs"]
    (plot,) = pair["plots"]
    marks = [row["marks"][0] for row in plot["plot"]["panels"][0]["rows"]]
    assert [mark["look"] for mark in marks] == ["equal", "unclear", "untested"]
    assert ["low" in mark for mark in marks] == [True, True, False]
    assert pair["ngrams"]["rows"] == [["<b>", "B", "30", "2", "20", "1", "18", "0.010"]]
