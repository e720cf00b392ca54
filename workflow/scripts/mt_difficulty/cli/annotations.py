"""`mt-difficulty annotations`: official scores of a human evaluation, and its design."""

import argparse
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from tqdm import tqdm

from ..errors import printable
from ..human_evaluation.annotate import Annotations, annotate, read_named_set
from ..human_evaluation.statements import (
    OFFICIAL,
    design_sentences,
    of_errors,
    range_of_ranks,
    share_sentence,
)
from ..plan.base import ARCHIVE
from ..scoring.annotating import gold_settings
from ..scoring.texts import DELAY
from ..storage import Content, to_json
from . import stated_golds, tell
from .report import aligned, number, print_table

# Annotators that the text lists.
LISTED = 20


def annotations(arguments: argparse.Namespace) -> int:
    """Run `annotations`: print official scores and the design of a human evaluation; return 0."""
    archive = arguments.archive or Path(ARCHIVE)
    result = annotate(
        arguments.files,
        pair=arguments.language_pair,
        rated_set=read_named_set(
            arguments.campaign, arguments.folder, arguments.language_pair, archive
        ),
        golds=[gold_settings(gold) for gold in stated_golds(arguments, arguments.gold)],
        progress=partial(tqdm, desc="fit", delay=DELAY, leave=False, disable=None),
    )
    for notice in result.notices:
        tell(f"notice: {notice}")
    if arguments.format == "json":
        print(to_json(as_content(result), sort_keys=False))
    elif arguments.format == "tsv":
        print_table(_with_adjusted_scores(systems_table(result), result), "tsv")
    else:
        print(as_text(result))
    return 0


def systems_table(result: Annotations) -> pd.DataFrame:
    """Return the official scores of the systems, best first, with the difficulty of the segments
    that were rated for each."""
    systems = result.official.systems.dropna(axis="columns", how="all")
    return systems.assign(difficulty=result.design.difficulty).reset_index(names="system")


def _with_adjusted_scores(systems: pd.DataFrame, result: Annotations) -> pd.DataFrame:
    """Add the score and interval of each gold, such as `z_score`, `z_low`, `z_high`, to the table
    of official scores."""
    for gold in result.adjusted:
        adjusted = result.table(gold).set_index("system")
        for column in ("score", "low", "high"):
            systems[f"{gold}_{column}"] = systems.system.map(adjusted[column])
    return systems


def annotators_table(result: Annotations) -> pd.DataFrame:
    """Return number of ratings, mean, standard deviation and severity of each annotator, the most
    active first."""
    grouped = result.ratings.table.groupby("annotator").score
    table = pd.DataFrame(
        {"ratings": grouped.size(), "mean": grouped.mean(), "deviation": grouped.std()}
    )
    table["severity"] = result.design.severity
    return table.sort_values("ratings", ascending=False, kind="stable").reset_index()


def as_content(result: Annotations) -> Content:
    """Return a human evaluation as the content of a JSON file."""
    design = result.design
    p = result.official.p
    pairs = [
        {"better": first, "worse": second, "p": p.loc[first, second]}
        for first in p.index
        for second in p.columns
        if first != second
    ]
    numbers = {
        name: value for name, value in vars(design).items() if isinstance(value, (int, float))
    }
    return {
        "procedure": result.procedure,
        "pair": result.pair,
        "filtered": result.ratings.filtered,
        "systems": systems_table(result).to_dict("records"),
        "test": result.official.test,
        "ordered_by": result.official.ordered_by,
        "p": pairs,
        "design": numbers
        | {
            "parts_by_segments": design.parts_by_segments,
            "reasons": design.reasons,
            "shares": {
                str(system): shares[shares > 0].to_dict()
                for system, shares in design.shares.iterrows()
            },
        },
        "adjusted": {
            gold: {
                "systems": result.table(gold).to_dict("records"),
                "shares": human.model.shares if human.model else {},
                "unit": human.unit,
                "units": human.units,
                "notes": human.notes,
            }
            for gold, human in result.adjusted.items()
        },
        "annotators": annotators_table(result).to_dict("records"),
        "notices": result.notices,
    }


