"""Does readability of the source predict scores, and does normalising by it make them stable?

The analysis of Babych, Elliott & Hartley 2004 (Tables 3 to 5) on any texts: the sources of one
language pair's campaigns, or one set's domains or documents. `level` says which; a group is a pair
or a set, and its texts are compared with each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..difficulty.readability import PARAMETERS, levels, membership, normalise
from ..statistics.pearson import Pearson

if TYPE_CHECKING:
    from ..data.evalset import EvaluationSet
    from ..metrics.base import Metric

POWERS = (1, 2)
GROUP = ["level", "group", "metric"]


def group_scores(
    metric: type[Metric] | Metric, statistics: np.ndarray, members: np.ndarray
) -> np.ndarray:
    """Scores of every system on every group of segments.

    Parameters
    ----------
    metric : Metric or its class
    statistics : ndarray, (systems, segments, k)
    members : ndarray, (groups, segments)
        As `complexity.membership` gives them.

    Returns
    -------
    ndarray, (systems, groups)
    """
    sums = np.einsum("gl,slk->sgk", members, statistics)
    return metric.aggregate(sums, np.broadcast_to(members.sum(axis=1), sums.shape[:-1]))


def score_texts(
    name: str,
    evalset: EvaluationSet,
    readability: pd.DataFrame,
    metrics: dict[str, type[Metric]],
    statistics: dict[str, np.ndarray],
) -> pd.DataFrame:
    """Scores of one set's systems on its texts, beside the readability of these.

    Parameters
    ----------
    name : str
        The set's name.
    evalset : EvaluationSet
    readability : DataFrame
        As `complexity.describe` gives it.
    metrics : dict of str to Metric class
    statistics : dict of str to ndarray, (systems, segments, k)
        Without segments of their own (a single system score) a metric has the whole set only.

    Returns
    -------
    DataFrame
        level, group, text, metric, system, score, quality (the score, or its negative where lower
        is better), segments, ASL, ASW, FRE, FKGL, reason.
    """
    tables = []
    for level, labels in levels(evalset).items():
        texts, members = membership(labels)
        for metric, values in statistics.items():
            if level == "campaign":
                members = np.ones((1, values.shape[1]))
            elif values.shape[1] != len(labels):
                continue
            scores = group_scores(metrics[metric], values, members)
            sign = 1 if metrics[metric].higher_is_better else -1
            index = pd.MultiIndex.from_product([evalset.systems, texts], names=["system", "name"])
            frame = pd.DataFrame({"score": scores.ravel(), "quality": sign * scores.ravel()}, index)
            tables.append(frame.reset_index().assign(level=level, metric=metric))
    found = pd.concat(tables).merge(readability, on=["level", "name"], how="left")
    whole = found.level == "campaign"
    found["text"], found["group"] = (
        found.name.mask(whole, name),
        np.where(whole, evalset.pair, name),
    )
    columns = [*GROUP, "text", "system", "score", "quality", "segments", *PARAMETERS, "reason"]
    return found[columns]


def text_types(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean score and readability of every text, for groups of at least two texts.

    Returns
    -------
    DataFrame
        level, group, metric, text, systems, score and quality (means over the systems), segments,
        ASL, ASW, FRE, FKGL, reason.
    """
    how = {"systems": ("system", "size")}
    how |= {column: (column, "mean") for column in ("score", "quality")}
    how |= {column: (column, "first") for column in ("segments", *PARAMETERS, "reason")}
    found = scores.groupby([*GROUP, "text"], sort=False).agg(**how).reset_index()
    return found[found.groupby(GROUP).text.transform("size") > 1].reset_index(drop=True)


def correlate(types: pd.DataFrame) -> pd.DataFrame:
    """Pearson's r of readability and mean quality over the texts of a group (Table 3).

    Returns
    -------
    DataFrame
        level, group, metric, parameter, texts, r, p (two-sided, for r = 0), reason. NaN for fewer
        than three texts, a constant side, or a source whose readability is not known.
    """
    rows = []
    for group, texts in types.groupby(GROUP, sort=False):
        for parameter in PARAMETERS:
            x, y = texts[parameter], texts.quality
            r = p = np.nan
            reason = _undefined(x, y, texts.reason)
            if not reason:
                r = float(Pearson()(x, y))
                p = _p_value(r, len(x))
            rows.append([*group, parameter, len(texts), r, p, reason])
    return pd.DataFrame(rows, columns=[*GROUP, "parameter", "texts", "r", "p", "reason"])


