"""`mt-difficulty score` and `hard` on the demo's texts, against sacreBLEU, loops, the package."""

import json

import naive
import nltk
import numpy as np
import pytest
from better_than import false_statements
from conftest import ROOT, make_evalset
from naive import ee_scores
from nltk.translate.meteor_score import single_meteor_score
from sacrebleu.metrics import BLEU, CHRF, TER
from scipy import stats

from mt_difficulty import cli
from mt_difficulty.data import evalset, text_files
from mt_difficulty.difficulty import chunk_entropy as alignment
from mt_difficulty.evidence import resampling
from mt_difficulty.interface.scores import corrected_p
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import tokens as token_weighting
from mt_difficulty.weighting.groups import Groups

DEMO = ROOT / "data/demo/archive/demo"
SYSTEMS = ["oak", "ash", "cedar"]
DE = ["--ref", DEMO / "references/en-de.refA.txt", "--lang", "de"]
HYPOTHESES = [DEMO / f"system-outputs/en-de/{system}.txt" for system in SYSTEMS]


def call(capsys, *arguments):
    """Run the command; its exit code, stdout and stderr."""
    code = cli.main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def report(capsys, *arguments):
    code, out, err = call(capsys, *arguments, "--format", "json")
    assert code == 0, err
    return json.loads(out)


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
    texts = [text_files.read_segments(path)[:12] for path in (DE[1], *HYPOTHESES[:2])]
    texts[1][3] = " ".join(reversed(texts[1][3].split()))
    texts[2][7] = " ".join(reversed(texts[2][7].split()))
    names = ["ref.txt", "one.txt", "two.txt"]
    return [write(tmp_path, name, text) for name, text in zip(names, texts, strict=True)]


def test_plain_scores_are_sacrebleus(capsys):
    metrics = ["--metric", "bleu", "chrF", "CHRF++", "chrf-segments", "ter"]
    found = report(
        capsys, "score", *DE, "--hyp", *HYPOTHESES, *metrics, "--weighting", "--resamples", 0
    )
    reference = text_files.read_segments(DE[1])
    for system, file in zip(SYSTEMS, HYPOTHESES, strict=True):
        texts = text_files.read_segments(file)
        sentences = [
            CHRF().sentence_score(h, [r]).score for h, r in zip(texts, reference, strict=True)
        ]
        expected = {
            "BLEU": BLEU(trg_lang="de", force=True).corpus_score(texts, [reference]).score,
            "TER": TER().corpus_score(texts, [reference]).score,
            "chrF": CHRF().corpus_score(texts, [reference]).score,
            "chrF++": CHRF(word_order=2).corpus_score(texts, [reference]).score,
            "chrF-segments": np.mean(sentences),
        }
        for metric, value in expected.items():
            assert scores_of(found, metric)[system]["score"] == pytest.approx(value, abs=1e-9)
    assert {row["weighting"] for row in found["scores"]} == {"standard"}
    assert [row["better_than"] for row in found["scores"]] == [[]] * 15
    assert found["comparisons"] == []


def test_ee_scores_are_those_of_the_package(capsys):
    found = report(capsys, "score", *DE, "--hyp", *HYPOTHESES, "--metric", "bleu", "chrF-segments")
    whole = evalset.read_evaluation_set(DEMO, "demo", "en-de", "refA", "mqm")
    places = [whole.systems.index(system) for system in SYSTEMS]
    hypotheses = [whole.hypotheses[place] for place in places]
    alone = evalset.EvaluationSet(
        "", "en-de", "", "", SYSTEMS, [], reference=whole.reference, hypotheses=hypotheses
    )
    entropy = alignment.align_set(alone)["entropy"]
    described = Groups().fit(entropy, SYSTEMS)
    assert found["difficulty"]["h"] == pytest.approx(described["h"], rel=1e-9)
    assert found["difficulty"]["w"] == pytest.approx(described["w"], rel=1e-9)
    for label, kind in (("BLEU", "bleu"), ("chrF-segments", "chrf")):
        metric = METRICS[kind]("en-de")
        statistics = metric.segment_statistics(hypotheses, whole.reference)
        expected = ee_scores(metric, statistics, entropy, described["h"], described["w"])
        rows = scores_of(found, label, "EE")
        for system, value in zip(SYSTEMS, expected, strict=True):
            assert rows[system]["score"] == pytest.approx(value, rel=1e-9)
            assert "|EE|h:" in rows[system]["signature"]


