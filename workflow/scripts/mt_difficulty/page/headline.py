"""What a paper's page, its entry in the index and the summary of a run say first: what the paper's
own method got, then the other numbers and the claims. First the numbers, then the sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ..data.evalset import SetFiles
from ..evidence import complexity
from ..evidence.synthesis import ALPHA
from ..papers import audit
from . import (
    capitalised,
    finding,
    paragraph,
    sentinels,
    signed,
    times,
    title_of,
    token_weights,
)
from .tables import Content, p_value

if TYPE_CHECKING:
    from ..settings.protocol import PaperSummary

COMPARED = ("reproduced", "close", "differs")
SAMPLING_ERROR = 2.0  # standard errors of a difference between two means of random draws
NAMED_CAUSES = 3  # why numbers are not computable
# Reasons why a number is not computable that have one cause, and what this cause is called.
LACKING = r"the archive has no |\S+ has no campaign "
ARCHIVE_LACKS = "the archive lacks campaigns, texts or scores"
LEVELS = {
    "campaign": "campaigns of a language pair",
    "domain": "domains of a set",
    "document": "documents of a set",
}


def found_of(
    name: str,
    paper: PaperSummary,
    ledger: pd.DataFrame,
    summaries: list[Content],
    analysis: SetFiles | None = None,
) -> Content:
    """Count what became of a paper's numbers and claims.

    Parameters
    ----------
    name : str
        Name of the paper.
    paper : PaperSummary
        What pages say of the paper.
    ledger : DataFrame
        The table `audit.csv`.
    summaries : list of dict
        Summaries of the run's sets (`index.describe_set`).
    analysis : SetFiles, optional
        Results of the paper's analysis of the run's own sets.

    Returns
    -------
    dict
        `method` and `others`: counts (`count_cells`) of the cells of the paper's own method and of
        all others. `claims` by origin: counts by audit.CLAIM_FINDINGS. `gains`: the changes of r by
        the paper's weightings, for its metrics on its sets, first those that are tuned on a set's
        human scores. `analysis`: of readability, see `analysis_of`; `sentinels`: see
        `sentinels.numbers`; None for a paper without the analysis. `token_weights`: see
        `token_weights.of_paper`; empty for a paper that does not propose a weighting of tokens.
    """
    ledger = ledger[ledger.paper == name]
    is_claim = ledger["item"] == audit.CLAIMS
    cells = ledger[~is_claim]
    claims = ledger[is_claim]
    is_method = cells.method != ""
    method = paper.method
    about = {"name": method.name, "without_data": method.without_data or ""}
    return {
        "method": about | count_cells(cells[is_method]),
        "others": count_cells(cells[~is_method]),
        "claims": {origin: count_claims(rows) for origin, rows in claims.groupby("origin")},
        "gains": _gains(_changes_of_paper(paper, summaries)),
        "analysis": analysis_of(analysis) if method.analysis == "complexity" else None,
        "sentinels": sentinels.numbers(analysis) if method.analysis == "sentinels" else None,
        "token_weights": _token_weights(paper, summaries),
    }


def _token_weights(paper: PaperSummary, summaries: list[Content]) -> list[Content]:
    """Return what the paper's weighting of tokens does on its sets; empty if it proposes none."""
    weighting = paper.method.token_weighting
    if not weighting:
        return []
    return token_weights.of_paper(weighting, paper.metrics, paper.top_sizes, summaries)


def _changes_of_paper(paper: PaperSummary, summaries: list[Content]) -> list[Content]:
    """Return the changes of r by the paper's weightings, for its metrics on its sets. Descriptions
    of these weightings cite the paper."""
    citation = f"{paper.authors} {paper.year}"
    changes = []
    for summary in summaries:
        if summary["name"] not in paper.sets:
            continue
        for change in summary["changes"]:
            description = summary["names"].get(change["weighting"], "")
            if change["metric"] in paper.metrics and citation in description:
                changes.append({"set": summary["name"], **change})
    return changes


def _gains(changes: list[Content]) -> list[Content]:
    """Return the numbers of each weighting's changes, first those of tuned weightings."""
    groups = finding.table_of(changes).groupby(["weighting", "tuned"], sort=False)
    gains = []
    for (weighting, tuned), rows in sorted(groups, key=lambda group: not group[0][1]):
        numbers = finding.numbers(rows)
        gains.append(
            {**numbers, "weighting": weighting, "tuned": tuned, "changes": rows.to_dict("list")}
        )
    return gains


