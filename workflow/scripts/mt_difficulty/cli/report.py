"""`mt-difficulty score` and `hard`: print a report (`scoring.reporting`; keys in
docs/own_systems.md) as text (template: report.txt), LaTeX, JSON or bare numbers."""

import argparse
import csv
import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from tabulate import tabulate

from .. import __version__
from ..data.evalset import EvaluationSet
from ..data.own_files import pair_of, read_given_set
from ..data.score_files import plain
from ..errors import InputError, printable
from ..scoring import comparing, differences, reporting, texts
from ..scoring.parameters import check_parameters
from ..storage import Content, to_json, write_text
from ..tables import TABLES
from ..weighting.base import STANDARD
from . import check_output, tell

WIDTH = 100
HARDEST = 5  # segments that `score` lists by default


def report(arguments: argparse.Namespace) -> int:
    """Run `score` or `hard`: print system scores or the hardest segments; return exit code 0."""
    check_parameters(lang=arguments.lang, src_lang=arguments.src_lang)
    references = [*(arguments.ref or ()), *arguments.references]
    if not references:
        raise InputError("a reference is required: REF or --ref FILE (`select` needs none)")
    pair = pair_of(arguments.src_lang, arguments.lang)
    evalset, more_references = read_given_set(
        references, arguments.hyp, arguments.src, pair, arguments.num_refs, arguments.documents
    )
    if arguments.command == "hard":
        content = _hard_content(arguments, evalset, more_references)
    else:
        inputs = [*references, *arguments.hyp, arguments.src, arguments.difficulty]
        inputs.append(arguments.documents)
        check_output("--html", arguments.html, [*inputs, arguments.encoder])
        content = _score_content(arguments, evalset, more_references)
    if not arguments.quiet:
        for notice in content["notices"]:
            tell(f"notice: {notice}")
    _print_content(content, arguments.format, getattr(arguments, "width", None))
    return 0


def _hard_content(
    arguments: argparse.Namespace, evalset: EvaluationSet, more_references: list[list[str]]
) -> Content:
    """Return the report of `hard`."""
    options = {"h": arguments.h, "encoder": arguments.encoder, "layer": arguments.layer}
    check_parameters(**options)
    scored = texts.score_texts(
        evalset,
        more_references,
        difficulty=arguments.difficulty,
        baseline=arguments.baseline,
        **options,
    )
    return reporting.text_report(
        scored,
        arguments.top,
        hypotheses=arguments.hypotheses,
        within_length=arguments.within_length,
    )


def _score_content(
    arguments: argparse.Namespace, evalset: EvaluationSet, more_references: list[list[str]]
) -> Content:
    """Return the report of `score`, for a page or JSON with what differs between systems; with
    `--html`, write it as a page, too."""
    options = {
        "h": arguments.h,
        "encoder": arguments.encoder,
        "layer": arguments.layer,
        "w": arguments.w,
        "share": arguments.share,
        "softmax": arguments.softmax,
    }
    check_parameters(resamples=arguments.resamples, **options)
    difficulty = arguments.difficulty
    lists_segments = arguments.html or arguments.top
    if lists_segments and not difficulty:
        difficulty = texts.DEFAULT_DIFFICULTY
    scored = texts.score_texts(
        evalset,
        more_references,
        metrics=arguments.metric,
        weightings=arguments.weighting,
        difficulty=difficulty,
        difficulty_metric=arguments.metric[0],
        metric_settings=_metric_settings(arguments),
        baseline=arguments.baseline,
        **options,
    )
    content = reporting.score_report(
        scored,
        top=HARDEST if arguments.top is None else arguments.top,
        resamples=0 if arguments.format == "numbers" else arguments.resamples,
        seed=arguments.seed,
        unit=arguments.unit,
    )
    if arguments.html or arguments.format == "json":
        content["differences"] = differences.describe_differences(
            scored, arguments.resamples, arguments.seed, arguments.unit
        )
    if arguments.html:
        write_page(arguments.html, scored, content)
    return content


