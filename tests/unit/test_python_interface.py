"""`import mt_difficulty as md`: the same numbers as the command line, tables, errors."""

import gzip
import importlib
import io
import json
import re
import subprocess
import sys
from dataclasses import is_dataclass, replace
from html import unescape

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

import mt_difficulty as md
from mt_difficulty.data.text_files import read_lines
from mt_difficulty.evidence.resampling import bootstrap_weights
from mt_difficulty.metrics import named_metrics
from mt_difficulty.scoring.texts import estimators_of_texts, weightings_of_texts
from mt_difficulty.statistics import STATISTICS

ARCHIVE = ROOT / "data/demo/archive"
DEMO = ARCHIVE / "demo"
REFERENCE = read_lines(DEMO / "references/en-de.refA.txt")
FILES = {name: DEMO / f"system-outputs/en-de/{name}.txt" for name in ("oak", "ash")}
TEXTS = {name: read_lines(file) for name, file in FILES.items()}
OF_DEMO = ["score", DEMO / "references/en-de.refA.txt"]
SPM = {"lang": "de", "metric_settings": {"bleu": {"tokenize": "flores200"}}}


@pytest.fixture(scope="module")
def demo():
    return md.load_set("demo", "en-de", ARCHIVE, reference="refA", gold="mqm")


def test_importing_it_imports_nothing_heavy_and_lists_its_names():
    code = "import sys, mt_difficulty as md; print(*sorted(sys.modules)); print(*dir(md))"
    environment = {"PYTHONPATH": str(ROOT / "workflow/scripts")}
    output = subprocess.check_output([sys.executable, "-c", code], env=environment, text=True)
    modules, names = map(str.split, output.splitlines())
    assert not {"numpy", "pandas", "scipy", "numba", "torch", "sacrebleu"} & {*modules}
    assert {*names} == {*md.__all__, "__version__"}


def test_results_are_shown_as_tables(demo):
    shown = repr(md.score(TEXTS, REFERENCE, weightings=[], resamples=0)).splitlines()
    assert shown[0].split()[:4] == ["metric", "weighting", "system", "score"]
    assert [line.split()[2] for line in shown[1:3]] == ["oak", "ash"]
    assert f"{CHRF().corpus_score(TEXTS['oak'], [REFERENCE]).score:.6f}" in shown[1]
    first, head, *_ = repr(demo).splitlines()
    assert (first, head.split()) == ("en-de: 12 systems, 260 segments", ["Oracle-noisy", "mqm"])


def test_notebooks_show_the_tables_that_are_printed(demo, tmp_path):
    """With every cell, title and notice, and nothing of a name as markup."""
    rows = [f"ann,{system},{segment},{segment}" for system in "AB" for segment in (1, 2)]
    (tmp_path / "ratings.csv").write_text("\n".join(["annotator,system,segment,score", *rows]))
    named = {"<b>": TEXTS["oak"], "ash": TEXTS["ash"]}
    scores = md.score(named, REFERENCE, weightings=[], resamples=5)
    assert len(scores.notices) > 1
    annotations = md.annotations(tmp_path / "ratings.csv", gold=[])
    for shown in (scores, demo, annotations):
        html = shown._repr_html_()
        text = unescape(re.sub("<[^>]*>", " ", html))
        assert {*repr(shown).split()} <= {*text.split()}
        assert all(notice in text for notice in shown.notices)
    assert "<td>&lt;b&gt;</td>" in scores._repr_html_()


def test_the_page_is_that_of_the_command_line(command, tmp_path):
    options = {"metrics": ["BLEU", "TER"], "weightings": ["EE", "hardest"], "lang": "de"}
    found = md.score(TEXTS, REFERENCE, **options, resamples=50)
    assert found.to_html(tmp_path / "python.html") is None
    written = (tmp_path / "python.html").read_text(encoding="utf-8")
    assert found.to_html() == written
    arguments = [*OF_DEMO, "-i", *FILES.values(), "--lang", "de", "--resamples", 50]
    arguments += ["-m", "BLEU", "TER", "--weighting", "EE", "hardest"]
    command(*arguments, "--html", tmp_path / "command.html")
    page = (tmp_path / "command.html").read_text(encoding="utf-8")
    assert page.replace(OF_DEMO[1].name, "reference") == written
    with pytest.raises(md.InputError, match=r"^path 3: expected a path"):
        found.to_html(3)


