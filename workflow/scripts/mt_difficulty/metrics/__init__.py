"""The registry of metrics: each module of this folder defines one subclass of `Metric`."""

from collections.abc import Mapping
from typing import Any

from ..registry import Registry
from .base import Metric

METRICS: Registry[type[Metric]] = Registry(__name__, Metric)


def named_metrics() -> dict[str, dict[str, Any]]:
    """Return the metrics that are computed, not read, by their names on the command line and in
    Python: an entry of each as in a config."""
    return {
        name: {"type": kind, **settings}
        for kind, metric in METRICS.items()
        if metric.reads != "stored"
        for name, settings in (metric.names or {metric.__name__: {}}).items()
    }


def make_metric(name: str, pair: str, settings: Mapping[str, Any]) -> Metric:
    """Return a metric for a language pair, built from a config entry's `name` and `settings`."""
    return METRICS[settings["type"]](pair, **constructor_settings(name, settings))


def constructor_settings(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the constructor arguments of a config entry, except the language pair and, since
    matches are computed beforehand, the `encoder`. The default `name` of stored scores is the
    entry's."""
    arguments = {key: value for key, value in settings.items() if key != "type"}
    reads = METRICS[settings["type"]].reads
    if reads == "matches":
        arguments.pop("encoder", None)
    if reads == "stored":
        arguments.setdefault("name", name)
    return arguments
