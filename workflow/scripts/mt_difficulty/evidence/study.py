"""A study on one evaluation set: how much better one weighting agrees with human scores than
another, compared with nulls and for every pair of systems. Errors come from a joint bootstrap:
metrics and human scores share the drawn segments, as do sets of the same source texts. Weightings
are fitted again on every resample."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..difficulty.length import Length
from ..errors import Missing
from ..scores import SYSTEM_SCORES_ONLY, ScoredSet, counted_segments
from ..settings import Weightings, WeightingSettings
from ..settings.study import Contrast, Study
from ..statistics import evaluate
from ..storage import Content
from ..tables import TABLES
from ..weighting import Parts, difficulty_of, make_weighting, parts
from ..weighting.base import STANDARD, Resamples, WeightedMetric, Weighting
from ..weighting.EE import EE
from . import nulls
from .parameters import retuned_quality, surface
from .resampling import MINIMUM_SEGMENTS, as_many_segments, interval, normal_p
from .units import DOCUMENTS, Units, single_segments, units_of_set, whole_documents

# Outcomes that a study compares, the primary one first.
OUTCOMES = ("soft_accuracy", "accuracy", "kendall", "pearson")
PRIMARY = OUTCOMES[0]
EVERY_PHASE = "all"
# Name of the mean over a tier's metrics, in the place of a metric's.
MEAN = "mean"
# Tier of metrics that the study names in none.
OTHER = "other"
# Columns that describe a set.
FACTS = ["campaign", "pair", "reference", "gold", "phase"]
# Columns of effects before what is the same for all of a set is added.
OF_SET = ["gold", "systems", "segments", "unit", "units"]
EFFECTS = TABLES["<set>/study/effects.csv"].names(without=OF_SET)
# 95 % intervals are effect ± NORMAL standard errors. In simulated sets (200 each of 20 designs,
# bench/study_coverage.py) they hold the expected effect on soft pairwise accuracy in 93 to 100 %,
# in the mean 97 %; percentile intervals do in 98 to 100 %, basic ones in 81 to 92 %.
NORMAL = 1.96
NOT_OF_SET = "{} is not among the set's weightings"
FEW_RATED = f"fewer than {MINIMUM_SEGMENTS} segments have a human score of every system"
UNDEFINED = "constant or undefined scores, here or in more than 5 % of the resamples"
NO_MATCHES = "a weighting of tokens needs token matches, which only metrics with an encoder have"


class Sample(NamedTuple):
    """The systems and segments that a study scores.

    Attributes
    ----------
    systems : ndarray
        Indices of systems, (systems,).
    segments : ndarray
        Indices of segments rated for every system or, with fewer than MINIMUM_SEGMENTS of these, of
        all counted segments, (segments,).
    unscored : ndarray
        Indices of the other segments, on which weightings are also fitted.
    segment_gold : ndarray or None
        Human scores, (systems, segments); None if `segments` are all counted segments.
    gold : ndarray
        Means of `segment_gold`, else the archive's scores, (systems,); higher is better.
    units : Units
        Of all segments of the set.
    codes : ndarray
        `unit_codes` of these.
    gold_p : ndarray or None
        One-sided p of `gold`, (pairs of systems,), by the errors of human scores that come from
        annotations; these are not resampled.
    """

    systems: np.ndarray
    segments: np.ndarray
    unscored: np.ndarray
    segment_gold: np.ndarray | None
    gold: np.ndarray
    units: Units
    codes: np.ndarray
    gold_p: np.ndarray | None = None

    @property
    def scored_units(self) -> np.ndarray:
        """Numbers of the units with scored segments."""
        return np.unique(self.units.numbers[self.segments])


def sample_of(
    evalset: EvaluationSet, *, with_outliers: bool = False, unit: str = DOCUMENTS
) -> Sample:
    """Choose the systems and segments of a set for a study.

    Parameters
    ----------
    evalset : EvaluationSet
    with_outliers : bool
        Whether to keep the official toolkit's outliers.
    unit : {"documents", "segments"}
        What is resampled where documents are known and enough.

    Returns
    -------
    Sample

    Raises
    ------
    Missing
        Without human scores or texts, and for fewer than three systems.
    """
    evalset.require_gold()
    evalset.require_texts()
    outliers = [] if with_outliers else evalset.outliers
    systems = np.flatnonzero([system not in outliers for system in evalset.systems])
    if len(systems) < 3:
        raise Missing(f"{len(systems)} ranked systems without outliers; a study needs 3")
    segments = counted_segments(evalset)
    segment_gold = None
    gold = np.array(evalset.gold, dtype=float)[systems]
    gold_p = None
    if evalset.gold_covariance:
        gold_p = evalset.human_p(systems)[np.triu_indices(len(systems), 1)]
    elif evalset.segment_gold:
        scores = np.array(evalset.segment_gold, dtype=float)[systems]
        rated = np.flatnonzero(np.isfinite(scores).all(axis=0))
        if len(rated) >= MINIMUM_SEGMENTS:
            segments = rated
            segment_gold = scores[:, rated]
            gold = segment_gold.mean(axis=1)
    unscored = np.setdiff1d(np.arange(len(evalset.reference)), segments)
    # Documents count as units if enough of them have scored segments.
    scored_units = units_of_set(evalset, segments, unit)
    units = single_segments(len(evalset.reference), scored_units.why_segments)
    if scored_units.kind == DOCUMENTS:
        units = whole_documents(evalset.documents)
    codes = unit_codes(evalset, units)
    return Sample(systems, segments, unscored, segment_gold, gold, units, codes, gold_p)


def unit_codes(evalset: EvaluationSet, units: Units) -> np.ndarray:
    """Hash the source texts of units, (units,): equal texts have the same code in every set, but
    repeats within a set differ. Without a source, codes depend on campaign, pair and position."""
    substitute = f"{evalset.campaign}/{evalset.pair}"
    lines: list[list[str]] = [[] for _ in range(units.size)]
    source = evalset.source or [substitute] * len(evalset.reference)
    for unit, text in zip(units.numbers.tolist(), source, strict=True):
        lines[unit].append(text)
    repeats: Counter[str] = Counter()
    codes = []
    for unit_lines in lines:
        text = "\n".join(unit_lines)
        repeats[text] += 1
        codes.append(crc32(f"{repeats[text]} {text}".encode()))
    return np.array(codes, dtype=np.int64)


def draw_units(texts: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Draw bootstrap counts of units, such that sets share the draws of shared source texts.

    Parameters
    ----------
    texts : ndarray
        `unit_codes`, (units,), which seed the draws.
    resamples, seed : int

    Returns
    -------
    ndarray
        Counts, (resamples, units).

    Notes
    -----
    Sets that share documents, or segments, draw these about equally often: a unit has the same
    Poisson count in all of them, and random draws are added or taken away until there are as many
    as units. Within a set this is the ordinary bootstrap.
    """
    counts = np.empty((resamples, len(texts)), dtype=np.int64)
    for unit, text in enumerate(texts):
        counts[:, unit] = np.random.default_rng([seed, 0, text]).poisson(1, resamples)
    rng = np.random.default_rng([seed, 1, crc32(texts.tobytes())])
    for row, excess in zip(counts, counts.sum(axis=1) - len(texts), strict=True):
        if excess > 0:
            row -= rng.multivariate_hypergeometric(row, excess)
        elif excess < 0:
            row += rng.multinomial(-excess, np.full(len(texts), 1 / len(texts)))
    return counts


