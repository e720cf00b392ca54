"""The findings of a study in plain words, composed from its numbers."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .synthesis import ALPHA, HARMS, HELPS, UNKNOWN

if TYPE_CHECKING:
    import pandas as pd

OUTCOME = "soft_accuracy"
HYPOTHESIS = re.compile(r"\bH\d+\b")
PAIRS_HYPOTHESIS = "H3"  # read from the model of pairs
NULL_HYPOTHESES = ("H2", "H6")  # read from comparisons with nulls


def findings(
    effects: pd.DataFrame,
    pooled: pd.DataFrame,
    pairs: pd.DataFrame,
    contrasts: Mapping[str, Mapping[str, Any]],
    nulls: pd.DataFrame,
) -> str:
    """One paragraph: the study's size, every primary contrast by tier, and its hypotheses.

    Parameters
    ----------
    effects : DataFrame
        Of sets, with `set`, `campaign`, `metric`, `contrast`, `statistic`, `effect`.
    pooled : DataFrame
        From `synthesis.pool`, by contrast, tier and statistic, and phase where it has one.
    pairs : DataFrame
        From `pair_model.pair_model`; of no rows where it was not fitted.
    contrasts : dict of str to dict
        The study's: `primary`, true for primary ones, and `question`, whose hypotheses are named as
        `H1` and so on. H2 and H6 are read from `nulls`, H3 from `pairs`, others from `pooled`.
    nulls : DataFrame
        From `synthesis_nulls.pool_nulls`; of no rows where there are none.
    """
    outcome = pooled[pooled["statistic"] == OUTCOME]
    primary = [name for name, each in contrasts.items() if each.get("primary")]
    said = [_size(effects)]
    for name in primary:
        rows = outcome[outcome["contrast"] == name]
        said += [_pooled_sentence(row) for _, row in rows.iterrows()]
        if rows.empty:
            said.append(f"{name} was computed on no set.")
    said += _pair_sentences(pairs)
    return " ".join([*said, *_hypotheses(outcome, pairs, contrasts, nulls)])


def number(value: float, error: float) -> str:
    """A number with a sign and as many decimals as its standard error has at two digits, at most
    four; an en dash for NaN."""
    if not np.isfinite(value):
        return "–"
    places = 4
    if np.isfinite(error) and error > 0:
        places = int(np.clip(1 - np.floor(np.log10(error)), 0, 4))
    return f"{value:+.{places}f}".replace("-", "−")


def p_text(p: float) -> str:
    """`p = 0.034`, `p < 0.001`, or `no p`."""
    if not np.isfinite(p):
        return "no p"
    return "p < 0.001" if p < 0.001 else f"p = {p:.3f}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _size(effects: pd.DataFrame) -> str:
    used = effects[(effects["statistic"] == OUTCOME) & np.isfinite(effects["effect"])]
    counts = (_count(used[name].nunique(), noun) for name, noun in _COUNTED.items())
    return "The study compares {} on {} of {}.".format(*counts)


_COUNTED = {"metric": "metric", "set": "evaluation set", "campaign": "campaign"}


def _tier(row: pd.Series) -> str:
    phase = f" ({row['phase']} sets)" if "phase" in row.index else ""
    return f"{row['contrast']} of {row['tier']} metrics{phase}"


def _pooled_sentence(row: pd.Series) -> str:
    if not np.isfinite(row["effect"]):
        return f"{_tier(row)}: {UNKNOWN}, because {row['reason']}."
    effect, low, high = (number(row[name], row["error"]) for name in ("effect", "low", "high"))
    first, last = (number(row[f"prediction_{end}"], row["error"]) for end in ("low", "high"))
    text = (
        f"{_tier(row)}: SPA changes by {effect} (95 % interval {low} to {high}, "
        f"{_count(row['sets'], 'set')}, adjusted {p_text(row['p_adjusted'])}): {row['verdict']} "
        f"(margin {row['margin']:g})"
    )
    if np.isfinite(row["prediction_low"]):
        text += f"; a new set's true change is predicted between {first} and {last}"
    return text + "."


def _pair_sentences(pairs: pd.DataFrame) -> list[str]:
    said = []
    rows = pairs[(pairs["kind"] == "model") & (pairs["term"] == "weighted × gap")]
    for _, row in rows.iterrows():
        if not np.isfinite(row["estimate"]):
            said.append(f"{row['contrast']}: the model of pairs has no estimate: {row['reason']}.")
            continue
        values = [number(row[name], row["error"]) for name in ("estimate", "low", "high")]
        said.append(
            "{}: per standard deviation of the gap between human scores, the gain in pairs ordered "
            "as by people changes by {} (95 % interval {} to {}).".format(row["contrast"], *values)
        )
    return said


def _hypotheses(
    outcome: pd.DataFrame,
    pairs: pd.DataFrame,
    contrasts: Mapping[str, Mapping[str, Any]],
    nulls: pd.DataFrame,
) -> list[str]:
    """Which hypotheses the study can tell: for some tier (and phase) of a contrast that names it, a
    pooled interval leaves out 0 or equivalence is shown; of NULL_HYPOTHESES, p against a null is
    below 0.05 or above 0.95."""
    named: dict[str, list[str]] = {}
    for name, each in contrasts.items():
        for hypothesis in HYPOTHESIS.findall(each.get("question", "")):
            named.setdefault(hypothesis, []).append(name)
    if len(pairs):
        named[PAIRS_HYPOTHESIS] = list(pairs["contrast"].unique())
    told: list[str] = []
    untold: list[str] = []
    for hypothesis, names in sorted(named.items()):
        answers = []
        for name in names:
            if hypothesis == PAIRS_HYPOTHESIS:
                answer = _pair_answer(pairs, name)
            elif hypothesis in NULL_HYPOTHESES:
                answer = _null_answer(nulls, name)
            else:
                answer = _answer(outcome, name)
            answers.append(f"{name}: {answer}")
        unknown = all(answer.endswith(UNKNOWN) for answer in answers)
        (untold if unknown else told).append(f"{hypothesis} [{'; '.join(answers)}]")
    return [
        *([f"Questions that the data answer: {', '.join(told)}."] if told else []),
        *([f"Questions that they leave open: {', '.join(untold)}."] if untold else []),
    ]


def _answer(outcome: pd.DataFrame, contrast: str) -> str:
    rows = outcome[(outcome["contrast"] == contrast) & (outcome["verdict"] != UNKNOWN)]
    texts = [
        f"{row['verdict']} ({row['tier']}{', ' + row['phase'] if 'phase' in row.index else ''})"
        for _, row in rows.iterrows()
    ]
    return ", ".join(texts) or UNKNOWN


def _null_answer(nulls: pd.DataFrame, contrast: str) -> str:
    rows = nulls[(nulls["statistic"] == OUTCOME) & (nulls["contrast"] == contrast)]
    texts = []
    for _, row in rows.iterrows():
        null = f"({row['tier']}, null {row['null'].replace('_', ' ')})"
        if row["p"] < ALPHA:
            texts.append(f"better {null}, one-sided {p_text(row['p'])}")
        elif row["p"] > 1 - ALPHA:
            texts.append(f"worse {null}, one-sided p of a gain {row['p']:.3f}")
    return "; ".join(texts) or UNKNOWN


def _pair_answer(pairs: pd.DataFrame, contrast: str) -> str:
    rows = pairs[(pairs["contrast"] == contrast) & (pairs["term"] == "weighted × gap")]
    if (rows["high"] < 0).any():
        return f"{HELPS} more among systems of similar human score"
    if (rows["low"] > 0).any():
        return f"{HELPS} less, or {HARMS} more, among systems of similar human score"
    return UNKNOWN
