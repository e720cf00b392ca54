"""A run's results as an RO-Crate: what the profile asks for, and what the records hold."""

import json
from pathlib import Path

import pytest
import requests
import rocrate
from rocrate.rocrate import ROCrate
from rocrate_validator import services
from rocrate_validator.utils.http import HttpRequester

from mt_difficulty import cli, storage
from mt_difficulty.data.contents import checksum
from mt_difficulty.run.crate import METADATA, write_crate

TEXTS = "e" * 64


@pytest.fixture
def results(tmp_path):
    """Results of two jobs, of which the second reads what the first wrote."""
    folder = tmp_path / "demo"
    storage.write_text(folder / "set/texts 1.csv", "a\n1\n")
    storage.write_text(folder / "set/scores.csv", "b\n2\n")
    first = {"inputs": {"source.txt": TEXTS}, "outputs": "set/texts 1.csv", "rule": "read"}
    second = {"inputs": "set/texts 1.csv", "outputs": "set/scores.csv", "rule": "score"}
    for job in (first, second):
        for side in ("inputs", "outputs"):
            if isinstance(name := job[side], str):
                job[side] = {name: checksum(folder / name)}
        job |= {"code": job["rule"][0] * 64, "params": {"seed": 1}, "versions": {"numpy": "2.1"}}
        storage.write_json(folder / f"provenance/{job['rule']}/demo.json", job)
    return folder


@pytest.fixture
def crate(results):
    write_crate(results)
    return ROCrate(results)


def ids(entities):
    return [entity.id for entity in entities]


def test_what_the_profiles_ask_for(crate):
    root = crate.root_dataset
    assert all(root[key] for key in ("name", "description", "license", "datePublished"))
    assert set(ids(root["conformsTo"])) == {
        "https://w3id.org/ro/wfrun/process/0.5",
        "https://w3id.org/ro/wfrun/workflow/0.5",
        "https://w3id.org/workflowhub/workflow-ro-crate/1.0",
    }
    workflow = crate.mainEntity
    assert workflow.type == ["File", "SoftwareSourceCode", "ComputationalWorkflow"]
    assert workflow["programmingLanguage"]["name"] == "Snakemake"
    run, *jobs = root["mentions"]
    assert run["instrument"] is workflow
    assert [job["instrument"]["name"] for job in jobs] == ["read", "score"]
    assert {entity.type for entity in (run, *jobs)} == {"CreateAction"}
    assert all(
        entity.type != "File" or (crate.source / entity["name"]).is_file() for entity in jobs
    )


def test_jobs_have_their_inputs_settings_code_versions_and_results(crate, results):
    run, read, score = crate.root_dataset["mentions"]
    (source,) = run["object"]
    assert (source["name"], source["sha256"], source.type) == ("source.txt", TEXTS, "CreativeWork")
    assert ids(run["result"]) == ["set/scores.csv", "set/texts%201.csv"]
    assert read["object"][0] is source
    texts, settings = score["object"]
    assert ids(read["result"]) == [texts.id]
    assert texts["sha256"] == checksum(results / "set/texts 1.csv")
    assert texts["contentSize"] == "4"
    assert json.loads(settings["value"]) == {"seed": 1}
    assert score["instrument"]["sha256"] == "s" * 64
    needed = score["instrument"]["softwareRequirements"]
    (library,) = needed if isinstance(needed, list) else [needed]
    assert (library["name"], library["version"]) == ("numpy", "2.1")


def test_every_file_of_the_crate_is_there(crate, results):
    for entity in crate.data_entities:
        if entity.id != "workflow/Snakefile":
            assert checksum(results / entity["name"]) == entity["sha256"]
    assert len(crate.data_entities) == 3


def test_equal_runs_have_equal_bytes(results, monkeypatch):
    first = write_crate(results).read_bytes()
    assert write_crate(results).read_bytes() == first
    assert b'"datePublished": "1970-01-01"' in first
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    assert b'"datePublished": "2023-11-14"' in write_crate(results).read_bytes()


def test_the_command_prints_the_path(results, capsys):
    assert cli.main(["crate", str(results)]) == 0
    assert capsys.readouterr().out == f"{results / METADATA}\n"


def test_a_result_that_changed_is_named(results, capsys):
    (results / "set/scores.csv").write_text("b\n3\n")
    assert cli.main(["crate", str(results)]) == 1
    assert "scores.csv: not as its job wrote it. Run the workflow again." in capsys.readouterr().err
    assert not (results / METADATA).exists()


def test_results_without_records_are_no_run(tmp_path, capsys):
    assert cli.main(["crate", str(tmp_path)]) == 1
    assert "no records in" in capsys.readouterr().err


@pytest.mark.parametrize("broken", [False, True])
def test_the_validator_of_the_profile_accepts_it(results, monkeypatch, broken):
    """It reads the terms of RO-Crate 1.1 from the web: here ro-crate-py's own take their place."""
    terms = json.loads((Path(rocrate.__file__).parent / "data/ro-crate.jsonld").read_text())
    terms["@context"]["ComputationalWorkflow"] = "https://bioschemas.org/ComputationalWorkflow"
    response = requests.Response()
    response.status_code, response._content = 200, json.dumps(terms).encode()
    response.headers["Content-Type"] = "application/ld+json"
    monkeypatch.setattr(type(HttpRequester()), "get", lambda *_, **__: response, raising=False)
    path = write_crate(results)
    if broken:
        path.write_text(path.read_text().replace('"instrument"', '"tool"'))
    settings = services.ValidationSettings(
        rocrate_uri=str(results), profile_identifier="workflow-run-crate", offline=True
    )
    assert services.validate(settings).passed() != broken
