"""`mt-difficulty score` and `hard` on the demo's texts, against sacreBLEU and loops; what
they print; and the help and errors of all subcommands."""

import json
import re

import naive
import numpy as np
import pytest
from better_than import false_statements
from conftest import ROOT, make_evalset
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

from mt_difficulty import cli
from mt_difficulty.cli.arguments import make_parser
from mt_difficulty.data.text_files import read_segments
from mt_difficulty.difficulty.chunk_entropy import align_set
from mt_difficulty.evidence.resampling import bootstrap_weights
from mt_difficulty.texts import corrected_p
from mt_difficulty.weighting import DA as token_weighting

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS = ["oak", "ash", "cedar"]
DE = ["--ref", DEMO / "references/en-de.refA.txt", "--lang", "de"]
HYPOTHESES = [DEMO / f"system-outputs/en-de/{system}.txt" for system in SYSTEMS]
REFERENCE, *TEXTS = map(read_segments, (DE[1], *HYPOTHESES))


@pytest.fixture
def report(command):
    def run(*arguments):
        code, out, err = command(*arguments, "--format", "json")
        assert code == 0, err
        return json.loads(out)

    return run


def scores_of(found, metric, weighting="standard"):
    rows = [r for r in found["scores"] if (r["metric"], r["weighting"]) == (metric, weighting)]
    return {row["system"]: row for row in rows}


def write(folder, name, lines):
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


@pytest.fixture
def few(tmp_path):
    """Twelve segments of the demo: a reference, and two systems with difficult segments."""
    texts = [text[:12] for text in (REFERENCE, *TEXTS[:2])]
    texts[1][3] = " ".join(reversed(texts[1][3].split()))
    texts[2][7] = " ".join(reversed(texts[2][7].split()))
    names = ["ref.txt", "one.txt", "two.txt"]
    files = [write(tmp_path, name, text) for name, text in zip(names, texts, strict=True)]
    return ["--ref", files[0], "--hyp", *files[1:], "--lang", "de"], texts


def test_plain_scores_are_sacrebleus(report):
    metrics = ["--metric", "bleu", "chrF", "CHRF++", "chrf-segments", "ter"]
    found = report("score", *DE, "--hyp", *HYPOTHESES, *metrics, "--weighting", "--resamples", 0)
    for system, texts in zip(SYSTEMS, TEXTS, strict=True):
        pairs = zip(texts, REFERENCE, strict=True)
        expected = {
            "BLEU": BLEU(trg_lang="de", force=True).corpus_score(texts, [REFERENCE]).score,
            "TER": TER().corpus_score(texts, [REFERENCE]).score,
            "chrF": CHRF().corpus_score(texts, [REFERENCE]).score,
            "chrF++": CHRF(word_order=2).corpus_score(texts, [REFERENCE]).score,
            "chrF-segments": np.mean([CHRF().sentence_score(h, [r]).score for h, r in pairs]),
        }
        for metric, value in expected.items():
            assert scores_of(found, metric)[system]["score"] == pytest.approx(value, abs=1e-9)
    assert {row["weighting"] for row in found["scores"]} == {"standard"}
    assert [row["better_than"] for row in found["scores"]] == [[]] * 15
    assert found["comparisons"] == []


def test_intervals_are_those_of_a_bootstrap_of_the_texts(report, few):
    """Every resample as a text of its own, scored by sacreBLEU."""
    files, (reference, *hypotheses) = few
    options = ["--metric", "bleu", "--weighting", "--resamples", 60, "--seed", 5]
    found = report("score", *files, *options)
    resampled = np.empty((60, 2))
    for number, counts in enumerate(bootstrap_weights(12, 60, np.random.default_rng(5))):
        drawn = np.repeat(np.arange(12), counts)
        for system, texts in enumerate(hypotheses):
            chosen = [texts[i] for i in drawn], [[reference[i] for i in drawn]]
            resampled[number, system] = BLEU(force=True).corpus_score(*chosen).score
    rows = scores_of(found, "BLEU")
    for system, values in zip(("one", "two"), resampled.T, strict=True):
        ends = rows[system]["low"], rows[system]["high"]
        assert ends == pytest.approx(np.percentile(values, [2.5, 97.5]), rel=1e-9)
    wins = sum(one > two for one, two in resampled)
    pair = next(row for row in found["comparisons"] if row["system"] == "one")
    assert (pair["other"], pair["wins"]) == ("two", wins / 60)
    assert pair["p"] == pytest.approx((1 + 60 - wins) / 61)
    assert pair["difference"] == pytest.approx(rows["one"]["score"] - rows["two"]["score"])


