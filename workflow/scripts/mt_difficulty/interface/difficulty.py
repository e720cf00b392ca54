"""The difficulty of texts (an estimator of the registry, a file, or values), and the segments and
tokens of highest difficulty."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import __version__
from ..data.sources import UNDETERMINED
from ..difficulty import ESTIMATORS, estimate
from ..difficulty.base import Estimator
from ..difficulty.file import File
from ..embedding.matches import Matches, rescaled_matches
from ..errors import InputError, Missing, nearest
from ..weighting.groups import Groups
from .texts import DEFAULT_DIFFICULTY, Settings, Texts, metric_name

OF_TOKENS = "token_dissimilarity"
EASY_WEIGHT = 0.5  # where Eq. 11 does not apply
TOKENS = 5  # difficult tokens shown of a segment
# Where all chunk entropies are 0, nothing follows for h, w or EE.
NO_ENTROPY = (
    "every hypothesis has chunk entropy 0, so that none is difficult: no h, w, EE scores or hard "
    "segments. Probably the text is too short to be aligned; try 30 segments or more."
)


class Difficulty(NamedTuple):
    """Difficulty of the texts: the name of the estimator or the file; `unit`, segment or
    hypothesis; values, (systems, segments), higher is harder, of a difficulty of segments all rows
    the same; `groups`, what `Groups.fit` gives, h and w among them, None where nothing asks for a
    threshold."""

    name: str
    unit: str
    values: np.ndarray
    signature: str
    groups: dict[str, Any] | None
    notices: list[str]

    @property
    def constant(self) -> bool:
        """Whether no hypothesis is harder than another."""
        return bool((self.values == self.values[0, 0]).all())


def estimators_of_texts() -> list[str]:
    """The estimators for which texts suffice."""
    return [
        name
        for name, kind in ESTIMATORS.items()
        if kind.reads in (None, "statistics") and kind.unit != "token" and not kind.uses_gold
    ]


def printed(name: str) -> str:
    """A difficulty's name in sentences."""
    return name.replace("_", " ") if name in ESTIMATORS else name


def find_difficulty(texts: Texts) -> Difficulty:
    """Estimate the difficulty of the texts, and fit EE's groups where a threshold is asked for.
    Raises `InputError` where there is no such difficulty or file, or the texts lack what it
    needs."""
    settings, evalset = texts.settings, texts.evalset
    shape = (len(evalset.systems), len(evalset.reference))
    if isinstance(settings.difficulty, np.ndarray):
        given = np.asarray(settings.difficulty, float)
        if given.shape not in (shape, shape[1:]) or not np.isfinite(given).all():
            raise InputError(
                f"difficulty: expected a finite number for each of {shape[1]} segments, or for "
                f"each of {shape[0]} systems × {shape[1]} segments; found values of shape "
                f"{given.shape}."
            )
        name, signature, values = "given", "given", np.broadcast_to(given, shape)
        unit = "segment" if given.ndim == 1 else "hypothesis"
    else:
        name, known = settings.difficulty, estimators_of_texts()
        metric = metric_name(settings.metric[0])
        estimator: Estimator
        source: Any = None
        if name not in known:
            source = Path(name)
            if not source.is_file():
                raise InputError(
                    f"difficulty {name}: neither a difficulty{nearest(name, known)} nor a file of "
                    f"estimates. The difficulties are: {', '.join(known)}."
                )
            name, estimator = source.name, File(name)
        else:
            of_metric = {"metric": metric} if ESTIMATORS[name].reads == "statistics" else {}
            estimator = ESTIMATORS[name](**of_metric)
            source = texts.measured(metric).segment_quality if of_metric else None
        estimator.threads = os.cpu_count() or 1
        try:
            estimated, values = estimate(estimator, evalset, source)
        except Missing as reason:
            hint = "" if settings.src_lang else " Name the source language."
            hint = hint if evalset.source else " Give the source text."
            raise InputError(f"difficulty {name}: {reason}.{hint}") from None
        unit, signature = estimator.unit, estimator.signature
        unit = "segment" if estimated.ndim == 1 else unit
    groups, odd = None, []
    of_entropy, h = name == DEFAULT_DIFFICULTY, settings.h
    asked = any(label.split("-")[0] == "EE" for label in settings.weighting)
    named = isinstance(settings.difficulty, str)
    if asked or (named and (of_entropy or h is not None)):
        if of_entropy and isinstance(h, float) and h < 0:
            raise InputError(f"h {h}: a chunk entropy is at least 0.")
        groups = ee_weighting(settings).fit(values, evalset.systems, printed(name))
        odd = groups["notices"]
        if not of_entropy and settings.weighting and settings.w is None:
            groups["w_from"] = "default"
            odd.append(
                f"w is {EASY_WEIGHT}: Eq. 11 was fitted to chunk entropies and does not apply to "
                f"{printed(name)}. Set w for another value."
            )
    difficulty = Difficulty(name, unit, values, signature, groups, odd)
    if not difficulty.constant:
        return difficulty
    nothing_harder = (
        f"{printed(name)} is {values[0, 0]:.4g} for every hypothesis, so that none is harder than "
        "another: no weighted scores."
    )
    no_entropy = of_entropy and not values.any()
    return difficulty._replace(notices=[NO_ENTROPY if no_entropy else nothing_harder])


