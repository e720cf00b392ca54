"""Human scores that cannot be right: found where they are made, and nowhere in WMT's data."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import small_run

import mt_difficulty as md
import summarise_run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.campaign_files import gold_names, reference_files
from mt_difficulty.data.evalset import read_evaluation_set, segment_gold_doubt
from mt_difficulty.data.gold_checks import agreement, document_orders, find_doubts, order_doubt
from mt_difficulty.data.own_files import read_own_files
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import Missing

DEMO = Path(__file__).parents[2] / "data/demo/archive"
SYSTEMS = [f"s{number:02}" for number in range(10)]
SEGMENTS, RATED = 60, 1000


@pytest.fixture
def gold():
    """Scores of systems from 60 to 78, and of their segments; a metric that follows them."""
    rng = np.random.default_rng(2)
    of_systems = np.arange(60.0, 80.0, 2)
    of_segments = of_systems[:, None] + rng.normal(0, 5, (len(SYSTEMS), SEGMENTS))
    return of_systems, of_segments, {"chrF": of_systems + rng.normal(0, 3, len(SYSTEMS))}


def doubts(of_systems, of_segments, quality):
    return find_doubts(SYSTEMS, of_systems, of_segments, "mqm", quality)


def test_scores_without_a_fault_are_not_doubted(gold):
    of_systems, of_segments, quality = gold
    assert doubts(*gold) == []
    z = (of_segments - of_segments.mean()) / of_segments.std()
    assert doubts(z.mean(axis=1), z, quality) == []
    assert doubts(of_systems - 80, of_segments - 110, quality) == []
    assert doubts(of_systems / 100, np.empty((len(SYSTEMS), 0)), quality) == []


@pytest.mark.parametrize(
    ("converted", "described"),
    [(lambda scores: scores - 110, "0 or less"), (lambda scores: scores / 100, "0 to 1")],
)
def test_systems_on_another_scale_are_named(gold, converted, described):
    of_systems, of_segments, _ = gold
    mixed, segments = of_systems.copy(), of_segments.copy()
    mixed[:2], segments[:2] = converted(mixed[:2]), converted(segments[:2])
    in_systems, in_segments = doubts(mixed, segments, {})
    assert in_systems.startswith("mqm: human scores on two scales: s00, s01 (")
    assert f"s00, s01 ({described}: {mixed[:2].min():g} to {mixed[:2].max():g}); s02" in in_systems
    assert in_segments.startswith("mqm, segments: human scores on two scales: s00, s01 (")


def test_scores_of_which_lower_is_better_are_found(gold):
    of_systems, of_segments, quality = gold
    (said,) = doubts(-of_systems, -of_segments, quality)
    r = np.corrcoef(-of_systems, quality["chrF"])[0, 1]
    assert f"r = {r:.2f} with chrF over 10 systems" in said
    assert doubts(-of_systems, -of_segments, quality | {"BLEU": -of_systems}) == []


def test_systems_and_segments_that_contradict_each_other_are_named(gold):
    of_systems, of_segments, quality = gold
    swapped = of_systems.copy()
    swapped[[1, 8]] = swapped[[8, 1]]
    (said,) = doubts(swapped, of_segments, quality)
    mean = of_segments.mean(axis=1)
    assert f"s01 (76) is better than s08 (62), but worse by {mean[8] - mean[1]:.3g} in the" in said
    assert find_doubts(SYSTEMS, swapped, of_segments, "mqm", quality, same=False) == []


def test_systems_without_a_common_segment_are_named(gold):
    of_systems, of_segments, quality = gold
    of_segments[3, :30] = np.nan
    of_segments[7, 30:] = np.nan
    (said,) = doubts(of_systems, of_segments, quality)
    assert said.startswith("mqm: no rated segment in common: s03 and s07.")


def test_own_files_and_python_say_so(tmp_path):
    texts = DEMO / "demo"
    files = {"source.txt": texts / "sources/en-de.txt"}
    files |= {"reference.txt": texts / "references/en-de.refA.txt"}
    for system in read_evaluation_set(texts, "demo", "en-de", "refA", "mqm").systems:
        files[f"systems/{system}.txt"] = texts / f"system-outputs/en-de/{system}.txt"
    (tmp_path / "systems").mkdir()
    for name, path in files.items():
        (tmp_path / name).write_bytes(Path(path).read_bytes())
    found = md.load_set("demo", "en-de", DEMO)
    negated = -found.human
    assert found.notices == ["systems left out: refA (a human translation)."]
    (tmp_path / "gold.tsv").write_text("".join(f"{s}\t{g}\n" for s, g in negated.items()))
    (said,) = read_own_files(tmp_path, "mine", "en-de").gold_doubts
    assert said.startswith("gold.tsv: the human scores seem to run the other way")
    assert md.load_folder(tmp_path, "en-de").notices == [said]
    scores = pd.DataFrame({"chrF": found.human, "BLEU": found.human})
    assert md.correlate(scores, found.human).attrs["notices"] == []
    (said,) = md.correlate(scores, negated).attrs["notices"]
    assert "r = -1.00 with chrF over 12 systems, r = -1.00 with BLEU" in said


def test_negated_scores_of_segments_are_refused_for_their_sign():
    whole = read_evaluation_set(DEMO / "demo", "demo", "en-de", "refA", "mqm")
    assert segment_gold_doubt(whole, np.array(whole.segment_gold)) == ""
    doubt = segment_gold_doubt(whole, -np.array(whole.segment_gold))
    assert doubt.endswith("as if lower scores were better")


@pytest.mark.slow
def test_human_scores_of_wmt_are_not_doubted(excerpt, real):
    sets = 0
    for folder in (*excerpt.glob("*/system-outputs/*"), *real.glob("*/system-outputs/*")):
        campaign, pair = folder.parents[1], folder.name
        for name in gold_names(campaign, pair):
            for reference in sorted(reference_files(campaign, pair))[:1]:
                found = read_evaluation_set(campaign, campaign.name, pair, reference, name)
                assert found.gold_doubts == [], (campaign.name, pair, name)
                sets += 1
    assert sets > 35


# The order of scores of segments


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
    assert (z > 10, r > 0.3, order_doubt(*rated, {})) == (True, True, "")
    rng = np.random.default_rng(5)
    drawn = [agreement(scores[:, rng.permutation(RATED)], *texts)[0] for _ in range(300)]
    assert np.mean(drawn) == pytest.approx(0, abs=0.2)
    assert np.std(drawn) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("shift", [1, -1, 3])
def test_a_shift_is_named(rated, shift):
    scores, *texts = rated
    way = "up" if shift > 0 else "down"
    lines = f"{abs(shift)} line" + "s" * (abs(shift) > 1)
    doubt = order_doubt(np.roll(scores, shift, axis=1), *texts, {})
    assert doubt.endswith(f"all lines are moved {way} by {lines}")


def test_another_order_of_documents_is_named(rated):
    scores, *texts = rated
    names = [f"doc{number}" for number in np.random.default_rng(2).permutation(100).repeat(10)]
    orders = document_orders(names, [])
    for name, order in orders.items():
        doubt = order_doubt(scores[:, order], *texts, orders)
        assert doubt.endswith(f"r = {agreement(*rated)[1]:.2f} if they are those of the {name}")


def test_no_effect_and_cannot_tell_are_two_findings(rated):
    scores, similarity, lengths = rated
    blocks = np.arange(RATED).reshape(100, 10)
    order = np.random.default_rng(8).permutation(blocks).ravel()
    assert "too low for 1,000 segments" in order_doubt(scores[:, order], similarity, lengths, {})
    few = slice(0, 100)
    order = order[order < 100]
    assert order_doubt(scores[:, few][:, order], similarity[:, few], lengths[few], {}) == ""


# Of own files

WORDS = "der die das Haus Katze läuft schläft morgen gestern Regen Sonne Fluss Berg Tal".split()


@pytest.fixture
def folder(tmp_path):
    """500 segments, four systems that drop words, human scores that fall with the words dropped."""
    rng = np.random.default_rng(11)
    reference = [
        " ".join(f"{rng.choice(WORDS)}{rng.integers(99)}" for _ in range(rng.integers(5, 20)))
        for _ in range(500)
    ]
    systems, scores = {}, {}
    for name, share in {"ash": 0.3, "elm": 0.4, "fir": 0.6, "oak": 0.8}.items():
        kept = [
            rng.random(len(line.split())) > share * (1 + rng.random()) / 2 for line in reference
        ]
        pairs = zip(reference, kept, strict=True)
        systems[name] = [
            " ".join(
                word if keep else f"x{rng.integers(99)}"
                for word, keep in zip(line.split(), there, strict=True)
            )
            for line, there in pairs
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
    found = read_own_files(folder, "mine", "en-de")
    assert np.array(found.segment_gold).shape == (4, 500)
    assert evalset.notices(found) == []
    put_scores(folder, {name: np.roll(row, 1) for name, row in scores.items()})
    found = read_own_files(folder, "mine", "en-de")
    assert found.segment_gold == []
    assert found.gold == pytest.approx([row.mean() for row in scores.values()], abs=1e-4)
    (notice,) = evalset.notices(found)
    assert notice.startswith("segment_gold.tsv: the human scores of segments do not belong to the ")
    assert "moved up by 1 line" in notice
    assert "misaligned: use" in notice
    found = read_own_files(folder, "mine", "en-de", misaligned="use")
    assert np.array(found.segment_gold).shape == (4, 500)
    (notice,) = evalset.notices(found)
    assert notice.endswith("(`misaligned: use`).")
    assert np.isfinite(make_estimator({"type": "human"}).estimate(found, None)).all()


def test_segment_statistics_say_why_they_are_missing(folder, tmp_path):
    folder, scores = folder
    put_scores(folder, {name: np.roll(row, 1) for name, row in scores.items()})
    results = tmp_path / "results"
    plan = small_run.plan_run(
        folder,
        results,
        {"chrF": "chrf"},
        difficulties={"human": {"type": "human"}, "irt": {"type": "item_response"}},
        statistics=["pearson", "soft_accuracy", "acc_eq"],
    )
    (name,) = plan.sets
    small_run.make_scores(plan, name)
    small_run.compare(plan, name)
    agreement = storage.read_table(results / name / "agreement.csv")
    why = "the human scores of segments do not belong to the texts: the correlation"
    refused = agreement[agreement.statistic.isin(["soft_accuracy", "acc_eq"])]
    assert set(refused.level) == {"system", "segment"}
    assert refused.value.isna().all()
    assert refused.reason.str.startswith(why).all()
    pearson = agreement[agreement.statistic == "pearson"]
    assert pearson.value.notna().any()
    files = [results / name / file for file in ("evalset.json", "weightings.json", "missing.csv")]
    summary = summarise_run.describe_set(name, *files)
    for difficulty in ("human", "irt"):
        (line,) = [line for line in summary if line.startswith(f"  no difficulty {difficulty}: ")]
        assert why in line
    assert any(line.startswith("  notice: segment_gold.tsv: the human") for line in summary)


# Of the archive

SETS = [
    ("wmt22", "zh-en", "refA", "wmt-z"),
    ("wmt22", "zh-en", "refB", "wmt-appraise"),
    ("wmt22", "cs-en", "refB", "wmt-z"),
    ("wmt22", "en-liv", "refA", "wmt-appraise"),
    ("wmt23", "en-de", "refA", "mqm"),
    ("wmt23", "en-de", "refA", "MQM-1"),
    ("wmt23", "zh-en", "refA", "mqm"),
    ("wmt24", "en-cs", "refA", "esa"),
    ("wmt24", "en-zh", "refA", "esa"),
]


@pytest.fixture(scope="module", params=SETS, ids=lambda each: "-".join(each))
def of_archive(request, real):
    campaign, pair, reference, gold = request.param
    return read_evaluation_set(real / campaign, campaign, pair, reference, gold)


@pytest.mark.slow
def test_scores_in_another_order_of_documents_are_refused(of_archive):
    """WMT22's to-English scores, as distributed, are those of the documents sorted by name."""
    assert of_archive.segment_gold_doubt == ""
    assert of_archive.segment_gold
    people = np.array(of_archive.segment_gold, dtype=float)
    orders = document_orders(of_archive.documents, of_archive.domains)
    order = orders["documents sorted by name"]
    doubt = evalset.segment_gold_doubt(of_archive, people[:, order])
    assert "if they are those of the documents sorted by name" in doubt
    doubt = evalset.segment_gold_doubt(of_archive, np.roll(people, 1, axis=1))
    assert doubt.endswith("are moved up by 1 line")


def test_other_gold_of_the_archive_is_checked(real, tmp_path):
    campaign = tmp_path / "wmt22"
    campaign.symlink_to(real / "wmt22")
    found = read_evaluation_set(campaign, "wmt22", "zh-en", "refA", "mqm")
    other = make_estimator({"type": "gold", "name": "wmt-z"})
    assert np.isfinite(other.estimate(found, campaign)).any()
    moved = {"hypotheses": [row[::-1] for row in found.hypotheses]}
    texts = {"reference": found.reference[::-1], "source": found.source[::-1], **moved}
    backwards = replace(found, **texts, documents=[], domains=[])
    with pytest.raises(Missing, match="the wmt-z scores do not belong to the texts: the correl"):
        other.estimate(backwards, campaign)
