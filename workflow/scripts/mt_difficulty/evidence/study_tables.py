"""Tables of a study as markdown and as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from .findings import number

if TYPE_CHECKING:
    import pandas as pd

NONE = "–"
LATEX = str.maketrans(
    {
        **{each: f"\\{each}" for each in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "−": "$-$",
        "–": "--",
        "×": r"$\times$",
        "±": r"$\pm$",
        "τ": r"$\tau$",
        "²": r"$^2$",
    }
)
SETS = ["phase", "campaign", "pair", "gold"]


def pooled_table(pooled: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Head and rows of pooled contrasts, from `synthesis.pool`."""
    named = [name for name in ("contrast", "tier", "statistic", "phase") if name in pooled]
    head = [
        *named,
        *("effect", "95 % interval", "p", "adjusted p", "τ", "95 % prediction", "I²"),
        *("sets", "campaigns", "pairs", "without a value", "verdict"),
    ]
    rows = []
    for row in pooled.to_dict("records"):
        error = row["error"]
        counts = ("sets", "campaigns", "pairs", "sets_without")
        rows.append(
            [
                *(str(row[name]) for name in named),
                number(row["effect"], error),
                _span(row["low"], row["high"], error),
                _p(row["p"]),
                _p(row["p_adjusted"]),
                number(np.sqrt(row["tau2"]), error).lstrip("+"),
                _span(row["prediction_low"], row["prediction_high"], error),
                f"{row['i2']:.0%}" if np.isfinite(row["i2"]) else NONE,
                *(str(int(row[name])) for name in counts),
                f"{row['verdict']}" + f" ({row['reason']})" * bool(row["reason"]),
            ]
        )
    return head, rows


def sets_table(
    effects: pd.DataFrame, contrasts: Sequence[str], statistic: str = "soft_accuracy"
) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the study's sets: systems, segments, metrics, and the mean effect over the
    tier rows of each contrast with its standard error.

    Parameters
    ----------
    effects : DataFrame
        Of one row per set, contrast, metric (or tier) and statistic.
    contrasts : sequence of str
        Columns.
    statistic : str
    """
    own = effects[effects["statistic"] == statistic]
    tiers = list(dict.fromkeys(own["tier"]))
    columns = [(contrast, tier) for contrast in contrasts for tier in tiers]
    head = [*SETS, "systems", "segments", *(f"{contrast}, {tier}" for contrast, tier in columns)]
    rows = []
    for _, group in own.groupby("set", sort=False):
        first = group.iloc[0]
        cells = [
            _effect(group[(group["contrast"] == contrast) & (group["tier"] == tier)])
            for contrast, tier in columns
        ]
        sizes = [str(int(first[name])) for name in ("systems", "segments")]
        rows.append([*(str(first[name]) for name in SETS), *sizes, *cells])
    return head, rows


def _effect(rows: pd.DataFrame) -> str:
    rows = rows[np.isfinite(rows["effect"])]
    if rows.empty:
        return NONE
    row = rows.iloc[0]
    error = number(row["error"], row["error"]).lstrip("+")
    return f"{number(row['effect'], row['error'])} ± {error}"


def _span(low: float, high: float, error: float) -> str:
    if not np.isfinite([low, high]).all():
        return NONE
    return f"{number(low, error)} to {number(high, error)}"


def _p(p: float) -> str:
    if not np.isfinite(p):
        return NONE
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in GitHub's markdown."""
    lines = [head, ["---"] * len(head), *rows]
    text = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join(text) + "\n"


def latex(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A LaTeX tabular with booktabs' rules; special characters are escaped."""
    body = [" & ".join(cell.translate(LATEX) for cell in line) + r" \\" for line in (head, *rows)]
    return "\n".join(
        [
            rf"\begin{{tabular}}{{{'l' * len(head)}}}",
            r"\toprule",
            body[0],
            r"\midrule",
            *body[1:],
            r"\bottomrule",
            r"\end{tabular}",
            "",
        ]
    )
