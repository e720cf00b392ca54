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
TEXT_JOBS = {"import_texts", "retrieve_encoder", "match_tokens", "score_segments"}
TEXT_JOBS |= {"estimate_difficulty", "fit_weightings", "describe_sources"}
# What an estimator, a weighting or a metric of its own adds nothing to.
COSTLY = {"import_texts", "import_evalset", "retrieve_encoder", "match_tokens"}
GOLD_JOBS = {"import_evalset", "correlate", "assess_correlations", "control_weightings"}
GOLD_JOBS |= {"map_parameters", "render_report", "score_systems", "compare_metrics"}
METRICS = ["chrF", "BERTScore", "Stored", "Renamed"]
SET = tiny.SET | {"metrics": METRICS}
OWN = {"files": "mine", "campaign": "mine", "pair": "en-de", "metrics": ["chrF"]}


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
    config["evaluation_sets"] = [SET, OWN]
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

    def count(*targets):
        output = grain.snakemake(*targets, "--configfile", "grain.yaml", "-n", "--quiet", "host")
        return Counter(re.findall(r"^(?:local)?rule (\w+):$", output, re.MULTILINE))

    yield count
    write_config(grain.root)


def campaign(grain):
    return grain.root / "tiny/mt-metrics-eval-v2/tiny"


def change_gold(grain):
    """Another digit in a human score; gives the file and what it was."""
    gold = campaign(grain) / "human-scores/en-de.mqm.sys.score"
    first, *rest = gold.read_text().splitlines(keepends=True)
    changed = first[:-2] + str((int(first[-2]) + 1) % 10) + "\n"
    return gold, swap(gold, "".join([changed, *rest]))


def assert_of_gold(jobs):
    """Nothing that is made of texts is made again."""
    assert not jobs.keys() & TEXT_JOBS
    assert jobs.keys() >= GOLD_JOBS


def test_a_changed_human_score_makes_nothing_of_texts_again(grain, planned):
    gold, before = change_gold(grain)
    jobs = planned()
    gold.write_text(before)
    assert_of_gold(jobs)
    assert jobs["correlate"] == 1  # of the other set none


def test_a_changed_human_score_makes_a_difficulty_of_human_scores_again(grain, planned):
    write_config(grain.root, difficulties={"human": {"type": "human"}})
    names = ("human", "chunk_entropy")
    files = [f"{RESULTS}/tiny/en-de/difficulty/{name}.npz" for name in names]
    grain.snakemake(*files, "--configfile", "grain.yaml")
    assert not planned(*files)
    gold, before = change_gold(grain)
    jobs = planned(*files)
    gold.write_text(before)
    assert jobs == {"import_evalset": 1, "estimate_difficulty": 1}


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
    assert_of_gold(jobs)


@pytest.mark.parametrize("name", ["Stored", "Judge"])
def test_a_changed_stored_score_makes_that_metric_again(grain, planned, name):
    stored = campaign(grain) / f"metric-scores/en-de/{name}-refA.sys.score"
    before = swap(stored, stored.read_text().replace(" 0", " 9"))
    jobs = planned()
    stored.write_text(before)
    assert jobs["score_segments"] == 1
    assert not jobs.keys() & (COSTLY | {"estimate_difficulty", "fit_weightings"})


def test_an_added_metric_is_all_that_is_scored(grain, planned):
    added = SET | {"metrics": [*METRICS, "BLEU"]}
    write_config(grain.root, evaluation_sets=[added, OWN])
    jobs = planned()
    assert jobs["score_segments"] == 1
    assert jobs["score_systems"] == 1
    assert not jobs.keys() & (COSTLY | {"estimate_difficulty", "fit_weightings"})


def test_an_added_difficulty_is_all_that_is_estimated(grain, planned):
    write_config(grain.root, difficulties={"readability": {"type": "readability"}})
    jobs = planned()
    assert jobs["estimate_difficulty"] == 2  # one a set
    assert not jobs.keys() & (COSTLY | {"score_segments"})


def test_an_added_weighting_estimates_and_matches_nothing(grain, planned):
    hardest = {"type": "hardest", "difficulty": "chunk_entropy", "share": 0.5}
    write_config(grain.root, weightings={"hardest": hardest})
    jobs = planned()
    assert jobs["fit_weightings"] == jobs["score_systems"] == 2
    assert not jobs.keys() & (COSTLY | {"estimate_difficulty", "score_segments"})


def test_a_set_that_does_not_choose_an_added_weighting_keeps_its_results(grain, planned):
    hardest = {"type": "hardest", "difficulty": "chunk_entropy", "share": 0.5}
    entry = OWN | {"weightings": ["EE", "DA", "DA-LOO", "EE-DA"]}
    write_config(grain.root, weightings={"hardest": hardest}, evaluation_sets=[SET, entry])
    jobs = planned()
    assert jobs["fit_weightings"] == jobs["correlate"] == jobs["render_set"] == 1


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
    once = ("import_texts", "import_evalset", "score_segments", "fit_weightings", "correlate")
    assert {name: jobs[name] for name in once} == dict.fromkeys(once, 1)
    assert jobs["estimate_difficulty"] == 1
    assert "match_tokens" not in jobs


@pytest.mark.parametrize(
    "module", ["metrics/chrf", "difficulty/length", "weighting/hardest", "statistics/kendall"]
)
def test_an_added_module_makes_nothing_again(grain, planned, module):
    package = grain.root / "workflow/scripts/mt_difficulty"
    new = (package / module).with_name("new.py")
    shutil.copy(package / f"{module}.py", new)
    jobs = planned()
    new.unlink()
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
    assert jobs["estimate_difficulty"] == 1
    write_config(root)
    assert not planned()  # so that every test above began with nothing to do
