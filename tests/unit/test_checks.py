"""Doubts about texts and human scores: raised where faults are made, and nowhere in WMT's data."""

import warnings
from dataclasses import replace
from pathlib import Path
from unicodedata import normalize

import numpy as np
import pandas as pd
import pytest
import small_run
from scipy import stats

import mt_difficulty as md
from mt_difficulty.data import order_checks
from mt_difficulty.data.build_set import ImportSettings, check_gold
from mt_difficulty.data.campaign_files import gold_names, reference_files
from mt_difficulty.data.gold_checks import find_doubts, segment_sign_doubts
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.data.order_checks import agreement, order_doubt, segment_gold_doubt
from mt_difficulty.data.stretches import listed_lines
from mt_difficulty.data.text_checks import check_texts
from mt_difficulty.data.text_files import read_lines
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import Missing
from mt_difficulty.settings import DifficultySettings

SYSTEMS = ("ash", "elm", "oak")
GERMAN = (
    "der die das und in zu den mit von bei auf ist im dem nicht ein eine als auch es an".split()
)
ENGLISH = "the of and to in a is that for it as was with be by on not he his but at are".split()
STEMS = "Haus Regen Katze Fluss Berg Sonne Morgen Wasser Stadt Land Wagen Garten Winter".split()


def sentences(words, rng, count=300):
    """Sentences of frequent words and of rare ones with a number."""
    rare = [f"{number}{stem}" for number in range(999) for stem in STEMS]
    lines = (rng.integers(6, 20) for _ in range(count))
    return [
        " ".join(np.where(rng.random(n) < 0.5, rng.choice(words, n), rng.choice(rare, n)))
        for n in lines
    ]


def noisy(lines, rng, share=0.3):
    """Lines of which some words are others."""
    return [
        " ".join(str(rng.choice(GERMAN)) if rng.random() < share else word for word in line.split())
        for line in lines
    ]


@pytest.fixture
def texts():
    """Hypotheses of three systems, reference and source, without a fault."""
    rng = np.random.default_rng(7)
    reference = sentences(GERMAN, rng)
    hypotheses = {name: noisy(reference, rng) for name in SYSTEMS}
    return hypotheses, reference, sentences(ENGLISH, rng)


def test_texts_without_a_fault_are_not_doubted(texts):
    assert check_texts(*texts) == []