def _metric_settings(arguments: argparse.Namespace) -> dict[str, Content]:
    """Return settings of metrics by type, from options such as `--tokenize` (bleu.tokenize)."""
    settings: dict[str, Content] = {
        "bleu": {"lowercase": arguments.lowercase},
        "chrf": {"lowercase": arguments.lowercase},
    }
    for name, value in vars(arguments).items():
        metric_type, dot, setting = name.partition(".")
        if dot and value is not None:
            settings[metric_type][setting] = value
    return settings


def _print_content(content: Content, form: str, digits: int | None) -> None:
    """Print a report in a format: json, tsv, text, latex or numbers."""
    if form == "json":
        print(to_json({"version": __version__, **content}))
        return
    if form == "tsv":
        rows = pd.DataFrame(content.get("scores", content["hard_segments"]))
        if "better_than" in rows:
            rows["better_than"] = rows.better_than.map(better_than)
        print_table(rows.drop(columns=["hypotheses", "tokens"], errors="ignore"), "tsv")
        return
    tables = score_tables(content, digits)
    if form == "text":
        print(as_text(content, tables))
    elif form == "latex":
        print(as_latex(content, tables))
    else:  # numbers: a line for each system, in the order in which they were given
        columns = [{row["system"]: row["score"] for row in table["cells"]} for table in tables]
        lines = ["\t".join(column[name] for column in columns) for name in content["systems"]]
        print(*lines, sep="\n")


def write_page(file: Path, scored: texts.ScoredTexts, report: Content) -> None:
    """Write an HTML page of scored texts, made like the page of a run's set.

    Parameters
    ----------
    file : Path
        The file to write.
    scored : ScoredTexts
    report : dict
        As from `score_report`, with `differences`.
    """
    from ..page import differences as differences_part
    from ..page import render, segments, set_page
    from ..plan.base import find_project

    # The page of a set is made from a run's tables.
    scores = pd.DataFrame(report["scores"])
    scores = scores[scores.signature.notna()]
    reasons = scored.scored.missing
    missing = [(*key, "", reasons[key]) for key in scored.keys if key in reasons]
    contents = scored.files.contents
    contents["missing.csv"] = pd.DataFrame(missing, columns=TABLES["missing.csv"].names())
    contents["system_scores.csv"] = scores
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
    page |= _comparisons_of_page(report, scores, best=page["scores"]["rows"][0][0])
    ranked = [row[0] for row in page["scores"]["rows"]]
    page["differences"] = differences_part.describe(report["differences"], ranked, measured(report))
    page |= set_page.sentences(page)
    folder = find_project()[1].parent / "report"
    style, *scripts = [
        (folder / name).read_text(encoding="utf-8")
        for name in ("report.css", "tables.js", "browser.js")
    ]
    write_text(file, render(folder / "set.html.j2", page, style, scripts))
    tell(f"wrote {file}")


def _comparisons_of_page(report: Content, scores: pd.DataFrame, best: str) -> Content:
    """Return a page's table of comparisons between systems, and `worse`: how many systems the best
    one beats significantly under the first metric, unweighted. Empty without comparisons."""
    from ..page import tables

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
        "worse": int((p_of_best < comparing.ALPHA).sum()),
    }


def score_tables(report: Content, digits: int | None) -> list[Content]:
    """Return a table for each metric and weighting, with cells as text.

    Parameters
    ----------
    report : dict
        As from `score_report`.
    digits : int, optional
        Decimals of scores; by default 2, or 4 for small scores.

    Returns
    -------
    list of dict
        The first row of scores, and `title`, `effective` (the smallest effective number of
        segments) and `cells`, a row for each system, best first. Column # is a system's rank under
        the first metric, unweighted.
    """
    tables: list[Content] = []
    ranks: dict[str, int] = {}
    last = len(report["systems"]) + 1  # rank of a system without a score
    groups = groupby(report.get("scores", ()), lambda row: (row["metric"], row["weighting"]))
    for _, group in groups:
        rows = sorted(group, key=lambda row: row["rank"] or last)
        if not ranks:
            ranks = {row["system"]: rank for rank, row in enumerate(rows, 1)}
        first = rows[0]
        title = f"{first['metric']}, {first['weighting']}"
        # Name the difficulty if it is not the default of EE or DA.
        if first["difficulty"] not in ("", texts.DEFAULT_DIFFICULTY, texts.TOKEN_DIFFICULTY):
            title += f" by {first['difficulty']}"
        effective = [row["effective_segments"] for row in rows]
        form = _score_form(rows, digits)
        table = first | {
            "title": title,
            "cells": [_score_cells(row, ranks, form) for row in rows],
            "effective": np.nanmin([*effective, report["segments"]]),
        }
        tables.append(table)
    return tables


