"""Nulls and controls: against loops, the search that is repeated, where a value stands among them,
and their size where the truth is known; human rankings by difficulty; EE over thresholds and
balances against EE at each of them, what is held out, and ablations."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import ee_scores, token_difficulty
from scipy import stats
from test_token_weighting import Texts, plain_f, plain_scores

from mt_difficulty.evidence import nulls, parameters
from mt_difficulty.evidence.nulls import quantile, rank_by_difficulty
from mt_difficulty.evidence.parameters import ORIGINS, QUANTILES, W
from mt_difficulty.evidence.subsets import CORRELATIONS, correlate
from mt_difficulty.evidence.units import single_segments, whole_documents
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric
from mt_difficulty.weighting.DA import DA


def plain_metric(rng, name="chrf", shape=(6, 80)):
    if name == "bleu":
        values = np.sort(rng.integers(1, 30, (*shape, 10)), axis=2)[..., ::-1].astype(float)
    else:
        values = rng.random((*shape, {"chrf": 1, "ter": 2}[name]))
    return WeightedMetric.standard(METRICS[name], values)


def test_permutations_stay_within_groups():
    groups = np.array([2, 0, 2, 1, 0, 2, 1, 0])
    places = nulls.permutations_within(groups, 500, np.random.default_rng(0))
    np.testing.assert_array_equal(np.sort(places, axis=1), np.tile(np.arange(8), (500, 1)))
    np.testing.assert_array_equal(groups[places], np.tile(groups, (500, 1)))
    assert len({*places[:, 0]}) == 3  # every place of the group
    # Without groups every place is about as frequent everywhere.
    free = nulls.permutations(single_segments(8), 4000, np.random.default_rng(0))
    counts = [np.bincount(column, minlength=8) for column in free.T]
    assert stats.chisquare(np.ravel(counts)).pvalue > 0.001


def test_whole_documents_are_permuted():
    """Every document gets the values of one document, in proportion to the place in it; all 24
    permutations of four documents are about equally frequent."""
    documents = np.array(list("abacbbdaab"))
    units = whole_documents(documents)
    parts = {letter: np.flatnonzero(documents == letter) for letter in "abcd"}
    counts = {}
    for order in nulls.permutations(units, 4800, np.random.default_rng(0)):
        sources = ""
        for segments in parts.values():
            source = documents[order[segments[0]]]
            places = [k * len(parts[source]) // len(segments) for k in range(len(segments))]
            assert order[segments].tolist() == parts[source][places].tolist()
            sources += source
        counts[sources] = counts.get(sources, 0) + 1
    assert len(counts) == 24
    assert stats.chisquare(list(counts.values())).pvalue > 0.001


def test_random_segments_are_whole_documents_but_for_one():
    documents = np.repeat(np.arange(12), np.arange(1, 13))
    units = whole_documents(documents)
    sizes = np.bincount(documents)
    chosen_first = set()
    for chosen in nulls.random_segments(units, 20, 300, np.random.default_rng(0)):
        assert chosen.sum() == 20
        inside = np.bincount(documents[chosen], minlength=12)
        assert ((inside > 0) & (inside < sizes)).sum() <= 1
        chosen_first.add(int(np.flatnonzero(chosen)[0]))
    assert len(chosen_first) > 5
    single = nulls.random_segments(single_segments(78), 20, 300, np.random.default_rng(0))
    assert set(single.sum(axis=1)) == {20}


def test_the_effective_size_is_kishs():
    plain = plain_metric(np.random.default_rng(3), shape=(2, 10))
    difficult = np.zeros((2, 10), bool)
    difficult[:, :2] = True
    # Weights 0.5/8 and 0.5/2: 1 / (8 · 0.0625² + 2 · 0.25²) = 6.4.
    assert nulls.effective_size(plain.in_groups(difficult, 0.5)) == 6
    assert nulls.effective_size(plain) == 10
    assert nulls.effective_size(plain.in_groups(np.zeros((2, 10), bool), 0.5)) == 0


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
@pytest.mark.parametrize("of_segments", [False, True])
def test_retuned_is_the_best_point_of_the_surface_of_permuted_difficulties(name, of_segments):
    rng = np.random.default_rng(5)
    plain, gold = plain_metric(rng, name), rng.random(6)
    difficulty = rng.choice([0, 0.1, 0.4, 0.9, np.inf], (6, 80))
    if of_segments:
        difficulty[:] = difficulty[0]
    places = nulls.permutations(single_segments(80), parameters.BLOCK + 2, rng)
    found = parameters.retuned_quality(plain, difficulty, gold, places)
    for draw, (scores, order) in enumerate(zip(found, places, strict=True)):
        grid = parameters.surface(plain, difficulty[:, order], gold)
        point = parameters.best_point(grid[:1])
        expected = grid[(slice(None), *point)]
        case = f"draw {draw}"
        np.testing.assert_allclose(correlate(scores, gold), expected, atol=1e-9, err_msg=case)


def simulated(rng, systems=10, segments=60):
    """A mean metric whose quality is human quality and noise, and a difficulty that knows nothing:
    unweighted metric, difficulty, gold."""
    gold = rng.standard_normal(systems)
    scores = gold[:, None] + 4 * rng.standard_normal((systems, segments))
    scores += rng.standard_normal(segments)  # easy and hard segments
    difficulty = np.broadcast_to(rng.random(segments), (systems, segments))
    return WeightedMetric.standard(METRICS["chrf"], scores[..., None]), difficulty, gold


@pytest.mark.slow
def test_without_an_effect_the_value_stands_anywhere_and_only_retuned_keeps_its_size():
    """200 simulated sets without an effect, 59 draws each. At given parameters quantiles among
    `permuted` are uniform: a one-sided 5 % test rejects in 5 % (within 4 standard errors, 6.2
    points). Of tuned parameters `permuted` rejects far more often, and `retuned` in 5 %."""
    rng, fixed, tuned, tuned_alike = np.random.default_rng(7), [], [], []
    for _ in range(200):
        plain, difficulty, gold = simulated(rng)
        places = nulls.permutations(single_segments(difficulty.shape[1]), 59, rng)
        given = plain.in_groups(difficulty >= np.quantile(difficulty, 0.8), 0.35)
        permuted = nulls.permuted_quality({"": given}, places)[""]
        value = correlate(given.observed_quality(), gold).pearson
        fixed.append(quantile(value, correlate(permuted, gold).pearson))
        grid = parameters.surface(plain, difficulty, gold)
        point = parameters.best_point(grid[:1])
        h, w = parameters.thresholds(difficulty)[point[0]], parameters.W[point[1]]
        best = plain.in_groups(difficulty >= h, w)
        value, permuted = grid[0][point], nulls.permuted_quality({"": best}, places)[""]
        tuned.append(quantile(value, correlate(permuted, gold).pearson))
        retuned = parameters.retuned_quality(plain, difficulty, gold, places)
        tuned_alike.append(quantile(value, correlate(retuned, gold).pearson))
    assert stats.kstest(fixed, "uniform").pvalue > 0.001
    sizes = [np.mean(np.array(found) > 0.95) for found in (fixed, tuned, tuned_alike)]
    assert sizes[0] == pytest.approx(0.05, abs=0.062)
    assert sizes[1] > 0.2
    assert sizes[2] == pytest.approx(0.05, abs=0.062)


@pytest.mark.slow
@pytest.mark.parametrize("equal", [True, False])
def test_nulls_by_document_keep_their_size_where_documents_are_alike(equal):
    """Difficulties and scores are of documents: 300 simulated sets of 30 documents, of 6 segments
    or of 1 to 40, and no effect. The value is above, and below, 95 % of the draws by document in 1
    to 9 % of the sets (5 % ± 3 standard errors). If single segments are permuted, it is below 95 %
    of the draws in more than 30 %: weights of documents are noisier than those of segments."""
    rng = np.random.default_rng(11)
    quantiles = {"document": [], "segment": []}
    for _ in range(300):
        sizes = np.full(30, 6) if equal else rng.lognormal(1.3, 1, 30).astype(int).clip(1, 40)
        documents = np.repeat(np.arange(30), sizes)
        segments = len(documents)
        units = {"document": whole_documents(documents), "segment": single_segments(segments)}
        gold = rng.standard_normal(10)
        of_documents = 4 * rng.standard_normal((10, 30))
        scores = gold[:, None] + of_documents[:, documents]
        scores += rng.standard_normal((10, segments))
        plain = WeightedMetric.standard(METRICS["chrf"], scores[..., None])
        is_difficult = np.broadcast_to((rng.random(30) < 0.3)[documents], scores.shape)
        weighted = plain.in_groups(is_difficult, 0.3)
        value = correlate(weighted.observed_quality(), gold).pearson
        for name, of_unit in units.items():
            orders = nulls.permutations(of_unit, 99, rng)
            drawn = nulls.permuted_quality({"": weighted}, orders)[""]
            quantiles[name].append(quantile(value, correlate(drawn, gold).pearson))
    above = {name: np.mean(np.array(values) > 0.95) for name, values in quantiles.items()}
    below = {name: np.mean(np.array(values) < 0.05) for name, values in quantiles.items()}
    assert above["document"] == pytest.approx(0.05, abs=0.04)
    assert below["document"] == pytest.approx(0.05, abs=0.04)
    assert below["segment"] > 0.3


def plain_r(gold, inside):
    """r of mean human scores inside and outside."""
    own, rest = np.nanmean(gold[:, inside], axis=1), np.nanmean(gold[:, ~inside], axis=1)
    return stats.pearsonr(own, rest)[0]


def make(seed, systems=6, segments=45):
    rng = np.random.default_rng(seed)
    gold = rng.standard_normal((systems, segments)) + rng.standard_normal((systems, 1))
    gold[rng.random(gold.shape) < 0.2] = np.nan
    rated = np.arange(segments) != 7  # nobody rated it
    return rng.random((systems, segments))[:, rated], gold[:, rated]


@pytest.mark.parametrize("by_document", [True, False])
def test_rankings_on_the_hardest_tenth_and_on_the_rest(by_document):
    difficulty, gold = make(1)
    units = whole_documents(np.arange(44) // 5) if by_document else single_segments(44)
    found = rank_by_difficulty(difficulty, gold, 20, np.random.default_rng(2), units)
    inside = np.isin(np.arange(44), np.argsort(-difficulty.mean(axis=0))[:4])
    assert (found["segments"], found["hardest"]) == (44, 4)
    assert found["r"] == pytest.approx(plain_r(gold, inside))
    orders = nulls.permutations(units, 20, np.random.default_rng(2))
    random = np.array([plain_r(gold, inside[order]) for order in orders])
    assert found["random_mean"] == pytest.approx(random.mean())
    assert found["random_quantile"] == (random < found["r"]).mean()


def test_within_segments_both_are_differences_to_the_segments_mean():
    difficulty, gold = make(3)
    difficulty[0, 0] = np.inf
    units = single_segments(44)
    found = rank_by_difficulty(difficulty, gold, 2, np.random.default_rng(2), units)
    x, y = [], []
    for d, p in zip(difficulty.T, gold.T, strict=True):
        there = np.isfinite(d) & np.isfinite(p)
        x += list(d[there] - d[there].mean()) if there.any() else []
        y += list(p[there] - p[there].mean()) if there.any() else []
    assert found["hypotheses"] == len(x)
    assert found["within_r"] == pytest.approx(stats.pearsonr(x, y)[0])


seeds = st.integers(0, 10**6)


def make_weighteds(seed, w):
    """EE of a mean, of a corpus metric and of one of which lower is better."""
    rng = np.random.default_rng(seed)
    shape = rng.integers(2, 5), rng.integers(4, 12)
    counts = np.sort(rng.integers(1, 30, (*shape, 10)), axis=2)[..., ::-1].astype(float)
    statistics = {"chrf": rng.random((*shape, 1)), "bleu": counts, "ter": rng.random((*shape, 2))}
    difficult = rng.random(shape) < 0.4
    difficult[:, 0], difficult[:, 1] = True, False
    return {
        name: WeightedMetric.standard(METRICS[name], values).in_groups(difficult, w)
        for name, values in statistics.items()
    }


def plain_ee(name, statistics, difficult, w):
    """Eq. 7 for every system, higher is better."""
    return (-1 if name == "ter" else 1) * ee_scores(METRICS[name], statistics, difficult, 0.5, w)


@given(seeds, st.floats(0.05, 0.95))
def test_nulls_of_groups_are_ee_with_their_labels(seed, w):
    weighteds = make_weighteds(seed, w)
    difficult = weighteds["chrf"].weights[..., 1] == 1
    segments = difficult.shape[1]

    def expect(scores, name, labels):
        expected = plain_ee(name, weighteds[name].statistics, labels, w)
        np.testing.assert_allclose(scores, expected, rtol=1e-6)

    units = single_segments(segments)
    places = nulls.permutations(units, 4, np.random.default_rng(seed))
    for name, permuted in nulls.permuted_quality(weighteds, places).items():
        for scores, order in zip(permuted, places, strict=True):
            expect(scores, name, difficult[:, order])
    rng = np.random.default_rng(seed)
    orders, labels = np.tile(np.arange(segments), (4, 1)), []
    for of_system in difficult:
        orders = rng.permuted(orders, axis=1)
        labels.append(of_system[orders])
    rng = np.random.default_rng(seed)
    orders = nulls.permutations(units, 4, rng)
    others = nulls.further_permutations(units, orders, rng)
    shuffled = nulls.permuted_quality(weighteds, orders, others)
    drawn = nulls.segment_nulls(weighteds, difficult.astype(float), 2, rng, None, units)
    for name in weighteds:
        for draw, scores in enumerate(shuffled[name]):
            expect(scores, name, np.array(labels)[:, draw])
        expect(drawn[name]["swapped"][0], name, ~difficult)


def plain_da(texts, difficulty, choice, segments=None):
    """Eq. 3 to 5 for every system, with a row of difficulties each, over some segments or all."""
    starts = np.cumsum([0, *map(len, texts.reference)])
    scores = []
    for system, row in enumerate(difficulty):
        of_segments = [
            plain_scores(texts, system, s, list(row[starts[s] : starts[s + 1]]), choice)
            for s in (range(len(texts.reference)) if segments is None else segments)
        ]
        scores.append(plain_f(*np.mean(of_segments, axis=0), choice.beta))
    return scores


def positive(texts):
    """The texts without negative similarities, so that no F is near a pole."""
    for side in (texts.of_reference, texts.of_hypotheses):
        for values in (values for system in side for values in system):
            np.abs(values, out=values)
    return texts


def nulls_of_tokens(
    matches, weighting, difficulty, draws, segments=None, deciles=None, documents=None
):
    everything = np.arange(matches.hypothesis_lengths.shape[1])
    chosen, rng = everything if segments is None else segments, np.random.default_rng(1)
    units = single_segments(len(chosen)) if documents is None else whole_documents(documents)
    return nulls.token_nulls(matches, weighting, {}, difficulty, chosen, draws, rng, deciles, units)


@pytest.mark.parametrize("block", [1, 2**22])  # draw by draw, and all at once
@given(seeds, st.sampled_from(["one", "reference"]))
def test_permuted_difficulties_are_da_with_that_difficulty(block, seed, unseen):
    """Only tokens of the segments that count change places."""
    texts, choice = positive(Texts(seed)), DA(unseen, beta=2)
    matches, count = texts.matches(), len(texts.reference)
    segments = np.flatnonzero(np.random.default_rng(seed).random(count) < 0.7)
    segments = segments if len(segments) else np.arange(count)
    inside = np.isin(matches.reference_segment, segments)
    for leave_one_out in (False, True):
        difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(nulls, "BLOCK", block)
            found = nulls_of_tokens(matches, choice, difficulty, 3, segments)["permuted"]
        rng, tokens = np.random.default_rng(1), inside.sum()
        units = single_segments(tokens)
        orders = [nulls.permutations(units, n, rng) for n in ([1] * 3 if block == 1 else [3])]
        draws = zip(found, np.concatenate(orders), strict=True)
        for draw, (scores, order) in enumerate(draws):
            rows = np.broadcast_to(difficulty, (len(texts.hypotheses), len(inside))).copy()
            rows[:, inside] = rows[:, inside][:, order]
            expected = plain_da(texts, rows, choice, segments)
            case = f"draw {draw}, leave one out: {leave_one_out}"
            np.testing.assert_allclose(scores, expected, atol=1e-5, err_msg=case)


@given(seeds)
def test_difficulties_of_tokens_are_permuted_by_document(seed):
    texts, choice = positive(Texts(seed)), DA("one", beta=2)
    matches, count = texts.matches(), len(texts.reference)
    documents = np.random.default_rng(seed).integers(0, 3, count)
    difficulty = token_difficulty(matches.reference_similarity, False)
    found = nulls_of_tokens(matches, choice, difficulty, 2, documents=documents)["permuted"]
    units = whole_documents(documents[matches.reference_segment])
    orders = nulls.permutations(units, 2, np.random.default_rng(1))
    for scores, order in zip(found, orders, strict=True):
        rows = np.broadcast_to(difficulty, (len(texts.hypotheses), difficulty.shape[1]))
        expected = plain_da(texts, rows[:, order], choice)
        np.testing.assert_allclose(scores, expected, atol=1e-5)


def test_equal_systems_have_equal_scores_in_every_draw():
    """To the last digit, or Kendall's τ of the draws would depend on the processor."""
    texts = Texts(3, systems=9, segments=60)
    for copy in (5, 8):
        texts.copy_system(1, copy)
    matches = texts.matches()
    for leave_one_out in (False, True):
        difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
        found = nulls_of_tokens(matches, DA(), difficulty, 200)["permuted"]
        spread, case = np.ptp(found[:, [1, 5, 8]], axis=-1), f"leave one out: {leave_one_out}"
        np.testing.assert_array_equal(spread, 0, err_msg=case)


