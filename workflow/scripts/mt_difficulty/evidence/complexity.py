"""Does readability of the source predict scores, and does normalising by it make them stable?

The analysis of Babych, Elliott & Hartley 2004 (Tables 3 to 5) on any texts: the sources of one
language pair's campaigns, or one set's domains or documents. `level` says which; a group is a pair
or a set, and its texts are compared with each other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ..difficulty.readability import PARAMETERS, levels, membership, normalise
from ..statistics.pearson import Pearson

if TYPE_CHECKING:
    from ..data.evalset import EvaluationSet
    from ..metrics.base import Metric

POWERS = (1, 2)
GROUP = ["level", "group", "metric"]
HEADINGS = {
    "campaign": "Campaigns of a language pair",
    "domain": "Domains of a set",
    "document": "Documents of a set",
}
NOTE = (
    "r: correlation of a readability parameter with the mean score over the texts of a group "
    "(higher is better: TER is negated). `× p`: factor by which the standard deviation of a "
    "system's scores decreases after normalisation, score × (ASW / ASW of the reference text)^p, "
    "as a geometric mean over the systems; below 1 it increases. `relative`: the same for the "
    "standard deviation divided by the mean, which does not depend on the scale. Different "
    "campaigns also have different systems, so a text's mean score does not depend on the text "
    "only. Syllables are estimated from hyphenation points. The csv files give the reason for "
    "each missing number."
)
# Texts below which a correlation gives no conclusion.
FEWEST = 5
ALONE = (
    "No group has two texts to compare. The results for a single text are in complexity.csv in its "
    "set's folder."
)


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
        As `readability.describe` gives it.
    metrics : dict of str to Metric class
    statistics : dict of str to ndarray, (systems, segments, k)
        Without segments of their own (a single system score) a metric has the whole set only.

    Returns
    -------
    DataFrame
        GROUP, text, system, score, quality (the score, or its negative where lower is better),
        segments, PARAMETERS, reason.
    """
    tables = []
    for level, labels in levels(evalset).items():
        texts, members = membership(labels)
        for metric, values in statistics.items():
            if level == "campaign":
                members = np.ones((1, values.shape[1]))
            elif values.shape[1] != len(labels):
                continue
            sums = np.einsum("gl,slk->sgk", members, values)
            sizes = np.broadcast_to(members.sum(axis=1), sums.shape[:-1])
            scores = metrics[metric].aggregate(sums, sizes)
            sign = 1 if metrics[metric].higher_is_better else -1
            index = pd.MultiIndex.from_product([evalset.systems, texts], names=["system", "name"])
            frame = pd.DataFrame({"score": scores.ravel(), "quality": sign * scores.ravel()}, index)
            tables.append(frame.reset_index().assign(level=level, metric=metric))
    found = pd.concat(tables).merge(readability, on=["level", "name"], how="left")
    whole = found.level == "campaign"
    found["text"] = found.name.mask(whole, name)
    found["group"] = np.where(whole, evalset.pair, name)
    columns = [*GROUP, "text", "system", "score", "quality", "segments", *PARAMETERS, "reason"]
    return found[columns]


def text_types(scores: pd.DataFrame) -> pd.DataFrame:
    """Mean score, quality (over the systems) and readability of every text, for groups of at
    least two texts."""
    how = {"systems": ("system", "size")}
    how |= {column: (column, "mean") for column in ("score", "quality")}
    how |= {column: (column, "first") for column in ("segments", *PARAMETERS, "reason")}
    found = scores.groupby([*GROUP, "text"], sort=False).agg(**how).reset_index()
    return found[found.groupby(GROUP).text.transform("size") > 1].reset_index(drop=True)


def correlate(types: pd.DataFrame) -> pd.DataFrame:
    """Pearson's r of readability and mean quality over the texts of a group (Table 3), with
    two-sided p for r = 0. NaN with a reason for fewer than three texts, a constant side, or a
    source whose readability is not known."""
    from scipy.special import stdtr  # scipy.stats takes a second to import

    rows = []
    for group, texts in types.groupby(GROUP, sort=False):
        for parameter in PARAMETERS:
            x, y, n = texts[parameter], texts.quality, len(texts)
            r, p, reason = np.nan, np.nan, ""
            if x.isna().any() or y.isna().any():
                reason = next(filter(None, texts.reason), "a score is missing")
            elif n < 3:
                reason = f"{n} texts; r needs three"
            elif x.nunique() == 1 or y.nunique() == 1:
                reason = "one side is constant"
            else:
                r = float(Pearson()(x, y))
                with np.errstate(divide="ignore"):
                    t = abs(r) * np.sqrt(np.divide(n - 2, 1 - r**2))
                p = float(2 * stdtr(n - 2, -t))
            rows.append([*group, parameter, n, r, p, reason])
    return pd.DataFrame(rows, columns=[*GROUP, "parameter", "texts", "r", "p", "reason"])


