"""The registry of metrics: each module of this folder defines one subclass of `Metric`."""

from ..registry import Registry
from ..settings import Entry, MetricSettings
from .base import Metric

METRICS: Registry[type[Metric]] = Registry(__name__, Metric)


def named_metrics() -> dict[str, MetricSettings]:
    """Return the metrics that are computed by this package, by their names on the command line and
    in Python."""
    return {
        name: MetricSettings(kind, arguments)
        for kind, metric in METRICS.items()
        if metric.reads in ("texts", "matches")
        for name, arguments in (metric.names or {metric.__name__: {}}).items()
    }


def metric_settings(entry: Entry) -> MetricSettings:
    """Return the settings of a metric's config entry. Only a metric that reads token matches has an
    encoder that computes them; of another metric, `encoder` is an argument of its class."""
    arguments = dict(entry)
    kind = arguments.pop("type")
    encoder = ""
    if METRICS[kind].reads == "matches":
        encoder = arguments.pop("encoder", "")
    return MetricSettings(kind, arguments, encoder)


def make_metric(name: str, pair: str, settings: MetricSettings) -> Metric:
    """Make a metric of a config's entry.

    Parameters
    ----------
    name : str
        Its name in the config.
    pair : str
        Language pair, such as en-de.
    settings : MetricSettings

    Returns
    -------
    Metric
    """
    return METRICS[settings.type](pair, **computed_from(name, settings).arguments)


def computed_from(name: str, settings: MetricSettings) -> MetricSettings:
    """Return the settings on which the statistics of a metric depend: without its encoder, since
    matches are computed beforehand. The default `name` of stored scores is the entry's."""
    arguments = settings.arguments
    if METRICS[settings.type].reads == "stored":
        arguments = {"name": name, **arguments}
    return MetricSettings(settings.type, arguments)


def reads_matches(settings: MetricSettings) -> bool:
    """Return whether a metric, such as BERTScore, needs an encoder's token similarities."""
    return METRICS[settings.type].reads == "matches"
