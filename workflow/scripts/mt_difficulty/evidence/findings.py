"""What a study and the bench of difficulty estimators found: sentences and tables composed from
their numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from tabulate import tabulate

from . import estimators
from .counted import STANDARD
from .selection import BETTER, WORSE
from .study import MEAN, PRIMARY
from .synthesis import ALPHA, EQUIVALENT, HARMS, HELPS, NOT_COMPUTED, UNKNOWN, told

if TYPE_CHECKING:
    import pandas as pd

Table = tuple[list[str], list[list[str]]]  # head and rows

# What a pooled effect is compared with, by null.
NULLS = {
    "permuted": "the same weights on random segments",
    "permuted_length": "the same weights on random segments of similar length",
    "random_subset": "the unweighted metric on random subsets of the same effective size",
}
DECIDED = {
    HELPS: "help",
    HARMS: "harm",
    EQUIVALENT: "have no effect larger than the margin",
    UNKNOWN: "are undecided",
    NOT_COMPUTED: "are not computed",
}
PLACES = 3  # decimals, at most
NONE = "–"
SETS = ["phase", "campaign", "pair", "gold"]
LATEX = str.maketrans(
    {
        **{"−": "$-$", "–": "--", "×": r"$\times$", "±": r"$\pm$"},
        **{"τ": r"$\tau$", "²": r"$^2$"},
    }
)
BUDGET = 0.25  # share of the segments whose choice findings of estimators tell
# Names of groups of estimators, by what they use.
GROUPS = {
    "nothing": "nothing",
    "source": "the source",
    "outputs": "system outputs without a reference",
    "reference": "the reference",
    "gold": "human scores (a ceiling)",
    "unstated": "inputs that their files do not state",
}


def number(value: float, error: float) -> str:
    """A number with a sign and as many decimals as its standard error has at two digits, at most
    PLACES; an en dash for NaN."""
    if not np.isfinite(value):
        return NONE
    places = PLACES
    if np.isfinite(error) and error > 0:
        places = int(np.clip(1 - np.floor(np.log10(error)), 0, PLACES))
    return f"{value:+.{places}f}".replace("-", "−")


def p_value(p: float, name: str = "") -> str:
    """p with three decimals, `< 0.001`, or an en dash for NaN; with a name, as `name = 0.012`."""
    text = NONE if not np.isfinite(p) else "< 0.001" if p < 0.001 else f"{p:.3f}"
    return f"{name} {'' if text.startswith('<') else '= '}{text}" if name else text


def count(number_of: int, noun: str) -> str:
    """A number of things, with a plural but for 1."""
    return f"{number_of} {noun}" + "s" * (number_of != 1)


def share(value: float) -> str:
    """A share in percent."""
    return f"{100 * value:.1f} %"


def study_findings(
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
    effects, tuned : DataFrame
        Of sets, as `study.EFFECTS` and `study.TUNED`, with `set`, `campaign` and `gold`.
    pooled : DataFrame
        From `synthesis.pool`, of the primary outcome and one phase, with `against_chance`.
    pairs, nulls, power : DataFrame
        From `pair_model.pair_model`, `synthesis.pool_nulls` and `synthesis.power_table`.
    contrasts : dict of str to dict
        The study's.
    """
    used = effects[np.isfinite(effects["effect"]) & (effects["metric"] != MEAN)]
    nouns = {"metric": "metric", "set": "evaluation set", "campaign": "campaign"}
    size = [count(used[name].nunique(), noun) for name, noun in nouns.items()]
    valued = used[used["statistic"] == PRIMARY]["set"].nunique()
    said = [
        f"The study compares {size[0]} on {size[1]} of {size[2]}; soft pairwise accuracy (SPA) has "
        f"a value on {valued} of them."
    ]
    golds = effects.loc[effects["gold"].str.contains("; segments: "), ["set", "gold"]]
    if len(golds):
        names = ", ".join(f"“{name}”" for name in dict.fromkeys(golds["gold"]))
        said.append(
            f"On {count(golds['set'].nunique(), 'evaluation set')} the archive has no human scores "
            f"of segments under the name of those of systems ({names}); where enough segments are "
            "rated, the means of their scores rank the systems."
        )
    for name in (name for name, each in contrasts.items() if each.get("primary")):
        of_contrast = effects[effects["contrast"] == name]
        if of_contrast["effect"].isna().all():
            reason = of_contrast["reason"].mode()[0]
            said.append(f"{name} was {NOT_COMPUTED} on any set: {reason}.")
            continue
        for row in pooled[pooled["contrast"] == name].to_dict("records"):
            where = f"{count(row['sets'], 'set')} of {count(row['campaigns'], 'campaign')}"
            said.append(
                f"{name} changes the SPA of {row['tier']} metrics ({where}; 95 % intervals): on "
                f"these sets {answer(row, 'fixed_')}; on new campaigns {answer(row)}."
                if np.isfinite(row["fixed_effect"])
                else f"{name} of {row['tier']} metrics: {NOT_COMPUTED}, because {row['reason']}."
            )
    if len(power):
        said.append(_power_sentence(power))
    of_outcome = nulls[nulls["statistic"] == PRIMARY]
    for key, rows in of_outcome.groupby("contrast", sort=False):
        said.append(_null_sentence(str(key), rows))
    for key, rows in tuned.groupby("contrast", sort=False):
        higher = [int((rows["value"] > rows[of]).sum()) for of in ("plain", "null_mean")]
        said.append(
            f"When tuned on each set's own human scores, {key} has a higher r than the unweighted "
            f"metric in {higher[0]} of {len(rows)} pairs of set and metric, a higher r than the "
            f"mean of random difficulties tuned in the same way in {higher[1]}, and a higher r "
            f"than 97.5 % of these in {int((rows['value'] > rows['null_high']).sum())}."
        )
    model = pairs[(pairs["kind"] == "model") & (pairs["term"] == "weighted × gap")]
    said += [_pair_sentence(row) for row in model.to_dict("records")]
    decided = []
    for start, where in (("fixed_", "on these sets"), ("", "on new campaigns")):
        verdicts = pooled[f"{start}verdict"]
        parts = [f"{verdicts.str.contains(word).sum()} {DECIDED[word]}" for word in DECIDED]
        decided.append(f"{where} {', '.join(parts)}")
    said.append(f"Of {count(len(pooled), 'pooled effect')} {'; '.join(decided)}.")
    return " ".join(said)