def _p_value(r: float, n: int) -> float:
    """Two-sided p of Pearson's r of n pairs, by Student's t with n − 2 degrees of freedom."""
    from scipy.special import stdtr  # scipy.stats takes a second to import

    with np.errstate(divide="ignore"):
        return float(2 * stdtr(n - 2, -abs(r) * np.sqrt(np.divide(n - 2, 1 - r**2))))


def _undefined(x: pd.Series, y: pd.Series, reasons: pd.Series) -> str:
    if x.isna().any() or y.isna().any():
        return next((reason for reason in reasons if reason), "a score is missing")
    if len(x) < 3:
        return f"{len(x)} texts; r needs three"
    return "one side is constant" * bool(x.nunique() == 1 or y.nunique() == 1)


def reference_text(texts: pd.Series, wanted: str | None = None) -> str:
    """The text whose ASW others are normalised to: the wanted one if it is among them, or else, as
    in the paper, the one of medium ASW (the easier of two) of those whose ASW is known.

    Parameters
    ----------
    texts : Series
        ASW, by text.
    """
    if wanted is not None and wanted in texts.index:
        return wanted
    known = texts.dropna()
    ordered = (known if len(known) else texts).sort_values(kind="stable").index
    return ordered[(len(ordered) - 1) // 2]


def normalised_scores(
    scores: pd.DataFrame, types: pd.DataFrame, references: dict[str, str]
) -> pd.DataFrame:
    """Scores of the texts that can be compared, and what they are normalised to.

    Parameters
    ----------
    references : dict of str to str
        By group, the reference text; others have that of `reference_text`.

    Returns
    -------
    DataFrame
        The columns of `score_texts`, of systems with a score on at least two texts, and reference
        (text), factor (ASW / ASW of the reference, inverted where a lower score is better) and for
        every power p of POWERS the score × factor^p. NaN with a reason where ASW is not known, and
        for the metrics of a group with a negative score, which has no ratio.
    """
    frames, by_group = [], scores.groupby(GROUP)
    for group, texts in types.groupby(GROUP, sort=False):
        asw, own = texts.set_index("text").ASW, by_group.get_group(group)
        own = own[own.groupby("system").text.transform("size") > 1].copy()
        own["reference"] = reference_text(asw, references.get(str(group[1])))
        better = (own.quality == own.score).all()
        factor = own.ASW / asw[own.reference].to_numpy()
        own["factor"] = factor if better else 1 / factor
        negative = bool((own.score < 0).any())
        for power in POWERS:
            value = normalise(own.score, own.factor, 1, power)
            own[f"normalised_{power}"] = np.nan if negative else value
        unknown = own.factor.isna() & (own.reason == "")
        own["reason"] = own.reason.mask(unknown, "the ASW of the reference text is not known")
        if negative:
            own["reason"] = "a negative score has no ratio"
        frames.append(own)
    return pd.concat(frames, ignore_index=True) if frames else _empty(scores)


def _empty(scores: pd.DataFrame) -> pd.DataFrame:
    columns = [*scores.columns, "reference", "factor", *(f"normalised_{p}" for p in POWERS)]
    return pd.DataFrame(columns=columns)


def spread(normalised: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation of every system's raw and normalised scores over the texts (Table 5).

    Returns
    -------
    DataFrame
        level, group, metric, system, power, texts, reference, raw, normalised (sample standard
        deviations), ratio (raw / normalised, the paper's "improved ×": above 1, scores became more
        stable), relative_ratio (the same of standard deviation / mean: a factor below 1 shrinks any
        scores, which is no stability), reason. A ratio is NaN where normalised scores are equal.
    """
    tables = []
    by = normalised.groupby([*GROUP, "system"], sort=False)
    raw, raw_mean = by.score.std(), by.score.mean()
    for power in POWERS:
        column = by[f"normalised_{power}"]
        # With a NaN among its texts a system has none.
        whole = column.count() == by.size()
        deviation = column.std().where(whole)
        changing = deviation.where(deviation > 0)
        table = pd.DataFrame(
            {
                "power": power,
                "texts": by.size(),
                "reference": by.reference.first(),
                "raw": raw,
                "normalised": deviation,
                "ratio": raw / changing,
                "relative_ratio": raw / raw_mean / (changing / column.mean()),
                "reason": by.reason.max(),  # "" comes before any reason
            }
        )
        equal = (table.reason == "") & (deviation == 0)
        table["reason"] = table.reason.mask(equal, "the scores are equal")
        tables.append(table.reset_index())
    order = [*GROUP, "system", "power"]
    return pd.concat(tables, ignore_index=True).sort_values(order, kind="stable", ignore_index=True)
