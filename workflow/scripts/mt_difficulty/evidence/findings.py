"""The findings of a study, in sentences composed from its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from .contrasts import MEAN
from .study import PRIMARY
from .synthesis import ALPHA, EQUIVALENT, HARMS, HELPS, NOT_COMPUTED, UNKNOWN
from .synthesis_nulls import told

if TYPE_CHECKING:
    import pandas as pd

# What a pooled effect is compared with, by null.
NULLS = {
    "permuted": "the same weights on random segments",
    "permuted_length": "the same weights on random segments of similar length",
    "random_subset": "the unweighted metric on random subsets of the same effective size",
}
COUNTED = {"metric": "metric", "set": "evaluation set", "campaign": "campaign"}
PLACES = 3  # decimals, at most


def findings(
    effects: pd.DataFrame,
    pooled: pd.DataFrame,
    pairs: pd.DataFrame,
    tuned: pd.DataFrame,
    contrasts: Mapping[str, Mapping[str, Any]],
    nulls: pd.DataFrame,
    power: pd.DataFrame,
) -> str:
    """One paragraph: the study's size, every primary contrast by tier, which effects the study
    could have found, what nulls, tuning and pairs of systems say, and how many of all contrasts are
    decided.

    Parameters
    ----------
    effects : DataFrame
        Of sets, with `set`, `campaign`, `gold`, `metric`, `contrast`, `statistic`, `effect`,
        `reason`.
    pooled : DataFrame
        From `synthesis.pool`, of the primary outcome and one phase, with `against_chance`.
    pairs : DataFrame
        From `pair_model.pair_model`.
    tuned : DataFrame
        Of sets, as `contrasts.TUNED`.
    contrasts : dict of str to dict
        The study's.
    nulls : DataFrame
        From `synthesis_nulls.pool_nulls`.
    power : DataFrame
        From `study_power.power_table`.
    """
    said = [_size(effects), *_segment_golds(effects)]
    for name in (name for name, each in contrasts.items() if each.get("primary")):
        said += _primary(name, pooled[pooled["contrast"] == name], effects)
    said += _power(power)
    of_outcome = nulls[nulls["statistic"] == PRIMARY]
    said += [
        _null_sentence(str(key), rows) for key, rows in of_outcome.groupby("contrast", sort=False)
    ]
    said += [_tuned_sentence(str(key), rows) for key, rows in tuned.groupby("contrast", sort=False)]
    model = pairs[(pairs["kind"] == "model") & (pairs["term"] == "weighted × gap")]
    said += [_pair_sentence(row) for _, row in model.iterrows()]
    return " ".join([*said, _decided(pooled)])


def number(value: float, error: float) -> str:
    """A number with a sign and as many decimals as its standard error has at two digits, at most
    PLACES; an en dash for NaN."""
    if not np.isfinite(value):
        return "–"
    places = PLACES
    if np.isfinite(error) and error > 0:
        places = int(np.clip(1 - np.floor(np.log10(error)), 0, PLACES))
    return f"{value:+.{places}f}".replace("-", "−")


def p_value(p: float) -> str:
    """p with three decimals, `< 0.001`, or an en dash for NaN."""
    if not np.isfinite(p):
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def share(value: float) -> str:
    """A share in percent."""
    return f"{100 * value:.1f} %"


def _p(p: float) -> str:
    text = p_value(p)
    return f"p {text}" if text.startswith("<") else f"p = {text}"


def _count(count: int, noun: str) -> str:
    return f"{count} {noun}" + "s" * (count != 1)


def _size(effects: pd.DataFrame) -> str:
    used = effects[np.isfinite(effects["effect"]) & (effects["metric"] != MEAN)]
    counts = (_count(used[name].nunique(), noun) for name, noun in COUNTED.items())
    text = "The study compares {} on {} of {}".format(*counts)
    valued = used[used["statistic"] == PRIMARY]["set"].nunique()
    return f"{text}; soft pairwise accuracy (SPA) has a value on {valued} of them."


def _segment_golds(effects: pd.DataFrame) -> Iterator[str]:
    """Sets whose segments have human scores of another name than the systems."""
    sets = effects.loc[effects["gold"].str.contains("; segments: "), ["set", "gold"]]
    if len(sets):
        names = ", ".join(f"“{name}”" for name in dict.fromkeys(sets["gold"]))
        count = _count(sets["set"].nunique(), COUNTED["set"])
        yield (
            f"On {count} the archive has no human scores of segments under the name of those of "
            f"systems ({names}); where enough segments are rated, the means of their scores rank "
            "the systems."
        )


def _primary(name: str, rows: pd.DataFrame, effects: pd.DataFrame) -> Iterator[str]:
    own = effects[effects["contrast"] == name]
    if own["effect"].isna().all():
        yield f"{name} was {NOT_COMPUTED} on any set: {own['reason'].mode()[0]}."
        return
    for row in rows.to_dict("records"):
        yield f"{name} {_effect(row)}."


def _effect(row: Mapping[Any, Any]) -> str:
    if not np.isfinite(row["fixed_effect"]):
        return f"of {row['tier']} metrics: {NOT_COMPUTED}, because {row['reason']}"
    counts = f"{_count(row['sets'], 'set')} of {_count(row['campaigns'], 'campaign')}"
    return (
        f"changes the SPA of {row['tier']} metrics ({counts}; 95 % intervals): on these sets "
        f"{answer(row, 'fixed_')}; on new campaigns {answer(row)}"
    )


def answer(row: Mapping[Any, Any], start: str = "") -> str:
    """A pooled effect with its interval and verdict; `start` is that of its columns."""
    verdict = told(row[f"{start}verdict"], row["against_chance"])
    if not np.isfinite(row[f"{start}effect"]):
        return f"{verdict} ({row['reason']})"
    error = row[f"{start}error"]
    effect, low, high = (number(row[f"{start}{name}"], error) for name in ("effect", "low", "high"))
    verdict = verdict.replace("the margin", format(row["margin"], "g"))
    return f"{effect} ({low} to {high}): {verdict}"


def _power(power: pd.DataFrame) -> Iterator[str]:
    """Of the first contrast's tier that most sets have."""
    if power.empty:
        return
    of_first = power[power["contrast"] == power["contrast"].iloc[0]]
    first = of_first.loc[of_first["sets"].idxmax()]
    rows = of_first[of_first["tier"] == first["tier"]].to_dict("records")
    found = [f"{row['common_effect']:+g} in {share(row['power'])}" for row in rows]
    here = [share(row["fixed_power"]) for row in rows]
    sets = _count(int(first["sets"]), "set")
    yield (
        f"Power ({first['contrast']}, {first['tier']} metrics, {sets}): an effect that all sets "
        f"have in common would be found on new campaigns, if it were {', '.join(found)} of such "
        f"studies, and on these sets in {', '.join(here)}; the margin below which a change counts "
        f"as no effect is {first['margin']:g}."
    )


