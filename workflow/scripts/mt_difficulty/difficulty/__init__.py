"""The registry of difficulty estimators: a new one is a file here with one subclass of
`Estimator`. Difficulty is of segments, hypotheses or tokens; higher is harder."""

from collections.abc import Mapping
from typing import Any

from ..registry import Registry, class_of
from .base import Estimator

ESTIMATORS: Registry[type[Estimator]] = Registry(__name__, class_of(Estimator))


def make_estimator(settings: Mapping[str, Any]) -> Estimator:
    """The estimator that a config entry names.

    Parameters
    ----------
    settings : dict
        Its `type`, and what the type's constructor takes.
    """
    return ESTIMATORS[settings["type"]](**{k: v for k, v in settings.items() if k != "type"})
