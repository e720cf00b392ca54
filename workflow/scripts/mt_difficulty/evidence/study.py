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

from ..compiled import samples
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
from .resampling import MINIMUM_SEGMENTS, interval, normal_p

# Outcomes that a study compares, the primary one first.
OUTCOMES = ("soft_accuracy", "accuracy", "kendall", "pearson")
PRIMARY = OUTCOMES[0]
EVERY_PHASE = "all"
MEAN = "mean"  # of a tier's metrics
OTHER = "other"  # tier of metrics that the study names in none
FACTS = ["campaign", "pair", "reference", "gold", "phase"]  # of a set
# Columns of effects before what is the same for all of a set is added.
OF_SET = ["gold", "systems", "segments"]
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
    """Indices of the `systems` and `segments` that a study scores: segments rated for every system,
    or, with fewer than MINIMUM_SEGMENTS of these, all counted segments; then `segment_gold`,
    (systems, segments), is None. Weightings are also fitted on the `unscored` segments. `gold`,
    (systems,), are means of `segment_gold`, else the archive's; `texts` are `text_codes`."""

    systems: np.ndarray
    segments: np.ndarray
    unscored: np.ndarray
    segment_gold: np.ndarray | None
    gold: np.ndarray
    texts: np.ndarray


def sample_of(evalset: EvaluationSet, with_outliers: bool = False) -> Sample:
    """Choose the systems and segments of a set for a study, with or without the official toolkit's
    outliers. Raises `Missing` without human scores or texts, and for fewer than three systems."""
    evalset.require_gold()
    evalset.require_texts()
    outliers = [] if with_outliers else evalset.outliers
    systems = np.flatnonzero([system not in outliers for system in evalset.systems])
    if len(systems) < 3:
        raise Missing(f"{len(systems)} ranked systems without outliers; a study needs 3")
    segments, segment_gold = counted_segments(evalset), None
    gold = np.array(evalset.gold, dtype=float)[systems]
    if evalset.segment_gold:
        scores = np.array(evalset.segment_gold, dtype=float)[systems]
        rated = np.flatnonzero(np.isfinite(scores).all(axis=0))
        if len(rated) >= MINIMUM_SEGMENTS:
            segments, segment_gold = rated, scores[:, rated]
            gold = segment_gold.mean(axis=1)
    unscored = np.setdiff1d(np.arange(len(evalset.reference)), segments)
    return Sample(systems, segments, unscored, segment_gold, gold, text_codes(evalset))


def text_codes(evalset: EvaluationSet) -> np.ndarray:
    """Hash source segments, (segments,): equal texts have the same code in every set, but repeats
    within a set differ. Without a source, codes depend on campaign, pair and position."""
    times: Counter[str] = Counter()
    codes, place = [], f"{evalset.campaign}/{evalset.pair}"
    for text in evalset.source or [place] * len(evalset.reference):
        times[text] += 1
        codes.append(crc32(f"{times[text]} {text}".encode()))
    return np.array(codes, dtype=np.int64)


def draw_segments(texts: np.ndarray, resamples: int, seed: int) -> np.ndarray:
    """Draw bootstrap counts of segments, (resamples, segments), seeded by their `text_codes`. Sets
    that share source segments draw these about equally often: a segment has the same Poisson count
    in all of them, and random draws are added or taken away until there are as many as segments.
    Within a set this is the ordinary bootstrap."""
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


