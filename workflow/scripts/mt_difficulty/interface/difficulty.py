"""The difficulty of the texts: an estimator of the registry, or a file of estimates."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..difficulty import ESTIMATORS, estimate
from ..difficulty.base import Estimator
from ..difficulty.file import File
from ..embedding.matches import Matches
from ..errors import InputError, Missing, nearest
from .metrics import Measured, label
from .settings import DEFAULT_DIFFICULTY, Settings
from .texts import Texts
from .weightings import EASY_WEIGHT, make_weighting, parts

OF_TOKENS = "token_dissimilarity"
# Where all chunk entropies are 0, nothing follows for h, w or EE.
NO_ENTROPY = (
    "every hypothesis has chunk entropy 0, so that none is difficult: no h, w, EE scores or hard "
    "segments. Probably the text is too short to be aligned; try 30 segments or more."
)


class Difficulty(NamedTuple):
    """Difficulty of the texts.

    Attributes
    ----------
    name : str
        The estimator's, or the file's.
    unit : {"segment", "hypothesis"}
    values : ndarray, (systems, segments)
        Higher is harder; of a difficulty of segments all rows are the same.
    signature : str
    groups : dict, optional
        What `Groups.fit` gives, h and w among them; None where nothing asks for a threshold.
    notices : list of str
    """

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

    @property
    def means(self) -> np.ndarray:
        """Mean over systems, (segments,)."""
        return self.values.mean(axis=0)


def names() -> list[str]:
    """The estimators for which texts suffice."""
    return [
        name
        for name, kind in ESTIMATORS.items()
        if kind.reads in (None, "statistics") and kind.unit != "token" and not kind.uses_gold
    ]


def find_difficulty(
    arguments: Settings, texts: Texts, measure: Callable[[str], Measured]
) -> Difficulty:
    """Estimate the difficulty of the texts, and fit EE's groups to it where a threshold is asked
    for.

    Parameters
    ----------
    arguments : Settings
    texts : Texts
    measure : callable
        From a metric to its scores of the texts, of which some estimators make a difficulty.

    Raises
    ------
    InputError
        There is no such difficulty or file; the texts lack what it needs.
    """
    if isinstance(arguments.difficulty, np.ndarray):
        return _given(arguments, texts)
    metric = label(arguments.metric[0])
    name, estimator, source = choose(arguments.difficulty, metric)
    estimator.threads = os.cpu_count() or 1
    if estimator.reads == "statistics":
        source = measure(metric).segment_quality
    systems = texts.evalset.systems
    try:
        estimated, values = estimate(estimator, texts.evalset, source)
    except Missing as reason:
        raise InputError(f"--difficulty {name}: {reason}.{_hint(arguments, texts)}") from None
    unit = "segment" if estimated.ndim == 1 else estimator.unit
    found = Difficulty(name, unit, values, estimator.signature, None, [])
    asked = any(parts(label)[0] == "EE" for label in arguments.weighting)
    if asked or name == DEFAULT_DIFFICULTY or arguments.h is not None:
        found = _with_groups(found, arguments, systems)
    if found.constant:
        return found._replace(notices=[_nothing_harder(found)])
    return found


def _given(arguments: Settings, texts: Texts) -> Difficulty:
    """Values that were given, (segments,) or (systems, segments)."""
    evalset = texts.evalset
    shape = (len(evalset.systems), len(evalset.reference))
    values = np.asarray(arguments.difficulty, float)
    if values.shape not in (shape, shape[1:]) or not np.isfinite(values).all():
        raise InputError(
            f"difficulty: expected a finite number for each of {shape[1]} segments, or for each of "
            f"{shape[0]} systems × {shape[1]} segments; found values of shape {values.shape}."
        )
    unit = "segment" if values.ndim == 1 else "hypothesis"
    whole = np.broadcast_to(values, shape)
    found = Difficulty("given", unit, whole, "given", None, [])
    if any(parts(label)[0] == "EE" for label in arguments.weighting):
        found = _with_groups(found, arguments, evalset.systems)
    return found._replace(notices=[_nothing_harder(found)]) if found.constant else found


def choose(given: str, metric: str) -> tuple[str, Estimator, Any]:
    """The estimator that --difficulty names, its name in reports, and the file that it reads.

    Raises
    ------
    InputError
        Neither an estimator nor a file.
    """
    known = names()
    if given in known:
        settings = {"metric": metric} if ESTIMATORS[given].reads == "statistics" else {}
        return given, ESTIMATORS[given](**settings), None
    path = Path(given)
    if not path.is_file():
        raise InputError(
            f"--difficulty {given}: neither a difficulty{nearest(given, known)} nor a file of "
            f"estimates. The difficulties are: {', '.join(known)}."
        )
    return path.name, File(given), path


def printed(name: str) -> str:
    """A difficulty's name in sentences."""
    return name.replace("_", " ") if name in ESTIMATORS else name


def token_difficulty(texts: Texts, matches: Matches) -> np.ndarray:
    """Difficulty of the reference's tokens, the same for all systems, (1, reference tokens)."""
    estimator = ESTIMATORS[OF_TOKENS]()
    values = estimator.estimate(texts.evalset, matches)
    return estimator.difficulty(values, np.arange(len(values)))[:1]


def _with_groups(found: Difficulty, arguments: Settings, systems: list[str]) -> Difficulty:
    name, h = printed(found.name), arguments.h
    if found.name == DEFAULT_DIFFICULTY and isinstance(h, float) and h < 0:
        raise InputError(f"--h {h:g}: a chunk entropy is at least 0.")
    groups = make_weighting("EE", arguments).fit(found.values, systems, name)
    notices = groups["notices"]
    if found.name != DEFAULT_DIFFICULTY and arguments.weighting and arguments.w is None:
        groups["w_from"] = "default"
        notices.append(
            f"w is {EASY_WEIGHT}: Eq. 11 was fitted to chunk entropies and does not apply to "
            f"{name}. To set another: --w."
        )
    return found._replace(groups=groups, notices=notices)


def _nothing_harder(found: Difficulty) -> str:
    if found.name == DEFAULT_DIFFICULTY and not found.values.any():
        return NO_ENTROPY
    return (
        f"{printed(found.name)} is {found.values[0, 0]:.4g} for every hypothesis, so that none is "
        "harder than another: no weighted scores."
    )


def _hint(arguments: Settings, texts: Texts) -> str:
    """What may be missing in the command line."""
    if not texts.evalset.source:
        return " Name the source text: --src FILE."
    return "" if arguments.src_lang else " Name the source language: --src-lang."
