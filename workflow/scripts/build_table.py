"""Rebuild one table of a paper, each published cell beside ours."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import evalset, storage, tables
from mt_difficulty.errors import Missing


def read_set(results, name, expected, neural):
    """What the workflow has for one set; markers become reasons."""
    folder = f"{results}/{name}"
    found = tables.SetResults(
        missing={
            (metric, weighting): reason
            for metric, reason in neural.items()
            for weighting in ("standard", "EE")
        }
    )
    try:
        found.difficulty = storage.read_json(f"{folder}/difficulty.json")
    except Missing as reason:
        found.difficulty_missing = str(reason)
    try:
        systems = evalset.load(f"{folder}/evalset.json").systems
        found.correlations = storage.read_table(f"{folder}/correlations.csv")
        found.spread = storage.read_table(f"{folder}/correlation_spread.csv")
        for row in storage.read_table(f"{folder}/missing.csv").itertuples():
            found.missing[row.metric, row.weighting] = row.reason
    except Missing as reason:
        found.absent = str(reason)
    else:
        if len(systems) != expected:
            found.note = f"{len(systems)} systems in this archive, {expected} in the paper"
    return found


def read_or_reason(read, path):
    """What `read` gives and no reason, or None and the reason why it is missing."""
    try:
        return read(path), ""
    except Missing as reason:
        return None, str(reason)


def case_study(snakemake, item, table, neural):
    """The case study's cells, from the set's entropies and difficulty."""
    folder = f"{snakemake.params.results}/{table['set']}"
    entropy_file = next(f for f in snakemake.input.files if f"{folder}/entropy/" in f)
    arrays, reason = read_or_reason(storage.read_arrays, entropy_file)
    entropies, difficult = {}, {}
    if not reason:
        row_of = {system: i for i, system in enumerate(arrays["systems"])}
        entropies = {
            (row["system"], row["segment"]): arrays["entropy"][
                row_of[row["system"]], row["segment"] - 1
            ]
            for row in table["rows"]
        }
        difficult = storage.read_json(f"{folder}/difficulty.json")["difficult_hypotheses"]
    return tables.case_cells(item, table, entropies, difficult, neural, reason)


def main(snakemake):
    item, table, params = snakemake.wildcards.table, snakemake.params.table, snakemake.params
    neural = dict(params.neural)
    sets = {column["set"] for column in table.get("columns", [])}
    results = {
        name: read_set(params.results, name, params.systems[name], neural) for name in sorted(sets)
    }
    reason_of_neural = next(iter(neural.values()), "")
    if table["kind"] == "correlations":
        cells = tables.correlation_cells(item, table, results)
    elif table["kind"] == "examples":
        cells = tables.example_cells(item, table)
    elif table["kind"] == "parameters":
        cells = tables.parameter_cells(item, table, results)
    elif table["kind"] == "case_study":
        cells = case_study(snakemake, item, table, reason_of_neural)
    else:
        rows, reason = read_or_reason(storage.read_table, snakemake.input.files[0])
        rows = pd.DataFrame() if rows is None else rows
        cells = tables.ablation_cells(item, table, rows, reason_of_neural, reason)
    frame = tables.layout(cells)
    storage.write_table(
        snakemake.output.cells,
        pd.DataFrame(cells).astype({"published": float, "reproduced": np.float64}),
    )
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, tables.to_markdown(frame, table["caption"]))
    storage.write_text(snakemake.output.tex, tables.to_latex(frame, table["caption"], item))


if "snakemake" in globals():
    run(main, snakemake)