def test_intervals_are_those_of_a_bootstrap_of_the_texts(capsys, few):
    """Every resample as a text of its own, scored by sacreBLEU."""
    found = report(
        capsys, "score", "--ref", few[0], "--hyp", *few[1:], "--metric", "bleu",
        *("--lang", "de", "--weighting", "--resamples", "60", "--seed", "5"),
    )  # fmt: skip
    reference, *hypotheses = [text_files.read_segments(path) for path in few]
    weights = resampling.bootstrap_weights(12, 60, np.random.default_rng(5))
    resampled = np.empty((60, 2))
    for number, counts in enumerate(weights):
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
    assert pair["other"] == "two"
    assert pair["wins"] == wins / 60
    assert pair["p"] == pytest.approx((1 + 60 - wins) / 61)
    assert pair["difference"] == pytest.approx(rows["one"]["score"] - rows["two"]["score"])


def test_ee_intervals_are_those_of_loops(capsys, few):
    found = report(
        capsys, "score", "--ref", few[0], "--hyp", *few[1:], "--lang", "de",
        *("--h", "0.2", "--w", "0.4", "--resamples", "40", "--seed", "7"),
        *("--metric", "chrF-segments"),
    )  # fmt: skip
    reference, *hypotheses = [text_files.read_segments(path) for path in few]
    alone = evalset.EvaluationSet(
        "", "xx-de", "", "", ["one", "two"], [], reference=reference, hypotheses=hypotheses
    )
    difficult = alignment.align_set(alone)["entropy"] >= 0.2
    assert difficult.any(axis=1).all()
    weights = resampling.bootstrap_weights(12, 40, np.random.default_rng(7))
    rows = scores_of(found, "chrF-segments", "EE")
    for s, system in enumerate(("one", "two")):
        values = []
        for counts in weights:
            groups = {True: [], False: []}
            for i in np.repeat(np.arange(12), counts):
                score = CHRF().sentence_score(hypotheses[s][i], [reference[i]]).score
                groups[bool(difficult[s, i])].append(score)
            if groups[True] and groups[False]:
                values.append(0.4 * np.mean(groups[False]) + 0.6 * np.mean(groups[True]))
        ends = rows[system]["low"], rows[system]["high"]
        assert ends == pytest.approx(np.percentile(values, [2.5, 97.5]), rel=1e-9)


def test_comparisons_are_corrected_over_the_pairs():
    p = np.array([[1, 0.01, 0.03], [0.99, 1, 0.6], [0.98, 0.4, 1]])
    found = corrected_p(p)
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


def test_ranks_follow_from_scores_and_better_than_from_comparisons(capsys):
    found = report(capsys, "score", *DE, "--hyp", *HYPOTHESES, "-m", "ter", "chrf")
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


def test_chinese_is_split_into_characters(capsys):
    zh = ["--ref", DEMO / "references/en-zh.refA.txt", "--lang", "zh", "--metric", "bleu"]
    hypothesis = DEMO / "system-outputs/en-zh/oak.txt"
    found = report(capsys, "score", *zh, "--hyp", hypothesis, "--resamples", 0)
    texts, reference = text_files.read_segments(hypothesis), text_files.read_segments(zh[1])
    expected = BLEU(trg_lang="zh", force=True).corpus_score(texts, [reference]).score
    row = scores_of(found, "BLEU")["oak"]
    assert row["score"] == pytest.approx(expected, abs=1e-9)
    assert "|tok:zh|" in row["signature"]
    assert "|tok:characters|" in scores_of(found, "BLEU", "EE")["oak"]["signature"]
    assert "zh is written without spaces: text is split into characters." in found["notices"]


def test_meteor_finds_wordnet_in_the_users_cache(capsys, monkeypatch, tmp_path, wordnet):
    (tmp_path / "mt-difficulty").mkdir()
    (tmp_path / "mt-difficulty/nltk").symlink_to(wordnet)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(nltk.data, "path", [])
    found = report(
        capsys, "score", *DE, "--hyp", HYPOTHESES[0], "--metric", "meteor", "--resamples", 0
    )
    texts, reference = text_files.read_segments(HYPOTHESES[0]), text_files.read_segments(DE[1])
    expected = np.mean(
        [single_meteor_score(r.split(), h.split()) for r, h in zip(reference, texts, strict=True)]
    )
    assert scores_of(found, "METEOR")["oak"]["score"] == pytest.approx(expected, abs=1e-9)