class Together(NamedTuple):
    """Metrics of the same systems and segments, with their statistics joined on one axis.

    Attributes
    ----------
    bases : dict of str to WeightedMetric
        Metrics without a weighting of segments.
    terms : ndarray
        Their joined `WeightedMetric.terms`, (systems, segments, k).
    totals : ndarray
        Sums of the terms over the segments of every resample, (resamples, systems, k).
    """

    bases: dict[str, WeightedMetric]
    terms: np.ndarray
    totals: np.ndarray

    def quality(self, sums: np.ndarray, shares: np.ndarray) -> dict[str, np.ndarray]:
        """Return scores by metric, higher is better, from `sums` and `shares` of groups."""
        return {
            metric: self.bases[metric]._replace(shares=shares).quality(part)
            for metric, part in self.by_metric(sums).items()
        }

    def by_metric(self, values: np.ndarray) -> dict[str, np.ndarray]:
        """Split the last axis, the joined statistics of all metrics, into arrays by metric."""
        ends = np.cumsum([base.statistics.shape[-1] + 1 for base in self.bases.values()], dtype=int)
        return dict(zip(self.bases, np.split(values, ends, axis=-1)[:-1], strict=True))


class Joint:
    """Bootstrap resamples of the segments of a set's `Sample`.

    Parameters
    ----------
    sample : Sample
    resamples : int
        Number of resamples; 0 for the original segments alone.
    seed : int

    Attributes
    ----------
    counts, unscored : ndarray
        How often every scored and unscored segment is drawn, (resamples, segments) each.
    gold : ndarray
        Mean human scores, (resamples, systems).
    """

    def __init__(self, sample: Sample, resamples: int = 0, seed: int = 0) -> None:
        self.sample = sample
        unit_counts = _unit_counts(sample, resamples, seed)
        self.counts = unit_counts[:, sample.units.numbers[sample.segments]]
        self.unscored = unit_counts[:, sample.units.numbers[sample.unscored]]
        self._counts = self.counts.astype(float)
        # Resamples of documents differ in their number of segments.
        self._scaled = as_many_segments(self._counts)
        self.shape = (len(sample.systems), len(sample.segments))
        self.gold = np.broadcast_to(sample.gold, (len(self.counts), len(sample.gold)))
        self._gold_p = sample.gold_p
        scores = sample.segment_gold
        if scores is not None:
            means = self._scaled @ scores.T / scores.shape[1]
            if resamples:
                self.gold = means
            influence = (scores - scores.mean(axis=1, keepdims=True)) / scores.shape[1]
            self._gold_p = normal_p(means, influence, self._scaled)

    def outcomes(self, quality: np.ndarray, influence: np.ndarray) -> np.ndarray:
        """Compute the statistics OUTCOMES on every resample, (resamples, outcomes), NaN where
        undefined. `quality`, (resamples, systems), are scores, higher is better; `influence`,
        (systems, scored), is that of the original segments, as for `normal_p`."""
        from ..compiled import samples

        soft_accuracy = np.full(len(quality), np.nan)
        if self._gold_p is not None:
            distance = np.abs(normal_p(quality, influence, self._scaled) - self._gold_p)
            soft_accuracy = 1 - distance.mean(axis=1)
        all_systems = np.arange(quality.shape[1])[None]
        correlations = samples.mean_correlations(quality, self.gold, all_systems)
        columns = [samples.STATISTICS.index(name) for name in OUTCOMES[1:]]
        return np.column_stack([soft_accuracy, correlations[:, columns]])

    def together(self, bases: Mapping[str, WeightedMetric]) -> Together:
        """Return segment statistics of all metrics, joined on one axis, with sums per resample."""
        metric_terms = [base.terms for base in bases.values()]
        terms = np.concatenate([*metric_terms, np.empty((*self.shape, 0))], axis=-1)
        totals = np.stack([self._counts @ system_terms for system_terms in terms], axis=1)
        return Together(dict(bases), terms, totals)

    def refitted(
        self, weighting: Weighting, difficulty: np.ndarray, together: Together, names: Sequence[str]
    ) -> dict[str, np.ndarray]:
        """Score systems on every resample with a weighting refitted to the segments drawn.

        Parameters
        ----------
        weighting : Weighting
            A weighting of segments.
        difficulty : ndarray
            (systems, all segments of the set), higher is harder. Unscored segments with NaN are not
            used in fits.
        together : Together
            The metrics on the scored segments.
        names : sequence of str
            Names of the systems.

        Returns
        -------
        dict of str to ndarray
            (resamples, systems) by metric; higher is better. NaN where the weighting has no
            parameters or a system no score.
        """
        known = ~np.isnan(difficulty[:, self.sample.unscored]).any(axis=0)
        segments = np.concatenate([self.sample.segments, self.sample.unscored[known]])
        counts = np.concatenate([self._counts, self.unscored[:, known]], axis=1)
        # Segments that are only fitted have terms of 0.
        only_fitted = counts.shape[1] - self._counts.shape[1]
        terms = np.pad(together.terms, ((0, 0), (0, only_fitted), (0, 0)))
        resamples = Resamples(difficulty[:, segments], terms, counts, together.totals, names)
        sums, shares = weighting.resampled_sums(resamples)
        return together.quality(sums, shares[:, None])


