"""One self-contained page of everything that a run found."""

import platform
import re
from importlib import metadata
from pathlib import Path

import jinja2
import pandas as pd
from markupsafe import Markup

from job import run
from mt_difficulty import storage
from mt_difficulty.errors import Missing
from mt_difficulty.page import report_tables
from mt_difficulty.page.report_tables import MARKS
from mt_difficulty.papers import audit
from set_report import SetFiles, describe, image

# Whose versions numbers may depend on.
PACKAGES = (
    *("bert-score", "nltk", "numba", "numpy", "pandas", "sacrebleu", "scipy", "snakemake"),
    *("tokenizers", "torch", "transformers"),
)
# Tables of all sets.
SHARED = ("held_out.csv",)
STATUSES = {
    "reproduced": "equal at the printed precision, give or take 1 in the last digit",
    "close": "at most 0.02 apart, and at most 20 in the last printed digit",
    "differs": "further apart; the reason is given where it was found",
    "other encoder": "computed, but with another encoder than the paper's, and so not compared",
    "not computable": "there is no number of ours; the note says why",
    "ours": "a number of ours beside which the paper has none",
}


def versions():
    """Versions of Python and of what numbers depend on, without importing it."""
    return {
        "Python": platform.python_version(),
        **{name: metadata.version(name) for name in PACKAGES},
    }


def paper_items(folder, paper, ledger, files):
    """A paper's tables and figures, in its order, with verdicts."""
    for item, caption in paper["tables"].items():
        cells = storage.read_table(folder / f"cells/{item}.csv")
        layout = pd.read_csv(folder / f"{item}.csv", dtype=str, keep_default_na=False)
        table = report_tables.paper_table(cells, layout, ledger[ledger.item == item])
        entry = {"item": item, "caption": caption, "table": table}
        statistics = folder / f"{item}_statistics.csv"
        if str(statistics) in files:
            entry["statistics"] = report_tables.result_table(storage.read_table(statistics))
        yield entry
    for item, caption in paper["figures"].items():
        cells = storage.read_table(folder / f"cells/{item}.csv")
        entry = {"item": item, "caption": caption, "image": image(folder / f"{item}.svg")}
        if len(cells):
            layout = pd.DataFrame([["", *cells.column]], columns=["", *cells.column])
            cells = cells.assign(row="")
            own = ledger[ledger.item == item].assign(row="")
            entry["table"] = report_tables.paper_table(cells, layout, own)
        yield entry


def title_of(item):
    """`Table 6, chunks` of `table6_chunks`."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", item).replace("_", ", ").capitalize()


def read_papers(folder, papers, files):
    """The papers with their items and counts, and the counts of all."""
    if not papers:
        return [], None
    ledger = storage.read_table(folder / "audit.csv")
    ledger["reason"] = [
        f"{reason}: {evidence}" if evidence else reason
        for reason, evidence in zip(ledger.reason, ledger.evidence, strict=True)
    ]
    found = []
    for name, paper in papers.items():
        own = ledger[ledger.paper == name]
        counts = audit.summarise(own)
        items = list(paper_items(folder / "papers" / name, paper, own, files))
        for entry in items:
            entry["title"] = title_of(entry["item"])
            if entry["item"] in counts.index.get_level_values("item"):
                entry["counts"] = counts.loc[(name, entry["item"])].to_dict()
        found.append({"name": name, **paper, "items": items, "counts": counts.sum().to_dict()})
    return found, ledger.status.value_counts().reindex(audit.STATUSES).fillna(0).astype(
        int
    ).to_dict()


def shared_tables(folder, files):
    """Tables that hold rows of all sets."""
    found = {}
    for name in SHARED:
        path = str(folder / name)
        if path in files:
            try:
                found[name] = storage.read_table(path)
            except Missing:
                continue
    return found


def render(template, **content):
    """The page; texts are escaped, and data are JSON that cannot end its <script>."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(template).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "sort_keys": True,
        "separators": (",", ":"),
    }
    environment.filters["slug"] = lambda name: re.sub(r"\W", "_", name)
    environment.filters["number"] = report_tables.number
    return environment.get_template(Path(template).name).render(**content) + "\n"


def main(snakemake):
    files = {str(file) for file in snakemake.input.files}
    folder = Path(snakemake.output[0]).parent
    shared = shared_tables(folder, files)
    sets = [
        describe(SetFiles(folder, name, files), settings, snakemake.params.captions, shared)
        for name, settings in snakemake.params.sets.items()
    ]
    papers, counts = read_papers(folder, snakemake.params.papers, files)
    page = render(
        snakemake.input.template[0],
        sets=sets,
        papers=papers,
        counts=counts,
        synthetic=snakemake.params.synthetic,
        statuses=STATUSES,
        marks=MARKS,
        versions=versions(),
        style=Markup(Path(snakemake.input.style[0]).read_text(encoding="utf-8")),
        behaviour=[Markup(Path(f).read_text(encoding="utf-8")) for f in snakemake.input.behaviour],
    )
    storage.write_text(snakemake.output[0], page)


if "snakemake" in globals():
    run(main, snakemake)
