"""The registry of metrics: a new one is a file here with one subclass of `Metric`."""

from collections.abc import Mapping
from typing import Any

from ..registry import Registry, class_of
from .base import Metric

METRICS: Registry[type[Metric]] = Registry(__name__, class_of(Metric))


def make_metric(name: str, pair: str, settings: Mapping[str, Any]) -> Metric:
    """The metric that a config entry names.

    Parameters
    ----------
    settings : dict
        Its `type`, and what the type's constructor takes; see `constructor_settings`.
    """
    return METRICS[settings["type"]](pair, **constructor_settings(name, settings))


def constructor_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """What the constructor takes of a config entry, beside the pair.

    The `encoder` of a metric that reads matches is the plan's choice, not the metric's; stored
    scores go by the entry's name unless it gives another one.
    """
    own = {key: value for key, value in settings.items() if key != "type"}
    reads = METRICS[settings["type"]].reads
    if reads == "matches":
        own.pop("encoder", None)
    if reads == "stored":
        own.setdefault("name", name)
    return own
