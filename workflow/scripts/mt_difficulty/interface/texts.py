"""Texts as an evaluation set, and their token matches."""

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from importlib.util import find_spec
from typing import Any

from ..data.evalset import EvaluationSet, reference_gaps
from ..data.language import default_units, notices
from ..data.text_checks import check_texts, is_empty
from ..errors import InputError
from ..libraries import missing_extra
from .settings import Settings

# Hypotheses from which on alignment without compiled code takes more than some ten seconds.
MANY = 5000


class Texts:
    """An evaluation set without human scores, and its token matches.

    Attributes
    ----------
    evalset : EvaluationSet
    others : list of list of str
        Further references, for the metrics that take several.
    """

    def __init__(
        self, evalset: EvaluationSet, settings: Settings, others: Sequence[list[str]] = ()
    ) -> None:
        self.evalset, self.others = evalset, list(others)
        self._encoder = encoder_settings(settings)
        self._notices = [*_notices(settings, evalset)]

    @property
    def matches(self) -> Any:
        """What `match_set` gives; None without an encoder."""
        return self._matched[0]

    @property
    def notices(self) -> list[str]:
        """What is odd about the texts, in sentences."""
        return self._notices + self._matched[1]

    @cached_property
    def _matched(self) -> tuple[Any, list[str]]:
        return match(self.evalset, self._encoder) if self._encoder else (None, [])


def encoder_settings(arguments: Settings) -> dict | None:
    """Settings of --encoder, as `match_set` wants them; None without one.

    Raises
    ------
    InputError
        The folder holds no whole model, or its layer is not known.
    """
    if not arguments.encoder:
        return None
    from ..embedding import encoders

    folder = arguments.encoder
    name = os.path.basename(os.path.realpath(folder))
    files = encoders.checksums(name, folder)
    layer = arguments.layer
    layer = encoders.default_layer(name) if layer is None else layer
    if layer is None:
        raise InputError(f"--encoder {folder}: bert-score knows no layer of {name}; set --layer.")
    return {
        "name": name,
        "model": name,
        "folder": folder,
        "layer": layer,
        "dtype": "float32",
        "device": "auto",
        "files": files,
    }


def match(found: EvaluationSet, settings: dict) -> tuple[dict, list[str]]:
    """Matches of the texts with the encoder, and what is odd about them."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # before transformers is imported
    from tqdm import tqdm

    from ..embedding.set_matches import match_set

    def progress(blocks: Iterable) -> Iterable:
        return tqdm(blocks, settings["name"], unit="block", disable=None)

    return match_set(found, settings, settings["folder"], progress)


def _notices(arguments: Settings, found: EvaluationSet) -> Iterator[str]:
    split = default_units(found.pair, found.reference)
    if not arguments.lang:
        how = "at spaces" if split == "words" else "into characters, for it has few spaces"
        yield (
            f"no --lang: text is split {how}. Name the target language, above all one that is "
            "written without them (zh, ja, th) or that sacreBLEU has a tokenizer for (zh, ja, ko)."
        )
    elif odd := notices(found.pair, found.reference):
        yield from odd
    elif split == "characters":
        yield f"{arguments.lang} is written without spaces: text is split into characters."
    outputs = dict(zip(found.systems, found.hypotheses, strict=True))
    for system in filter(lambda system: is_empty(outputs[system]), outputs):
        yield f"{system}: every line is empty. Take another file, or leave the system out."
    yield from reference_gaps(found)
    yield from check_texts(outputs, found.reference, found.source, found.reference_name)
    if len(found.systems) * len(found.reference) >= MANY and find_spec("numba") is None:
        yield (
            f"{missing_extra('numba')} Without it alignment and TER take some fifty times as long; "
            "the results are the same."
        )
    if len(found.systems) == 1:
        yield (
            f"one system only: difficulty is {found.systems[0]}'s own, so that what it translates "
            "badly counts as difficult. Add other systems' outputs for a better estimate."
        )
