"""`mt-difficulty select`: segments to give to people for a budget, and what a choice does to the
ranking of systems; `mt-difficulty estimates`: files in which others fill in estimates."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from .. import storage
from ..data.estimates import plain, template
from ..data.own_files import read_documents
from ..data.sources import Sources, files_of, read_outputs, read_sources
from ..errors import InputError
from ..evidence import selection
from ..evidence.intervals import holm
from ..evidence.soft_accuracy import MINIMUM_SEGMENTS
from ..interface.selection import Pool, scores_by_system
from ..run.plan import ARCHIVE
from .tables import aligned

RESAMPLES = 200
LEVEL = 0.05


def run(arguments: argparse.Namespace) -> int:
    """Write the file to fill in, or the chosen segments; with scores to judge by, print what the
    choice does."""
    hypotheses = arguments.hyp or ()
    if arguments.command == "estimates":
        if arguments.out and arguments.out.is_file():
            raise InputError(
                f"{arguments.out}: the file is there, and may hold estimates. Name another one, or "
                "remove it."
            )
        sources = read_sources(arguments.set, arguments.archive or Path(ARCHIVE))
        outputs = read_outputs(sources, hypotheses) if arguments.of_hypotheses else {}
        _write(template(sources.texts, outputs), arguments.out)
        return 0
    documents = arguments.documents
    if arguments.judge and not arguments.judge.is_file():
        raise InputError(f"{arguments.judge}: no such file of segment scores.")
    sources = read_sources(arguments.set, arguments.archive or Path(ARCHIVE))
    named = (arguments.by, documents, arguments.scores, arguments.judge, *hypotheses)
    read = [*files_of(sources), *(Path(file) for file in named if file)]
    if arguments.out and arguments.out.is_file():
        for file in filter(Path.exists, read):
            if file.samefile(arguments.out):
                raise InputError(f"--out {arguments.out}: {file} is read. Name another file.")
    if documents:
        if not documents.is_file():
            raise InputError(f"{documents}: no such file of documents.")
        sources = sources._replace(documents=read_documents(documents, len(sources.texts)))
    pool = Pool(
        sources,
        arguments.by,
        cost=arguments.cost,
        whole_documents=arguments.whole_documents,
        hypotheses=hypotheses,
        scores=arguments.scores,
        src_lang=arguments.src_lang,
    )
    chosen = pool.chosen(arguments.budget, arguments.seed)
    if arguments.format == "pearmut":
        written = storage.to_json(_campaign(sources, arguments, chosen), sort_keys=False) + "\n"
    else:
        rows = _rows(pool, chosen)
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        if arguments.format == "tsv":
            lines = ["\t".join(rows[0])]
            for row in rows:
                cells = (
                    f"{value:.12g}" if isinstance(value, float) else plain(str(value))
                    for value in row.values()
                )
                lines.append("\t".join(cells))
        written = "".join(f"{line}\n" for line in lines)
    _write(written, arguments.out)
    if arguments.judge:
        # Where the choice itself goes to stdout, the report does not.
        print(_judged(pool, arguments), file=sys.stdout if arguments.out else sys.stderr)
    return 0


def _write(text: str, path: Path | None) -> None:
    """Write a text to a file, or to stdout."""
    if path is None:
        print(text, end="")
    else:
        storage.write_text(path, text)


def _rows(pool: Pool, chosen: np.ndarray) -> list[dict[str, Any]]:
    """What is known of the chosen segments, in their order."""
    sources, rows = pool.sources, []
    for place in chosen.tolist():
        row: dict[str, Any] = {"segment": place + 1}
        row |= {} if pool.values is None else {"value": float(pool.values[place])}
        row |= {"domain": sources.domains[place]} if sources.domains else {}
        row |= {"document": sources.documents[place]} if sources.documents else {}
        rows.append(row | {"source": sources.texts[place]})
    return rows


def _campaign(sources: Sources, arguments: argparse.Namespace, chosen: np.ndarray) -> dict:
    """A campaign of Pearmut for one annotator: the chosen segments of a document as one document,
    each with the hypotheses of all systems."""
    outputs = read_outputs(sources, arguments.hyp or ())
    name = (sources.pair and arguments.set) or sources.place.stem
    documents: dict[str, list[dict[str, Any]]] = {}
    for place in chosen.tolist():
        document = sources.documents[place] if sources.documents else str(place + 1)
        item = {
            "src": sources.texts[place],
            "tgt": {system: texts[place] for system, texts in outputs.items()},
            "item_id": f"{name} | {document} | {place + 1}",
        }
        documents.setdefault(document, []).append(item)
    return {
        "info": {"assignment": "task-based", "protocol": "ESA"},
        "campaign_id": f"{name.replace('/', '_')}_{Path(arguments.by).stem}_{arguments.budget}",
        "data": [list(documents.values())],
    }


def _judged(pool: Pool, arguments: argparse.Namespace) -> str:
    """Ranking by the choice beside that by all segments and by random choices.

    It is judged on the segments that have scores of every system: the method chooses among these
    for the same share of their cost."""
    scores = scores_by_system(arguments.judge, pool.sources)
    scores = {name: values for name, values in scores.items() if np.isfinite(values).any()}
    gold = np.array(list(scores.values()))
    complete = np.flatnonzero(np.isfinite(gold).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        raise InputError(
            f"{arguments.judge}: {len(complete)} segments have scores of all {len(gold)} systems;"
            f" judging a choice needs {MINIMUM_SEGMENTS}."
        )
    costs = pool.costs[complete]
    budget = max(1.0, arguments.budget * costs.sum() / pool.costs.sum())
    rng = np.random.default_rng([arguments.seed, 1])
    judge = selection.Judge(gold[:, complete])
    chosen = pool.choose(complete, budget, rng)
    if len(chosen) < 2:
        raise InputError(
            f"--judge: the budget pays {len(chosen)} of the {len(complete)} segments with scores; "
            "a ranking needs two."
        )
    random = [pool.choose(complete, budget, rng, at_random=True) for _ in range(selection.DRAWS)]
    resampled = selection.Resampled(judge.people, RESAMPLES, rng)
    ends = resampled.intervals(lambda drawn: pool.choose(complete[drawn], budget, rng))
    size = f"{len(chosen)} of {len(complete)} segments with scores of all {len(gold)} systems"
    lines = [f"Judged on {size} ({arguments.judge.name}), against 1,000 random choices:", ""]
    if arguments.scores and arguments.scores.resolve() == arguments.judge.resolve():
        lines.insert(0, "notice: the scores that segments are chosen by are those that judge them.")

    ranking = judge.ranking(chosen)
    compared = {
        "tau-b": selection.compared(ranking.tau, judge.taus(random)),
        "soft accuracy": selection.compared(ranking.soft_accuracy, judge.soft_accuracies(random)),
    }
    rows = [["ranking by the choice", "value", "95 % interval", "random", "95 % of random", "p"]]
    for (name, item), (low, high) in zip(compared.items(), ends, strict=True):
        drawn = f"{item.random_low:.3f} to {item.random_high:.3f}"
        row = [f"{item.value:.3f}", f"{low:.3f} to {high:.3f}", f"{item.random_mean:.3f}", drawn]
        rows.append([name, *row, f"{item.p:.3f}"])
    lines.append(aligned(rows, ("left", *["right"] * 5)))
    lines.append(f"clusters of significance: {ranking.clusters}; on all segments {judge.clusters}")
    p = {"tau-b": compared["tau-b"].p, "SPA": compared["soft accuracy"].p}
    if not np.isfinite(list(p.values())).all():
        lines.append("Nothing can be told: all systems have one mean score.")
    elif better := [name for name, value in p.items() if value <= LEVEL]:
        lines.append(f"Better than random choices by {' and '.join(better)} (p <= {LEVEL}).")
    else:
        lines.append(f"Not shown to be better than random choices (p > {LEVEL}).")

    # Systems that gain or lose by the choice, beside random ones.
    (moved,), shifts = judge.shifts([chosen]), judge.shifts(random)
    reached = (np.abs(shifts) >= np.abs(moved) - selection.TOLERANCE).sum(axis=0)
    adjusted = holm((1 + reached) / (1 + len(shifts)))
    lows, highs = np.percentile(shifts, [2.5, 97.5], axis=0)
    rows, names = [["system", "gain", "95 % of random", "adjusted p"]], list(scores)
    for place in np.argsort(-moved, kind="stable"):
        drawn = f"{lows[place]:.3f} to {highs[place]:.3f}"
        rows.append([names[place], f"{moved[place]:+.3f}", drawn, f"{adjusted[place]:.3f}"])
    lines += [
        "",
        "Place by the chosen segments less that by all, in standard deviations over systems:",
    ]
    lines.append(aligned(rows, ("left", "right", "right", "right")))
    biased = int((adjusted <= LEVEL).sum())
    what = "gain or lose more than by random choices."
    systems = f"{biased} of {len(names)} systems" if biased else "No system is shown to"
    return "\n".join([*lines, f"{systems} {what}"])
