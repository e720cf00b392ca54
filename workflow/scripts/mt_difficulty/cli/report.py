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
from ..data.own_files import pair_of, read_given_set
from ..data.score_files import plain
from ..errors import InputError, printable
from ..scoring import comparing, reporting, texts
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
    files = arguments.hyp, arguments.src, pair_of(arguments.src_lang, arguments.lang)
    evalset, more_references = read_given_set(references, *files, arguments.num_refs)
    if arguments.command == "score":
        read = [*references, *arguments.hyp, arguments.src, arguments.difficulty]
        check_output("--html", arguments.html, [*read, arguments.encoder])
    names = ["h", "encoder", "layer"]
    names += ["w", "share", "softmax"] if arguments.command == "score" else []
    options = {name: getattr(arguments, name) for name in names}
    check_parameters(resamples=getattr(arguments, "resamples", None), **options)
    options["difficulty"] = arguments.difficulty
    if arguments.command == "hard":
        listed = arguments.top, arguments.hypotheses, arguments.within_length
        content = reporting.text_report(
            texts.score_texts(evalset, more_references, **options), *listed
        )
    else:
        settings = {kind: {"lowercase": arguments.lowercase} for kind in ("bleu", "chrf")}
        for name, value in vars(arguments).items():
            kind, dot, setting = name.partition(".")
            if dot and value is not None:
                settings[kind][setting] = value
        options |= {"metrics": arguments.metric, "difficulty_metric": arguments.metric[0]}
        options |= {"weightings": arguments.weighting, "metric_settings": settings}
        lists_segments = arguments.html or arguments.top
        if lists_segments and not options["difficulty"]:
            options["difficulty"] = texts.DEFAULT_DIFFICULTY
        scored = texts.score_texts(evalset, more_references, **options)
        resamples = 0 if arguments.format == "numbers" else arguments.resamples
        top = HARDEST if arguments.top is None else arguments.top
        content = reporting.score_report(scored, top, resamples, arguments.seed)
        if arguments.html:
            write_page(arguments.html, scored, content)
    for notice in content["notices"] if not arguments.quiet else ():
        tell(f"notice: {notice}")
    tables = score_tables(content, getattr(arguments, "width", None))
    if arguments.format == "json":
        print(to_json({"version": __version__, **content}))
    elif arguments.format == "tsv":
        rows = pd.DataFrame(content.get("scores", content["hard_segments"]))
        if "better_than" in rows:
            rows["better_than"] = rows.better_than.map(better_than)
        print_table(rows.drop(columns=["hypotheses", "tokens"], errors="ignore"), "tsv")
    elif arguments.format == "text":
        print(as_text(content, tables))
    elif arguments.format == "latex":
        print(as_latex(content, tables))
    else:  # numbers: a line for each system, in the order that they were given
        columns = [{row["system"]: row["score"] for row in table["cells"]} for table in tables]
        print(*("\t".join(c[name] for c in columns) for name in content["systems"]), sep="\n")
    return 0


def write_page(file: Path, scored: texts.ScoredTexts, report: Content) -> None:
    """Write an HTML page of scored texts and their `report`, made by `score_report`, to `file`."""
    from ..page import render, segments, set_page, tables
    from ..plan.base import find_project

    # As the tables of a run, from which a set's page is made.
    scores, pairs = pd.DataFrame(report["scores"]), pd.DataFrame(report["comparisons"])
    scores, absent = scores[scores.signature.notna()], scored.scored.missing
    missing = [(*key, "", absent[key]) for key in scored.keys if key in absent]
    heads = TABLES["missing.csv"].names()
    scored.files.contents["missing.csv"] = pd.DataFrame(missing, columns=heads)
    scored.files.contents["system_scores.csv"] = scores
    page, _ = set_page.describe(scored.files, scored.settings, [], {})
    reference = Path(report["reference"]).name
    page |= {"name": f"Systems scored against {reference}", "index": "", "no_gold": ""}
    page |= {"packed": segments.packed(page["segments"])}
    page["evalset"] |= {"reference": reference, "notices": report["notices"]}
    page["tested"] = report["tested"]
    if len(pairs):
        lower = pairs.metric.isin(scores.metric[scores.higher_is_better.eq(False)])
        better = pairs[pairs.difference.mask(lower, -pairs.difference) > 0]
        names = {"p_holm": "p_adjusted", "difference": "score_difference"}
        page["comparisons"] = tables.result_table(better.drop(columns="p").rename(columns=names))
        of_best = better.metric.eq(pairs.metric.iloc[0]) & better.weighting.eq(STANDARD)
        of_best &= better.system.eq(page["scores"]["rows"][0][0])
        page["worse"] = int((better.p_holm[of_best] < comparing.ALPHA).sum())
    folder, parts = find_project()[1].parent / "report", ("report.css", "tables.js", "browser.js")
    style, *scripts = [(folder / part).read_text(encoding="utf-8") for part in parts]
    write_text(file, render(folder / "set.html.j2", page, style, scripts))
    tell(f"wrote {file}")


