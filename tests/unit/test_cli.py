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


def test_given_h_and_w_are_used(capsys):
    given = ["--h", "0.3", "--w", "0.25"]
    found = report(capsys, "score", *DE, "--hyp", *HYPOTHESES, *given, "--resamples", 0)
    assert (found["difficulty"]["h"], found["difficulty"]["h_from"]) == (0.3, "given")
    assert (found["difficulty"]["w"], found["difficulty"]["w_from"]) == (0.25, "given")
    standard, ee = scores_of(found, "chrF"), scores_of(found, "chrF", "EE")
    assert all(ee[system]["score"] < standard[system]["score"] for system in SYSTEMS)


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


def test_intervals_of_ter_are_on_its_own_scale(capsys):
    found = report(
        capsys, "score", *DE, "--hyp", *HYPOTHESES, "--metric", "ter", "--resamples", 1000
    )
    rows = [*scores_of(found, "TER").values()]
    assert all(row["low"] <= row["score"] <= row["high"] for row in rows)
    best = min(rows, key=lambda row: row["score"])
    assert best["rank"] == 1
    assert not best["higher_is_better"]
    assert best["better_than"]


def test_better_than_follows_from_the_comparisons(capsys):
    found = report(capsys, "score", *DE, "--hyp", *HYPOTHESES, "--resamples", 1000)
    for row in found["scores"]:
        beaten = {
            pair["other"]
            for pair in found["comparisons"]
            if pair["system"] == row["system"]
            and (pair["metric"], pair["weighting"]) == (row["metric"], row["weighting"])
            and pair["p_holm"] < 0.05
        }
        assert set(row["better_than"]) == beaten
    assert any(row["better_than"] for row in found["scores"])


def test_comparisons_are_corrected_over_the_pairs():
    p = np.array([[1, 0.01, 0.03], [0.99, 1, 0.6], [0.98, 0.4, 1]])
    found = corrected_p(p)
    # Twice the three smaller p, times 3, 2 and 1 (Holm 1979).
    np.testing.assert_allclose([found[0, 1], found[0, 2], found[2, 1]], [0.06, 0.12, 0.8])
    np.testing.assert_array_equal([found[1, 0], found[2, 0], found[1, 2]], 1)
    assert np.isnan(np.diag(found)).all()


@pytest.mark.parametrize("ee", [False, True])
@pytest.mark.parametrize(
    ("systems", "resamples", "samples"), [(2, 200, 1000), (4, 500, 500), (10, 2000, 100)]
)
def test_equal_systems_are_called_better_in_at_most_5_percent(systems, resamples, samples, ee):
    share = false_statements(systems, 100, ee, samples, resamples)
    assert share <= stats.binom.ppf(0.999, samples, 0.05) / samples


@pytest.mark.parametrize(("resamples", "enough"), [(119, False), (120, True)])
def test_too_few_resamples_for_any_significant_pair_are_told(capsys, resamples, enough):
    """Of three pairs, 2 · 3 / (1 + resamples) must be below 0.05."""
    found = report(capsys, "score", *DE, "--hyp", *HYPOTHESES, "--resamples", resamples)
    assert any("too few for any of 3 pairs" in each for each in found["notices"]) != enough


def test_equal_seeds_give_equal_output(capsys):
    arguments = ["score", *DE, "--hyp", *HYPOTHESES, "--resamples", 30, "--format", "json"]
    first, again = call(capsys, *arguments), call(capsys, *arguments)
    other = call(capsys, *arguments, "--seed", 1)
    assert first == again
    assert first[1] != other[1]


