"""Difficulty that a regression model predicts from the source text."""

import hashlib
from pathlib import Path

import numpy as np

from ..data.download import checksum
from ..data.evalset import EvaluationSet
from ..embedding.encoders import files_of
from ..errors import InputError, check_choice
from .base import Estimator


class Model(Estimator):
    """The number that a regression model in a local folder predicts for the source segment.

    The model is a transformers model for sequence classification with one label. Segments that
    exceed the limit of the tokenizer or model are truncated.

    Parameters
    ----------
    folder : str
        Folder with config.json, the tokenizer's files and the weights as *.safetensors.
    higher_is_harder : bool
        False for a model of quality; the sign of its values is then changed.
    device : {"auto", "cpu", "cuda"}
        `auto` is a GPU where there is one. A GPU's values differ from a CPU's in their last digits.
    """

    reads = "model"
    information = "source"

    def __init__(self, folder: str, *, higher_is_harder: bool = True, device: str = "auto") -> None:
        check_choice("device", device, ("auto", "cpu", "cuda"))
        self.folder = folder
        self.higher_is_harder = higher_is_harder
        self.device = device

    def files(self, folder: Path, pair: str) -> list[Path]:
        return files_of(folder)

    def estimate(self, evalset: EvaluationSet, source: str | Path) -> np.ndarray:
        """Return a predicted difficulty per segment; raise `InputError` if one is not finite."""
        from ..embedding.encoding import Regressor

        evalset.require_source()
        regressor = Regressor(source, self.device)
        values = regressor.predict(evalset.source, self.threads)
        if not np.isfinite(values).all():
            segment = int(np.flatnonzero(~np.isfinite(values))[0])
            raise InputError(
                f"model {source}: its value of source segment {segment + 1} is {values[segment]}, "
                "no finite number. Its weights are spoilt: replace them."
            )
        sums = [checksum(path) for path in files_of(source) if path.suffix == ".safetensors"]
        if len(sums) > 1:
            sums = [hashlib.sha256("".join(sums).encode()).hexdigest()]
        name = Path(source).absolute().name
        self.signature = f"model:{name}|sha256:{sums[0][:12]}|device:{regressor.device.type}"
        if self.higher_is_harder:
            return values
        self.signature += "|sign:turned"
        return -values
