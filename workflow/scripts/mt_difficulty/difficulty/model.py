"""Estimates of a model that predicts difficulty, or quality, from the source text."""

import hashlib
from pathlib import Path

import numpy as np

from ..data.contents import checksum
from ..data.evalset import EvaluationSet
from ..embedding.encoders import files_of
from ..errors import InputError
from .base import Estimator

DEVICES = ("auto", "cpu", "cuda")


class Model(Estimator):
    """What a regressor in a local folder gives for the source segment.

    It is a model for sequence classification with one label, in the transformers format. A segment
    is stripped of white space at its ends; one that is longer than tokenizer or model take is
    truncated, so that its end does not count.

    Parameters
    ----------
    folder : str
        Holds config.json, the tokenizer's files and the weights as *.safetensors.
    higher_is_harder : bool
        False for a model of quality, whose sign is turned.
    device : {"auto", "cpu", "cuda"}
        `auto` is a GPU where there is one. A GPU's values differ from a CPU's in their last digits.
    """

    reads = "model"
    information = "source"

    def __init__(self, folder: str, higher_is_harder: bool = True, device: str = "auto") -> None:
        if device not in DEVICES:
            raise ValueError(f"device {device}: expected one of {', '.join(DEVICES)}")
        self.folder, self.higher_is_harder, self.device = folder, higher_is_harder, device
        self._signature = ""

    def files(self, folder: Path, pair: str) -> list[Path]:
        return files_of(folder)

    def estimate(self, evalset: EvaluationSet, source: str | Path) -> np.ndarray:
        """Values, (segments,); raises InputError where the model gives one that is not finite."""
        from ..embedding.regressor import Regressor

        evalset.require_source()
        regressor = Regressor(source, self.device)
        values = regressor.predict(evalset.source, self.threads)
        if not np.isfinite(values).all():
            segment = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                f"model {source}: its value of source segment {segment + 1} is {values[segment]}, "
                "no finite number. Its weights are spoilt: replace them."
            )
        sign = "" if self.higher_is_harder else "|sign:turned"
        name = f"model:{Path(source).absolute().name}|sha256:{_weights(Path(source))}"
        self._signature = f"{name}|device:{regressor.device.type}{sign}"
        return values if self.higher_is_harder else -values

    @property
    def signature(self) -> str:
        return self._signature


def _weights(folder: Path) -> str:
    """The first 12 digits of the SHA-256 of a model's weights; of several files, of their sums."""
    sums = [checksum(path) for path in files_of(folder) if path.suffix == ".safetensors"]
    found = sums[0] if len(sums) == 1 else hashlib.sha256("".join(sums).encode()).hexdigest()
    return found[:12]
