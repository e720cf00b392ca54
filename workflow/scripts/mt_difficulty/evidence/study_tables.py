"""Tables of a study as markdown and as LaTeX (booktabs)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from .contrasts import MEAN
from .counted import STANDARD
from .findings import answer, number, p_value, share
from .study import PRIMARY

if TYPE_CHECKING:
    import pandas as pd

NONE = "–"
LATEX = str.maketrans(
    {
        **{each: f"\\{each}" for each in "&%$#_{}"},
        "<": "$<$",
        ">": "$>$",
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
    """Head and rows of pooled contrasts of one statistic, from `synthesis.pool`, with
    `against_chance`."""
    named = [name for name in ("contrast", "tier", "phase") if name in pooled]
    head = [
        *named,
        *("on these sets", "adjusted p", "on new campaigns", "p", "adjusted p"),
        *("τ", "95 % prediction", "I²", "sets", "campaigns", "pairs", "without a value", "family"),
    ]
    rows = []
    for row in pooled.to_dict("records"):
        error = row["error"]
        counts = ("sets", "campaigns", "pairs", "sets_without")
        rows.append(
            [
                *(str(row[name]) for name in named),
                answer(row, "fixed_"),
                p_value(row["fixed_p_adjusted"]),
                answer(row),
                p_value(row["p"]),
                p_value(row["p_adjusted"]),
                number(np.sqrt(row["tau2"]), error).lstrip("+"),
                _span(row["prediction_low"], row["prediction_high"], error),
                f"{row['i2']:.0%}" if np.isfinite(row["i2"]) else NONE,
                *(str(int(row[name])) for name in counts),
                row["family"],
            ]
        )
    return head, rows


def questions_table(
    pooled: pd.DataFrame, contrasts: Mapping[str, Mapping[str, Any]]
) -> tuple[list[str], list[list[str]]]:
    """Head and rows of a study's questions and what each tier answers: on the sets at hand, and
    on new campaigns.

    Parameters
    ----------
    pooled : DataFrame
        From `synthesis.pool`, of one statistic and phase, with `against_chance`.
    contrasts : dict of str to dict
        The study's.
    """
    rows = []
    for name, each in contrasts.items():
        compared = f"{each['weighting']} against {each.get('against', STANDARD)}"
        answers = [
            [row["tier"], str(row["sets"]), answer(row, "fixed_"), answer(row)]
            for row in pooled[pooled["contrast"] == name].to_dict("records")
        ] or [[NONE] * 4]
        asked = [[compared, each.get("question", "")], *[["", ""]] * (len(answers) - 1)]
        rows += [[name, *a, *b] for a, b in zip(asked, answers, strict=True)]
    head = ["contrast", "compared", "question", "metrics", "sets"]
    return [*head, "on these sets", "on new campaigns"], rows


def power_rows(power: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Head and rows of how likely effects are found, from `study_power.power_table`."""
    head = ["contrast", "metrics", "sets", "common effect", "on these sets", "on new campaigns"]
    rows = [
        [
            *(row["contrast"], row["tier"], str(row["sets"]), f"{row['common_effect']:+g}"),
            *(share(row["fixed_power"]), share(row["power"])),
        ]
        for row in power.to_dict("records")
    ]
    return head, rows


def sets_table(
    effects: pd.DataFrame, contrasts: Sequence[str]
) -> tuple[list[str], list[list[str]]]:
    """Head and rows of the study's sets: systems, segments, the mean effect over the metrics of
    each tier with its standard error, and why the first contrast was not computed.

    Parameters
    ----------
    effects : DataFrame
        Of all metrics and of the means over tiers.
    contrasts : sequence of str
        Columns.
    """
    own = effects[effects["statistic"] == PRIMARY]
    valued = own[own["effect"].notna() & own["contrast"].isin(contrasts)]
    columns = list(dict.fromkeys(zip(valued["contrast"], valued["tier"], strict=True)))
    columns.sort(key=lambda column: list(contrasts).index(column[0]))
    head = [*SETS, "systems", "segments", *(f"{contrast}, {tier}" for contrast, tier in columns)]
    head.append(f"why {contrasts[0]} was not computed")
    rows = []
    for _, group in own.groupby("set", sort=False):
        first, means = group.iloc[0], group[group["metric"] == MEAN]
        cells = [
            _effect(means[(means["contrast"] == contrast) & (means["tier"] == tier)])
            for contrast, tier in columns
        ]
        sizes = [str(int(first[name])) for name in ("systems", "segments")]
        of_first = group[group["contrast"] == contrasts[0]]
        reason = "" if of_first["effect"].notna().any() else of_first["reason"].mode()[0]
        rows.append([*(str(first[name]) for name in SETS), *sizes, *cells, reason])
    return head, rows


def rankings_table(rankings: pd.DataFrame) -> tuple[list[str], list[list[str]]]:
    """Head and rows of human rankings on the hardest tenth of the segments, by difficulty.

    Parameters
    ----------
    rankings : DataFrame
        `difficulty_and_people.csv` of all sets.
    """
    rows = []
    for name, own in rankings.groupby("difficulty", sort=False):
        known = own[own["random_quantile"].notna()]
        if len(known):
            above = (known["random_quantile"] > 0.5).sum()
            means = (f"{known[column].mean():.3f}" for column in ("r", "random_mean"))
            rows.append([str(name), *means, f"{above} of {len(known)}"])
    head = [
        "difficulty",
        "mean r with the rest",
        "of random tenths",
        "sets above the median of these",
    ]
    return head, rows


def _effect(rows: pd.DataFrame) -> str:
    rows = rows[np.isfinite(rows["effect"]) & np.isfinite(rows["error"])]
    if rows.empty:
        return NONE
    row = rows.iloc[0]
    error = number(row["error"], row["error"]).lstrip("+")
    return f"{number(row['effect'], row['error'])} ± {error}"


def _span(low: float, high: float, error: float) -> str:
    if not np.isfinite([low, high]).all():
        return NONE
    return f"{number(low, error)} to {number(high, error)}"


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
