"""`import mt_difficulty as md`: the same numbers as the command line, tables, errors."""

import gzip
import io
import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

import mt_difficulty as md
from mt_difficulty import cli
from mt_difficulty.data.text_files import read_segments
from mt_difficulty.evidence.resampling import bootstrap_weights

ARCHIVE = ROOT / "data/demo/archive"
DEMO = ARCHIVE / "demo"
REFERENCE = read_segments(DEMO / "references/en-de.refA.txt")
FILES = {name: DEMO / f"system-outputs/en-de/{name}.txt" for name in ("oak", "ash")}
SPM = {"lang": "de", "metric_settings": {"bleu": {"tokenize": "flores200"}}}
TEXTS = {name: read_segments(file) for name, file in FILES.items()}


@pytest.fixture(scope="module")
def demo():
    return md.load_set("demo", "en-de", ARCHIVE, reference="refA", gold="mqm")


def test_importing_it_imports_nothing_heavy():
    code = "import sys, mt_difficulty; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": str(ROOT / "workflow/scripts")},
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    heavy = {"numpy", "pandas", "scipy", "numba", "torch", "sacrebleu"}
    assert not heavy & set(done.stdout.split())


def test_scores_are_those_of_the_command_line(capsys):
    """As JSON, as bare numbers, and in the tables."""
    found = md.score(
        TEXTS,
        REFERENCE,
        metrics=["BLEU", "TER"],
        weightings=["EE", "hardest"],
        lang="de",
        resamples=50,
    )
    arguments = ["score", DEMO / "references/en-de.refA.txt", "-i", *FILES.values()]
    arguments += ["--lang", "de", "--resamples", 50, "-m", "BLEU", "TER"]
    arguments += ["--weighting", "EE", "hardest"]

    def printed(*options):
        assert cli.main([*map(str, [*arguments, *options])]) == 0
        return capsys.readouterr()

    report = json.loads(printed("--format", "json").out)
    for column in ("score", "low", "high", "rank", "effective_segments", "signature"):
        np.testing.assert_array_equal(found.scores[column], [r[column] for r in report["scores"]])
    np.testing.assert_array_equal(
        found.comparisons.p_holm, [row["p_holm"] for row in report["comparisons"]]
    )
    assert found.notices == report["notices"]
    of_system = {name: rows.score for name, rows in found.scores.groupby("system", sort=False)}
    expected = ["\t".join(f"{value:.2f}" for value in own) for own in of_system.values()]
    numbers = printed("-b", "-q")
    assert (numbers.out.splitlines(), numbers.err) == (expected, "")
    for form in ("text", "latex"):
        table = printed("-w", 5, "--format", form).out
        assert all(f" {score:.5f} " in table for score in found.scores.score)


def test_correlations_are_scipys(demo):
    found = md.correlate(demo.metrics, demo.human).set_index("statistic")
    metric = demo.metrics["Oracle-noisy"]
    for name, function in (("pearson", stats.pearsonr), ("kendall", stats.kendalltau)):
        assert found.value[name] == pytest.approx(function(metric, demo.human)[0])
    z, half = np.arctanh(found.value["pearson"]), stats.norm.ppf(0.975) / 3  # n - 3 = 9
    assert found.low["pearson"] == pytest.approx(np.tanh(z - half))
    with pytest.raises(md.InputError, match="no statistic pearsn"):
        md.correlate(demo.metrics, demo.human, ["pearsn"])


def test_intervals_over_segments_are_those_of_the_pipelines_resamples(demo):
    """Percentiles of the drawn segments' means, and their variance added on Fisher's scale."""
    metric, people = demo.segment_metrics["Oracle-noisy"], demo.segment_human
    found = md.correlate({"M": metric}, demo.human, ["pearson"], resamples=200, seed=7)
    drawn = bootstrap_weights(len(metric), 200, np.random.default_rng([7, 0])).astype(float)
    scores = drawn @ metric.to_numpy() / len(metric)
    values = np.array([stats.pearsonr(row, demo.human)[0] for row in scores])
    rows = found.set_index("over")
    np.testing.assert_allclose(
        rows.loc["segments", ["low", "high"]].to_list(), np.percentile(values, [2.5, 97.5])
    )
    half = stats.norm.ppf(0.975) * np.sqrt(1 / 9 + np.arctanh(values).var())
    z = np.arctanh(stats.pearsonr(metric.mean(), demo.human)[0])
    np.testing.assert_allclose(
        rows.loc["both", ["low", "high"]].to_list(), np.tanh([z - half, z + half])
    )
    assert (rows.segments == 260).all()
    both = md.correlate({"M": metric}, people, ["pearson"], resamples=200, seed=7)
    assert both.over.tolist() == ["segments", "systems", "both", "joint"]
    of_people = drawn @ people.to_numpy() / len(people)
    values = [stats.pearsonr(*pair)[0] for pair in zip(scores, of_people, strict=True)]
    np.testing.assert_allclose(both[["low", "high"]].iloc[3], np.percentile(values, [2.5, 97.5]))


