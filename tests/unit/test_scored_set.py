"""The one path from a set's results to scores: every weighting, for any of the set's systems,
against scores of single weightings put together by hand."""

from dataclasses import fields, replace

import numpy as np
import pytest
from conftest import make_evalset, settings_of
from naive import ee_scores, standard_scores, token_difficulty
from test_token_weighting import Texts

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.embedding import select
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.scores import ScoredSet
from mt_difficulty.settings import DifficultySettings, WeightingSettings
from mt_difficulty.weighting import fitted, make_weighting
from mt_difficulty.weighting.base import WeightedMetric, notices
from mt_difficulty.weighting.DA import DA, segment_scores

SYSTEMS, SEGMENTS = 6, 40
NAMES = [f"s{i}" for i in range(SYSTEMS)]
TEXTS = [f"segment {i}" for i in range(SEGMENTS)]
EVALSET = replace(make_evalset([TEXTS] * SYSTEMS, TEXTS), systems=NAMES)
RNG = np.random.default_rng(7)
CHRF, TER = RNG.random((SYSTEMS, SEGMENTS, 1)), RNG.integers(1, 9, (SYSTEMS, SEGMENTS, 2)) + 0.0
DIFFICULTIES = {
    "given": {"type": "file", "file": "given.tsv"},
    "crowd": {"type": "crowd", "metric": "chrF", "leave_one_out": True},
    "tokens": {"type": "token_dissimilarity"},
    "others": {"type": "token_dissimilarity", "leave_one_out": True},
}
GROUPS = {"type": "EE", "threshold": "quantile_0.7", "easy_weight": 0.4}
WEIGHTINGS = {
    "EE": GROUPS | {"difficulty": "given"},
    "by-crowd": {"type": "proportional", "difficulty": "crowd", "softmax": 1.0},
    "DA": {"type": "DA", "difficulty": "tokens"},
    "DA-LOO": {"type": "DA", "difficulty": "others", "beta": 2.0},
    "DA-soft": {"type": "DA", "difficulty": "tokens", "smoothing": "softmax"},
    "EE-DA": {"type": "combined", "segments": "EE", "tokens": "DA"},
    "hardest": {"type": "hardest", "difficulty": "crowd", "share": 0.3},
    "crowd-DA": {"type": "combined", "segments": "hardest", "tokens": "DA"},
}
SETTINGS = settings_of(
    metrics={
        "chrF": {"type": "chrf"},
        "TER": {"type": "ter"},
        "BERTScore": {"type": "bertscore"},
        "Stored": {"type": "stored"},
        "Absent": {"type": "stored"},
    },
    matches={"BERTScore": "matches/e.npz"},
    difficulties=DIFFICULTIES,
    weightings=WEIGHTINGS,
)


def statistics(values):
    return {"statistics": values, "systems": np.array(NAMES), "signature": "sig"}


@pytest.fixture(scope="module")
def matches():
    texts = Texts(3, SYSTEMS, SEGMENTS)
    for side in (texts.of_reference, texts.of_hypotheses):
        side[:] = [[0.1 + 0.8 * np.abs(part) for part in row] for row in side]
    return texts.matches()


@pytest.fixture(scope="module")
def files(matches):
    arrays = {field.name: getattr(matches, field.name) for field in fields(matches)}
    contents = {
        "evalset.json": EVALSET,
        "matches/e.npz": arrays
        | {"baseline": np.full(3, np.nan), "baseline_from": "none", "signature": "e"},
        "statistics/chrF.npz": statistics(CHRF),
        "statistics/TER.npz": statistics(TER),
        "statistics/BERTScore.npz": statistics(RNG.random((SYSTEMS, SEGMENTS, 3))),
        "statistics/Stored.npz": statistics(RNG.random((SYSTEMS, 1, 1))),
        "statistics/Absent.npz": Missing("there are no such scores"),
    }
    values = {"given": RNG.random((SYSTEMS, SEGMENTS)), "crowd": CHRF[:, :, 0]}
    for name, of_systems in values.items():
        estimator = make_estimator(SETTINGS.difficulties[name])
        found = estimator.difficulty(of_systems, np.arange(SYSTEMS))
        kept = {"values": of_systems} if estimator.depends_on_systems else {}
        contents[f"difficulty/{name}.npz"] = {"difficulty": found, "signature": name, **kept}
    described = fitted.describe(
        SetFiles("x", contents), NAMES, SETTINGS.difficulties, SETTINGS.weightings
    )
    return SetFiles("x", contents | {"weightings.json": described})


@pytest.fixture(scope="module")
def scores(files):
    return ScoredSet(files, SETTINGS)


