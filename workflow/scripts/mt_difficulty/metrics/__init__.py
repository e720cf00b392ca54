"""The registry of metrics: a new one is a file here with one subclass of `Metric`."""

from collections.abc import Mapping
from typing import Any

from ..registry import Registry, class_of
from .base import Metric

METRICS: Registry[type[Metric]] = Registry(__name__, class_of(Metric))


def make_metric(name: str, pair: str, settings: Mapping[str, Any]) -> Metric:
    """The metric that a config entry names; stored metrics go by that name by default.

    Parameters
    ----------
    settings : dict
        Its `type`, and what the type's constructor takes; an encoder is not the metric's.
    """
    own = {key: value for key, value in settings.items() if key not in ("type", "encoder")}
    if settings["type"] == "stored":
        own.setdefault("name", name)
    return METRICS[settings["type"]](pair, **own)
