"""`mt-difficulty select`: choose segments for human evaluation within a budget, and test how the
choice ranks systems; `mt-difficulty estimates`: files in which users fill in estimates."""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from .. import storage
from ..data.own_files import read_outputs, read_sources
from ..data.score_files import plain, template
from ..data.text_files import Sources, read_documents
from ..errors import InputError
from ..evidence import selection
from ..evidence.resampling import MINIMUM_SEGMENTS, holm
from ..evidence.units import units_of
from ..plan.base import ARCHIVE
from ..scoring.choosing import Pool, scores_by_system
from ..scoring.parameters import check_parameters
from ..storage import Content
from . import check_output
from .report import aligned

RESAMPLES = 1000
LEVEL = 0.05
CORRECTED = "p, corrected for two tests by Holm's method,"


def estimates(arguments: argparse.Namespace) -> int:
    """Run `estimates`: write a TSV file in which users fill in difficulty values; return 0."""
    if arguments.out and arguments.out.is_file():
        raise InputError(
            f"{arguments.out}: the file is there, and may hold estimates. Name another one, or "
            "remove it."
        )
    sources = read_sources(arguments.set, arguments.archive or Path(ARCHIVE))
    outputs = read_outputs(sources, arguments.hyp or ()) if arguments.of_hypotheses else None
    _write(template(sources.texts, outputs), arguments.out)
    return 0


def select(arguments: argparse.Namespace) -> int:
    """Run `select`: write the chosen segments; with `--judge`, print how well they rank systems."""
    hypotheses = arguments.hyp or ()
    check_parameters(src_lang=arguments.src_lang)
    for file in (arguments.documents, arguments.judge):
        if file and not file.is_file():
            raise InputError(f"{file}: no such file.")
    sources = read_sources(arguments.set, arguments.archive or Path(ARCHIVE))
    # Of a set of the archive, its campaign's folder is read.
    source_place = sources.place if sources.pair else arguments.set
    inputs = [
        source_place,
        arguments.by,
        arguments.documents,
        arguments.scores,
        arguments.judge,
        *hypotheses,
    ]
    check_output("--out", arguments.out, inputs)
    if arguments.documents:
        columns = read_documents(arguments.documents, len(sources.texts), canary=sources.canary)
        sources = sources._replace(documents=columns[0])
    pool = Pool(
        sources,
        arguments.by,
        cost=arguments.cost,
        whole_documents=arguments.whole_documents,
        hypotheses=hypotheses,
        scores=arguments.scores,
        src_lang=arguments.src_lang,
    )
    rows = pool.chosen(arguments.budget, arguments.seed).reset_index()
    if arguments.format == "pearmut":
        campaign = _campaign(sources, arguments, rows.segment - 1)
        _write(storage.to_json(campaign, sort_keys=False) + "\n", arguments.out)
    else:
        _write(_formatted(rows, arguments.format), arguments.out)
    if arguments.judge:
        # If the choice goes to stdout, the report goes to stderr.
        stream = sys.stdout if arguments.out else sys.stderr
        print(_judged(pool, arguments), file=stream)
    return 0


def _formatted(rows: pd.DataFrame, form: str) -> str:
    """Return the chosen segments as text in a format: jsonl, json or tsv."""
    if form == "json":
        return storage.to_json(rows.to_dict("records"), sort_keys=False) + "\n"
    if form == "jsonl":
        lines = [json.dumps(row, ensure_ascii=False) for row in rows.to_dict("records")]
        return "".join(f"{line}\n" for line in lines)
    for name in rows.select_dtypes(float):
        rows[name] = [f"{value:.12g}" for value in rows[name]]
    cells = [rows.columns, *rows.astype(str).map(plain).to_numpy()]
    return "".join("\t".join(line) + "\n" for line in cells)


def _write(text: str, path: Path | None) -> None:
    """Write a text to a file, or to stdout if `path` is None."""
    if path is None:
        print(text, end="")
    else:
        storage.write_text(path, text)


def _campaign(sources: Sources, arguments: argparse.Namespace, chosen: pd.Series) -> Content:
    """Return a Pearmut campaign for one annotator: the chosen segments (indices) by document, each
    with the hypotheses of all systems."""
    outputs = read_outputs(sources, arguments.hyp or ())
    name = (sources.pair and arguments.set) or sources.place.stem
    documents: dict[str, list[Content]] = {}
    for index in chosen.tolist():
        document = sources.documents[index] if sources.documents else str(index + 1)
        item = {
            "src": sources.texts[index],
            "tgt": {system: texts[index] for system, texts in outputs.items()},
            "item_id": f"{name} | {document} | {index + 1}",
        }
        documents.setdefault(document, []).append(item)
    return {
        "info": {"assignment": "task-based", "protocol": "ESA"},
        "campaign_id": f"{name.replace('/', '_')}_{Path(arguments.by).stem}_{arguments.budget}",
        "data": [list(documents.values())],
    }


