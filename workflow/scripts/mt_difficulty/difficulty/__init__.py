"""The registry of difficulty estimators: a new one is a file here with one subclass of
`Estimator`. Difficulty is of segments, hypotheses or tokens; higher is harder."""

from ..registry import Registry, class_of
from .base import Estimator

ESTIMATORS: Registry[type[Estimator]] = Registry(__name__, class_of(Estimator))
