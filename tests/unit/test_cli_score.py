"""`mt-difficulty score` and `hard` on the demo's texts, against sacreBLEU and loops; what
they print; and the help and errors of all subcommands."""

import argparse
import io
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import replace

import naive
import numpy as np
import pytest
from better_than import false_statements
from conftest import ROOT, make_evalset
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

from mt_difficulty import cli
from mt_difficulty.cli.arguments import make_parser
from mt_difficulty.data.text_files import read_lines
from mt_difficulty.difficulty.chunk_entropy import align_set
from mt_difficulty.evidence.resampling import bootstrap_weights
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics.base import Metric
from mt_difficulty.scoring.comparing import (
    Draws,
    default_resamples,
    describe_score,
    draw,
    needed_resamples,
    two_sided,
)
from mt_difficulty.weighting import DA as token_weighting
from mt_difficulty.weighting.base import WeightedMetric

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS = ["oak", "ash", "cedar"]
DE = ["--ref", DEMO / "references/en-de.refA.txt", "--lang", "de"]
HYPOTHESES = [DEMO / f"system-outputs/en-de/{system}.txt" for system in SYSTEMS]
REFERENCE, *TEXTS = map(read_lines, (DE[1], *HYPOTHESES))


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


@pytest.fixture
def files(tmp_path):
    """A reference and two hypotheses."""
    texts = {"ref.txt": REFERENCE[:12], "one.txt": TEXTS[0][:12], "two.txt": TEXTS[1][:12]}
    return [write(tmp_path, name, lines) for name, lines in texts.items()]


def test_a_command_ends_with_a_message_whatever_its_streams_are(files):
    command = [sys.executable, "-m", "mt_difficulty", "score", *files[:1], "-i"]
    options = "--resamples", "0", "--weighting"

    def run(*arguments, **settings):
        return subprocess.run([*command, *arguments], capture_output=True, **settings)

    closed = f"{shlex.join(map(str, [*command, *files[1:], *options]))} >&-"
    done = subprocess.run(closed, shell=True, capture_output=True, text=True)
    assert (done.returncode, done.stderr.startswith("ERROR: standard output is cl")) == (1, True)
    closed = f"{shlex.join(map(str, [*command, '-']))} <&-"
    done = subprocess.run(closed, shell=True, capture_output=True)
    assert done.stderr.startswith(b"ERROR: -: standard input is closed. Name a file.")
    # JSON is UTF-8 in every locale.
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    done = run(*files[1:], *options, "--format", "json", "--top", "2", env=os.environ | plain)
    assert json.loads(done.stdout.decode("utf-8"))["segments"] == 12


def test_memory_that_does_not_suffice_is_an_error(files, command, monkeypatch):
    def fail(*_, **__):
        raise MemoryError("Unable to allocate 84. GiB")

    monkeypatch.setattr("mt_difficulty.scoring.texts.score_texts", fail)
    code, _, err = command("score", files[0], "-i", *files[1:])
    assert code == 1
    assert err.startswith("ERROR: the memory does not suffice (Unable to allocate 84. GiB). ")


@pytest.mark.parametrize("value", ["nan", "inf"])
@pytest.mark.parametrize("name", ["h", "w", "share", "softmax"])
def test_settings_that_are_no_finite_number_are_refused(files, command, name, value):
    code, _, err = command("score", files[0], "-i", *files[1:], f"--{name}", value)
    assert code == 1
    assert err.startswith(f"ERROR: {name} {value}: expected a finite number")


@pytest.mark.parametrize("name", ["ref.txt", "one.txt", "two.txt", "link.html"])
def test_a_file_that_is_read_is_not_written(files, command, tmp_path, name):
    (tmp_path / "link.html").symlink_to(files[1])
    content = (tmp_path / name).read_bytes()
    code, _, err = command(
        "score", files[0], "-i", *files[1:], "--html", tmp_path / name, "--resamples", 0
    )
    assert code == 1
    assert "is read. Name another file." in err
    assert (tmp_path / name).read_bytes() == content