def numpy_numbers(value, place="result"):
    """Yield where in a result there are NumPy's numbers, outside of arrays and tables."""
    if isinstance(value, np.generic):
        yield place
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from numpy_numbers(item, f"{place}, {key}")
    elif hasattr(value, "_fields"):
        yield from numpy_numbers(value._asdict(), place)
    elif is_dataclass(value):
        yield from numpy_numbers(vars(value), place)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from numpy_numbers(item, place)


def test_numbers_of_results_are_pythons(demo, tmp_path):
    """Without the scored texts, which are arrays."""
    rows = [
        f"{a},{system},{segment},{len(a) + segment * (system > 'A') + segment % 3}"
        for a in ("x", "yy")
        for system in "ABC"
        for segment in range(1, 13)
    ]
    (tmp_path / "ratings.csv").write_text("\n".join(["annotator,system,segment,score", *rows]))
    weightings = ["EE", "hardest", "proportional"]
    scores = md.score(TEXTS, REFERENCE, weightings=weightings, resamples=50, lang="de")
    quantile = md.score(TEXTS, REFERENCE, h="rank_0.05", resamples=0, lang="de")
    results = [replace(scores, texts=None), quantile.difficulty, demo]
    results.append(md.estimate_difficulty(TEXTS, REFERENCE, lang="de").attrs)
    results.append(md.annotations(tmp_path / "ratings.csv", gold=["mean", "z", "mixed"]))
    assert [place for result in results for place in numpy_numbers(result)] == []
    assert "np.float64" not in f"{scores.difficulty} {scores.report}"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: md.score(TEXTS, REFERENCE, metric="BLEU"),
            r"score: no parameter metric \(did you mean metrics\?\)",
        ),
        (lambda: md.correlate({}, [], statistic="x"), "correlate: .*did you mean statistics"),
        (lambda: md.select_segments(REFERENCE, buget=3), "select_segments: .*mean budget"),
        (lambda: md.score(TEXTS), "score: missing a required argument: 'references'"),
        (
            lambda: md.score(TEXTS, REFERENCE, REFERENCE),
            "score: too many .*: hypotheses, references; all others by name",
        ),
        (
            lambda: md.score(TEXTS, REFERENCE, metric_settings=3),
            "metric_settings: expected settings by type",
        ),
        (
            lambda: md.score(TEXTS, REFERENCE, metric_settings={"bleu": 3}),
            "metric_settings, bleu: expected",
        ),
        (
            lambda: md.score(TEXTS, REFERENCE, metric_settings={"BLUE": {}}),
            "metric_settings: .*mean bleu",
        ),
        (lambda: md.score(TEXTS, REFERENCE, unit=np.array([1, 2])), "unit .*: expected one of"),
        (lambda: md.score(TEXTS, REFERENCE, seed=None), "seed None: expected a whole number"),
        (
            lambda: md.estimate_difficulty(TEXTS, REFERENCE, difficulty=None),
            "difficulty: expected a name",
        ),
        (lambda: md.estimate_difficulty(TEXTS, REFERENCE, metric=[]), "metric: expected a name"),
        (lambda: md.select_segments(REFERENCE, None), "budget None: expected a number"),
        (lambda: md.select_segments(REFERENCE, 3, cost=[]), "cost: expected a name"),
        (
            lambda: md.select_segments(REFERENCE, 3, whole_documents="no"),
            "whole_documents 'no': expected True",
        ),
        (lambda: md.correlate({}, pd.Series(), resamples=None), "resamples None: expected a whole"),
        (lambda: md.annotations(None), "files: expected a name or a list of names"),
        (lambda: md.annotations([3]), r"files: .*found \[3\]"),
    ],
)
def test_wrong_calls_are_errors_of_input(call, message):
    with pytest.raises(md.InputError, match=f"^{message}"):
        call()


def test_a_name_that_the_module_has_not_is_answered_with_the_nearest():
    with pytest.raises(AttributeError, match=r"no attribute 'scor' \(did you mean score\?\)"):
        md.scor  # noqa: B018