@pytest.mark.parametrize("leave_one_out", [False, True])
@pytest.mark.parametrize("unseen", ["one", "reference"])
def test_nulls_of_da_are_da_with_their_difficulty(leave_one_out, unseen):
    texts, choice = Texts(7, systems=3, segments=5), DA(unseen)
    other = {"one": "reference", "reference": "one"}[unseen]
    matches = texts.matches()
    difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
    found = nulls_of_tokens(matches, choice, difficulty, 2, deciles=np.array([0, 0, 1, 1, 1]))
    assert set(found) == {
        *("permuted", "permuted_length", "constant", "swapped"),
        *(f"{null}_unseen_{other}" for null in ("real", "constant", "permuted")),
    }
    rows = np.broadcast_to(difficulty, (3, difficulty.shape[1]))
    expected = {
        "swapped": (1 - rows, choice),
        "constant": (np.full_like(rows, difficulty.mean()), choice),
        f"constant_unseen_{other}": (np.full_like(rows, difficulty.mean()), DA(other)),
        f"real_unseen_{other}": (rows, DA(other)),
    }
    for null, (values, weighting) in expected.items():
        scores = plain_da(texts, values, weighting)
        np.testing.assert_allclose(found[null], [scores], atol=1e-6, err_msg=null)
    assert found["permuted"].shape == found[f"permuted_unseen_{other}"].shape == (2, 3)
    # Of some segments the constant is the mean over their tokens.
    some = np.array([0, 2, 4])
    rows = np.full_like(rows, difficulty[:, np.isin(matches.reference_segment, some)].mean())
    found = nulls_of_tokens(matches, choice, difficulty, 2, some)
    np.testing.assert_allclose(found["constant"], [plain_da(texts, rows, choice, some)], atol=1e-6)