def reference_text(texts: pd.Series, wanted: str | None = None) -> str:
    """The text whose ASW (by text) others are normalised to: the wanted one if it is among them,
    or else, as in the paper, the one of medium ASW (the easier of two) of those whose ASW is
    known."""
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
    columns = [*scores.columns, "reference", "factor", *(f"normalised_{p}" for p in POWERS)]
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)


def spread(normalised: pd.DataFrame) -> pd.DataFrame:
    """Standard deviation of every system's raw and normalised scores over the texts (Table 5).

    Returns
    -------
    DataFrame
        GROUP, system, power, texts, reference, raw, normalised (sample standard deviations), ratio
        (raw / normalised, the paper's "improved ×": above 1, scores became more stable),
        relative_ratio (the same of standard deviation / mean: a factor below 1 shrinks any scores,
        which is no stability), reason. A ratio is NaN where normalised scores are equal.
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


def summarise(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> str:
    """The analysis as markdown: a sentence and a table for every level; from the frames of
    `text_types`, `correlate` and `spread`."""
    parts = ["# Translation complexity and scores", NOTE]
    for level, heading in HEADINGS.items():
        own = [frame[frame.level == level] for frame in (types, correlations, spread)]
        if not len(own[0]):
            parts += [f"## {heading}", ALONE]
            continue
        rows = table(*own).to_markdown(index=False, disable_numparse=True)
        parts += [f"## {heading}", sentences(*own[1:]), rows]
    return "\n\n".join(parts) + "\n"


def sentences(correlations: pd.DataFrame, spread: pd.DataFrame) -> str:
    """What normalising did, and how ASW and scores go together, in numbers."""
    found = []
    for power in POWERS:
        rows = spread[(spread.power == power) & spread.ratio.notna()]
        smaller, relative = (rows.ratio > 1).sum(), (rows.relative_ratio > 1).sum()
        found.append(
            f"With p = {power}, normalisation reduces the standard deviation for {smaller} of "
            f"{len(rows)} pairs of system and metric, and relative to the mean for {relative}."
        )
    asw = correlations[(correlations.parameter == "ASW") & correlations.r.notna()]
    low, high = asw.texts.min(), asw.texts.max()
    over = f" over {low} texts" if low == high else f" over {low} to {high} texts"
    found.append(
        f"ASW correlates negatively with the mean score, as in the paper, for "
        f"{(asw.r < 0).sum()} of {len(asw)} pairs of metric and group{over * bool(len(asw))}; with "
        f"p < 0.05 for {((asw.r < 0) & (asw.p < 0.05)).sum()} of them, and positively with "
        f"p < 0.05 for {((asw.r > 0) & (asw.p < 0.05)).sum()}."
    )
    if few := int((asw.texts < FEWEST).sum()):
        found.append(
            f"{few} of these {len(asw)} correlations are over fewer than {FEWEST} texts (n in the "
            "table): no conclusion follows from them."
        )
    return " ".join(found)


def table(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> pd.DataFrame:
    """A row per group and metric, numbers as text."""
    rows, spreads = [], dict(list(spread.groupby(GROUP)))
    known = correlations.set_index([*GROUP, "parameter"]).r.sort_index()
    group: Any  # level, group and metric
    for group, texts in types.groupby(GROUP, sort=False):
        of_group = spreads.get(group, spread[:0])
        numbers = [(known[group][parameter], 3) for parameter in PARAMETERS]
        for power in POWERS:
            for column in ("ratio", "relative_ratio"):
                ratios = of_group.loc[(of_group.power == power) & (of_group[column] > 0), column]
                # The geometric mean: twice and half as stable are as far from 1.
                mean = np.exp(np.log(ratios.astype(float)).mean()) if len(ratios) else np.nan
                numbers.append((mean, 2))
        shown = ["" if np.isnan(value) else f"{value:.{digits}f}" for value, digits in numbers]
        systems, of_r = of_group.system.nunique(), len(PARAMETERS)
        rows.append([*group[1:], len(texts), *shown[:of_r], systems, *shown[of_r:]])
    columns = ["group", "metric", "texts (n)", *(f"r {parameter}" for parameter in PARAMETERS)]
    columns += ["systems"]
    for power in POWERS:
        columns += [f"× p={power}", f"relative p={power}"]
    return pd.DataFrame(rows, columns=columns)
