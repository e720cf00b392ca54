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
    """Estimate the difficulty of segments or hypotheses; not for difficulties of tokens.

    Parameters
    ----------
    estimator : Estimator
    evalset : EvaluationSet
    source
        What the estimator reads beside the set (`Estimator.reads`).

    Returns
    -------
    values : ndarray
        Of `estimator.estimate`.
    difficulty : ndarray
        (systems, segments), of all systems; higher is harder.

    Raises
    ------
    InputError
        If values have another shape.
    """
    values = np.asarray(estimator.estimate(evalset, source))
    systems = len(evalset.systems)
    segments = len(evalset.reference)
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
