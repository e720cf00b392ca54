"""Files that other tools look for."""

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.plan import config

FILES = ("workflow/Snakefile", "config/README.md", "config/config.yaml", ".test/config.yaml")


def test_the_catalogue_finds_what_standardised_usage_needs():
    usage = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert set(usage) == {"mandatory-flags", "software-stack-deployment", "report"}
    deployment = usage["software-stack-deployment"]
    assert deployment.keys() == {"conda", "singularity", "singularity+conda"}
    assert deployment["conda"] is usage["report"] is True
    assert [file for file in FILES if not (ROOT / file).is_file()] == []


@pytest.mark.parametrize("file", ["config/config.yaml", ".test/config.yaml"])
def test_configs_to_start_from_are_sound(file, monkeypatch):
    monkeypatch.chdir(ROOT)
    assert config.main(["config.yaml", file]) == 0