def _score_form(rows: Sequence[Content], digits: int | None) -> str:
    """Return the format of a table's scores; by default with 2 decimals, or 4 for small scores."""
    if digits is None:
        largest = max(abs(np.nan_to_num(row["score"])) for row in rows)
        digits = 2 if largest > 2 else 4
    return f".{digits}f"


def _score_cells(row: Content, ranks: Mapping[str, int], form: str) -> dict[str, str]:
    """Return the cells of a system's row in a table of scores."""
    interval = ""
    if not np.isnan(row["low"]):
        interval = f"[{number(row['low'], form)}, {number(row['high'], form)}]"
    return {
        "#": str(ranks[row["system"]]),
        "system": row["system"],
        "score": number(row["score"], form),
        "better than": better_than(row["better_than"], ranks),
        "interval": interval,
    }


def better_than(systems: Sequence[str] | None, ranks: Mapping[str, int] | None = None) -> str:
    """Return the systems that one is better than as text: names or, with `ranks`, `1, 3-4`."""
    if systems is None:
        return reporting.NOT_TESTED
    if ranks is None:
        return ", ".join(systems)
    beaten = np.sort([ranks[name] for name in systems])
    runs = np.split(beaten, np.flatnonzero(np.diff(beaten) > 1) + 1)
    parts = []
    for run in runs:
        if len(run) == 1:
            parts.append(str(run[0]))
        elif len(run):
            parts.append(f"{run[0]}-{run[-1]}")
    return ", ".join(parts)


def as_text(report: Content, tables: list[Content]) -> str:
    """Return a report as text, 100 columns wide; `tables` is `score_tables(report)`."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True
    )
    templates.filters |= {
        "printable": printable,
        "named": texts.printed,
        "number": lambda value: number(value, ".4f"),
        "times": _times,
        "wrap": lambda text: textwrap.fill(printable(" ".join(text.split())), WIDTH) + "\n",
        "labelled": _labelled,
        "aligned": _aligned_scores,
        "token": lambda item: f"{item['token']} {item['difficulty']:.3f}",
    }
    variables = {
        **report,
        "version": __version__,
        "file": Path(report["reference"]).name,
        "tables": tables,
        "signatures": signatures(tables),
        "measured": measured(report) if report["hard_segments"] else "",
    }
    return templates.get_template("report.txt").render(variables).rstrip("\n")


def _times(count: int, noun: str) -> str:
    """Return a count with its noun, such as `1 system` and `2 systems`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _labelled(text: str, label: str) -> str:
    """Return a text with a label before its first line, wrapped and indented."""
    filled = textwrap.fill(
        printable(text),
        WIDTH,
        initial_indent=f"    {label:<11}",
        subsequent_indent=" " * 15,
        replace_whitespace=False,
    )
    return filled or f"    {label}"


def _aligned_scores(cells: list[dict[str, str]], resamples: int, level: float) -> str:
    """Return a table of scores as text; without resamples it has no intervals and comparisons."""
    heads = {"#": "#", "system": "system", "score": "score"}
    sides = ["right", "left", "right"]
    if resamples:
        heads["interval"] = f"{level:.0%} interval"
        sides.append("right")
    if resamples and len(cells) > 1:
        heads["better than"] = "better than"
        sides.append("left")
    rows = [[printable(row[name]) for name in heads] for row in cells]
    return aligned([list(heads.values()), *rows], sides)


