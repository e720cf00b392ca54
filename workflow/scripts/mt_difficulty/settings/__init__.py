"""Settings of metrics, difficulties, weightings and golds, as a config states them, and of a set's
scores.

They are named tuples, so that Snakemake records them as parameters of jobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Entry = dict[str, Any]  # of a config: `type` and the other keys


class MetricSettings(NamedTuple):
    """Settings of a metric.

    Attributes
    ----------
    type : str
        Name of its module in `metrics/`.
    arguments : mapping of str to object
        Arguments of its class, without the language pair.
    encoder : str or mapping of str to str
        Name of the encoder, or names by target language; empty for bert-score's choice, or for a
        metric without an encoder.
    """

    type: str
    arguments: Mapping[str, Any] = {}
    encoder: str | Mapping[str, str] = ""

    def entry(self) -> Entry:
        """Return the settings as a config's entry (of which `metric_settings` makes them)."""
        encoder = {"encoder": self.encoder} if self.encoder else {}
        return {"type": self.type, **encoder, **self.arguments}


class DifficultySettings(NamedTuple):
    """Settings of a difficulty estimator.

    Attributes
    ----------
    type : str
        Name of its module in `difficulty/`.
    arguments : mapping of str to object
        Arguments of its class.
    """

    type: str
    arguments: Mapping[str, Any] = {}

    @classmethod
    def of(cls, entry: Entry) -> DifficultySettings:
        """Return the settings of a config's entry."""
        return cls(entry["type"], _without(entry, "type"))

    def entry(self) -> Entry:
        """Return the settings as a config's entry."""
        return {"type": self.type, **self.arguments}

    @property
    def metric(self) -> str:
        """Name of the metric whose statistics or matches it reads; empty for none."""
        return self.arguments.get("metric", "")

    @property
    def difficulty(self) -> str:
        """Name of the difficulty that it is made from; empty for none."""
        return self.arguments.get("difficulty", "")

    @property
    def file(self) -> str:
        """The user's file that it reads; empty for none."""
        return self.arguments.get("file") or ""

    @property
    def folder(self) -> str:
        """The folder of its model; empty for none."""
        return self.arguments.get("folder", "")


class WeightingSettings(NamedTuple):
    """Settings of a weighting.

    Attributes
    ----------
    type : str
        Name of its module in `weighting/`.
    arguments : mapping of str to object
        Arguments of its class.
    difficulty : str
        Name of its difficulty; empty for a combined weighting.
    """

    type: str
    arguments: Mapping[str, Any] = {}
    difficulty: str = ""

    @classmethod
    def of(cls, entry: Entry) -> WeightingSettings:
        """Return the settings of a config's entry."""
        arguments = _without(entry, "type", "difficulty")
        return cls(entry["type"], arguments, entry.get("difficulty", ""))

    def entry(self) -> Entry:
        """Return the settings as a config's entry."""
        difficulty = {"difficulty": self.difficulty} if self.difficulty else {}
        return {"type": self.type, **difficulty, **self.arguments}


class GoldSettings(NamedTuple):
    """Settings of a gold: how ratings of annotators become human scores.

    Attributes
    ----------
    type : str
        Name of its module in `gold/`.
    arguments : mapping of str to object
        Arguments of its class.
    """

    type: str
    arguments: Mapping[str, Any] = {}

    @classmethod
    def of(cls, entry: Entry) -> GoldSettings:
        """Return the settings of a config's entry."""
        return cls(entry["type"], _without(entry, "type"))

    @property
    def name(self) -> str:
        """The type and the stated settings, such as `mixed resamples:500 response:z`."""
        stated = [f"{key}:{value}" for key, value in sorted(self.arguments.items())]
        return " ".join([self.type, *stated])


class EncoderSettings(NamedTuple):
    """Settings of an encoder, whose weights are from the Hugging Face hub, a folder, or random.

    Attributes
    ----------
    name : str
        Its name in the config.
    model : str
        The name by which bert-score knows it.
    layer : int
        The layer whose embeddings are used.
    dtype, device : str
        Precision of the weights; auto, cpu or cuda.
    hub, revision : str
        Name and version on the hub; empty without.
    folder : str
        A user's folder, which takes precedence over the hub; empty without.
    hidden_size, layers, seed : int
        Size of the embeddings, number of layers and seed of random weights; 0 without.
    files : mapping of str to str
        SHA-256 by file name.
    baseline : str or list of float
        `auto`, `computed` or `none`, or b of precision, recall and F (`embedding.baselines`).
    """

    name: str
    model: str
    layer: int
    dtype: str = "float32"
    device: str = "auto"
    hub: str = ""
    revision: str = ""
    folder: str = ""
    hidden_size: int = 0
    layers: int = 0
    seed: int = 0
    files: Mapping[str, str] = {}
    baseline: str | list[float] = "auto"


Metrics = Mapping[str, MetricSettings]
Difficulties = Mapping[str, DifficultySettings]
Weightings = Mapping[str, WeightingSettings]


class ScoreSettings(NamedTuple):
    """What the scores of a set are made from, by name.

    Attributes
    ----------
    metrics : mapping of str to MetricSettings
    difficulties : mapping of str to DifficultySettings
    weightings : mapping of str to WeightingSettings
    matches : mapping of str to str
        The file of token matches of each metric that is made from them.
    """

    metrics: Mapping[str, MetricSettings]
    difficulties: Mapping[str, DifficultySettings] = {}
    weightings: Mapping[str, WeightingSettings] = {}
    matches: Mapping[str, str] = {}

    @property
    def types(self) -> dict[str, str]:
        """The type of each metric."""
        return {name: settings.type for name, settings in self.metrics.items()}

    def entries(self) -> Entry:
        """Return the settings as entries of a config, as run.json has them; `scores.settings_of`
        makes settings of them."""
        kinds = ("metrics", "difficulties", "weightings")
        members = {
            kind: {name: settings.entry() for name, settings in getattr(self, kind).items()}
            for kind in kinds
        }
        return {**members, "matches": dict(self.matches)}


def _without(entry: Entry, *keys: str) -> Entry:
    return {key: value for key, value in entry.items() if key not in keys}
