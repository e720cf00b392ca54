"""The joint bootstrap: segments are drawn alike for metrics and human scores, and in sets of the
same source texts; weightings are fitted again on every resample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from zlib import crc32

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from ..statistics import evaluate
from ..weighting.base import WeightedMetric, Weighting
from .counted import counted_segments
from .resampling import resampled_scores
from .soft_accuracy import MINIMUM_SEGMENTS, normal_p

# What a study compares, the primary outcome first.
OUTCOMES = ("soft_accuracy", "accuracy", "kendall", "pearson")
# Resamples whose weights are held at a time.
BLOCK = 100
FEW_SYSTEMS = "{} ranked systems without outliers; a study needs 3"


class Sample(NamedTuple):
    """The systems and segments of a set that a study scores.

    Attributes
    ----------
    systems, segments, others : ndarray of int
        Scored segments are those with a human score of every system, if there are MINIMUM_SEGMENTS
        of them; else those that count in every result of the set. Weightings are fitted on
        `others`, too.
    people : ndarray, (systems, scored), optional
        Human scores of segments; None where they are not resampled, and soft pairwise accuracy is
        undefined.
    gold : ndarray, (systems,)
        Human scores: means of `people`, else those of the archive.
    texts : ndarray of int, (segments of the set,)
        Equal for equal source segments, also of different sets (`text_codes`).
    """

    systems: np.ndarray
    segments: np.ndarray
    others: np.ndarray
    people: np.ndarray | None
    gold: np.ndarray
    texts: np.ndarray


def inliers(found: EvaluationSet) -> np.ndarray:
    """Places of the ranked systems that the official toolkit lists not as outliers, ascending."""
    return np.flatnonzero([system not in found.outliers for system in found.systems])


def sample_of(found: EvaluationSet, systems: np.ndarray) -> Sample:
    """What a study scores of a set, for some of its systems. Raises `Missing` without human
    scores or texts, and for fewer than three systems."""
    found.require_gold()
    found.require_texts()
    if len(systems) < 3:
        raise Missing(FEW_SYSTEMS.format(len(systems)))
    segments, people = counted_segments(found), None
    gold = np.array(found.gold, dtype=float)[systems]
    if found.segment_gold:
        scores = np.array(found.segment_gold, dtype=float)[systems]
        rated = np.flatnonzero(np.isfinite(scores).all(axis=0))
        if len(rated) >= MINIMUM_SEGMENTS:
            segments, people = rated, scores[:, rated]
            gold = people.mean(axis=1)
    others = np.setdiff1d(np.arange(len(found.reference)), segments)
    return Sample(systems, segments, others, people, gold, text_codes(found))


def text_codes(found: EvaluationSet) -> np.ndarray:
    """A number of each source segment, (segments,), the same in every set that has the segment.
    A text that occurs several times has a number for each time. Without a source, segments are
    those of the campaign and pair."""
    times: Counter[str] = Counter()
    place = f"{found.campaign}/{found.pair}"
    codes = []
    for text in found.source or [place] * len(found.reference):
        times[text] += 1
        codes.append(crc32(f"{times[text]} {text}".encode()))
    return np.array(codes, dtype=np.int64)


def draw_segments(texts: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """How often each segment is drawn, (resamples, segments): as many draws, with replacement;
    `texts`, (segments,), as from `text_codes`.

    Sets that share source segments draw these about equally often: a segment has the same Poisson
    count in all of them, and the total of a resample is then made the number of segments by random
    draws that are added or taken away. Within a set that is the ordinary bootstrap, since Poisson
    counts of a given total are multinomial.
    """
    counts = np.empty((resamples, len(texts)), dtype=np.int64)
    for place, text in enumerate(texts):
        counts[:, place] = np.random.default_rng([seed, 0, text]).poisson(1, resamples)
    rng = np.random.default_rng([seed, 1, crc32(texts.tobytes())])
    for row, excess in zip(counts, counts.sum(axis=1) - len(texts), strict=True):
        if excess > 0:
            row -= rng.multivariate_hypergeometric(row, excess)
        elif excess < 0:
            row += rng.multinomial(-excess, np.full(len(texts), 1 / len(texts)))
    return counts


class Joint:
    """Resamples of the segments of a sample.

    Attributes
    ----------
    counts, others : ndarray, (resamples, scored) and (resamples, others)
        How often each scored segment is drawn, and apart from these each other one.
    gold : ndarray, (resamples, systems)
        Human scores on the segments drawn.
    """

    def __init__(self, sample: Sample, resamples: int, seed: int) -> None:
        self.sample = sample
        scored, rest = sample.texts[sample.segments], sample.texts[sample.others]
        self.counts = draw_segments(scored, resamples, seed).astype(float)
        self.others = draw_segments(rest, resamples, seed)
        self.gold = np.broadcast_to(sample.gold, (resamples, len(sample.gold)))
        if sample.people is not None:
            self.gold = self.counts @ sample.people.T / len(sample.segments)
        self._people = _people_p(sample, self.counts)

    def outcomes(self, quality: np.ndarray, influence: np.ndarray) -> np.ndarray:
        """OUTCOMES on every resample, (resamples, outcomes), NaN where one is undefined; from
        scores on the segments drawn, (resamples, systems), higher is better, and the influence
        of segments as they are, (systems, scored), as for `normal_p`."""
        return outcomes(quality, influence, self.gold, self.counts, self._people)

    def quality(self, one: WeightedMetric) -> np.ndarray:
        """Scores on every resample, (resamples, systems), with the weights as they are."""
        return resampled_scores(one, self.counts)

    def refitted(
        self,
        weighting: Weighting,
        difficulty: np.ndarray,
        bases: Mapping[str, WeightedMetric],
        names: Sequence[str],
    ) -> dict[str, np.ndarray]:
        """Scores on every resample under a weighting that is fitted to the segments drawn.

        Parameters
        ----------
        weighting : Weighting
            Of segments.
        difficulty : ndarray, (systems, segments)
            Of all segments of the set; those that are not scored may have none (NaN), and take no
            part in fits.
        bases : dict of str to WeightedMetric
            Metrics without weights of segments, on the scored ones.
        names : sequence of str
            Of the systems.

        Returns
        -------
        dict of str to ndarray, (resamples, systems)
            Higher is better; NaN where the weighting has no parameters or a system no score.
        """
        statistics = np.concatenate([one.terms for one in bases.values()], axis=-1)
        ends = np.cumsum([one.terms.shape[-1] for one in bases.values()])[:-1]
        scores: dict[str, list[np.ndarray]] = {metric: [] for metric in bases}
        for start in range(0, len(self.counts), BLOCK):
            rows = range(start, min(start + BLOCK, len(self.counts)))
            weights, shares = self._weights(weighting, difficulty, list(names), rows)
            systems, resamples, groups, segments = weights.shape
            sums = weights.reshape(systems, -1, segments) @ statistics
            sums = np.moveaxis(sums.reshape(systems, resamples, groups, -1), 0, 1)
            for (metric, one), own in zip(
                bases.items(), np.split(sums, ends, axis=-1), strict=True
            ):
                quality = one.aggregate(own[..., :-1], own[..., -1])
                # A group of share 0 need not have a score.
                parts = np.where(shares[:, None] == 0, 0.0, shares[:, None] * quality)
                scores[metric].append(one.sign * parts.sum(axis=-1))
        return {metric: np.concatenate(parts) for metric, parts in scores.items()}

    def _weights(
        self, weighting: Weighting, difficulty: np.ndarray, names: list[str], rows: range
    ) -> tuple[np.ndarray, np.ndarray]:
        """Weights of the scored segments on some resamples, (systems, resamples, groups, scored),
        and the groups' shares, (resamples, groups); shares are NaN without weights."""
        sample, size = self.sample, self.counts.shape[1]
        fits: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        known = ~np.isnan(difficulty).any(axis=0)
        for place, row in enumerate(rows):
            counts = self.counts[row].astype(int)
            others = np.repeat(sample.others, self.others[row])
            drawn = np.repeat(sample.segments, counts)
            of_drawn = difficulty[:, np.concatenate([drawn, others[known[others]]])]
            parameters = weighting.fit(of_drawn, names, "difficulty")
            try:
                one = weighting.apply(WeightedMetric.blank(*of_drawn.shape), of_drawn, parameters)
            except Missing:
                continue
            weights = np.zeros((len(difficulty), size, len(one.shares)))
            seen = np.flatnonzero(counts)
            own = np.asarray(one.weights)[:, : len(drawn)]
            weights[:, seen] = np.add.reduceat(own, (np.cumsum(counts) - counts)[seen], axis=1)
            fits[place] = np.moveaxis(weights, 2, 1), one.shares
        groups = max((len(shares) for _, shares in fits.values()), default=1)
        weights = np.zeros((len(difficulty), len(rows), groups, size))
        shares = np.full((len(rows), groups), np.nan)
        for place, fit in fits.items():
            weights[:, place], shares[place] = fit
        return weights, shares