def test_segments_that_count_are_permuted_within_their_own_deciles():
    """Of eight segments 1, 3, 5 and 7 count: two of the first decile and two of the second, of each
    of which one is difficult."""
    difficulty = np.array([[0.0, 0.9, 0, 0.1, 0, 0.8, 0, 0.2]])
    counted, scores = np.array([1, 3, 5, 7]), np.array([[1.0, 2, 4, 8]])
    plain = WeightedMetric.standard(METRICS["chrf"], scores[..., None])
    weighted = plain.in_groups(difficulty[:, counted] >= 0.5, 0.0)
    scored = SimpleNamespace(
        of=lambda systems: {("m", "EE"): weighted},
        difficulty_of=lambda name: None,
        weighting=lambda name: SimpleNamespace(unit="segment"),
        difficulty=lambda estimator, systems: difficulty,
        counted=counted,
    )
    deciles = np.array([0, 0, 0, 0, 0, 1, 1, 1])
    units = single_segments(4)
    found = nulls.set_nulls(scored, np.arange(1), deciles, 100, 1, units)
    means = found["m", "EE"]["permuted_length"][:, 0]
    assert set(means) == {(1 + 4) / 2, (1 + 8) / 2, (2 + 4) / 2, (2 + 8) / 2}


def test_a_value_has_a_place_among_the_draws():
    draws = np.append(np.random.default_rng(3).random(400), np.nan)
    mean, low, high, below, above, defined = nulls.compare_with_draws(0.2, 0.1, draws)
    assert mean == pytest.approx(np.mean(draws[:-1]))
    assert [low, high] == pytest.approx(np.percentile(draws[:-1], [2.5, 97.5]))
    assert below == pytest.approx(np.mean(draws[:-1] < 0.2))
    assert (above, defined) == (pytest.approx(np.mean(draws[:-1] > 0.1)), 400)
    assert (
        nulls.compare_with_draws(0.2, 0.5, np.array([0.1, 0.5, 0.5, 0.9]))[4] == 0.25
    )  # equal is not above
    np.testing.assert_array_equal(
        nulls.compare_with_draws(0.2, 0.1, draws[:1]), [draws[0], *[np.nan] * 4, 1]
    )
    np.testing.assert_array_equal(nulls.compare_with_draws(0.2, 0.1, draws[:0]), [*[np.nan] * 5, 0])