def answer(row: Mapping[Any, Any], start: str = "") -> str:
    """A pooled effect with its interval and verdict; `start` is that of its columns."""
    verdict = told(row[f"{start}verdict"], row["against_chance"])
    if not np.isfinite(row[f"{start}effect"]):
        return f"{verdict} ({row['reason']})"
    error = row[f"{start}error"]
    effect, low, high = (number(row[f"{start}{name}"], error) for name in ("effect", "low", "high"))
    verdict = verdict.replace("the margin", format(row["margin"], "g"))
    return f"{effect} ({low} to {high}): {verdict}"


def _power_sentence(power: pd.DataFrame) -> str:
    """Power of the first contrast's tier that most sets have."""
    of_first = power[power["contrast"] == power["contrast"].iloc[0]]
    first = of_first.loc[of_first["sets"].idxmax()]
    rows = of_first[of_first["tier"] == first["tier"]].to_dict("records")
    new = ", ".join(f"{row['common_effect']:+g} in {share(row['power'])}" for row in rows)
    here = ", ".join(share(row["fixed_power"]) for row in rows)
    return (
        f"Power ({first['contrast']}, {first['tier']} metrics, {count(int(first['sets']), 'set')}):"
        " an effect that all sets have in common would be found on new campaigns, if it were "
        f"{new} of such studies, and on these sets in {here}; the margin below which a change "
        f"counts as no effect is {first['margin']:g}."
    )


def _null_sentence(name: str, rows: pd.DataFrame) -> str:
    if not np.isfinite(rows["p"]).any():
        return f"{name} is not compared with chance: fewer than two sets have a value."
    tests = count(int(np.isfinite(rows["p"]).sum()), "comparison")
    parts = []
    for row in rows[rows["p_adjusted"] < ALPHA].to_dict("records"):
        side = "better" if row["effect"] > row["null_mean"] else "worse"
        parts.append(
            f"{side} than {NULLS[row['null']]} for {row['tier']} metrics (SPA "
            f"{number(row['effect'], np.nan)} against {number(row['null_mean'], np.nan)}, "
            f"{p_value(row['p_adjusted'], 'adjusted p')})"
        )
    if not parts:
        return (
            f"A difference between {name} and chance is not shown ({tests}, smallest "
            f"{p_value(rows['p_adjusted'].min(), 'adjusted p')})."
        )
    return f"Compared with chance, {name} is {'; '.join(parts)}; nothing else is shown ({tests})."