def count_cells(cells: pd.DataFrame) -> Content:
    """Count published cells of the ledger. `printed`: all; `data` and `text`: statuses of those
    that are computed from data and from what the paper prints; `inputs`: those that the protocol
    takes over; `compared`: those from data that are compared with the paper's; `reasons`: of cells
    from data that are not computable, how many have which cause (`_cause`), the most frequent
    first. Of the compared cells, `exact` has those that do not depend on random draws that the
    paper does not name (`_count_exact`), and `sampled` the others (`_count_sampled`)."""
    by_origin = {
        origin: cells.status[cells.origin == origin].value_counts().to_dict()
        for origin in ("data", "printed", "given")
    }
    data = by_origin["data"]
    reasons = cells.reason[(cells.origin == "data") & (cells.status == audit.NOT_COMPUTABLE)]
    compared = cells[(cells.origin == "data") & cells.status.isin(COMPARED)]
    standard_errors = compared.reason.str.extract(audit.UNKNOWN_SUBSETS, expand=False).astype(float)
    is_sampled = standard_errors.notna()
    return {
        "printed": len(cells),
        "data": data,
        "text": by_origin["printed"],
        "inputs": sum(by_origin["given"].values()),
        "compared": len(compared),
        "exact": _count_exact(compared[~is_sampled]),
        "sampled": _count_sampled(compared[is_sampled], standard_errors[is_sampled]),
        "reasons": reasons.map(_cause).value_counts().to_dict(),
    }


def _count_exact(cells: pd.DataFrame) -> Content:
    """Count compared cells by `statuses`, and list the tables and figures that have some."""
    return {
        "items": list(cells["item"].unique()),
        "number": len(cells),
        "statuses": cells.status.value_counts().to_dict(),
    }


def _count_sampled(cells: pd.DataFrame, standard_errors: pd.Series) -> Content:
    """Count compared cells that are means over random subsets which the paper does not name:
    all, and those `within` sampling error of the paper's number."""
    return {
        "items": list(cells["item"].unique()),
        "number": len(cells),
        "within": int((standard_errors <= SAMPLING_ERROR).sum()),
    }


def _cause(reason: str) -> str:
    """Return the cause of a reason why a number is not computable: that the archive lacks data, or
    else the first of the reasons that are joined by semicolons."""
    if re.match(LACKING, reason):
        return ARCHIVE_LACKS
    return reason.split("; ")[0]


def count_claims(claims: pd.DataFrame) -> dict[str, int]:
    """Count claims of the ledger by what their statuses say (audit.CLAIM_FINDINGS)."""
    return {
        found: int(claims.status.isin(statuses).sum())
        for found, statuses in audit.CLAIM_FINDINGS.items()
    }


def analysis_of(files: SetFiles | None) -> Content:
    """Describe the analysis of readability and scores of the run's own texts: `missing`, why there
    is none, or `levels`. A level has the range `r` of the correlations of syllables per word (ASW)
    and mean score, their number `pairs`, the range `texts` of their numbers of texts, whether these
    are too `few` for a conclusion, and the smallest p; and by power how many pairs of system and
    metric have normalised scores that vary less (`stable`), of how many."""
    if files is None or "correlations.csv" not in files:
        return {"missing": "this run has no evaluation set"}
    if reason := files.reason("correlations.csv"):
        return {"missing": reason}
    correlations = files.read("correlations.csv")
    spread = files.read("spread.csv")
    known = correlations[(correlations.parameter == "ASW") & correlations.r.notna()]
    levels = []
    for level, label in LEVELS.items():
        rows = known[known.level == level]
        ratios = spread[spread.level == level]
        if rows.empty:
            continue
        ratios = ratios[ratios.ratio.notna()]
        levels.append(
            {
                "label": label,
                "pairs": len(rows),
                "negative": int((rows.r < 0).sum()),
                "r": [float(rows.r.min()), float(rows.r.max())],
                "texts": [int(rows.texts.min()), int(rows.texts.max())],
                "few": bool(rows.texts.max() < complexity.FEWEST),
                "p": float(rows.p.min()),
                "stable": {
                    int(power): [int((of_power.ratio > 1).sum()), len(of_power)]
                    for power, of_power in ratios.groupby("power")
                },
            }
        )
    if not levels:
        return {"missing": "no set or language pair of this run has three texts to compare"}
    return {"levels": levels}


# Sentences


def lead(found: Content) -> str:
    """Return the first paragraph of a paper's page, from the numbers of `found_of`: what
    sentinel metrics get, if this is its finding; what its weighting of tokens does; what its own
    method got, how its weightings change r, and its analysis of the run's own texts."""
    parts = []
    if found["sentinels"]:
        parts.append(sentinels.sentences(found["sentinels"]))
    parts.append(token_weights.sentences(found["token_weights"]))
    parts += [method_sentences(found["method"]), gains_sentences(found["gains"])]
    if found["analysis"]:
        parts.append(analysis_sentences(found["analysis"]))
    return paragraph(" ".join(parts))


