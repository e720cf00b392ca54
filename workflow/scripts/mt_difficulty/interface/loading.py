"""Evaluation sets of the archive and of folders, as tables."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from ..data import campaign_files, own_files
from ..data.campaign_files import check_pair, gold_names, pairs_of, reference_files
from ..data.download import find_campaign
from ..data.evalset import EvaluationSet, describe_left_out, doubts, read_evaluation_set
from ..errors import InputError, Missing
from ..metrics.stored import Stored
from ..run.sets import find_project
from .parameters import public
from .tables import by_segment


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
        There is no such set, or a file of it is damaged; the reference or the human scores are not
        named and there are several.
    """
    folder = find_campaign(Path(archive) / campaign)
    check_pair(campaign, pair, pairs_of(folder))
    listed = campaign_files.read_campaigns(find_project()[1].parent / campaign_files.FILE)
    known = {(entry.campaign, entry.pair): entry for entry in listed}.get((campaign, pair))

    def only(names: list[str], what: str) -> str:
        if len(names) == 1:
            return names[0]
        message = f"the archive has no {what} of this language pair."
        if names:
            message = f"choose one of the {what}; there are: {', '.join(names)}."
        raise InputError(f"{campaign}/{pair}: {message}")

    if reference is None:
        names = sorted(reference_files(folder, pair))
        reference = known.reference if known else only(names, "references")
    if gold is None:
        gold = known.gold if known else only(gold_names(folder, pair), "human scores")
    segment_gold = (gold, known.segment_gold) if known and gold == known.gold else None
    evalset = read_evaluation_set(
        folder, campaign, pair, reference, gold, segment_gold=segment_gold
    )
    place = folder / "metric-scores" / pair
    files = [*place.glob(f"*-{reference}.*.score"), *place.glob("*-src.*.score")]
    metrics = {file.name.rsplit(".", 2)[0].rsplit("-", 1)[0] for file in files}
    sources = dict.fromkeys(sorted(metrics), folder)
    return _loaded(evalset, sources, {}, evalset.segment_gold_name or evalset.gold_name)


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
    folder = Path(folder)
    evalset = own_files.read_own_files(folder, folder.name, language_pair, reference=reference)
    files = own_files.scores_files(folder)
    sources = {file.stem: file for file in files if file.suffix == ".tsv"}
    absent = {file.name: "not <metric>.tsv" for file in files if file.suffix != ".tsv"}
    return _loaded(evalset, sources, absent, own_files.SEGMENT_GOLD)


def _loaded(
    evalset: EvaluationSet, sources: dict[str, Path], absent: dict[str, str], segment_gold: str
) -> LoadedSet:
    """An evaluation set as tables; `sources` are places of metric scores by metric, `absent` why
    others are left out, and `segment_gold` is the name of the human scores of segments."""
    systems, lines = evalset.systems, len(evalset.source)
    metrics, segment_metrics, lacking = {}, {}, {}
    for name, source in sources.items():
        metric = Stored(evalset.pair, name=name)
        try:
            segments = metric.evaluate(evalset, source)[..., 0]
        except Missing as reason:
            lacking[name] = str(reason)
            continue
        of_systems = metric.system_scores
        metrics[name] = segments.mean(axis=1) if of_systems is None else of_systems
        if segments.shape[1] == lines > 1:
            segment_metrics[name] = by_segment(segments.T, systems)

    left_out = [(evalset.left_out, "systems"), (lacking | absent, "metrics")]
    if evalset.segment_gold_doubt and not evalset.segment_gold:
        left_out.append(({segment_gold: evalset.no_segment_gold}, "human scores"))
    notices = [f"{what} left out: {describe_left_out(names)}." for names, what in left_out if names]
    notices += [doubt for doubt in doubts(evalset) if doubt not in notices]

    columns = {"source": evalset.source, "reference": evalset.reference}
    columns |= {"document": evalset.documents} if evalset.documents else {}
    columns |= {"domain": evalset.domains} if evalset.domains else {}
    texts = pd.DataFrame(columns)
    texts.index = pd.RangeIndex(1, len(texts) + 1, name="segment")
    segment_human = pd.DataFrame()
    if evalset.segment_gold:
        segment_human = by_segment(np.array(evalset.segment_gold, float).T, systems)
    segment_human.attrs["name"] = segment_gold
    gold = evalset.gold
    return LoadedSet(
        texts,
        by_segment(np.array(evalset.hypotheses, object).T, systems),
        pd.Series(gold, index=systems if gold else [], dtype=float, name=evalset.gold_name or None),
        segment_human,
        pd.DataFrame(metrics, index=systems),
        segment_metrics,
        evalset.pair,
        notices,
    )