def test_comparisons_are_corrected_over_the_pairs():
    found = corrected_p(np.array([[1, 0.01, 0.03], [0.99, 1, 0.6], [0.98, 0.4, 1]]))
    # Twice the three smaller p, times 3, 2 and 1 (Holm 1979).
    np.testing.assert_allclose([found[0, 1], found[0, 2], found[2, 1]], [0.06, 0.12, 0.8])
    np.testing.assert_array_equal([found[1, 0], found[2, 0], found[1, 2]], 1)
    assert np.isnan(np.diag(found)).all()


@pytest.mark.parametrize("ee", [False, True])
@pytest.mark.parametrize(
    ("systems", "resamples", "samples"),
    [(2, 200, 1000), pytest.param(10, 2000, 100, marks=pytest.mark.slow)],
)
def test_equal_systems_are_called_better_in_at_most_5_percent(systems, resamples, samples, ee):
    share = false_statements(systems, 100, ee, samples, resamples)
    assert share <= stats.binom.ppf(0.999, samples, 0.05) / samples


def test_ranks_follow_from_scores_and_better_than_from_comparisons(report):
    found = report("score", *DE, "--hyp", *HYPOTHESES, "-m", "ter", "chrf")
    for row in found["scores"]:
        measure = row["metric"], row["weighting"]
        pairs = [p for p in found["comparisons"] if (p["metric"], p["weighting"]) == measure]
        beaten = {p["other"] for p in pairs if p["system"] == row["system"] and p["p_holm"] < 0.05}
        assert set(row["better_than"]) == beaten
        assert row["low"] <= row["score"] <= row["high"]
        assert row["higher_is_better"] == (row["metric"] == "chrF")
        sign = 1 if row["higher_is_better"] else -1
        own = scores_of(found, *measure).values()
        assert row["rank"] == 1 + sum(sign * (o["score"] - row["score"]) > 0 for o in own)
    assert any(row["better_than"] for row in scores_of(found, "TER").values())


@pytest.mark.usefixtures("one_thread")
def test_da_weighs_tokens_by_their_difficulty_and_ee_is_applied_over_it(report, small_bert):
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    found = report(
        "score", *DE, "--hyp", *HYPOTHESES, "--weighting", "EE", "DA", "EE-DA",
        *("--encoder", small_bert, "--layer", 2, "--resamples", 20, "--top", 2),
        *("--h", 0.3, "--w", 0.4),
    )  # fmt: skip
    labels = list(dict.fromkeys((row["metric"], row["weighting"]) for row in found["scores"]))
    assert labels == [
        *[("chrF", "standard"), ("chrF", "EE"), ("BERTScore", "standard")],
        *[("BERTScore", label) for label in ("EE", "DA", "EE-DA")],
    ]
    matches = match_tokens(Encoder(small_bert, 2), REFERENCE, TEXTS)
    hard = 1 - matches.reference_similarity.mean(axis=0)
    settings = token_weighting.DA()
    statistics = token_weighting.segment_scores(matches, hard[None], settings)
    entropy = align_set(make_evalset(TEXTS, REFERENCE))["entropy"]
    expected = {
        "DA": naive.standard_scores(settings, statistics),
        "EE-DA": naive.ee_scores(settings, statistics, entropy, 0.3, 0.4),
    }
    for label, values in expected.items():
        for system, value in zip(SYSTEMS, values, strict=True):
            own = scores_of(found, "BERTScore", label)[system]
            assert own["score"] == pytest.approx(value, rel=1e-6)
            assert "|DA|unseen:one|smoothing:none|range:open|beta:1" in own["signature"]
            assert ("|EE|h:0.3|w:0.4|" in own["signature"]) == (label == "EE-DA")
    assert own["difficulty"] == "chunk_entropy+token_dissimilarity"
    segment = found["hard_segments"][0]
    tokens = hard[matches.reference_segment == segment["segment"] - 1]
    shown = [item["difficulty"] for item in segment["tokens"]]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(tokens.max(), abs=1e-6)
    assert len({item["token"] for item in segment["tokens"]}) == len(shown) == 5
    assert all(item["token"] in segment["reference"] for item in segment["tokens"])