EVERYTHING = np.arange(SYSTEMS)


def test_what_has_scores_and_why_the_rest_has_none(scores):
    of_segments = ["standard", "EE", "by-crowd", "hardest"]
    assert [w for metric, w in scores.keys if metric == "chrF"] == of_segments
    assert [w for metric, w in scores.keys if metric == "BERTScore"] == ["standard", *WEIGHTINGS]
    assert [w for metric, w in scores.keys if metric == "Stored"] == ["standard"]
    assert (
        scores.missing["Stored", "EE"] == "only system scores are stored; EE needs segment scores"
    )
    assert {scores.missing["Absent", each] for each in of_segments} == {"there are no such scores"}


def test_groups_are_the_papers_equation(scores, files):
    of_all = scores.of(EVERYTHING)
    difficulty = files.read("difficulty/given.npz")["difficulty"]
    h = scores.weightings["EE"]["parameters"]["h"]
    for name, metric, values in (("chrF", "chrf", CHRF), ("TER", "ter", TER)):
        expected = ee_scores(METRICS[metric], values, difficulty, h, 0.4)
        found = of_all[name, "EE"].scores()
        np.testing.assert_allclose(found, expected, rtol=1e-11, err_msg=f"EE-{name}")
        plain = standard_scores(METRICS[metric], values)
        found = of_all[name, "standard"].scores()
        np.testing.assert_allclose(found, plain, rtol=1e-11, err_msg=name)


@pytest.mark.parametrize("systems", [EVERYTHING, np.array([4, 0, 3, 5])])
def test_a_difficulty_of_the_systems_is_that_of_those_at_hand(scores, matches, systems):
    """Weights and tokens of a subset are as if there were no other systems."""
    found = scores.of(systems)
    weighting = make_weighting(SETTINGS.weightings["by-crowd"])
    estimator = make_estimator(SETTINGS.difficulties["crowd"])
    difficulty = estimator.difficulty(CHRF[systems, :, 0], np.arange(len(systems)))
    parameters = scores.weightings["by-crowd"]["parameters"]
    expected = weighting.apply(found["chrF", "standard"], difficulty, parameters)
    np.testing.assert_allclose(found["chrF", "by-crowd"].scores(), expected.scores(), rtol=1e-12)
    for name, leave_one_out in (("DA", False), ("DA-LOO", True)):
        part = select(matches, systems)
        difficulty = token_difficulty(part.reference_similarity, leave_one_out)
        settings = DA(beta=WEIGHTINGS[name].get("beta", 1.0))
        sums = segment_scores(part, difficulty, settings).sum(axis=1)
        expected = settings.aggregate(sums, np.full(len(systems), SEGMENTS))
        of_tokens = found["BERTScore", name].scores()
        np.testing.assert_allclose(of_tokens, expected, rtol=1e-9, err_msg=name)


@pytest.mark.parametrize("fixture", ["scores", "of_rated"])
def test_subsets_have_the_scores_of_their_systems_alone(request, fixture):
    """All weightings, by the fast path and by the plain one; of all segments, or of rated ones."""
    index, scores = np.array([[0, 1, 2, 5], [5, 3, 1, 0]]), request.getfixturevalue(fixture)
    found = scores.quality(index)
    assert list(found) == scores.keys
    for place, subset in enumerate(index):
        for key, one in scores.of(subset).items():
            np.testing.assert_allclose(
                found[key][place], one.observed_quality(), rtol=1e-9, err_msg=str(key)
            )


RATED = np.sort(np.random.default_rng(3).permutation(SEGMENTS)[:25])


@pytest.fixture(scope="module")
def partly_rated(files):
    """People rated 25 of 40 segments, one of them of a single system; the archive's own system
    scores of chrF are not the means of its segment scores."""
    gold = np.full((SYSTEMS, SEGMENTS), np.nan)
    gold[:, RATED] = 1.0
    gold[1:, RATED[0]] = np.nan
    found = replace(EVALSET, segment_gold=gold.tolist())
    stored = statistics(CHRF) | {"system_scores": np.arange(SYSTEMS) / 7}
    return SetFiles("x", files.contents | {"evalset.json": found, "statistics/chrF.npz": stored})


@pytest.fixture
def of_rated(partly_rated):
    return ScoredSet(partly_rated, SETTINGS)


