"""Print a summary at the end of a run: findings, where files are, and what they were made from."""

import os
from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import download, evalset
from mt_difficulty.page import closing, headline, index, text
from mt_difficulty.papers import audit


def describe_audit(file, papers):
    """Say what each paper's own method got; count the audit's verdicts on published cells, and the
    differences without explanation."""
    ledger = storage.read_table(file)
    counts = audit.summarise(ledger)
    total = counts.sum().to_frame("all").T
    described = []
    for name, paper in papers.items():
        found = headline.found_of(name, paper, ledger, [])
        described.append(
            {
                "authors": paper.authors,
                "year": paper.year,
                "sentence": headline.method_sentences(found["method"]),
                "claims": headline.claims_sentence(found["claims"]),
            }
        )
    return {
        "file": file,
        "papers": described,
        "counts": f"{counts.to_string()}\n{total.to_string()}",
        "unexplained": (ledger.reason == audit.UNEXPLAINED).sum(),
    }


@job
def main(snakemake):
    params, files = snakemake.params, snakemake.input
    files_of_sets = zip(params.sets, files.evalsets, files.weightings, files.missing, strict=True)
    sets = {
        name: index.summarise_set(*files_of_set, params.settings[name])
        for name, *files_of_set in files_of_sets
    }
    unread = [f"{name}: {why}" for name, reasons in params.unread.items() for why in reasons]
    notices = [*index.encoder_notices(files.notices), *unread]
    checks = {
        name: storage.read_json(file)
        for name, file in zip(params.checked, files.checks, strict=True)
    }
    audits = [describe_audit(file, params.papers) for file in files.audit]
    summaries = [
        index.describe_set(evalset.read_set(name, files.summaries)) for name in params.sets
    ]
    closing_sentences = closing.sentences(summaries, sets, checks, audits, notices)
    wordnet = ""
    if any(map(storage.is_missing, files.wordnet)):
        wordnet = download.WORDNET_WAYS
        closing_sentences.append(wordnet)
    closing_sentences.append(
        f"Open {params.page}; notices, reasons and files: {snakemake.output.summary}"
    )
    content = {
        "closing": closing.wrapped(closing_sentences),
        "sets": sets,
        "notices": notices,
        "checks": [check["text"] for check in checks.values()],
        "audits": audits,
        "wordnet": wordnet,
        "look": params.look,
        "no_gold": evalset.NO_GOLD,
    }
    storage.write_text(snakemake.output.summary, text(files.template[0], content))

    results = Path(snakemake.output.run).parent
    archive = Path(params.archive)
    made_from = {
        name: {
            "files": [os.path.relpath(file, results) for file in params.files[name]],
            "evalset": download.checksum(results / name / "evalset.json"),
            "settings": settings.entries(),
        }
        for name, settings in params.settings.items()
    }
    record = {
        "commit": index.commit(Path(__file__).parents[2]),
        "versions": index.versions(),
        "config": params.config,
        "archive": download.checksum(archive) if archive.is_file() else "a folder, or none",
        "sets": made_from,
    }
    storage.write_json(snakemake.output.run, record)