class Together(NamedTuple):
    """Metrics of the same systems and segments; their `terms` joined, (systems, segments, k), and
    `totals`, (resamples, systems, k), the sums of these."""

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
    """Bootstrap resamples of the segments of a set's `Sample`; with `resamples` = 0, the original
    segments. `counts` and `unscored`, (resamples, segments) each, say how often every scored and
    unscored segment is drawn. `gold`, (resamples, systems), are mean human scores."""

    def __init__(self, sample: Sample, resamples: int = 0, seed: int = 0) -> None:
        self.sample = sample
        self.counts, self.unscored = (
            draw_segments(texts, resamples, seed) if resamples else np.ones((1, len(texts)), int)
            for texts in (sample.texts[sample.segments], sample.texts[sample.unscored])
        )
        self._counts = self.counts.astype(float)
        self.shape = len(sample.systems), len(sample.segments)
        self.gold = np.broadcast_to(sample.gold, (len(self.counts), len(sample.gold)))
        self._gold_p = None
        if (scores := sample.segment_gold) is not None:
            means = self._counts @ scores.T / scores.shape[1]
            self.gold = means if resamples else self.gold
            influence = (scores - scores.mean(axis=1, keepdims=True)) / scores.shape[1]
            self._gold_p = normal_p(means, influence, self._counts)

    def outcomes(self, quality: np.ndarray, influence: np.ndarray) -> np.ndarray:
        """Compute the statistics OUTCOMES on every resample, (resamples, outcomes), NaN where
        undefined. `quality`, (resamples, systems), are scores, higher is better; `influence`,
        (systems, scored), is that of the original segments, as for `normal_p`."""
        accuracy = np.full(len(quality), np.nan)
        if self._gold_p is not None:
            distance = np.abs(normal_p(quality, influence, self._counts) - self._gold_p)
            accuracy = 1 - distance.mean(axis=1)
        together = samples.mean_correlations(quality, self.gold, np.arange(quality.shape[1])[None])
        correlations = [together[:, samples.STATISTICS.index(name)] for name in OUTCOMES[1:]]
        return np.column_stack([accuracy, *correlations])

    def together(self, bases: Mapping[str, WeightedMetric]) -> Together:
        """Return segment statistics of all metrics, joined on one axis, with sums per resample."""
        of_metrics = [base.terms for base in bases.values()]
        terms = np.concatenate([*of_metrics, np.empty((*self.shape, 0))], axis=-1)
        totals = np.stack([self._counts @ of_system for of_system in terms], axis=1)
        return Together(dict(bases), terms, totals)

    def refitted(
        self, weighting: Weighting, difficulty: np.ndarray, together: Together, names: Sequence[str]
    ) -> dict[str, np.ndarray]:
        """Score systems on every resample, (resamples, systems) by metric, with a weighting of
        segments refitted to the segments drawn; higher is better. NaN where the weighting has no
        parameters or a system no score. `difficulty`, (systems, segments), covers all segments of
        the set; unscored segments with NaN are not used in fits. `names` are the systems' names."""
        known = ~np.isnan(difficulty[:, self.sample.unscored]).any(axis=0)
        places = np.concatenate([self.sample.segments, self.sample.unscored[known]])
        counts = np.concatenate([self._counts, self.unscored[:, known]], axis=1)
        padding = (0, 0), (0, counts.shape[1] - self._counts.shape[1]), (0, 0)
        terms, difficulty = np.pad(together.terms, padding), difficulty[:, places]
        resamples = Resamples(difficulty, terms, counts, together.totals, names)
        sums, shares = weighting.resampled_sums(resamples)
        return together.quality(sums, shares[:, None])