def test_few_resamples_are_noticed(files, command):
    _, _, err = command("score", files[0], "-i", *files[1:], "--resamples", 5)
    assert "5 resamples are too few for a 95% interval, which needs 40 or more" in err


def test_plain_scores_are_sacrebleus(report):
    metrics = ["--metric", "bleu", "chrF", "CHRF++", "chrf-segments", "ter"]
    found = report("score", *DE, "--hyp", *HYPOTHESES, *metrics, "--weighting", "--resamples", 0)
    expected = {}
    for system, texts in zip(SYSTEMS, TEXTS, strict=True):
        pairs = zip(texts, REFERENCE, strict=True)
        of_metrics = {
            "BLEU": BLEU(trg_lang="de", force=True).corpus_score(texts, [REFERENCE]).score,
            "TER": TER().corpus_score(texts, [REFERENCE]).score,
            "chrF": CHRF().corpus_score(texts, [REFERENCE]).score,
            "chrF++": CHRF(word_order=2).corpus_score(texts, [REFERENCE]).score,
            "chrF-segments": np.mean([CHRF().sentence_score(h, [r]).score for h, r in pairs]),
        }
        expected |= {(metric, system): value for metric, value in of_metrics.items()}
    scores = {(row["metric"], row["system"]): row["score"] for row in found["scores"]}
    assert scores == pytest.approx(expected, abs=1e-9)
    assert {row["weighting"] for row in found["scores"]} == {"standard"}
    assert [row["better_than"] for row in found["scores"]] == [None] * 15
    assert (found["comparisons"], found["tested"]) == ([], None)


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
    ends = [[rows[system]["low"], rows[system]["high"]] for system in ("one", "two")]
    expected = np.percentile(resampled, [2.5, 97.5], axis=0).T
    np.testing.assert_allclose(ends, expected, rtol=1e-9)
    wins = sum(one > two for one, two in resampled)
    pair = next(row for row in found["comparisons"] if row["system"] == "one")
    assert (pair["other"], pair["wins"]) == ("two", wins / 60)
    assert pair["difference"] == pytest.approx(rows["one"]["score"] - rows["two"]["score"])


def test_comparisons_are_two_sided_and_corrected_over_the_pairs():
    p, corrected = two_sided(np.array([[1, 0.01, 0.03], [0.99, 1, 0.6], [0.98, 0.4, 1]]))
    first, second = [0, 0, 2], [1, 2, 1]
    np.testing.assert_allclose(p[first, second], [0.02, 0.06, 0.8])
    # Times 3, 2 and 1 (Holm 1979).
    np.testing.assert_allclose(corrected[first, second], [0.06, 0.12, 0.8])
    np.testing.assert_array_equal(p, p.T)
    np.testing.assert_array_equal(corrected, corrected.T)
    np.testing.assert_array_equal(np.diag(p), [np.nan] * 3)
    np.testing.assert_array_equal(np.diag(corrected), [np.nan] * 3)


