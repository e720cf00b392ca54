"""The columns of every result table: what each holds, and whether it is a number or text.

Tables are read by these definitions (`storage.read_table`), and pages and docs/columns.md show
them. A column means the same in every table that has it.
"""

from __future__ import annotations

from dataclasses import dataclass

from .statistics import STATISTICS


@dataclass(frozen=True)
class Column:
    """A column of result tables.

    Attributes
    ----------
    meaning : str
        What it holds, with unit and range where they are not plain.
    is_number : bool
        Whether it holds numbers, an empty field being a missing one, or text.
    heading : str
        What pages call it, and then explain it; by default its name, without an explanation.
    """

    meaning: str
    is_number: bool = True
    heading: str = ""


def number(meaning: str, heading: str = "") -> Column:
    """Return a column of numbers."""
    return Column(meaning, True, heading)


def text(meaning: str, heading: str = "") -> Column:
    """Return a column of text."""
    return Column(meaning, False, heading)


# Columns of text.
TEXTS = {
    # What a row is about
    "set": text("evaluation set, campaign/pair"),
    "campaign": text("campaign, such as wmt23"),
    "pair": text("language pair, such as en-de"),
    "reference": text("name of the reference"),
    "gold": text("name of the human scores"),
    "domain": text("domain of the segments; empty for all"),
    "phase": text("development, confirmation, or both"),
    "system": text("MT system"),
    "other": text("the other system, metric or difficulty of a comparison"),
    "other_weighting": text("weighting of the other metric"),
    "metric": text("metric"),
    "weighting": text("weighting; standard is none"),
    "difficulty": text("difficulty estimator of the weighting; of a combined one both, with +"),
    "against": text("weighting that a contrast compares with"),
    "contrast": text("contrast of the study"),
    "tier": text("group of metrics"),
    "term": text("term of the model of pairs"),
    "kind": text("kind of check or of term"),
    "variant": text("variant of an ablation"),
    "estimator": text("item-response model or other estimator"),
    "information": text("what the difficulty is estimated from"),
    "segment": text("number of the segment, from 1"),
    "text": text("source text: campaign, domain or document"),
    "name": text("name of the text"),
    "level": text("system or segment; of texts what they are"),
    "grouping": text("grouping of segment scores: none, item or system"),
    "group_by": text("what the means are over"),
    "group": text("value of group_by"),
    "subset": text("systems: all, top, random, without outliers"),
    "statistic": text("statistic of agreement with human scores"),
    "parameter": text("parameter or property of a text"),
    "parameters": text("origin of the parameters: in force, equations, held out, optimum"),
    "null": text("the random difficulties that the draws use", "null"),
    # What is said of a row
    "signature": text("settings and versions of a score"),
    "reason": text("why numbers are missing"),
    "left_out": text("systems that the subset leaves out"),
    "tuned": text("parameters chosen with human scores of the same set", "tuned"),
    "uses_gold": text("whether the difficulty is estimated from human scores"),
    "family": text("of p: the method, and the tests that count", "correction"),
    "verdict": text("finding, by corrected p and interval"),
    "random_effects": text("random effects of the model"),
    # Papers
    "paper": text("paper"),
    "item": text("table or figure of the paper"),
    "row": text("row of the table"),
    "column": text("column of the table"),
    "claim": text("identifier of the claim"),
    "where": text("place of the claim in the paper"),
    "statement": text("what is claimed"),
    "origin": text("what our number is computed from: data, printed or given"),
    "status": text("verdict on the cell"),
    "evidence": text("what shows the reason"),
    "method": text("the paper's own method, beside its numbers"),
    "substitute": text("another encoder than the paper's"),
    "systems_note": text("another number of systems than the paper's"),
    "absolute": text("whether the paper prints the absolute value"),
}

