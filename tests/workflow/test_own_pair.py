"""A pair of one's own: docs/own_pair.md followed to the letter, and what such sets promise."""

import re
import shutil
import subprocess
from itertools import product

import pandas as pd
import pytest
import yaml
from page_visit import is_looked_for

from mt_difficulty import cli, storage
from mt_difficulty.data.evalset import NO_GOLD
from mt_difficulty.data.language import notices
from mt_difficulty.errors import Missing

pytestmark = pytest.mark.slow

# Fewer than the config's, to save time.
QUICK = {"significance": {"resamples": 100, "draws": 5}, "controls": {"draws": 100}}
STORED = "Oracle-noisy"
OF_GOLD = ["correlations", "correlation_spread", "top_scores", "significance", "controls"]
OF_GOLD += ["difficulty_and_people"]
OF_GOLD = [*(f"{name}.csv" for name in OF_GOLD), "parameters.csv", "surface.npz"]
OF_TEXTS = ["system_scores.csv", "system_comparisons.csv", "system_intervals.csv", "complexity.csv"]


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
    copy, _, _, add, _, add_scores, _, add_segment_gold, *_ = blocks(project, "sh")
    add += add_segment_gold.splitlines(keepends=True)[0]
    follow(project, copy)
    shutil.copytree(project.root / "mine", project.root / "scored")
    follow(project, (add + add_scores).replace("mine/", "scored/"))
    mine, with_scores, *_, of_archive = map(yaml.safe_load, blocks(project, "yaml"))
    metrics = ["BLEU", STORED]
    of_archive = of_archive["evaluation_sets"][0] | {"pair": "en-de", "metrics": metrics}
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
    of_mine, *_ = printed
    for line in of_mine.splitlines():
        if line != "  results/mine/complexity/summary.md":
            assert line in output.splitlines()
    intervals, correlations, of_stored = (blocks(project, "sh")[i] for i in (2, 4, 6))
    said = [line.split(",")[0:5] for line in printed[1].splitlines()]
    assert [line.split(",")[0:5] for line in follow(project, intervals).splitlines()] == said
    found = follow(project, correlations.replace("mine/en-de", "scored/en-xx"))
    assert found.startswith("".join(printed[2].splitlines(keepends=True)[:2]))
    assert follow(project, of_stored.replace("mine/en-de", "scored/en-xx")) == printed[4]


def test_without_human_scores_what_needs_them_says_why(walk):
    for file in OF_GOLD:
        assert (walk[1] / "mine/en-de" / file).read_text() == f"missing: {NO_GOLD}\n"
    for plot in ("top_k", "surface"):
        assert (walk[1] / f"mine/en-de/figures/{plot}.svg").is_file()
    held_out = pd.read_csv(walk[1] / "held_out.csv")
    assert set(held_out["set"]) == {"scored/en-xx", "demo/en-de"}


def test_without_human_scores_everything_else_is_there(walk):
    tables = {name: pd.read_csv(walk[1] / "mine/en-de" / name) for name in OF_TEXTS}
    scores, intervals = tables["system_scores.csv"], tables["system_intervals.csv"]
    labels = set(product(("BLEU", "chrF"), ("standard", "EE")))
    for table in (scores, intervals):
        assert set(table[["metric", "weighting"]].itertuples(index=False, name=None)) == labels
        assert len(table) == 12 * len(labels)
    merged = scores.merge(intervals, on=["system", "metric", "weighting"])
    assert (merged.score_x - merged.score_y).abs().max() < 1e-9
    assert (intervals.low < intervals.score).all()
    assert (intervals.score < intervals.high).all()
    assert len(tables["system_comparisons.csv"]) == 12 * 11 * len(labels)
    assert tables["complexity.csv"].words.gt(0).all()


def test_scores_and_correlations_are_those_of_the_same_texts_in_the_archive(walk):
    for file in ("system_scores.csv", "correlations.csv", "significance.csv", "controls.csv"):
        sets = ("scored/en-xx", "demo/en-de")
        own, of_archive = (pd.read_csv(walk[1] / name / file) for name in sets)
        assert len(own) > 8
        if "signature" in own:  # which names the file of stored scores
            of_archive = of_archive.replace({"signature": "-refA.seg.score"}, ".tsv", regex=True)
        pd.testing.assert_frame_equal(own, of_archive, check_dtype=False)
    documents = pd.read_csv(walk[1] / "scored/en-xx/complexity.csv").query("level == 'document'")
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


