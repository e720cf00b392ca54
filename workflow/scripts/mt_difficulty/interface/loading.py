"""Evaluation sets as tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from .public import public


class LoadedSet(NamedTuple):
    """An evaluation set; rows of tables are segments, from 1, and columns systems, unless stated.

    Attributes
    ----------
    texts : DataFrame
        Columns source, reference, and document and domain where they are known.
    hypotheses : DataFrame
    human : Series
        Human score by system, higher is better, under the scores' name; empty where there is none.
    segment_human : DataFrame
        NaN where a hypothesis has no human score; empty where there are none. `attrs["name"]` is
        the scores' name.
    metrics : DataFrame
        Stored metric scores: rows are systems, columns metrics.
    segment_metrics : dict of str to DataFrame
        Stored segment scores by metric.
    language_pair : str
    notices : list of str
        What is left out, and why (systems, human scores of segments, metrics); doubts about texts
        and human scores.
    """

    texts: pd.DataFrame
    hypotheses: pd.DataFrame
    human: pd.Series
    segment_human: pd.DataFrame
    metrics: pd.DataFrame
    segment_metrics: dict[str, pd.DataFrame]
    language_pair: str
    notices: list[str]


@public
def load_set(
    campaign: str,
    pair: str,
    archive: str | Path,
    *,
    reference: str | None = None,
    gold: str | None = None,
) -> LoadedSet:
    """An evaluation set of the WMT archive.

    Parameters
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    archive : path
        A .tgz or an unpacked folder of the archive.
    reference, gold : str, optional
        Names of the reference and of the human scores; by default the archive's standard ones, or
        the only ones.

    Raises
    ------
    InputError
        There is no such set, or a file of it is damaged.
    """
    from ..data.campaign_files import check_pair, pairs_of
    from ..data.download import find_campaign
    from .archive_set import read_archive_set

    folder = find_campaign(Path(archive) / campaign)
    check_pair(campaign, pair, pairs_of(folder))
    return _loaded(*read_archive_set(folder, campaign, pair, reference, gold))


@public
def load_folder(
    folder: str | Path, language_pair: str, *, reference: str | None = None
) -> LoadedSet:
    """An evaluation set of a folder of one's own: source.txt, reference.txt, systems/<system>.txt,
    and, where they exist, gold.tsv, segment_gold.tsv, documents.txt and scores/<metric>.tsv.

    Raises
    ------
    InputError
        A file is missing or of another form.
    """
    from .archive_set import read_folder_set

    return _loaded(*read_folder_set(Path(folder), language_pair, reference))


def _loaded(
    found: Any,
    stored: dict[str, tuple[np.ndarray, np.ndarray]],
    absent: dict[str, str],
    segment_gold: str,
) -> LoadedSet:
    """An evaluation set as tables; `stored` are system and segment scores by metric, `absent` why
    others are left out, and `segment_gold` is the name of the human scores of segments."""
    from ..data.evalset import describe_left_out, doubts

    left_out = [(found.left_out, "systems"), (absent, "metrics")]
    if found.segment_gold_doubt and not found.segment_gold:
        left_out.append(({segment_gold: found.no_segment_gold}, "human scores"))
    notices = [f"{what} left out: {describe_left_out(own)}." for own, what in left_out if own]
    notices += [doubt for doubt in doubts(found) if doubt not in notices]
    columns = {"source": found.source, "reference": found.reference}
    columns |= {"document": found.documents} if found.documents else {}
    columns |= {"domain": found.domains} if found.domains else {}
    texts = pd.DataFrame(columns)
    texts.index = pd.RangeIndex(1, len(texts) + 1, name="segment")
    systems, segments = found.systems, len(texts)
    people = np.array(found.segment_gold, float) if found.segment_gold else np.empty((0, 0))
    segment_human = by_segment(people.T, systems) if people.size else pd.DataFrame()
    segment_human.attrs["name"] = segment_gold
    name = found.gold_name or None
    return LoadedSet(
        texts,
        by_segment(np.array(found.hypotheses, object).T, systems),
        pd.Series(found.gold, index=systems if found.gold else [], dtype=float, name=name),
        segment_human,
        pd.DataFrame({name: of_systems for name, (of_systems, _) in stored.items()}, index=systems),
        {
            name: by_segment(own.T, systems)
            for name, (_, own) in stored.items()
            if own.shape[1] == segments > 1
        },
        found.pair,
        notices,
    )


def by_segment(
    values: np.ndarray, systems: Sequence[str], index: pd.Index | None = None
) -> pd.DataFrame:
    if index is None:
        index = pd.RangeIndex(1, len(values) + 1, name="segment")
    return pd.DataFrame(values, index=index, columns=list(systems))
