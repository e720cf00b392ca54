"""The registry of difficulty estimators: a new one is a file here with one subclass of
`Estimator`. Difficulty is of segments, hypotheses or tokens; higher is harder."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError
from ..registry import Registry, class_of
from .base import Estimator

if TYPE_CHECKING:
    from ..data.evalset import EvaluationSet

ESTIMATORS: Registry[type[Estimator]] = Registry(__name__, class_of(Estimator))


def make_estimator(settings: Mapping[str, Any]) -> Estimator:
    """The estimator that a config entry names.

    Parameters
    ----------
    settings : dict
        Its `type`, and what the type's constructor takes.
    """
    return ESTIMATORS[settings["type"]](**{k: v for k, v in settings.items() if k != "type"})


def estimate(
    estimator: Estimator, evalset: EvaluationSet, source: Any
) -> tuple[np.ndarray, np.ndarray]:
    """A difficulty of an evaluation set, for all of its systems.

    Parameters
    ----------
    estimator : Estimator
        Of segments or hypotheses.
    evalset : EvaluationSet
    source
        What the estimator reads beside it.

    Returns
    -------
    values : ndarray
        As from `Estimator.estimate`.
    difficulty : ndarray, (systems, segments)

    Raises
    ------
    InputError
        They are not as many as the set's systems and segments.
    """
    values = np.asarray(estimator.estimate(evalset, source))
    systems, segments = len(evalset.systems), len(evalset.reference)
    difficulty = estimator.difficulty(values, np.arange(systems))
    # Of a set without texts the number of segments is not known.
    if segments and difficulty.shape != (systems, segments):
        shape = " × ".join(map(str, values.shape))
        raise InputError(
            f"difficulty {type(estimator).__name__}: `estimate` gave {shape} values; expected one "
            f"for each of {segments} segments, or for each of {systems} systems × {segments} "
            "segments."
        )
    return values, difficulty
