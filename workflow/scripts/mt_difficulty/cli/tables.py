"""Reports as text, LaTeX, JSON and bare numbers.

A report is a dictionary; docs/own_systems.md describes its keys. That of `hard` has neither
`scores` nor what belongs to them.
"""

import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from tabulate import LATEX_ESCAPE_RULES, tabulate

from ..errors import UNPRINTABLE, printable
from ..interface.difficulty import OF_TOKENS, printed
from ..interface.texts import DEFAULT_DIFFICULTY
from ..storage import to_json

WIDTH = 100
# Difficulties that a heading does not name: none, EE's and DA's.
USUAL = ("", DEFAULT_DIFFICULTY, OF_TOKENS)


def formatted(report: dict, form: str, digits: int | None = None) -> str:
    """A report as text, json, latex or numbers; scores of tables with `digits` after the point."""
    if form == "json":
        whole = to_json(report)
        # ASCII alone where it holds what a terminal or stdout's encoding does not take.
        unicode = (sys.stdout.encoding or "utf-8").lower().replace("-", "") == "utf8"
        ascii_only = not unicode or bool(UNPRINTABLE.search(whole.replace("\n", "")))
        return to_json(report, ascii_only) if ascii_only else whole
    if form == "numbers":
        # A line for each system, in the order that they were given: its score under every metric
        # and weighting, between tabs; `-` where there is none.
        columns = [
            {row["system"]: number(row["score"], score_format(rows, digits)) for row in rows}
            for rows in measures(report)
        ]
        lines = ("\t".join(column[name] for column in columns) for name in report["systems"])
        return "\n".join(lines)
    return as_text(report, digits) if form == "text" else as_latex(report, digits)


def as_text(report: dict, digits: int | None) -> str:
    """A report for terminals of 100 columns."""
    systems, segments = len(report["systems"]), report["segments"]
    parts = [
        f"mt-difficulty {report['version']}: {systems} system{'s' * (systems > 1)}, "
        f"{segments} segment{'s' * (segments != 1)}, "
        f"reference {printable(Path(report['reference']).name)}"
    ]
    if "scores" in report:
        parts += [_score_table(rows, report, digits) for rows in measures(report)]
        if resamples := report["resamples"]:
            lines = f"Intervals: percentiles of {resamples} bootstrap resamples of the segments."
            if report["comparisons"]:
                lines += (
                    " better than: the systems, by #, that a system beats with p < "
                    f"{1 - report['level']:.2f} (paired bootstrap and permutation test, the larger "
                    "p, two-sided, after Holm's correction over the pairs of systems under a "
                    "metric and weighting). # is a system's place in the first table."
                )
            parts.append(textwrap.fill(lines, WIDTH))
    parts += [_threshold(report), _hard_segments(report)]
    if "scores" in report:
        parts.append("\n".join(["Signatures", *(f"  {line}" for line in signatures(report))]))
    return "\n\n".join(part for part in parts if part)


def _score_table(rows: list[dict], report: dict, digits: int | None) -> str:
    """The systems under one metric and weighting."""
    first, numbers, segments = rows[0], places(report), report["segments"]
    title = printable(heading(first))
    if first["higher_is_better"] is None:
        return f"{title}: no scores, see the notices"
    title += f" ({'higher' if first['higher_is_better'] else 'lower'} is better)"
    form, resampled = score_format(rows, digits), bool(report["resamples"])
    interval = f"{report['level']:.0%} interval" * resampled
    table = [["#", "system", "score", interval, "better than" * (resampled and len(rows) > 1)]]
    for row in rows:
        ends = f"[{number(row['low'], form)}, {number(row['high'], form)}]" * resampled
        beaten = ranges([numbers[system] for system in row["better_than"]])
        place, system = str(numbers[row["system"]]), printable(row["system"])
        table.append([place, system, number(row["score"], form), ends, beaten])
    lines = [title, aligned(table, ("right", "left", "right", "right", "left"))]
    known = (row["effective_segments"] for row in rows)
    least = min((value for value in known if not np.isnan(value)), default=segments)
    if least <= segments - 0.05:  # where weights reduce it
        lines.append(f"  effective number of segments (Kish): at least {least:.1f} of {segments}")
    return "\n".join(lines)


def _threshold(report: dict) -> str:
    """h and w, and how they were made; nothing where there is no threshold."""
    groups = report["difficulty"]
    if "h" not in groups or np.isnan(groups["h"]):
        return ""
    known = groups | groups["estimate"] | {name: groups[name] for name in ("h", "w")}
    h, w, mu, sigma = (number(known[name], ".4f") for name in ("h", "w", "mu", "sigma"))
    # Without scores nothing is balanced.
    balance = f", w = {w} ({groups['w_from']})" * ("scores" in report)
    lines = (
        f"Difficulty: h = {h} ({groups['h_from']}; mean {printed(groups['name'])} {mu}, standard "
        f"deviation {sigma}){balance}. {sum(groups['difficult_hypotheses'].values())} of "
        f"{groups['systems'] * groups['segments']} hypotheses have a difficulty of at least h."
    )
    return textwrap.fill(printable(lines), WIDTH)


def _hard_segments(report: dict) -> str:
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
        labelled = [("source", row["source"]), ("reference", row["reference"])]
        for item in row["hypotheses"]:
            text = f"{item['system']}: {item['difficulty']:.4f}  {item['hypothesis']}"
            labelled.append(("hypothesis", text))
        if row["tokens"]:
            tokens = (f"{item['token']} {item['difficulty']:.3f}" for item in row["tokens"])
            labelled.append(("tokens", "   ".join(tokens)))
        for label, text in labelled:
            if text is not None:
                lines += textwrap.wrap(
                    printable(text),
                    WIDTH,
                    initial_indent=f"    {label:<11}",
                    subsequent_indent=" " * 15,
                    replace_whitespace=False,
                ) or [f"    {label}"]
    return "\n".join(lines)