def _unit_counts(sample: Sample, resamples: int, seed: int) -> np.ndarray:
    """Return how often each unit is drawn, (resamples, units): those with scored segments as often
    as there are of these, the others likewise. Without resamples each is drawn once."""
    counts = np.ones((max(resamples, 1), sample.units.size), int)
    if resamples:
        scored = sample.scored_units
        others = np.setdiff1d(np.arange(sample.units.size), scored)
        for units in (scored, others):
            counts[:, units] = draw_units(sample.codes[units], resamples, seed)
    return counts


def linear_influence(
    weighted: WeightedMetric, terms: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Compute scores, (systems,), and each segment's contribution to first order (influence),
    (systems, segments); higher is better, NaN where a group with a share is empty. Uses derivatives
    of the score by sums of its statistics. For a mean the result equals `WeightedMetric.influence`;
    for other scores it is the limit of many segments. `terms` are the metric's, if known."""
    terms = weighted.terms if terms is None else terms
    weights = weighted.weights
    weights = np.ones((*terms.shape[:2], 1)) if weights is None else weights
    group_weights = np.swapaxes(weights, 1, 2)
    sizes = np.abs(terms)
    kinds = np.arange(terms.shape[2])
    sums = group_weights @ terms
    steps = 1e-6 * sizes.mean(axis=(0, 1)) * terms.shape[1] + 1e-12
    # One step in the sum of one kind in one group, (groups, kinds, systems, groups, kinds).
    moved = np.zeros((sums.shape[1], len(kinds), *sums.shape))
    for group in range(sums.shape[1]):
        moved[group, kinds, :, group, kinds] = steps[:, None]
    slopes = weighted.quality(sums + moved) - weighted.quality(sums - moved)
    # Statistics that are 0 in a whole group add nothing; a score may have a kink there.
    slopes[np.moveaxis(group_weights @ sizes == 0, 0, -1)] = 0.0
    slopes /= 2 * steps[:, None]
    influence = np.zeros(terms.shape[:2])
    for used in np.flatnonzero(weighted.shares):
        influence += weights[:, :, used] * (terms @ slopes[used].T[..., None])[..., 0]
    return weighted.quality(sums), influence


def study_weightings(
    weightings: Weightings, elsewhere: Mapping[str, Mapping[str, Any]], study: Study
) -> tuple[dict[str, WeightingSettings], dict[str, str]]:
    """Return the weightings of a set in a study, including those with parameters of other sets.

    Parameters
    ----------
    weightings : mapping of str to WeightingSettings
        The set's weightings.
    elsewhere : mapping of str to mapping
        By weighting, `threshold` and `easy_weight` chosen for the set's campaign, or why there are
        none (`missing`).
    study : Study

    Returns
    -------
    known : dict of str to WeightingSettings
    absent : dict of str to str
        Reasons why other weightings of the study are absent.
    """
    known = dict(weightings)
    absent = {}
    for name, base in study.elsewhere.items():
        if base not in weightings:
            absent[name] = NOT_OF_SET.format(base)
            continue
        chosen = elsewhere[name]
        if chosen["missing"]:
            absent[name] = chosen["missing"]
            continue
        arguments = dict(weightings[base].arguments)
        arguments["threshold"] = chosen["threshold"]
        arguments["easy_weight"] = chosen["easy_weight"]
        known[name] = weightings[base]._replace(arguments=arguments)
    compared = {name for contrast in study.contrasts.values() for name in sides(contrast)}
    for name in sorted(compared - {STANDARD, *known, *absent}):
        absent[name] = NOT_OF_SET.format(name)
    return known, absent


def sides(contrast: Contrast) -> tuple[str, str]:
    """Return the names of the two weightings that a contrast compares, the baseline second."""
    return contrast.weighting, contrast.against


class Scored(NamedTuple):
    """A metric under a weighting on the scored segments.

    Attributes
    ----------
    weighted : WeightedMetric
    terms : ndarray
        Its `WeightedMetric.terms`.
    values : ndarray
        Its OUTCOMES, (outcomes,).
    draws : ndarray
        The OUTCOMES on the resamples, (resamples, outcomes).
    """

    weighted: WeightedMetric
    terms: np.ndarray
    values: np.ndarray
    draws: np.ndarray


class StudyScores:
    """Scores of a set's metrics under the weightings of a study.

    Parameters
    ----------
    scores : ScoredSet
    evalset : EvaluationSet
    weightings, absent : mapping of str
        Results of `study_weightings`.
    study : Study
        That part of the config.
    seed : int
    unit : {"documents", "segments"}
        What is resampled where documents are known.
    with_outliers : bool
        Whether to score all ranked systems, without resamples.

    Attributes
    ----------
    scored : dict of (weighting, metric) to Scored
    reasons : dict of (weighting, metric) to str
        Why there is no `Scored`.
    pairs : dict of str to dict
        Both sides of contrasts, by contrast and metric.
    tiers : dict of str to list of str
        Metrics by tier, in the order of the study.
    with_outliers : StudyScores or None
        Scores of all ranked systems, without resamples, if some are outliers.

    Raises
    ------
    Missing
        As `sample_of`.
    """

    def __init__(
        self,
        scores: ScoredSet,
        evalset: EvaluationSet,
        weightings: Weightings,
        absent: Mapping[str, str],
        study: Study,
        seed: int,
        unit: str = DOCUMENTS,
        *,
        with_outliers: bool = False,
    ) -> None:
        self.scores = scores
        self.evalset = evalset
        self.study = study
        self.seed = seed
        self.weightings = weightings
        self._absent = absent
        # Seed of null draws: the same only for sets of the same texts.
        self.texts = crc32(f"{evalset.campaign}/{evalset.pair}".encode())
        self.sample = sample_of(evalset, with_outliers=with_outliers, unit=unit)
        self.systems = [evalset.systems[system] for system in self.sample.systems]
        # The segments as they are, and resamples of them.
        self.observed = Joint(self.sample)
        self.joint = Joint(self.sample, 0 if with_outliers else study.resamples, seed)
        self.tiers: dict[str, list[str]] = {}
        for tier in study.tiers:
            metrics = [metric for metric in scores.plain if self.tier(metric) == tier]
            if metrics:
                self.tiers[tier] = metrics
        self.scored: dict[tuple[str, str], Scored] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        compared = [name for contrast in study.contrasts.values() for name in sides(contrast)]
        for weighting in dict.fromkeys(compared):
            self._score(weighting)
        self.pairs = {
            name: self._pairs_of(*sides(contrast)) for name, contrast in study.contrasts.items()
        }
        self.with_outliers: StudyScores | None = None
        if len(self.systems) < len(evalset.systems):
            self.with_outliers = StudyScores(
                scores, evalset, weightings, absent, study, seed, unit, with_outliers=True
            )

    def _pairs_of(self, weighting: str, against: str) -> dict[str, tuple[Scored, Scored]]:
        """Return both sides by metric, for metrics that are scored under both weightings."""
        pairs = {}
        for metric in self.scores.plain:
            weighted = self.scored.get((weighting, metric))
            plain = self.scored.get((against, metric))
            if weighted is not None and plain is not None:
                pairs[metric] = (weighted, plain)
        return pairs

    @cached_property
    def _plain(self) -> Together:
        """The unweighted metrics that have segment scores, joined as `Together`."""
        segments = len(self.evalset.reference)
        bases = {}
        for metric, plain in self.scores.plain.items():
            if plain.statistics.shape[1] == segments:
                bases[metric] = plain.select(self.sample.systems, self.sample.segments)
        return self.joint.together(bases)

    def tier(self, metric: str) -> str:
        """Return the config's first tier (metric group) that includes a metric, or else OTHER."""
        for tier, patterns in self.study.tiers.items():
            if any(fnmatchcase(metric, pattern) for pattern in patterns):
                return tier
        return OTHER

    def compared(self, contrast: str) -> dict[str, list[str]]:
        """Return by tier (metric group) the metrics scored under both weightings of a contrast."""
        compared = {}
        for tier, metrics in self.tiers.items():
            scored = [metric for metric in metrics if metric in self.pairs[contrast]]
            if scored:
                compared[tier] = scored
        return compared

    def mean_draws(self, contrast: str, metrics: Sequence[str]) -> np.ndarray:
        """Return a contrast's mean effect over metrics on OUTCOMES, (resamples, outcomes)."""
        pairs = [self.pairs[contrast][metric] for metric in metrics]
        return np.mean([weighted.draws - plain.draws for weighted, plain in pairs], axis=0)

    def parts(self, weighting: str) -> Parts:
        """Return the names of a weighting's segment and token weighting; "" for one it lacks."""
        return Parts("", "") if weighting == STANDARD else parts(weighting, self.weightings)

    def difficulty(self, weighting: str) -> np.ndarray:
        """Return the difficulty of a weighting of segments, (systems, segments); NaN for unscored
        segments without one. Raises `Missing` if a scored segment has none."""
        name = difficulty_of(weighting, self.weightings)
        systems = self.sample.systems
        segments = self.sample.segments
        reason = self.scores.difficulties[name]["missing"]
        gold = self.evalset.segment_gold
        estimator = self.scores.estimator(name)
        if not reason:
            difficulty = self.scores.difficulty(name, systems)
        elif gold and estimator.uses_gold:
            # Estimate it from segments rated for every system only.
            rated = np.array(gold, dtype=float)[:, segments].tolist()
            values = estimator.estimate(replace(self.evalset, segment_gold=rated), None)
            difficulty = np.full((len(systems), len(self.evalset.reference)), np.nan)
            difficulty[:, segments] = estimator.difficulty(values, systems)
        else:
            raise Missing(reason)
        unknown = np.isnan(difficulty[:, segments]).any(axis=0)
        if unknown.any():
            absent = f"{unknown.sum()} of {unknown.size} segments"
            raise Missing(f"the difficulty has no value for {absent}")
        return difficulty

    def _score(self, weighting: str) -> None:
        """Score every metric under a weighting; store the results in `scored` or `reasons`."""
        reason = self._absent.get(weighting)
        if reason:
            for metric in self.scores.plain:
                self.reasons[weighting, metric] = reason
            return
        parts_of = self.parts(weighting)
        together = self._plain
        for metric in self.scores.plain.keys() - together.bases.keys():
            self.reasons[weighting, metric] = SYSTEM_SCORES_ONLY.format("a study")
        if parts_of.tokens:
            together = self.joint.together(self._token_weighted(weighting))
        if not together.bases or not parts_of.segments:
            drawn = together.quality(together.totals[:, :, None], np.ones(1))
            self._store(weighting, together, together.bases, drawn, Weighting.undefined)
            return

        # Weights are fitted on all segments of the set that have a difficulty.
        segment_weighting = make_weighting(self.weightings[parts_of.segments])
        try:
            difficulty = self.difficulty(weighting)
            known = ~np.isnan(difficulty).any(axis=0)
            fit = segment_weighting.fitted(difficulty[:, known], self.systems)
        except Missing as missing:
            for metric in together.bases:
                self.reasons[weighting, metric] = str(missing)
            return
        weights = np.zeros((*difficulty.shape, len(fit.shares)))
        weights[:, known] = fit.weights
        weights = weights[:, self.sample.segments]
        weighteds = {
            metric: base._replace(weights=weights, shares=fit.shares)
            for metric, base in together.bases.items()
        }
        drawn = self.joint.refitted(segment_weighting, difficulty, together, self.systems)
        self._store(weighting, together, weighteds, drawn, segment_weighting.undefined)

    def _token_weighted(self, weighting: str) -> dict[str, WeightedMetric]:
        """Return metrics with a weighting of tokens, before weighting of segments; store reasons
        for metrics without it."""
        bases = {}
        for metric in self._plain.bases:
            key = (metric, weighting)
            if key in self.scores.keys:
                weighted = self.scores.of(self.sample.systems, [key], everywhere=True)[key]
                bases[metric] = weighted.unweighted().select(segments=self.sample.segments)
            else:
                self.reasons[weighting, metric] = self.scores.missing.get(key, NO_MATCHES)
        return bases

    def _store(
        self,
        weighting: str,
        together: Together,
        weighteds: Mapping[str, WeightedMetric],
        drawn: Mapping[str, np.ndarray],
        undefined: str,
    ) -> None:
        """Store the outcomes of metrics under a weighting, or why a system has no score: the reason
        `undefined`. `drawn` has scores on the resamples, (resamples, systems), by metric."""
        for metric, terms in together.by_metric(together.terms).items():
            weighted = weighteds[metric]
            scores, influence = linear_influence(weighted, terms)
            if np.isnan(scores).any():
                without = f"{np.isnan(scores).sum()} of {scores.size} systems"
                self.reasons[weighting, metric] = f"{undefined}: {without}"
                continue
            values = self.observed.outcomes(scores[None], influence)[0]
            draws = self.joint.outcomes(drawn[metric], influence)
            self.scored[weighting, metric] = Scored(weighted, terms, values, draws)


def contrast_tables(scores: StudyScores) -> dict[str, pd.DataFrame]:
    """Return a set's tables by name: `effects` of weightings, `nulls` (effects under null models),
    `tuned` (tuned against chance), `pairs` (of systems), `submissions` (archived metrics)."""
    rows = {"effects": effect_rows, "nulls": null_rows, "tuned": tuned_rows, "pairs": pair_rows}
    columns = {
        "effects": EFFECTS,
        "nulls": TABLES["<set>/study/null_draws.csv"].names(),
        "tuned": TABLES["<set>/study/tuned.csv"].names(),
        "pairs": TABLES["<set>/study/pairs.csv"].names(),
    }
    frames = {}
    for name, make_rows in rows.items():
        table = [row for contrast in scores.study.contrasts for row in make_rows(scores, contrast)]
        frames[name] = pd.DataFrame(table, columns=columns[name])
    frames["effects"] = frames["effects"].assign(
        gold=scores.evalset.gold_label,
        systems=len(scores.sample.systems),
        segments=len(scores.sample.segments),
        unit=scores.sample.units.kind,
        units=len(scores.sample.scored_units),
    )
    submissions = TABLES["<set>/study/submissions.csv"].names()
    frames["submissions"] = pd.DataFrame(_submission_rows(scores), columns=submissions)
    return frames


def _submission_rows(scores: StudyScores) -> list[tuple]:
    """Return rows of metrics with archived system scores that a study shows for comparison."""
    rows = []
    for metric in scores.scores.plain:
        if any(fnmatchcase(metric, pattern) for pattern in scores.study.submissions):
            key = (metric, STANDARD)
            weighted = scores.scores.of(scores.sample.systems, [key])[key]
            values = evaluate(OUTCOMES[1:], weighted.observed_quality(), scores.sample.gold)
            for statistic, value in zip(OUTCOMES[1:], values, strict=True):
                rows.append((metric, statistic, value))
    return rows


def effect_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield the effects of a contrast (columns EFFECTS), for every metric and for the mean of each
    tier; a tier without scores has its first metric's reason."""
    names = sides(scores.study.contrasts[contrast])
    uses_gold = False
    if names[0] in scores.weightings:
        difficulty = difficulty_of(names[0], scores.weightings)
        uses_gold = bool(scores.scores.difficulties[difficulty]["uses_gold"])
    groups = [(metric, scores.tier(metric), [metric]) for metric in scores.scores.plain]
    compared = scores.compared(contrast)
    for tier, tier_metrics in scores.tiers.items():
        groups.append((MEAN, tier, compared.get(tier, tier_metrics)))
    for name, tier, metrics in groups:
        head = [contrast, name, tier, *names]
        absent = [scores.reasons.get((side, metrics[0]), "") for side in names]
        no_scores = absent[0] or absent[1]
        if no_scores:
            for statistic in OUTCOMES:
                yield [*head, statistic, *[np.nan] * 8, uses_gold, no_scores]
        else:
            for statistic, *numbers, reason in _effects(scores, contrast, metrics):
                yield [*head, statistic, *numbers, uses_gold, reason]


def _effects(scores: StudyScores, contrast: str, metrics: Sequence[str]) -> Iterator[list]:
    """Yield a contrast's mean over metrics by statistic: the values of both sides, effect, standard
    error, 95 % interval, effect among all systems, effective segments, and the reason for a NaN."""
    pairs = [scores.pairs[contrast][metric] for metric in metrics]
    values, plain = np.mean([[side.values for side in pair] for pair in pairs], axis=0)
    draws = scores.mean_draws(contrast, metrics)
    size = np.mean([weighted.weighted.effective_segments().mean() for weighted, _ in pairs])
    all_systems = _effects_among_all_systems(scores, contrast, metrics)
    for i, statistic in enumerate(OUTCOMES):
        effect = values[i] - plain[i]
        error = np.nan
        if np.isfinite(interval(draws[:, i])[0]):  # enough draws are defined
            error = float(np.nanstd(draws[:, i], ddof=1))
        reason = UNDEFINED if np.isnan([effect, error]).any() else ""
        has_tests = scores.sample.segment_gold is not None or scores.sample.gold_p is not None
        if statistic == PRIMARY and not has_tests:
            reason = FEW_RATED
        low = effect - NORMAL * error
        high = effect + NORMAL * error
        numbers = [values[i], plain[i], effect, error, low, high, all_systems[i], size]
        yield [statistic, *numbers, reason]


def _effects_among_all_systems(
    scores: StudyScores, contrast: str, metrics: Sequence[str]
) -> np.ndarray:
    """Return a contrast's mean effects over metrics among all ranked systems, (outcomes,); NaN
    without outliers, or if a metric has no score there."""
    pairs = scores.with_outliers.pairs[contrast] if scores.with_outliers else {}
    if not set(metrics) <= pairs.keys():
        return np.full(len(OUTCOMES), np.nan)
    effects = [pairs[metric][0].values - pairs[metric][1].values for metric in metrics]
    return np.mean(effects, axis=0)


def tier_draws(scores: StudyScores) -> dict[str, np.ndarray]:
    """Return effects averaged over tiers' metrics, `draws` (rows, resamples), with row labels."""
    labels = []
    draws = [np.empty((0, len(scores.joint.counts)))]
    for contrast in scores.study.contrasts:
        for tier, metrics in scores.compared(contrast).items():
            labels += [(contrast, tier, statistic) for statistic in OUTCOMES]
            draws.append(scores.mean_draws(contrast, metrics).T)
    contrasts, tiers, statistics = np.array(labels, dtype=str).reshape(-1, 3).T
    return {
        "contrast": contrasts,
        "tier": tiers,
        "statistic": statistics,
        "draws": np.concatenate(draws).astype(np.float32),
    }


def null_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield a contrast's effects under nulls (`null_draws.csv`): the fitted weights are given to
    other segments; effects are means over a tier's metrics. No rows for weightings of tokens.
    Parameters are not fitted again: a permutation of segments that all systems share keeps the mean
    difficulties that Eq. 9 and 11 use, one of documents nearly does."""
    entry = scores.study.contrasts[contrast]
    tiers = scores.compared(contrast)
    if not tiers or scores.parts(entry.weighting).tokens:
        return
    first_metric = next(iter(tiers.values()))[0]
    weighted = scores.scored[entry.weighting, first_metric].weighted
    for null in entry.nulls:
        for draw, moved in enumerate(null_weights(scores, null, weighted)):
            for tier, metrics in tiers.items():
                effects = []
                for metric in metrics:
                    plain = scores.pairs[contrast][metric][1]
                    changed = plain.weighted._replace(**moved)
                    quality, influence = linear_influence(changed, plain.terms)
                    values = scores.observed.outcomes(quality[None], influence)[0]
                    effects.append(values - plain.values)
                for statistic, effect in zip(OUTCOMES, np.mean(effects, axis=0), strict=True):
                    yield [contrast, tier, null, statistic, draw, effect]


def null_weights(scores: StudyScores, null: str, weighted: WeightedMetric) -> Iterator[Content]:
    """Yield the weights of every null draw.

    Parameters
    ----------
    scores : StudyScores
    null : str
        "permuted", "permuted_length" or "random_subset"; "permuted_length" needs a source.
    weighted : WeightedMetric
        A metric under the weighting.

    Yields
    ------
    dict
        `weights`, (systems, segments, groups), and `shares`, (groups,).
    """
    weights = np.asarray(weighted.weights)
    units = scores.sample.units.select(scores.sample.segments)
    draws = scores.study.nulls
    rng = np.random.default_rng([scores.seed, 5, scores.texts])
    if null == "random_subset":
        size = nulls.effective_size(weighted)
        for inside in nulls.random_segments(units, size, draws, rng):
            is_chosen = np.broadcast_to(inside[:, None], (*weights.shape[:2], 1))
            yield {"weights": is_chosen.astype(float), "shares": np.ones(1)}
        return
    if null == "permuted":
        orders = nulls.permutations(units, draws, rng)
    elif scores.evalset.source:
        lengths = Length().estimate(scores.evalset)[scores.sample.segments]
        orders = nulls.permutations_within(nulls.length_deciles(lengths), draws, rng)
    else:
        return
    for order in orders:
        yield {"weights": weights[:, order], "shares": weighted.shares}


def pair_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield pairs of systems (`pairs.csv`) for a primary contrast: whether a metric ranks two
    systems as human scores do (1, 0, or 1/2 for equal scores). `gap` is the difference of the
    systems' human scores, in standard deviations over systems."""
    if not scores.study.contrasts[contrast].primary:
        return
    gold = scores.sample.gold
    systems = np.array(scores.systems, dtype=object)
    first, second = np.triu_indices(len(gold), 1)
    gap = gold[first] - gold[second]
    for tier, metrics in scores.compared(contrast).items():
        for metric in metrics:
            weighted, plain = scores.pairs[contrast][metric]
            quality = np.array([side.weighted.observed_quality() for side in (plain, weighted)])
            agree = (1 + np.sign(quality[:, first] - quality[:, second]) * np.sign(gap)) / 2
            columns = [systems[first], systems[second], np.abs(gap) / gold.std(), *agree]
            for row in zip(*columns, strict=True):
                yield [contrast, metric, tier, *row]


def tuned_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield results of tuning (`tuned.csv`) for a primary contrast of two groups and metrics of
    the first tier: the highest correlation in a search of h and w on the set's own human scores,
    compared with the same search on permuted difficulties."""
    entry = scores.study.contrasts[contrast]
    tiers = scores.compared(contrast)
    if not entry.primary or not tiers:
        return
    name = scores.parts(entry.weighting).segments
    if not name or not isinstance(make_weighting(scores.weightings[name]), EE):
        return
    gold = scores.sample.gold
    segments = scores.sample.segments
    difficulty = scores.difficulty(entry.weighting)[:, segments]
    rng = np.random.default_rng([scores.seed, 6, scores.texts])
    units = scores.sample.units.select(segments)
    orders = nulls.permutations(units, scores.study.nulls, rng)
    first_tier = next(iter(tiers.values()))
    for metric in first_tier:
        plain = scores.pairs[contrast][metric][0].weighted.unweighted()
        best = np.nanmax(surface(plain, difficulty, gold)[0])
        retuned = retuned_quality(plain, difficulty, gold, orders)
        drawn = evaluate(["pearson"], retuned, gold)[:, 0]
        standard = evaluate(["pearson"], plain.observed_quality(), gold)[0]
        low, high = map(float, interval(drawn))
        compared = [np.nanmean(drawn), low, high, nulls.quantile(best, drawn)]
        yield [contrast, metric, "pearson", standard, best, *compared]


def submissions_table(
    effects: pd.DataFrame, submissions: pd.DataFrame, contrast: str
) -> pd.DataFrame:
    """Compare metrics that others submitted ("as submitted") with ours on the same sets.

    Parameters
    ----------
    effects : DataFrame
        Effects of all sets, with `set`.
    submissions : DataFrame
        Submitted metrics of all sets, with `set`.
    contrast : str
        The contrast of whose weighting our metrics are shown.

    Returns
    -------
    DataFrame
        `study/submissions.csv`; our metrics are unweighted ("standard") and under the weighting.
    """
    submitted = submissions.assign(weighting="as submitted")
    same = effects.set.isin(submitted.set) & effects.statistic.isin(submitted.statistic)
    ours = effects[same & (effects.metric != MEAN)]
    plain = ours[ours.against == STANDARD].assign(weighting=STANDARD, value=ours.plain)
    plain = plain[plain.value.notna()].drop_duplicates(["set", "metric", "statistic"])
    table = pd.concat([submitted, plain, ours[ours.contrast == contrast]])
    table = table[table.value.notna()][TABLES["study/submissions.csv"].names()]
    return table.sort_values(["set", "statistic"], kind="stable")