def observed_outcomes(sample: Sample, quality: np.ndarray, influence: np.ndarray) -> np.ndarray:
    """OUTCOMES on the segments as they are, (outcomes,), from scores, (systems,), and their
    influence, (systems, scored), by the approximation of `normal_p`."""
    counts = np.ones((1, len(sample.segments)))
    gold, people = sample.gold[None], _people_p(sample, counts)
    return outcomes(quality[None], influence, gold, counts, people)[0]


def fitted(
    weighting: Weighting, difficulty: np.ndarray, sample: Sample, names: Sequence[str]
) -> tuple[np.ndarray, np.ndarray]:
    """A weighting that is fitted to all segments of a set that have a difficulty: weights of the
    scored ones, (systems, scored, groups), and the groups' shares, (groups,). Raises `Missing`
    where it has no parameters."""
    known = ~np.isnan(difficulty).any(axis=0)
    parameters = weighting.fit(difficulty[:, known], list(names), "difficulty")
    blank = WeightedMetric.blank(len(difficulty), known.sum())
    one = weighting.apply(blank, difficulty[:, known], parameters)
    weights = np.zeros((*difficulty.shape, len(one.shares)))
    weights[:, known] = one.weights
    return weights[:, sample.segments], one.shares


def linear_influence(one: WeightedMetric) -> tuple[np.ndarray, np.ndarray]:
    """Scores, (systems,), and what each segment adds to them to first order, (systems, segments);
    higher is better, NaN where a group with a share is empty.

    By the derivatives of the score in the sums of its statistics: of a mean the same as
    `WeightedMetric.influence`, of a function of sums the limit of many segments. Faster where there
    are many weights to try.
    """
    statistics = one.terms
    weights = np.ones((*statistics.shape[:2], 1)) if one.weights is None else one.weights
    sums = np.swapaxes(weights, 1, 2) @ statistics
    step = 1e-6 * np.abs(statistics).mean(axis=(0, 1)) * statistics.shape[1] + 1e-12
    influence = np.zeros(statistics.shape[:2])
    # What no segment of a group has adds nothing, and a score may have a kink where it is 0.
    present = np.swapaxes(weights, 1, 2) @ np.abs(statistics) > 0
    for group in np.flatnonzero(one.shares):
        slopes = np.empty((len(sums), statistics.shape[2]))
        for kind, size in enumerate(step):
            moved = np.zeros(sums.shape)
            moved[:, group, kind] = size
            change = one.quality(sums + moved) - one.quality(sums - moved)
            slopes[:, kind] = np.where(present[:, group, kind], change / (2 * size), 0.0)
        own = (statistics @ slopes[..., None])[..., 0]
        influence += weights[:, :, group] * own
    return one.quality(sums), influence


def _people_p(sample: Sample, counts: np.ndarray) -> np.ndarray | None:
    if sample.people is None:
        return None
    size = len(sample.segments)
    influence = (sample.people - sample.people.mean(axis=1, keepdims=True)) / size
    return normal_p(counts @ sample.people.T / size, influence, counts)


def outcomes(
    quality: np.ndarray,
    influence: np.ndarray,
    gold: np.ndarray,
    counts: np.ndarray,
    people: np.ndarray | None,
) -> np.ndarray:
    """OUTCOMES on resamples; `people` are p-values of human scores, without which the first is
    undefined."""
    spa = np.full((len(quality), 1), np.nan)
    if people is not None:
        distance = np.abs(normal_p(quality, influence, counts) - people)
        spa = 1 - distance.mean(axis=1, keepdims=True)
    return np.concatenate([spa, evaluate(OUTCOMES[1:], quality, gold)], axis=1)
