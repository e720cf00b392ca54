"""Small inputs that once went wrong in silence: each behaves as its README says.

The inputs stand beside the repository (`shared`); each test is named after its folder. What they
show is tested without them, too, in the tests of the modules.
"""

import json
import shutil
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import mt_difficulty as md
from mt_difficulty.errors import InputError


@pytest.fixture
def inputs(shared, tmp_path):
    """Return a function that copies a folder of inputs, which commands may change."""

    def copied(number):
        (folder,) = (shared / "inputs").glob(f"{number}-*")
        return shutil.copytree(folder, tmp_path / number)

    return copied


@pytest.fixture
def scores(command, monkeypatch):
    """Return a function that runs `score` in a folder: the report as JSON, and stderr."""

    def run(folder, *arguments):
        monkeypatch.chdir(folder)
        code, out, err = command("score", *arguments, "--resamples", 0, "--format", "json")
        assert code == 0, err
        return json.loads(out), err

    return run


def of_systems(report, metric, weighting="standard"):
    """The scores of a report by system."""
    return {
        row["system"]: row["score"]
        for row in report["scores"]
        if (row["metric"], row["weighting"]) == (metric, weighting)
    }


def correlated(command, folder, *arguments):
    """The values that `correlate` prints, by metric and statistic, and stderr."""
    code, out, err = command("correlate", folder, *arguments, "--resamples", 40, "--format", "json")
    assert code == 0, err
    return {(row["metric"], row["statistic"]): row for row in json.loads(out)}, err


def test_01_two_score_files_are_two_metrics(inputs, command):
    files = sorted(inputs("01").glob("*.score"))
    found, _ = correlated(command, inputs("02") / "folder", "--scores", *files)
    first, second = (found[f"metric.v{version}", "pearson"]["value"] for version in (1, 2))
    assert first == pytest.approx(-second)


@pytest.mark.parametrize("named", [[], ["-m", "Met"], ["-m", "Met", "Met"]])
def test_02_a_metric_named_like_the_sets_own_is_refused(inputs, command, named):
    folder = inputs("02")
    file = folder / "Met.seg.score"
    code, _, err = command("correlate", folder / "folder", "--scores", file, *named)
    assert code == 1
    assert f"{file}: the set has a metric Met already (scores/Met.tsv). Rename the file." in err


@pytest.mark.parametrize("number", ["04", "05", "307"])
def test_04_05_307_texts_in_other_formats_are_read(inputs, scores, number):
    folder = inputs(number)
    ending, names = ("sgm" if number == "05" else "jsonl"), ["alder", "oak"]
    files = [f"{name}.{ending}" for name in names]
    if number == "307":
        names, files = ["a", "b"], ["a.jsonl", "b.txt"]
    reference = "ref.sgm" if number == "05" else "ref.txt"
    found, _ = scores(folder, reference, "-i", *files, "--lang", "de", "-m", "BLEU")
    assert found["segments"] == 40 if number != "307" else found["segments"] > 10
    texts = {}
    for name, file in zip(names, files, strict=True):
        lines = (folder / file).read_text().splitlines()
        if ending == "jsonl" and file.endswith("jsonl"):
            lines = [json.loads(line)["hypothesis"] for line in lines]
        elif ending == "sgm":
            lines = [x.partition(">")[2].partition("</seg>")[0] for x in lines if "<seg" in x]
        texts[name] = lines
    plain = (folder / reference).read_text().splitlines()
    if ending == "sgm":
        plain = [x.partition(">")[2].partition("</seg>")[0] for x in plain if "<seg" in x]
    expected = md.score(texts, plain, metrics="BLEU", weightings=[], lang="de", resamples=0)
    by_name = expected.scores.set_index("system").score.to_dict()
    assert of_systems(found, "BLEU") == pytest.approx(by_name)


@pytest.mark.parametrize("names", [["GPT-4.1", "Claude-3.5"], ["GPT-4.1", "GPT-4.5"]])
def test_07_known_endings_alone_are_cut(inputs, scores, names):
    arguments = "--lang", "de", "-m", "chrF", "--weighting"
    found, _ = scores(inputs("07"), "ref.txt", "-i", *names, *arguments)
    assert found["systems"] == names


def test_09_a_file_in_the_archives_line_numbers_is_read(inputs, command):
    folder = inputs("09")
    asked = ["--archive", folder / "archive", "--statistic", "pearson"]
    scores = ["--scores", folder / "mine.seg.score"]
    found, _ = correlated(command, "wmt24/en-xx", *asked, *scores)
    assert np.isfinite(found["mine", "pearson"]["value"])
    scores = ["--scores", folder / "without_canary.seg.score"]
    code, _, err = command("correlate", "wmt24/en-xx", *asked, *scores)
    assert code == 1
    assert "the canary, line 1, and 40 segments" in err


