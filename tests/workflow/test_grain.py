"""What a change makes again, counted by dry runs: a run goes by the content of its inputs."""

import os
import re
import shutil
from collections import Counter

import pytest
import small_run
import tiny
import yaml
from conftest import Project

RESULTS = "results/grain"
# Of these no job may be made again by a human score.
SCORED, SCORED_OWN = (f"score_segments_{name}_en_de" for name in ("tiny", "mine"))
TEXT_JOBS = {"import_texts", "retrieve_encoder", "match_tokens", "score_matches", SCORED}
TEXT_JOBS |= {"estimate_difficulty", "analyse_complexity"}
# What an estimator, a weighting or a metric of its own adds nothing to.
COSTLY = {"import_texts", "import_gold", "retrieve_encoder", "match_tokens"}
GOLD_JOBS = {"import_gold", "score_systems", "assess_set", "render_report"}
METRICS = ["chrF", "BERTScore", "Stored"]
SET = tiny.SET | {"metrics": METRICS}
# Names that Snakemake would take for wildcards.
OWN = {"files": "my {x} <y> files", "campaign": "mine", "pair": "en-de", "metrics": ["chrF"]}


def write_own(root, folder):
    """Own files with human scores."""
    demo = root / "data/demo/archive/demo"
    files = ["sources/en-de", "references/en-de.refA"]
    files += [f"system-outputs/en-de/{system}" for system in tiny.SYSTEMS[:4]]
    texts = [(demo / f"{file}.txt").read_text().splitlines()[: tiny.SEGMENTS] for file in files]
    systems = [f"{{{system}}} <1>" for system in tiny.SYSTEMS[:4]]
    gold = {system: number for number, system in enumerate(systems)}
    outputs = dict(zip(systems, texts[2:], strict=True))
    small_run.write_own_files(folder, texts[1], outputs, gold, source=texts[0])


def swap(path, text):
    """The text before, after another one of the same length and of long ago took its place."""
    before = path.read_text()
    assert len(text) == len(before)
    assert text != before
    path.with_name("new").write_text(text)
    os.utime(path.with_name("new"), (1e9, 1e9))
    path.with_name("new").rename(path)
    return before


def write_config(root, **settings):
    config = tiny.CONFIG | {"results": RESULTS, "papers": [], "archive": "tiny"}
    config.pop("truth")
    config["metrics"] = {
        "chrF": {"type": "chrf"},
        "BLEU": {"type": "bleu"},
        "BERTScore": {"type": "bertscore"},
        "Stored": {"type": "stored", "name": "Judge"},
    }
    config["evaluation_sets"] = [SET, OWN]
    (root / "grain.yaml").write_text(yaml.safe_dump(config | settings))


@pytest.fixture(scope="module")
def grain(tmp_path_factory):
    """A project with the results of a run on a set of an archive and one of own files."""
    project = Project(tmp_path_factory.mktemp("grain"))
    root = project.root
    tiny.write_project(root)
    write_own(root, root / OWN["files"])
    scores = "".join(f"{system} {i}\n" for i, system in enumerate(tiny.SYSTEMS))
    folder = root / "tiny/mt-metrics-eval-v2/tiny/metric-scores/en-de"
    folder.mkdir(parents=True)
    (folder / "Judge-refA.sys.score").write_text(scores)
    write_config(root)
    project.snakemake("--configfile", "grain.yaml")
    return project


@pytest.fixture
def planned(grain):
    """Counts the jobs of a run, by rule."""

    def count(*targets):
        output = grain.snakemake(*targets, "--configfile", "grain.yaml", "-n", "--quiet", "host")
        return Counter(re.findall(r"^ *(?:local)?rule (\w+):$", output, re.MULTILINE))

    yield count
    write_config(grain.root)


def campaign(grain):
    return grain.root / "tiny/mt-metrics-eval-v2/tiny"


