"""The page of scored texts, which `mt-difficulty score --html` and `Scores.to_html` write."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from ..plan.base import find_project
from ..scoring.comparing import ALPHA
from ..scoring.reporting import better_than, measured
from ..scoring.texts import ScoredTexts
from ..tables import TABLES
from ..weighting.base import STANDARD
from . import differences, render, segments, set_page, tables
from .tables import Content


def page_of_texts(scored: ScoredTexts, report: Content) -> str:
    """Make an HTML page of scored texts, like the page of a run's set.

    Parameters
    ----------
    scored : ScoredTexts
    report : dict
        As from `score_report`, with `differences`.

    Returns
    -------
    str
        Self-contained HTML.
    """
    # The page of a set is made from a run's tables.
    scores = pd.DataFrame(report["scores"])
    scores = scores[scores.signature.notna()]
    reasons = scored.scored.missing
    missing = [(*key, "", reasons[key]) for key in scored.keys if key in reasons]
    contents = scored.files.contents
    contents["missing.csv"] = pd.DataFrame(missing, columns=TABLES["missing.csv"].names())
    contents["system_scores.csv"] = scores.assign(better_than=_better_than_in_words(scores))
    page, _ = set_page.describe(scored.files, scored.settings, [], {})
    reference = Path(report["reference"]).name
    page["name"] = f"Systems scored against {reference}"
    page["index"] = ""
    page["no_gold"] = ""
    page["packed"] = segments.packed(page["segments"])
    page["evalset"]["reference"] = reference
    page["evalset"]["notices"] = report["notices"]
    page["tested"] = report["tested"]
    page["resampled"] = report["resampled"]
    page |= _comparisons(report, scores, best=page["scores"]["rows"][0][0])
    ranked = [row[0] for row in page["scores"]["rows"]]
    difficulty = measured(report) if report["difficulty"] else ""
    page["differences"] = differences.describe(report["differences"], ranked, difficulty)
    page |= set_page.sentences(page)
    folder = find_project()[1].parent / "report"
    style, *scripts = [
        (folder / name).read_text(encoding="utf-8")
        for name in ("report.css", "tables.js", "browser.js")
    ]
    return render(folder / "set.html.j2", page, style, scripts)


def _better_than_in_words(scores: pd.DataFrame) -> list[str]:
    """Return by row of scores the systems that are significantly worse, as text."""
    others = scores.system.nunique() - 1
    texts = []
    for systems in scores.better_than:
        if systems and len(systems) == others > 1:
            texts.append("all others")
        else:
            texts.append(better_than(systems) or "none")
    return texts


def _comparisons(report: Content, scores: pd.DataFrame, best: str) -> Content:
    """Return a page's table of comparisons between systems, and `worse`: how many systems the best
    one beats significantly under the first metric, unweighted. Empty without comparisons."""
    pairs = pd.DataFrame(report["comparisons"])
    if not len(pairs):
        return {}
    lower_is_better = pairs.metric.isin(scores.metric[scores.higher_is_better.eq(other=False)])
    gain = pairs.difference.mask(lower_is_better, -pairs.difference)
    better = pairs[gain > 0]
    names = {"p_holm": "p_adjusted", "difference": "score_difference"}
    is_first = better.metric.eq(pairs.metric.iloc[0]) & better.weighting.eq(STANDARD)
    p_of_best = better.p_holm[is_first & better.system.eq(best)]
    return {
        "comparisons": tables.result_table(better.drop(columns="p").rename(columns=names)),
        "worse": int((p_of_best < ALPHA).sum()),
    }
