"""Say at the end of a run what was found and where it lies, and what it was made from."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import contents, download, evalset
from mt_difficulty.data.text_files import listed
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.counted import describe_counted
from mt_difficulty.page import index
from mt_difficulty.papers import audit


def describe_set(name, evalset_file, weightings_file, missing_file):
    """A set's size, what was left out, and what is odd about its difficulties or missing."""
    try:
        found = evalset.load(evalset_file)
    except Missing as reason:
        return [f"{name}: not run, {reason}"]
    lines = [
        f"{name}: {len(found.systems)} systems, {len(found.reference) or 'no'} segments, "
        f"{f'reference {found.reference_name}' if found.reference_name else 'no reference'}, "
        + (f"gold {found.gold_label}" if found.gold else "no human scores")
    ]
    if counted := describe_counted(found):
        lines.append(f"  {counted}")
    if found.outliers:
        lines.append(f"  ranked, outliers by the official toolkit's list: {listed(found.outliers)}")
    if not found.gold:
        lines.append(f"  no correlations and what follows from them: {evalset.NO_GOLD}")
    for why in dict.fromkeys(found.left_out.values()):
        systems = [system for system, reason in found.left_out.items() if reason == why]
        lines.append(f"  left out, {why}: {', '.join(systems)}")
    if found.texts_missing:
        return [*lines, f"  scores only: {found.texts_missing}"]
    return [*lines, *describe_weightings(found, weightings_file, missing_file)]


def describe_weightings(found, weightings_file, missing_file):
    """A set's difficulties and weightings: parameters, notices, and what could not be computed."""
    described, notices = storage.read_json(weightings_file), evalset.notices(found)
    for name, entry in described["difficulties"].items():
        if entry["missing"]:
            yield f"  no difficulty {name}: {entry['missing']}"
    for name, entry in described["weightings"].items():
        gold = "; uses human scores" * entry["uses_gold"] + "; tuned on this set" * entry["tuned"]
        if entry["summary"] and not entry["over"]:  # those of its segments are reported
            yield f"  {name} by {entry['difficulty'].replace('_', ' ')}: {entry['summary']}{gold}"
        notices += entry["notices"]
    yield from (f"  notice: {notice}" for notice in dict.fromkeys(notices))
    for row in storage.read_table(missing_file).itertuples():
        yield f"  not computed, {row.weighting} {row.metric}: {row.reason}"


def sentences(files):
    """What is odd about a set's sentences, by encoder."""
    for file in map(Path, files):
        campaign, pair = file.parts[-4:-2]
        with suppress(Missing):  # the set's missing.csv says so
            for notice in storage.read_json(file)["notices"]:
                yield f"  {campaign}/{pair}, {file.stem}: {notice}"


def unexplained(ledger):
    """How many cells differ without a known cause, if any does."""
    count = (ledger.reason == audit.UNEXPLAINED).sum()
    return [f"Cells that differ without a known cause: {count}"] * bool(count)


def commit():
    """The commit of the project's checkout, and whether tracked files differ from it."""
    git = ["git", "-C", str(Path(__file__).parents[2])]
    try:
        found = [
            subprocess.run([*git, *words], capture_output=True, text=True, check=True).stdout
            for words in (["rev-parse", "HEAD"], ["status", "--porcelain", "-uno"])
        ]
    except (OSError, subprocess.CalledProcessError):
        return "not a git checkout"
    return found[0].strip() + ", with changes" * bool(found[1])


def record(params, results):
    """What the results were made from, as `run.json` has it."""
    archive = Path(params.archive)
    sets = {
        name: {
            "files": [os.path.relpath(file, results) for file in params.files[name]],
            "evalset": contents.checksum(Path(results, name, "evalset.json")),
            "settings": settings,
        }
        for name, settings in params.settings.items()
    }
    return {
        "commit": commit(),
        "versions": index.versions(),
        "config": params.config,
        "archive": contents.checksum(archive) if archive.is_file() else "a folder, or none",
        "sets": sets,
    }


def main(snakemake):
    lines = ["Evaluation sets"]
    sets = snakemake.input
    for files in zip(
        snakemake.params.sets, sets.evalsets, sets.weightings, sets.missing, strict=True
    ):
        lines += [f"  {line}" for line in describe_set(*files)]
    lines += sentences(snakemake.input.notices)
    for name, notices in snakemake.params.unread.items():
        lines += [f"  {name}: {notice}" for notice in notices]
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
    if any(map(storage.is_missing, snakemake.input.wordnet)):
        lines += ["", download.WORDNET_WAYS]
    lines += ["", "Look at", *(f"  {file}" for file in snakemake.params.look)]
    storage.write_text(snakemake.output.summary, "\n".join(lines) + "\n")
    results = Path(snakemake.output.run).parent
    storage.write_json(snakemake.output.run, record(snakemake.params, results))


if "snakemake" in globals():
    run(main, snakemake)
