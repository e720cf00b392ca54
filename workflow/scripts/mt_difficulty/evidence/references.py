"""How far difficulties, and the gains of weightings by them, agree across the references of one
evaluation set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import combinations, product
from typing import Any, NamedTuple

import numpy as np

from ..data.set_files import SetFiles
from ..errors import Missing
from . import dec, set_weightings
from .contrasts import NORMAL, UNDEFINED
from .counted import STANDARD
from .joint import OUTCOMES
from .nulls import length_deciles
from .resampling import interval
from .set_scores import SetScores
from .study_scores import StudyScores

# Of intervals, which are estimates ± NORMAL standard errors, or percentiles of agreement.
RESAMPLES = 500
AGREEMENT = ["difficulty", "reference", "other", "statistic", "value", "low", "high", "reason"]
GAINS = [
    *("metric", "weighting", "statistic", "reference", "difficulty_reference"),
    *("value", "plain", "gain", "low", "high", "reason"),
]
SURVIVAL = [
    *("metric", "weighting", "statistic", "references", "gain", "low", "high", "least", "most"),
    *("borrowed", "borrowed_low", "borrowed_high", "loss", "loss_low", "loss_high", "share"),
    "reason",
]
OTHER_SYSTEMS = "the sets of its references differ in systems or segments"
NOT_BORROWED = "a difficulty of tokens, or one that does not read the reference"
ONE_REFERENCE = "defined for fewer than two references"
NO_GAIN = "no gain that could survive: its interval includes 0"


class Referred(NamedTuple):
    """An evaluation set with one of its references; `settings` are those of `SetScores`."""

    reference: str
    files: SetFiles
    settings: dict[str, Any]

    def difficulty(self, name: str) -> np.ndarray | None:
        """A difficulty that is estimated from the reference, (systems, segments); None of any
        other, or where there is none."""
        found = self.files.optional(f"difficulty/{name}.npz")
        of_reference = found is not None and str(found["information"]) == "reference"
        return found["difficulty"] if of_reference else None


class Effect(NamedTuple):
    """A statistic under a weighting, the unweighted metric's, and their difference on resamples."""

    value: float
    plain: float
    draws: np.ndarray

    @property
    def gain(self) -> float:
        return self.value - self.plain


def check(sets: list[Referred]) -> None:
    """Raise `Missing` where sets do not have the same systems and segments."""
    found = [each.files.read("evalset.json") for each in sets]
    if any((own.systems, own.source) != (found[0].systems, found[0].source) for own in found):
        raise Missing(OTHER_SYSTEMS)


def agreement_rows(sets: list[Referred], seed: int, threads: int) -> Iterator[list]:
    """Rows of AGREEMENT: Kendall's τ-b of each difficulty that reads the reference under two
    references.

    `segments` is of the mean difficulties of segments; `segments_within_length` the same within
    tenths of source length, mean over tenths, because long segments are difficult by any reference;
    `hypotheses` is the mean over systems of τ-b over the hypotheses of a system. Intervals are over
    segments, 95 %.
    """
    found = sets[0].files.read("evalset.json")
    deciles = length_deciles(np.array([len(text) for text in found.source], dtype=float))
    counts = dec.resample_counts(len(deciles), RESAMPLES, np.random.default_rng([seed, 0]))
    for name in sets[0].settings["difficulties"]:
        there = {each.reference: each.difficulty(name) for each in sets}
        known = {key: values for key, values in there.items() if values is not None}
        for one, other in combinations(known, 2):
            sides = [known[one], known[other]]
            means = [side.mean(axis=0, keepdims=True) for side in sides]
            kinds = {"segments": (means, None), "segments_within_length": (means, deciles)}
            if any((side != side[:1]).any() for side in sides):
                kinds["hypotheses"] = (sides, None)
            for kind, ((x, y), groups) in kinds.items():
                draws = dec.mean_over_systems(dec.taus(x, -y, counts, groups, threads))
                reason = UNDEFINED * bool(np.isnan(draws[0]))
                ends = interval(draws[1:])
                yield [name, one, other, kind, draws[0], *ends, reason]


def effects(
    sets: list[Referred], seed: int
) -> Iterator[tuple[str, str, str, str, list[Effect | str]]]:
    """Metric, weighting, reference of the scores, reference of the difficulty, and the effects by
    OUTCOMES, or in their place why there are none.

    Segments are drawn alike for all references.
    """
    for own in sets:
        others = [each for each in sets if each is not own]
        scores = study_scores(own, others, seed)
        scores.score(STANDARD)
        for weighting, each in product(own.settings["weightings"], sets):
            if each is not own and not is_borrowed(own, weighting):
                continue
            label = weighting if each is own else borrowed(weighting, each.reference)
            scores.score(label)
            for metric in scores.metrics:
                names = metric, weighting, own.reference, each.reference
                yield *names, list(_effects(scores, label, metric))