def ee_weighting(settings: Settings) -> Groups:
    """EE; its w as given, by Eq. 11 for chunk entropy, to which it was fitted, else 0.5."""
    easy_weight = settings.w
    if easy_weight is None:
        named = isinstance(settings.difficulty, str)
        of_entropy = named and settings.difficulty == DEFAULT_DIFFICULTY
        easy_weight = "liu2022" if of_entropy else EASY_WEIGHT
    return Groups("mean_plus_2sd" if settings.h is None else settings.h, easy_weight)


def token_difficulty(texts: Texts, matches: Matches) -> np.ndarray:
    """Difficulty of the reference's tokens, the same for all systems, (1, reference tokens)."""
    estimator = ESTIMATORS[OF_TOKENS]()
    values = estimator.estimate(texts.evalset, matches)
    return estimator.difficulty(values, np.arange(len(values)))[:1]


def hardest_report(texts: Texts, top: int, hypotheses: int) -> dict[str, Any]:
    """The hardest segments, as `cli/tables.py` describes them, each with some hypotheses, those of
    highest difficulty."""
    difficulty = find_difficulty(texts)
    report = describe_texts(texts, difficulty)
    report["hard_segments"] = hardest(texts, difficulty, top, hypotheses)
    return report


def describe_texts(texts: Texts, difficulty: Difficulty) -> dict[str, Any]:
    """What every report begins with: the texts and their difficulty, with h and w where they are
    used."""
    evalset = texts.evalset
    language = evalset.pair.split("-")[1]
    about = {"name": difficulty.name, "unit": difficulty.unit, "signature": difficulty.signature}
    about |= (difficulty.groups or {}) | {"notices": difficulty.notices}
    return {
        "version": __version__,
        "reference": evalset.reference_name,
        "language": None if language == UNDETERMINED else language,
        "systems": evalset.systems,
        "segments": len(evalset.reference),
        "difficulty": about,
        "notices": texts.notices + difficulty.notices,
    }


def hardest(
    texts: Texts, difficulty: Difficulty, top: int, hypotheses: int = 0
) -> list[dict[str, Any]]:
    """The segments of highest mean difficulty, highest first; equal ones in order. Where no
    difficulty is below 0, those of 0 are never among them: chunk entropy 0 is a hypothesis in one
    piece."""
    evalset, values = texts.evalset, difficulty.values
    means = values.mean(axis=0)
    h = difficulty.groups["h"] if difficulty.groups else np.nan
    easiest = 0 if values.min() >= 0 else -np.inf
    order = np.argsort(-means, kind="stable")[:top]
    segments = [int(i) for i in order if means[i] > easiest]
    matches, of_tokens = None, np.empty(0)
    if texts.matches is not None:
        matches, _ = rescaled_matches(texts.matches)
        (of_tokens,) = token_difficulty(texts, matches)
    rows = []
    for i in segments:
        tokens = None
        if matches is not None:  # the most difficult ones, each token once
            highest: dict[str, float] = {}
            places = np.flatnonzero(matches.reference_segment == i)
            for token in places[np.argsort(-of_tokens[places], kind="stable")]:
                start, end = matches.reference_offsets[token]
                text = evalset.reference[i].strip()[start:end]
                highest.setdefault(text, of_tokens[token])
            listed = list(highest.items())[:TOKENS]
            tokens = [{"token": token, "difficulty": value} for token, value in listed]
        of_segment = values[:, i]
        shown = np.argsort(-of_segment, kind="stable")[:hypotheses]
        rows.append(
            {
                "segment": i + 1,
                "difficulty": means[i],
                "difficult_systems": None if np.isnan(h) else int((of_segment >= h).sum()),
                "source": evalset.source[i] if evalset.source else None,
                "reference": evalset.reference[i],
                "tokens": tokens,
                "hypotheses": [
                    {
                        "system": evalset.systems[s],
                        "difficulty": of_segment[s],
                        "hypothesis": evalset.hypotheses[s][i],
                    }
                    for s in shown
                ],
            }
        )
    return rows