def score_tables(report: Content, digits: int | None) -> list[Content]:
    """Return a table for each metric and weighting: title, signature, smallest effective number of
    segments, and a row of cells for each system, best first. Column # is a system's rank under the
    first metric, unweighted."""
    tables, places = [], dict[str, int]()
    worst = len(report["systems"]) + 1
    groups = groupby(report.get("scores", ()), lambda row: (row["metric"], row["weighting"]))
    for _, group in groups:
        rows = sorted(group, key=lambda row: row["rank"] or worst)
        places = places or {row["system"]: place for place, row in enumerate(rows, 1)}
        largest = max(abs(np.nan_to_num(row["score"])) for row in rows)
        form = f".{(2 if largest > 2 else 4) if digits is None else digits}f"
        # Name the difficulty if it is not the default of EE or DA.
        usual = rows[0]["difficulty"] in ("", texts.DEFAULT_DIFFICULTY, texts.TOKEN_DIFFICULTY)
        table = rows[0] | {"title": f"{rows[0]['metric']}, {rows[0]['weighting']}", "cells": []}
        table["title"] += "" if usual else f" by {rows[0]['difficulty']}"
        sizes = [row["effective_segments"] for row in rows]
        table["effective"] = np.nanmin([*sizes, report["segments"]])
        for row in rows:
            ends = f"[{number(row['low'], form)}, {number(row['high'], form)}]"
            cells = {
                "#": str(places[row["system"]]),
                "system": row["system"],
                "score": number(row["score"], form),
                "better than": better_than(row["better_than"], places),
                "interval": "" if np.isnan(row["low"]) else ends,
            }
            table["cells"].append(cells)
        tables.append(table)
    return tables


def better_than(systems: Sequence[str] | None, places: Mapping[str, int] | None = None) -> str:
    """Return the systems that one is better than as text, by name or by number, as `1, 3-4`."""
    if systems is None:
        return reporting.NOT_TESTED
    if places is None:
        return ", ".join(systems)
    beaten = np.sort([places[name] for name in systems])
    runs = np.split(beaten, np.flatnonzero(np.diff(beaten) > 1) + 1)
    return ", ".join(
        str(run[0]) if len(run) == 1 else f"{run[0]}-{run[-1]}" for run in runs if len(run)
    )


def as_text(report: Content, tables: list[Content]) -> str:
    """Return a report as text, 100 columns wide; `tables` is `score_tables(report)`."""

    def labelled(text: str, label: str) -> str:
        filled = textwrap.fill(
            printable(text),
            WIDTH,
            initial_indent=f"    {label:<11}",
            subsequent_indent=" " * 15,
            replace_whitespace=False,
        )
        return filled or f"    {label}"

    def shown(cells: list[dict[str, str]], resamples: int, level: float) -> str:
        names = {"#": "#", "system": "system", "score": "score"}
        names |= {"interval": f"{level:.0%} interval"} if resamples else {}
        names |= {"better than": "better than"} if resamples and len(cells) > 1 else {}
        rows = [[printable(row[name]) for name in names] for row in cells]
        sides = ("right", "left", "right", "right", "left")[: len(names)]
        return aligned([[*names.values()], *rows], sides)

    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent), trim_blocks=True, lstrip_blocks=True
    )
    templates.filters |= {
        "printable": printable,
        "named": texts.printed,
        "number": lambda value: number(value, ".4f"),
        "times": lambda count, noun: f"{count} {noun}" + "s" * (count != 1),
        "wrap": lambda text: textwrap.fill(printable(" ".join(text.split())), WIDTH) + "\n",
        "labelled": labelled,
        "aligned": shown,
        "token": lambda item: f"{item['token']} {item['difficulty']:.3f}",
    }
    content = report | {"version": __version__, "file": Path(report["reference"]).name}
    content |= {"tables": tables, "signatures": signatures(tables)}
    content |= {"measured": measured(report) if report["hard_segments"] else ""}
    return templates.get_template("report.txt").render(content).rstrip("\n")


def as_latex(report: Content, tables: list[Content]) -> str:
    """Return LaTeX tables of scores and hardest segments; `tables` is `score_tables(report)`."""
    lines = [r"% needs \usepackage{booktabs}", *(f"% {line}" for line in signatures(tables))]
    if report.get("resamples"):
        lines.append(
            f"% score [{report['level']:.0%} interval of {report['resamples']} bootstrap resamples]"
            f" (systems beaten with p < {1 - report['level']:.2f} after Holm's correction, by #)"
        )
    columns: dict[str, list[str]] = {}
    for table in tables:
        cells = sorted(table["cells"], key=lambda row: int(row["#"]))
        columns |= {name: [printable(row[name]) for row in cells] for name in ("#", "system")}
        metric, weighting = table["title"].split(", ", 1)
        lower = ", lower is better" * (table["higher_is_better"] is False)
        columns[printable(f"{metric} ({weighting}{lower})")] = [
            f"{row['score']} {row['interval']}".strip()
            + f" ({row['better than']})" * bool(row["better than"])
            for row in cells
        ]
    hardest = []
    for row in report["hard_segments"]:
        line = {"segment": row["segment"], measured(report): f"{row['difficulty']:.3f}"}
        if row["difficult_systems"] is not None:
            line["difficult for"] = f"{row['difficult_systems']} of {len(report['systems'])}"
        hardest.append(line | {"reference": printable(row["reference"])})
    for rows, names in ((columns, columns), (hardest, hardest[0] if hardest else ())):
        sides = ["left" if name in ("system", "reference") else "right" for name in names]
        if names:
            table = tabulate(
                rows, "keys", tablefmt="latex_booktabs", colalign=sides, disable_numparse=True
            )
            lines.append(table)
    return "\n".join(lines)


def aligned(rows: list[list[str]], sides: Sequence[str]) -> str:
    """Return table rows as text in aligned columns; `sides` has `left` or `right` per column."""
    lines = tabulate(
        rows, tablefmt="plain", colalign=sides, disable_numparse=True, preserve_whitespace=True
    )
    return textwrap.indent(lines, "  ")


def signatures(tables: list[Content]) -> list[str]:
    """Return `title: signature` (the metric's settings) of each table that has a signature."""
    return [printable(f"{x['title']}: {x['signature']}") for x in tables if x["signature"]]


def measured(report: Content) -> str:
    """Return the display name of the difficulty estimator that ranks the hardest segments."""
    about = report["difficulty"]
    return "mean " * (about["unit"] == "hypothesis") + texts.printed(about["name"])


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