def test_texts_without_difficulty_have_plain_scores_and_say_why(report, command, tmp_path):
    """Two segments that are translated in one piece."""
    same = write(tmp_path, "same.txt", ["one two three", "four five six"])
    texts = ["score", "--ref", same, "--hyp", write(tmp_path, "a.txt", ["one", "four"])]
    found = report(*texts)
    row = scores_of(found, "chrF", "EE")["a"]
    assert row["score"] is row["low"] is row["rank"] is row["signature"] is None
    assert scores_of(found, "chrF")["a"]["score"] is not None
    assert found["hard_segments"] == found["comparisons"] == []
    assert any("chunk entropy is 0" in notice for notice in found["notices"])
    assert any("one system only" in notice for notice in found["notices"])
    code, out, _ = command(*texts, "--format", "latex")
    assert (code, "& -" in re.sub(" +", " ", out), "None" in out) == (0, True, False)
    code, out, err = command(*texts)
    assert (code, "None" in out, "better than" in out) == (0, False, False)
    assert "chrF, EE: no scores, see the notices" in out
    assert err.count("notice: ") == len(err.splitlines()) == len(found["notices"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score --ref 3 --hyp 2 4", "3 has 3 lines, but 2 has 2, 4 has 4"),
        ("score --ref 3 --hyp 3 below/3.de", "3 and below/3.de are both called 3"),
        ("score -i 3", "a reference is required"),
        ("hard --ref 2 --hyp bytes", "bytes, line 2: not UTF-8"),
        ("hard --ref empty --hyp empty", "the file is empty"),
        ("hard --ref none --hyp 2", "none: No such file"),
        ("score 2 -i - -", "standard input is one text"),
        ("hard --ref 2 --hyp 2 --encoder mine", "no folder mine"),
    ],
)
def test_wrong_input_is_one_line_that_names_it(command, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    for name, lines in (("2", 2), ("3", 3), ("4", 4), ("below/3.de", 3), ("empty", 0)):
        write(tmp_path, name, ["a"] * lines)
    (tmp_path / "bytes").write_bytes(b"a\n\xff\n")
    code, out, err = command(*arguments.split())
    assert (code, out) == (1, "")
    assert message in err
    assert err.startswith("ERROR: ")
    assert err.count("\n") == 1


# Help, usage, text, JSON and LaTeX.

SUBCOMMANDS = make_parser()._subparsers._group_actions[0].choices


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_help_explains_every_option_and_gives_an_example_that_parses(name):
    text = SUBCOMMANDS[name].format_help()
    for action in SUBCOMMANDS[name]._actions:
        assert action.help
        assert max(action.option_strings, key=len, default="") in text
    example = re.search(rf"example:\n  mt-difficulty ({name} .*)", text)[1]
    assert make_parser().parse_args(example.split()).command == name
    assert "exit codes: 0 success; 1 bad input" in text
    assert "{" not in re.sub(r"\{[\w,]+\}", "", text)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("hard --ref", "expected at least one argument"),
        ("score r -i h --metric comet", "'comet'"),
        ("score r -i h --share x", "invalid float value"),
        ("score r -i h --resamples -1", "expected a whole number, 0 to 100000"),
        ("score r -i h --width 99", "-w/--width: '99': expected a whole number, 0 to 15"),
        ("hard --ref r --hyp h --format csv", "'csv'"),
    ],
)
def test_wrong_usage_is_named_and_exits_with_2(arguments, message, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(arguments.split())
    error, see = capsys.readouterr().err.splitlines()
    assert (error.startswith("ERROR: "), message in error) == (True, True)
    assert see == f"see mt-difficulty {arguments.split()[0]} --help"


def test_the_command_alone_lists_its_subcommands(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert all(f"\n    {name}" in err for name in SUBCOMMANDS)


def test_hard_segments_within_their_length(command, report):
    """Of ten groups of segments by length, the highest above their group's mean."""
    hyp = ["--hyp", *HYPOTHESES, "--top", 260]
    found = report("hard", *DE, *hyp)
    means = align_set(make_evalset(TEXTS, REFERENCE))["entropy"].mean(axis=0)
    lengths = np.array([len(line.split()) for line in REFERENCE])
    rho = stats.spearmanr(means, lengths)[0]
    assert found["with_length"] == pytest.approx(rho)
    out = command("hard", *DE, *hyp)[1]
    expected = f"rank correlation with the number of words {rho:.2f}, see --within-length)"
    assert expected in " ".join(out.split())
    within = report("hard", *DE, *hyp, "--within-length")["hard_segments"]
    excess = means.copy()
    for group in np.array_split(np.argsort(lengths, kind="stable"), 10):
        excess[group] -= means[group].mean()
    expected = [i + 1 for i in np.argsort(-excess, kind="stable") if means[i] > 0]
    assert [row["segment"] for row in within] == expected
    assert [row["length"] for row in within] == [lengths[i - 1] for i in expected]
    assert expected[:9] != [row["segment"] for row in found["hard_segments"]][:9]


@pytest.mark.parametrize("name", ["score", "hard"])
def test_tables_of_tabs_have_the_rows_of_the_json(command, report, name):
    options = [name, *DE, "--hyp", *HYPOTHESES]
    rows = report(*options)["scores" if name == "score" else "hard_segments"]
    lines = [line.split("\t") for line in command(*options, "--format", "tsv")[1].splitlines()]
    for line, row in zip(lines[1:], rows, strict=True):
        cells = dict(zip(lines[0], line, strict=True))
        for key, cell in cells.items():
            value = ", ".join(row[key]) if isinstance(row[key], list) else row[key]
            same = float(cell) == value if isinstance(value, float) else cell == str(value or "")
            assert same or (cell, value) in (("0", 0), ("False", False))


def test_calls_without_weights_do_not_warn_about_difficulty(command):
    texts = ["--ref", DE[1], "--hyp", HYPOTHESES[0]]
    err = command("score", *texts, "--weighting", "-b")[2]
    assert err == ""
    err = command("score", *texts, "--weighting", "-b", "-m", "bleu")[2]
    assert ("no target language" in err, "one system" in err) == (True, False)
    assert "one system only" in command("hard", *texts)[2]


def test_json_has_the_documented_keys(report):
    found = report("score", *DE, "--hyp", *HYPOTHESES[:2], "--resamples", 20)
    documented = (ROOT / "docs/own_systems.md").read_text(encoding="utf-8")
    scores = "score low high rank better_than effective_segments higher_is_better signature system"
    segments = "segment difficulty excess length difficult_systems source reference hypotheses"
    segments += " tokens"
    for key, names in (
        ("scores", f"metric weighting difficulty {scores}"),
        ("comparisons", "metric weighting difficulty system other difference wins p p_holm"),
        ("hard_segments", segments),
    ):
        assert {*map(frozenset, found[key])} == {frozenset(names.split())}
        assert all(f"`{name}`" in documented for name in (key, *names.split()))