def test_docstrings_name_what_there_is():
    """Every metric, weighting, difficulty and statistic that a call takes."""
    for name in (*named_metrics(), *weightings_of_texts(), *estimators_of_texts()):
        assert re.search(rf"\b{re.escape(name)}(?!\w)", md.score.__doc__), name
    for name in estimators_of_texts():
        assert name in md.estimate_difficulty.__doc__, name
    for name in STATISTICS:
        assert name in md.correlate_sets.__doc__, name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metrics": 3}, "metrics: expected a name or a list of names, found 3"),
        ({"metrics": [3]}, r"metrics: .* found \[3\]"),
        ({"weightings": None}, "weightings: .* found None"),
        ({"difficulty": [1, "b"] + [2] * 258}, "difficulty, value 2: expected a number, found 'b'"),
        ({"w": [1]}, r"w \[1\]: expected a finite number"),
        ({"share": "x"}, "share 'x': expected a finite number"),
        ({"encoder": 3}, "encoder 3: expected a path"),
    ],
)
def test_settings_of_a_wrong_kind_are_named(options, message):
    with pytest.raises(md.InputError, match=message):
        md.score(TEXTS, REFERENCE, **options)


def test_scores_are_those_of_the_command_line(command):
    """As JSON, as bare numbers, and in the tables."""
    options = {"metrics": ["BLEU", "TER"], "weightings": ["EE", "hardest"], "lang": "de"}
    found = md.score(TEXTS, REFERENCE, **options, resamples=50)
    arguments = [*OF_DEMO, "-i", *FILES.values(), "--lang", "de", "--resamples", 50]
    arguments += ["-m", "BLEU", "TER", "--weighting", "EE", "hardest"]
    report = json.loads(command(*arguments, "--format", "json")[1])
    for column in ("score", "low", "high", "rank", "effective_segments", "signature"):
        printed = [row[column] for row in report["scores"]]
        np.testing.assert_array_equal(found.scores[column], printed, err_msg=column)
    p = [row["p_holm"] for row in report["comparisons"]]
    np.testing.assert_array_equal(found.comparisons.p_holm, p)
    assert found.notices == report["notices"]
    of_system = {name: rows.score for name, rows in found.scores.groupby("system", sort=False)}
    expected = ["\t".join(f"{value:.2f}" for value in own) for own in of_system.values()]
    _, out, err = command(*arguments, "-b", "-q")
    assert (out.splitlines(), err) == (expected, "")
    for form in ("text", "latex"):
        table = command(*arguments, "-w", 5, "--format", form)[1]
        assert [x for x in found.scores.score if f" {x:.5f} " not in table] == [], form


def test_correlations_are_scipys(demo):
    found = md.correlate(demo.metrics, demo.human).set_index("statistic")
    metric = demo.metrics["Oracle-noisy"]
    pearson, kendall = (f(metric, demo.human)[0] for f in (stats.pearsonr, stats.kendalltau))
    assert found.value["pearson"] == pytest.approx(pearson)
    assert found.value["kendall"] == pytest.approx(kendall)
    z, half = np.arctanh(found.value["pearson"]), stats.norm.ppf(0.975) / 3  # n - 3 = 9
    assert found.low["pearson"] == pytest.approx(np.tanh(z - half))
    with pytest.raises(md.InputError, match="no statistic pearsn"):
        md.correlate(demo.metrics, demo.human, ["pearsn"])


def test_intervals_over_segments_are_those_of_the_pipelines_resamples(demo):
    """Percentiles of the drawn segments' means, and their variance added on Fisher's scale."""
    metric, people = segments(demo), demo.segment_human
    found = md.correlate({"M": metric}, people, ["pearson"], resamples=200, seed=7)
    assert found.over.tolist() == ["segments", "systems", "both", "joint"]
    assert found.segments.tolist() == [260] * 4
    drawn = bootstrap_weights(len(metric), 200, np.random.default_rng([7, 0])).astype(float)
    scores = drawn @ metric.to_numpy() / len(metric)
    values = np.array([stats.pearsonr(row, people.mean())[0] for row in scores])
    half = stats.norm.ppf(0.975) * np.sqrt(1 / 9 + np.arctanh(values).var())
    z = np.arctanh(stats.pearsonr(metric.mean(), people.mean())[0])
    of_people = drawn @ people.to_numpy() / len(people)
    both = [stats.pearsonr(*pair)[0] for pair in zip(scores, of_people, strict=True)]
    ends = found.set_index("over")[["low", "high"]]
    np.testing.assert_allclose(ends.loc["segments"], np.percentile(values, [2.5, 97.5]))
    np.testing.assert_allclose(ends.loc["both"], np.tanh([z - half, z + half]))
    np.testing.assert_allclose(ends.loc["joint"], np.percentile(both, [2.5, 97.5]))
    held = md.correlate({"M": metric}, people.mean(), ["pearson"], resamples=200, seed=7)
    assert held.low.tolist() == pytest.approx(found.low[:3].tolist())