def test_scores_of_texts_are_correlated_higher_is_better(demo):
    texts = {name: demo.hypotheses[name].tolist() for name in demo.hypotheses}
    found = md.score(texts, REFERENCE, metrics=["TER"], lang="de", resamples=0)
    agreement = md.correlate(found, demo.human, ["pearson"])
    assert agreement.metric.tolist() == ["TER", "EE-TER"]
    plain = found.scores[found.scores.weighting == "standard"].set_index("system").score
    expected = stats.pearsonr(-plain, demo.human[plain.index])[0]
    assert agreement.value[0] == pytest.approx(expected)


def test_a_set_has_its_texts_and_scores(demo):
    assert demo.texts.reference.tolist() == REFERENCE
    assert demo.hypotheses.oak.tolist() == TEXTS["oak"]
    assert demo.segment_human.shape == demo.hypotheses.shape == (260, 12)
    assert demo.segment_metrics["Oracle-noisy"].shape == (260, 12)
    with pytest.raises(md.InputError, match="demo"):
        md.load_set("demo", "en-xx", ARCHIVE)


@pytest.mark.parametrize(
    ("scores", "human", "message"),
    [
        (lambda d: {"M": metric(d).iloc[:, :2]}, "human", "M: 2 systems have scores"),
        (lambda d: {"M": metric(d)[9:]}, "segment_human", "M and human .* indexes: 1 is in that"),
        (lambda d: {"M": metric(d).replace(metric(d).oak[3], np.nan)}, "human", "segment 3 of oak"),
        (lambda d: d.metrics.drop("oak"), "twice", "human: alder occurs 2 times"),
        (lambda d: d.metrics, "list", "human: expected a Series or DataFrame"),
        (lambda d: d.metrics.astype(str) + "x", "human", "scores: expected numbers"),
    ],
)
def test_wrong_scores_are_named(demo, scores, human, message):
    twice = pd.concat([demo.human, demo.human[:1]])
    given = {"human": demo.human, "segment_human": demo.segment_human, "twice": twice}
    with pytest.raises(md.InputError, match=message):
        md.correlate(scores(demo), given.get(human, [1, 2, 3]))


def metric(demo):
    return demo.segment_metrics["Oracle-noisy"]


def test_segments_are_aligned_and_undefined_scores_left_out(demo):
    both = md.correlate({"M": metric(demo)}, demo.segment_human, resamples=9)
    turned = md.correlate({"M": metric(demo)}, demo.segment_human[::-1], resamples=9)
    pd.testing.assert_frame_equal(turned, both)
    scores = md.score(demo.hypotheses, REFERENCE, difficulty=[1.0] * 260, resamples=0, lang="de")
    found = md.correlate(scores, demo.human, ["pearson"])
    assert found.metric.tolist() == ["chrF"]
    assert found.attrs["notices"][0].startswith("EE-chrF left out")


@pytest.fixture(scope="module")
def frame(demo):
    """Texts and values of segments, under an index of names."""
    found = demo.hypotheses[["oak", "ash"]].assign(ref=demo.texts.reference, src=demo.texts.source)
    hard = md.estimate_difficulty(TEXTS, REFERENCE, lang="de")
    found = found.assign(mine=hard.mean(axis=1), doc=demo.texts.document)
    return found.set_axis([f"segment {place}" for place in found.index])