def test_ties_with_the_value_count_half_and_nan_not_at_all():
    values = np.array([0.1, 0.5, 0.5 + 1e-15, 0.9, np.nan])
    assert nulls.quantile(0.5, values) == 0.5
    assert nulls.quantile(1.0, values) == 1
    assert np.isnan(nulls.quantile(np.nan, values))
    assert np.isnan(nulls.quantile(0.5, values[4:]))


# Parameters

RNG = np.random.default_rng(0)
GOLD = RNG.random(5)
ENTROPY = RNG.choice([0.0, 0.06, 0.3, 0.305, 0.5, 0.9, np.inf], (5, 60))
PLAIN = {name: plain_metric(RNG, name, (5, 60)) for name in ("chrf", "bleu", "ter")}


@pytest.mark.parametrize("name", ["chrf", "bleu", "ter"])
def test_a_grid_point_is_ee_with_that_threshold_and_balance(name):
    grid = parameters.surface(PLAIN[name], ENTROPY, GOLD)
    assert grid.shape == (3, 50, 21)
    thresholds = parameters.thresholds(ENTROPY)
    assert set(thresholds) <= set(ENTROPY.ravel())
    for i, j in ((0, 0), (3, 7), (15, 10), (16, 0), (25, 20), (45, 3), (49, 13)):
        scores = ee_scores(METRICS[name], PLAIN[name].statistics, ENTROPY, thresholds[i], W[j])
        expected = correlate(PLAIN[name].sign * scores, GOLD)
        case = f"h {thresholds[i]}, w {W[j]}"
        np.testing.assert_allclose(grid[:, i, j], expected, atol=1e-7, err_msg=case)


