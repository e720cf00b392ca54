"""The small run that the workflow catalogue and new users try: .test/config.yaml."""

import pandas as pd
import pytest

pytestmark = pytest.mark.slow


def test_it_runs_in_its_own_folder(project):
    others = set((project.root / "results").rglob("*"))
    project.snakemake("--directory", ".test", "--configfile", ".test/config.yaml")
    results = project.root / ".test/results"
    assert (results / "report.html").is_file()
    found = pd.read_csv(results / "demo/en-de/correlations.csv")
    assert {"standard", "EE"} <= set(found.weighting)
    assert found[found.subset == "all"].pearson.notna().all()
    assert set((project.root / "results").rglob("*")) == others
