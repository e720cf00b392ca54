"""Reports as LaTeX tables with booktabs' rules."""

import re

import numpy as np
import pandas as pd

from ..errors import printable
from .rows import defined, heading, measured, measures, numbers, ranges, score_format

SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}


def escape(text: str) -> str:
    """Text as LaTeX prints it."""
    return re.sub(r"[\\~^&%$#_{}]", lambda sign: SPECIAL[sign[0]], printable(text))


def tables(report: dict, digits: int | None) -> str:
    """The scores, with this many digits after the point, and the hardest segments."""
    parts = [r"% needs \usepackage{booktabs}"]
    if "scores" in report:
        parts.append(scores(report, digits))
    if report["hard_segments"]:
        parts.append(hard_segments(report))
    return "\n".join(parts)


def scores(report: dict, digits: int | None) -> str:
    """Systems by metrics: score, interval, and as exponent which systems are beaten."""
    columns, number = measures(report), numbers(report)
    header = [
        "{} ({})".format(*escape(heading(first)).split(", ", 1))
        + r" $\downarrow$" * (first["higher_is_better"] is False)
        for first, *_ in columns
    ]
    body = [
        [str(place), escape(system)] + [cell(system, column, number, digits) for column in columns]
        for system, place in number.items()
    ]
    caption = f"System scores on {report['segments']} segments"
    if report["resamples"]:
        caption += (
            (
                f", with {report['level']:.0%} intervals from {report['resamples']} bootstrap "
                "resamples; exponents name the systems that a system is significantly better than "
                f"(paired bootstrap and permutation test, p < {1 - report['level']:.2f}, "
                "two-sided, Holm's correction over the pairs of systems under a metric and "
                "weighting)"
            )
            .replace("<", "$<$")
            .replace("%", r"\%")
        )
    signatures = [
        f"% {printable(heading(first))}: {printable(first['signature'])}"
        for first, *_ in columns
        if first["signature"]
    ]
    spec = "rl" + "r" * len(columns)
    return "\n".join([*signatures, _table(spec, [r"\#", "system", *header], body, caption)])


def cell(system: str, column: list[dict], number: dict[str, int], digits: int | None) -> str:
    """One score, as `70.12 [69.01, 71.20]$^{2-4}$`."""
    form, row = score_format(column, digits), next(row for row in column if row["system"] == system)
    text = defined(row["score"], form)
    if not np.isnan(row["low"]):
        text += f" [{row['low']:{form}}, {row['high']:{form}}]"
    beaten = ranges([number[other] for other in row["better_than"]])
    return text + f"$^{{{beaten}}}$" * bool(beaten)


def hard_segments(report: dict) -> str:
    """The hardest segments and their references; with a threshold also for how many systems they
    are difficult."""
    rows, caption = report["hard_segments"], f"The segments of highest {escape(measured(report))}"
    counted = rows[0]["difficult_systems"] is not None
    body = [
        [str(row["segment"]), f"{row['difficulty']:.3f}"]
        + [str(row["difficult_systems"])] * counted
        + [escape(row["reference"])]
        for row in rows
    ]
    header = ["segment", "difficulty", *["systems"] * counted, "reference"]
    if counted:
        caption += f", and how many of {len(report['systems'])} systems find them difficult"
    return _table("rr" + "r" * counted + r"p{0.6\textwidth}", header, body, caption)


def _table(columns: str, header: list[str], rows: list[list[str]], caption: str) -> str:
    frame = pd.DataFrame(rows, columns=header)
    return frame.to_latex(index=False, column_format=columns, caption=f"{caption}.").strip()
