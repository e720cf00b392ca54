"""How well BERTScore by each layer of an encoder agrees with human scores of segments."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..errors import InputError


def layer_table(
    evalset: EvaluationSet,
    folder: Path,
    *,
    segments: int,
    seed: int,
    device: str = "auto",
    progress: Callable = iter,
) -> pd.DataFrame:
    """Correlate BERTScore's F by every layer of an encoder with human scores of segments.

    Parameters
    ----------
    evalset : EvaluationSet
        A set other than those that are to be judged, with a reference and human scores of segments.
    folder : Path
        Folder with the encoder's files.
    segments : int
        How many segments with human scores are drawn.
    seed : int
        Seed of this draw.
    device : {"auto", "cpu", "cuda"}
    progress : callable
        Wraps the list of blocks of segments (tqdm).

    Returns
    -------
    DataFrame
        A row for each layer: `layer`, 0 is the embedding of the vocabulary; `pearson`, r over all
        hypotheses with a human score; `segments` and `hypotheses` of the sample;
        `baseline_precision`, `baseline_recall`, `baseline_f`, of the sample's references; `best`,
        whether r is the highest. This is the rule by which bert-score chose its layers.

    Raises
    ------
    InputError
        If the encoder cannot be loaded, or human scores are too few.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"  # which transformers reads when it is imported
    from ..embedding.layers import AllLayers, layer_scores

    evalset.require_reference()
    evalset.require_segment_gold()
    gold = np.array(evalset.segment_gold, dtype=float)
    rated = np.flatnonzero(np.isfinite(gold).any(axis=0))
    rng = np.random.default_rng(seed)
    sample = np.sort(rng.permutation(rated)[:segments])
    gold = gold[:, sample]
    is_rated = np.isfinite(gold)
    if is_rated.sum() < 3 or np.ptp(gold[is_rated]) == 0:
        raise InputError(
            f"{evalset.campaign}/{evalset.pair}: fewer than three human scores of segments, or all "
            "are equal. Name another set."
        )
    reference = [evalset.reference[i] for i in sample]
    hypotheses = [[system[i] for i in sample] for system in evalset.hypotheses]
    found = layer_scores(AllLayers(folder, device), reference, hypotheses, progress)
    r = [np.corrcoef(f[is_rated], gold[is_rated])[0, 1] for f in found.scores[..., 2]]
    if not np.isfinite(r).all():
        raise InputError(
            f"encoder {folder}: BERTScore is not finite, or the same for all hypotheses, by layer "
            f"{np.flatnonzero(~np.isfinite(r))[0]}. Check its weights."
        )
    table = pd.DataFrame({"layer": range(len(r)), "pearson": r})
    table["segments"] = len(sample)
    table["hypotheses"] = int(is_rated.sum())
    for column, name in enumerate(("precision", "recall", "f")):
        table[f"baseline_{name}"] = found.baselines[:, column]
    return table.assign(best=table.pearson == table.pearson.max())
