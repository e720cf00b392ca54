"""Every number of Perrella et al. 2024 on two pairs of WMT23, from stored scores."""

import csv
from collections import Counter

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import make_metric
from mt_difficulty.papers import Inputs
from mt_difficulty.papers.audit import NOT_COMPUTABLE, audit, mark_method
from mt_difficulty.papers.tables import make_table
from mt_difficulty.plan.papers import check_papers
from mt_difficulty.settings import ScoreSettings

PAPER = check_papers(["perrella2024"], ROOT / "workflow/papers")[0]["perrella2024"]
NO_ROWS = pd.DataFrame(columns=["metric", "weighting", "reason"])
PAIRS = {"zh-en": "zhen", "en-de": "ende"}
# Tables of the files of numbers, and columns, as items and columns of the paper's YAML file.
STATISTICS = {
    "seg Kendall Tau none": "τ, all",
    "seg Kendall Tau item": "τ by item",
    "seg Kendall Tau sys": "τ by system",
    "seg Pearson none": "r, all",
    "seg Pearson item": "r by item",
    "seg Pearson sys": "r by system",
    "seg KendallWithTiesOpt item": "acc*eq by item",
    "sys Pearson none": "r of systems",
}
RANKINGS = {
    "seg_level": ("ranking", "r"),
    "item_group_seg_level": ("ranking_item", "r by item"),
    "only_pearson_seg_level": ("ranking_pearson", "r"),
    "only_item_group_pearson_seg_level": ("ranking_pearson_item", "r by item"),
}
ARROWS = {"zh-en": "Zh→En", "en-de": "En→De"}


def inputs_of(campaign, pairs):
    """Results of the paper's sets, of which those of `pairs` are in the archive."""
    settings = ScoreSettings(PAPER.metrics)
    sets = {}
    for entry in PAPER.sets:
        absent = {"evalset.json": Missing("not in the archive"), "missing.csv": NO_ROWS}
        sets[entry.name] = SetFiles(entry.name, absent)
        if entry.pair not in pairs:
            continue
        found = read_evaluation_set(
            campaign,
            ImportSettings(
                entry.campaign,
                entry.pair,
                entry.reference,
                entry.gold,
                ranked_references=entry.ranked_references,
                segments="all",
            ),
        )
        described = {"difficulties": {}, "weightings": {}}
        contents = {"evalset.json": found, "weightings.json": described, "missing.csv": NO_ROWS}
        for name, metric_settings in PAPER.metrics.items():
            metric = make_metric(name, entry.pair, metric_settings)
            arrays = {"statistics": metric.evaluate(found, campaign), "signature": ""}
            arrays["systems"] = np.array(found.systems)
            if metric.system_scores is not None:
                arrays["system_scores"] = metric.system_scores
            contents[f"statistics/{name}.npz"] = arrays
        sets[entry.name] = SetFiles(entry.name, contents)
    systems = {entry.name: entry.systems for entry in PAPER.sets}
    return Inputs(sets, systems=systems, settings=dict.fromkeys(sets, settings))


def ledger_of(inputs):
    cells = []
    for item, table in PAPER.tables.items():
        cells += make_table(item, table, inputs)[0]
    ledger = audit("perrella2024", pd.DataFrame(cells), PAPER.causes)
    return mark_method(ledger, "perrella2024", PAPER.method)


@pytest.fixture(scope="module")
def ledger(real):
    return ledger_of(inputs_of(real / "wmt23", PAIRS))


def plain(name):
    """A metric's name without the marks of baselines, sentinels and metrics without a reference."""
    return name.lstrip("*_").removesuffix("[noref]")


def numbers_of_the_files(folder):
    """The authors' numbers by item, row and column."""
    numbers = {}
    for file in ("wmt_corrs", "rankings", "metric_matrices"):
        with (folder / f"{file}.tsv").open(encoding="utf-8") as lines:
            for row in csv.DictReader(lines, delimiter="\t"):
                numbers[place_of(file, row)] = float(row["value"])
    return numbers


def place_of(file, row):
    """The item, row and column of a line."""
    pair = row["table"][:5]
    if file == "metric_matrices":
        return f"matrix_{PAIRS[pair]}", row["row"], row["column"]
    if file == "wmt_corrs":
        item, column = f"correlations_{PAIRS[pair]}", STATISTICS[row["table"][6:]]
    else:
        item, r = RANKINGS[row["table"]]
        pair, statistic, _ = row["column"].split()
        column = f"{ARROWS[pair]} {r if statistic == 'pearson' else 'acc*eq'}"
    return item, plain(row["row"]), f"{column} rank" if row["column"].endswith("rank") else column


def test_the_papers_file_has_every_number_of_the_authors_files(shared):
    expected = numbers_of_the_files(shared / "papers/perrella2024")
    absent = inputs_of(None, [])
    found = {}
    for item, table in PAPER.tables.items():
        for cell in make_table(item, table, absent)[0]:
            if np.isfinite(cell.published):
                found[cell.item, cell.row, cell.column] = cell.published
    values = [place for place in expected if not place[2].endswith("rank")]
    assert len(values) == 608 + 456 + 240
    assert found == expected


def test_every_number_of_two_pairs_is_reproduced(ledger):
    is_rank = ledger.column.str.endswith("rank")
    assert (len(ledger), (~is_rank).sum()) == (2368, 608 + 456 + 240)
    assert ledger[ledger.status != "reproduced"].to_dict("records") == []
    zeros = ledger[ledger.reason.str.startswith("undefined, since scores are constant")]
    assert (zeros.published == 0).all()
    assert (zeros.reproduced == 0).all()
    assert len(zeros) == 2 * 4 * 3 + 2 * 2 * 4
    assert (ledger.method != "").sum() == 2 * 6 * 16 + 2 * 2 * 6 * (4 + 2) + 2 * (3 * 13 + 3)


def test_without_the_archive_every_number_has_a_reason():
    ledger = ledger_of(inputs_of(None, []))
    assert Counter(ledger.status) == {NOT_COMPUTABLE: 2368}
    assert set(ledger.reason) == {"not in the archive"}
