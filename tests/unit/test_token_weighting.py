"""DA-BERTScore against loops written from Eq. 2 to 5 and the authors' program."""

from dataclasses import asdict
from itertools import product
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from naive import token_difficulty

from mt_difficulty.embedding import Matches, rescaled_matches, select
from mt_difficulty.scores import SubsetScores
from mt_difficulty.weighting.DA import DA, segment_scores

EXACT = 1e-12  # of two computations in float64
seeds = st.integers(0, 10**6)
VARIANTS = [
    DA(*options) for options in product(["one", "reference"], ["none", "softmax"], ["open", "unit"])
]
variants = st.sampled_from(VARIANTS)


class Texts:
    """Token ids of references and hypotheses, and a similarity for each that no encoder made.

    None is near 1, so that no sum of difficulties is near 0.
    """

    def __init__(self, seed, systems=None, segments=None):
        rng = np.random.default_rng(seed)
        systems, segments = systems or rng.integers(2, 6), segments or rng.integers(1, 7)

        def sentence():
            return rng.integers(0, 5, rng.integers(0, 7)).tolist()

        self.reference = [sentence() for _ in range(segments)]
        self.hypotheses = [[sentence() for _ in range(segments)] for _ in range(systems)]
        self.of_reference = [
            [rng.uniform(-0.2, 0.95, len(ids)) for ids in self.reference] for _ in range(systems)
        ]
        self.of_hypotheses = [
            [rng.uniform(-0.2, 0.95, len(ids)) for ids in system] for system in self.hypotheses
        ]
        self.best = [
            [
                rng.integers(0, len(reference), len(ids)) if reference else [-1] * len(ids)
                for reference, ids in zip(self.reference, system, strict=True)
            ]
            for system in self.hypotheses
        ]

    def copy_system(self, source, target):
        for values in (self.hypotheses, self.of_reference, self.of_hypotheses, self.best):
            values[target] = values[source]

    def matches(self):
        types = {}
        for segment, ids in enumerate(self.reference):
            for token in ids:
                types.setdefault((segment, token), len(types))

        def flat(nested, dtype):
            return np.concatenate([np.array(part, dtype) for row in nested for part in row])

        def types_of(row):
            return [
                [types.get((segment, token), -1) for token in ids]
                for segment, ids in enumerate(row)
            ]

        def lengths(row):
            return np.array([len(ids) for ids in row])

        return Matches(
            reference_lengths=lengths(self.reference),
            reference_ids=flat([self.reference], np.int32),
            reference_type=flat([types_of(self.reference)], np.int32),
            reference_offsets=np.zeros((lengths(self.reference).sum(), 2), np.int32),
            reference_similarity=np.array([flat([row], np.float32) for row in self.of_reference]),
            hypothesis_lengths=np.array([lengths(row) for row in self.hypotheses]),
            hypothesis_ids=flat(self.hypotheses, np.int32),
            hypothesis_similarity=flat(self.of_hypotheses, np.float32),
            hypothesis_position=flat(self.best, np.int16),
            hypothesis_type=flat(map(types_of, self.hypotheses), np.int32),
            truncated=np.arange(1 + len(self.hypotheses)),
        )


# Eq. 2 to 4, with loops


def plain_difficulty(texts, segment, token, left_out=None):
    """Eq. 2: of one reference token."""
    values = [
        system[segment][token]
        for number, system in enumerate(texts.of_reference)
        if number != left_out
    ]
    return 1 - sum(values) / len(values)


def plain_softmax(weights):
    total = sum(exp(weight) for weight in weights)
    return [exp(weight) / total for weight in weights]


def plain_mean(weights, similarity, choice):
    total = sum(w * s for w, s in zip(weights, similarity, strict=True))
    divisor = sum(weights) if choice.range == "unit" else len(weights)
    return total / divisor if divisor else 0.0


def plain_scores(texts, system, segment, difficulty, choice):
    """Eq. 3 and 4: precision and recall of one hypothesis."""
    reference, hypothesis = texts.reference[segment], texts.hypotheses[system][segment]
    if not reference or not hypothesis:
        return 0.0, 0.0
    if choice.smoothing == "softmax":
        difficulty = plain_softmax(difficulty)
    recall = plain_mean(difficulty, texts.of_reference[system][segment], choice)
    by_token = {}
    for token, value in zip(reference, difficulty, strict=True):
        by_token[token] = (by_token[token] + value) / 2 if token in by_token else value
    weights = []
    for token, best in zip(hypothesis, texts.best[system][segment], strict=True):
        unseen = 1.0 if choice.unseen == "one" else difficulty[best]
        weights.append(by_token.get(token, unseen))
    if choice.smoothing == "softmax":
        weights = plain_softmax(weights)
    return plain_mean(weights, texts.of_hypotheses[system][segment], choice), recall