def plain_best(pearson):
    best, at = -np.inf, None
    for i, j in np.ndindex(pearson.shape[1:]):
        values = pearson[:, i, j]
        if not np.isnan(values).any() and values.mean() > best:
            best, at = values.mean(), (i, j)
    return at


@given(st.integers(0, 10**6))
def test_the_best_point_is_the_first_of_highest_mean_where_all_sets_have_one(seed):
    rng = np.random.default_rng(seed)
    # Eighths, so that means tie exactly.
    pearson = rng.choice([np.nan, -0.25, 0.125, 0.5, 0.5], (rng.integers(1, 4), 3, 4))
    assert parameters.best_point(pearson) == plain_best(pearson)


def points_of(weighting, r=0.5):
    """The rows of a set without those that are held out."""
    rows = [
        [*("chrF", weighting, "chunk_entropy", origin), 0.2, 0.1, 0.4, r, r, r, ""]
        for origin in ORIGINS
        if origin != "held out"
    ]
    frame = pd.DataFrame(rows, columns=parameters.COLUMNS[: len(rows[0])])
    tuned = (frame.parameters == "optimum").map({True: "yes", False: "no"})
    return frame.assign(tuned=tuned, **dict.fromkeys(parameters.RETUNED, 0.5))


def test_a_set_is_won_by_its_mean_difference():
    """Set a gains 0.2 and loses 0.3, b gains 0.1."""
    values = {"a": {"chrF": (0.5, 0.7), "TER": (0.5, 0.2)}, "b": {"chrF": (0.5, 0.6)}}
    rows = [
        {"set": name, "metric": metric, "weighting": "EE", "parameters": origin, "pearson": value}
        for name, metrics in values.items()
        for metric, pair in metrics.items()
        for origin, value in zip(("standard", "held out"), pair, strict=True)
    ]
    found = parameters.count_wins(pd.DataFrame(rows), "pearson", "held out")
    assert found == "1 of 2 sets, 2 of 3 cases"


