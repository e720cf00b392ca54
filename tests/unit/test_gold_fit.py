"""Human scores of segments that do not belong to the texts: found, refused, and never falsely."""

from dataclasses import replace

import numpy as np
import pytest
import small_run

import summarise_run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.evalset import read_evaluation_set
from mt_difficulty.data.gold_fit import CANNOT_TELL, FITS, NO_EFFECT, OTHER_ORDER, check
from mt_difficulty.data.line_order import document_orders
from mt_difficulty.data.own_files import read_own_files
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.errors import Missing

SYSTEMS, SEGMENTS = 6, 1000


@pytest.fixture
def made():
    """Scores that follow similarity (r about 0.2) and lengths, similarities, lengths."""
    rng = np.random.default_rng(3)
    lengths = rng.integers(20, 200, SEGMENTS).astype(float)
    similarity = rng.normal(size=(SYSTEMS, SEGMENTS)) + rng.normal(size=SEGMENTS)
    scores = 0.3 * similarity - 0.005 * lengths + rng.normal(size=(SYSTEMS, SEGMENTS))
    return scores, similarity, lengths


def test_scores_of_these_texts_fit(made):
    found = check(*made)
    assert (found.verdict, found.order, found.segments) == (FITS, "", SEGMENTS)
    assert found.z > 10
    assert found.r > 0.3


def test_z_is_that_of_random_orders(made):
    """Against permutations: the mean is 0 and the deviation 1."""
    scores, similarity, lengths = made
    rng = np.random.default_rng(5)
    drawn = [check(scores[:, rng.permutation(SEGMENTS)], similarity, lengths).z for _ in range(300)]
    assert np.mean(drawn) == pytest.approx(0, abs=0.2)
    assert np.std(drawn) == pytest.approx(1, abs=0.15)


@pytest.mark.parametrize("shift", [1, -1, 3])
def test_a_shift_is_named(made, shift):
    scores, *texts = made
    found = check(np.roll(scores, shift, axis=1), *texts)
    assert found.verdict == OTHER_ORDER
    way = "up" if shift > 0 else "down"
    lines = f"{abs(shift)} line" + "s" * (abs(shift) > 1)
    assert found.order.endswith(f"are moved {way} by {lines}")
    assert found.order_z == pytest.approx(check(*made).z, abs=1)
    assert abs(found.z) < 4


def test_a_shift_from_some_line_on_is_found_there(made):
    scores, *texts = made
    moved = scores.copy()
    moved[:, 200:-1] = scores[:, 201:]  # a score is missing
    found = check(moved, *texts)
    assert found.verdict == OTHER_ORDER
    first = int(found.order.split()[3].replace(",", ""))
    assert 180 < first < 220
    assert "moved down by 1 line" in found.order


def test_another_order_of_documents_is_named(made):
    scores, *texts = made
    names = [f"doc{number}" for number in np.random.default_rng(2).permutation(100).repeat(10)]
    orders = document_orders(names, [])
    for name, order in orders.items():
        found = check(scores[:, order], *texts, orders)
        assert (found.verdict, found.order) == (OTHER_ORDER, f"they are those of the {name}")
        assert found.order_r == pytest.approx(check(*made).r)


def test_no_effect_and_cannot_tell_are_two_findings(made):
    scores, similarity, lengths = made
    blocks = np.arange(SEGMENTS).reshape(100, 10)
    order = np.random.default_rng(8).permutation(blocks).ravel()
    assert check(scores[:, order], similarity, lengths).verdict == NO_EFFECT
    few = slice(0, 100)
    order = order[order < 100]
    found = check(scores[:, few][:, order], similarity[:, few], lengths[few])
    assert found.verdict == CANNOT_TELL


@pytest.mark.parametrize("value", [np.nan, 1.0])
def test_scores_that_do_not_differ_tell_nothing(made, value):
    scores, *texts = made
    found = check(np.full_like(scores, value), *texts)
    assert found.verdict == CANNOT_TELL
    assert np.isnan(found.z)


def test_sparse_scores_and_single_systems_are_enough(made):
    """A tenth of all scores, so that most segments are rated for one system at most."""
    scores, *texts = made
    rated = np.random.default_rng(1).random(scores.shape) < 0.1
    sparse = np.where(rated, scores, np.nan)
    assert check(sparse, *texts).segments == rated.any(axis=0).sum()
    assert check(sparse, *texts).z > 3
    one = check(scores[:1], texts[0][:1], texts[1])
    assert (one.verdict, one.z > 4) == (FITS, True)


def test_small_noise_in_scores_changes_no_verdict(made):
    scores, *texts = made
    noisy = scores * (1 + 1e-12)
    assert check(noisy, *texts) == check(*made)


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


def test_own_files_are_checked(folder):
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
    assert "moved up by 1 line. Correct their order or sign. They are left out" in notice
    assert "set `misaligned: use` in the set's entry" in notice


def test_misaligned_scores_are_used_where_the_config_insists(folder):
    folder, scores = folder
    put_scores(folder, {name: np.roll(row, 1) for name, row in scores.items()})
    found = read_own_files(folder, "mine", "en-de", misaligned="use")
    assert np.array(found.segment_gold).shape == (4, 500)
    (notice,) = evalset.notices(found)
    assert notice.endswith("They are used all the same (`misaligned: use`).")
    estimated = make_estimator({"type": "human"}).estimate(found, None)
    assert np.isfinite(estimated).all()


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
    small_run.assess(plan, name)
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


def test_correct_scores_of_the_archive_are_kept(of_archive):
    assert of_archive.segment_gold_doubt == ""
    assert of_archive.segment_gold


def test_scores_in_another_order_of_documents_are_refused(of_archive):
    """WMT22's to-English scores, as distributed, are those of the documents sorted by name."""
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
