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
    """Score every system of a set on every text, by metric: the columns of `normalised_scores.csv`
    up to `reason`. `readability` is the table of `readability.describe`. A metric with system
    scores only has a row for the whole set alone."""
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
            index = pd.MultiIndex.from_product([evalset.systems, texts], names=["system", "name"])
            frame = pd.DataFrame({"score": scores, "quality": plain.sign * scores}, index)
            tables.append(frame.reset_index().assign(level=level, metric=metric))
    table = pd.concat(tables).merge(readability, on=["level", "name"], how="left")
    whole = table.level == "campaign"
    table["text"] = table.name.mask(whole, name)
    table["group"] = np.where(whole, evalset.pair, name)
    return table[TABLES["complexity/normalised_scores.csv"].names(without=NORMALISED)]


def text_types(scores: pd.DataFrame) -> pd.DataFrame:
    """Average score and quality of every text over systems, and add its readability; only for
    groups (GROUP) of at least two texts."""
    how = {"systems": ("system", "size")}
    how |= {column: (column, "mean") for column in ("score", "quality")}
    how |= {column: (column, "first") for column in ("segments", *PARAMETERS, "reason")}
    types = scores.groupby([*GROUP, "text"], sort=False).agg(**how).reset_index()
    return types[types.groupby(GROUP).text.transform("size") > 1].reset_index(drop=True)


def correlate(types: pd.DataFrame) -> pd.DataFrame:
    """Compute Pearson's r between readability and mean quality over the texts of a group (Table 3),
    with two-sided p for r = 0. NaN with a reason for fewer than three texts, constant values, or a
    source whose readability is unknown."""
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
    return pd.DataFrame(rows, columns=TABLES["complexity/correlations.csv"].names())


def reference_text(texts: pd.Series, wanted: str | None = None) -> str:
    """Choose the text to which scores are normalised: `wanted` if present, else the text of median
    ASW (the lower of two), as in the paper. `texts` is ASW (syllables per word) by text."""
    if wanted is not None and wanted in texts.index:
        return wanted
    known = texts.dropna()
    ordered = (known if len(known) else texts).sort_values(kind="stable").index
    return ordered[(len(ordered) - 1) // 2]


def normalised_scores(
    scores: pd.DataFrame, types: pd.DataFrame, references: Mapping[str, str]
) -> pd.DataFrame:
    """Normalise scores of systems with at least two texts. `references` has reference texts by
    group; others have that of `reference_text`. New columns: reference (text), factor (ASW / ASW of
    the reference, inverted where lower is better) and normalised_p, score × factor^p; NaN with a
    reason where ASW is not known, and for metrics with a negative score in the group."""
    columns = TABLES["complexity/normalised_scores.csv"].names()
    frames, by_group = [pd.DataFrame(columns=columns)], scores.groupby(GROUP)
    for group, texts in types.groupby(GROUP, sort=False):
        asw, of_group = texts.set_index("text").ASW, by_group.get_group(group)
        several = of_group.groupby("system").text.transform("size") > 1
        of_group, reference = of_group[several], reference_text(asw, references.get(str(group[1])))
        factor = of_group.ASW / asw[reference]
        if (of_group.quality != of_group.score).any():
            factor = 1 / factor
        unknown = factor.isna() & (of_group.reason == "")
        reason = of_group.reason.mask(unknown, "the ASW of the reference text is not known")
        of_group = of_group.assign(reference=reference, factor=factor, reason=reason)
        for power in POWERS:
            of_group[f"normalised_{power}"] = normalise(of_group.score, factor, 1, power)
        if (of_group.score < 0).any():
            of_group[[f"normalised_{power}" for power in POWERS]] = np.nan
            of_group["reason"] = "a negative score has no ratio"
        frames.append(of_group)
    return pd.concat(frames[1:] or frames, ignore_index=True)


def spread(normalised: pd.DataFrame) -> pd.DataFrame:
    """Compare how much every system's raw and normalised scores vary over texts (Table 5;
    `spread.csv`). `raw` and `normalised` are sample standard deviations; `ratio` is raw /
    normalised; `relative_ratio` is the ratio of coefficients of variation, which a common factor
    does not change. A ratio is NaN where all normalised scores are equal."""
    tables = []
    by = normalised.groupby([*GROUP, "system"], sort=False)
    raw, raw_mean = by.score.std(), by.score.mean()
    for power in POWERS:
        column = by[f"normalised_{power}"]
        # NaN for a system with a NaN among its texts.
        deviation = column.std().where(column.count() == by.size())
        changing = deviation.where(deviation > 0)
        reason = by.reason.max()  # "" comes before any reason
        columns = {
            **{"power": power, "texts": by.size(), "reference": by.reference.first()},
            **{"raw": raw, "normalised": deviation, "ratio": raw / changing},
            "relative_ratio": raw / raw_mean / (changing / column.mean()),
            "reason": reason.mask((reason == "") & (deviation == 0), "the scores are equal"),
        }
        tables.append(pd.DataFrame(columns).reset_index())
    order = [*GROUP, "system", "power"]
    return pd.concat(tables, ignore_index=True).sort_values(order, kind="stable", ignore_index=True)


def summarise(types: pd.DataFrame, correlations: pd.DataFrame, spread: pd.DataFrame) -> Content:
    """Make the variables of the template complexity.md from the tables of `text_types`, `correlate`
    and `spread`: for every level, counts and a table of groups and metrics."""
    levels: list[Content] = []
    for level, heading in HEADINGS.items():
        levels.append({"heading": heading})
        texts, r, ratios = (table[table.level == level] for table in (types, correlations, spread))
        if not len(texts):
            continue
        table = texts.groupby(GROUP, sort=False).size().rename("texts (n)").to_frame()
        wide = r.pivot(index=GROUP, columns="parameter", values="r")[[*PARAMETERS]]
        table = table.join(wide.map("{:.3f}".format, na_action="ignore").add_prefix("r "))
        systems = ratios.groupby(GROUP).system.nunique()
        table["systems"] = systems.reindex(table.index, fill_value=0)
        powers = []
        for power in POWERS:
            of_power = ratios[ratios.power == power]
            known = of_power[of_power.ratio.notna()]
            more_stable = [(known[name] > 1).sum() for name in ("ratio", "relative_ratio")]
            powers.append([power, *more_stable, len(known)])
            for column, name in (("ratio", "×"), ("relative_ratio", "relative")):
                # Geometric mean, so that factors of 2 and 1/2 cancel.
                positive = of_power[of_power[column] > 0].set_index(GROUP)[column].astype(float)
                mean = np.exp(positive.map(np.log).groupby(GROUP).mean())
                table[f"{name} p={power}"] = mean.map("{:.2f}".format)
        asw = r[(r.parameter == "ASW") & r.r.notna()]
        low, high, significant = asw.texts.min(), asw.texts.max(), asw[asw.p < 0.05].r
        over = f" over {low} texts" if low == high else f" over {low} to {high} texts"
        rows = table.astype(object).fillna("").reset_index().drop(columns="level")
        levels[-1] |= {
            **{"powers": powers, "pairs": len(asw), "over": over * bool(len(asw))},
            **{"negative": (asw.r < 0).sum(), "few": (asw.texts < FEWEST).sum()},
            "significant": [(significant < 0).sum(), (significant > 0).sum()],
            "table": rows.to_markdown(index=False, disable_numparse=True),
        }
    return {"levels": levels, "FEWEST": FEWEST}
