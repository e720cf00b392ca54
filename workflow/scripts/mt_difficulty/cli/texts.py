"""What `score` and `hard` begin with: texts, their chunk entropy and difficulty, token matches."""

import argparse
import os
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from ..data.evalset import EvaluationSet
from ..data.language import default_units, notices
from ..data.text_files import read_segments
from ..errors import InputError

# Where all chunk entropies are 0, nothing follows for h, w or EE.
NO_ENTROPY = (
    "every hypothesis has chunk entropy 0, so that none is difficult: no h, w, EE scores or hard "
    "segments. Probably the text is too short to be aligned; try 30 segments or more."
)
UNDETERMINED = "und"  # the code of no language in particular


class Prepared(NamedTuple):
    """An evaluation set without human scores, and how difficult it is.

    `alignment` is that of `align_set`, `difficulty` that of `describe`, `matches` that of
    `match_set` (None without an encoder).
    """

    evalset: EvaluationSet
    alignment: dict
    difficulty: dict
    matches: Any
    notices: list[str]


def prepare(arguments: argparse.Namespace) -> Prepared:
    """Read the texts and find their difficulty."""
    from ..difficulty.chunk_entropy import align_set
    from ..weighting.groups import Groups

    found = read(arguments)
    settings = encoder_settings(arguments)
    notices = [*_notices(arguments, found)]
    alignment = align_set(found, threads=os.cpu_count() or 1)
    h, w = arguments.h, getattr(arguments, "w", None)
    weighting = Groups("mean_plus_2sd" if h is None else h, "liu2022" if w is None else w)
    difficulty = weighting.fit(alignment["entropy"], found.systems)
    difficulty["signature"] = alignment["signature"]
    if not alignment["entropy"].any():
        difficulty["notices"] = [NO_ENTROPY]
    matches = None
    if settings:
        matches, odd = match(found, settings)
        notices += odd
    return Prepared(found, alignment, difficulty, matches, notices)


def read(arguments: argparse.Namespace) -> EvaluationSet:
    """The texts as an evaluation set; systems in the given order.

    Raises
    ------
    InputError
        Files of different numbers of lines, none at all, or two systems of one name.
    """
    names = [path.stem for path in arguments.hyp]
    for name, count in Counter(names).items():
        if count > 1:
            files = " and ".join(str(path) for path in arguments.hyp if path.stem == name)
            raise InputError(
                f"{files} are both called {name}: systems go by their file's name without its "
                "ending. Rename one."
            )
    reference = read_segments(arguments.ref)
    if not reference:
        raise InputError(f"{arguments.ref}: the file is empty; expected one segment a line.")
    others = [*arguments.hyp, *[arguments.src] * bool(arguments.src)]
    texts = [read_segments(path) for path in others]
    wrong = [
        f"{path} has {len(text)}"
        for path, text in zip(others, texts, strict=True)
        if len(text) != len(reference)
    ]
    if wrong:
        raise InputError(
            f"{arguments.ref} has {len(reference)} lines, but {', '.join(wrong)}: line by line "
            "they must be the same segments."
        )
    return EvaluationSet(
        campaign="",
        pair=f"xx-{arguments.lang or UNDETERMINED}",
        reference_name=str(arguments.ref),
        gold_name="",
        systems=names,
        gold=[],
        source=texts[len(names)] if arguments.src else [],
        reference=reference,
        hypotheses=texts[: len(names)],
    )


def encoder_settings(arguments: argparse.Namespace) -> dict | None:
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


def _notices(arguments: argparse.Namespace, found: EvaluationSet) -> Iterator[str]:
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
    if len(found.systems) == 1:
        yield (
            f"one system only: difficulty is {found.systems[0]}'s own, so that what it translates "
            "badly counts as difficult. Add other systems' outputs for a better estimate."
        )