# Columns of numbers, but for intervals and for p.
NUMBERS = {
    # Scores and correlations
    "score": number("score of the system, in the metric's own direction"),
    "quality": number("score; higher is better"),
    "value": number("value of the statistic; higher is better"),
    "standard": number("the correlation of the unweighted metric", "standard"),
    "plain": number("value of the unweighted metric"),
    "difference": number("this weighting less the standard one", "gain"),
    "gain": number("gain over the baseline"),
    "effect": number("value under the weighting less that of `against`"),
    "effect_with_outliers": number("effect with the systems that are left out as outliers"),
    "common_effect": number("effect whose power is computed"),
    "error": number("standard error"),
    "detectable": number(
        "|gain| that the permutation test finds with 80 % power at 5 %", "detectable"
    ),
    "wins": number("share of paired resamples that the first system wins"),
    "agrees": number("share of pairs that the weighted metric orders as people do"),
    "agrees_plain": number("share of pairs that the unweighted metric orders as people do"),
    "other_value": number("value of the other difficulty"),
    "epsilon": number("segment scores that differ by up to this tie (acc*eq)"),
    "rank": number("rank of the cluster of significance, or place; 1 is best"),
    "mean": number("mean over sets, or of draws"),
    "weighted_mean": number("mean over sets, of which years weigh equally"),
    "mean_rank": number("mean of the ranks of clusters"),
    "margin": number("largest effect that counts as none"),
    # Sizes
    "size": number("number of systems"),
    "draws": number("number of draws"),
    "draw": number("number of the draw"),
    "systems": number("number of systems"),
    "segments": number("number of segments"),
    "hypotheses": number("number of hypotheses"),
    "sentences": number("number of sentences"),
    "words": number("number of words"),
    "syllables": number("number of syllables"),
    "texts": number("number of texts"),
    "sets": number("number of sets"),
    "sets_without": number("number of sets without a value"),
    "campaigns": number("number of campaigns"),
    "pairs": number("number of language pairs, or of pairs of systems"),
    "tests": number("number of tests"),
    "digits": number("printed decimals"),
    "clusters": number("clusters of significance on the chosen segments"),
    "clusters_all": number("clusters of significance on all segments"),
    "effective_segments": number("effective number of segments (Kish), at least"),
    "effective_mean": number("Kish's number of segments, mean over systems", "effective segments"),
    "effective_min": number(
        "Kish's number of segments, of one system", "effective segments, least"
    ),
    # Weightings
    "h": number("threshold from which a hypothesis is difficult", "h"),
    "w": number("weight of the easy hypotheses", "w"),
    "quantile": number("share of the set's difficulties that are below h", "quantile"),
    "share": number("share of the segments that are chosen"),
    # Nulls
    "gain_over_plain_share": number(
        "share of draws that beat the unweighted metric", "beats unweighted"
    ),
    "null_mean": number(
        "mean of the draws; where nothing is random, the one value", "mean of null"
    ),
    "random_mean": number("mean of random subsets of as many segments", "mean of random"),
    "random_quantile": number("share of the random subsets below r", "above random"),
    "retuned_mean": number(
        "mean r of permuted difficulties, tuned in the same way", "mean of tuned random"
    ),
    "shuffled_quantile": number(
        "share of the draws of `shuffled` below the value", "above shuffled"
    ),
    "permuted_quantile": number(
        "share of the draws of `permuted` below the value", "above permuted"
    ),
    "retuned_quantile": number("share of the draws of `retuned` below the value", "above retuned"),
    "chance": number("mean value of random difficulties"),
    "chosen": number("number of segments that are chosen"),
    "hardest": number("r on the hardest tenth of the segments"),
    "r": number("Pearson's r"),
    "within_r": number("of difficulty and human score, centred by segment", "r within segments"),
    # Synthesis over sets
    "df": number("degrees of freedom"),
    "tau2": number("variance of true effects over sets (Paule & Mandel)"),
    "i2": number("share of the variance that is between sets"),
    "q": number("Cochran's Q"),
    "others": number("mean over the other sets"),
    "power": number("power; of texts the exponent"),
    "fixed_power": number("power for the mean over the sets at hand"),
    "fixed_effect": number("mean over the sets at hand"),
    "fixed_error": number("standard error of the mean over the sets at hand"),
    "gap": number("difference of two systems' human scores"),
    "estimate": number("estimate of the term"),
    # Item response
    "human_score": number("mean human score of the segment"),
    "item_difficulty": number("difficulty of the item"),
    "item_difficulty_error": number("standard error of item_difficulty"),
    "discrimination": number("discrimination of the item"),
    "discrimination_error": number("standard error of discrimination"),
    "noise": number("standard deviation of the residuals"),
    "estimated": number("difficulty by the best estimator"),
    "place": number("place of the segment by estimated difficulty"),
    "human_place": number("place of the segment by human score"),
    # Texts
    "ASL": number("words a sentence"),
    "ASW": number("syllables a word"),
    "FRE": number("Flesch Reading Ease"),
    "FKGL": number("Flesch-Kincaid Grade Level"),
    "factor": number("ASW over that of the reference text"),
    "normalised": number("spread of the normalised scores"),
    "normalised_1": number("score × factor"),
    "normalised_2": number("score × factor²"),
    "raw": number("spread of the raw scores"),
    "ratio": number("normalised / raw"),
    "relative_ratio": number("ratio of the spreads relative to their means"),
    # Papers
    "published": number("printed number"),
    "reproduced": number("our number"),
    "without_number": number("parts of a comparison without a number"),
}