def test_parameters_are_held_out_from_other_texts():
    """Sets a and b have the same texts; d lacks a group nearly everywhere, e has another weighting,
    and f, of which nothing is defined, is left aside."""
    rng = np.random.default_rng(4)
    shape = (3, len(QUANTILES), len(W))
    grids = {name: rng.uniform(-1, 1, shape) for name in "abcde"}
    grids["d"][0, 1:] = np.nan
    grids["f"] = np.full(shape, np.nan)
    ascending = np.linspace(0, 1, len(QUANTILES))
    surfaces = {
        name: {"correlations": [grid], "thresholds": [ascending]} for name, grid in grids.items()
    }
    points = {name: points_of("other" if name == "e" else "EE") for name in grids}
    found = parameters.hold_out(surfaces, points, dict(zip("abcdef", "xxyzwv", strict=True)))
    assert found.parameters.tolist() == list(ORIGINS) * 6
    assert found.set.tolist() == [name for name in "abcdef" for _ in ORIGINS]
    assert set(found.parameters[found.tuned == "yes"]) == {"optimum"}
    held = found[found.parameters == "held out"].set_index("set")
    for name, others in (("a", "cd"), ("b", "cd"), ("c", "abd"), ("d", "abc")):
        i, j = plain_best(np.array([grids[other][0] for other in others]))
        row = held.loc[name]
        assert (row["quantile"], row.h, row.w) == (QUANTILES[i], ascending[i], W[j]), name
        correlations = row[list(CORRELATIONS)].astype(float)
        np.testing.assert_array_equal(correlations, grids[name][:, i, j], err_msg=name)
    assert held.reason["e"] == "no other set has correlations of this metric"
    assert np.isnan(held.pearson["e"])