@pytest.mark.usefixtures("one_thread")
def test_da_weighs_tokens_by_their_difficulty_and_ee_is_applied_over_it(capsys, small_bert):
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    found = report(
        capsys, "score", *DE, "--hyp", *HYPOTHESES, "--weighting", "EE", "DA", "EE-DA",
        *("--encoder", small_bert, "--layer", 2, "--resamples", 20, "--top", 2),
        *("--h", 0.3, "--w", 0.4),
    )  # fmt: skip
    labels = list(dict.fromkeys((row["metric"], row["weighting"]) for row in found["scores"]))
    assert labels == [
        *[("chrF", "standard"), ("chrF", "EE"), ("BERTScore", "standard")],
        *[("BERTScore", label) for label in ("EE", "DA", "EE-DA")],
    ]
    reference = text_files.read_segments(DE[1])
    hypotheses = [text_files.read_segments(path) for path in HYPOTHESES]
    matches = match_tokens(Encoder(small_bert, 2), reference, hypotheses)
    hard = 1 - matches.reference_similarity.mean(axis=0)
    settings = token_weighting.Tokens()
    statistics = token_weighting.segment_scores(matches, hard[None], settings)
    entropy = alignment.align_set(make_evalset(hypotheses, reference))["entropy"]
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


def test_texts_without_difficulty_have_plain_scores_and_say_why(capsys, tmp_path):
    """Two segments that are translated in one piece."""
    same = write(tmp_path, "same.txt", ["one two three", "four five six"])
    texts = ["score", "--ref", same, "--hyp", write(tmp_path, "a.txt", ["one", "four"])]
    found = report(capsys, *texts)
    row = scores_of(found, "chrF", "EE")["a"]
    assert row["score"] is row["low"] is row["rank"] is row["signature"] is None
    assert scores_of(found, "chrF")["a"]["score"] is not None
    assert found["hard_segments"] == found["comparisons"] == []
    assert any("chunk entropy 0" in notice for notice in found["notices"])
    assert any("one system only" in notice for notice in found["notices"])
    code, out, _ = call(capsys, *texts, "--format", "latex")
    assert (code, "& -" in out, "None" in out) == (0, True, False)
    code, out, err = call(capsys, *texts)
    assert (code, "None" in out, "better than" in out) == (0, False, False)
    assert "chrF, EE: no scores, see the notices" in out
    assert err.count("notice: ") == len(err.splitlines()) == len(found["notices"])


@pytest.mark.parametrize(
    ("text", "language", "units"),
    [("a b", None, "words"), ("消防队。", None, "characters"), ("消防队。", "xx", "characters")],
)
def test_text_is_split_by_its_language_or_its_spaces(capsys, tmp_path, text, language, units):
    file, options = write(tmp_path, "text.txt", [text] * 2), ["--lang", language] * bool(language)
    found = report(capsys, "hard", "--ref", file, "--hyp", file, *options)
    assert found["language"] == language
    assert found["difficulty"]["signature"].split("|")[1] == f"tok:{units}"
    assert any("language" in notice for notice in found["notices"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("score --ref 3 --hyp 2 4", "3 has 3 lines, but 2 has 2, 4 has 4"),
        ("score --ref 3 --hyp 3 below/3.de", "3 and below/3.de are both called 3"),
        ("hard --ref 2 --hyp bytes", "bytes, line 2: not UTF-8"),
        ("hard --ref empty --hyp empty", "the file is empty"),
        ("hard --ref none --hyp 2", "none: No such file"),
        ("score 2 -i - -", "standard input is one text"),
        ("hard --ref 2 --hyp 2 --encoder mine", "no folder mine"),
    ],
)
def test_wrong_input_is_one_line_that_names_it(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "below").mkdir()
    for name, lines in (("2", 2), ("3", 3), ("4", 4), ("below/3.de", 3), ("empty", 0)):
        write(tmp_path, name, ["a"] * lines)
    (tmp_path / "bytes").write_bytes(b"a\n\xff\n")
    code, out, err = call(capsys, *arguments.split())
    assert (code, out) == (1, "")
    assert message in err
    assert err.startswith("ERROR: ")
    assert err.count("\n") == 1