def test_the_hardest_segments_are_those_of_highest_mean_difficulty(capsys):
    found = report(
        capsys, "hard", *DE, "--src", DEMO / "sources/en-de.txt", "--hyp", *HYPOTHESES, "--top", 7
    )
    hypotheses = [text_files.read_segments(path) for path in HYPOTHESES]
    reference = text_files.read_segments(DE[1])
    alone = evalset.EvaluationSet(
        "", "xx-de", "", "", SYSTEMS, [], reference=reference, hypotheses=hypotheses
    )
    entropy = alignment.align_set(alone)["entropy"]
    ranked = sorted(range(260), key=lambda i: (-entropy[:, i].mean(), i))[:7]
    assert [row["segment"] for row in found["hard_segments"]] == [i + 1 for i in ranked]
    source = text_files.read_segments(DEMO / "sources/en-de.txt")
    for row, i in zip(found["hard_segments"], ranked, strict=True):
        assert row["reference"] == reference[i]
        assert row["source"] == source[i]
        assert row["difficulty"] == pytest.approx(entropy[:, i].mean())
        assert row["difficult_systems"] == (entropy[:, i] >= found["difficulty"]["h"]).sum()
        assert row["tokens"] is None


def test_segments_that_all_translate_in_one_piece_are_not_hard(capsys, tmp_path):
    same = write(tmp_path, "same.txt", ["one two", "three four"])
    found = report(
        capsys, "hard", "--ref", same, "--hyp", write(tmp_path, "a.txt", ["one two", "four"])
    )
    assert found["hard_segments"] == []


def test_one_system_has_scores_but_no_comparisons(capsys):
    code, out, err = call(capsys, "score", *DE, "--hyp", HYPOTHESES[0], "--resamples", 20)
    assert code == 0
    assert "notice: one system only: difficulty is oak's own" in err
    assert "better than" not in out
    assert "1 system, 260 segments" in out
    found = report(capsys, "score", *DE, "--hyp", HYPOTHESES[0], "--resamples", 20)
    assert found["comparisons"] == []
    assert scores_of(found, "chrF", "EE")["oak"]["score"] is not None


def test_undefined_ee_scores_are_null_and_say_why(capsys, tmp_path):
    same = write(tmp_path, "same.txt", ["one two three", "four five six"])
    found = report(
        capsys, "score", "--ref", same, "--hyp", write(tmp_path, "a.txt", ["one", "four"])
    )
    row = scores_of(found, "chrF", "EE")["a"]
    assert row["score"] is row["low"] is row["rank"] is row["signature"] is None
    assert any("every hypothesis has chunk entropy 0" in notice for notice in found["notices"])
    code, out, _ = call(
        capsys, "score", "--ref", same, "--hyp", tmp_path / "a.txt", "--format", "latex"
    )
    assert code == 0
    assert "& -" in out
    _, text, _ = call(capsys, "score", "--ref", same, "--hyp", tmp_path / "a.txt")
    assert "None" not in out + text


def test_one_segment_has_scores_and_no_intervals(capsys, tmp_path):
    texts = {"ref": "Die Katze schläft.", "one": "Die Katze schlief.", "two": "Katze schlafen."}
    ref, *systems = [write(tmp_path, f"{name}.txt", [text]) for name, text in texts.items()]
    arguments = ["score", "--ref", ref, "--hyp", *systems, "--lang", "de"]
    found = report(capsys, *arguments)
    assert "one segment alone: no intervals and no comparisons." in found["notices"]
    assert found["comparisons"] == []
    rows = scores_of(found, "chrF")
    assert rows["one"]["score"] > rows["two"]["score"]
    assert {row["low"] for row in rows.values()} == {None}
    code, out, _ = call(capsys, *arguments)
    assert code == 0
    assert "chrF, EE: no scores, see the notices" in out


def test_resamples_without_a_difficult_segment_are_reported(capsys, few):
    _, _, err = call(
        capsys, "score", "--ref", few[0], "--hyp", *few[1:], "--lang", "de",
        *("--h", "0.6", "--w", "0.4", "--resamples", "40"),
    )  # fmt: skip
    assert "of the resamples a system has no difficult or no easy segment" in err


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


def test_without_a_language_words_are_split_at_spaces(capsys):
    found = report(capsys, "hard", *DE[:2], "--hyp", HYPOTHESES[0])
    assert found["language"] is None
    assert found["difficulty"]["signature"].split("|")[1] == "tok:words"
    assert any(notice.startswith("no --lang") for notice in found["notices"])