def as_text(result: Annotations) -> str:
    """Return a human evaluation as text: what was rated, and tables of systems and annotators."""
    design = result.design
    parts = [
        printable(
            f"{result.procedure}{f', {result.pair}' if result.pair else ''}: "
            f"{design.ratings:,} ratings of {design.systems} systems by {design.annotators} "
            "annotators"
        )
    ]
    if result.ratings.filtered:
        dropped = [f"{count:,} {name}" for name, count in result.ratings.filtered.items()]
        parts.append(printable(f"left out: {', '.join(dropped)}"))
    order = OFFICIAL[result.official.ordered_by]
    parts += ["", f"Official scores, by {order} ({result.official.test}):"]
    parts += [_systems_text(result), "", "Design:", _indented(design_sentences(design))]
    parts += _adjusted_text(result)
    parts += ["", "Annotators:"]
    parts.append(_annotators_text(result))
    return "\n".join(parts)


def _systems_text(result: Annotations) -> str:
    """Return the table of systems as text."""
    systems = systems_table(result)
    forms: dict[str, Callable[[Any], str]] = {"system": printable}
    heads = {"by_domain": "by domain"}
    for name in ("mean", "by_domain", "z", "difficulty"):
        form = ".3f" if name == "z" else ".2f"
        forms[name] = _number_in(form)
    for name in ("segments", "ratings", "cluster"):
        forms[name] = _number_in(",.0f")
    ranges = zip(systems.rank_low, systems.rank_high, strict=True)
    systems["ranks"] = [range_of_ranks(low, high) for low, high in ranges]
    names = ["system", "mean", "by_domain", "z", "segments", "ratings", "ranks", "cluster"]
    names = [name for name in [*names, "difficulty"] if name in systems]
    rows = [[heads.get(name, name) for name in names]]
    for row in systems.to_dict("records"):
        rows.append([forms.get(name, str)(row[name]) for name in names])
    return aligned(rows, ("left", *["right"] * (len(names) - 1)))


def _number_in(form: str) -> Callable[[Any], str]:
    """Return a function that formats a number, without the sign of a zero."""

    def as_text(value: Any) -> str:
        return number(round(float(value), 6) + 0.0, form)

    return as_text


def _indented(sentences: Sequence[str]) -> str:
    """Return sentences as indented lines."""
    return "\n".join(f"  {printable(sentence)}" for sentence in sentences)


def _adjusted_text(result: Annotations) -> list[str]:
    """Return lines on the scores of each gold: intervals, ranks, clusters, shares of variance."""
    lines = []
    for gold, human in result.adjusted.items():
        title = f"Scores by {gold} ({result.golds[gold].description}), {of_errors(human)}"
        lines += ["", printable(f"{title}:")]
        official_head = f"official {OFFICIAL[result.official.ordered_by]}"
        rows = [["system", official_head, "score", "95% interval", "ranks", "cluster"]]
        for row in result.table(gold).to_dict("records"):
            score, low, high = (number(row[name], ".3f") for name in ("score", "low", "high"))
            official = number(row["official"], ".3f")
            rows.append(
                [
                    printable(row["system"]),
                    official,
                    score,
                    f"[{low}, {high}]",
                    range_of_ranks(row["best_rank"], row["worst_rank"]),
                    str(row["cluster"]),
                ]
            )
        lines.append(aligned(rows, ("left", *["right"] * 5)))
        notes = [*filter(None, [share_sentence(human)]), *human.notes]
        if notes:
            lines.append(_indented(notes))
    return lines


def _annotators_text(result: Annotations) -> str:
    """Return the table of annotators as text, the most active ones."""
    table = annotators_table(result)
    rows = [["annotator", "ratings", "mean", "sd", "severity"]]
    for row in table.head(LISTED).to_dict("records"):
        values = [number(float(row[name]), ".1f") for name in ("mean", "deviation", "severity")]
        rows.append([printable(str(row["annotator"])), f"{row['ratings']:,}", *values])
    text = aligned(rows, ("left", "right", "right", "right", "right"))
    if len(table) > LISTED:
        text += f"\n  and {len(table) - LISTED} more (--format json)"
    return text
