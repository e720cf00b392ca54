"""Configs that Snakemake's workflow catalogue looks for."""

import pytest
from conftest import ROOT

from mt_difficulty.plan.config import check_files


@pytest.mark.parametrize("file", ["config/config.yaml", ".test/config.yaml"])
def test_configs_to_start_from_are_sound(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    results, problems = check_files(["config.yaml", file])
    assert (bool(results), problems) == (True, [])
