"""`mt-difficulty score` and `hard`: print a report (`scoring.reporting`; keys in
docs/own_systems.md) as text (template: report.txt), LaTeX, JSON or bare numbers."""

import argparse
import csv
import sys
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from ..data.text_files import STDIN, read_documents
from ..errors import InputError, printable
from ..plan.base import ARCHIVE
from ..scoring import differences, reporting, texts
from ..scoring.archive_texts import read_archive_texts
from ..scoring.parameters import check_parameters
from ..storage import Content, to_json, write_text
from . import check_output, tell

WIDTH = 100
HARDEST = 5  # segments that `score` lists by default


def report(arguments: argparse.Namespace) -> int:
    """Run `score` or `hard`: print system scores or the hardest segments; return exit code 0."""
    check_parameters(lang=arguments.lang, src_lang=arguments.src_lang)
    if arguments.test_set:
        evalset, more_references = _read_test_set(arguments)
    else:
        evalset, more_references = _read_files(arguments)
    if arguments.command == "hard":
        content = _hard_content(arguments, evalset, more_references)
    else:
        inputs = [*(arguments.ref or ()), *arguments.references, *(arguments.hyp or ())]
        inputs += [arguments.src, arguments.difficulty, arguments.documents, arguments.archive]
        check_output("--html", arguments.html, [*inputs, arguments.encoder])
        content = _score_content(arguments, evalset, more_references)
    if not arguments.quiet:
        for notice in content["notices"]:
            tell(f"notice: {notice}")
    _print_content(content, arguments.format, getattr(arguments, "width", None))
    return 0


def _read_files(arguments: argparse.Namespace) -> tuple[EvaluationSet, list[list[str]]]:
    """Read the texts that are named as files; return the set and further references."""
    references = [*(arguments.ref or ()), *arguments.references]
    if not references:
        raise InputError(
            "a reference is required: REF or --ref FILE, or a set of the archive, as -t wmt23 -l "
            "he-en (`select` needs none)"
        )
    source_language, language = arguments.src_lang, arguments.lang
    if arguments.language_pair:
        if arguments.src_lang or arguments.lang:
            raise InputError("-l names both languages: leave out --lang and --src-lang.")
        named_source, named_target = _languages(arguments.language_pair)
        source_language, language = named_source, named_target
    if not arguments.hyp and sys.stdin is not None and sys.stdin.isatty():
        tell("reading a system's output from standard input; -i names files.")
    return read_given_set(
        references,
        arguments.hyp or [Path(STDIN)],
        arguments.src,
        pair_of(source_language, language),
        arguments.num_refs,
        arguments.documents,
    )


def _languages(pair: str) -> tuple[str, str]:
    """Return the languages of a pair such as he-en, the source's first."""
    source, _, target = pair.partition("-")
    if not source or not target:
        raise InputError(f"-l {pair}: expected a language pair, such as he-en.")
    check_parameters(src_lang=source, lang=target.replace("-", "_"))
    return source, target.replace("-", "_")


def _read_test_set(arguments: argparse.Namespace) -> tuple[EvaluationSet, list[list[str]]]:
    """Read a set of the archive, and own outputs beside it; return it and further references."""
    if not arguments.language_pair:
        raise InputError(f"-t {arguments.test_set}: name the language pair, too (-l, as he-en).")
    given = {
        "REF": arguments.references,
        "--num-refs": arguments.num_refs > 1,
        "--src": arguments.src,
        "--lang": arguments.lang,
        "--src-lang": arguments.src_lang,
    }
    for option, value in given.items():
        if value:
            raise InputError(
                f"{option} has no meaning with -t: texts and languages are those of the archive; "
                "--ref names another of its references."
            )
    evalset, more_references = read_archive_texts(
        arguments.archive or Path(ARCHIVE),
        arguments.test_set,
        arguments.language_pair,
        [str(name) for name in arguments.ref or ()],
        arguments.hyp or (),
    )
    if arguments.documents:
        (names,) = read_documents(arguments.documents, len(evalset.reference))
        evalset = replace(evalset, documents=names)
    return evalset, more_references


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
    check_parameters(**options)
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
    resamples = arguments.resamples
    if arguments.format == "numbers" and not arguments.html:
        resamples = 0
    content = reporting.score_report(
        scored,
        top=HARDEST if arguments.top is None else arguments.top,
        resamples=resamples,
        seed=arguments.seed,
        unit=arguments.unit,
    )
    if arguments.html or arguments.format == "json":
        content["differences"] = differences.describe_differences(
            scored, resamples, arguments.seed, arguments.unit
        )
    if arguments.html:
        from ..page.scored_texts import page_of_texts

        write_text(arguments.html, page_of_texts(scored, content))
        if not arguments.quiet:
            tell(f"wrote {arguments.html}")
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
            rows["better_than"] = rows.better_than.map(reporting.better_than)
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
        "better than": reporting.better_than(row["better_than"], ranks),
        "interval": interval,
    }


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
        "measured": reporting.measured(report) if report["hard_segments"] else "",
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
        row = {
            "segment": segment["segment"],
            reporting.measured(report): f"{segment['difficulty']:.3f}",
        }
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