def segments(demo):
    return demo.segment_metrics["Oracle-noisy"]


@pytest.mark.parametrize(
    ("scores", "human", "message"),
    [
        (lambda d: {"M": segments(d).iloc[:, :2]}, "human", "M: 2 systems have scores"),
        (lambda d: {"M": segments(d)[9:]}, "segment_human", "M and human .*: 1 is in one"),
        (lambda d: {"M": segments(d).mask(segments(d) < 60)}, "human", r"segment \d+ of "),
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


def test_segments_are_aligned_and_undefined_scores_left_out(demo):
    both = md.correlate({"M": segments(demo)}, demo.segment_human, resamples=40)
    turned = md.correlate({"M": segments(demo)}, demo.segment_human[::-1], resamples=40)
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
    values = frame.mine.sort_values()
    found = md.score(turned[["oak", "ash"]], frame.ref, difficulty=values, **options).scores
    pd.testing.assert_frame_equal(found, expected)
    sides = {"sources turned": (turned.src, frame.mine), "values sorted": (frame.src, values)}
    for case, (source, by) in sides.items():
        chosen = md.select_segments(source, 9, by=by, documents=frame.doc)
        rows = frame.loc[chosen.index, ["mine", "doc", "src"]]
        columns = chosen[["value", "document", "source"]]
        np.testing.assert_array_equal(columns, rows, err_msg=case)
        assert {*chosen.index} == {*frame.mine.nlargest(9).index}, case


def test_different_indexes_are_named(frame):
    other = frame.mine.rename({"segment 7": "segment 0"})
    with pytest.raises(md.InputError, match=r"^source and by have .*segment 7 is in one"):
        md.select_segments(frame.src, 9, by=other)
    with pytest.raises(md.InputError, match=r"^system oak and reference 1 have .*segment 260"):
        md.estimate_difficulty({"oak": frame.oak}, frame.ref[:-1])
    twice = frame.set_axis(["x", "x", *frame.index[2:]])
    assert len(md.select_segments(twice.src, 9, by=twice.mine)) == 9
    with pytest.raises(md.InputError, match="x occurs twice"):
        md.select_segments(twice.src, 9, by=twice.mine[::-1])
    hard = md.estimate_difficulty(TEXTS, REFERENCE, lang="de").mean(axis=1)
    with pytest.raises(md.InputError, match="they cannot be aligned"):
        md.score(TEXTS, REFERENCE, difficulty=hard.sort_values())


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
        ({"share": 3, "weightings": "hardest"}, "^share 3: expected a number above 0"),
        ({"w": 3}, "^w 3: expected a number from 0 to 1"),
        ({"h": "foo"}, "^h foo: expected a number, mean_plus_2sd"),
        ({"metrics": "BLEU", "metric_settings": {"bleu": {"tokenize": "chars"}}}, "^BLEU: .*chars"),
        ({"metrics": "BLEU", "metric_settings": {"bleu": {"tokenise": 1}}}, "^BLEU: .*tokenise"),
        (
            {"metric_settings": {"BLEU": {}}},
            r"^metric_settings: no type BLEU .did you mean bleu... There are: ",
        ),
        ({"weightings": ["hardes"]}, "no weighting hardes .did you mean hardest"),
        ({"metrics": ["blue"]}, "no metric blue .did you mean BLEU"),
        ({"weightings": ["DA"]}, "weighting DA: an encoder and its layer are needed"),
        ({"difficulty": "rarity"}, "^difficulty rarity: .*source text"),
        ({"difficulty": [1.0] * 5}, "^difficulty: expected a finite number for each of 260 segm"),
    ],
)
def test_wrong_settings_are_named(options, message):
    with pytest.raises(md.InputError, match=message):
        md.score(TEXTS, REFERENCE, **options)


