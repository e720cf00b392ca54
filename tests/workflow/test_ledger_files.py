"""What a run writes for other programs."""

import json

import pytest
import tiny
from conftest import Project
from jsonschema import Draft202012Validator

from mt_difficulty import storage
from mt_difficulty.data.contents import checksum


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The results of a run of the tiny paper."""
    project = Project(tmp_path_factory.mktemp("ledger"))
    tiny.write_project(project.root, archive="tiny/mt-metrics-eval-v2", neural=False)
    output = project.snakemake("results/tiny/claims.json", "--configfile", "tiny.yaml")
    made = "results/tiny/claims.json: made, or as they should be already:"
    assert f"{made}\n  results/tiny/claims.json\n" in output
    return project.root / "results/tiny"


def test_claims_are_the_ledger_and_name_their_files_and_jobs(results):
    content = json.loads((results / "claims.json").read_text(encoding="utf-8"))
    schema = results.parents[1] / "workflow/schemas/claims.schema.json"
    Draft202012Validator(json.loads(schema.read_text())).validate(content)
    ledger = storage.read_table(results / "audit.csv")
    found = [
        (x["paper"], x["item"], x["cell"]["row"], x["cell"]["column"], x["verdict"])
        for x in content["records"]
    ]
    columns = ["paper", "item", "row", "column", "status"]
    assert found == list(ledger[columns].itertuples(index=False, name=None))
    for each in content["records"]:
        source = each["provenance"]
        assert checksum(results / source["file"]) == source["sha256"]
        job = json.loads((results / source["job"]).read_text(encoding="utf-8"))
        assert job["outputs"][source["file"]] == source["sha256"]


def test_every_paper_has_a_badge(results):
    badge = json.loads((results / "papers/tiny/badge.json").read_text(encoding="utf-8"))
    assert badge["label"] == "tiny"
    ledger = storage.read_table(results / "audit.csv")
    count = (ledger[ledger.item != "claims"].status == "reproduced").sum()
    assert badge["message"].startswith(f"{count} reproduced · ")
    assert badge["message"] in (results / "papers/tiny/badge.svg").read_text(encoding="utf-8")
