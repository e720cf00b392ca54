"""`mt-difficulty select` and `mt-difficulty estimates`: from texts, folders and the archive."""

import json

import pytest
from conftest import ROOT

from mt_difficulty import cli
from mt_difficulty.data.text_files import read_segments

DEMO = ROOT / "data/demo/archive"
SET = ["demo/en-de", "--archive", str(DEMO)]
SOURCE = read_segments(DEMO / "demo/sources/en-de.txt")
GOLD = DEMO / "demo/human-scores/en-de.mqm.seg.score"


@pytest.fixture
def call(capsys, tmp_path, monkeypatch):
    """The command in an empty folder; its exit code, stdout and stderr."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        code = cli.main([*map(str, arguments)])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


def chosen_of(out):
    header, *lines = out.splitlines()
    names = header.split("\t")
    return [dict(zip(names, line.split("\t"), strict=True)) for line in lines]


def test_a_template_has_the_texts_and_is_read_when_filled(call, tmp_path):
    """Of segments, and of segments and systems."""
    for options in ([], ["--of-hypotheses"]):
        code, out, err = call("estimates", "template", *SET, *options)
        assert (code, err) == (0, "")
        rows = chosen_of(out)
        assert [row["source"] for row in rows if row.get("system", "ash") == "ash"] == [
            text.replace("\t", " ") for text in SOURCE
        ]
        for row in rows:
            row["difficulty"] = str(int(row["segment"]) / 7)
        lines = ["\t".join(row.values()) for row in rows]
        (tmp_path / "filled.tsv").write_text("\n".join([out.splitlines()[0], *lines]) + "\n")
        code, out, _ = call("select", *SET, "--by", "filled.tsv", "--budget", 3)
        highest = [len(SOURCE) - place for place in (2, 1, 0)]
        assert [int(row["segment"]) for row in chosen_of(out)] == highest
    ash = [row["hypothesis"] for row in rows if row["system"] == "ash"]
    assert ash == read_segments(DEMO / "demo/system-outputs/en-de/ash.txt")
    assert len(rows) == 12 * len(SOURCE)


def test_human_translations_of_the_archive_are_no_systems(call, tmp_path):
    archive = tmp_path / "archive/demo"
    for folder in ("sources", "references", "system-outputs/en-de"):
        (archive / folder).mkdir(parents=True)
    (archive / "sources/en-de.txt").write_text("one\ntwo\n")
    (archive / "references/en-de.synthetic.txt").write_text("eins\nzwei\n")
    for name in ("ash", "elm", "refB", "synthetic"):
        (archive / f"system-outputs/en-de/{name}.txt").write_text(f"{name}\nzwei\n")
    asked = ["demo/en-de", "--archive", tmp_path / "archive"]
    rows = chosen_of(call("estimates", "template", *asked, "--of-hypotheses")[1])
    assert {row["system"] for row in rows} == {"ash", "elm"}
    out = call("select", *asked, "--by", "disagreement", "--budget", 1, "--format", "pearmut")[1]
    ((document,),) = json.loads(out)["data"]
    assert document[0]["tgt"].keys() == {"ash", "elm"}


@pytest.mark.parametrize("by", ["random", "stratified", "length", "rarity", "readability"])
def test_sources_alone_suffice(call, tmp_path, by):
    (tmp_path / "src.txt").write_text("".join(f"{text}\n" for text in SOURCE))
    arguments = ["select", "src.txt", "--by", by, "--budget", 20, "--src-lang", "en"]
    code, out, err = call(*arguments)
    assert (code, err) == (0, "")
    rows = chosen_of(out)
    assert len(rows) == 20
    assert all(SOURCE[int(row["segment"]) - 1] == row["source"] for row in rows)
    assert call(*arguments)[1] == out  # seeded
    if by == "length":
        shortest = min(len("".join(row["source"].split())) for row in rows)
        longer = [text for text in SOURCE if len("".join(text.split())) > shortest]
        assert len(longer) < 20


@pytest.mark.parametrize("by", ["crowd", "variance", "consistency", "discrimination"])
def test_scores_of_a_metric(call, by):
    scores = next((DEMO / "demo/metric-scores/en-de").glob("*.seg.score"))
    code, out, _ = call("select", *SET, "--by", by, "--scores", scores, "--budget", 5)
    assert code == 0
    values = [float(row["value"]) for row in chosen_of(out)]
    assert len(values) == 5
    whole = chosen_of(call("select", *SET, "--by", by, "--scores", scores, "--budget", 999)[1])
    assert sorted(float(row["value"]) for row in whole)[-5:] == sorted(values)


def test_budgets_count_words_and_whole_documents(call):
    _, out, _ = call("select", *SET, "--by", "length", "--cost", "words", "--budget", 300)
    words = [len(row["source"].split()) for row in chosen_of(out)]
    assert 280 <= sum(words) <= 300
    documents = read_segments(DEMO / "demo/documents/en-de.docs")
    asked = ["select", *SET, "--by", "length", "--budget", 60, "--whole-documents"]
    _, out, _ = call(*asked, "--format", "jsonl")
    rows = [json.loads(line) for line in out.splitlines()]
    for name in {row["document"] for row in rows}:
        whole = sum(line.split("\t")[1] == name for line in documents)
        assert sum(row["document"] == name for row in rows) == whole


def test_a_campaign_of_pearmut(call):
    asked = ["select", *SET, "--by", "disagreement", "--budget", 10, "--format", "pearmut"]
    campaign = json.loads(call(*asked)[1])
    assert campaign["info"] == {"assignment": "task-based", "protocol": "ESA"}
    assert campaign["campaign_id"] == "demo_en-de_disagreement_10"
    ((*documents,),) = campaign["data"]
    items = [item for document in documents for item in document]
    assert len(items) == 10
    numbers = [int(item["item_id"].rsplit("| ", 1)[1]) for item in items]
    for number, item in zip(numbers, items, strict=True):
        assert item["src"] == SOURCE[number - 1]
        for system, text in item["tgt"].items():
            file = DEMO / f"demo/system-outputs/en-de/{system}.txt"
            assert read_segments(file)[number - 1] == text
    names = {item["item_id"].split(" | ")[1] for item in items}
    assert len(documents) == len(names)


def test_human_scores_say_what_the_choice_does(call, tmp_path):
    asked = ["select", *SET, "--by", "random", "--budget", 60, "--judge", GOLD]
    code, out, err = call(*asked)
    assert code == 0
    assert len(chosen_of(out)) == 60  # the choice alone
    _, told, nothing = call(*asked, "--out", "chosen.tsv")
    assert nothing == ""
    assert told == err
    assert (tmp_path / "chosen.tsv").read_text() == out
    for line in ("tau-b", "soft accuracy", "clusters of significance", "gain or lose"):
        assert line in told
    assert "Not shown to be better than random choices (p > 0.05)." in told


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["none.txt"], "none.txt: expected a text file"),
        (["demo/en-fr", "--archive", DEMO], "demo has no pair en-fr; it has en-de, en-zh."),
        (["damo/en-de", "--archive", DEMO], "damo/en-de: archive has no campaign damo"),
        (["demo/en-de", "--archive", "no.tgz"], "demo/en-de: neither a file nor a folder"),
        ([*SET, "--by", "variance"], "by variance needs a metric's segment scores"),
        ([*SET, "--by", "bad.tsv"], "bad.tsv, line 3: expected a number as difficulty"),
        (["src.txt", "--by", "other.tsv"], "other.tsv, line 3: the source is not that of se"),
        (["src.txt", "--by", "rarity"], "--by rarity: wordfreq has no word frequencies of und"),
        (["src.txt", "--whole-documents"], "whole_documents: the documents of the segments"),
        (["src.txt", "--by", "disagreement"], "src.txt: no hypotheses"),
        (
            ["src.txt", "--scores", "gaps.score", "--by", "crowd"],
            "gaps.score: no score of system A on 1 of 2 segments",
        ),
        (
            ["src.txt", "--hyp", "two.txt", "--by", "consensus_entropy"],
            "--by consensus_entropy: a consensus needs the hypotheses of two systems",
        ),
        ([*SET, "--cost", "words"], "--budget 5: it pays no segment or document"),
    ],
)
def test_bad_input_is_named(call, tmp_path, arguments, message):
    for name, text in (
        ("bad.tsv", "segment\tdifficulty\n1\t0.5\n2\thard\n"),
        ("short.tsv", "segment\tdifficulty\n1\t0.5\n"),
        ("head.tsv", "segment,difficulty\n1,0.5\n"),
        ("other.tsv", "segment\tdifficulty\tsource\n1\t1\ta house\n2\t1\ta house\n"),
        ("src.txt", "a house\nits door\n"),
        ("one.txt", "ein Haus\n"),
        ("few.score", "".join(f"A\t{n}\nB\t{n}\n" for n in range(3))),
        ("two.txt", "ein Haus\nseine Tür\n"),
        ("gaps.score", "A\t1\nA\tNone\nB\t1\nB\t2\n"),
    ):
        (tmp_path / name).write_text(text)
    given = [] if "--by" in arguments else ["--by", "length"]
    code, out, err = call("select", *arguments, *given, "--budget", 5, "--out", "chosen.tsv")
    assert (code, out) == (1, "")
    assert f"ERROR: {message}" in err


@pytest.mark.parametrize("out", ["src.txt", "mine.tsv", "link"])
def test_no_input_is_overwritten(call, tmp_path, out):
    (tmp_path / "src.txt").write_text("a house\nits door\n")
    (tmp_path / "mine.tsv").write_text("segment\tdifficulty\n1\t1\n2\t2\n")
    (tmp_path / "link").symlink_to("src.txt")
    before = (tmp_path / out).read_text()
    for command in (
        ["select", "src.txt", "--by", "mine.tsv", "--budget", 1],
        ["estimates", "template", *SET],
    ):
        code, _, err = call(*command, "--out", out)
        assert (code, f"{out}: " in err) == (1, True)
        assert (tmp_path / out).read_text() == before