def as_latex(report: Content, tables: list[Content]) -> str:
    """Return LaTeX tables of scores and hardest segments; `tables` is `score_tables(report)`."""
    lines = [r"% needs \usepackage{booktabs}"]
    lines += [f"% {line}" for line in signatures(tables)]
    if report.get("resamples"):
        lines.append(
            f"% score [{report['level']:.0%} interval of {report['resamples']} bootstrap resamples "
            f"of {report['resampled']}]"
            f" (systems beaten with p < {1 - report['level']:.2f} after Holm's correction, by #)"
        )
    if tables:
        columns = _latex_columns(tables)
        lines.append(_latex_table(columns, list(columns)))
    hardest = _latex_segments(report)
    if hardest:
        lines.append(_latex_table(hardest, list(hardest[0])))
    return "\n".join(lines)


def _latex_columns(tables: list[Content]) -> dict[str, list[str]]:
    """Return columns of a LaTeX table of scores: systems, and one for each metric and weighting."""
    columns: dict[str, list[str]] = {}
    for table in tables:
        cells = sorted(table["cells"], key=lambda row: int(row["#"]))
        for name in ("#", "system"):
            columns[name] = [printable(row[name]) for row in cells]
        metric, weighting = table["title"].split(", ", 1)
        if table["higher_is_better"] is False:
            weighting += ", lower is better"
        columns[printable(f"{metric} ({weighting})")] = [_latex_score(row) for row in cells]
    return columns


def _latex_score(row: Mapping[str, str]) -> str:
    """Return a score with its interval and the systems that are worse."""
    text = f"{row['score']} {row['interval']}".strip()
    return f"{text} ({row['better than']})" if row["better than"] else text


def _latex_segments(report: Content) -> list[Content]:
    """Return rows of a LaTeX table of the hardest segments, by column."""
    rows = []
    for segment in report["hard_segments"]:
        row = {"segment": segment["segment"], measured(report): f"{segment['difficulty']:.3f}"}
        if segment["difficult_systems"] is not None:
            row["difficult for"] = f"{segment['difficult_systems']} of {len(report['systems'])}"
        row["reference"] = printable(segment["reference"])
        rows.append(row)
    return rows


def _latex_table(rows: dict[str, list[str]] | list[Content], names: list[str]) -> str:
    """Return a LaTeX table of columns or rows; `names` are the names of the columns."""
    sides = ["left" if name in ("system", "reference") else "right" for name in names]
    return tabulate(rows, "keys", tablefmt="latex_booktabs", colalign=sides, disable_numparse=True)


def aligned(rows: list[list[str]], sides: Sequence[str]) -> str:
    """Return table rows as text in aligned columns; `sides` has `left` or `right` per column."""
    lines = tabulate(
        rows, tablefmt="plain", colalign=sides, disable_numparse=True, preserve_whitespace=True
    )
    return textwrap.indent(lines, "  ")


def signatures(tables: list[Content]) -> list[str]:
    """Return `title: signature` (the metric's settings) of each table that has a signature."""
    return [
        printable(f"{table['title']}: {table['signature']}")
        for table in tables
        if table["signature"]
    ]


def measured(report: Content) -> str:
    """Return the display name of the difficulty estimator that ranks the hardest segments."""
    difficulty = report["difficulty"]
    name = texts.printed(difficulty["name"])
    return f"mean {name}" if difficulty["unit"] == "hypothesis" else name


def print_table(table: pd.DataFrame, form: str) -> None:
    """Print a table in the format `form`: csv, tsv (without quotes) or json (a list of objects)."""
    if form == "json":
        print(to_json(table.to_dict("records"), sort_keys=False))
    elif form == "tsv":
        cells = table.map(lambda value: plain(value) if isinstance(value, str) else value)
        print(cells.to_csv(sep="\t", index=False, quoting=csv.QUOTE_NONE), end="")
    else:
        print(table.to_csv(index=False, lineterminator="\n"), end="")


def number(value: float, form: str) -> str:
    """Return a number as text in the format `form`, such as `.4f`; NaN becomes `-`."""
    return "-" if np.isnan(value) else format(value, form)
