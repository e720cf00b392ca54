"""What a run prints at its end: the finding, what became of sets and papers, notices, and what to
open. `summary.txt` begins with these sentences; its other parts are the details."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence

from ..errors import first_names
from . import finding, times
from .tables import Content

WIDTH = 100  # of a line
NAMED = 4  # sets that a line names
QUOTED = 2  # notices of texts that are printed
_NUMBER = r"\d+(?:,\d{3})*"
_RUN = rf"{_NUMBER}(?: to {_NUMBER})?"
# A list of lines, the first of which are the group.
LISTED_LINES = rf"\b(lines {_RUN})(?:, {_RUN})+(?: and {_NUMBER} more places?)?"


def sentences(
    summaries: Sequence[Content],
    sets: Mapping[str, Content],
    checks: Mapping[str, Content],
    audits: Sequence[Content],
    further_notices: Sequence[str],
) -> list[str]:
    """Say what a run found, in few sentences.

    Parameters
    ----------
    summaries : sequence of dict
        Summaries of the run's sets (`index.describe_set`).
    sets : mapping of str to dict
        What the summary says of each set (`index.summarise_set`), by name.
    checks : mapping of str to dict
        Results of checks against difficulty that is known by construction, by set.
    audits : sequence of dict
        `papers`, with authors, year and the sentences on the paper's own method, and `unexplained`,
        the number of cells that differ without a known cause.
    further_notices : sequence of str
        Notices that do not belong to the texts of a set, such as those of encoders.

    Returns
    -------
    list of str
    """
    texts = []
    if sets:
        texts.append(_finding(summaries))
    for name, check in checks.items():
        texts.append(f"{name}, synthetic: {_found_segments(check)}")
    for audit in audits:
        for paper in audit["papers"]:
            texts.append(f"{paper['authors']} {paper['year']}. {paper['sentence']}")
        if audit["unexplained"]:
            cells = times(audit["unexplained"], "published cell")
            differ = "differs" if audit["unexplained"] == 1 else "differ"
            texts.append(f"{cells} {differ} without a known cause.")
    texts += _sets_sentences(sets)
    texts += _notices_sentences(sets, further_notices)
    return texts


def wrapped(texts: Sequence[str]) -> str:
    """Return sentences as lines of at most 100 columns; paths are not broken."""
    return "\n".join(
        textwrap.fill(
            text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        for text in texts
    )


def _finding(summaries: Sequence[Content]) -> str:
    """Return the sentence with which the index begins."""
    changes = finding.table_of(finding.changes_of(summaries))
    return finding.answer(finding.numbers(changes))


def _found_segments(check: Content) -> str:
    """Say how many of the segments that were made hard each difficulty finds."""
    shares = [
        f"{share:.0%} by {name.replace('_', ' ')}"
        for name, share in check["segments_found"].items()
    ]
    return f"of the segments that were made hard, {', '.join(shares)} are found."


def _sets_sentences(sets: Mapping[str, Content]) -> list[str]:
    """Name the sets that were run, and those that were not, or have no human scores or no texts."""
    absent = [name for name, found in sets.items() if "absent" in found]
    present = [name for name in sets if name not in absent]
    scores_only = [name for name in present if sets[name]["evalset"].texts_missing]
    texts = []
    if present:
        texts.append(f"{times(len(present), 'evaluation set')}: {first_names(present, NAMED)}.")
    without_gold = [name for name in present if not sets[name]["evalset"].gold]
    if without_gold:
        texts.append(f"Without human scores: {first_names(without_gold, NAMED)}.")
    if scores_only:
        texts.append(f"Without texts, stored scores alone: {first_names(scores_only, NAMED)}.")
    if absent:
        texts.append(f"Not run: {first_names(absent, NAMED)}.")
    return texts


def _notices_sentences(sets: Mapping[str, Content], further: Sequence[str]) -> list[str]:
    """Quote the first notices of texts, and count all notices and scores that were not computed,
    by set, with the most frequent reason."""
    of_texts = []
    for name, found in sets.items():
        if "absent" not in found:
            of_texts += [f"notice, {name}: {notice}" for notice in found["evalset"].notices]
    texts = [_quoted(text) for text in of_texts[:QUOTED]]
    notices = {name: len(found.get("notices", ())) for name, found in sets.items()}
    missing = {name: len(found.get("missing", ())) for name, found in sets.items()}
    if further:
        notices["encoders and files"] = len(further)
    if sum(notices.values()):
        texts.append(f"{times(sum(notices.values()), 'notice')}: {_counted(notices)}.")
    if sum(missing.values()):
        scores = times(sum(missing.values()), "score")
        rows = [row for found in sets.values() for row in found.get("missing", ())]
        reasons = Counter(row["reason"] for row in rows)
        (reason, _), *others = reasons.most_common()
        before_reason = "; most often: " if others else ": "
        text = f"Not computed: {scores} ({_counted(missing)}){before_reason}{reason}"
        texts.append(textwrap.shorten(text, 3 * WIDTH, placeholder=" …"))
    return texts


def _quoted(notice: str) -> str:
    """Shorten a notice to two lines; of a list of line numbers (`stretches.listed_lines`) only the
    first remain, so that the problem, which follows them, is not cut off."""
    text = re.sub(LISTED_LINES, r"\1 and more", notice)
    return textwrap.shorten(text, 2 * WIDTH, placeholder=" …")


def _counted(counts: Mapping[str, int]) -> str:
    """Return counts above 0 with their names, such as `demo/en-de 2, demo/en-zh 1`."""
    return first_names([f"{name} {count}" for name, count in counts.items() if count], NAMED)