def test_the_summary_tells_an_unknown_language(project, walk):
    (notice,) = notices("en-xx", (project.root / "mine/reference.txt").read_text().splitlines())
    size = "12 systems, 260 segments, reference reference.txt, gold gold.tsv"
    assert f"  scored/en-xx: {size}\n" in walk[0]
    assert f"    notice: {notice}\n" in walk[0]
    assert walk[0].count(notice) == 1


def test_the_page_says_once_what_is_left_out_and_shows_hard_segments(walk, browser):
    page = browser.new_page()
    wrong = []
    page.on("console", lambda told: is_looked_for(told) or wrong.append(told.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((walk[1] / "report.html").as_uri())
    page.get_by_role("link", name="mine/en-de").first.click()
    mine = page.locator("main")
    page.locator("#segments").scroll_into_view_if_needed()
    mine.locator(".hypotheses").wait_for()
    text = mine.inner_text()
    assert text.count(NO_GOLD) == 1
    headings = [text.removesuffix(" #") for text in mine.locator("h2").all_inner_texts()]
    assert headings == [
        "Difficulties and weightings",
        "Complexity of the source",
        "Systems against each other",
        "Scores of the systems",
        "Segments",
        "Figures",
        "Settings of every score",
    ]
    assert mine.locator(".segment-list tbody tr").count() == 40
    assert "without it" not in mine.locator(".segment-list thead").inner_text()
    assert mine.locator(".passage h3").inner_text().startswith("Segment ")
    assert mine.locator(".hypotheses tbody tr").count() == 12
    assert "Without this segment" not in text
    assert mine.locator(".figures figure").count() == 1
    page.goto((walk[1] / "scored/en-xx/report.html").as_uri())
    assert "Correlation with human scores" in page.locator("main").inner_text()
    assert not wrong


def planned(project):
    """The sets that would be read anew; theirs are the pages that would be rendered anew."""
    output = run(project, "-n", "--quiet", "host")
    sets, pages = (
        set(re.findall(rf"output: results/mine/(\S+/\S+)/{file}\b", output))
        for file in ("evalset.json", "report.html")
    )
    assert pages == sets
    return sets


def test_scores_of_another_metric_are_read_by_that_metric_alone(project, walk):
    scores = project.root / f"scored/scores/{STORED}.tsv"
    before = scores.read_text()
    scores.write_text(before.replace("\t0", "\t5"))
    jobs = re.findall(r"^(?:local)?rule (\w+):$", run(project, "-n", "--quiet", "host"), re.M)
    scores.write_text(before)
    assert jobs.count("score_segments") == jobs.count("score_systems") == 1
    assert not {"import_texts", "import_evalset", "estimate_difficulty"} & set(jobs)


def test_human_scores_of_segments_change_no_text(project, walk):
    gold = project.root / "scored/segment_gold.tsv"
    before = gold.read_text()
    gold.write_text(before.replace("\t-7", "\t-6"))
    jobs = re.findall(r"^(?:local)?rule (\w+):$", run(project, "-n", "--quiet", "host"), re.M)
    gold.write_text(before)
    assert jobs.count("import_evalset") == 1
    assert not {"import_texts", "score_segments", "estimate_difficulty"} & set(jobs)


@pytest.fixture
def config(project, walk):
    """The walk's config, to be changed by a test; afterwards it is what it was."""
    path = project.root / "mine.yaml"
    before = path.read_text()

    def change(changed):
        path.write_text(yaml.safe_dump(changed))

    yield yaml.safe_load(before), change
    path.write_text(before)


def test_another_reference_is_read_for_a_set_of_its_own(project, walk, config):
    (project.root / "scored/reference.B.txt").write_text("B\n" * 260)
    assert planned(project) == set()
    found, change = config
    (entry,) = [each for each in found["evaluation_sets"] if each.get("files") == "scored"]
    change(found | {"evaluation_sets": [entry, entry | {"reference": "B"}]})
    file = "results/mine/scored/en-xx.scored.B/texts.json"
    project.snakemake(file, "--configfile", "mine.yaml")
    texts = storage.read_json(project.root / file)
    assert (texts["reference_name"], texts["reference"]) == ("reference.B.txt", ["B"] * 260)
    change(found | {"evaluation_sets": [entry | {"reference": "b"}]})
    file = file.replace("scored.B", "scored.b")
    output = project.snakemake(file, "--configfile", "mine.yaml", fails=True)
    assert "scored: no file reference.b.txt. References with a name here: B" in output


def make_scores(project, campaign, pair, fails=False):
    """Run the one job that reads a set's stored scores: its output and its result."""
    file = f"results/mine/{campaign}/{pair}/statistics/{STORED}.npz"
    output = project.snakemake(file, "--configfile", "mine.yaml", fails=fails)
    return output, project.root / file


@pytest.fixture
def validate(project, walk, monkeypatch, capsys):
    """Validate the walk's config: exit code and stderr."""
    monkeypatch.chdir(project.root)

    def check():
        code = cli.main(["validate", "mine.yaml"])
        return code, capsys.readouterr().err

    return check


def test_run_and_validate_say_the_same_of_estimates(project, walk, config, validate):
    found, change = config
    change(found | {"difficulties": {"estimates": {"type": "file"}}})
    folder = project.root / "scored/difficulty"
    folder.mkdir()
    shutil.copy(project.root / "data/demo/estimates/en-de.tsv", folder / "estimates.tsv")
    (folder / "other.tsv").touch()
    names = ("mine/en-de", "scored/en-xx", "demo/en-de")
    files = [f"results/mine/{name}/difficulty/estimates.npz" for name in names]
    project.snakemake(*files, "--configfile", "mine.yaml")
    code, err = validate()
    assert code == 0
    mine, there, of_archive = (project.root / file for file in files)
    assert storage.read_arrays(there)["difficulty"].shape == (12, 260)
    for name, file, reason in (
        ("mine/en-de", mine, "the set has no such estimates (difficulty/estimates.tsv)"),
        ("demo/en-de", of_archive, "the set is of the archive, which has no estimates; name their"),
    ):
        with pytest.raises(Missing) as missing:
            storage.read_arrays(file)
        assert str(missing.value).startswith(reason)
        assert f"{name}: no difficulty estimates: {missing.value}" in err
    assert f"scored/en-xx: no difficulty reads {folder / 'other.tsv'}; those of type file" in err
    with (folder / "estimates.tsv").open("a") as file:
        file.write("261\t1\n")
    wrong = "difficulty/estimates.tsv, line 262: expected a segment from 1 to 260, found `261`."
    output = project.snakemake(files[1], "--configfile", "mine.yaml", fails=True)
    code, err = validate()
    shutil.rmtree(folder)
    assert f"ERROR: scored/{wrong}" in output
    assert (code, f"scored/{wrong}" in err) == (1, True)


def test_without_the_scores_run_and_validate_give_the_same_reason(project, validate):
    config = project.root / "mine.yaml"
    before = config.read_text()
    changed = yaml.safe_load(before)
    changed["evaluation_sets"][0]["metrics"].append(STORED)
    config.write_text(yaml.safe_dump(changed))
    unread = project.root / "mine/scores/Mine.tsv"
    unread.parent.mkdir()
    unread.touch()
    code, err = validate()
    unread.unlink()
    _, file = make_scores(project, "mine", "en-de")
    config.write_text(before)
    with pytest.raises(Missing) as missing:
        storage.read_arrays(file)
    assert f"the set has no {STORED} scores (scores/{STORED}.tsv)" == str(missing.value)
    assert (code, f"mine/en-de: no scores of {STORED}: {missing.value}" in err) == (0, True)
    assert f"mine/en-de: no metric reads {unread}; those of type stored read scores/<" in err
    assert err.count("no metric reads") == 1


def test_a_changed_folder_is_read_anew_and_nothing_else(project, walk):
    assert planned(project) == set()
    systems = project.root / "mine/systems"
    shutil.copy(systems / "oak.txt", systems / "oak2.txt")
    assert planned(project) == {"mine/en-de"}
    (systems / "oak2.txt").unlink()
    assert planned(project) == set()
    (project.root / "scored/documents.txt").unlink()
    assert planned(project) == {"scored/en-xx"}


def test_run_and_validate_refuse_the_same_scores(project, validate):
    lines = [line for block in blocks(project, "") for line in block.splitlines()]
    (error,) = (line.removeprefix("ERROR: mine/") for line in lines if "aldre" in line)
    scores = project.root / f"scored/scores/{STORED}.tsv"
    before = scores.read_text()
    scores.write_text(before.replace("alder", "aldre"))
    output, _ = make_scores(project, "scored", "en-xx", fails=True)
    code, err = validate()
    scores.write_text(before)
    assert f"ERROR: scored/{error}" in output
    assert (code, f"ERROR: scored/en-xx: {project.root}/scored/{error}" in err) == (1, True)