def _null_sentence(name: str, rows: pd.DataFrame) -> str:
    if not np.isfinite(rows["p"]).any():
        return f"{name} is not compared with chance: fewer than two sets have a value."
    told = rows[rows["p_adjusted"] < ALPHA]
    tests = _count(int(np.isfinite(rows["p"]).sum()), "comparison")
    if told.empty:
        return (
            f"A difference between {name} and chance is not shown ({tests}, smallest adjusted "
            f"{_p(rows['p_adjusted'].min())})."
        )
    parts = []
    for row in told.to_dict("records"):
        side = "better" if row["effect"] > row["null_mean"] else "worse"
        parts.append(
            f"{side} than {NULLS[row['null']]} for {row['tier']} metrics (SPA "
            f"{number(row['effect'], np.nan)} against {number(row['null_mean'], np.nan)}, adjusted "
            f"{_p(row['p_adjusted'])})"
        )
    return f"Compared with chance, {name} is {'; '.join(parts)}; nothing else is shown ({tests})."


def _tuned_sentence(name: str, rows: pd.DataFrame) -> str:
    above, total = int((rows["value"] > rows["null_mean"]).sum()), len(rows)
    higher = int((rows["value"] > rows["null_high"]).sum())
    return (
        f"When tuned on each set's own human scores, {name} has a higher r than the unweighted "
        f"metric in {int((rows['value'] > rows['plain']).sum())} of {total} pairs of set and "
        "metric, a higher r than the mean of random difficulties tuned in the same way in "
        f"{above}, and a higher r than 97.5 % of these in {higher}."
    )


def _pair_sentence(row: pd.Series) -> str:
    if not np.isfinite(row["estimate"]):
        return f"Whether {row['contrast']} gains more among close systems: {row['reason']}."
    values = [number(row[name], row["error"]) for name in ("estimate", "low", "high")]
    verdict = UNKNOWN
    if row["p_adjusted"] <= ALPHA:
        sides = ("more", "less") if row["estimate"] < 0 else ("less", "more")
        verdict = f"{HELPS} {sides[0]}, or {HARMS} {sides[1]}, among systems of similar human score"
    return (
        f"Per standard deviation between two systems' human scores, {row['contrast']}'s gain in "
        "pairs ordered as by human scores changes by {} (95 % interval {} to {}): {}.".format(
            *values, verdict
        )
    )


def _decided(pooled: pd.DataFrame) -> str:
    said = []
    for start, where in (("fixed_", "on these sets"), ("", "on new campaigns")):
        verdicts = pooled[f"{start}verdict"]
        counts = {word: verdicts.str.contains(word).sum() for word in _VERDICTS}
        parts = [f"{count} {_VERDICTS[word]}" for word, count in counts.items()]
        said.append(f"{where} {', '.join(parts)}")
    return f"Of {_count(len(pooled), 'pooled effect')} {'; '.join(said)}."


_VERDICTS = {
    HELPS: "help",
    HARMS: "harm",
    EQUIVALENT: "have no effect larger than the margin",
    UNKNOWN: "are undecided",
    NOT_COMPUTED: "are not computed",
}
