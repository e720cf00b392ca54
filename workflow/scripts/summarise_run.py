"""Say at the end of a run what was found and where it lies."""

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
        h, w = (
            "undefined" if difficulty[key] is None else f"{difficulty[key]:.3f}" for key in "hw"
        )
        lines.append(f"  h = {h} ({difficulty['h_from']}), w = {w} ({difficulty['w_from']})")
        lines += [f"  notice: {notice}" for notice in difficulty["notices"]]
    except Missing as reason:
        lines.append(f"  scores only: {reason}")
    return lines


def unexplained(ledger):
    """How many cells differ without a known cause, if any does."""
    count = (ledger.reason == audit.UNEXPLAINED).sum()
    return [f"Cells that differ without a known cause: {count}"] * bool(count)


def main(snakemake):
    lines = ["Evaluation sets"]
    for files in zip(snakemake.input.evalsets, snakemake.input.difficulty, strict=True):
        lines += [f"  {line}" for line in describe_set(*files)]
    for file in snakemake.input.checks:
        lines += ["", storage.read_json(file)["text"]]
    for file in snakemake.input.audit:
        ledger = storage.read_table(file)
        counts = audit.summarise(ledger)
        lines += ["", "Published cells", counts.to_string()]
        lines += [
            counts.sum().to_frame("all").T.to_string(),
            *unexplained(ledger),
            f"Cell by cell: {file}",
        ]
    lines += ["", "Look at", *(f"  {file}" for file in snakemake.params.look)]
    storage.write_text(snakemake.output[0], "\n".join(lines) + "\n")


if "snakemake" in globals():
    run(main, snakemake)
