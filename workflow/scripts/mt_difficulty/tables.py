"""The result tables: what each holds, its columns in the order of the file, and what these mean.

Scripts write tables by these definitions (`storage.write_table`) and read them by the columns
(`storage.read_table`). Pages and the documentation show them. A column means the same in every
table that has it.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass

from .statistics import STATISTICS

HIGHER = "higher is better"
LOWER = "lower is better"
SHARE = "share, 0 to 1"
CORRELATION = "correlation, −1 to 1"


@dataclass(frozen=True)
class Column:
    """A column of result tables.

    Attributes
    ----------
    meaning : str
        What it holds.
    is_number : bool
        Whether it holds numbers, an empty field being a missing one, or text.
    heading : str
        What pages call it, and then explain it; by default its name, without an explanation.
    unit : str
        Unit, and range if there is one; empty if it has none or the unit of the row's statistic.
    direction : {"higher is better", "lower is better", ""}
        Which numbers are better; empty if none are, or if it depends on the row.
    """

    meaning: str
    is_number: bool = True
    heading: str = ""
    unit: str = ""
    direction: str = ""

    @property
    def explanation(self) -> str:
        """Meaning, unit in brackets, and direction, as pages and the documentation show them."""
        text = f"{self.meaning} ({self.unit})" if self.unit else self.meaning
        return f"{text}; {self.direction}" if self.direction else text


def number(meaning: str, heading: str = "", unit: str = "", direction: str = "") -> Column:
    """Return a column of numbers.

    Parameters
    ----------
    meaning, heading, unit, direction : str
        As of `Column`.

    Returns
    -------
    Column
    """
    return Column(meaning, heading=heading, unit=unit, direction=direction)


def text(meaning: str, heading: str = "") -> Column:
    """Return a column of text."""
    return Column(meaning, is_number=False, heading=heading)


# Columns of text.
TEXTS = {
    # What a row is about
    "set": text("evaluation set, campaign/pair"),
    "campaign": text("campaign, such as wmt23"),
    "pair": text("language pair, such as en-de"),
    "reference": text("name of the reference; in complexity/ the text that others are compared to"),
    "gold": text("name of the human scores"),
    "domain": text("domain of the segments; empty for all"),
    "phase": text("campaigns: development, confirmation, or all"),
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
    "kind": text("kind of check, of term or of score"),
    "score_name": text("difficulty with its sign turned, or metric"),
    "variant": text("variant of an ablation"),
    "estimator": text("difficulty estimator with the highest DEC that uses no human scores"),
    "information": text("what the difficulty is estimated from"),
    "same_for_systems": text(
        "whether the score is the same for all translations of a segment, but not for all "
        "segments: yes or no"
    ),
    "segment": text("number of the segment, from 1"),
    "text": text("source text: campaign, domain or document"),
    "name": text("name of the text"),
    "level": text("system or segment; of texts what they are"),
    "grouping": text("grouping of segment scores: none, item or system"),
    "group_by": text("what the means are over"),
    "group": text("value of group_by; of texts the language pair or the set"),
    "subset": text("systems: all, top, random, without outliers"),
    "statistic": text("statistic of agreement with human scores"),
    "parameter": text("parameter or property of a text"),
    "parameters": text(
        "origin of the parameters: in force (those of the run), equations, held out, optimum"
    ),
    "null": text("the random difficulties that the draws use", "null"),
    # What is said of a row
    "signature": text("settings and versions of a score"),
    "reason": text("why numbers are missing"),
    "reasons": text("why sets have no value, with the number of sets"),
    "left_out": text("systems that the subset leaves out"),
    "tuned": text("parameters chosen with human scores of the same set", "tuned"),
    "uses_gold": text("whether the difficulty is estimated from human scores"),
    "family": text("of p: the method, and the tests that count", "correction"),
    "verdict": text("finding, by corrected p and interval"),
    "fixed_verdict": text("finding on the sets at hand, by corrected p and interval"),
    "against_chance": text("whether the effect differs from that of the nulls"),
    "random_effects": text("random effects of the model"),
    # Papers
    "paper": text("paper"),
    "item": text("table or figure of the paper"),
    "row": text("row of the table"),
    "column": text("column of the table"),
    "claim": text("identifier of the claim"),
    "where": text("place of the claim in the paper"),
    "statement": text("what is claimed"),
    "origin": text(
        "what our number is computed from: data, printed (other numbers that the paper prints) or "
        "given (taken over from the paper)"
    ),
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
    "score": number("score of the system, in the metric's own direction", unit="score"),
    "quality": number(
        "score, of metrics like TER with its sign turned", unit="score", direction=HIGHER
    ),
    "value": number("value of the statistic, or of an estimator's parameter"),
    "standard": number("the correlation of the unweighted metric", "standard", direction=HIGHER),
    "plain": number("value of the unweighted metric", direction=HIGHER),
    "difference": number("this weighting less the standard one", "gain"),
    "gain": number("gain over the baseline", direction=HIGHER),
    "effect": number("value under the weighting less that of `against`", direction=HIGHER),
    "effect_with_outliers": number(
        "effect with the systems that are left out as outliers", direction=HIGHER
    ),
    "common_effect": number("effect whose power is computed"),
    "error": number("standard error"),
    "detectable": number(
        "|gain| that the permutation test finds with 80 % power at 5 %", "detectable"
    ),
    "wins": number("paired resamples that the first system wins", unit=SHARE),
    "agrees": number(
        "whether the weighted metric orders the pair as people do: 1, 0, or 0.5 for ties",
        direction=HIGHER,
    ),
    "agrees_plain": number(
        "whether the unweighted metric orders the pair as people do: 1, 0, or 0.5 for ties",
        direction=HIGHER,
    ),
    "other_value": number("value of the other difficulty", direction=HIGHER),
    "epsilon": number("segment scores that differ by up to this tie (acc*eq)", unit="score"),
    "metric_rank": number("1 + the number of the set's other metrics with a higher value"),
    "metrics": number("the set's other metrics that have a value"),
    "rank": number("rank of the cluster of significance, from 1", direction=LOWER),
    "mean": number("mean over sets, or of the draws of a null"),
    "weighted_mean": number("mean over sets, of which years weigh equally", direction=HIGHER),
    "mean_rank": number("mean of the ranks of clusters", direction=LOWER),
    "margin": number("largest effect that counts as none"),
    # Sizes
    "size": number("systems of the subset", unit="systems"),
    "draws": number("draws of the mean", unit="draws"),
    "draw": number("number of the draw, from 0"),
    "systems": number("systems that count", unit="systems"),
    "segments": number("segments that count", unit="segments"),
    "hypotheses": number("hypotheses that count", unit="hypotheses"),
    "sentences": number("length of the text", unit="sentences"),
    "words": number("length of the text", unit="words"),
    "syllables": number("length of the text", unit="syllables"),
    "texts": number("texts that are compared", unit="texts"),
    "sets": number("sets with a value", unit="sets"),
    "sets_without": number("sets without a value", unit="sets"),
    "campaigns": number("campaigns of the sets", unit="campaigns"),
    "pairs": number("language pairs of the sets, or pairs of systems", unit="pairs"),
    "tests": number("tests of the family", unit="tests"),
    "digits": number("printed decimals", unit="digits"),
    "clusters": number("clusters of significance on the chosen segments", unit="clusters"),
    "clusters_all": number("clusters of significance on all segments", unit="clusters"),
    "chosen": number("segments that are chosen", unit="segments"),
    "hardest": number("the hardest tenth of the segments with human scores", unit="segments"),
    "effective_segments": number("Kish's effective number of segments", unit="segments"),
    "effective_documents": number("Kish's effective number of documents", unit="documents"),
    "effective_units": number(
        "Kish's effective number of documents or segments (unit), mean over systems",
        "effective units",
    ),
    "unit": text("what is resampled, swapped and permuted: documents, or segments as independent"),
    "units": number("how many documents or segments (unit) are resampled"),
    "effective_mean": number(
        "Kish's effective number, mean over systems", "effective segments", unit="segments"
    ),
    "effective_min": number(
        "Kish's effective number, of the system with the least",
        "effective segments, least",
        unit="segments",
    ),
    # Weightings
    "h": number("threshold from which a hypothesis is difficult", "h", unit="difficulty"),
    "w": number("weight of the easy hypotheses", "w", unit="0 to 1"),
    "quantile": number(
        "difficulties of the set below h; of a null, its draws below the value",
        "quantile",
        unit=SHARE,
    ),
    "share": number("segments of the set that are chosen", unit=SHARE),
    # Nulls
    "gain_over_plain_share": number(
        "draws that beat the unweighted metric", "beats unweighted", unit=SHARE
    ),
    "null_mean": number(
        "mean of the draws; where nothing is random, the one value", "mean of null"
    ),
    "random_mean": number("mean of random subsets of as many segments", "mean of random"),
    "random_quantile": number("random subsets below the value", "above random", unit=SHARE),
    "retuned_mean": number(
        "mean r of permuted difficulties, tuned in the same way", "mean of tuned random"
    ),
    "shuffled_quantile": number(
        "draws of `shuffled` below the value", "above shuffled", unit=SHARE
    ),
    "permuted_quantile": number(
        "draws of `permuted` below the value", "above permuted", unit=SHARE
    ),
    "retuned_quantile": number(
        "draws of `retuned` below the value", "above tuned random", unit=SHARE
    ),
    "chance": number("mean value of random difficulties"),
    "r": number("Pearson's r", unit=CORRELATION),
    "within_r": number(
        "Pearson's r of difficulty and human score, centred by segment",
        "r within segments",
        unit=CORRELATION,
    ),
    # Synthesis over sets
    "df": number("degrees of freedom"),
    "tau2": number("variance of true effects over sets (Paule & Mandel)"),
    "i2": number("variance that is between sets", unit=SHARE),
    "q": number("Cochran's Q"),
    "others": number("mean over the other sets", direction=HIGHER),
    "power": number("power on new campaigns; of texts the exponent"),
    "fixed_power": number("power for the mean over the sets at hand", unit=SHARE),
    "fixed_effect": number("mean over the sets at hand", direction=HIGHER),
    "fixed_error": number("standard error of the mean over the sets at hand"),
    "gap": number("difference of two systems' human scores", unit="standard deviations"),
    "estimate": number("estimate of the term"),
    # Item response
    "human_score": number("mean human score of the segment", unit="human score", direction=HIGHER),
    "item_difficulty": number("difficulty of the item", unit="human score"),
    "item_difficulty_error": number("standard error of item_difficulty", unit="human score"),
    "discrimination": number("discrimination of the item"),
    "discrimination_error": number("standard error of discrimination"),
    "noise": number("standard deviation of the residuals", unit="human score"),
    "estimated": number("difficulty by the estimator", unit="difficulty"),
    "place": number("segments that are easier by the estimator", unit=SHARE),
    "human_place": number("segments that are easier by human scores", unit=SHARE),
    # Texts
    "ASL": number("length of sentences", unit="words a sentence"),
    "ASW": number("length of words", unit="syllables a word"),
    "FRE": number("Flesch Reading Ease; higher is easier"),
    "FKGL": number("Flesch-Kincaid Grade Level", unit="school years"),
    "factor": number("ASW over that of the reference text; of metrics like TER the inverse"),
    "normalised": number("standard deviation of the normalised scores over texts", unit="score"),
    "normalised_1": number("score × factor", unit="score"),
    "normalised_2": number("score × factor²", unit="score"),
    "raw": number("standard deviation of the raw scores over texts", unit="score"),
    "ratio": number("raw / normalised; above 1, normalised scores vary less"),
    "relative_ratio": number("ratio of the spreads relative to their means"),
    # Papers
    "published": number("printed number; of a comparison, its parts with a number"),
    "reproduced": number("our number; of a comparison, its parts that are true"),
    "without_number": number("parts of a comparison without a number"),
}

# 95 % intervals: columns `…_low` and `…_high`, or `low` and `high` alone.
INTERVALS = {
    "": number("95 % interval"),
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
    "metric_rank": number("95 % interval of the rank among metrics"),
    "fixed": number("95 % interval of the mean over the sets at hand"),
    "others": number("95 % interval of the mean over the other sets"),
    "prediction": number("95 % prediction interval for a new set"),
    "gap": number("limits of the fifth of the pairs", unit="standard deviations"),
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
    "fixed_p_adjusted": number("p of the mean over the sets at hand, adjusted over the family"),
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

# Columns that pages add: intervals of unnamed columns, and changes of r (`page.finding`).
OF_PAGES = {
    "interval_low": number("", "95 % interval"),
    "null_quantile": number("draws that are below the value", "above null", unit=SHARE),
    "change_effective": number(
        "Kish's effective number, mean over systems", "effective segments", unit="segments"
    ),
    "change_standard": number(
        "Pearson's r of the unweighted metric", "standard r", direction=HIGHER
    ),
    "change_value": number("Pearson's r under the weighting", "r", direction=HIGHER),
    "change_difference": number(
        "r under the weighting less that of the unweighted metric", "Δ", direction=HIGHER
    ),
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


COLUMNS = {**TEXTS, **NUMBERS, **_of_intervals(), **P_VALUES}


def column_of(name: str) -> Column:
    """Return the definition of a column, which may be named like a statistic; of a column that is
    in no table that this version writes, one of text."""
    if name in COLUMNS:
        return COLUMNS[name]
    if name in OF_PAGES:
        return OF_PAGES[name]
    if name in STATISTICS:
        kind = STATISTICS[name]
        return number(kind.description, kind.symbol, direction=HIGHER)
    return text("")


# Stands for the columns of the run's statistics of system scores, such as `pearson`.
STATISTICS_OF_THE_RUN = "statistics of system scores"


@dataclass(frozen=True)
class Table:
    """A result table.

    Attributes
    ----------
    holds : str
        What it holds.
    columns : tuple of str
        Names of its columns in the order of the file; STATISTICS_OF_THE_RUN stands for several.
        Empty if the columns are those of a printed table.
    """

    holds: str
    columns: tuple[str, ...]

    def names(self, statistics: Iterable[str] = (), without: Container[str] = ()) -> list[str]:
        """Return the names of the columns in the order of the file.

        Parameters
        ----------
        statistics : iterable of str
            Names of the run's statistics of system scores.
        without : container of str
            Columns that are left out because they are added later.
        """
        names: list[str] = []
        for column in self.columns:
            if column == STATISTICS_OF_THE_RUN:
                names.extend(statistics)
            elif column not in without:
                names.append(column)
        return names

    def check(self, found: Sequence[str]) -> None:
        """Raise ValueError if the columns of a file, `found`, are not those of the table."""
        statistics = [name for name in found if name in STATISTICS]
        expected = self.names(statistics)
        if self.columns and list(found) != expected:
            raise ValueError(f"columns {', '.join(found)}; expected {', '.join(expected)}")


# Groups of columns that several tables have.
# What a score or statistic belongs to.
KEY = ("metric", "weighting", "difficulty")
# What is known of a study's set.
FACTS = (
    "set",
    "campaign",
    "pair",
    "reference",
    "gold",
    "phase",
)
# Properties of a source text.
READABILITY = ("ASL", "ASW", "FRE", "FKGL")
# Mean and prediction for other sets.
OTHER_SETS = (
    "others",
    "others_low",
    "others_high",
    "prediction_low",
    "prediction_high",
    "i2",
)
# Human rankings by difficulty, also over the sets of a study.
RANKING = (
    "difficulty",
    "segments",
    "hardest",
    "r",
    "random_mean",
    "random_low",
    "random_high",
    "random_quantile",
    "hypotheses",
    "within_r",
    "reason",
)
# Correlations by parameters of weightings in two groups, of a set and over sets.
PARAMETERS = (
    *KEY,
    "parameters",
    "quantile",
    "h",
    "w",
    "pearson",
    "kendall",
    "spearman",
    "reason",
    "tuned",
    "retuned_mean",
    "retuned_low",
    "retuned_high",
    "retuned_quantile",
)
# Weightings tuned on a set, also over the sets of a study.
TUNED = (
    "contrast",
    "metric",
    "statistic",
    "plain",
    "value",
    "null_mean",
    "null_low",
    "null_high",
    "quantile",
)

# In the folder of an evaluation set.
OF_A_SET = {
    "system_scores.csv": Table(
        "scores of the systems under every metric and weighting",
        (
            "system",
            *KEY,
            "score",
            "effective_segments",
            "effective_documents",
            "signature",
        ),
    ),
    "missing.csv": Table(
        "scores that could not be computed, with reasons",
        (*KEY, "reason"),
    ),
    "system_intervals.csv": Table(
        "every system's score with its 95 % interval",
        (
            "system",
            *KEY,
            "score",
            "low",
            "high",
            "unit",
            "units",
        ),
    ),
    "system_comparisons.csv": Table(
        "for every ordered pair of systems the difference, the share of paired bootstrap resamples "
        "that the first system wins, and one-sided p",
        (
            *KEY,
            "system",
            "other",
            "difference",
            "wins",
            "p",
            "unit",
            "units",
        ),
    ),
    "correlations.csv": Table(
        "the `statistics` of system scores on all systems, the top K (every K from 3), random "
        "subsets (means), and without outliers",
        (
            *KEY,
            "subset",
            "size",
            "draws",
            STATISTICS_OF_THE_RUN,
            "reason",
            "left_out",
        ),
    ),
    "correlation_spread.csv": Table(
        "standard deviations of the `statistics` over the draws of random subsets, in the rows of "
        "`correlations.csv`",
        (
            *KEY,
            "subset",
            "size",
            "draws",
            STATISTICS_OF_THE_RUN,
            "left_out",
        ),
    ),
    "top_scores.csv": Table(
        "scores of the K best systems; difficulties that depend on the evaluated systems are "
        "computed from these K",
        (*KEY, "size", "system", "score"),
    ),
    "significance.csv": Table(
        "intervals and tests of the `statistics` on all systems, the top 4 and 6, without "
        "outliers, and random subsets, and of their difference to the standard weighting",
        (
            *KEY,
            "subset",
            "size",
            "statistic",
            "value",
            "segments_low",
            "segments_high",
            "systems_low",
            "systems_high",
            "both_low",
            "both_high",
            "joint_low",
            "joint_high",
            "difference",
            "difference_segments_low",
            "difference_segments_high",
            "difference_systems_low",
            "difference_systems_high",
            "difference_both_low",
            "difference_both_high",
            "difference_joint_low",
            "difference_joint_high",
            "permutation_p",
            "detectable",
            "contribution_p",
            "williams_p",
            "unit",
            "units",
            "effective_mean",
            "effective_min",
            "effective_units",
            "left_out",
            "reason",
        ),
    ),
    "agreement.csv": Table(
        "statistics of the WMT metrics task: of system and segment scores, by subset of systems "
        "and domain, with ranks of clusters of significance",
        (
            "level",
            "subset",
            "domain",
            "statistic",
            "grouping",
            *KEY,
            "value",
            "low",
            "high",
            "difference",
            "difference_low",
            "difference_high",
            "unit",
            "units",
            "epsilon",
            "segments",
            "rank",
            "left_out",
            "reason",
        ),
    ),
    "metric_tests.csv": Table(
        "permutation tests of every two metrics or weightings, the better one first, with one-"
        "sided p",
        (
            "level",
            "statistic",
            "grouping",
            "metric",
            "weighting",
            "other",
            "other_weighting",
            "difference",
            "p",
        ),
    ),
    "controls.csv": Table(
        "every weighting compared with its nulls",
        (
            *KEY,
            "subset",
            "size",
            "statistic",
            "value",
            "standard",
            "tuned",
            "null",
            "mean",
            "low",
            "high",
            "quantile",
            "gain_over_plain_share",
            "draws",
            "reason",
        ),
    ),
    "difficulty_and_gold.csv": Table(
        "for every difficulty, how the systems' mean human scores on the hardest 10 % of the "
        "segments correlate with those on the rest, compared with random subsets (about the same "
        "size where documents are permuted)",
        RANKING,
    ),
    "parameters.csv": Table(
        "correlations of the unweighted metric and of the weighting at the parameters in use, at "
        "those of Eq. 9 and 11, and at the best point of the grid",
        PARAMETERS,
    ),
}

# Over all evaluation sets of a run.
OVER_SETS = {
    "held_out.csv": Table(
        "the rows of the sets' `parameters.csv`, and correlations at parameters chosen on other "
        "sets",
        ("set", *PARAMETERS),
    ),
    "metrics_task.csv": Table(
        "means of the sets' `agreement.csv` over all sets, and by year, human scores, language "
        "pair and domain",
        (
            "group_by",
            "group",
            "level",
            "statistic",
            "grouping",
            "metric",
            "weighting",
            "sets",
            "mean",
            "weighted_mean",
            "mean_rank",
        ),
    ),
    "complexity/readability.csv": Table(
        "readability of every source: of a set, its domains and its documents",
        (
            "set",
            "level",
            "name",
            "segments",
            "sentences",
            "words",
            "syllables",
            *READABILITY,
            "reason",
        ),
    ),
    "complexity/text_types.csv": Table(
        "readability and mean scores of the texts of every group of at least two",
        (
            "level",
            "group",
            "metric",
            "text",
            "systems",
            "score",
            "quality",
            "segments",
            *READABILITY,
            "reason",
        ),
    ),
    "complexity/correlations.csv": Table(
        "Pearson's r of readability and mean quality over the texts of a group",
        (
            "level",
            "group",
            "metric",
            "parameter",
            "texts",
            "r",
            "p",
            "reason",
        ),
    ),
    "complexity/normalised_scores.csv": Table(
        "scores of the systems on every text, normalised by readability: score × (ASW / ASW of the "
        "reference text)^p for p = 1 and 2",
        (
            "level",
            "group",
            "metric",
            "text",
            "system",
            "score",
            "quality",
            "segments",
            *READABILITY,
            "reason",
            "reference",
            "factor",
            "normalised_1",
            "normalised_2",
        ),
    ),
    "complexity/spread.csv": Table(
        "how much every system's raw and normalised scores vary over texts",
        (
            "level",
            "group",
            "metric",
            "system",
            "power",
            "texts",
            "reference",
            "raw",
            "normalised",
            "ratio",
            "relative_ratio",
            "reason",
        ),
    ),
    "sentinels/agreement.csv": Table(
        "agreement with human scores of segments of every difficulty, used as a score that is the "
        "same for all translations of a segment, and of every metric, with intervals and places "
        "among the set's metrics",
        (
            "set",
            "score_name",
            "kind",
            "information",
            "same_for_systems",
            "statistic",
            "grouping",
            "value",
            "low",
            "high",
            "metric_rank",
            "metric_rank_low",
            "metric_rank_high",
            "metrics",
            "unit",
            "units",
            "segments",
            "hypotheses",
            "reason",
        ),
    ),
}

# Of the papers; <item> is a table or figure.
OF_PAPERS = {
    "audit.csv": Table(
        "one row for each published cell and each claim of all papers, with our number and the "
        "verdict",
        (
            "paper",
            "item",
            "row",
            "column",
            "origin",
            "published",
            "reproduced",
            "difference",
            "status",
            "reason",
            "evidence",
            "method",
        ),
    ),
    "claims.csv": Table(
        "the numbers and statements of a paper's text, checked on the printed cells and on data",
        (
            "claim",
            "where",
            "statement",
            "origin",
            "kind",
            "published",
            "digits",
            "reproduced",
            "without_number",
            "substitute",
            "systems_note",
            "reason",
            "evidence",
        ),
    ),
    "cells/<item>.csv": Table(
        "the published numbers of a table or figure with ours",
        (
            "item",
            "row",
            "column",
            "published",
            "digits",
            "reproduced",
            "reason",
            "substitute",
            "tuned",
            "origin",
            "systems_note",
            "absolute",
        ),
    ),
    "<item>.csv": Table(
        "a table as the paper prints it, each cell our number with the paper's in brackets; its "
        "columns are the paper's",
        (),
    ),
    "<item>_statistics.csv": Table(
        "of a table of correlations, intervals, tests with Holm's correction over the table, and "
        "quantiles in the nulls `shuffled`, `permuted` and, for tuned values, `retuned`",
        (
            "row",
            "column",
            *KEY,
            "statistic",
            "value",
            "segments_low",
            "segments_high",
            "systems_low",
            "systems_high",
            "both_low",
            "both_high",
            "difference",
            "permutation_p",
            "permutation_p_holm",
            "williams_p",
            "williams_p_holm",
            "tuned",
            "shuffled_quantile",
            "permuted_quantile",
            "retuned_quantile",
            "reason",
        ),
    ),
    "ablation.csv": Table(
        "correlations of variants of a paper's weighting",
        (
            "metric",
            "variant",
            "h",
            "w",
            "pearson",
            "kendall",
            "spearman",
        ),
    ),
}

# Of a study over evaluation sets.
OF_A_STUDY = {
    "study/synthesis.csv": Table(
        "pooled effects by contrast, tier, statistic and phase, with errors, intervals, "
        "heterogeneity, verdicts and corrected p, on new campaigns and (`fixed_…`) on these sets",
        (
            "contrast",
            "tier",
            "statistic",
            "phase",
            "effect",
            "error",
            "df",
            "low",
            "high",
            "p",
            "tau2",
            "i2",
            "q",
            "prediction_low",
            "prediction_high",
            "fixed_effect",
            "fixed_error",
            "fixed_low",
            "fixed_high",
            "fixed_p",
            "sets",
            "campaigns",
            "pairs",
            "sets_without",
            "reasons",
            "margin",
            "reason",
            "family",
            "p_adjusted",
            "verdict",
            "fixed_p_adjusted",
            "fixed_verdict",
            "against_chance",
        ),
    ),
    "study/power.csv": Table(
        "power on new campaigns and on these sets to find an effect of a given size",
        (
            "contrast",
            "tier",
            "statistic",
            "sets",
            "campaigns",
            "common_effect",
            "power",
            "fixed_power",
            "tests",
            "margin",
        ),
    ),
    "study/effects.csv": Table(
        "effects on every set, by contrast, metric and statistic",
        (
            *FACTS,
            "contrast",
            "metric",
            "tier",
            "weighting",
            "against",
            "statistic",
            "value",
            "plain",
            "effect",
            "error",
            "low",
            "high",
            "effect_with_outliers",
            "effective_segments",
            "uses_gold",
            "reason",
            "systems",
            "segments",
            "unit",
            "units",
        ),
    ),
    "study/nulls.csv": Table(
        "pooled effects compared with those of every null",
        (
            "contrast",
            "tier",
            "statistic",
            "null",
            "sets",
            "effect",
            "null_mean",
            "null_low",
            "null_high",
            "p",
            "p_adjusted",
        ),
    ),
    "study/pairs.csv": Table(
        "the model of pairs of systems, and gains by fifth of the gap between two systems",
        (
            "contrast",
            "kind",
            "tier",
            "term",
            "gap_low",
            "gap_high",
            "gap",
            "estimate",
            "error",
            "low",
            "high",
            "p",
            "p_adjusted",
            "pairs",
            "sets",
            "random_effects",
            "reason",
        ),
    ),
    "study/tuned.csv": Table(
        "the sets' correlations of tuned weightings, and their null",
        (*FACTS, *TUNED),
    ),
    "study/rankings.csv": Table(
        "the sets' human rankings on the hardest tenth of the segments (`difficulty_and_gold.csv`)",
        (*FACTS, *RANKING),
    ),
    "study/submissions.csv": Table(
        "submitted metrics beside the study's own",
        (
            "set",
            "metric",
            "weighting",
            "statistic",
            "value",
        ),
    ),
    "study/left_out.csv": Table(
        "sets without scores and why",
        ("set", "reason"),
    ),
    "<set>/study/effects.csv": Table(
        "effects of a set, by contrast, metric and statistic; the metric `mean` is that of a tier",
        (
            "contrast",
            "metric",
            "tier",
            "weighting",
            "against",
            "statistic",
            "value",
            "plain",
            "effect",
            "error",
            "low",
            "high",
            "effect_with_outliers",
            "effective_segments",
            "uses_gold",
            "reason",
            "gold",
            "systems",
            "segments",
            "unit",
            "units",
        ),
    ),
    "<set>/study/null_draws.csv": Table(
        "effects of a tier under every draw of a null",
        (
            "contrast",
            "tier",
            "null",
            "statistic",
            "draw",
            "effect",
        ),
    ),
    "<set>/study/tuned.csv": Table(
        "the highest correlation of a weighting tuned on the set's own human scores, and the same "
        "with permuted difficulties",
        TUNED,
    ),
    "<set>/study/pairs.csv": Table(
        "whether a metric orders two systems as the human scores do",
        (
            "contrast",
            "metric",
            "tier",
            "system",
            "other",
            "gap",
            "agrees_plain",
            "agrees",
        ),
    ),
    "<set>/study/submissions.csv": Table(
        "statistics of submitted metrics",
        ("metric", "statistic", "value"),
    ),
}

# Of the comparison of difficulty estimators.
OF_ESTIMATORS = {
    "<set>/estimators/values.csv": Table(
        "statistics of every difficulty with three kinds of intervals, DEC also by domain; of "
        "`average_score` and `perfect`, lower values mean harder segments",
        (
            "difficulty",
            "information",
            "domain",
            "statistic",
            "value",
            "low",
            "high",
            "error",
            "systems_low",
            "systems_high",
            "both_low",
            "both_high",
            "chance",
            "rank",
            "segments",
            "hypotheses",
            "unit",
            "units",
            "reason",
        ),
    ),
    "<set>/estimators/by_system.csv": Table(
        "DEC of every difficulty on every system",
        (
            "difficulty",
            "system",
            "statistic",
            "value",
            "low",
            "high",
            "segments",
        ),
    ),
    "<set>/estimators/tests.csv": Table(
        "tests of the difference in DEC of every two difficulties",
        (
            "statistic",
            "difficulty",
            "other",
            "value",
            "other_value",
            "difference",
            "low",
            "high",
            "error",
            "p",
            "p_adjusted",
            "hypotheses",
            "unit",
            "units",
        ),
    ),
    "<set>/estimators/segments.csv": Table(
        "segments with their human scores, the parameters of an item response model of these, and "
        "the difficulty by the best estimator",
        (
            "segment",
            "domain",
            "human_score",
            "item_difficulty",
            "item_difficulty_error",
            "discrimination",
            "discrimination_error",
            "noise",
            "estimator",
            "estimated",
            "place",
            "human_place",
        ),
    ),
    "<set>/estimators/selection.csv": Table(
        "how well the hardest 10, 25 and 50 % of the segments rank systems, compared with 1,000 "
        "random selections",
        (
            "difficulty",
            "information",
            "share",
            "chosen",
            "statistic",
            "value",
            "low",
            "high",
            "random_mean",
            "random_low",
            "random_high",
            "random_quantile",
            "p",
            "clusters",
            "clusters_all",
        ),
    ),
    "estimators/leaderboard.csv": Table(
        "means over sets of every difficulty, ordered by the gain over source length",
        (
            "information",
            "difficulty",
            "statistic",
            "rank",
            "gain",
            "gain_low",
            "gain_high",
            "value",
            "low",
            "high",
            *OTHER_SETS,
            "sets",
            "campaigns",
            "pairs",
            "sets_without",
            "reason",
        ),
    ),
    "estimators/comparisons.csv": Table(
        "mean differences over sets of every two difficulties",
        (
            "statistic",
            "difficulty",
            "other",
            "difference",
            "low",
            "high",
            "p",
            "p_adjusted",
            "family",
            "verdict",
            *OTHER_SETS,
            "sets",
            "campaigns",
            "pairs",
        ),
    ),
    "estimators/selection.csv": Table(
        "means over sets of how well the hardest segments rank systems",
        (
            "share",
            "statistic",
            "difficulty",
            "information",
            "gain",
            "value",
            "random_mean",
            "p",
            "p_adjusted",
            "family",
            "verdict",
            "sets",
            "campaigns",
            "pairs",
        ),
    ),
}

# Tables by the name that the documentation uses; those of a set by their name in its folder.
TABLES = {**OF_A_SET, **OVER_SETS, **OF_PAPERS, **OF_A_STUDY, **OF_ESTIMATORS}
