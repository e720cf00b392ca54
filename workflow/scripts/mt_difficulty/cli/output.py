"""Reports as text, JSON, LaTeX and bare numbers.

A report is a dictionary with these keys; of `hard` only the first eight.

version, reference, language (None: not given), systems (in the given order), segments
difficulty
    name (of the estimator or file), unit (segment or hypothesis), signature, notices; where there
    is a threshold, what `Groups.fit` gives: h, w, h_from, w_from, estimate, difficult_hypotheses.
notices : list of str
hard_segments : list
    segment (from 1), difficulty (mean over systems), difficult_systems (how many; None without a
    threshold), source, reference, hypotheses (the most difficult ones: system, difficulty,
    hypothesis), tokens (None without an encoder; else of each token and difficulty).
resamples, seed, level
scores : list
    metric, weighting (standard, EE, DA, ...), difficulty (its name; empty for standard), system,
    score, low, high (interval), rank (1 is best), better_than (systems, by p_holm),
    effective_segments
    (Kish's), higher_is_better, signature.
comparisons : list
    metric, weighting, difficulty, system, other, difference (of scores), wins (share of resamples
    in which system scores better than other), p (bootstrap, one-sided), p_holm (two-sided, the
    larger of bootstrap and permutation test, corrected over the pairs of systems under a metric and
    weighting; 1 for the worse system of a pair).
"""

import sys
from importlib import import_module

from ..errors import UNPRINTABLE
from ..storage import to_json
from . import show


def write(report: dict, form: str, digits: int | None = None) -> None:
    """Print a report in one of the formats, scores of tables with `digits` after the point."""
    if form == "json":
        show(f"{json_of(report)}\n")
        return
    # Only what is needed is imported: LaTeX takes pandas.
    show(f"{import_module(f'.{form}', __package__).tables(report, digits)}\n")


def json_of(report: dict) -> str:
    """A report as JSON: ASCII alone where it holds what a terminal or stdout's encoding does not
    take."""
    whole = to_json(report)
    try:
        whole.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        return to_json(report, ascii_only=True)
    return to_json(report, ascii_only=bool(UNPRINTABLE.search(whole.replace("\n", ""))))