def test_changed_human_scores_make_nothing_of_texts_again(grain, planned):
    """But a difficulty of human scores."""
    write_config(grain.root, difficulties={"human": {"type": "human"}})
    human = f"{RESULTS}/tiny/en-de/difficulty/human.npz"
    grain.snakemake(human, "--configfile", "grain.yaml")
    gold = campaign(grain) / "human-scores/en-de.mqm.sys.score"
    first, *rest = gold.read_text().splitlines(keepends=True)
    changed = first[:-2] + str((int(first[-2]) + 1) % 10) + "\n"
    before = swap(gold, "".join([changed, *rest]))
    of_difficulty = planned(human)
    write_config(grain.root)
    jobs = planned()
    swap(gold, before)
    assert of_difficulty == {"import_gold": 1, "estimate_difficulty": 1}
    assert not jobs.keys() & TEXT_JOBS
    assert jobs.keys() >= GOLD_JOBS
    assert jobs["score_systems"] == 1


def test_the_same_content_at_another_time_or_place_is_the_same_input(grain, planned):
    folder = grain.root / OWN["files"]
    for path in folder.rglob("*.txt"):
        os.utime(path)
    assert not planned()
    shutil.copytree(folder, grain.root / "elsewhere")
    write_config(grain.root, evaluation_sets=[SET, OWN | {"files": "elsewhere"}])
    assert not planned()


def test_changed_stored_scores_make_stored_metrics_again(grain, planned):
    stored = campaign(grain) / "metric-scores/en-de/Judge-refA.sys.score"
    before = swap(stored, stored.read_text().replace(" 0", " 9"))
    jobs = planned()
    stored.write_text(before)
    assert jobs[SCORED] == jobs["score_systems"] == 1
    assert not jobs.keys() & (COSTLY | {"score_matches", "estimate_difficulty", SCORED_OWN})


def test_an_added_metric_computes_those_without_an_encoder_and_an_added_difficulty(grain, planned):
    added = SET | {"metrics": [*METRICS, "BLEU"]}
    difficulties = {"readability": {"type": "readability"}}
    write_config(grain.root, evaluation_sets=[added, OWN], difficulties=difficulties)
    jobs = planned()
    assert jobs[SCORED] == 1
    assert jobs["estimate_difficulty"] == jobs["score_systems"] == 2  # one a set
    assert not jobs.keys() & (COSTLY | {"score_matches", SCORED_OWN})


def test_an_added_weighting_is_applied_by_the_sets_that_choose_it(grain, planned):
    hardest = {"type": "hardest", "difficulty": "chunk_entropy", "share": 0.5}
    entry = OWN | {"weightings": ["EE", "DA", "DA-LOO", "EE-DA"]}
    write_config(grain.root, weightings={"hardest": hardest}, evaluation_sets=[SET, entry])
    jobs = planned()
    assert jobs["score_systems"] == jobs["render_set"] == 1
    assert not jobs.keys() & (COSTLY | {"estimate_difficulty", "score_matches", SCORED, SCORED_OWN})


def test_added_modules_make_nothing_again(grain, planned):
    package, added = grain.root / "workflow/scripts/mt_difficulty", []
    for module in ("metrics/chrf", "difficulty/length", "weighting/hardest", "statistics/kendall"):
        added.append((package / module).with_name("new.py"))
        shutil.copy(package / f"{module}.py", added[-1])
    jobs = planned()
    for path in added:
        path.unlink()
    assert not jobs


def test_packed_and_unpacked_are_the_same_input(grain, planned):
    root = grain.root
    (root / "packed").mkdir(exist_ok=True)
    tiny.pack(root, root / "packed").rename(root / "packed/moved.tgz")
    write_config(root, archive="packed/moved.tgz")
    assert not planned()

    output = campaign(grain) / "system-outputs/en-de/alder.txt"
    before = swap(output, output.read_text().replace("e", "a"))
    tiny.pack(root, root / "packed")
    output.write_text(before)
    write_config(root, archive="packed/archive.tar.gz")
    jobs = planned()
    assert jobs.keys() >= {"import_texts", "import_gold", "match_tokens", SCORED}
    assert jobs["estimate_difficulty"] == 1
    write_config(root)
    assert not planned()  # so that every test above began with nothing to do