def test_11_a_reference_with_gaps_stands_behind_a_whole_one(inputs, scores):
    folder = inputs("11")
    systems = "-i", "ash.txt", "birch.txt", "oak.txt", "--lang", "de", "-m", "chrF", "TER"
    found, err = scores(folder, "ref1.txt", "ref2.txt", *systems)
    assert "no hypothesis can match" not in err
    # Difficulty is that of the complete reference where the first is empty.
    lines = [(folder / f"ref{number}.txt").read_text().splitlines() for number in (1, 2)]
    filled = [first or second for first, second in zip(*lines, strict=True)]
    (folder / "filled.txt").write_text("\n".join(filled) + "\n")
    expected, _ = scores(folder, "filled.txt", "ref2.txt", *systems)
    for weighting in ("standard", "EE"):
        of_filled = of_systems(expected, "chrF", weighting)
        assert of_systems(found, "chrF", weighting) == pytest.approx(of_filled), weighting


def test_13_documents_are_whole_under_mixed_line_ends(inputs, command):
    folder = inputs("13") / "folder"
    asked = "--by", "length", "--whole-documents", "--format", "json"
    _, _, err = command("select", folder, *asked, "--budget", 6)
    assert "it pays for no document. The cheapest document costs 10 segments." in err
    code, out, err = command("select", folder, *asked, "--budget", 25)
    assert code == 0, err
    chosen = pd.DataFrame(json.loads(out)).groupby("document").segment.count()
    assert chosen.tolist() == [10, 10]


def test_15_mixed_line_ends_change_no_score(inputs, scores):
    folder = inputs("15")
    files = ["alder.txt", "ash.txt", "birch.txt", "oak.txt"]
    found, _ = scores(folder, "ref.txt", "-i", *files, "--lang", "de", "-m", "chrF")
    expected = [78.479, 60.126, 73.329, 61.762]
    assert [*of_systems(found, "chrF", "EE").values()] == pytest.approx(expected, abs=5e-4)


def test_16_a_mark_on_every_line_is_named(inputs, scores):
    files = ["alder.txt", "ash.txt", "oak.txt"]
    asked = "--lang", "de", "-m", "BLEU", "chrF"
    _, err = scores(inputs("16"), "ref.txt", "-i", *files, *asked)
    assert "notice: oak: lines " in err
    assert "`<v>" in err


@pytest.mark.slow
def test_18_documents_as_lines_take_the_memory_of_their_texts(inputs, tmp_path):
    folder = inputs("18")
    arguments = ["score", "ref.txt", "-i", "a.txt", "b.txt", "--lang", "de", "-m", "chrF"]
    # The peak of the process itself: that of `resource` begins with its parent's.
    run = f"""
import re
from pathlib import Path
from mt_difficulty.cli import main
main({arguments!r} + ["--weighting", "EE", "--resamples", "0", "--quiet"])
print(int(re.search(r"VmHWM:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) // 1024)
"""
    peaks = []
    for words in ("620", "3200"):  # the first compiles, which takes memory, too
        subprocess.run([sys.executable, "make.py", "12", words], cwd=folder, check=True)
        done = subprocess.run(
            [sys.executable, "-c", run], cwd=folder, check=True, capture_output=True, text=True
        )
        peaks.append(int(done.stdout.split()[-1]))
    # Numba and the words' pairs take 320 MB; a number for each pair of tokens would be 1 GB more.
    assert peaks[1] < 500


@pytest.mark.parametrize("code", ["zho", "cmn", "zho_Hans", "ZH"])
def test_21_every_code_of_a_language_is_read(inputs, scores, code):
    asked = "-m", "BLEU", "--weighting"
    files = "ref.txt", "-i", "alder.txt", "oak.txt"
    folder = inputs("21")
    found, err = scores(folder, *files, "--lang", code, *asked)
    expected, _ = scores(folder, *files, "--lang", "zh", *asked)
    assert of_systems(found, "BLEU") == of_systems(expected, "BLEU")
    assert min(of_systems(found, "BLEU").values()) > 20
    assert "trained on" not in err


REFUSALS = {
    "none.seg.score": "None",
    "space.seg.score": "",
    "tab.seg.score": "",
    "scores.seg.score.gz": "",
}


