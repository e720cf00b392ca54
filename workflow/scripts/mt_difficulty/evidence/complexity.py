"""Does readability of the source predict scores, and do scores normalised by it vary less? The
analysis of Babych, Elliott & Hartley 2004 (Tables 3 to 5). `level` says what the compared texts
are: campaigns of a language pair, or domains or documents of a set."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from ..data.evalset import EvaluationSet
from ..difficulty.readability import PARAMETERS, levels, membership, normalise
from ..statistics.pearson import Pearson
from ..storage import Content
from ..tables import TABLES
from ..weighting.base import WeightedMetric

POWERS = (1, 2)
GROUP = ["level", "group", "metric"]
# What `normalised_scores` adds to scores of texts.
NORMALISED = ["reference", "factor", *(f"normalised_{power}" for power in POWERS)]
HEADINGS = {
    "campaign": "Campaigns of a language pair",
    "domain": "Domains of a set",
    "document": "Documents of a set",
}
# Minimum number of texts for a conclusion from a correlation.
FEWEST = 5


def score_texts(
    name: str,
    evalset: EvaluationSet,
    readability: pd.DataFrame,
    plains: Mapping[str, WeightedMetric],
) -> pd.DataFrame:
    """Score every system of a set on every text, by metric.

    Parameters
    ----------
    name : str
        Name of the set.
    evalset : EvaluationSet
    readability : DataFrame
        Table of `readability.describe`.
    plains : mapping of str to WeightedMetric
        Unweighted metrics by name; one with system scores only has a row for the whole set alone.

    Returns
    -------
    DataFrame
        The columns of `normalised_scores.csv` up to `reason`.
    """
    tables = []
    for level, labels in levels(evalset).items():
        texts, members = membership(labels)
        for metric, plain in plains.items():
            if level == "campaign":
                members = np.ones((1, plain.statistics.shape[1]))
            elif plain.statistics.shape[1] != len(labels):
                continue
            sums = np.einsum("gl,slk->sgk", members, plain.statistics)
            sizes = np.broadcast_to(members.sum(axis=1), sums.shape[:-1])
            scores = plain.aggregate(sums, sizes).ravel()
            columns = {"score": scores, "quality": plain.sign * scores}
            index = pd.MultiIndex.from_product([evalset.systems, texts], names=["system", "name"])
            frame = pd.DataFrame(columns, index).reset_index()
            tables.append(frame.assign(level=level, metric=metric))
    table = pd.concat(tables).merge(readability, on=["level", "name"], how="left")
    is_campaign = table.level == "campaign"
    table["text"] = table.name.mask(is_campaign, name)
    table["group"] = np.where(is_campaign, evalset.pair, name)
    return table[TABLES["complexity/normalised_scores.csv"].names(without=NORMALISED)]


def text_types(scores: pd.DataFrame) -> pd.DataFrame:
    """Average score and quality of every text over systems, and add its readability; only for
    groups (GROUP) of at least two texts."""
    of_text = {column: (column, "first") for column in ("segments", *PARAMETERS, "reason")}
    texts = scores.groupby([*GROUP, "text"], sort=False)
    types = texts.agg(
        systems=("system", "size"),
        score=("score", "mean"),
        quality=("quality", "mean"),
        **of_text,
    ).reset_index()
    return types[types.groupby(GROUP).text.transform("size") > 1].reset_index(drop=True)


def correlate(types: pd.DataFrame) -> pd.DataFrame:
    """Compute Pearson's r between readability and mean quality over the texts of a group (Table 3),
    with two-sided p for r = 0. NaN with a reason for fewer than three texts, constant values, or a
    source whose readability is unknown."""
    from scipy.special import stdtr  # scipy.stats takes a second to import

    rows = []
    for group, texts in types.groupby(GROUP, sort=False):
        for parameter in PARAMETERS:
            x = texts[parameter]
            y = texts.quality
            n = len(texts)
            r = np.nan
            p = np.nan
            reason = ""
            if x.isna().any() or y.isna().any():
                reason = next(filter(None, texts.reason), "a score is missing")
            elif n < 3:
                reason = f"{n} texts; r needs three"
            elif x.nunique() == 1 or y.nunique() == 1:
                reason = "one side is constant"
            else:
                r = float(Pearson()(x, y))
                df = n - 2
                with np.errstate(divide="ignore"):
                    t = abs(r) * np.sqrt(np.divide(df, 1 - r**2))
                p = float(2 * stdtr(df, -t))
            rows.append([*group, parameter, n, r, p, reason])
    return pd.DataFrame(rows, columns=TABLES["complexity/correlations.csv"].names())


def reference_text(texts: pd.Series, wanted: str | None = None) -> str:
    """Choose the text to which scores are normalised: `wanted` if present, else the text of median
    ASW (the lower of two), as in the paper. `texts` is ASW (syllables per word) by text."""
    if wanted is not None and wanted in texts.index:
        return wanted
    known = texts.dropna()
    if known.empty:
        known = texts
    names = known.sort_values(kind="stable").index
    middle = (len(names) - 1) // 2
    return names[middle]


def normalised_scores(
    scores: pd.DataFrame, types: pd.DataFrame, references: Mapping[str, str]
) -> pd.DataFrame:
    """Normalise scores of systems with at least two texts by the readability of the texts.

    Parameters
    ----------
    scores : DataFrame
        Table of `score_texts`, of all sets.
    types : DataFrame
        Table of `text_types`.
    references : mapping of str to str
        Reference texts by group; others have that of `reference_text`.

    Returns
    -------
    DataFrame
        `normalised_scores.csv`. New columns: reference (text), factor (ASW / ASW of the reference,
        inverted where lower is better) and normalised_p, score × factor^p; NaN with a reason where
        ASW is not known, and for metrics with a negative score in the group.
    """
    columns = TABLES["complexity/normalised_scores.csv"].names()
    frames = [pd.DataFrame(columns=columns)]
    by_group = scores.groupby(GROUP)
    for group, texts in types.groupby(GROUP, sort=False):
        asw = texts.set_index("text").ASW
        frame = by_group.get_group(group)
        frame = frame[frame.groupby("system").text.transform("size") > 1]
        reference = reference_text(asw, references.get(str(group[1])))
        factor = frame.ASW / asw[reference]
        if (frame.quality != frame.score).any():
            factor = 1 / factor
        unknown = factor.isna() & (frame.reason == "")
        reason = frame.reason.mask(unknown, "the ASW of the reference text is not known")
        frame = frame.assign(reference=reference, factor=factor, reason=reason)
        for power in POWERS:
            frame[f"normalised_{power}"] = normalise(frame.score, factor, 1, power)
        if (frame.score < 0).any():
            frame[[f"normalised_{power}" for power in POWERS]] = np.nan
            frame["reason"] = "a negative score has no ratio"
        frames.append(frame)
    return pd.concat(frames[1:] or frames, ignore_index=True)


def spread(normalised: pd.DataFrame) -> pd.DataFrame:
    """Compare how much every system's raw and normalised scores vary over texts (Table 5;
    `spread.csv`). `raw` and `normalised` are sample standard deviations; `ratio` is raw /
    normalised; `relative_ratio` is the ratio of coefficients of variation, which a common factor
    does not change. A ratio is NaN where all normalised scores are equal."""
    tables = []
    systems = normalised.groupby([*GROUP, "system"], sort=False)
    raw = systems.score.std()
    raw_mean = systems.score.mean()
    for power in POWERS:
        column = systems[f"normalised_{power}"]
        # NaN for a system with a NaN among its texts.
        deviation = column.std().where(column.count() == systems.size())
        changing = deviation.where(deviation > 0)
        reason = systems.reason.max()  # "" comes before any reason
        columns = {
            "power": power,
            "texts": systems.size(),
            "reference": systems.reference.first(),
            "raw": raw,
            "normalised": deviation,
            "ratio": raw / changing,
            "relative_ratio": raw / raw_mean / (changing / column.mean()),
            "reason": reason.mask((reason == "") & (deviation == 0), "the scores are equal"),
        }
        tables.append(pd.DataFrame(columns).reset_index())
    order = [*GROUP, "system", "power"]
    return pd.concat(tables, ignore_index=True).sort_values(order, kind="stable", ignore_index=True)


def summarise(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> Content:
    """Make the variables of the template complexity.md.

    Parameters
    ----------
    types, correlations, spread : DataFrame
        Tables of `text_types`, `correlate` and `spread`.

    Returns
    -------
    dict
        For every level, counts and a table of groups and metrics.
    """
    levels: list[Content] = []
    for level, heading in HEADINGS.items():
        texts = types[types.level == level]
        content: Content = {"heading": heading}
        if len(texts):
            r = correlations[correlations.level == level]
            ratios = spread[spread.level == level]
            table = _table_of_groups(texts, r, ratios)
            content["powers"] = [_more_stable(ratios, power) for power in POWERS]
            content |= _describe_correlations(r)
            content["table"] = table.to_markdown(index=False, disable_numparse=True)
        levels.append(content)
    return {"levels": levels, "FEWEST": FEWEST}


def _table_of_groups(
    texts: pd.DataFrame, correlations: pd.DataFrame, ratios: pd.DataFrame
) -> pd.DataFrame:
    """Tabulate groups and metrics of a level: texts, r by readability parameter, and mean ratios of
    spread by power."""
    table = texts.groupby(GROUP, sort=False).size().rename("texts (n)").to_frame()
    wide = correlations.pivot(index=GROUP, columns="parameter", values="r")[[*PARAMETERS]]
    table = table.join(wide.map("{:.3f}".format, na_action="ignore").add_prefix("r "))
    systems = ratios.groupby(GROUP).system.nunique()
    table["systems"] = systems.reindex(table.index, fill_value=0)
    for power in POWERS:
        rows = ratios[ratios.power == power].set_index(GROUP)
        for column, name in (("ratio", "×"), ("relative_ratio", "relative")):
            positive = rows[column][rows[column] > 0].astype(float)
            # Geometric mean, so that factors of 2 and 1/2 cancel.
            logarithms = positive.map(np.log)
            mean = np.exp(logarithms.groupby(GROUP).mean())
            table[f"{name} p={power}"] = mean.map("{:.2f}".format)
    return table.astype(object).fillna("").reset_index().drop(columns="level")


def _more_stable(ratios: pd.DataFrame, power: int) -> list:
    """Return a power, how many systems' normalised scores vary less than raw ones, by ratio and by
    relative ratio, and the number of systems."""
    known = ratios[(ratios.power == power) & ratios.ratio.notna()]
    by_ratio = (known.ratio > 1).sum()
    by_relative_ratio = (known.relative_ratio > 1).sum()
    return [power, by_ratio, by_relative_ratio, len(known)]


def _describe_correlations(correlations: pd.DataFrame) -> Content:
    """Count the correlations of ASW, negative and significant ones, and those over few texts."""
    asw = correlations[(correlations.parameter == "ASW") & correlations.r.notna()]
    significant = asw[asw.p < 0.05].r
    low = asw.texts.min()
    high = asw.texts.max()
    if not len(asw):
        over = ""
    elif low == high:
        over = f" over {low} texts"
    else:
        over = f" over {low} to {high} texts"
    return {
        "pairs": len(asw),
        "over": over,
        "negative": (asw.r < 0).sum(),
        "few": (asw.texts < FEWEST).sum(),
        "significant_negative": (significant < 0).sum(),
        "significant_positive": (significant > 0).sum(),
    }