def _effects(scores: StudyScores, weighting: str, metric: str) -> Iterator[Effect | str]:
    sides = [scores.scored.get((one, metric)) for one in (weighting, STANDARD)]
    one, plain = sides
    for place in range(len(OUTCOMES)):
        if one is None or plain is None:
            reasons = [scores.reasons.get((side, metric), "") for side in (weighting, STANDARD)]
            yield next(filter(None, reasons))
            continue
        draws = one.draws[:, place] - plain.draws[:, place]
        effect = Effect(one.values[place], plain.values[place], draws)
        lacking = np.isnan(effect.gain) or np.isnan(interval(draws)[0])
        yield UNDEFINED if lacking else effect


def is_borrowed(own: Referred, weighting: str) -> bool:
    """Whether a weighting can take the difficulty of another reference: it weighs segments, by a
    difficulty that reads the reference."""
    settings = own.settings["weightings"][weighting]
    return not settings.get("over") and own.difficulty(settings["difficulty"]) is not None


def borrowed(name: str, reference: str) -> str:
    """The name of a difficulty or weighting with another reference; no name of a config has a
    space."""
    return f"{name} by {reference}"


def study_scores(own: Referred, others: list[Referred], seed: int) -> StudyScores:
    """The scores of a set, under its weightings and under the same ones by the difficulties of
    other references, with parameters fitted to these."""
    settings, contents = own.settings, dict(own.files.contents)
    difficulties, weightings = dict(settings["difficulties"]), dict(settings["weightings"])
    for weighting, entry in settings["weightings"].items():
        for other in others if is_borrowed(own, weighting) else ():
            label = borrowed(entry["difficulty"], other.reference)
            file = f"difficulty/{entry['difficulty']}.npz"
            contents[f"difficulty/{label}.npz"] = other.files.contents[file]
            difficulties[label] = settings["difficulties"][entry["difficulty"]]
            weightings[borrowed(weighting, other.reference)] = entry | {"difficulty": label}
    files, found = SetFiles(own.files.name, contents), own.files.read("evalset.json")
    described = set_weightings.describe(files, found.systems, difficulties, weightings)
    files.contents["weightings.json"] = described
    with_others = settings | {"difficulties": difficulties, "weightings": weightings}
    study = {"resamples": RESAMPLES, "tiers": {}}
    return StudyScores(SetScores(files, with_others), found, weightings, {}, study, seed)


def tables(sets: list[Referred], seed: int) -> tuple[list[list], list[list]]:
    """Rows of GAINS and of SURVIVAL."""
    gains: list[list] = []
    found: dict[tuple[str, str, str], dict[tuple[str, str], Effect]] = {}
    for metric, weighting, reference, of_difficulty, of_outcomes in effects(sets, seed):
        for statistic, effect in zip(OUTCOMES, of_outcomes, strict=True):
            head = [metric, weighting, statistic, reference, of_difficulty]
            cells = found.setdefault((metric, weighting, statistic), {})
            if isinstance(effect, str):
                gains.append([*head, *[np.nan] * 5, effect])
            else:
                cells[reference, of_difficulty] = effect
                ends = _ends(effect.gain, effect.draws)
                gains.append([*head, effect.value, effect.plain, effect.gain, *ends, ""])
    return gains, [[*key, *_survival(cells)] for key, cells in found.items()]


def _survival(cells: Mapping[tuple[str, str], Effect]) -> list:
    """SURVIVAL from `references` on, of one metric, weighting and statistic."""
    own = {scores: effect for (scores, each), effect in cells.items() if scores == each}
    # Of the same references' scores as the gains, by the mean over the others' difficulties.
    other = [
        _mean(elsewhere)
        for scores in own
        if (elsewhere := [cells[key] for key in cells if key[0] == scores != key[1]])
    ]
    if len(own) < 2:
        return [len(own), *[np.nan] * 12, ONE_REFERENCE]
    gains = [effect.gain for effect in own.values()]
    gain, draws = _mean(list(own.values()))
    low, high = _ends(gain, draws)
    head = [len(own), gain, low, high, min(gains), max(gains)]
    if len(other) < len(own):
        return [*head, *[np.nan] * 7, UNDEFINED if other else NOT_BORROWED]
    elsewhere, of_elsewhere = (np.mean(each, axis=0) for each in zip(*other, strict=True))
    loss = gain - elsewhere, *_ends(gain - elsewhere, draws - of_elsewhere)
    there = low > 0 or high < 0
    share = elsewhere / gain if there else np.nan
    ends = _ends(elsewhere, of_elsewhere)
    return [*head, elsewhere, *ends, *loss, share, "" if there else NO_GAIN]


def _mean(parts: list[Effect]) -> tuple[float, np.ndarray]:
    """Mean gain, at hand and on the resamples."""
    gain = float(np.mean([each.gain for each in parts]))
    return gain, np.mean([each.draws for each in parts], axis=0)


def _ends(value: float, draws: np.ndarray) -> tuple[float, float]:
    error = float(np.nanstd(draws, ddof=1))
    return value - NORMAL * error, value + NORMAL * error