def test_without_a_language_a_script_without_spaces_is_recognised(capsys, tmp_path):
    text = write(tmp_path, "text.txt", ["消防队的云梯车早该检修了，", "烟囱倒下时卡住了。"])
    for language, said in ((None, "no --lang: text is split into"), ("xx", "xx is no language")):
        options = ["--lang", language] * bool(language)
        found = report(capsys, "hard", "--ref", text, "--hyp", text, *options)
        assert found["difficulty"]["signature"].split("|")[1] == "tok:characters"
        assert any(notice.startswith(said) for notice in found["notices"])


@pytest.mark.usefixtures("one_thread")
def test_da_weighs_tokens_by_their_difficulty(capsys, small_bert):
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    encoder = ["--encoder", small_bert, "--layer", 2]
    found = report(
        capsys, "score", *DE, "--hyp", *HYPOTHESES, "--weighting", "EE", "DA", *encoder,
        *("--resamples", 20, "--top", 2),
    )  # fmt: skip
    labels = list(dict.fromkeys((row["metric"], row["weighting"]) for row in found["scores"]))
    assert labels == [
        *[("chrF", "standard"), ("chrF", "EE")],
        *[("BERTScore", "standard"), ("BERTScore", "EE"), ("BERTScore", "DA")],
    ]
    hypotheses = [text_files.read_segments(path) for path in HYPOTHESES]
    matches = match_tokens(Encoder(small_bert, 2), text_files.read_segments(DE[1]), hypotheses)
    hard = 1 - matches.reference_similarity.mean(axis=0)
    settings = token_weighting.Tokens()
    statistics = token_weighting.segment_scores(matches, hard[None], settings)
    expected = naive.standard_scores(settings, statistics)
    for system, value in zip(SYSTEMS, expected, strict=True):
        own = scores_of(found, "BERTScore", "DA")[system]
        assert own["score"] == pytest.approx(value, rel=1e-6)
        assert own["low"] < own["score"] < own["high"]
        assert own["signature"].endswith("|DA|unseen:one|smoothing:none|range:open|beta:1")
    by_segment = matches.reference_segment
    segment = found["hard_segments"][0]
    tokens = hard[by_segment == segment["segment"] - 1]
    shown = [item["difficulty"] for item in segment["tokens"]]
    assert shown == sorted(shown, reverse=True)
    assert shown[0] == pytest.approx(tokens.max(), abs=1e-6)
    assert len({item["token"] for item in segment["tokens"]}) == len(shown) == 5
    assert all(item["token"] in segment["reference"] for item in segment["tokens"])


@pytest.mark.usefixtures("one_thread")
def test_ee_is_applied_over_da(capsys, small_bert):
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    found = report(
        capsys, "score", *DE, "--hyp", *HYPOTHESES, "--weighting", "EE-DA", "--metric", "bertscore",
        *("--encoder", small_bert, "--layer", 2, "--resamples", 20, "--h", 0.3, "--w", 0.4),
    )  # fmt: skip
    reference = text_files.read_segments(DE[1])
    hypotheses = [text_files.read_segments(path) for path in HYPOTHESES]
    matches = match_tokens(Encoder(small_bert, 2), reference, hypotheses)
    settings = token_weighting.Tokens()
    hard = naive.token_difficulty(matches.reference_similarity)
    statistics = token_weighting.segment_scores(matches, hard, settings)
    entropy = alignment.align_set(make_evalset(hypotheses, reference))["entropy"]
    expected = naive.ee_scores(settings, statistics, entropy, 0.3, 0.4)
    for system, value in zip(SYSTEMS, expected, strict=True):
        own = scores_of(found, "BERTScore", "EE-DA")[system]
        assert own["score"] == pytest.approx(value, rel=1e-6)
        assert own["difficulty"] == "chunk_entropy+token_dissimilarity"
        assert "|DA|" in own["signature"]
        assert "|EE|h:0.3|w:0.4|" in own["signature"]