@pytest.mark.parametrize("metric", ["BLEU", "chrF", "chrF++", "TER"])
def test_several_references_count_as_in_sacrebleu(metric):
    made = {"BLEU": BLEU(), "chrF": CHRF(), "chrF++": CHRF(word_order=2), "TER": TER()}[metric]
    references = [REFERENCE, TEXTS["ash"]]
    expected = made.corpus_score(TEXTS["oak"], references).score
    options = {"metrics": metric, "weightings": [], "resamples": 0}
    found = md.score({"oak": TEXTS["oak"]}, references, **options).scores
    assert found.score[0] == pytest.approx(expected, abs=1e-9)
    assert found.signature[0].startswith("nrefs:2|")
    with pytest.raises(md.InputError, match="METEOR takes one reference, found 2"):
        md.score(TEXTS, references, metrics=["meteor"])


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
def test_settings_are_sacrebleus(command, options, made):
    plain = ["--resamples", "0", "--weighting", "--format", "json", "-q"]
    code, out, err = command(*OF_DEMO, "-i", FILES["oak"], *options, *plain)
    (row,) = json.loads(out)["scores"]
    assert row["score"] == pytest.approx(made.corpus_score(TEXTS["oak"], [REFERENCE]).score)
    assert row["signature"] == made.get_signature().format()
    assert (code, err) == (0, "")


def test_hypotheses_come_from_stdin_and_packed_files(command, tmp_path, monkeypatch):
    data = FILES["oak"].read_bytes()
    packed, two = tmp_path / "oak.txt.gz", tmp_path / "two.tsv"
    packed.write_bytes(gzip.compress(data))
    lines = (f"{a}\t{b}\n" for a, b in zip(REFERENCE, TEXTS["ash"], strict=True))
    two.write_text("".join(lines), encoding="utf-8")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
    arguments = ["score", two, "--num-refs", 2, "-i", "-", packed, "-m", "BLEU"]
    _, out, _ = command(*arguments, "--resamples", 0, "--weighting", "--format", "json")
    rows = json.loads(out)["scores"]
    assert [row["system"] for row in rows] == ["stdin", "oak"]
    expected = BLEU().corpus_score(TEXTS["oak"], [REFERENCE, TEXTS["ash"]]).score
    assert [row["score"] for row in rows] == pytest.approx([expected] * 2)
    packed.write_bytes(gzip.compress(data)[:-9])
    code, _, err = command(*OF_DEMO, "-i", packed)
    assert (code, "a packed file that is damaged or not whole" in err) == (1, True)


def test_a_folder_of_own_files(tmp_path):
    lines = {"source.txt": "a\nb\n", "reference.txt": "c\nd\n", "documents.txt": "x\ny\n"}
    lines |= {"systems/A.txt": "c\nd\n", "systems/B.txt": "e\nd\n"}
    lines |= {"systems/C.txt": "c\nf\n", "gold.tsv": "A\t1\nB\t0.5\nC\t0\n"}
    lines |= {"scores/M.tsv": "A\t1\nA\t2\nB\t3\nB\t4\nC\t0\nC\t1\n"}
    for name, text in lines.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = md.load_folder(tmp_path, "en-de")
    texts = {"source": ["a", "b"], "reference": ["c", "d"], "document": ["x", "y"]}
    assert found.texts.to_dict("list") == texts
    assert found.hypotheses.to_dict("list") == {"A": ["c", "d"], "B": ["e", "d"], "C": ["c", "f"]}
    assert found.human.to_dict() == {"A": 1, "B": 0.5, "C": 0}
    assert found.segment_metrics["M"].to_dict("list") == {"A": [1, 2], "B": [3, 4], "C": [0, 1]}
    assert found.metrics.M.to_dict() == {"A": 1.5, "B": 3.5, "C": 0.5}
    with pytest.raises(md.InputError, match="no such file or folder"):
        md.load_folder(tmp_path / "none", "en-de")
    with pytest.raises(md.InputError, match="demo"):
        md.load_set("demo", "en-xx", ARCHIVE)


@pytest.mark.parametrize(
    ("module", "settings", "library"),
    [("MeCab", {"lang": "ja"}, r"sacrebleu\[ja\]"), ("sentencepiece", SPM, "sentencepiece")],
)
def test_a_missing_tokenizer_names_its_library(monkeypatch, module, settings, library):
    # As on an installation without it; sacreBLEU keeps tokenizers that it has made. Modules that
    # are imported before come back afterwards.
    for tokenizer in ("ja_mecab", "spm"):
        importlib.import_module(f"sacrebleu.tokenizers.tokenizer_{tokenizer}")
    monkeypatch.setitem(sys.modules, module, None)
    for name in [name for name in sys.modules if name.startswith("sacrebleu.tokenizers.")]:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(md.InputError, match=f"BLEU: .* not installed: pip install '{library}'"):
        md.score({"a": ["猫"]}, ["猫"], metrics=["BLEU"], weightings=[], **settings)
