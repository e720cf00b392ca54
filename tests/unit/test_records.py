"""Results of which Snakemake has no records are not taken for those of other settings."""

import shutil

import pytest

from mt_difficulty.errors import InputError
from mt_difficulty.plan.records import check_records, keep_records


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Make a folder of results, as a run from here leaves it."""
    monkeypatch.chdir(tmp_path)

    def make(results):
        check_records(results)
        keep_records(results)
        file = tmp_path / results / "demo/en-de/system_scores.csv"
        file.parent.mkdir(parents=True)
        file.write_text("system,score\n")

    return make


def test_results_of_earlier_runs_are_known(run):
    run("results")
    check_records("results")
    keep_records("results")
    check_records("results")
    # Another run's results may lie in the folder, or above it.
    run("results/other")
    check_records("results")
    check_records("results/other")
    run("mine/first")
    run("mine")


def test_a_folder_without_results_is_no_earlier_run(tmp_path, run):
    check_records("results")
    (tmp_path / "results/logs").mkdir(parents=True)
    (tmp_path / "results/logs/import.log").write_text("ERROR")
    (tmp_path / "results/README.md").write_text("What appears here")
    run("results")


def test_a_folder_of_other_files_is_refused_without_advice_to_remove_it(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/thesis.txt").write_text("1 Introduction")
    with pytest.raises(InputError, match=r"holds other files, such as thesis.txt. Name an empty"):
        check_records(str(tmp_path / "notes"))


def test_results_without_their_records_are_refused(tmp_path, run):
    run("results/a b")
    shutil.copytree(tmp_path / "results/a b", tmp_path / "copy")
    with pytest.raises(InputError, match=r"copy: Snakemake has no records .*: rm -r copy\Z"):
        check_records("copy")
    shutil.rmtree(tmp_path / ".snakemake")
    with pytest.raises(InputError, match=r"run again: rm -r 'results/a b'\Z"):
        check_records("results/a b")
    shutil.rmtree(tmp_path / "results")
    run("results/a b")
    (tmp_path / "results/a b/.records").unlink()
    with pytest.raises(InputError, match="made by an older version"):
        check_records("results/a b")