def plain_f(precision, recall, beta):
    if precision == recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (beta**2 * precision + recall)


@given(seeds, variants, st.booleans())
def test_scores_follow_the_equations(seed, choice, leave_one_out):
    texts = Texts(seed)
    matches = texts.matches()
    difficulty = token_difficulty(matches.reference_similarity, leave_one_out)
    found = segment_scores(matches, difficulty, choice)
    for system, segment in np.ndindex(found.shape[:2]):
        weights = [
            plain_difficulty(texts, segment, token, system if leave_one_out else None)
            for token in range(len(texts.reference[segment]))
        ]
        expected = plain_scores(texts, system, segment, weights, choice)
        own, case = found[system, segment], f"system {system}, segment {segment}"
        np.testing.assert_allclose(own, expected, rtol=0, atol=1e-5, err_msg=case)


@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_a_systems_f_is_of_its_mean_precision_and_recall(beta):
    """Eq. 5."""
    sums, segments = np.array([[0.6, 0.9], [0.0, 0.0]]), np.array([3, 0])
    found = DA(beta=beta).aggregate(sums, segments)
    assert found[0] == pytest.approx(plain_f(0.2, 0.3, beta))
    assert np.isnan(found[1])


# Subsets of systems


def plain_subset(matches, subset, choice, groups, leave_one_out):
    """Scores of one subset, (groups, systems)."""
    part = select(matches, subset)
    difficulty = token_difficulty(part.reference_similarity, leave_one_out)
    scores = segment_scores(part, difficulty, choice)
    found = []
    for group in groups[:, subset]:
        means = [
            row[inside].mean(axis=0) if inside.any() else [np.nan] * 2
            for row, inside in zip(scores, group, strict=True)
        ]
        found.append([plain_f(precision, recall, choice.beta) for precision, recall in means])
    return np.array(found)


@given(seeds, st.sampled_from([0.5, 1.0]), st.booleans(), st.booleans(), st.booleans())
def test_subsets_are_as_if_there_were_no_other_systems(seed, beta, unseen, grouped, leave_one_out):
    rng = np.random.default_rng(seed)
    texts = Texts(seed, systems=6, segments=8)
    # Similarities that keep every mean away from 0, where F is not steady.
    for values in (texts.of_reference, texts.of_hypotheses):
        values[:] = [[0.1 + 0.8 * np.abs(part) for part in row] for row in values]
    matches, choice = texts.matches(), DA("reference" if unseen else "one", beta=beta)
    hard = rng.random((6, 8)) < 0.4
    hard[2] = False  # a system without hard segments
    groups = np.stack([~hard, hard]) if grouped else np.ones((1, 6, 8), dtype=bool)
    index = np.array([rng.permutation(6)[:4] for _ in range(3)])
    weights = np.moveaxis(groups, 0, -1).astype(float) if grouped else None
    shares = np.array([0.3, 0.7]) if grouped else None
    found = SubsetScores(matches, choice, weights, shares)(index, leave_one_out=leave_one_out)
    for scores, subset in zip(found, index, strict=True):
        expected = plain_subset(matches, subset, choice, groups, leave_one_out)
        combined = 0.3 * expected[0] + 0.7 * expected[1] if grouped else expected[0]
        case = f"systems {subset}"
        np.testing.assert_allclose(scores, combined, rtol=0, atol=EXACT, err_msg=case)
    if grouped:
        np.testing.assert_array_equal(np.isnan(found[index == 2]), True)


def test_similarities_are_rescaled_in_float64():
    matches = Texts(4).matches()
    baseline = {"baseline": np.array([0.2, 0.3, 0.4]), "baseline_from": "given"}
    arrays = asdict(matches) | baseline | {"signature": "x"}
    found, signature = rescaled_matches(arrays)
    assert signature == "x|rescale:token|baseline:0.4000|baseline-from:given"
    for name in ("reference_similarity", "hypothesis_similarity"):
        expected = (getattr(matches, name) - 0.4) / 0.6
        rescaled = getattr(found, name)
        np.testing.assert_allclose(rescaled, expected, rtol=0, atol=1e-6, err_msg=name)
        assert rescaled.dtype == np.float64, name
