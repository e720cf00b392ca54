"""How much a change makes again, counted by dry runs."""

import re
import shutil
from collections import Counter

import pytest
import tiny
import yaml
from conftest import Project
from test_contents import swap, write_own

RESULTS = "results/grain"
# Of these no job may be made again by a human score.
TEXT_JOBS = {"import_texts", "retrieve_encoder", "match_tokens", "weigh_tokens"}
TEXT_JOBS |= {"align_hypotheses", "estimate_difficulty", "score_segments", "score_systems"}
TEXT_JOBS |= {"describe_sources", "analyse_complexity"}
GOLD_JOBS = {"import_evalset", "correlate", "assess_correlations", "control_weightings"}
GOLD_JOBS |= {"map_parameters", "render_report"}
METRICS = ["chrF", "BERTScore", "Stored", "Renamed"]


def write_config(root, **settings):
    config = tiny.CONFIG | {"results": RESULTS, "papers": [], "archive": "tiny"}
    config.pop("truth")
    config["metrics"] = {
        "chrF": {"type": "chrf"},
        "BLEU": {"type": "bleu"},
        "BERTScore": {"type": "bertscore"},
        "Stored": {"type": "stored"},
        "Renamed": {"type": "stored", "name": "Judge"},
    }
    config["evaluation_sets"] = [
        tiny.SET | {"metrics": METRICS},
        {"files": "mine", "campaign": "mine", "pair": "en-de", "metrics": ["chrF"]},
    ]
    (root / "grain.yaml").write_text(yaml.safe_dump(config | settings))


@pytest.fixture(scope="module")
def grain(tmp_path_factory):
    """A project with the results of a run on a set of an archive and one of own files."""
    project = Project(tmp_path_factory.mktemp("grain"))
    root = project.root
    tiny.write_project(root)
    write_own(root, root / "mine")
    scores = "".join(f"{system} {i}\n" for i, system in enumerate(tiny.SYSTEMS))
    folder = root / "tiny/mt-metrics-eval-v2/tiny/metric-scores/en-de"
    folder.mkdir(parents=True)
    for name in ("Stored", "Judge"):
        (folder / f"{name}-refA.sys.score").write_text(scores)
    write_config(root)
    project.snakemake("--configfile", "grain.yaml")
    return project


@pytest.fixture
def planned(grain):
    """Counts the jobs of a run, by rule."""

    def count():
        output = grain.snakemake("--configfile", "grain.yaml", "-n", "--quiet", "host")
        return Counter(re.findall(r"^(?:local)?rule (\w+):$", output, re.MULTILINE))

    yield count
    write_config(grain.root)


def campaign(grain):
    return grain.root / "tiny/mt-metrics-eval-v2/tiny"


def test_a_changed_human_score_makes_nothing_of_texts_again(grain, planned):
    gold = campaign(grain) / "human-scores/en-de.mqm.sys.score"
    first, *rest = gold.read_text().splitlines(keepends=True)
    changed = first[:-2] + str((int(first[-2]) + 1) % 10) + "\n"
    before = swap(gold, "".join([changed, *rest]))
    jobs = planned()
    gold.write_text(before)
    assert not jobs.keys() & TEXT_JOBS
    assert jobs.keys() >= GOLD_JOBS
    assert jobs["correlate"] == 1  # of the other set none


def test_a_system_without_its_score_is_ranked_no_more(grain, planned):
    gold = campaign(grain) / "human-scores/en-de.mqm.sys.score"
    before = gold.read_text()
    gold.write_text(re.sub(r"^(alder\s+)\S+", r"\1None", before, flags=re.MULTILINE))
    jobs = planned()
    gold.write_text(before)
    assert jobs.keys() >= TEXT_JOBS - {"retrieve_encoder"}


def test_a_changed_human_score_of_own_files(grain, planned):
    gold = grain.root / "mine/gold.tsv"
    before = gold.read_text()
    gold.write_text(before.replace("\t0", "\t7"))
    jobs = planned()
    gold.write_text(before)
    assert not jobs.keys() & TEXT_JOBS
    assert jobs.keys() >= GOLD_JOBS


@pytest.mark.parametrize("name", ["Stored", "Judge"])
def test_a_changed_stored_score_makes_that_metric_again(grain, planned, name):
    stored = campaign(grain) / f"metric-scores/en-de/{name}-refA.sys.score"
    before = swap(stored, stored.read_text().replace(" 0", " 9"))
    jobs = planned()
    stored.write_text(before)
    assert jobs["score_segments"] == 1
    assert not jobs.keys() & {"import_texts", "import_evalset", "match_tokens", "align_hypotheses"}


def test_an_added_metric_is_all_that_is_scored(grain, planned):
    sets = [tiny.SET | {"metrics": [*METRICS, "BLEU"]}]
    sets += [{"files": "mine", "campaign": "mine", "pair": "en-de", "metrics": ["chrF"]}]
    write_config(grain.root, evaluation_sets=sets)
    jobs = planned()
    assert jobs["score_segments"] == 1
    assert jobs["score_systems"] == 1
    made = {"import_texts", "import_evalset", "match_tokens", "align_hypotheses", "weigh_tokens"}
    assert not jobs.keys() & (made | {"estimate_difficulty"})


def test_an_added_system_makes_its_set_again_and_no_other(grain, planned):
    systems = grain.root / "mine/systems"
    names = sorted(systems.iterdir())
    (systems / "new.txt").write_text(names[0].read_text())
    gold = grain.root / "mine/gold.tsv"
    before = gold.read_text()
    gold.write_text(f"{before}new\t1.5\n")
    jobs = planned()
    (systems / "new.txt").unlink()
    gold.write_text(before)
    once = ("import_texts", "import_evalset", "align_hypotheses", "score_segments", "correlate")
    assert {name: jobs[name] for name in once} == dict.fromkeys(once, 1)
    assert not jobs.keys() & {"match_tokens", "weigh_tokens"}


def test_an_added_module_of_a_metric_makes_nothing_again(grain, planned):
    metrics = grain.root / "workflow/scripts/mt_difficulty/metrics"
    shutil.copy(metrics / "chrf.py", metrics / "new.py")
    jobs = planned()
    (metrics / "new.py").unlink()
    assert not jobs


def test_packed_and_unpacked_are_the_same_input(grain, planned):
    root = grain.root
    (root / "packed").mkdir(exist_ok=True)
    packed = tiny.pack(root, root / "packed")
    write_config(root, archive="packed/archive.tar.gz")
    assert not planned()
    packed.rename(root / "packed/moved.tgz")
    write_config(root, archive="packed/moved.tgz")
    assert not planned()

    output = campaign(grain) / "system-outputs/en-de/alder.txt"
    before = swap(output, output.read_text().replace("e", "a"))
    tiny.pack(root, root / "packed")
    output.write_text(before)
    write_config(root, archive="packed/archive.tar.gz")
    jobs = planned()
    assert jobs.keys() >= {"import_texts", "import_evalset", "match_tokens", "score_segments"}
    assert jobs["align_hypotheses"] == 1
    write_config(root)
    assert not planned()  # so that every test above began with nothing to do