def as_latex(report: dict, digits: int | None) -> str:
    """The scores, systems by metrics, and the hardest segments, as tables with booktabs' rules."""
    parts = [r"% needs \usepackage{booktabs}"]
    if "scores" in report:
        parts += [f"% {line}" for line in signatures(report)]
        caption = f"System scores on {report['segments']} segments"
        if report["resamples"]:
            caption += (
                f", with {report['level']:.0%} intervals from {report['resamples']} bootstrap "
                "resamples; in parentheses the systems that a system is significantly better than "
                f"(paired bootstrap and permutation test, p < {1 - report['level']:.2f}, "
                "two-sided, Holm's correction over the pairs of systems under a metric and "
                "weighting)"
            )
        numbers, groups = places(report), measures(report)
        names = ["#", "system"]
        table = [[str(place), system] for system, place in numbers.items()]
        for rows in groups:
            form, first = score_format(rows, digits), rows[0]
            lower = ", lower is better" * (first["higher_is_better"] is False)
            names.append("{} ({}{})".format(*heading(first).split(", ", 1), lower))
            of_systems = {row["system"]: row for row in rows}
            for line in table:
                row = of_systems[line[1]]
                cell = number(row["score"], form)
                if not np.isnan(row["low"]):
                    cell += f" [{row['low']:{form}}, {row['high']:{form}}]"
                beaten = ranges([numbers[system] for system in row["better_than"]])
                line.append(cell + f" ({beaten})" * bool(beaten))
        parts.append(_latex_table("rl" + "r" * len(groups), names, table, caption))
    if rows := report["hard_segments"]:
        caption = f"The segments of highest {measured(report)}"
        counted = rows[0]["difficult_systems"] is not None
        if counted:
            caption += f", and how many of {len(report['systems'])} systems find them difficult"
        names = ["segment", "difficulty", *["systems"] * counted, "reference"]
        table = [
            [
                *(str(row["segment"]), f"{row['difficulty']:.3f}"),
                *[str(row["difficult_systems"])] * counted,
                row["reference"],
            ]
            for row in rows
        ]
        columns = "rr" + "r" * counted + r"p{0.6\textwidth}"
        parts.append(_latex_table(columns, names, table, caption))
    return "\n".join(parts)


def _latex_table(columns: str, names: list[str], rows: list[list[str]], caption: str) -> str:
    names, *rows = ([printable(cell) for cell in row] for row in (names, *rows))
    table = tabulate(rows, names, tablefmt="latex_booktabs", stralign=None, disable_numparse=True)
    escaped = "".join(LATEX_ESCAPE_RULES.get(sign, sign) for sign in printable(caption))
    head = [r"\begin{table}", rf"\caption{{{escaped}.}}", rf"\begin{{tabular}}{{{columns}}}"]
    return "\n".join([*head, table.partition("\n")[2], r"\end{table}"])


def aligned(rows: list[list[str]], sides: Sequence[str]) -> str:
    """Lines of cells, indented; `sides` are left or right for each column."""
    lines = tabulate(
        rows, tablefmt="plain", colalign=sides, disable_numparse=True, preserve_whitespace=True
    )
    return textwrap.indent(lines, "  ")


def measures(report: dict) -> list[list[dict]]:
    """Rows of scores, a list for each metric and weighting, the best system first."""
    groups: dict[tuple[str, str], list[dict]] = {}
    for row in report["scores"]:
        groups.setdefault((row["metric"], row["weighting"]), []).append(row)
    worst = len(report["systems"]) + 1
    return [sorted(rows, key=lambda row: row["rank"] or worst) for rows in groups.values()]


def places(report: dict) -> dict[str, int]:
    """Every system's number: its place under the first metric, unweighted."""
    return {row["system"]: place for place, row in enumerate(measures(report)[0], 1)}


def signatures(report: dict) -> list[str]:
    """The settings behind every score."""
    firsts = [rows[0] for rows in measures(report) if rows[0]["signature"]]
    return [f"{printable(heading(row))}: {printable(row['signature'])}" for row in firsts]


def heading(row: dict) -> str:
    """Metric and weighting of a row, and the difficulty where it is not the weighting's own."""
    by = "" if row["difficulty"] in USUAL else f" by {row['difficulty']}"
    return f"{row['metric']}, {row['weighting']}{by}"


def measured(report: dict) -> str:
    """What the difficulty of hard segments is, in words."""
    about = report["difficulty"]
    return "mean " * (about["unit"] == "hypothesis") + printed(about["name"])


def score_format(rows: list[dict], digits: int | None) -> str:
    """Digits after the point: those asked for, or two for scores up to 100, four for those up to
    1."""
    if digits is not None:
        return f".{digits}f"
    return ".2f" if max(abs(np.nan_to_num(row["score"])) for row in rows) > 2 else ".4f"


def number(value: float, form: str) -> str:
    """A number, or a dash where there is none."""
    return "-" if np.isnan(value) else format(value, form)


def ranges(values: list[int]) -> str:
    """Numbers as `1, 3-5`."""
    runs: list[list[int]] = []
    for value in sorted(values):
        if runs and value == runs[-1][1] + 1:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