# 95 % intervals: columns `…_low` and `…_high`, or `low` and `high` alone.
INTERVALS = {
    "": number("95 % interval"),
    "interval": number("", "95 % interval"),
    "segments": number("95 % interval if other segments had been drawn", "over segments"),
    "systems": number("95 % interval if other systems had been drawn", "over systems"),
    "both": number("95 % interval if other segments and systems had been drawn", "over both"),
    "joint": number("95 % interval over the same segments of metric and human scores", "joint"),
    "difference": number("95 % interval of the difference"),
    "difference_segments": number("95 % interval of the gain", "gain, over segments"),
    "difference_systems": number("95 % interval of the gain", "gain, over systems"),
    "difference_both": number("95 % interval of the gain", "gain, over both"),
    "difference_joint": number(
        "95 % interval of the gain, human scores resampled too", "gain, joint"
    ),
    "gain": number("95 % interval of the gain"),
    "fixed": number("95 % interval of the mean over the sets at hand"),
    "others": number("95 % interval of the mean over the other sets"),
    "prediction": number("95 % prediction interval for a new set"),
    "gap": number("limits of the fifth of the pairs"),
    "null": number("95 % interval of the draws", "95 % of null"),
    "random": number("95 % interval of random subsets of as many segments", "random subsets"),
    "retuned": number(
        "95 % range of r of permuted difficulties, tuned in the same way", "tuned random"
    ),
}

P_VALUES = {
    "p": number("p of the test"),
    "p_adjusted": number("p, adjusted over the family"),
    "fixed_p": number("p of the mean over the sets at hand"),
    "permutation_p": number(
        "PERM-BOTH: halves of the hypotheses change sides and are scored again; for weights in "
        "groups this is not the published test",
        "p, permutation",
    ),
    "permutation_p_holm": number("permutation_p, corrected by Holm's method over the table"),
    "contribution_p": number(
        "the published test: contributions of segments change sides; of metrics that are means",
        "p, contributions",
    ),
    "williams_p": number("Williams' test of two dependent correlations", "p, Williams"),
    "williams_p_holm": number("williams_p, corrected by Holm's method over the table"),
}

# Columns that pages add: changes of r (`page.finding`).
OF_PAGES = {
    "null_quantile": number("share of the draws that are below the value", "above null"),
    "change_effective": number(
        "Kish's number of segments, mean over systems", "effective segments"
    ),
    "change_standard": number("Pearson's r of the unweighted metric", "standard r"),
    "change_value": number("Pearson's r under the weighting", "r"),
    "change_difference": number("r under the weighting less that of the unweighted metric", "Δ"),
    "change_low": number("of Δ, over segments and systems where there is one", "95 % interval"),
    "change_p": number(
        "of Δ, by exchanging hypotheses (PERM-BOTH); by Williams' test without them", "p"
    ),
    "change_p_adjusted": number(
        "p, adjusted over the comparisons that `correction` names", "p, Holm"
    ),
    "change_verdict": text(
        "helps, harms: p, Holm is at most 0.05 and the 95 % interval excludes 0; no effect larger "
        "than 0.02: the interval lies within ±0.02; not tested: there is no p, and the interval "
        "does not lie within ±0.02; not judged: human scores of the set are in it",
        "verdict",
    ),
    "note": text(
        "what stands against a verdict though p is small, why there is no p, and whether random "
        "difficulty does as much as the change",
        "why",
    ),
    "change_random": number(
        "mean Δ where the difficulties are permuted over segments and the weights are kept "
        "(permuted, in controls.csv); where parameters were tuned (§), tuned in the same way "
        "(retuned)",
        "Δ of random difficulty",
    ),
    "change_random_low": number("95 % range of Δ of the draws", "95 % of random difficulty"),
}


def _of_intervals() -> dict[str, Column]:
    """Return the columns of both ends of INTERVALS, by name."""
    columns = {}
    for name, column in INTERVALS.items():
        for end in ("low", "high"):
            columns[f"{name}_{end}" if name else end] = column
    return columns


COLUMNS = {**TEXTS, **NUMBERS, **_of_intervals(), **P_VALUES, **OF_PAGES}


def column_of(name: str) -> Column:
    """Return the definition of a column, which may be named like a statistic; of a column that is
    in no table that this version writes, one of text."""
    if name in COLUMNS:
        return COLUMNS[name]
    if name in STATISTICS:
        return number(STATISTICS[name].description, STATISTICS[name].symbol)
    return text("")