def test_a_pairs_p_is_the_larger_of_bootstrap_and_permutation_test():
    """Both by loops; in either direction a pair has one p."""
    rng = np.random.default_rng(8)
    scores, difficult = rng.normal(size=(4, 20)) + np.arange(4)[:, None], rng.random((4, 20)) < 0.5
    weighted = WeightedMetric.standard(Metric, scores[..., None]).in_groups(difficult, 0.4)
    weights = bootstrap_weights(20, 99, rng)
    swapped = rng.integers(2, size=(99, 20), dtype=np.uint8)

    def ee(values, hard, counts):
        return 0.4 * np.average(values[~hard], weights=counts[~hard]) + 0.6 * np.average(
            values[hard], weights=counts[hard]
        )

    once, larger, expected = np.ones(20), set(), {}
    _, rows, _ = describe_score(
        weighted, list("abcd"), Draws(weights, swapped, single_segments(20))
    )
    for row in rows:
        a, b = "abcd".index(row["system"]), "abcd".index(row["other"])
        one_sided = {}
        for x, y in ((a, b), (b, a)):
            observed = ee(scores[x], difficult[x], once) - ee(scores[y], difficult[y], once)
            wins = sum(
                ee(scores[x], difficult[x], n) > ee(scores[y], difficult[y], n) for n in weights
            )
            reached = 0
            for mask in swapped.astype(bool):
                sides = [
                    np.where(mask, values[[y, x]], values[[x, y]]) for values in (scores, difficult)
                ]
                first, second = (
                    ee(values, hard, once) for values, hard in zip(*sides, strict=True)
                )
                reached += first - second >= observed - 1e-12
            tests = {"bootstrap": 1 + 99 - wins, "permutation": 1 + reached}
            larger.add(max(tests, key=tests.get))
            one_sided[x, y] = max(tests.values()) / 100
        expected[row["system"], row["other"]] = min(1, 2 * min(one_sided.values()))
    found = {(row["system"], row["other"]): row["p"] for row in rows}
    assert found == pytest.approx(expected)
    assert larger == {"bootstrap", "permutation"}


def test_what_no_p_can_show_is_not_tested(command, tmp_path):
    """With 60 resamples a corrected p of three pairs is at least 0.098."""
    files = [*DE, "--hyp", *HYPOTHESES, "--weighting", "EE"]
    code, out, err = command("score", *files, "--resamples", 60)
    assert (code, out.count("not tested")) == (0, 6)
    assert "60 resamples are too few to test 3 pairs of systems" in err
    assert "120 resamples or more are needed" in err
    page = ["--html", tmp_path / "page.html"]
    _, quiet, messages = command("score", *files, "--resamples", 60, "-q", *page)
    assert (quiet, messages) == (out, "")
    assert "whether another is worse was not tested" in (tmp_path / "page.html").read_text()
    tsv = command("score", *files, "--resamples", 60, "--format", "tsv")[1]
    assert tsv.count("\tnot tested\t") == 6
    found = json.loads(command("score", *files, "--resamples", 60, "--format", "json")[1])
    assert (found["tested"], {row["p_holm"] for row in found["comparisons"]}) == (False, {None})
    assert [row["better_than"] for row in found["scores"]] == [None] * 6
    found = json.loads(command("score", *files, "--resamples", 120, "--format", "json")[1])
    assert found["tested"] is True
    assert None not in [row["better_than"] for row in found["scores"]]


@pytest.mark.parametrize(
    ("systems", "resamples"), [(2, 1000), (10, 4500), (22, 20_000), (33, 26_400), (71, 100_000)]
)
def test_the_number_of_pairs_decides_how_many_resamples_are_drawn(systems, resamples):
    assert default_resamples(systems) == resamples


