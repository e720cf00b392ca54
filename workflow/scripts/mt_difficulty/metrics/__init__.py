"""The registry of metrics: a new one is a file here with one subclass of `Metric`."""

from ..registry import Registry, class_of
from .base import Metric

METRICS: Registry[type[Metric]] = Registry(__name__, class_of(Metric))
