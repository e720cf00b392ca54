"""How a weighting of tokens by their difficulty changes r, and what is left of the change without
difficulty, on the page of a paper that proposes it."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from ..data.evalset import SetFiles
from ..evidence.synthesis import ALPHA
from . import paragraph, signed, times
from .tables import Content, interval, number, p_value

# Nulls of `controls.csv`: all tokens equally difficult; difficulties permuted over tokens; and the
# real difficulties without a weight of its own for tokens that the reference lacks.
CONSTANT = "constant"
PERMUTED = "permuted"
REFERENCE = "real_unseen_reference"
SUBSETS = ("all", "top")


def of_set(files: SetFiles) -> list[Content]:
    """Tabulate how weightings of tokens change r on a set, with their nulls.

    Parameters
    ----------
    files : SetFiles
        Results of a set.

    Returns
    -------
    list of dict
        For each metric, weighting of tokens, and subset of systems (`subset`, `size`): `encoder`, r
        of the unweighted metric (`standard`) and of the weighting (`value`), the `difference` with
        its interval over segments and systems (`low`, `high`), `p` by permutation, and r under
        the nulls: `constant`, `permuted_low`, `permuted_high`, `quantile` (share of permuted
        difficulties with a lower r), `reference`. NaN where a number is not known. Empty without
        human scores.
    """
    significance = files.optional("significance.csv")
    controls = files.optional("controls.csv")
    if significance is None or controls is None:
        return []
    of_tokens = controls[controls.null == CONSTANT]
    keys = of_tokens[["metric", "weighting"]].drop_duplicates()
    scores = files.read("system_scores.csv")
    signatures = scores.groupby(["metric", "weighting"]).signature.first()
    rows = significance[significance.statistic == "pearson"].merge(keys)
    rows = rows[rows.subset.isin(SUBSETS) & rows.difference.notna()]
    of_r = controls[controls.statistic == "pearson"]
    nulls = of_r.set_index(["metric", "weighting", "subset", "size", "null"])
    described = []
    for row in rows.to_dict("records"):
        key = (row["metric"], row["weighting"], row["subset"], row["size"])
        described.append(
            {
                "metric": row["metric"],
                "weighting": row["weighting"],
                "subset": row["subset"],
                "size": row["size"],
                "encoder": _encoder(signatures[row["metric"], row["weighting"]]),
                "standard": row["value"] - row["difference"],
                "value": row["value"],
                "difference": row["difference"],
                "low": row["difference_both_low"],
                "high": row["difference_both_high"],
                "p": row["permutation_p"],
                "constant": _null(nulls, (*key, CONSTANT), "mean"),
                "permuted_low": _null(nulls, (*key, PERMUTED), "low"),
                "permuted_high": _null(nulls, (*key, PERMUTED), "high"),
                "quantile": _null(nulls, (*key, PERMUTED), "quantile"),
                "reference": _null(nulls, (*key, REFERENCE), "mean"),
            }
        )
    return described


def _encoder(signature: str) -> str:
    """Return the encoder and its layer from a signature, such as "multilingual-e5-small, layer 12";
    "" without one."""
    fields = dict(field.partition(":")[::2] for field in signature.split("|"))
    if "encoder" not in fields:
        return ""
    return f"{fields['encoder']}, layer {fields['layer']}"


def _null(nulls: pd.DataFrame, key: tuple, column: str) -> float:
    """Return a number of a null; NaN if the set does not have it."""
    return nulls[column].get(key, np.nan)


def of_paper(
    weighting: str,
    metrics: Collection[str],
    sizes: Mapping[str, Collection[int]],
    summaries: list[Content],
) -> list[Content]:
    """Return the rows of `of_set` that concern a paper's method.

    Parameters
    ----------
    weighting : str
        The paper's weighting of tokens.
    metrics : collection of str
        The paper's metrics.
    sizes : mapping of str to collection of int
        By set, of how many best systems the paper prints correlations.
    summaries : list of dict
        Summaries of the run's sets (`index.describe_set`).

    Returns
    -------
    list of dict
        With `set`.
    """
    rows = []
    for summary in summaries:
        name = summary["name"]
        for row in summary["token_weights"]:
            is_of_paper = row["weighting"] == weighting and row["metric"] in metrics
            is_printed = row["subset"] == "all" or row["size"] in sizes.get(name, ())
            if name in sizes and is_of_paper and is_printed:
                rows.append({"set": name, **row})
    return rows


def sentences(rows: list[Content]) -> str:
    """Say how a paper's weighting of tokens changes r, and what of it needs no difficulty.

    Parameters
    ----------
    rows : list of dict
        From `of_paper`.
    """
    return paragraph(" ".join(_of_row(row) for row in rows))


def _of_row(row: Content) -> str:
    """Say what a weighting does over some systems of a set."""
    systems = times(row["size"], "system")
    over = f"all {systems}" if row["subset"] == "all" else f"the best {systems}"
    encoder = f" ({row['encoder']})" if row["encoder"] else ""
    text = (
        f"Over {over} of {row['set']}{encoder}, {row['weighting']} changes r of {row['metric']} "
        f"from {number(row['standard'])} to {number(row['value'])}: {_verdict(row)} (difference "
        f"{signed(row['difference'])}, 95 % interval over segments and systems "
        f"{interval(row['low'], row['high'])}, p {p_value(row['p'])})."
    )
    if np.isfinite(row["constant"]):
        text += (
            f" Without difficulty, when all tokens of the reference are equally difficult and "
            f"tokens that it lacks keep the weight 1, r is {number(row['constant'])}"
        )
        if np.isfinite(row["permuted_low"]):
            permuted = interval(row["permuted_low"], row["permuted_high"])
            text += (
                f"; with permuted difficulties {permuted} (95 % of the draws, of which "
                f"{100 * row['quantile']:.0f} % are below {row['weighting']})"
            )
        text += "."
    if np.isfinite(row["reference"]):
        text += (
            " With difficulty, but tokens that the reference lacks weighted as the token that they "
            f"match best, it is {number(row['reference'])}."
        )
    return text


def _verdict(row: Content) -> str:
    """Return whether the change is one that the test and the interval tell from none."""
    if not np.isfinite([row["p"], row["low"], row["high"]]).all():
        return "not tested"
    if row["p"] > ALPHA or row["low"] <= 0 <= row["high"]:
        return "we cannot tell whether it helps or harms"
    return "it helps" if row["difference"] > 0 else "it harms"
