"""What a run goes by is the content of its inputs."""

import os
import re
import shutil

import pandas as pd
import pytest
import tiny
import yaml
from conftest import Project

pytestmark = pytest.mark.slow

OWN = ["--configfile", "own.yaml"]
RESULTS = "results/own"
SYSTEMS = ("alder", "ash", "birch", "cedar")


def write_own(root, folder):
    """Own files with human scores, and names that Snakemake would take for wildcards."""
    demo = root / "data/demo/archive/demo"

    def lines(name):
        return (demo / name).read_text(encoding="utf-8").splitlines(keepends=True)[: tiny.SEGMENTS]

    (folder / "systems").mkdir(parents=True)
    (folder / "source.txt").write_text("".join(lines("sources/en-de.txt")))
    (folder / "reference.txt").write_text("".join(lines("references/en-de.refA.txt")))
    for system in SYSTEMS:
        texts = "".join(lines(f"system-outputs/en-de/{system}.txt"))
        (folder / f"systems/{{{system}}} <1>.txt").write_text(texts)
    gold = "".join(f"{{{system}}} <1>\t{i}\n" for i, system in enumerate(SYSTEMS))
    (folder / "gold.tsv").write_text(gold)


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A project with the results of a run on own files."""
    project = Project(tmp_path_factory.mktemp("contents"))
    write_own(project.root, project.root / "my {x} <y> files")
    entry = {"files": "my {x} <y> files", "campaign": "mine", "pair": "en-de", "metrics": ["chrF"]}
    config = tiny.CONFIG | {"results": RESULTS, "papers": [], "evaluation_sets": [entry]}
    config["metrics"] = {"chrF": {"type": "chrf"}}
    config.pop("truth")
    (project.root / "own.yaml").write_text(yaml.safe_dump(config))
    project.snakemake(*OWN)
    return project


def planned(project, *arguments):
    """The rules of the jobs that a run would have."""
    output = project.snakemake(*(arguments or OWN), "-n", "--quiet", "host")
    return set(re.findall(r"^rule (\w+):$", output, re.MULTILINE)) - {"all"}


def replace_by_older(path, text):
    """Another content of the same length, with the time of long ago."""
    assert len(text) == len(path.read_text())
    assert text != path.read_text()
    new = path.with_name("new")
    new.write_text(text)
    os.utime(new, (1e9, 1e9))
    new.rename(path)


def pearson(project):
    found = pd.read_csv(project.root / RESULTS / "mine/en-de/correlations.csv")
    return found[(found.weighting == "standard") & (found.subset == "all")].pearson[0]


def test_an_older_file_of_other_content_is_another_input(own):
    gold = own.root / "my {x} <y> files/gold.tsv"
    before, text = pearson(own), gold.read_text()
    turned = text.replace("\t0", "\t9").replace("\t3", "\t0").replace("\t9", "\t3")
    replace_by_older(gold, turned)
    assert {"import_evalset", "correlate", "render_set", "render_report"} <= planned(own)
    table = f"{RESULTS}/mine/en-de/correlations.csv"
    own.snakemake(table, *OWN)
    assert abs(pearson(own) - before) > 0.1
    replace_by_older(gold, text)
    own.snakemake(table, *OWN)
    assert pearson(own) == before
    # The pages were removed when the table beside them had changed.
    assert {"render_set", "render_report"} <= planned(own)
    own.snakemake(*OWN)
    assert planned(own) == set()


def test_the_same_content_at_another_time_or_place_is_the_same_input(own):
    folder = own.root / "my {x} <y> files"
    for path in folder.rglob("*.txt"):
        os.utime(path)
    assert planned(own) == set()
    config = yaml.safe_load((own.root / "own.yaml").read_text())
    config["evaluation_sets"][0]["files"] = "elsewhere"
    (own.root / "elsewhere.yaml").write_text(yaml.safe_dump(config))
    shutil.copytree(folder, own.root / "elsewhere")
    assert planned(own, "--configfile", "elsewhere.yaml") == set()


def swap(path, text):
    """The text before, after another one of long ago took its place."""
    before = path.read_text()
    replace_by_older(path, text)
    return before


def test_archives_and_encoders_count_by_content(own, small_bert):
    root, settings = own.root, own.root / "archive.yaml"
    folder = root / "some/mt-metrics-eval-v2/tiny"
    tiny.write_campaign(root / "data/demo/archive/demo", folder)
    shutil.copytree(small_bert, root / "encoder")
    config = tiny.CONFIG | {"results": "results/a", "papers": [], "archive": "some"}
    config |= {"evaluation_sets": [tiny.SET | {"metrics": ["BERTScore"]}]}
    config |= {"encoders": {"small": {"folder": "encoder", "layer": 1}}}
    config |= {"substitute_encoders": {"de": "small"}}
    run = ["results/a/tiny/en-de/encoders/small.json", "--configfile", str(settings)]
    settings.write_text(yaml.safe_dump(config))
    own.snakemake(*run)
    assert planned(own, *run) == set()

    output = folder / "system-outputs/en-de/alder.txt"
    before = swap(output, output.read_text().replace("e", "a"))
    assert "import_texts" in planned(own, *run)
    swap(output, before)
    assert planned(own, *run) == set()

    model = root / "encoder/config.json"
    before = swap(model, model.read_text().replace("0.1", "0.2"))
    assert planned(own, *run) == {"retrieve_encoder"}
    swap(model, before)
    assert planned(own, *run) == set()
    (root / "encoder").rename(root / "elsewhere_encoder")
    config["encoders"]["small"]["folder"] = "elsewhere_encoder"
    settings.write_text(yaml.safe_dump(config))
    assert planned(own, *run) == set()

    packed = root / "some.tgz"
    shutil.move(shutil.make_archive(root / "one", "gztar", root / "some"), packed)
    settings.write_text(yaml.safe_dump(config | {"archive": "some.tgz"}))
    own.snakemake(*run)
    packed.rename(root / "moved.tgz")
    settings.write_text(yaml.safe_dump(config | {"archive": "moved.tgz"}))
    assert planned(own, *run) == set()
    swap(output, output.read_text().replace("e", "a"))
    other = shutil.make_archive(root / "two", "gztar", root / "some")
    os.utime(other, (1e9, 1e9))
    os.rename(other, root / "moved.tgz")
    assert "import_texts" in planned(own, *run)
