"""What the nulls say of EE and of human rankings on WMT data (../shared/data)."""

import numpy as np
import pytest

from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.difficulty.chunk_entropy import ChunkEntropy
from mt_difficulty.evidence import nulls
from mt_difficulty.evidence.controls import RANKING_COLUMNS, rank_by_difficulty
from mt_difficulty.evidence.nulls import quantile
from mt_difficulty.evidence.parameters import retuned
from mt_difficulty.evidence.subsets import correlate
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric


def entropy(found):
    return ChunkEntropy(aligner="fast_align", zero_links="zero").estimate(found, None)


@pytest.fixture(scope="module")
def wmt19(excerpt):
    """WMT19 En-De, 22 systems: chunk entropies, human scores, and places of 300 permutations."""
    found = read_evaluation_set(excerpt / "wmt19", "wmt19", "en-de", "ref", "wmt-z")
    places = nulls.permutations(len(found.reference), 300, np.random.default_rng(1))
    return found, entropy(found), np.array(found.gold), places


# Of 300 draws a quantile of 0.9 has the standard error 0.017, one of 0.7 0.026: within 4 of these.
@pytest.mark.parametrize(
    ("name", "of_permuted", "of_retuned"), [("bleu", 0.96, 0.72), ("chrf", 0.86, 0.04)]
)
def test_published_parameters_are_no_better_than_tuned_random_difficulty(
    wmt19, name, of_permuted, of_retuned
):
    """EE at h = 0.53 and w = 0.35 (Liu et al., 5.1), searched on this set's human scores, stands
    high among permuted difficulties at these values, and not among permuted difficulties that are
    tuned in the same way, nearly all of which beat the unweighted metric."""
    found, difficulty, gold, places = wmt19
    statistics = METRICS[name]("en-de").segment_statistics(found.hypotheses, found.reference)
    plain = WeightedMetric.standard(METRICS[name], statistics)
    one = plain.in_groups(difficulty >= 0.53, 0.35)
    value = correlate(one.observed_quality(), gold).pearson
    permuted = correlate(nulls.permuted_quality({"": one}, places)[""], gold).pearson
    assert quantile(value, permuted) == pytest.approx(of_permuted, abs=0.08)
    tuned = retuned(plain, difficulty, gold, places)[:, 0]
    assert quantile(value, tuned) == pytest.approx(of_retuned, abs=0.11)
    plain_r = correlate(plain.observed_quality(), gold).pearson
    assert (tuned > plain_r + 1e-9).mean() > 0.88
    assert nulls.effective_size(one) == pytest.approx(441, abs=10)


@pytest.mark.parametrize(
    ("campaign", "r", "random", "place", "within"),
    [("wmt21.tedtalks", 0.62, 0.66, 0.36, 0.0), ("wmt21.news", 0.61, 0.53, 0.58, -0.02)],
)
def test_difficult_segments_rank_systems_as_random_ones_do(
    excerpt, campaign, r, random, place, within
):
    """MQM of En-De on the 10 % of segments of highest mean chunk entropy, and on the rest."""
    found = read_evaluation_set(excerpt / campaign, campaign, "en-de", "refA", "mqm")
    people = np.array(found.segment_gold, dtype=float)
    ranking = rank_by_difficulty(entropy(found), people, 1000, np.random.default_rng(1))
    ours = dict(zip(RANKING_COLUMNS, ranking.row("chunk_entropy"), strict=True))
    # fast_align's links differ in a few segments between builds.
    assert ours["r"] == pytest.approx(r, abs=0.05)
    assert ours["random_mean"] == pytest.approx(random, abs=0.02)
    assert ours["random_quantile"] == pytest.approx(place, abs=0.12)
    assert ours["within_r"] == pytest.approx(within, abs=0.02)