DAMAGE = {
    "missing values": lambda line, number: "NaN" if number % 50 == 7 else line,
    "UTF-8 that was read": lambda line, _: f"für {line}".encode().decode("cp1252"),
    "HTML entities": lambda line, _: f"&quot;{line}&quot;",
    "marks of subword units": lambda line, _: line.replace("a", "a@@ "),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_in_many_lines_is_found(texts, kind):
    hypotheses, reference, source = texts
    damaged = [DAMAGE[kind](line, number) for number, line in enumerate(hypotheses["elm"])]
    lines = [line for line in range(300) if damaged[line] != hypotheses["elm"][line]]
    (doubt,) = check_texts(hypotheses | {"elm": damaged}, reference, source)
    assert doubt.startswith(kind)
    assert f"of elm ({len(lines)}, as `" in doubt
    assert f": {listed_lines(lines)})" in doubt
    few = damaged[:3] + hypotheses["elm"][3:]
    assert check_texts(hypotheses | {"elm": few}, reference, source) == []


def test_a_text_in_another_unicode_normalisation_is_named(texts):
    _, reference, source = texts
    rng = np.random.default_rng(5)
    reference = [line.replace("und", "führt").replace("Regen", "Rübe") for line in reference]
    systems = {name: noisy(reference, rng) for name in SYSTEMS}
    assert check_texts(systems, reference, source) == []
    systems["elm"] = [normalize("NFD", line) for line in systems["elm"]]
    (doubt,) = check_texts(systems, reference, source, "ref.txt")
    assert "of ref.txt and elm (lines " in doubt


def test_empty_lines_are_listed(texts):
    hypotheses, reference, source = texts
    for line in (3, 4, 5, 9):
        hypotheses["ash"][line] = " "
    (doubt,) = check_texts(hypotheses, reference, source)
    assert doubt.startswith("ash: lines 4 to 6, 10: empty")
    for line in (3, 4, 5, 9):
        reference[line] = ""
    (doubt,) = check_texts(hypotheses, reference, source)
    assert doubt.startswith("4 of 300 reference segments are empty")


def test_copies_are_found(texts):
    hypotheses, reference, source = texts
    files = {"ash": hypotheses["ash"], "elm": list(reference), "oak": hypotheses["ash"]}
    first, second = check_texts(files, reference, source, name="ref.txt")
    assert first.startswith("elm: the same text as ref.txt.")
    assert second.startswith("ash: the same text as oak. Keep one")
    nothing = [""] * len(reference)  # without a reference only files are compared
    assert check_texts(hypotheses, nothing, source, name="") == []
    assert check_texts(files, nothing, source, name="") == [second]
    hypotheses["ash"][40:46] = source[40:46]
    hypotheses["elm"][100:130] = reference[100:130]
    first, second = check_texts(hypotheses, reference, source)
    assert "ash: lines 41 to 46: the source itself, not translated (6 of 300 lines)" in first
    assert "elm: 38 of 300 lines are those of the reference, as lines 101 to 127." in second


def test_other_languages_and_scripts_are_found(texts):
    hypotheses, reference, source = texts
    english = sentences(ENGLISH, np.random.default_rng(99))
    _, doubt = check_texts(hypotheses | {"oak": english}, reference, source)
    assert doubt.startswith("oak: ")
    assert "probably it is in another language" in doubt
    russian = "Вчера весь день шёл дождь, и никто не вышел."
    for line in (7, 8, 9, 10, 30):
        hypotheses["ash"][line] = f"{russian} {line}"
    (doubt,) = check_texts(hypotheses, reference, source, name="ref.txt")
    assert doubt.startswith("ash: lines 8 to 11, 31: Cyrillic letters, while ref.txt")
    hypotheses["ash"][30] = hypotheses["elm"][30]  # four may be names and quotations
    assert check_texts(hypotheses, reference, source) == []


def test_chinese_is_read_by_its_characters():
    """A reference that was split into tokens has the language of hypotheses that were not."""
    rng = np.random.default_rng(2)
    characters = [chr(0x4E00 + number) for number in range(150)]
    lines = ["".join(rng.choice(characters, 25)) for _ in range(100)]
    assert check_texts({"ash": lines}, [" ".join(line) for line in lines]) == []
    doubts = check_texts({"ash": sentences(ENGLISH, rng, 100)}, lines)
    assert "Latin letters, while the reference is written in Cjk" in "\n".join(doubts)


# Causes that are there: the outputs are split into tokens (en_de_task.6790), in small letters in
# places (ONLINE-W), cut off (AIRC), not translated (CommandR-plus, CUNI-DocTransformer) or in
# another script (CUNI-SFT), or have `<unk>` (Lan-Bridge) or explanations (Gemini-1.5-Pro). The
# Serbian reference has byte-order marks at the beginning of 62 lines. The letters of Livonian are
# composed in the reference, and not in all outputs.
CAUSES = {
    ("wmt19", "en-de", "ar"): ["en_de_task.6790"],
    ("wmt22", "en-de", "refA"): ["Lan-Bridge"],
    ("wmt22", "en-liv", "refA"): [
        "accented letters are single characters (Unicode NFC) in one of two texts, and several "
        "(NFD) in the other"
    ],
    ("wmt22", "zh-en", "refA"): ["Online-W"],
    ("wmt23", "en-de", "refA"): ["AIRC"],
    ("wmt23", "zh-en", "refA"): ["ONLINE-W"],
    ("wmt24", "en-cs", "refA"): ["CommandR-plus", "CUNI-DocTransformer", *["Gemini-1.5-Pro"] * 2],
    ("wmt24", "en-zh", "refA"): ["Aya23", "CommandR-plus", "Gemini-1.5-Pro"],
    ("wmt25", "en-sr_Cyrl_RS", "refA"): ["CUNI-SFT", "CUNI-SFT", "reference"],
}


@pytest.mark.slow
def test_outputs_and_human_scores_of_wmt_are_doubted_for_a_cause_only(excerpt, real):
    found, files, sets = {}, 0, 0
    for folder in (*excerpt.glob("*/system-outputs/*"), *real.glob("*/system-outputs/*")):
        campaign, pair = folder.parents[1], folder.name
        source = read_lines(campaign / f"sources/{pair}.txt")
        for path in sorted((campaign / "references").glob(f"{pair}.*.txt"))[:1]:
            name = path.stem.removeprefix(f"{pair}.")
            reference = read_lines(path)
            outputs = {path.stem: read_lines(path) for path in sorted(folder.glob("*.txt"))}
            hypotheses = {
                system: lines
                for system, lines in outputs.items()
                if len(lines) == len(reference) and "ref" not in system
            }
            files += len(hypotheses)
            if doubts := check_texts(hypotheses, reference, source, "reference"):
                starts = (doubt.split(":")[0] for doubt in doubts)
                found[campaign.name, pair, name] = sorted(starts, key=str.casefold)
        for gold in gold_names(campaign, pair):
            for name in sorted(reference_files(campaign, pair))[:1]:
                whole = read_evaluation_set(
                    campaign, ImportSettings(campaign.name, pair, name, gold)
                )
                assert whole.gold_doubts == [], (campaign.name, pair, gold)
                sets += 1
    assert found == CAUSES
    assert (files, sets) == (230, 42)


# Human scores of systems

DEMO = Path(__file__).parents[2] / "data/demo/archive"
RANKED = [f"s{number:02}" for number in range(10)]
GOLD = np.arange(60.0, 80.0, 2)
CHRF = {"chrF": GOLD + np.random.default_rng(2).normal(0, 3, len(GOLD))}


@pytest.mark.parametrize(
    "gold",
    [
        pytest.param(GOLD, id="as they are"),
        pytest.param(GOLD - 80, id="negative"),
        pytest.param(GOLD / 100, id="shares"),
        pytest.param((GOLD - 69) / 6, id="standardised"),
    ],
)
def test_human_scores_without_a_fault_are_not_doubted(gold):
    assert find_doubts(RANKED, gold, "mqm", CHRF) == []


@pytest.mark.parametrize(
    ("converted", "scale"),
    [(lambda scores: scores - 110, "0 or less"), (lambda scores: scores / 100, "0 to 1")],
)
def test_systems_on_another_scale_are_named(converted, scale):
    mixed = np.concatenate([converted(GOLD[:2]), GOLD[2:]])
    (doubt,) = find_doubts(RANKED, mixed, "mqm", {})
    low, high = mixed[:2].min(), mixed[:2].max()
    assert doubt.startswith("mqm: human scores on two scales: s00, s01 (")
    assert f"s00, s01 ({scale}: {low:g} to {high:g}); s02" in doubt


def test_lost_signs_of_several_systems_are_named():
    gold = np.array([-2.1, -2.6, -3.0, -3.3, -3.9, -4.4, -5.0])
    quality = {"chrF": gold + np.random.default_rng(5).normal(0, 0.5, len(gold))}
    systems = [f"s{number}" for number in range(len(gold))]
    assert find_doubts(systems, gold, "gold.tsv", quality) == []
    lost = np.where(np.arange(len(gold)) >= 5, -gold, gold)
    doubt = find_doubts(systems, lost, "gold.tsv", quality)[0]
    assert "scores of s5 (4.4), s6 (5) have another sign" in doubt
    # z-scores have both signs, some near zero.
    scores = gold - gold.mean()
    assert find_doubts(systems, scores / scores.std(), "wmt-z", quality) == []


def test_segment_scores_of_both_signs_are_not_doubted():
    """Half of the scores are negative, half positive; one system has none."""
    scores = np.tile([1.0, -1.0], (3, 60))
    scores[0, :2] = 0
    scores[2] = np.nan
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert segment_sign_doubts(["a", "b", "c"], scores, "z") == []


def test_scores_of_which_lower_is_better_are_found():
    (doubt,) = find_doubts(RANKED, -GOLD, "mqm", CHRF)
    r = np.corrcoef(-GOLD, CHRF["chrF"])[0, 1]
    assert f"r = {r:.2f} with chrF over 10 systems" in doubt
    assert find_doubts(RANKED, -GOLD, "mqm", CHRF | {"BLEU": -GOLD}) == []
    # r = -0.88 of four systems has a one-sided p of 0.09 by Fisher's z.
    few = np.array([1.0, 2, 3, 4]), {"chrF": np.array([4, 2.5, 3, 1])}
    assert find_doubts(RANKED[:4], few[0], "mqm", few[1]) == []


def test_python_and_segment_scores_doubt_negated_scores():
    whole = read_evaluation_set(DEMO / "demo", ImportSettings("demo", "en-de", "refA", "mqm"))
    loaded = md.load_set("demo", "en-de", DEMO)
    assert loaded.notices == ["systems left out: refA (a human translation)."]
    (doubt,) = check_gold(replace(whole, gold=[-score for score in whole.gold])).notices
    assert doubt.startswith("mqm: the human scores seem to run the other way")
    scores = pd.DataFrame({"chrF": loaded.human, "BLEU": loaded.human})
    assert md.correlate(scores, loaded.human).attrs["notices"] == []
    (doubt,) = md.correlate(scores, -loaded.human).attrs["notices"]
    assert "r = -1.00 with chrF over 12 systems, r = -1.00 with BLEU" in doubt
    # Of segments, too, they are refused for their sign.
    compared = whole.hypotheses, whole.reference, whole.source
    assert segment_gold_doubt(np.array(whole.segment_gold), *compared) == ""
    doubt = segment_gold_doubt(-np.array(whole.segment_gold), *compared)
    assert doubt.endswith("as if lower scores were better")


# The order of human scores of segments

RATED = 1000


@pytest.fixture
def rated():
    """Scores that follow similarity (r about 0.2) and lengths, similarities, lengths."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(20, 200, RATED).astype(float)
    similarity = rng.normal(size=(6, RATED)) + rng.normal(size=RATED)
    scores = 0.3 * similarity - 0.005 * lengths + rng.normal(size=(6, RATED))
    return scores, similarity, lengths


def test_z_is_that_of_random_orders(rated):
    """Against permutations: the mean is 0 and the deviation 1."""
    scores, *texts = rated
    z, r = agreement(*rated)
    assert (z > 10, r > 0.3, order_doubt(*rated)) == (True, True, "")
    rng = np.random.default_rng(5)
    drawn = [agreement(scores[:, rng.permutation(RATED)], *texts)[0] for _ in range(300)]
    assert np.mean(drawn) == pytest.approx(0, abs=0.2)
    assert np.std(drawn) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("shift", [1, -1, 3])
def test_a_shift_is_named(rated, shift):
    scores, *texts = rated
    way = "up" if shift > 0 else "down"
    lines = f"{abs(shift)} line" + "s" * (abs(shift) > 1)
    doubt = order_doubt(np.roll(scores, shift, axis=1), *texts)
    assert doubt.endswith(f"all lines are moved {way} by {lines}")


def test_no_effect_and_cannot_tell_are_two_findings(rated):
    scores, similarity, lengths = rated
    blocks = np.arange(RATED).reshape(100, 10)
    order = np.random.default_rng(8).permutation(blocks).ravel()
    assert "too low for 1,000 segments" in order_doubt(scores[:, order], similarity, lengths)
    few = slice(0, 100)
    order = order[order < 100]
    assert order_doubt(scores[:, few][:, order], similarity[:, few], lengths[few]) == ""


@pytest.fixture
def folder(tmp_path):
    """500 segments, four systems that lose words, human scores that fall with the words lost."""
    rng = np.random.default_rng(11)
    reference = sentences(GERMAN, rng, 500)
    systems, scores = {}, {}
    for name, share in {"ash": 0.3, "elm": 0.4, "fir": 0.6, "oak": 0.8}.items():
        kept = [rng.random(len(x.split())) > share * (1 + rng.random()) / 2 for x in reference]
        systems[name] = [
            " ".join(np.where(there, line.split(), rng.choice(GERMAN, len(there))))
            for line, there in zip(reference, kept, strict=True)
        ]
        scores[name] = np.array([there.mean() - len(there) / 40 for there in kept])
    small_run.write_own_files(tmp_path, reference, systems)
    return tmp_path, scores


def put_scores(folder, scores):
    lines = [f"{name}\t{score:.4f}" for name, row in scores.items() for score in row]
    (folder / "segment_gold.tsv").write_text("\n".join(lines) + "\n")


def test_misaligned_scores_are_left_out_unless_the_config_insists(folder):
    folder, scores = folder
    put_scores(folder, scores)
    mine = ImportSettings("mine", "en-de", own_files=True)
    found = read_evaluation_set(folder, mine)
    assert np.array(found.segment_gold).shape == (4, 500)
    assert found.notices == []
    put_scores(folder, {name: np.roll(row, 1) for name, row in scores.items()})
    found = read_evaluation_set(folder, mine)
    assert found.segment_gold == []
    assert found.gold == pytest.approx([row.mean() for row in scores.values()], abs=1e-4)
    (notice,) = found.notices
    assert notice.startswith("segment_gold.tsv: the human scores of segments do not belong to the ")
    assert "moved up by 1 line" in notice
    reason = "do not belong to the texts: the correlation"
    with pytest.raises(Missing, match=reason):
        make_estimator(DifficultySettings("human")).estimate(found, None)
    with pytest.raises(Missing, match=reason):
        make_estimator(DifficultySettings("item_response")).estimate(found, None)
    found = read_evaluation_set(folder, mine._replace(misaligned="use"))
    assert np.array(found.segment_gold).shape == (4, 500)
    (notice,) = found.notices
    assert notice.endswith("(`misaligned: use`).")
    difficulty = make_estimator(DifficultySettings("human")).estimate(found, None)
    np.testing.assert_array_equal(np.isfinite(difficulty), True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("campaign", "pair", "reference", "gold"),
    [
        ("wmt22", "zh-en", "refA", "wmt-z"),
        ("wmt22", "en-liv", "refA", "wmt-appraise"),
        ("wmt23", "en-de", "refA", "mqm"),
        ("wmt24", "en-zh", "refA", "esa"),
    ],
)
def test_scores_of_the_archive_in_another_order_are_refused(real, campaign, pair, reference, gold):
    found = read_evaluation_set(real / campaign, ImportSettings(campaign, pair, reference, gold))
    assert found.segment_gold_doubt == ""
    compared = found.hypotheses, found.reference, found.source
    people = np.array(found.segment_gold, dtype=float)
    doubt = segment_gold_doubt(np.roll(people, 1, axis=1), *compared)
    assert doubt.endswith("are moved up by 1 line")
    if campaign == "wmt22":  # as its to-English scores were distributed
        by_name = np.argsort(found.documents, kind="stable")
        assert "another order" in segment_gold_doubt(people[:, by_name], *compared)


def test_ranks_are_scipys():
    values = np.array([[3.0, 1, 3, np.nan, 2, 3], [1, 1, 1, 1, 1, 1]])
    expected = np.nan_to_num(stats.rankdata(values, axis=1, nan_policy="omit"))
    np.testing.assert_array_equal(order_checks._ranks(values), expected)
