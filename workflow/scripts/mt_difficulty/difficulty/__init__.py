"""The registry of difficulty estimators: each module of this folder defines one subclass of
`Estimator`. The difficulty is of segments, hypotheses or reference tokens; higher is harder."""

from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import InputError
from ..registry import Registry
from ..settings import DifficultySettings
from .base import Estimator

ESTIMATORS: Registry[type[Estimator]] = Registry(__name__, Estimator)


def make_estimator(settings: DifficultySettings) -> Estimator:
    """Make the estimator of a config's entry."""
    return ESTIMATORS[settings.type](**settings.arguments)


def estimate(
    estimator: Estimator, evalset: EvaluationSet, source: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Return the values of `estimator.estimate` and the difficulty of all systems, (systems,
    segments). Raises `InputError` for values of another shape. Not for difficulties of tokens."""
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
