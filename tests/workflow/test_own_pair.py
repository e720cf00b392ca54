"""A pair of one's own: docs/own_pair.md followed to the letter, and what such sets promise."""

import re
import shutil
import subprocess
from itertools import product

import pandas as pd
import pytest
import yaml
from conftest import QUICK
from page_visit import watched

from mt_difficulty import cli
from mt_difficulty.data.evalset import NO_GOLD

pytestmark = pytest.mark.slow

STORED = "Oracle-noisy"
OF_GOLD = ["correlations", "correlation_spread", "top_scores", "significance", "controls"]
OF_GOLD += ["difficulty_and_gold"]
OF_GOLD = [*(f"{name}.csv" for name in OF_GOLD), "parameters.csv", "surface.npz"]
OF_TEXTS = ["system_scores.csv", "system_comparisons.csv", "system_intervals.csv"]


def blocks(project, language):
    """The walk's blocks of code of a language, in order."""
    text = (project.root / "docs/own_pair.md").read_text()
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [block for name, block in found if name == language]


def follow(project, commands):
    """Do what the walk says, but for running the workflow; return what was printed."""
    lines = [line for line in commands.splitlines() if not line.startswith("make ")]
    command = ["bash", "-ec", "\n".join(lines)]
    done = subprocess.run(command, cwd=project.root, check=True, capture_output=True, text=True)
    return done.stdout


@pytest.fixture(scope="module")
def walk(project):
    """One run of the walk's first and last config and of a set with human scores and documents, in
    a language that nobody knows: its output and the folder of its results."""
    copy, _, add, _, add_scores, _, add_segment_gold, *_ = blocks(project, "sh")
    add += add_segment_gold.splitlines(keepends=True)[0]
    follow(project, copy)
    shutil.copytree(project.root / "mine", project.root / "scored")
    follow(project, (add + add_scores).replace("mine/", "scored/"))
    mine, with_scores, *_ = map(yaml.safe_load, blocks(project, "yaml"))
    metrics = ["BLEU", STORED]
    of_archive = {"campaign": "demo", "pair": "en-de", "reference": "refA", "gold": "mqm"}
    of_archive["metrics"] = metrics
    scored = {"files": "scored", "campaign": "scored", "pair": "en-xx", "metrics": metrics}
    config = with_scores | QUICK | {"archive": "data/demo/archive"}
    config["evaluation_sets"] = [*mine["evaluation_sets"], scored, of_archive]
    (project.root / "mine.yaml").write_text(yaml.safe_dump(config))
    return run(project, "--", "all", "export"), project.root / mine["results"]


def run(project, *arguments):
    return project.snakemake("--configfile", "mine.yaml", *arguments)


def test_the_walk_prints_what_it_says(project, walk):
    output, _ = walk
    printed = blocks(project, "")
    # Of the sets that this run has beside, its lines say other numbers.
    *_, last = printed[0].splitlines()
    assert last in output.splitlines()
    assert "not run" not in output.lower()
    details = (project.root / "results/mine/summary.txt").read_text()
    assert "mine/en-de: 12 systems, 260 segments, reference reference.txt, no human" in details
    correlations, of_stored = (blocks(project, "sh")[i] for i in (3, 5))
    found = follow(project, correlations.replace("mine/en-de", "scored/en-xx"))
    assert found.startswith("".join(printed[1].splitlines(keepends=True)[:2]))
    assert follow(project, of_stored.replace("mine/en-de", "scored/en-xx")) == printed[3]


def test_without_human_scores_what_needs_them_says_why_and_all_else_is_there(walk):
    folder = walk[1] / "mine/en-de"
    contents = {file: (folder / file).read_text() for file in OF_GOLD}
    assert contents == dict.fromkeys(OF_GOLD, f"missing: {NO_GOLD}\n")
    assert (folder / "figures/top_k.svg").is_file()
    assert (folder / "figures/surface.svg").is_file()
    assert set(pd.read_csv(walk[1] / "held_out.csv")["set"]) == {"scored/en-xx", "demo/en-de"}
    scores, comparisons, intervals = (pd.read_csv(folder / name) for name in OF_TEXTS)
    labels = set(product(("BLEU", "chrF"), ("standard", "EE")))
    for name, table in {"scores": scores, "intervals": intervals}.items():
        found = set(table[["metric", "weighting"]].itertuples(index=False, name=None))
        assert found == labels, name
        assert len(table) == 12 * len(labels), name
    merged = scores.merge(intervals, on=["system", "metric", "weighting"])
    assert (merged.score_x - merged.score_y).abs().max() < 1e-9
    inside = (intervals.low < intervals.score) & (intervals.score < intervals.high)
    assert intervals[~inside].to_dict("records") == []
    assert len(comparisons) == 12 * 11 * len(labels)


@pytest.mark.parametrize(
    "file", ["system_scores.csv", "correlations.csv", "significance.csv", "controls.csv"]
)
def test_scores_and_correlations_are_those_of_the_same_texts_in_the_archive(walk, file):
    sets = ("scored/en-xx", "demo/en-de")
    own, of_archive = (pd.read_csv(walk[1] / name / file) for name in sets)
    assert len(own) > 8
    if "signature" in own:  # which names the file of stored scores
        of_archive = of_archive.replace({"signature": "-refA.seg.score"}, ".tsv", regex=True)
    pd.testing.assert_frame_equal(own, of_archive, check_dtype=False)


def test_documents_of_own_files_have_their_readability(walk):
    readability = pd.read_csv(walk[1] / "complexity/readability.csv")
    documents = readability[(readability.set == "scored/en-xx") & (readability.level == "document")]
    assert len(documents) == 27


def test_the_target_export_writes_what_the_command_does(project, walk):
    exported = project.root / "exported"
    assert cli.main(["export", str(walk[1]), "--out", str(exported)]) == 0
    written = {
        folder: {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.score")}
        for folder in (walk[1] / "export", exported)
    }
    assert len(written[exported]) > 8
    assert written[exported] == written[walk[1] / "export"]


def test_the_page_says_once_what_is_left_out_and_shows_hard_segments(walk, browser):
    with watched(browser) as visit:
        mine = visit(walk[1] / "mine/en-de/report.html").locator("body")
        mine.locator("#segments").scroll_into_view_if_needed()
        mine.locator(".hypotheses").wait_for()
        assert mine.inner_text().lower().count(NO_GOLD) == 1
        assert "Correlation with human scores" not in mine.inner_text()
        assert mine.locator(".segment-list tbody tr").count() == 40
        assert mine.locator(".hypotheses tbody tr").count() == 12
        assert mine.locator("figure").count() == 1
        page = visit(walk[1] / "scored/en-xx/report.html")
        assert "Correlation with human scores" in page.locator("main").inner_text()
        # The index has the scores of the set that has no human ones.
        index = visit(walk[1] / "report.html")
        assert index.locator("[data-name='scores_mine_en_de'] tbody tr").count() == 12


def test_a_changed_folder_is_read_anew_and_nothing_else(project, walk):
    def planned():
        output = run(project, "-n", "--quiet", "host")
        files = "evalset.json", "report.html"
        found = [re.findall(rf"output: results/mine/(\S+/\S+)/{file}\b", output) for file in files]
        assert set(found[0]) == set(found[1])
        return found[0]

    assert planned() == []
    systems = project.root / "mine/systems"
    shutil.copy(systems / "oak.txt", systems / "oak2.txt")
    assert planned() == ["mine/en-de"]
    (systems / "oak2.txt").unlink()
    (project.root / "scored/documents.txt").unlink()
    assert planned() == ["scored/en-xx"]