def _pair_sentence(row: Mapping[Any, Any]) -> str:
    if not np.isfinite(row["estimate"]):
        return f"Whether {row['contrast']} gains more among close systems: {row['reason']}."
    value, low, high = (number(row[name], row["error"]) for name in ("estimate", "low", "high"))
    verdict = UNKNOWN
    if row["p_adjusted"] <= ALPHA:
        sides = ("more", "less") if row["estimate"] < 0 else ("less", "more")
        verdict = f"{HELPS} {sides[0]}, or {HARMS} {sides[1]}, among systems of similar human score"
    return (
        f"Per standard deviation between two systems' human scores, {row['contrast']}'s gain in "
        f"pairs ordered as by human scores changes by {value} (95 % interval {low} to {high}): "
        f"{verdict}."
    )


def pooled_table(pooled: pd.DataFrame) -> Table:
    """Pooled contrasts of one statistic, from `synthesis.pool`, with `against_chance`."""
    named = [name for name in ("contrast", "tier", "phase") if name in pooled]
    head = [
        *named,
        *("on these sets", "adjusted p", "on new campaigns", "p", "adjusted p"),
        *("τ", "95 % prediction", "I²", "sets", "campaigns", "pairs", "without a value", "family"),
    ]
    rows = []
    for row in pooled.to_dict("records"):
        low, high = (number(row[f"prediction_{end}"], row["error"]) for end in ("low", "high"))
        counts = ("sets", "campaigns", "pairs", "sets_without")
        rows.append(
            [
                *(str(row[name]) for name in named),
                *(answer(row, "fixed_"), p_value(row["fixed_p_adjusted"]), answer(row)),
                *(p_value(row["p"]), p_value(row["p_adjusted"])),
                number(np.sqrt(row["tau2"]), row["error"]).lstrip("+"),
                NONE if NONE in (low, high) else f"{low} to {high}",
                f"{row['i2']:.0%}" if np.isfinite(row["i2"]) else NONE,
                *(str(int(row[name])) for name in counts),
                row["family"],
            ]
        )
    return head, rows


def questions_table(pooled: pd.DataFrame, contrasts: Mapping[str, Mapping[str, Any]]) -> Table:
    """A study's questions and what each tier answers, on the sets at hand and on new campaigns;
    `pooled` is from `synthesis.pool`, of one statistic and phase, with `against_chance`."""
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


def power_rows(power: pd.DataFrame) -> Table:
    """How likely effects are found, from `synthesis.power_table`."""
    head = ["contrast", "metrics", "sets", "common effect", "on these sets", "on new campaigns"]
    rows = [
        [
            *(row["contrast"], row["tier"], str(row["sets"]), f"{row['common_effect']:+g}"),
            *(share(row["fixed_power"]), share(row["power"])),
        ]
        for row in power.to_dict("records")
    ]
    return head, rows


def sets_table(effects: pd.DataFrame, contrasts: Sequence[str]) -> Table:
    """The study's sets: systems, segments, the mean effect over the metrics of each tier with
    its standard error for some contrasts, and why the first of these was not computed."""
    effects = effects[effects["statistic"] == PRIMARY]
    valued = effects[effects["effect"].notna() & effects["contrast"].isin(contrasts)]
    columns = list(dict.fromkeys(zip(valued["contrast"], valued["tier"], strict=True)))
    columns.sort(key=lambda column: list(contrasts).index(column[0]))
    head = [*SETS, "systems", "segments", *(f"{contrast}, {tier}" for contrast, tier in columns)]
    head.append(f"why {contrasts[0]} was not computed")
    rows = []
    for _, group in effects.groupby("set", sort=False):
        first, means = group.iloc[0], group[group["metric"] == MEAN]
        cells = dict.fromkeys(columns, NONE)
        for row in means.dropna(subset=["effect", "error"]).to_dict("records"):
            error = number(row["error"], row["error"]).lstrip("+")
            text = f"{number(row['effect'], row['error'])} ± {error}"
            cells[row["contrast"], row["tier"]] = text
        sizes = [str(int(first[name])) for name in ("systems", "segments")]
        of_first = group[group["contrast"] == contrasts[0]]
        reason = "" if of_first["effect"].notna().any() else of_first["reason"].mode()[0]
        shown = [cells[column] for column in columns]
        rows.append([*(str(first[name]) for name in SETS), *sizes, *shown, reason])
    return head, rows