def test_proportional_takes_difficulties_below_0_as_powers(capsys, tmp_path):
    segments = len(text_files.read_segments(DE[1]))
    lines = [f"{i}\t{i % 7 - 3}" for i in range(1, segments + 1)]
    file = write(tmp_path, "own.tsv", ["segment\tdifficulty", *lines])
    given = ["--difficulty", file, "--weighting", "proportional", "--resamples", 0]
    scored = [report(capsys, "score", *DE, "--hyp", HYPOTHESES[0], *given, *more) for more in
              ([], ["--softmax", 1])]  # fmt: skip
    rows = [scores_of(found, "chrF", "proportional")["oak"] for found in scored]
    assert rows[0]["score"] is None
    assert rows[1]["score"] != scores_of(scored[1], "chrF")["oak"]["score"]
    assert "|proportional|softmax:1|" in rows[1]["signature"]


@pytest.mark.parametrize("asked", [["--weighting", "DA"], ["--metric", "bertscore"]])
def test_what_needs_an_encoder_says_so(capsys, asked):
    code, out, err = call(capsys, "score", *DE, "--hyp", *HYPOTHESES, *asked)
    assert (code, out) == (1, "")
    assert err.startswith(f"ERROR: {' '.join(asked)}: BERTScore needs an encoder. Name a folder")
    assert "--encoder FOLDER --layer N" in err


def test_a_spoilt_encoder_folder_is_named(capsys, tmp_path):
    encoder = ["--weighting", "DA", "--encoder", tmp_path / "mine"]
    code, _, err = call(capsys, "score", *DE, "--hyp", *HYPOTHESES, *encoder)
    assert code == 1
    assert f"no folder {tmp_path / 'mine'}" in err


def test_an_unknown_layer_is_asked_for(capsys, small_bert):
    code, _, err = call(capsys, "hard", *DE, "--hyp", *HYPOTHESES, "--encoder", small_bert)
    assert code == 1
    assert "; set --layer." in err


def test_files_of_other_lengths_are_named_with_their_counts(capsys, tmp_path):
    ref = write(tmp_path, "ref.txt", "abc")
    short, long = write(tmp_path, "a.txt", "ab"), write(tmp_path, "b.txt", "abcd")
    code, out, err = call(capsys, "score", "--ref", ref, "--hyp", short, long)
    assert (code, out) == (1, "")
    assert f"ERROR: {ref} has 3 lines, but {short} has 2, {long} has 4: " in err


def test_systems_of_one_name_are_named(capsys, tmp_path):
    (tmp_path / "other").mkdir()
    one, other = write(tmp_path, "a.txt", "x"), write(tmp_path / "other", "a.de", "x")
    code, _, err = call(capsys, "score", "--ref", one, "--hyp", one, other)
    assert code == 1
    assert f"ERROR: {one} and {other} are both called a: " in err


def test_bytes_that_are_no_text_are_named_with_their_line(capsys, tmp_path):
    ref, hypothesis = write(tmp_path, "ref.txt", "ab"), tmp_path / "a.txt"
    hypothesis.write_bytes(b"a\n\xff\n")
    code, _, err = call(capsys, "hard", "--ref", ref, "--hyp", hypothesis)
    assert code == 1
    assert f"ERROR: {hypothesis}, line 2: not UTF-8" in err


def test_an_empty_reference_and_no_file_are_named(capsys, tmp_path):
    empty = write(tmp_path, "ref.txt", [])
    code, _, err = call(capsys, "hard", "--ref", empty, "--hyp", empty)
    assert (code, "the file is empty" in err) == (1, True)
    code, _, err = call(capsys, "hard", "--ref", tmp_path / "none", "--hyp", empty)
    assert (code, err) == (1, f"ERROR: {tmp_path / 'none'}: No such file or directory.\n")


def test_an_interruption_ends_quietly(capsys, monkeypatch):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr("mt_difficulty.cli.hard.run", interrupted)
    assert call(capsys, "hard", *DE, "--hyp", *HYPOTHESES) == (130, "", "")