DRAWN = np.random.default_rng(0)
DIFFICULTY, SCORES, HUMAN = DRAWN.random((5, 30)), DRAWN.random((5, 30, 1)), DRAWN.random(5)
CHRF = {"chrF": WeightedMetric.standard(METRICS["chrf"], SCORES)}
IN_CORRELATIONS = {"standard": [0.1, 0.2, 0.3], "EE": [0.4, 0.5, 0.6]}


def ablated(difficulty=DIFFICULTY, h=0.6, w=0.3, splits=20):
    rng = np.random.default_rng(1)
    known = [["chrF", name, "all", 5, *values] for name, values in IN_CORRELATIONS.items()]
    known = pd.DataFrame(known, columns=["metric", "weighting", "subset", "size", *CORRELATIONS])
    lower = {"low": 0.2}
    frame = parameters.ablate(CHRF, difficulty, HUMAN, h, w, lower, splits, "EE", known, rng)
    return frame.set_index("variant")


def test_ablations_are_ee_with_other_groups_thresholds_and_shares():
    rows = ablated()
    for variant, hard, w in (
        ("low", DIFFICULTY >= 0.2, 0.3),
        ("only easy", DIFFICULTY >= 0.6, 1.0),
        ("only difficult", DIFFICULTY >= 0.6, 0.0),
    ):
        systems = [
            w * s[~m].mean() + (1 - w) * s[m].mean()
            for s, m in zip(SCORES[:, :, 0], hard, strict=True)
        ]
        pearson, kendall = (f(systems, HUMAN)[0] for f in (stats.pearsonr, stats.kendalltau))
        assert rows.pearson[variant] == pytest.approx(pearson), variant
        assert rows.kendall[variant] == pytest.approx(kendall), variant
    for variant, values in IN_CORRELATIONS.items():
        assert rows.loc[variant, list(CORRELATIONS)].tolist() == values, variant
    expected = stats.spearmanr(DIFFICULTY.mean(axis=1), HUMAN)[0]
    assert rows.spearman["w/o difficulty"] == pytest.approx(expected)
    # A split that weighs both groups by their share is the plain mean, whatever the split.
    halves = np.where(np.arange(30) < 15, 1.0, 0.0) * np.ones((5, 1))
    found = ablated(halves, 0.5, 0.5, 3).loc["w/o entropy", list(CORRELATIONS)]
    plain = correlate(SCORES.mean(axis=(1, 2)), HUMAN)
    np.testing.assert_allclose(found.to_numpy(float), np.array(plain))