def rest(found: Content) -> str:
    """Return the second paragraph of a paper's page, from the numbers of `found_of`: what became of
    its other numbers and of its claims."""
    return paragraph(f"{others_sentences(found['others'])} {claims_sentence(found['claims'])}")


def method_sentences(method: Content) -> str:
    """Say what a paper's own method got.

    Parameters
    ----------
    method : dict
        Counts of the cells of the method, with `name` and `without_data`, why none of its numbers
        can be computed from data (`found_of`).

    Returns
    -------
    str
    """
    parts = [_method_sentence(method)]
    if _computed(method):
        parts.append(_not_compared(method))
    parts.append(_from_print(method))
    return paragraph(" ".join(parts))


def _method_sentence(method: Content) -> str:
    """Say how many numbers of a paper's own method were compared and agree, or why none was
    computed; `method` as in `method_sentences`."""
    name = method["name"]
    if _computed(method):
        return f"{name}: {_compared(method)}"
    numbers = times(method["printed"], "published number")
    if method["data"]:
        why = _why(method["reasons"])
        return f"{name}: none of its {numbers} could be computed here{why}."
    text = f"{capitalised(name)}: none of its {numbers} is computed from data"
    if method["without_data"]:
        text += f", since {method['without_data']}"
    return f"{text}."


def _computed(part: Content) -> int:
    """Return how many numbers were computed from data (`count_cells`)."""
    data = part["data"]
    return sum(data.values()) - data.get(audit.NOT_COMPUTABLE, 0)


def others_sentences(others: Content) -> str:
    """Say what became of the numbers that are not of a paper's own method, from `count_cells`; ""
    without any."""
    if not others["printed"]:
        return ""
    from_data = ""
    if others["data"]:
        from_data = _from_data(others)
    elif not others["text"] and not others["inputs"]:
        from_data = "none."
    return paragraph(f"Other numbers: {from_data} {_from_print(others)}")


def _from_data(part: Content) -> str:
    """Say what became of the numbers that are computed from data (`count_cells`)."""
    return f"{_compared(part)} {_not_compared(part)}"


def _compared(part: Content) -> str:
    """Say how many numbers that are computed from data agree with the paper's (`count_cells`)."""
    numbers = times(part["printed"], "published number")
    if not part["compared"]:
        return f"none of {numbers} could be computed as in the paper."
    if not part["sampled"]["number"]:
        return (
            f"{part['compared']} of {numbers} could be computed from data and compared: "
            f"{_agreement(part['exact']['statuses'])}."
        )
    text = _sampled(part["sampled"])
    exact = part["exact"]
    if exact["number"]:
        compared = times(exact["number"], "number")
        text = (
            f"of {compared} in {_items(exact['items'])} that could be computed from data and "
            f"compared, {_agreement(exact['statuses'])}. {text}"
        )
    return text


def _agreement(statuses: Mapping[str, int]) -> str:
    """Say how many compared numbers are reproduced, close, and differ."""
    differs = statuses.get("differs", 0)
    return (
        f"{_be(statuses.get('reproduced', 0))} reproduced, {_be(statuses.get('close', 0))} close, "
        f"{differs} {'differs' if differs == 1 else 'differ'}"
    )


def _sampled(sampled: Content) -> str:
    """Say how many means over random subsets agree with the paper's, within sampling error
    (`_count_sampled`)."""
    use = "uses" if len(sampled["items"]) == 1 else "use"
    verb = "is" if sampled["number"] == 1 else "are"
    return (
        f"{_items(sampled['items'])} {use} random subsets that the paper does not name: "
        f"{sampled['within']} of {times(sampled['number'], 'number')} {verb} within sampling error "
        f"({SAMPLING_ERROR:.0f} standard errors)."
    )


def _items(names: list[str]) -> str:
    """Return the titles of tables and figures as a list: `Table 2, Table 3 and Figure 1`."""
    titles = list(map(title_of, names))
    return " and ".join([", ".join(titles[:-1]), titles[-1]]) if titles[1:] else titles[0]