def test_the_default_suffices_for_a_test_of_up_to_71_systems():
    tested = [
        n for n in range(2, 200) if default_resamples(n) >= needed_resamples(n * (n - 1) // 2)
    ]
    assert tested == [*range(2, 72)]


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
        case = (*measure, row["system"])
        pairs = [p for p in found["comparisons"] if (p["metric"], p["weighting"]) == measure]
        sign = 1 if row["higher_is_better"] else -1
        beaten = {
            p["other"]
            for p in pairs
            if (p["system"], p["p_holm"] < 0.05) == (row["system"], True)
            and sign * p["difference"] > 0
        }
        assert set(row["better_than"]) == beaten, case
        assert row["low"] <= row["score"] <= row["high"], case
        assert row["higher_is_better"] == (row["metric"] == "chrF"), case
        sign = 1 if row["higher_is_better"] else -1
        own = scores_of(found, *measure).values()
        better = sum(sign * (other["score"] - row["score"]) > 0 for other in own)
        assert row["rank"] == 1 + better, case
    better_than = {name: row["better_than"] for name, row in scores_of(found, "TER").items()}
    assert better_than != {name: [] for name in SYSTEMS}


def test_exchanges_are_fair_and_independent_of_the_bootstrap():
    weights, swapped, _ = draw(single_segments(200), 500, seed=1)
    # Five standard errors of 100,000 bits.
    assert swapped.mean() == pytest.approx(0.5, abs=0.008)
    assert np.corrcoef(swapped.ravel(), weights.ravel())[0, 1] == pytest.approx(0, abs=0.016)


def test_systems_of_one_score_share_the_higher_rank():
    scores = np.array([[1.0, 2], [3, 4], [4, 3], [2, 1]])
    weighted = WeightedMetric.standard(Metric, scores[..., None])
    nothing = Draws(np.empty((0, 2)), np.empty((0, 2)), single_segments(2))
    rows, _, _ = describe_score(weighted, list("abcd"), nothing)
    assert [row["rank"] for row in rows] == [3, 1, 1, 3]


@pytest.mark.usefixtures("one_thread")
def test_da_weighs_tokens_by_their_difficulty_and_ee_is_applied_over_it(report, small_bert):
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    found = report(
        "score", *DE, "--hyp", *HYPOTHESES, "--weighting", "EE", "DA", "EE-DA",
        *("--encoder", small_bert, "--layer", 2, "--resamples", 40, "--top", 2),
        *("--h", 0.3, "--w", 0.4, "--baseline", 0.3),
    )  # fmt: skip
    labels = list(dict.fromkeys((row["metric"], row["weighting"]) for row in found["scores"]))
    assert labels == [
        *[("chrF", "standard"), ("chrF", "EE"), ("BERTScore", "standard")],
        *[("BERTScore", label) for label in ("EE", "DA", "EE-DA")],
    ]
    matches = match_tokens(Encoder(small_bert, 2), REFERENCE, TEXTS)
    matches = replace(
        matches,
        reference_similarity=(matches.reference_similarity.astype(float) - 0.3) / 0.7,
        hypothesis_similarity=(matches.hypothesis_similarity.astype(float) - 0.3) / 0.7,
    )
    hard = 1 - matches.reference_similarity.mean(axis=0)
    settings = token_weighting.DA()
    statistics = token_weighting.segment_scores(matches, hard[None], settings)
    entropy = align_set(make_evalset(TEXTS, REFERENCE))["entropy"]
    expected = {
        "DA": naive.standard_scores(settings, statistics),
        "EE-DA": naive.ee_scores(settings, statistics, entropy, 0.3, 0.4),
    }
    for label, values in expected.items():
        own = scores_of(found, "BERTScore", label)
        scores = {system: row["score"] for system, row in own.items()}
        of_systems = dict(zip(SYSTEMS, values, strict=True))
        assert scores == pytest.approx(of_systems, rel=1e-6), label
        (signature,) = {row["signature"] for row in own.values()}
        assert "|rescale:token|baseline:0.3000|baseline-from:given|DA|unseen:one|" in signature
        assert ("|EE|h:0.3|w:0.4|" in signature) == (label == "EE-DA"), label
    (difficulty,) = {row["difficulty"] for row in scores_of(found, "BERTScore", "EE-DA").values()}
    assert difficulty == "chunk_entropy+token_dissimilarity"
    segment = found["hard_segments"][0]
    tokens = hard[matches.reference_segment == segment["segment"] - 1]
    shown = [item["difficulty"] for item in segment["tokens"]]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(tokens.max(), abs=1e-6)
    assert len({item["token"] for item in segment["tokens"]}) == len(shown) == 5
    missing = [i["token"] for i in segment["tokens"] if i["token"] not in segment["reference"]]
    assert missing == []


@pytest.mark.parametrize(
    ("layer", "message"),
    [
        ([], "set it (layer; on the command line --layer). To choose one"),
        (["--layer", "9"], "0 to 3"),
    ],
)
def test_errors_of_the_layer_name_the_option(command, small_bert, layer, message):
    score = ["score", *DE, "--hyp", *HYPOTHESES, "--weighting", "DA", "--encoder", small_bert]
    code, _, err = command(*score, *layer)
    assert code == 1
    assert message in err
    assert "--layer" in err


@pytest.mark.usefixtures("one_thread")
def test_da_computes_a_baseline_and_says_where_there_is_none(report, small_bert):
    score = ["score", *DE, "--hyp", *HYPOTHESES, "--weighting", "DA", "--encoder", small_bert]
    score += ["--layer", 2, "--resamples", 0]
    signatures = {}
    notices = {}
    for setting in ("auto", "none"):
        found = report(*score, "--baseline", setting)
        (signatures[setting],) = {
            row["signature"] for row in scores_of(found, "BERTScore", "DA").values()
        }
        notices[setting] = [text for text in found["notices"] if "no baseline" in text]
    assert "|rescale:token|" in signatures["auto"]
    assert "random pairs of the set's references (" in signatures["auto"]
    assert "|rescale:no|" in signatures["none"]
    assert notices["auto"] == []
    # EE, which was not asked for, has no notices.
    assert not any(text.startswith("EE ") or "h = " in text for text in found["notices"])
    (notice,) = notices["none"]
    assert notice.startswith(f"encoder {small_bert.name} has no baseline (baseline: none): ")


def test_texts_without_difficulty_have_plain_scores_and_say_why(report, command, tmp_path):
    """Two segments that are translated in one piece."""
    same = write(tmp_path, "same.txt", ["one two three", "four five six"])
    texts = ["score", "--ref", same, "--hyp", write(tmp_path, "a.txt", ["one", "four"])]
    found = report(*texts)
    row = scores_of(found, "chrF", "EE")["a"]
    assert row["score"] is row["low"] is row["rank"] is row["signature"] is None
    assert scores_of(found, "chrF")["a"]["score"] is not None
    assert found["hard_segments"] == found["comparisons"] == []
    notices = "\n".join(found["notices"])
    assert "chunk entropy is 0" in notices
    assert "one system only" in notices
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
        ("score --ref 3 --hyp 3 below/3.txt", "3 and below/3.txt are both called 3"),
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
        assert action.help, action.dest
        if action.help == argparse.SUPPRESS:  # the former name of an option
            continue
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
        ("score r -i h --metric chrff", "'chrff' (did you mean chrF?)"),
        ("score r -i h --weighting ee", "'ee' (did you mean EE?)"),
        ("score r -i h --weigthing EE", "no option --weigthing (did you mean --weighting?)"),
        ("correlate x --statistic person", "'person' (did you mean pearson?)"),
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


def test_a_mistyped_command_is_answered_with_one_that_is_like_it(capsys):
    with pytest.raises(SystemExit) as end:
        cli.main(["scroe", "r"])
    error, see = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert error.startswith(
        "ERROR: argument COMMAND: invalid choice: 'scroe' (did you mean score?)"
    )
    assert see == "see mt-difficulty --help"


def test_former_names_of_options_are_accepted_and_not_shown():
    words = ["score", "r", "-i", "h"]
    former = make_parser().parse_args([*words, "--h", "0.3", "--w", "0.4"])
    now = make_parser().parse_args([*words, "--threshold", "0.3", "--easy-weight", "0.4"])
    assert vars(former) == vars(now)
    assert (now.h, now.w) == (0.3, 0.4)
    assert (make_parser().parse_args(words).h, make_parser().parse_args(words).w) == (None, None)
    # -w, sacreBLEU's number of digits, stands beside no --w.
    assert not re.search(r"--[hw]\b", SUBCOMMANDS["score"].format_help())


@pytest.mark.parametrize("arguments", ["--help", "--version", "scroe"])
def test_the_help_needs_no_numerical_library(arguments):
    """Importing numpy and pandas takes longer than all else that the help does."""
    code = (
        "import sys; from mt_difficulty.cli import main\n"
        f"try: main([{arguments!r}])\n"
        "except SystemExit: pass\n"
        "heavy = ['numpy', 'pandas', 'torch', 'numba', 'scipy', 'nltk', 'sacrebleu', 'shtab']\n"
        "print([name for name in heavy if name in sys.modules], file=sys.stderr)"
    )
    scripts = str(ROOT / "workflow/scripts")
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": scripts},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.splitlines()[-1] == "[]"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_can_complete_commands_options_and_names(capsys, shell):
    pytest.importorskip("shtab")
    with pytest.raises(SystemExit) as end:
        cli.main(["--print-completion", shell])
    assert end.value.code == 0
    script = capsys.readouterr().out
    for word in ("correlate", "easy-weight", "hardest-DA", "soft_accuracy"):
        assert word in script
    assert "SUPPRESS" not in script


# Sets of the archive (`score -t wmt23 -l he-en`).

ARCHIVE = ["-t", "demo", "-l", "en-de", "--archive", ROOT / "data/demo/archive"]


def write_archive(folder):
    """An archive of a campaign with two references, a human translation and a canary."""
    texts = {
        "sources/en-de.txt": ["a", "b c", "d"],
        "references/en-de.refA.txt": ["x", "y z", "w"],
        "references/en-de.refB.txt": ["x x", "z", "v"],
        "system-outputs/en-de/refA.txt": ["x", "y z", "w"],
        "system-outputs/en-de/refB.txt": ["x x", "z", "v"],
        "system-outputs/en-de/oak.txt": ["x", "y", "w"],
        "system-outputs/en-de/elm.txt": ["z", "z", "z"],
    }
    canary = "CANARY: do not train on it, GUID 1"
    for name, lines in texts.items():
        file = folder / "wmt99" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        write(file.parent, file.name, [canary, *lines])
    return folder


def test_a_set_of_the_archive_is_scored_with_all_its_systems_and_own_outputs(report, tmp_path):
    mine = write(tmp_path, "mine.txt", [line.lower() for line in TEXTS[0]])
    found = report("score", *ARCHIVE, "-i", mine, "--resamples", 0)
    outputs = sorted((DEMO / "system-outputs/en-de").glob("*.txt"))
    outputs = [path for path in outputs if path.stem != "refA"]
    files = report("score", *DE, "-i", *outputs, mine, "--resamples", 0)
    assert found["systems"] == [*(path.stem for path in outputs), "mine"]
    for weighting in ("standard", "EE"):
        of_files = scores_of(files, "chrF", weighting)
        for system, row in scores_of(found, "chrF", weighting).items():
            assert row["score"] == of_files[system]["score"]
            assert row["effective_documents"] > 1  # the archive knows documents
    assert (found["language"], found["reference"]) == ("de", "refA")
    alone = report("hard", *ARCHIVE, "--top", 1)
    assert alone["systems"] == [path.stem for path in outputs]
    assert alone["hard_segments"][0]["document"]


def test_references_of_an_archives_set_are_named_and_its_canary_is_no_segment(
    report, tmp_path, monkeypatch
):
    archive = write_archive(tmp_path / "archive")
    named = ["-t", "wmt99", "-l", "en-de", "--archive", archive, "--weighting", "--resamples", 0]
    both = report("score", *named, "--ref", "refB", "refA", "-m", "BLEU")
    assert (both["segments"], both["systems"]) == (3, ["elm", "oak"])
    expected = BLEU().corpus_score(["x", "y", "w"], [["x x", "z", "v"], ["x", "y z", "w"]])
    assert scores_of(both, "BLEU")["oak"]["score"] == pytest.approx(expected.score)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"x\ny\nw\n")))
    piped = report("score", *named, "--ref", "refB", "refA", "-m", "BLEU", "-i", "-")
    assert scores_of(piped, "BLEU")["stdin"]["score"] == pytest.approx(expected.score)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ([], "wmt99/en-de: choose one of the references; there are: refA, refB."),
        (["--ref", "refD"], "has no reference refD. There are: refA, refB."),
        (["-l", "en-dd"], "wmt99 has no pair en-dd; it has en-de (did you mean en-de?)"),
        (["-t", "wmt9"], "no campaign wmt9; it has wmt99"),
        (["--archive", "none.tgz"], "the archive none.tgz is not here. Name one (--archive)."),
        (["--ref", "refA", "-i", "oak.txt"], "oak.txt: wmt99/en-de has a system oak, too."),
        (["--ref", "refA", "-i", "short.txt"], "short.txt: expected 3 lines"),
        (["--lang", "de"], "--lang has no meaning with -t"),
        (["--num-refs", "2"], "--num-refs has no meaning with -t"),
        (["--src", "oak.txt"], "--src has no meaning with -t"),
    ],
)
def test_what_is_wrong_with_a_set_of_the_archive_is_named(
    command, tmp_path, monkeypatch, change, message
):
    monkeypatch.chdir(tmp_path)
    archive = write_archive(tmp_path / "archive")
    write(tmp_path, "oak.txt", ["x", "y", "z"])
    write(tmp_path, "short.txt", ["x"])
    code, _, err = command(
        "score", "-t", "wmt99", "-l", "en-de", "--archive", archive, *change, "--resamples", 0
    )
    assert (code, err.count("ERROR: ")) == (1, 1)
    assert message in err