def _judged(pool: Pool, arguments: argparse.Namespace) -> str:
    """Compare the ranking of systems on the chosen segments with that on all and on random ones.

    Only segments with scores of every system are used; the method chooses among these with the same
    share of their total cost."""
    scores = scores_by_system(arguments.judge, pool.sources)
    gold = np.array([values for values in scores.values() if np.isfinite(values).any()])
    complete = np.flatnonzero(np.isfinite(gold).all(axis=0))
    if len(complete) < MINIMUM_SEGMENTS:
        raise InputError(
            f"{arguments.judge}: {len(complete)} segments have scores of all {len(gold)} systems;"
            f" judging a choice needs {MINIMUM_SEGMENTS}."
        )
    budget = max(1.0, arguments.budget * pool.costs[complete].sum() / pool.costs.sum())
    rng = np.random.default_rng([arguments.seed, 1])
    judge = selection.Judge(gold[:, complete])
    chosen = pool.choose(complete, budget, rng)
    if len(chosen) < 2:
        raise InputError(
            f"--judge: the budget pays {len(chosen)} of the {len(complete)} segments with scores; "
            "a ranking needs two."
        )
    random = [pool.choose(complete, budget, rng, at_random=True) for _ in range(selection.DRAWS)]
    documents = pool.sources.documents
    if documents:
        documents = [documents[segment] for segment in complete]
    units = units_of(documents, len(complete), arguments.unit)
    resampled = judge.resampled(RESAMPLES, rng, units)

    def choose(drawn: np.ndarray) -> np.ndarray:
        """Choose among the segments of a resample by the method."""
        return pool.choose(complete[drawn], budget, rng)

    def choose_at_random(drawn: np.ndarray) -> np.ndarray:
        """Choose among the segments of a resample at random."""
        return pool.choose(complete[drawn], budget, rng, at_random=True)

    intervals = selection.intervals(resampled, choose)
    p = selection.random_as_good(resampled, choose, choose_at_random)
    values = judge.agreement([chosen])
    random_values = judge.agreement(random)
    compared = {name: selection.compared(values[name][0], random_values[name]) for name in values}

    lines = []
    if arguments.scores and arguments.scores.resolve() == arguments.judge.resolve():
        lines.append("notice: the scores that segments are chosen by are those that judge them.")
    size = f"{len(chosen)} of {len(complete)} segments with scores of all {len(gold)} systems"
    lines.append(f"Judged on {size} ({arguments.judge.name}), against 1,000 random choices:")
    lines.append("")
    rows = [["ranking by the choice", "value", "95 % interval", "random", "95 % of random", "p"]]
    for name, label in (("tau", "tau-b"), ("soft_accuracy", "soft accuracy")):
        result = compared[name]
        low, high = intervals[name]
        rows.append(
            [
                label,
                f"{result.value:.3f}",
                f"{low:.3f} to {high:.3f}",
                f"{result.random_mean:.3f}",
                f"{result.random_low:.3f} to {result.random_high:.3f}",
                f"{p[name]:.3f}",
            ]
        )
    lines.append(aligned(rows, ("left", "right", "right", "right", "right", "right")))
    clusters = judge.clusters(chosen)
    clusters_on_all = judge.clusters(slice(None))
    lines.append(f"clusters of significance: {clusters}; on all segments {clusters_on_all}")
    lines.append(_verdict(p["tau"], p["soft_accuracy"]))
    lines.append(f"Intervals and p: {RESAMPLES} bootstrap resamples of {units.text}.")
    return "\n".join(lines)


def _verdict(tau_p: float, soft_accuracy_p: float) -> str:
    """Return a sentence on whether a choice of segments ranks systems better than random ones.

    The two tests of this one claim are corrected by Holm's method, so that it is false in 5 % of
    the cases at most."""
    if np.isnan(tau_p + soft_accuracy_p):
        return "Nothing can be told: all systems have one mean score."
    corrected = holm(np.array([tau_p, soft_accuracy_p]))
    better = [name for name, p in zip(("tau-b", "SPA"), corrected, strict=True) if p <= LEVEL]
    if better:
        return f"Better than random choices by {' and '.join(better)} ({CORRECTED} <= {LEVEL})."
    return f"Not shown to be better than random choices ({CORRECTED} > {LEVEL})."