def _not_compared(part: Content) -> str:
    """Say how many numbers were computed otherwise than in the paper, or not (`count_cells`)."""
    data = part["data"]
    sentences = []
    not_compared = {
        "other encoder": "with another encoder",
        "other systems": "over another number of systems",
    }
    for status, how in not_compared.items():
        number = data.get(status, 0)
        if number:
            was, verb = ("was", "is") if number == 1 else ("were", "are")
            sentences.append(
                f"{number} {was} computed {how} than the paper's, and {verb} not compared."
            )
    absent = data.get(audit.NOT_COMPUTABLE, 0)
    if absent:
        everything = f" of {part['printed']}" if part["sampled"]["number"] else ""
        sentences.append(f"{absent}{everything} could not be computed{_why(part['reasons'])}.")
    return " ".join(sentences)


def _from_print(part: Content) -> str:
    """Say what became of the numbers that are computed from others that the paper prints, and of
    those that the protocol takes over (`count_cells`)."""
    sentences = []
    derived = part["text"].get("derived", 0)
    if derived:
        every = "All " if derived == part["printed"] and derived > 1 else ""
        follow = "follows" if derived == 1 else "follow"
        sentences.append(f"{every}{derived} {follow} from other numbers that the paper prints.")
    inexact = part["text"].get("close", 0) + part["text"].get("differs", 0)
    if inexact:
        do = "does" if inexact == 1 else "do"
        sentences.append(
            f"{inexact} {do} not follow exactly from the numbers that the paper prints."
        )
    inputs = part["inputs"]
    if inputs:
        noun = "an input" if inputs == 1 else "inputs"
        sentences.append(f"{_be(inputs)} {noun}, taken over from the paper.")
    return " ".join(sentences)


def _why(reasons: Mapping[str, int]) -> str:
    """Return how many numbers could not be computed for which cause, as the end of a sentence. Of
    many causes, the most frequent ones are named.

    Parameters
    ----------
    reasons : mapping of str to int
        Numbers of cells by cause, the most frequent first.

    Returns
    -------
    str
        The only cause, or several with their numbers of cells; "" without any.
    """
    if not reasons:
        return ""
    if len(reasons) == 1:
        return f": {next(iter(reasons))}"
    parts = []
    for reason, number in list(reasons.items())[:NAMED_CAUSES]:
        parts.append(f"{number} because {reason}")
    others = sum(list(reasons.values())[NAMED_CAUSES:])
    if others:
        parts.append(f"{others} for other reasons")
    return f": {', '.join(parts)}"


def _be(number: int) -> str:
    """Return a number with `is` or `are`."""
    return f"{number} is" if number == 1 else f"{number} are"


def gains_sentences(gains: list[Content]) -> str:
    """Say how the weightings of a paper change r. A change that no test or interval judges was not
    tested, which is not the same as no gain.

    Parameters
    ----------
    gains : list of dict
        The numbers of each weighting's changes, with `weighting`, `tuned` and `changes`, the
        columns of the table of `finding.judge` (`found_of`).

    Returns
    -------
    str
    """
    is_tested = any(np.isfinite(gain["changes"]["p"]).any() for gain in gains)
    all_equivalent = all(
        gain["number"] and gain["counts"].get(finding.EQUIVALENT) == gain["number"]
        for gain in gains
    )
    sentences = []
    if is_tested and not all_equivalent and not any(map(_shows_gain, gains)):
        sentences.append("No gain over the unweighted metrics is shown.")
    for gain in gains:
        if gain["tuned"]:
            sentences.append(_tuned_gain(gain))
        elif gain["number"]:
            sentences.append(_judged_gain(gain))
    return paragraph(" ".join(sentences))


def _shows_gain(gain: Content) -> bool:
    """Return whether a weighting helps or, if it is tuned on a set, has a gain with a p of at most
    `ALPHA`."""
    if gain["counts"].get(finding.HELPS):
        return True
    p = np.array(gain["changes"]["p"], dtype=float)
    difference = np.array(gain["changes"]["difference"], dtype=float)
    return bool(gain["tuned"] and ((p <= ALPHA) & (difference > 0)).any())


def _tuned_gain(gain: Content) -> str:
    """Say how a weighting that is tuned on the human scores of sets changes r."""
    changes = gain["changes"]["difference"]
    p_values = _known(gain["changes"]["p"])
    quantiles = _known(gain["changes"]["retuned_quantile"])
    text = (
        f"{gain['weighting']}, with parameters chosen on the human scores of "
        f"{', '.join(gain['names'])}, changes r by {signed(min(changes))} to {signed(max(changes))}"
    )
    if not p_values:
        text += ", which was not tested"
    elif min(p_values) > ALPHA:
        text += f", within noise (smallest p {p_value(min(p_values))})"
    else:
        text += f" (smallest p {p_value(min(p_values))})"
    if quantiles:
        least = 100 - 100 * max(quantiles)
        most = 100 - 100 * min(quantiles)
        text += (
            "; with parameters tuned for r, random difficulties gain more in "
            f"{least:.0f} to {most:.0f} % of draws"
        )
    return f"{text}."