@pytest.mark.parametrize("file", REFUSALS)
def test_22_files_of_scores_are_read_or_refused_for_what_is_wrong(inputs, command, file):
    path, folder = inputs("22") / file, inputs("02") / "folder"
    code, _, err = command("correlate", folder, "--scores", path, "--resamples", 40)
    assert "but None" not in err
    assert "not UTF-8" not in err
    assert "did you mean" not in err
    if file == "none.seg.score":
        assert "system alder has no score of 1 of" in err
    else:
        assert code == 0, err


def test_23_systems_rated_on_different_segments_are_named(inputs, command):
    found, err = correlated(command, inputs("23") / "folder")
    assert "over those that each system was rated on" in err
    assert found["Met", "soft_accuracy"]["reason"]


def test_25_an_error_quotes_little(inputs, command):
    folder = inputs("25")
    made = subprocess.run(
        [sys.executable, "make.py"], cwd=folder, check=True, capture_output=True, text=True
    )
    (folder / "comet.json").write_text(made.stdout)
    code, _, err = command(
        *("correlate", inputs("02") / "folder", "--scores", folder / "comet.json")
    )
    assert code == 1
    assert len(err) < 1000


def test_301_exchanged_lines_are_named(inputs, scores):
    systems = [f"systems/{name}.txt" for name in ("alder", "ash", "birch", "oak")]
    asked = "-m", "chrF", "BLEU", "--weighting", "--lang", "de"
    _, err = scores(inputs("301"), "reference.txt", "-i", *systems, *asked)
    (notice,) = [line for line in err.splitlines() if "notice: oak: " in line]
    assert "wrong order" in notice
    lines = {int(x) for x in "".join(c if c.isdigit() else " " for c in notice[:90]).split()}
    assert lines & set(range(1, 11))
    assert lines & set(range(21, 31))


@pytest.mark.parametrize("name", ["b.txt", "ref.txt"])
def test_303_a_file_that_is_read_is_not_written(inputs, command, monkeypatch, name):
    folder = inputs("303")
    monkeypatch.chdir(folder)
    before = (folder / name).read_bytes()
    code, _, err = command("score", "ref.txt", "-i", "a.txt", "b.txt", "--html", name)
    assert code == 1
    assert f"--html {name}: {name} is read. Name another file." in err
    assert (folder / name).read_bytes() == before


def test_304_an_export_replaces_no_file(inputs, command):
    folder = inputs("304")
    before = {path: path.read_bytes() for path in folder.rglob("*.score")}
    code, _, err = command("export", folder / "results", "--out", folder / "archive")
    assert code == 1
    assert "an export replaces no file" in err
    assert {path: path.read_bytes() for path in folder.rglob("*.score")} == before
    assert command("export", folder / "results", "--out", folder / "new")[0] == 0


def test_305_lists_and_a_sorted_series_are_not_mixed():
    texts = ["a first text", "b second text", "c third text", "d fourth text"]
    value = pd.Series([1.0, 2.0, 3.0, 4.0])
    assert [*md.select_segments(texts, 1, by=value).source] == ["d fourth text"]
    in_another_order = value.sort_values(ascending=False)
    with pytest.raises(InputError, match="by has labels"):
        md.select_segments(texts, 1, by=in_another_order)


def test_306_equal_difficulties_share_the_weight_at_the_cut(inputs, scores):
    folder = inputs("306")
    systems = [f"systems/{name}.txt" for name in ("alder", "ash", "birch", "oak")]
    asked = "--difficulty", "difficulty.tsv", "--weighting", "hardest", "--lang", "de"
    found, _ = scores(folder, "reference.txt", "-i", *systems, *asked)
    expected = of_systems(found, "chrF", "hardest")
    order = np.random.default_rng(3).permutation(60)
    for path in [folder / "reference.txt", *folder.glob("systems/*.txt")]:
        lines = path.read_text().splitlines()
        path.write_text("\n".join(lines[at] for at in order) + "\n")
    head, *rows = (folder / "difficulty.tsv").read_text().splitlines()
    values = [rows[at].split("\t")[-1] for at in order]
    rows = [f"{number}\t{value}" for number, value in enumerate(values, 1)]
    (folder / "difficulty.tsv").write_text("\n".join([head, *rows]) + "\n")
    found, _ = scores(folder, "reference.txt", "-i", *systems, *asked)
    assert of_systems(found, "chrF", "hardest") == pytest.approx(expected)


def test_311_a_lost_sign_is_named(inputs):
    loaded = md.load_folder(inputs("311"), "en-de")
    (notice,) = [text for text in loaded.notices if text.startswith("gold.tsv")]
    assert "a lost sign" in notice
