"""The config that Snakemake's workflow catalogue looks for."""

from conftest import ROOT

from mt_difficulty.plan.config import check_files


def test_the_config_to_start_from_is_sound(monkeypatch):
    monkeypatch.chdir(ROOT)
    results, problems = check_files(["config.yaml", "config/config.yaml"])
    assert (bool(results), problems) == (True, [])