def test_inputs_with_an_index_are_aligned_by_it(frame):
    turned, options = frame[::-1], {"metrics": "BLEU", "lang": "de", "resamples": 0}
    options["weightings"] = "proportional"
    named = md.score(TEXTS, REFERENCE, **options).scores.score
    table = md.estimate_difficulty(TEXTS, REFERENCE, lang="de")
    expected = md.score(TEXTS, REFERENCE, difficulty=table, **options).scores
    np.testing.assert_array_equal(expected.score, named)
    hard = md.estimate_difficulty(turned[["oak", "ash"]], frame.ref, lang="de")
    assert hard.index.equals(turned.index)
    np.testing.assert_allclose(hard.mean(axis=1)[frame.index], frame.mine)
    mixed = {"oak": turned.oak, "ash": frame.ash}
    found = md.score(mixed, frame.ref, difficulty=hard[::-1], **options).scores
    pd.testing.assert_frame_equal(found, expected)
    expected = md.score(TEXTS, REFERENCE, difficulty=frame.mine.tolist(), **options).scores
    for given in (frame.mine, frame.mine.sort_values()):
        found = md.score(turned[["oak", "ash"]], frame.ref, difficulty=given, **options).scores
        pd.testing.assert_frame_equal(found, expected)
    for source, by in ((turned.src, frame.mine), (frame.src, turned.mine.sort_values())):
        chosen = md.select_segments(source, 9, by=by, documents=frame.doc)
        assert chosen.value.tolist() == frame.mine[chosen.index].tolist()
        assert chosen.source.tolist() == frame.src[chosen.index].tolist()
        assert chosen.document.tolist() == frame.doc[chosen.index].tolist()
        assert {*chosen.index} == {*frame.mine.nlargest(9).index}


def test_different_indexes_are_named(frame):
    other = frame.mine.rename({"segment 7": "segment 0"})
    with pytest.raises(md.InputError, match=r"^source and by have .*segment 7 is in that of sour"):
        md.select_segments(frame.src, 9, by=other)
    with pytest.raises(md.InputError, match=r"^system oak and difficulty have .*segment 7"):
        md.score({"oak": frame.oak}, REFERENCE, difficulty=other)
    with pytest.raises(md.InputError, match=r"^system oak and reference 1 have .*segment 260"):
        md.estimate_difficulty({"oak": frame.oak}, frame.ref[:-1])
    twice = frame.set_axis(["x", "x", *frame.index[2:]])
    assert len(md.select_segments(twice.src, 9, by=twice.mine)) == 9
    with pytest.raises(md.InputError, match="x occurs twice in that of source"):
        md.select_segments(twice.src, 9, by=twice.mine[::-1])


@pytest.mark.parametrize(
    ("hypotheses", "references", "message"),
    [
        ([["oak", REFERENCE]], REFERENCE, "hypotheses: expected a mapping"),
        ({}, REFERENCE, "no hypotheses"),
        ({"oak": ["a", None]}, ["a", "b"], "system oak, segment 2: expected a text"),
        (TEXTS, [], "reference 1: expected one segment or more"),
        (TEXTS, REFERENCE[:2], "system oak: expected 2 segments, found 260"),
        ({1: REFERENCE, "1": REFERENCE}, REFERENCE, "hypotheses: 1 occurs 2 times"),
    ],
)
def test_wrong_texts_are_named(hypotheses, references, message):
    with pytest.raises(md.InputError, match=f"^{message}"):
        md.score(hypotheses, references)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"lang": "de-DE"}, "^lang"),
        ({"resamples": -1}, "^resamples"),
        ({"share": 3}, "^share 3: expected a number above 0, at most 1"),
        ({"w": 3}, "^w 3: expected a number from 0 to 1, or `share`"),
        ({"h": "foo"}, "^h 'foo': expected a number"),
        ({"metrics": "BLEU", "metric_settings": {"bleu": {"tokenize": "chars"}}}, "^BLEU: .*chars"),
        ({"metric_settings": {"bleu": {"tokenise": 1}}}, "bleu: no setting tokenise .*tokenize"),
        ({"metric_settings": {"BLEU": {}}}, r"^metric_settings: no type BLEU\. There are: bleu"),
        ({"weightings": ["hardes"]}, "no weighting hardes .did you mean hardest"),
        ({"metrics": ["blue"]}, "no metric blue .did you mean BLEU"),
        ({"weightings": ["DA"]}, "weighting DA: an encoder is needed"),
        ({"difficulty": "rarity"}, "^difficulty rarity: .*source text"),
        ({"difficulty": [1.0] * 5}, "^difficulty: expected a finite number for each of 260 segm"),
    ],
)
def test_wrong_settings_are_named(options, message):
    with pytest.raises(md.InputError, match=message):
        md.score(TEXTS, REFERENCE, **options)