def linear_influence(
    weighted: WeightedMetric, terms: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Compute scores, (systems,), and each segment's contribution to first order (influence),
    (systems, segments); higher is better, NaN where a group with a share is empty. Uses derivatives
    of the score by sums of its statistics. For a mean the result equals `WeightedMetric.influence`;
    for other scores it is the limit of many segments. `terms` are the metric's, if known."""
    terms, weights = weighted.terms if terms is None else terms, weighted.weights
    weights = np.ones((*terms.shape[:2], 1)) if weights is None else weights
    of_groups, sizes, kinds = np.swapaxes(weights, 1, 2), np.abs(terms), np.arange(terms.shape[2])
    sums, steps = of_groups @ terms, 1e-6 * sizes.mean(axis=(0, 1)) * terms.shape[1] + 1e-12
    # One step in the sum of one kind in one group, (groups, kinds, systems, groups, kinds).
    moved = np.zeros((sums.shape[1], len(kinds), *sums.shape))
    for group in range(sums.shape[1]):
        moved[group, kinds, :, group, kinds] = steps[:, None]
    slopes = weighted.quality(sums + moved) - weighted.quality(sums - moved)
    # Statistics that are 0 in a whole group add nothing; a score may have a kink there.
    slopes[np.moveaxis(of_groups @ sizes == 0, 0, -1)] = 0.0
    slopes /= 2 * steps[:, None]
    influence = np.zeros(terms.shape[:2])
    for used in np.flatnonzero(weighted.shares):
        influence += weights[:, :, used] * (terms @ slopes[used].T[..., None])[..., 0]
    return weighted.quality(sums), influence


def study_weightings(
    weightings: Weightings, elsewhere: Mapping[str, Mapping[str, Any]], study: Study
) -> tuple[dict[str, WeightingSettings], dict[str, str]]:
    """Return settings of a set's weightings, including those with parameters from other sets, and
    reasons why other weightings of the study are absent. `elsewhere` has, by weighting, `threshold`
    and `easy_weight` chosen for the set's campaign, or why there are none (`missing`)."""
    known, absent = dict(weightings), {}
    for name, base in study.elsewhere.items():
        if base not in weightings:
            absent[name] = NOT_OF_SET.format(base)
        elif reason := elsewhere[name]["missing"]:
            absent[name] = reason
        else:
            parameters = {key: elsewhere[name][key] for key in ("threshold", "easy_weight")}
            arguments = {**weightings[base].arguments, **parameters}
            known[name] = weightings[base]._replace(arguments=arguments)
    named = {name for entry in study.contrasts.values() for name in sides(entry)}
    unknown = sorted(named - {STANDARD, *known, *absent})
    return known, absent | {name: NOT_OF_SET.format(name) for name in unknown}


def sides(contrast: Contrast) -> tuple[str, str]:
    """Return the names of the two weightings that a contrast compares, the baseline second."""
    return contrast.weighting, contrast.against


class Scored(NamedTuple):
    """A metric under a weighting on the scored segments, and its `terms`, with its OUTCOMES,
    (outcomes,), and those on the resamples, (resamples, outcomes)."""

    weighted: WeightedMetric
    terms: np.ndarray
    values: np.ndarray
    draws: np.ndarray


class StudyScores:
    """Scores of a set's metrics under the weightings of a study. `scored` has a `Scored` by
    weighting and metric, or `reasons` has why there is none; `pairs` has both sides of contrasts,
    by contrast and metric; `tiers` metrics by tier. `with_outliers` are scores of all ranked
    systems, without resamples, if some are outliers. `weightings` and `absent` come from
    `study_weightings`; `study` is that part of the config. Raises `Missing` as `sample_of`."""

    def __init__(
        self,
        scores: ScoredSet,
        evalset: EvaluationSet,
        weightings: Weightings,
        absent: Mapping[str, str],
        study: Study,
        seed: int,
        with_outliers: bool = False,
    ) -> None:
        self.scores, self.evalset, self.study, self.seed = scores, evalset, study, seed
        self.weightings, self._absent = weightings, absent
        # Seed of null draws: the same only for sets of the same texts.
        self.texts = crc32(f"{evalset.campaign}/{evalset.pair}".encode())
        self.sample = sample_of(evalset, with_outliers)
        self.systems = [evalset.systems[system] for system in self.sample.systems]
        self.observed = Joint(self.sample)  # the segments as they are
        self.joint = Joint(self.sample, 0 if with_outliers else study.resamples, seed)
        # Metrics by the study's tiers, in its order, without metrics of no tier.
        tiers = {tier: [m for m in scores.plain if self.tier(m) == tier] for tier in study.tiers}
        self.tiers = {tier: metrics for tier, metrics in tiers.items() if metrics}
        self.scored: dict[tuple[str, str], Scored] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self.pairs: dict[str, dict[str, tuple[Scored, Scored]]] = {}
        of_contrasts = {name: sides(entry) for name, entry in study.contrasts.items()}
        for weighting in {name for pair in of_contrasts.values() for name in pair}:
            self._score(weighting)
        for contrast, (weighting, against) in of_contrasts.items():
            self.pairs[contrast] = {
                metric: (self.scored[weighting, metric], self.scored[against, metric])
                for metric in scores.plain
                if {(weighting, metric), (against, metric)} <= self.scored.keys()
            }
        self.with_outliers: StudyScores | None = None
        if len(self.systems) < len(evalset.systems):
            settings = weightings, absent, study, seed
            self.with_outliers = StudyScores(scores, evalset, *settings, with_outliers=True)

    @cached_property
    def _plain(self) -> Together:
        """The unweighted metrics that have segment scores, joined as `Together`."""
        sample, segments = self.sample, len(self.evalset.reference)
        plain = self.scores.plain.items()
        having = {metric: of for metric, of in plain if of.statistics.shape[1] == segments}
        return self.joint.together(
            {metric: of.select(sample.systems, sample.segments) for metric, of in having.items()}
        )

    def tier(self, metric: str) -> str:
        """Return the config's first tier (metric group) that includes a metric, or else OTHER."""
        tiers = self.study.tiers.items()
        named = (tier for tier, names in tiers if any(fnmatchcase(metric, name) for name in names))
        return next(named, OTHER)

    def compared(self, contrast: str) -> dict[str, list[str]]:
        """Return by tier (metric group) the metrics scored under both weightings of a contrast."""
        pairs = self.pairs[contrast]
        tiers = {tier: [m for m in metrics if m in pairs] for tier, metrics in self.tiers.items()}
        return {tier: metrics for tier, metrics in tiers.items() if metrics}

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
        name, (systems, segments) = difficulty_of(weighting, self.weightings), self.sample[:2]
        reason, gold = self.scores.difficulties[name]["missing"], self.evalset.segment_gold
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
        if reason := self._absent.get(weighting):
            self.reasons |= {(weighting, metric): reason for metric in self.scores.plain}
            return

        # Metrics before weighting of segments (but after weighting of tokens).
        together, sample, parts_of = self._plain, self.sample, self.parts(weighting)
        for metric in self.scores.plain.keys() - together.bases.keys():
            self.reasons[weighting, metric] = SYSTEM_SCORES_ONLY.format("a study")
        if parts_of.tokens:
            bases, keys = {}, {metric: (metric, weighting) for metric in together.bases}
            for metric, key in keys.items():
                if key in self.scores.keys:
                    on_all = self.scores.of(sample.systems, [key], everywhere=True)[key]
                    bases[metric] = on_all.unweighted().select(segments=sample.segments)
                else:
                    self.reasons[weighting, metric] = self.scores.missing.get(key, NO_MATCHES)
            together = self.joint.together(bases)

        # Weights are fitted on all segments of the set that have a difficulty.
        weights: np.ndarray | None = None
        shares, undefined = np.ones(1), Weighting.undefined
        drawn = together.quality(together.totals[:, :, None], np.ones(1))
        if together.bases and parts_of.segments:
            of_segments = make_weighting(self.weightings[parts_of.segments])
            try:
                difficulty = self.difficulty(weighting)
                known = ~np.isnan(difficulty).any(axis=0)
                fit = of_segments.fitted(difficulty[:, known], self.systems)
            except Missing as missing:
                self.reasons |= {(weighting, metric): str(missing) for metric in together.bases}
                return
            every = np.zeros((*difficulty.shape, len(fit.shares)))
            every[:, known] = fit.weights
            weights, shares = every[:, sample.segments], fit.shares
            undefined = of_segments.undefined
            drawn = self.joint.refitted(of_segments, difficulty, together, self.systems)
        for metric, terms in together.by_metric(together.terms).items():
            weighted = together.bases[metric]
            if weights is not None:
                weighted = weighted._replace(weights=weights, shares=shares)
            scores, influence = linear_influence(weighted, terms)
            if np.isnan(scores).any():
                without = f"{np.isnan(scores).sum()} of {scores.size} systems"
                self.reasons[weighting, metric] = f"{undefined}: {without}"
                continue
            outcomes = self.observed.outcomes(scores[None], influence)[0]
            draws = self.joint.outcomes(drawn[metric], influence)
            self.scored[weighting, metric] = Scored(weighted, terms, outcomes, draws)


def contrast_tables(scores: StudyScores) -> dict[str, pd.DataFrame]:
    """Return a set's tables by name: `effects` of weightings, `nulls` (effects under null models),
    `tuned` (tuned against chance), `pairs` (of systems), `submissions` (archived metrics)."""
    rows_of = {"effects": effect_rows, "nulls": null_rows, "tuned": tuned_rows, "pairs": pair_rows}
    columns_of = {
        "effects": EFFECTS,
        "nulls": TABLES["<set>/study/null_draws.csv"].names(),
        "tuned": TABLES["<set>/study/tuned.csv"].names(),
        "pairs": TABLES["<set>/study/pairs.csv"].names(),
    }
    frames = {}
    for name, rows in rows_of.items():
        table = [row for contrast in scores.study.contrasts for row in rows(scores, contrast)]
        frames[name] = pd.DataFrame(table, columns=columns_of[name])
    sizes = {"systems": len(scores.sample.systems), "segments": len(scores.sample.segments)}
    frames["effects"] = frames["effects"].assign(gold=scores.evalset.gold_label, **sizes)
    # Metrics with archived system scores that a study shows for comparison.
    submitted: list[tuple] = []
    for metric in scores.scores.plain:
        if any(fnmatchcase(metric, pattern) for pattern in scores.study.submissions):
            key = metric, STANDARD
            quality = scores.scores.of(scores.sample.systems, [key])[key].observed_quality()
            values = evaluate(OUTCOMES[1:], quality, scores.sample.gold)
            submitted += [(metric, *row) for row in zip(OUTCOMES[1:], values, strict=True)]
    columns = TABLES["<set>/study/submissions.csv"].names()
    return frames | {"submissions": pd.DataFrame(submitted, columns=columns)}


def effect_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield the effects of a contrast (columns EFFECTS), for every metric and for the mean of each
    tier; a tier without scores has its first metric's reason."""
    names, pairs = sides(scores.study.contrasts[contrast]), scores.pairs[contrast]
    compared, uses_gold = scores.compared(contrast), False
    if names[0] in scores.weightings:
        difficulty = difficulty_of(names[0], scores.weightings)
        uses_gold = bool(scores.scores.difficulties[difficulty]["uses_gold"])
    groups = [(metric, scores.tier(metric), [metric]) for metric in scores.scores.plain]
    groups += [(MEAN, tier, compared.get(tier, of_tier)) for tier, of_tier in scores.tiers.items()]
    for name, tier, metrics in groups:
        head = contrast, name, tier, *names
        absent = [scores.reasons.get((side, metrics[0]), "") for side in names]
        if reason := next(filter(None, absent), ""):
            for statistic in OUTCOMES:
                yield [*head, statistic, *[np.nan] * 8, uses_gold, reason]
            continue
        of_metrics = [pairs[metric] for metric in metrics]
        values, plain = np.mean([[side.values for side in pair] for pair in of_metrics], axis=0)
        draws = scores.mean_draws(contrast, metrics)
        size = np.mean([pair[0].weighted.effective_segments().mean() for pair in of_metrics])
        of_all = scores.with_outliers.pairs[contrast] if scores.with_outliers else {}
        all_systems = np.full(len(OUTCOMES), np.nan)
        if {*metrics} <= of_all.keys():
            effects = [of_all[metric][0].values - of_all[metric][1].values for metric in metrics]
            all_systems = np.mean(effects, axis=0)
        for i, statistic in enumerate(OUTCOMES):
            effect, error = values[i] - plain[i], np.nan
            if np.isfinite(interval(draws[:, i])[0]):  # enough draws are defined
                error = float(np.nanstd(draws[:, i], ddof=1))
            reason = UNDEFINED if np.isnan([effect, error]).any() else ""
            if statistic == PRIMARY and scores.sample.segment_gold is None:
                reason = FEW_RATED
            ends = effect - NORMAL * error, effect + NORMAL * error
            numbers = values[i], plain[i], effect, error, *ends, all_systems[i], size
            yield [*head, statistic, *numbers, uses_gold, reason]


def tier_draws(scores: StudyScores) -> dict[str, np.ndarray]:
    """Return effects averaged over tiers' metrics, `draws` (rows, resamples), with row labels."""
    names, draws = [], [np.empty((0, len(scores.joint.counts)))]
    for contrast in scores.study.contrasts:
        for tier, metrics in scores.compared(contrast).items():
            names += [(contrast, tier, statistic) for statistic in OUTCOMES]
            draws.append(scores.mean_draws(contrast, metrics).T)
    contrasts, tiers, statistics = np.array(names, dtype=str).reshape(-1, 3).T
    named = {"contrast": contrasts, "tier": tiers, "statistic": statistics}
    return named | {"draws": np.concatenate(draws).astype(np.float32)}


def null_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield a contrast's effects under nulls (`null_draws.csv`): the fitted weights are given to
    other segments; effects are means over a tier's metrics. No rows for weightings of tokens. A
    permutation shared by all systems keeps the mean difficulties that Eq. 9 and 11 use."""
    entry, tiers = scores.study.contrasts[contrast], scores.compared(contrast)
    if not tiers or scores.parts(entry.weighting).tokens:
        return
    weighted = scores.scored[entry.weighting, next(iter(tiers.values()))[0]].weighted
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
    """Yield per null draw `weights`, (systems, segments, groups), and `shares`, (groups,)."""
    weights, segments = np.asarray(weighted.weights), len(scores.sample.segments)
    rng, draws = np.random.default_rng([scores.seed, 5, scores.texts]), scores.study.nulls
    if null == "random_subset":
        size = nulls.effective_size(weighted)
        for _ in range(draws):
            inside = np.zeros((len(weights), segments, 1))
            inside[:, rng.choice(segments, size, replace=False)] = 1
            yield {"weights": inside, "shares": np.ones(1)}
    elif null == "permuted" or scores.evalset.source:
        groups = None
        if null == "permuted_length":
            groups = nulls.length_deciles(Length().estimate(scores.evalset)[scores.sample.segments])
        for places in nulls.permutations(segments, draws, rng, groups):
            yield {"weights": weights[:, places], "shares": weighted.shares}


def pair_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield pairs of systems (`pairs.csv`) for a primary contrast: whether a metric ranks two
    systems as human scores do (1, 0, or 1/2 for equal scores). `gap` is the difference of the
    systems' human scores, in standard deviations over systems."""
    if not scores.study.contrasts[contrast].primary:
        return
    gold, systems = scores.sample.gold, np.array(scores.systems, dtype=object)
    first, second = np.triu_indices(len(gold), 1)
    gap = gold[first] - gold[second]
    for tier, metrics in scores.compared(contrast).items():
        for metric in metrics:
            sides_of = reversed(scores.pairs[contrast][metric])
            quality = np.array([side.weighted.observed_quality() for side in sides_of])
            agree = (1 + np.sign(quality[:, first] - quality[:, second]) * np.sign(gap)) / 2
            columns = systems[first], systems[second], np.abs(gap) / gold.std(), *agree
            yield from ([contrast, metric, tier, *row] for row in zip(*columns, strict=True))


def tuned_rows(scores: StudyScores, contrast: str) -> Iterator[list]:
    """Yield results of tuning (`tuned.csv`) for a primary contrast of two groups and metrics of
    the first tier: the highest correlation in a search of h and w on the set's own human scores,
    compared with the same search on permuted difficulties."""
    entry, tiers = scores.study.contrasts[contrast], scores.compared(contrast)
    if not entry.primary or not tiers:
        return
    segments_of = scores.parts(entry.weighting).segments
    if not segments_of or not isinstance(make_weighting(scores.weightings[segments_of]), EE):
        return
    gold, segments = scores.sample.gold, scores.sample.segments
    difficulty = scores.difficulty(entry.weighting)[:, segments]
    rng = np.random.default_rng([scores.seed, 6, scores.texts])
    places = nulls.permutations(len(segments), scores.study.nulls, rng)
    for metric in next(iter(tiers.values())):
        plain = scores.pairs[contrast][metric][0].weighted.unweighted()
        best = np.nanmax(surface(plain, difficulty, gold)[0])
        drawn = evaluate(["pearson"], retuned_quality(plain, difficulty, gold, places), gold)[:, 0]
        standard = evaluate(["pearson"], plain.observed_quality(), gold)[0]
        beside = np.nanmean(drawn), *map(float, interval(drawn)), nulls.quantile(best, drawn)
        yield [contrast, metric, "pearson", standard, best, *beside]


def submissions_table(
    effects: pd.DataFrame, submissions: pd.DataFrame, contrast: str
) -> pd.DataFrame:
    """Compare metrics that others submitted ("as submitted") with ours on the same sets, unweighted
    ("standard") and under the weighting of a contrast."""
    submitted = submissions.assign(weighting="as submitted")
    same = effects.set.isin(submitted.set) & effects.statistic.isin(submitted.statistic)
    beside = effects[same & (effects.metric != MEAN)]
    plain = beside[beside.against == STANDARD].assign(weighting=STANDARD, value=beside.plain)
    plain = plain[plain.value.notna()].drop_duplicates(["set", "metric", "statistic"])
    table = pd.concat([submitted, plain, beside[beside.contrast == contrast]])
    table = table[table.value.notna()][TABLES["study/submissions.csv"].names()]
    return table.sort_values(["set", "statistic"], kind="stable")
