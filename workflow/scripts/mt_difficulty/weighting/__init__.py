"""The registry of weightings, how difficulty enters a score: a new one is a file here with one
subclass of `Weighting`."""

from ..registry import Registry, class_of
from .base import Weighting

WEIGHTINGS: Registry[type[Weighting]] = Registry(__name__, class_of(Weighting))
