"""`mt-difficulty select` and `mt-difficulty estimates`: from texts, folders and the archive."""

import json
from collections import Counter

import pytest
from conftest import ROOT

from mt_difficulty.data.text_files import read_lines

DEMO = ROOT / "data/demo/archive"
SET = ["demo/en-de", "--archive", str(DEMO)]
SOURCE = read_lines(DEMO / "demo/sources/en-de.txt")
GOLD = DEMO / "demo/human-scores/en-de.mqm.seg.score"


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def chosen_of(out):
    header, *lines = out.splitlines()
    return [dict(zip(header.split("\t"), line.split("\t"), strict=True)) for line in lines]


@pytest.mark.parametrize("options", [[], ["--of-hypotheses"]])
def test_a_template_has_the_texts_and_is_read_when_filled(command, tmp_path, options):
    code, out, err = command("estimates", "template", *SET, *options)
    assert (code, err) == (0, "")
    rows = chosen_of(out)
    expected = [SOURCE[int(row["segment"]) - 1].replace("\t", " ") for row in rows]
    assert [row["source"] for row in rows] == expected
    for row in rows:
        row["difficulty"] = str(int(row["segment"]) / 7)
    assert len(rows) == len(SOURCE) * (12 if options else 1)
    if options:
        ash = [row["hypothesis"] for row in rows if row["system"] == "ash"]
        assert ash == read_lines(DEMO / "demo/system-outputs/en-de/ash.txt")
    lines = ["\t".join(row.values()) for row in rows]
    (tmp_path / "filled.tsv").write_text("\n".join([out.splitlines()[0], *lines]) + "\n")
    _, out, _ = command("select", *SET, "--by", "filled.tsv", "--budget", 3)
    highest = [len(SOURCE) - place for place in (2, 1, 0)]
    assert [int(row["segment"]) for row in chosen_of(out)] == highest


@pytest.mark.parametrize("by", ["random", "stratified", "length", "rarity", "readability"])
def test_sources_alone_suffice(command, tmp_path, by):
    (tmp_path / "src.txt").write_text("".join(f"{text}\n" for text in SOURCE))
    arguments = ["select", "src.txt", "--by", by, "--budget", 20, "--src-lang", "en"]
    code, out, err = command(*arguments)
    assert (code, err) == (0, "")
    rows = chosen_of(out)
    assert len(rows) == 20
    sources = [SOURCE[int(row["segment"]) - 1] for row in rows]
    assert [row["source"] for row in rows] == sources
    assert command(*arguments)[1] == out  # seeded
    if by == "length":
        sizes = sorted(len("".join(text.split())) for text in SOURCE)
        assert sorted(int(row["value"]) for row in rows) == sizes[-20:]


@pytest.mark.parametrize("by", ["crowd", "variance", "consistency", "discrimination"])
def test_scores_of_a_metric(command, by):
    scores = next((DEMO / "demo/metric-scores/en-de").glob("*.seg.score"))
    asked = ["select", *SET, "--by", by, "--scores", scores, "--budget"]
    few, whole = (chosen_of(command(*asked, budget)[1]) for budget in (5, 999))
    values = sorted(float(row["value"]) for row in whole)
    assert sorted(float(row["value"]) for row in few) == values[-5:]


