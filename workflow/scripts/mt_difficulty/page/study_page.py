"""The page of a study: findings first, then figures, then tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..evidence.counted import STANDARD
from .report_tables import number

if TYPE_CHECKING:
    import pandas as pd

METHOD = (
    "Segments that have a human score of every system are scored (the segments that count "
    "elsewhere, where fewer than 50 have one; human scores are then fixed and soft pairwise "
    "accuracy is undefined). Human translations and the systems that the official toolkit lists "
    "as outliers take no part; the tables show what changes with the outliers.",
    "The error of an effect is the standard deviation over joint bootstrap resamples: the same "
    "segments are drawn for metric and human scores, and thresholds and easy weights are "
    "estimated again on every resample. Soft pairwise accuracy uses the normal approximation of "
    "its permutation tests.",
    "Over sets, effects are pooled by a random-effects model (τ² by Paule and Mandel), with "
    "intervals that are robust to clusters of campaigns and of language pairs. Equivalence is "
    "tested by two one-sided tests against the margin. p-values of primary contrasts have Holm's "
    "correction, those of the others that of the false discovery rate.",
    "Nulls: `permuted` gives the weights of segments to random segments, alike for all systems; "
    "`permuted_length` does so within tenths of the set by source length; `random_subset` scores "
    "a random subset of as many segments as are effective (Kish). Parameters by Eq. 9 and 11 "
    "depend on the mean difficulties alone and are the same after a permutation.",
)


def describe(
    study: Mapping[str, Any],
    findings: str,
    figures: Sequence[Mapping[str, str]],
    tables: Sequence[Mapping[str, Any]],
    registration: Mapping[str, Any],
    sets: int,
) -> dict[str, Any]:
    """What the template of a study's page reads.

    Parameters
    ----------
    study : dict
        The study's part of the config.
    findings : str
        Paragraphs.
    figures : sequence of dict
        `name`, `heading`, `caption`, `image` (a data URI) or `missing`, the reason.
    tables : sequence of dict
        `name`, `heading`, `caption`, `frame`.
    registration : dict
        `checksum` of the study, `earlier` ones.
    sets : int
    """
    return {
        "title": study["title"],
        "findings": findings.strip().split("\n\n"),
        "contrasts": [
            {"against": STANDARD, "primary": False, **each, "name": name}
            for name, each in study["contrasts"].items()
        ],
        "figures": figures,
        "tables": [{**each, "table": as_texts(each["frame"])} for each in tables],
        "registration": registration,
        "method": METHOD,
        "sets": sets,
        "weightings": [],
    }


def as_texts(frame: pd.DataFrame) -> dict[str, Any]:
    """A table as headings and texts; columns without a value are left out."""
    frame = frame.replace("", np.nan).dropna(axis="columns", how="all")
    columns = [
        {"heading": str(name).replace("_", " "), "text": frame[name].dtype.kind not in "iufb"}
        for name in frame.columns
    ]
    rows = [[_text(value) for value in row] for row in frame.itertuples(index=False)]
    return {"columns": columns, "rows": rows}


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if value is None:
        return number(np.nan)
    return str(int(value)) if float(value).is_integer() and abs(value) >= 1 else number(value)
