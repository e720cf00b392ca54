"""Say at the end of a run what was found and where it lies."""

import pandas as pd

from job import run
from mt_difficulty import audit, evalset, storage
from mt_difficulty.errors import Missing


def describe_set(evalset_file, difficulty_file):
    """A line on the set's size and what was left out, and the notices on its difficulty."""
    try:
        found = evalset.load(evalset_file)
    except Missing as reason:
        return [f"not run: {reason}"]
    lines = [
        f"{found.campaign}/{found.pair}: {len(found.systems)} systems, "
        f"{len(found.reference) or 'no'} segments, gold {found.gold_name}"
    ]
    unscored = [system for system, why in found.left_out.items() if why.startswith("no ")]
    if unscored:
        lines.append(f"  left out, no {found.gold_name} score: {', '.join(unscored)}")
    try:
        difficulty = storage.read_json(difficulty_file)
        w = "undefined" if difficulty["w"] is None else f"{difficulty['w']:.3f}"
        lines.append(
            f"  h = {difficulty['h']:.3f} ({difficulty['h_from']}), "
            f"w = {w} ({difficulty['w_from']})"
        )
        lines += [f"  notice: {notice}" for notice in difficulty["notices"]]
    except Missing as reason:
        lines.append(f"  scores only: {reason}")
    return lines


def main(snakemake):
    lines = ["Evaluation sets"]
    for files in zip(snakemake.input.evalsets, snakemake.input.difficulty, strict=True):
        lines += [f"  {line}" for line in describe_set(*files)]
    for file in snakemake.input.checks:
        lines += ["", storage.read_json(file)["text"]]
    for file in snakemake.input.audit:
        counts = audit.summarise(pd.read_csv(file))
        lines += ["", "Published cells", counts.to_string()]
        lines += [counts.sum().to_frame("all").T.to_string(), f"Cell by cell: {file}"]
    lines += ["", "Look at", *(f"  {file}" for file in snakemake.params.look)]
    storage.write_text(snakemake.output[0], "\n".join(lines) + "\n")


if "snakemake" in globals():
    run(main, snakemake)