def test_budgets_count_words_and_whole_documents(command):
    asked = ["select", *SET, "--by", "length", "--budget"]
    _, out, _ = command(*asked, 300, "--cost", "words")
    assert 280 <= sum(len(row["source"].split()) for row in chosen_of(out)) <= 300
    documents = read_lines(DEMO / "demo/documents/en-de.docs")
    _, out, _ = command(*asked, 60, "--whole-documents", "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    chosen = Counter(row["document"] for row in rows)
    whole = Counter(line.split("\t")[1] for line in documents)
    assert chosen == {name: whole[name] for name in chosen}


def test_a_campaign_of_pearmut(command):
    asked = ["select", *SET, "--by", "disagreement", "--budget", 10, "--format", "pearmut"]
    campaign = json.loads(command(*asked)[1])
    assert campaign["info"] == {"assignment": "task-based", "protocol": "ESA"}
    assert campaign["campaign_id"] == "demo_en-de_disagreement_10"
    ((*documents,),) = campaign["data"]
    items = [item for document in documents for item in document]
    assert len(items) == 10
    for item in items:
        number = int(item["item_id"].rsplit("| ", 1)[1])
        assert item["src"] == SOURCE[number - 1], item["item_id"]
        for system, text in item["tgt"].items():
            file = DEMO / f"demo/system-outputs/en-de/{system}.txt"
            assert text == read_lines(file)[number - 1], (item["item_id"], system)
    assert len(documents) == len({item["item_id"].split(" | ")[1] for item in items})


def test_human_scores_say_what_the_choice_does(command, tmp_path):
    asked = ["select", *SET, "--by", "random", "--budget", 60, "--judge", GOLD]
    code, out, err = command(*asked)
    assert (code, len(chosen_of(out))) == (0, 60)  # the choice alone
    assert command(*asked, "--out", "chosen.tsv")[1:] == (err, "")
    assert (tmp_path / "chosen.tsv").read_text() == out
    lines = ("tau-b", "soft accuracy", "clusters of significance")
    assert [line for line in lines if line not in err] == []
    assert "Not shown to be better than random choices (p, corrected for two tests" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt"], "none.txt: expected a text file"),
        (["demo/en-fr", "--archive", DEMO], "demo has no pair en-fr; it has en-de, en-zh."),
        (["damo/en-de", "--archive", DEMO], "damo/en-de: archive has no campaign damo"),
        (["demo/en-de", "--archive", "no.tgz"], "demo/en-de: neither a file nor a folder"),
        ([*SET, "--by", "variance"], "by variance: it needs a metric's segment scores"),
        ([*SET, "--by", "bad.tsv"], "bad.tsv, line 3: expected a number as difficulty"),
        (["src.txt", "--by", "lenght"], "by lenght: neither a method (did you mean length?) nor"),
        (["src.txt", "--by", "other.tsv"], "other.tsv, line 3: the source is not that of se"),
        (["src.txt", "--by", "rarity"], "by rarity: wordfreq has no word frequencies of"),
        (["src.txt", "--whole-documents"], "whole_documents: the documents of the segments"),
        (["src.txt", "--by", "disagreement"], "src.txt: no hypotheses"),
        (
            ["src.txt", "--scores", "gaps.score", "--by", "crowd"],
            "gaps.score: no score of system A on 1 of 2 segments",
        ),
        (
            ["src.txt", "--hyp", "two.txt", "--by", "consensus_entropy"],
            "by consensus_entropy: a consensus needs the hypotheses of two systems",
        ),
        ([*SET, "--cost", "words"], "budget 5: it pays for no segment"),
    ],
)
def test_bad_input_is_named(command, tmp_path, arguments, message):
    for name, text in (
        ("bad.tsv", "segment\tdifficulty\n1\t0.5\n2\thard\n"),
        ("other.tsv", "segment\tdifficulty\tsource\n1\t1\ta house\n2\t1\ta house\n"),
        ("src.txt", "a house\nits door\n"),
        ("two.txt", "ein Haus\nseine Tür\n"),
        ("gaps.score", "A\t1\nA\tNone\nB\t1\nB\t2\n"),
    ):
        (tmp_path / name).write_text(text)
    given = [] if "--by" in arguments else ["--by", "length"]
    code, out, err = command("select", *arguments, *given, "--budget", 5, "--out", "chosen.tsv")
    assert (code, out) == (1, "")
    assert f"ERROR: {message}" in err


@pytest.mark.parametrize(
    "asked",
    [
        pytest.param(["select", "src.txt", "--by", "mine.tsv", "--budget", 1], id="select"),
        pytest.param(["estimates", "template", *SET], id="template"),
    ],
)
@pytest.mark.parametrize("out", ["src.txt", "mine.tsv", "link"])
def test_no_input_is_overwritten(command, tmp_path, out, asked):
    (tmp_path / "src.txt").write_text("a house\nits door\n")
    (tmp_path / "mine.tsv").write_text("segment\tdifficulty\n1\t1\n2\t2\n")
    (tmp_path / "link").symlink_to("src.txt")
    before = (tmp_path / out).read_text()
    code, _, err = command(*asked, "--out", out)
    assert code == 1
    assert f"{out}: " in err
    assert (tmp_path / out).read_text() == before
