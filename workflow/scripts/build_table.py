"""Rebuild one table of a paper, each published cell beside ours."""

import pandas as pd

from job import run
from mt_difficulty import evalset, storage, tables
from mt_difficulty.errors import Missing


def file_of(files, name, end):
    """The file of a set among a rule's inputs."""
    return next(file for file in files if file.endswith(f"/{name}/{end}"))


def read_set(files, name, expected, neural):
    """What the workflow has for one set; markers become reasons."""
    found = tables.SetResults(
        missing={
            (metric, weighting): reason
            for metric, reason in neural.items()
            for weighting in ("standard", "EE")
        }
    )
    try:
        systems = evalset.load(file_of(files, name, "evalset.json")).systems
        found.correlations = storage.read_table(file_of(files, name, "correlations.csv"))
        found.spread = storage.read_table(file_of(files, name, "correlation_spread.csv"))
        for row in storage.read_table(file_of(files, name, "missing.csv")).itertuples():
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


def case_study(item, table, files, neural):
    """The case study's cells, from the set's entropies and difficulty."""
    entropy_file = next(file for file in files if f"/{table['set']}/entropy/" in file)
    arrays, reason = read_or_reason(storage.read_arrays, entropy_file)
    entropies, difficult = {}, {}
    if not reason:
        row_of = {system: i for i, system in enumerate(arrays["systems"])}
        absent = [row["system"] for row in table["rows"] if row["system"] not in row_of]
        reason = f"{absent[0]} is not among the ranked systems" if absent else ""
        for row in table["rows"]:
            if row["system"] in row_of:
                place = row_of[row["system"]], row["segment"] - 1
                entropies[row["system"], row["segment"]] = arrays["entropy"][place]
        difficulty = storage.read_json(file_of(files, table["set"], "difficulty.json"))
        difficult = difficulty["difficult_hypotheses"]
    return tables.case_cells(item, table, entropies, difficult, neural, reason)


def ablation(item, table, files, neural):
    """The ablation's cells."""
    rows, reason = read_or_reason(storage.read_table, files[0])
    rows = pd.DataFrame() if rows is None else rows
    return tables.ablation_cells(item, table, rows, neural, reason)


def build(item, table, files, systems, neural):
    """The cells of a table of any kind."""
    if table["kind"] == "examples":
        return tables.example_cells(item, table)
    if table["kind"] in ("ablation", "case_study"):
        special = ablation if table["kind"] == "ablation" else case_study
        return special(item, table, files, next(iter(neural.values())))
    names = sorted({column["set"] for column in table["columns"]})
    if table["kind"] == "parameters":
        found = {
            name: read_or_reason(storage.read_json, file_of(files, name, "difficulty.json"))
            for name in names
        }
        return tables.parameter_cells(item, table, found)
    results = {name: read_set(files, name, systems[name], neural) for name in names}
    return tables.correlation_cells(item, table, results)


def main(snakemake):
    item, table, params = snakemake.wildcards.table, snakemake.params.table, snakemake.params
    cells = build(item, table, snakemake.input.files, params.systems, dict(params.neural))
    frame = tables.layout(cells)
    storage.write_table(
        snakemake.output.cells,
        pd.DataFrame(cells),
    )
    storage.write_table(snakemake.output.csv, frame)
    storage.write_text(snakemake.output.md, tables.to_markdown(frame, table["caption"]))
    storage.write_text(snakemake.output.tex, tables.to_latex(frame, table["caption"], item))


if "snakemake" in globals():
    run(main, snakemake)
