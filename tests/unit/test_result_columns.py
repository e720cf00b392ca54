"""Every result table and every column is defined once, in tables.py."""

import re

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

from mt_difficulty import storage
from mt_difficulty.papers import Cell
from mt_difficulty.plan import outputs
from mt_difficulty.statistics import STATISTICS
from mt_difficulty.tables import (
    COLUMNS,
    HIGHER,
    LOWER,
    OF_PAGES,
    STATISTICS_OF_THE_RUN,
    TABLES,
    Table,
    column_of,
)

GROUPS = ("OF_A_SET", "OVER_SETS", "OF_PAPERS", "OF_A_STUDY", "OF_ESTIMATORS")
# Tables of rules that write several, by the pattern of their paths.
IN_RULES = {
    "study/{kind}.csv": [f"study/{kind}.csv" for kind in outputs.STUDY_TABLES],
    "<set>/estimators/{table}.csv": [
        f"<set>/estimators/{table}.csv" for table in outputs.BENCH_SET_TABLES
    ],
    "estimators/{table}.csv": [f"estimators/{table}.csv" for table in outputs.BENCH_TABLES],
}


def tables_of_rules():
    """Return the names of all tables that are outputs of rules."""
    written = set()
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        rules = file.read_text(encoding="utf-8")
        paths = re.findall(r'"((?:<set>|<results>|\{RESULTS\})/[^"]*\.csv)"', rules)
        for path in paths:
            name = re.sub(r"^(<results>|\{RESULTS\})/", "", path)
            name = re.sub(r"^papers/\{paper\}/", "", name)
            if name in IN_RULES:
                written.update(IN_RULES[name])
                continue
            name = re.sub(r"\{(table|name)\}", "<item>", name)
            # Tables of a set are named without its folder.
            in_folder = name.count("/") > 1
            written.add(name if in_folder else name.removeprefix("<set>/"))
    return written


def test_every_table_is_written_by_a_rule_and_every_table_of_a_rule_is_defined():
    assert tables_of_rules() == set(TABLES)


def test_every_table_is_documented():
    """The groups of tables.py are listed by directives, together with their columns."""
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "docs").glob("*.md")]
    named = [name for text in texts for name in re.findall(r"```\{tables\} (\w+)", text)]
    assert sorted(named) == sorted(GROUPS)


def test_the_columns_of_every_table_are_defined_and_every_column_is_in_a_table():
    used = {name for table in TABLES.values() for name in table.columns}
    known = {*COLUMNS, *STATISTICS, STATISTICS_OF_THE_RUN}
    assert sorted(used - known) == []
    assert sorted(COLUMNS.keys() - used) == []
    assert COLUMNS.keys() & OF_PAGES.keys() == set()


@pytest.mark.parametrize("name", TABLES)
def test_no_table_has_a_column_twice(name):
    table = TABLES[name]
    assert len(set(table.columns)) == len(table.columns)
    assert table.holds


def test_columns_of_numbers_alone_have_a_unit_or_a_direction():
    for name, column in {**COLUMNS, **OF_PAGES}.items():
        assert column.direction in (HIGHER, LOWER, ""), name
        assert column.is_number or not (column.unit or column.direction), name
        # Meanings do not repeat them.
        assert HIGHER not in column.meaning, name
        assert LOWER not in column.meaning, name


def test_cells_of_papers_are_the_columns_of_their_table():
    assert TABLES["cells/<item>.csv"].names() == list(Cell._fields)


def test_every_script_says_which_table_it_writes():
    for file in (ROOT / "workflow/scripts").glob("*.py"):
        for call in re.findall(r"write_table\((.*)\)\n", file.read_text(encoding="utf-8")):
            assert re.search(r"TABLES\[|, table$", call), (file.name, call)


@pytest.mark.parametrize("columns", [["set", "reason", "more"], ["set"], ["reason", "set"]])
def test_a_table_with_other_columns_is_not_written(tmp_path, columns):
    row = {"set": "a/en-de", "reason": "no texts", "more": 1}
    frame = pd.DataFrame([row])
    table = TABLES["study/left_out.csv"]
    storage.write_table(tmp_path / "t.csv", frame[["set", "reason"]], table)
    with pytest.raises(ValueError, match=r"columns .*; expected set, reason"):
        storage.write_table(tmp_path / "other.csv", frame[columns], table)
    assert not (tmp_path / "other.csv").exists()


def test_the_statistics_of_a_run_are_columns_of_correlations(tmp_path):
    table = TABLES["correlations.csv"]
    names = table.names(["pearson", "accuracy"])
    assert names[4:8] == ["size", "draws", "pearson", "accuracy"]
    storage.write_table(tmp_path / "t.csv", pd.DataFrame(columns=names), table)
    with pytest.raises(ValueError, match="expected"):
        table.check([*names, "kendall"])
    with pytest.raises(ValueError, match="expected"):
        TABLES["top_scores.csv"].check([*TABLES["top_scores.csv"].names(), "pearson"])


def test_the_columns_of_a_printed_table_are_free(tmp_path):
    frame = pd.DataFrame([["EE-BLEU", "0.9 [0.8]"]], columns=["", "En→De r"])
    storage.write_table(tmp_path / "t.csv", frame, TABLES["<item>.csv"])
    assert storage.read_table(tmp_path / "t.csv").iloc[0].tolist() == ["EE-BLEU", "0.9 [0.8]"]


def test_tables_are_read_by_the_definitions(tmp_path):
    """Names of systems stay as they are, whatever they look like."""
    frame = pd.DataFrame({"system": ["2019", "1.0", "NA"], "score": [1.5, np.nan, 3]})
    storage.write_table(tmp_path / "t.csv", frame, Table("scores", ("system", "score")))
    found = storage.read_table(tmp_path / "t.csv")
    assert found.system.tolist() == ["2019", "1.0", "NA"]
    np.testing.assert_array_equal(found.score, [1.5, np.nan, 3])
    assert not column_of("a name that is not there").is_number


def test_explanations_have_unit_and_direction():
    assert column_of("within_r").explanation.endswith("centred by segment (correlation, −1 to 1)")
    assert column_of("agrees").explanation.endswith("0.5 for ties; higher is better")
    assert column_of("pearson").explanation == (
        "Pearson's correlation with human scores; higher is better"
    )
    assert column_of("interval_low").explanation == ""