def test_scores_are_of_the_rated_segments(of_rated, scores):
    """Difficulties, and what is fitted to them, are those of all segments."""
    whole, found = scores.of(EVERYTHING), of_rated.of(EVERYTHING)
    for key, one in whole.items():
        if key == ("Stored", "standard"):
            np.testing.assert_array_equal(found[key].scores(), one.scores(), err_msg=str(key))
        elif key != ("chrF", "standard"):
            expected = one.select(segments=RATED).scores()
            np.testing.assert_array_equal(found[key].scores(), expected, err_msg=str(key))
    everywhere = of_rated.of(EVERYTHING, everywhere=True)["TER", "EE"]
    np.testing.assert_array_equal(everywhere.scores(), whole["TER", "EE"].scores())


def test_all_segments_count_where_the_config_says_so_or_nothing_is_rated(partly_rated):
    contents = partly_rated.contents
    sets = {
        "all, by the config": replace(contents["evalset.json"], segments="all"),
        "no scores of segments": EVALSET,
        "no segment is rated": replace(
            EVALSET, segment_gold=np.full((SYSTEMS, SEGMENTS), np.nan).tolist()
        ),
    }
    for case, found in sets.items():
        one = ScoredSet(SetFiles("x", contents | {"evalset.json": found}), SETTINGS)
        assert len(one.counted) == SEGMENTS, case


def test_a_stored_system_score_stands_beside_the_mean_of_segment_scores(of_rated):
    of_all = of_rated.of(EVERYTHING)
    of_chrf = ["standard", "standard (mean)", "EE", "by-crowd", "hardest"]
    assert [w for metric, w in of_rated.keys if metric == "chrF"] == of_chrf
    np.testing.assert_allclose(of_all["chrF", "standard"].scores(), np.arange(SYSTEMS) / 7)
    mean = CHRF[:, RATED, 0].mean(axis=1)
    np.testing.assert_allclose(of_all["chrF", "standard (mean)"].scores(), mean, rtol=1e-12)
    assert of_rated.signatures["chrF", "standard (mean)"] == "sig"


def test_systems_without_a_difficulty_of_their_own_have_no_score(files):
    """Human scores of all systems may be enough where those of a subset are not."""
    difficulties = SETTINGS.difficulties | {"human": DifficultySettings("human")}
    weightings = {"by-human": WeightingSettings("hardest", {"share": 0.5}, "human")}
    gold = RNG.random((SYSTEMS, SEGMENTS))
    gold[:3, 0] = np.nan  # rated for the last three systems alone
    estimator = make_estimator(difficulties["human"])
    arrays = {"values": -gold, "difficulty": estimator.difficulty(-gold, EVERYTHING)}
    contents = files.contents | {"difficulty/human.npz": arrays | {"signature": "human"}}
    described = fitted.describe(SetFiles("x", contents), NAMES, difficulties, weightings)
    contents["weightings.json"] = described
    settings = SETTINGS._replace(difficulties=difficulties, weightings=weightings)
    found = ScoredSet(SetFiles("x", contents), settings)
    scores = found.quality(np.array([[0, 1, 2, 3], [2, 3, 4, 5]]))["chrF", "by-human"]
    np.testing.assert_array_equal(np.isnan(scores[0]), True)
    np.testing.assert_array_equal(np.isfinite(scores[1]), True)
    assert described["weightings"]["by-human"]["uses_gold"]
    difficulties["mean"] = DifficultySettings("mean", {"difficulty": "human"})
    assert fitted.uses_gold("mean", difficulties)


def test_weightings_of_a_difficulty_that_is_missing_say_why(files):
    contents = dict(files.contents) | {"difficulty/given.npz": Missing("no such file")}
    found = fitted.describe(
        SetFiles("x", contents), NAMES, SETTINGS.difficulties, SETTINGS.weightings
    )
    assert found["difficulties"]["given"]["missing"] == "no such file"
    assert found["weightings"]["EE"]["missing"] == "no such file"
    assert found["weightings"]["EE-DA"]["missing"] == "no such file"
    without = ScoredSet(SetFiles("x", contents | {"weightings.json": found}), SETTINGS)
    assert without.missing["chrF", "EE"] == "no such file"
    assert ("chrF", "by-crowd") in without.keys


def test_few_effective_segments_and_small_groups_are_told():
    difficult = np.zeros((2, 400), dtype=bool)
    difficult[0, :4] = difficult[1, :200] = True
    plain = WeightedMetric(METRICS["chrf"].aggregate, np.zeros((2, 400, 1)))
    # Kish: 1 / (0.5² / 4 + 0.5² / 396) = 15.8.
    few, small = notices("EE", plain.in_groups(difficult, 0.5), ["a", "b"])
    assert few == "EE leaves fewer than 100 effective segments (Kish) of 400: a 16."
    assert small.endswith("by chance: a 4.")
    assert not list(notices("standard", plain, ["a", "b"]))
