"""The registry of difficulty estimators: each module of this folder defines one subclass of
`Estimator`. The difficulty is of segments, hypotheses or reference tokens; higher is harder."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import InputError
from ..registry import Registry
from .base import Estimator

ESTIMATORS: Registry[type[Estimator]] = Registry(__name__, Estimator)


def make_estimator(settings: Mapping[str, Any]) -> Estimator:
    """Make the estimator that a config entry's `type` names, with the other keys as arguments."""
    return ESTIMATORS[settings["type"]](**{k: v for k, v in settings.items() if k != "type"})


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
