"""Reports for terminals."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tabulate import tabulate

from ..errors import printable
from ..interface.difficulty import printed
from .rows import defined, heading, measured, measures, numbers, ranges, score_format

WIDTH = 100


def tables(report: dict, digits: int | None) -> str:
    """A report for terminals of 100 columns, scores with this many digits after the point."""
    parts = [title(report)]
    if "scores" in report:
        parts += [score_table(rows, report, digits) for rows in measures(report)]
        parts.append(comparisons_explained(report))
    parts += [threshold(report), hard_segments(report)]
    if "scores" in report:
        parts.append(signatures(report))
    return "\n\n".join(part for part in parts if part)


def title(report: dict) -> str:
    """Version, size and texts in one line."""
    count = len(report["systems"])
    return (
        f"mt-difficulty {report['version']}: {count} system{'s' * (count > 1)}, "
        f"{report['segments']} segment{'s' * (report['segments'] != 1)}, "
        f"reference {printable(Path(report['reference']).name)}"
    )


def score_table(rows: list[dict], report: dict, digits: int | None) -> str:
    """The systems under one metric and weighting."""
    first, number = rows[0], numbers(report)
    title = printable(heading(first))
    if first["higher_is_better"] is None:
        return f"{title}: no scores, see the notices"
    title += f" ({'higher' if first['higher_is_better'] else 'lower'} is better)"
    form, compared = score_format(rows, digits), len(rows) > 1 and report["resamples"]
    interval = f"{report['level']:.0%} interval" * bool(report["resamples"])
    header = ["#", "system", "score", interval, "better than" * bool(compared)]
    cells = [
        [
            str(number[row["system"]]),
            printable(row["system"]),
            defined(row["score"], form),
            f"[{defined(row['low'], form)}, {defined(row['high'], form)}]" * bool(interval),
            ranges([number[other] for other in row["better_than"]]),
        ]
        for row in rows
    ]
    table = aligned([header, *cells], ("right", "left", "right", "right", "left"))
    return "\n".join([title, table, *effective_segments(rows, report["segments"])])


def effective_segments(rows: list[dict], segments: int) -> list[str]:
    """A line with the smallest effective number of segments, where weights reduce it."""
    known = (row["effective_segments"] for row in rows)
    least = min((number for number in known if not np.isnan(number)), default=segments)
    if least > segments - 0.05:
        return []
    return [f"  effective number of segments (Kish): at least {least:.1f} of {segments}"]


def aligned(rows: list[list[str]], sides: Sequence[str]) -> str:
    """Lines of cells, indented; `sides` are left or right for each column."""
    lines = tabulate(
        rows, tablefmt="plain", colalign=sides, disable_numparse=True, preserve_whitespace=True
    )
    return textwrap.indent(lines, "  ")


def comparisons_explained(report: dict) -> str:
    """How to read the tables."""
    if not report["resamples"]:
        return ""
    lines = f"Intervals: percentiles of {report['resamples']} bootstrap resamples of the segments."
    if report["comparisons"]:
        lines += (
            f" better than: the systems, by #, that a system beats with p < "
            f"{1 - report['level']:.2f} (paired bootstrap and permutation test, the larger p, "
            "two-sided, after Holm's correction over the pairs of systems under a metric and "
            "weighting). # is a system's place in the first table."
        )
    return textwrap.fill(lines, WIDTH)


def threshold(report: dict) -> str:
    """h and w, and how they were made; nothing where there is no threshold."""
    found = report["difficulty"]
    if "h" not in found or np.isnan(found["h"]):
        return ""
    cases, name = sum(found["difficult_hypotheses"].values()), printed(found["name"])
    # Without scores nothing is balanced.
    balance = f", w = {defined(found['w'], '.4f')} ({found['w_from']})" * ("scores" in report)
    lines = (
        f"Difficulty: h = {defined(found['h'], '.4f')} ({found['h_from']}; mean {name} "
        f"{defined(found['estimate']['mu'], '.4f')}, standard deviation "
        f"{defined(found['estimate']['sigma'], '.4f')}){balance}. {cases} of "
        f"{found['systems'] * found['segments']} hypotheses have a difficulty of at least h."
    )
    return textwrap.fill(printable(lines), WIDTH)


def hard_segments(report: dict) -> str:
    """The hardest segments with their texts."""
    if not report["hard_segments"]:
        return "No hard segments." * ("scores" not in report)
    systems = len(report["systems"])
    over = f" over {systems} system{'s' * (systems > 1)}"
    over *= report["difficulty"]["unit"] == "hypothesis"
    lines = [f"Hardest segments ({printable(measured(report))}{over})"]
    for row in report["hard_segments"]:
        lines.append(f"  segment {row['segment']}: difficulty {row['difficulty']:.4f}")
        if row["difficult_systems"] is not None:
            lines[-1] += f", difficult for {row['difficult_systems']} of {systems}"
        lines += labelled("source", row["source"]) + labelled("reference", row["reference"])
        for one in row["hypotheses"]:
            shown = f"{one['difficulty']:.4f}  {one['hypothesis']}"
            lines += labelled("hypothesis", f"{one['system']}: {shown}")
        if row["tokens"]:
            tokens = (f"{item['token']} {item['difficulty']:.3f}" for item in row["tokens"])
            lines += labelled("tokens", "   ".join(tokens))
    return "\n".join(lines)


def labelled(label: str, content: str | None) -> list[str]:
    """A text under its label, wrapped; nothing without a text."""
    if content is None:
        return []
    return textwrap.wrap(
        printable(content),
        WIDTH,
        initial_indent=f"    {label:<11}",
        subsequent_indent=" " * 15,
        replace_whitespace=False,
    ) or [f"    {label}"]


def signatures(report: dict) -> str:
    """The settings behind every score."""
    lines = ["Signatures"]
    for first, *_ in measures(report):
        if first["signature"]:
            lines.append(f"  {printable(heading(first))}: {printable(first['signature'])}")
    return "\n".join(lines)