def rankings_table(rankings: pd.DataFrame) -> Table:
    """Human rankings on the hardest tenth of the segments, by difficulty, from
    `difficulty_and_people.csv` of all sets."""
    head = ["difficulty", "mean r with the rest", "of random tenths"]
    rows = []
    for name, group in rankings[rankings["random_quantile"].notna()].groupby(
        "difficulty", sort=False
    ):
        means = (f"{group[column].mean():.3f}" for column in ("r", "random_mean"))
        above = (group["random_quantile"] > 0.5).sum()
        rows.append([str(name), *means, f"{above} of {len(group)}"])
    return [*head, "sets above the median of these"], rows


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in GitHub's markdown."""
    lines = [head, ["---"] * len(head), *rows]
    text = ["| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines]
    return "\n".join(text) + "\n"


def latex(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A LaTeX tabular with booktabs' rules; special characters are escaped."""
    text = tabulate(rows, head, tablefmt="latex_booktabs", disable_numparse=True)
    return text.translate(LATEX) + "\n"


def bench_findings(
    leaderboard: pd.DataFrame, comparisons: pd.DataFrame, selection: pd.DataFrame
) -> str:
    """One paragraph on difficulty estimators: the best of each information by gain over length,
    and how many differences are decided; from `estimators.leaderboard`, `estimators.compare` and
    `selection.summarise`."""
    known = leaderboard[np.isfinite(leaderboard["value"])]
    whole = known[known.statistic == estimators.DEC]
    if whole.empty:
        return "No difficulty has a DEC on any set."
    said = [
        f"{whole.difficulty.nunique()} difficulties, source length among them, on "
        f"{count(int(whole.sets.max()), 'evaluation set')} with human scores of segments, by DEC "
        "(Kendall's τ-b between difficulty and negated human score of a system's segments, mean "
        "over systems and sets; in brackets the 95 % interval for these sets) and by its gain over "
        "source length on the same sets."
    ]
    within = known[known.statistic == estimators.WITHIN].set_index("difficulty")
    for information, group in GROUPS.items():
        rows = whole[whole.information == information]
        compared = rows[rows["gain"].notna()]
        if len(compared):
            best = compared.loc[compared["gain"].idxmax()]
            said.append(_best(best, group, within, len(rows)))
        elif len(rows):
            said.append(f"For none of the {len(rows)} that use {group} is a gain known.")
    for statistic in (estimators.DEC, estimators.WITHIN):
        rows = comparisons[comparisons.statistic == statistic]
        verdicts = rows.verdict[np.isfinite(rows.difference)]
        if len(verdicts):
            differ = verdicts.isin([estimators.HIGHER, estimators.LOWER]).sum()
            where = "Within tenths of length" if statistic == estimators.WITHIN else "Of all"
            said.append(
                f"{where}, {differ} of {len(verdicts)} pairs differ (p ≤ 0.05, adjusted by Holm's "
                "method over these pairs, and the interval excludes 0), "
                f"{(verdicts == estimators.EQUIVALENT).sum()} have {estimators.EQUIVALENT}, and of "
                f"{(verdicts == UNKNOWN).sum()} we {UNKNOWN}."
            )
    rows = selection[(selection.share == BUDGET) & (selection.statistic == "soft_accuracy")]
    rows = rows[rows.p.notna() & (rows.information != "gold")]
    if len(rows):
        best = rows.sort_values("gain").iloc[-1]
        said.append(
            f"Selecting {BUDGET:.0%} of the segments for human evaluation: for "
            f"{(rows.verdict == BETTER).sum()} of {len(rows)} difficulties without human scores "
            "the hardest segments rank systems better than random segments, for "
            f"{(rows.verdict == WORSE).sum()} worse (soft pairwise accuracy with the ranking by "
            f"all segments, adjusted p ≤ 0.05); the largest gain is that of {best.difficulty}: "
            f"{_unsigned(best['value'])} against {_unsigned(best.random_mean)}."
        )
    return " ".join(said)


def _best(row: pd.Series, group: str, within: pd.DataFrame, number_of: int) -> str:
    """The difficulty of highest gain of those that use one information."""
    if row.difficulty == estimators.BASELINE:
        if number_of == 1:
            return f"Only source length uses {group}."
        return f"None of the {number_of - 1} others that use {group} gains over source length."
    start = f"Of {number_of} that use {group}, {row.difficulty} gains most"
    text = start if number_of > 1 else f"The one that uses {group}, {row.difficulty}, gains"
    text += f": {_span(row, 'gain', 'gain_')}, to {_span(row)}"
    if row.difficulty in within.index:
        text += f"; within tenths of source length it has {_span(within.loc[row.difficulty])}"
    return f"{text}."


def _span(row: pd.Series, value: str = "value", ends: str = "") -> str:
    low, high = _unsigned(row[f"{ends}low"]), _unsigned(row[f"{ends}high"])
    return f"{_unsigned(row[value])} ({low} to {high})"


def _unsigned(value: float) -> str:
    return f"{value:.3f}".replace("-", "−") if np.isfinite(value) else NONE