@pytest.mark.parametrize("metric", ["BLEU", "chrF", "chrF++", "TER"])
def test_several_references_count_as_in_sacrebleu(metric):
    other = TEXTS["ash"]
    made = {"BLEU": BLEU(), "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}[metric]
    expected = made.corpus_score(TEXTS["oak"], [REFERENCE, other]).score
    found = md.score(
        {"oak": TEXTS["oak"]}, [REFERENCE, other], metrics=[metric], weightings=[], resamples=0
    )
    assert found.scores.score[0] == pytest.approx(expected, abs=1e-9)
    assert found.scores.signature[0].startswith("nrefs:2|")
    with pytest.raises(md.InputError, match="METEOR takes one reference, found 2"):
        md.score(TEXTS, [REFERENCE, REFERENCE], metrics=["meteor"])


@pytest.mark.parametrize(
    ("options", "made"),
    [
        (["-m", "bleu", "--tokenize", "intl"], BLEU(tokenize="intl")),
        (["-m", "bleu", "-lc"], BLEU(lowercase=True)),
        (["-m", "chrf", "-lc", "--chrf-beta", "3"], CHRF(lowercase=True, beta=3)),
        (
            ["-m", "chrf", "--chrf-word-order", "1", "--chrf-char-order", "4"],
            CHRF(word_order=1, char_order=4),
        ),
    ],
)
def test_settings_are_sacrebleus(capsys, options, made):
    arguments = ["score", DEMO / "references/en-de.refA.txt", "-i", FILES["oak"], *options]
    arguments += ["--resamples", "0", "--weighting", "--format", "json", "-q"]
    assert cli.main([str(argument) for argument in arguments]) == 0
    captured = capsys.readouterr()
    (row,) = json.loads(captured.out)["scores"]
    assert row["score"] == pytest.approx(made.corpus_score(TEXTS["oak"], [REFERENCE]).score)
    assert row["signature"] == made.get_signature().format()
    assert captured.err == ""


@pytest.mark.parametrize(("metric", "width"), [("bleu", 1), ("ter", 3)])
def test_scores_alone_are_what_sacrebleu_prints(capsys, metric, width):
    files = [str(DEMO / "references/en-de.refA.txt"), "-i", *map(str, FILES.values())]
    assert cli.main(["score", *files, "-m", metric, "--weighting", "-b", "-w", str(width)]) == 0
    for file, line in zip(FILES.values(), capsys.readouterr().out.splitlines(), strict=True):
        command = [sys.executable, "-m", "sacrebleu", files[0], "-i", str(file), "-m", metric]
        done = subprocess.run(
            [*command, "-b", "-w", str(width)], capture_output=True, text=True, check=True
        )
        assert line == done.stdout.strip()


def test_hypotheses_come_from_stdin_and_packed_files(capsys, tmp_path, monkeypatch):
    data = FILES["oak"].read_bytes()
    packed = tmp_path / "oak.txt.gz"
    packed.write_bytes(gzip.compress(data))
    two = tmp_path / "two.tsv"
    lines = (f"{a}\t{b}\n" for a, b in zip(REFERENCE, TEXTS["ash"], strict=True))
    two.write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    arguments = ["score", two, "--num-refs", 2, "-i", "-", packed, "-m", "BLEU"]
    arguments += ["--resamples", 0, "--weighting", "--format", "json"]
    assert cli.main([str(argument) for argument in arguments]) == 0
    rows = json.loads(capsys.readouterr().out)["scores"]
    assert [row["system"] for row in rows] == ["stdin", "oak"]
    expected = BLEU().corpus_score(TEXTS["oak"], [REFERENCE, TEXTS["ash"]]).score
    assert [row["score"] for row in rows] == pytest.approx([expected] * 2)
    packed.write_bytes(gzip.compress(data)[:-9])
    assert cli.main(["score", str(DEMO / "references/en-de.refA.txt"), "-i", str(packed)]) == 1
    assert "not a whole gzip file" in capsys.readouterr().err


def test_doubtful_texts_and_installations_have_notices(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)
    for lines, slow in ((TEXTS["oak"], False), (TEXTS["oak"] * 20, True)):
        given = {"oak": lines, "none": [""] * len(lines)}
        notices = md.score(given, lines, weightings=[], resamples=0).notices
        assert any("numba is not installed" in notice for notice in notices) == slow
        assert any(notice.startswith("none: every line is empty") for notice in notices)


def test_a_folder_of_own_files(tmp_path):
    lines = {"source.txt": "a\nb\n", "reference.txt": "c\nd\n", "documents.txt": "x\ny\n"}
    lines |= {"systems/A.txt": "c\nd\n", "systems/B.txt": "e\nd\n"}
    lines |= {"systems/C.txt": "c\nf\n", "gold.tsv": "A\t1\nB\t0.5\nC\t0\n"}
    lines |= {"scores/M.tsv": "A\t1\nA\t2\nB\t3\nB\t4\nC\t0\nC\t1\n"}
    for name, text in lines.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = md.load_folder(tmp_path, "en-de")
    assert found.texts.to_dict("list") == {
        "source": ["a", "b"],
        "reference": ["c", "d"],
        "document": ["x", "y"],
    }
    assert found.hypotheses.to_dict("list") == {"A": ["c", "d"], "B": ["e", "d"], "C": ["c", "f"]}
    assert found.human.to_dict() == {"A": 1, "B": 0.5, "C": 0}
    assert found.segment_metrics["M"].to_dict("list") == {"A": [1, 2], "B": [3, 4], "C": [0, 1]}
    assert found.metrics.M.to_dict() == {"A": 1.5, "B": 3.5, "C": 0.5}
    (tmp_path / "systems/B.txt").write_text("e\n")
    with pytest.raises(md.InputError, match=r"B\.txt"):
        md.load_folder(tmp_path, "en-de")
    with pytest.raises(md.InputError, match="no such file or folder"):
        md.load_folder(tmp_path / "none", "en-de")


@pytest.mark.parametrize(
    ("module", "settings", "library"),
    [("MeCab", {"lang": "ja"}, r"sacrebleu\[ja\]"), ("sentencepiece", SPM, "sentencepiece")],
)
def test_a_missing_tokenizer_names_its_library(monkeypatch, module, settings, library):
    # As on an installation without it; sacreBLEU keeps tokenizers that it has made.
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith("sacrebleu.tokenizers.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(md.InputError, match=f"BLEU: .* not installed: pip install '{library}'"):
        md.score({"a": ["猫"]}, ["猫"], metrics=["BLEU"], weightings=[], **settings)


@pytest.mark.slow
def test_alignment_is_the_same_without_compilation():
    """In a process without numba."""
    code = (
        "import sys, hashlib\n"
        "if sys.argv[1] == 'plain': sys.modules['numba'] = None\n"
        "import mt_difficulty as md\n"
        "from pathlib import Path\n"
        "read = lambda file: Path(file).read_text(encoding='utf-8').splitlines()[:80]\n"
        "given = {'a': read(sys.argv[3]), 'b': read(sys.argv[4])}\n"
        "found = md.score(given, read(sys.argv[2]), metrics=['TER', 'chrF'], resamples=20)\n"
        "hard = md.estimate_difficulty(given, read(sys.argv[2]))\n"
        "scores = found.scores.to_json(double_precision=15)\n"
        "print(bool(sys.modules['numba']), scores)\n"
        "print(hashlib.sha256(hard.to_numpy().tobytes()).hexdigest())\n"
    )
    files = [DEMO / "references/en-de.refA.txt", *FILES.values()]
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, how, *map(str, files)], check=True,
            env={"PYTHONPATH": str(ROOT / "workflow/scripts")}, capture_output=True, text=True,
        ).stdout
        for how in ("compiled", "plain")
    ]  # fmt: skip
    assert outputs[0].startswith("True ")
    assert outputs[1].startswith("False ")
    assert outputs[0].split(" ", 1)[1] == outputs[1].split(" ", 1)[1]