def test_a_language_pair_names_both_languages_of_files(report):
    options = ["-i", *HYPOTHESES, "--resamples", 0]
    found = report("score", DE[1], "-l", "en-de", *options)
    assert found == report("score", *DE, "--src-lang", "en", *options)


def test_the_command_alone_lists_its_subcommands(command):
    code, out, err = command()
    assert (code, out) == (2, "")
    assert [name for name in SUBCOMMANDS if f"\n    {name}" not in err] == []


def test_hard_segments_within_their_length(command, report):
    """Of ten groups of segments by length, the highest above their group's mean; segments of equal
    length are in one group."""
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
    tenths = np.array([10 * (lengths < length).sum() // 260 for length in lengths])
    excess = means - np.array([means[tenths == tenth].mean() for tenth in tenths])
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
            assert same or (cell, value) in (("0", 0), ("False", False)), (line, key)


def test_calls_without_weights_do_not_warn_about_difficulty(command):
    texts = ["--ref", DE[1], "--hyp", HYPOTHESES[0]]
    err = command("score", *texts, "--weighting", "-b")[2]
    assert err == ""
    err = command("score", *texts, "--weighting", "-b", "-m", "bleu")[2]
    assert ("no target language" in err, "one system" in err) == (True, False)
    assert "one system only" in command("hard", *texts)[2]


def test_json_has_the_documented_keys(report):
    found = report("score", *DE, "--hyp", *HYPOTHESES[:2], "--resamples", 40)
    documented = (ROOT / "docs/own_systems.md").read_text(encoding="utf-8")
    scores = "score low high rank better_than effective_segments effective_documents"
    scores += " higher_is_better signature system"
    segments = "segment difficulty excess length difficult_systems source reference hypotheses"
    segments += " tokens document"
    for key, names in (
        ("scores", f"metric weighting difficulty {scores}"),
        ("comparisons", "metric weighting difficulty system other difference wins p p_holm"),
        ("hard_segments", segments),
    ):
        assert {*map(frozenset, found[key])} == {frozenset(names.split())}, key
        undocumented = [n for n in (key, *names.split()) if f"`{n}`" not in documented]
        assert undocumented == []