def _judged_gain(gain: Content) -> str:
    """Say in how many comparisons a weighting helps or harms."""
    counts = gain["counts"]
    names = gain["names"]
    where = names[0] if len(names) == 1 else f"{len(names)} sets"
    text = (
        f"{gain['weighting']} helps in {counts.get(finding.HELPS, 0)} of "
        f"{times(gain['number'], 'comparison')} on {where} and harms in "
        f"{counts.get(finding.HARMS, 0)}"
    )
    if finding.EQUIVALENT in counts:
        text += f"; in {counts[finding.EQUIVALENT]} it has {finding.EQUIVALENT}"
    if finding.UNKNOWN in counts:
        text += f"; in {counts[finding.UNKNOWN]} we cannot tell"
    if finding.NOT_TESTED in counts:
        untested = counts[finding.NOT_TESTED]
        text += f"; {untested} {'was' if untested == 1 else 'were'} not tested"
    return f"{text}."


def _known(values: list[float]) -> list[float]:
    """Return the values that are finite."""
    return [value for value in values if np.isfinite(value)]


def analysis_sentences(analysis: Content) -> str:
    """Say what the analysis of readability and scores got on the run's own texts, which are not the
    paper's (`analysis_of`): correlations of syllables per word and mean score, and the spread of
    normalised scores."""
    if "missing" in analysis:
        reason = analysis["missing"]
        return f"The same analysis of texts of this run was not computed: {reason}."
    levels = analysis["levels"]
    text = (
        "On data of this run, which are not the paper's, the correlation of syllables per word "
        f"(ASW) and mean score is {', and '.join(map(_level_of_r, levels))}."
    )
    with_scores = [level for level in levels if level["stable"]]
    if with_scores:
        text += f" {_stability(with_scores)}"
    return paragraph(text)


def _level_of_r(level: Content) -> str:
    """Say how large the correlations of ASW and mean score are over the texts of a level."""
    lowest, highest = level["r"]
    texts = " to ".join(str(number) for number in dict.fromkeys(level["texts"]))
    if level["few"]:
        verdict = "too few texts for a conclusion"
    else:
        verdict = f"smallest p {p_value(level['p'])}"
        if level["p"] > ALPHA:
            verdict += ": we cannot tell"
    return (
        f"{signed(lowest)} to {signed(highest)} over {level['label']} ({texts} texts; negative, as "
        f"in the paper, in {level['negative']} of {times(level['pairs'], 'case')}; {verdict})"
    )


def _stability(levels: list[Content]) -> str:
    """Say of how many pairs of system and metric the normalised scores vary less than raw ones, a
    sentence for each level, by power."""
    sentences = []
    for level in levels:
        counts: list[str] = []
        for power, (fewer, pairs) in level["stable"].items():
            noun = "" if counts else " pairs of system and metric"
            counts.append(f"{fewer} of {pairs}{noun} (power {power})")
        sentences.append(
            f"Over {level['label']}, scores normalised by ASW vary less than raw ones for "
            f"{' and '.join(counts)}."
        )
    return " ".join(sentences)


def claims_sentence(claims: Mapping[str, Mapping[str, int]]) -> str:
    """Say how many of a paper's claims hold on data, and how many within the paper, on the numbers
    that it prints; from counts by origin (`count_claims`); "" without any."""
    if not claims:
        return ""
    on_data = _claims_of(claims["data"]) if "data" in claims else "none is checked"
    text = f"Claims, on data: {on_data}"
    if "printed" in claims:
        text += f"; within the paper: {_claims_of(claims['printed'])}"
    return f"{text}."


def _claims_of(counts: Mapping[str, int]) -> str:
    """Say how many claims of one origin hold, and what became of the others."""
    holds = counts["hold"]
    parts = [f"{holds} holds" if holds == 1 else f"{holds} hold"]
    partly = counts["partly"]
    if partly:
        verb = "is" if partly == 1 else "are"
        parts.append(f"{partly} could be checked in part and {verb} true there")
    if counts["close"]:
        parts.append(f"{_be(counts['close'])} close")
    fail = counts["fail"]
    if fail:
        parts.append(f"{fail} does not hold" if fail == 1 else f"{fail} do not hold")
    elsewhere = counts["not_compared"]
    if elsewhere:
        was = "was" if elsewhere == 1 else "were"
        parts.append(f"{elsewhere} {was} checked on other data than the paper's")
    if counts["not_checked"]:
        parts.append(f"{counts['not_checked']} could not be checked")
    return ", ".join(parts)
