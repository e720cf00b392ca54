"""Difficulties and gains across references: against scipy, and where the truth is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset
from scipy import stats

from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import reference_findings, references
from mt_difficulty.evidence.references import Referred

SYSTEMS, SEGMENTS = 6, 120
WEIGHTINGS = {
    "EE": {
        "type": "groups",
        "difficulty": "x",
        "threshold": "hypotheses_0.9",
        "easy_weight": 0.3,
    },
    "shared": {"type": "hardest", "difficulty": "mean_x", "share": 0.25},
    "length": {"type": "hardest", "difficulty": "length", "share": 0.5},
}
DIFFICULTIES = {
    "x": {"type": "chunk_entropy"},
    "mean_x": {"type": "mean", "difficulty": "x"},
    "length": {"type": "length"},
}
SETTINGS = {
    "metrics": {"chrF": {"type": "stored", "name": "chrF"}},
    "matches": {},
    "difficulties": DIFFICULTIES,
    "weightings": WEIGHTINGS,
}


def make_sets(people, scores, difficulties):
    """Sets of one campaign, a reference each: scores and difficulties (systems, segments)."""
    found = make_evalset(
        [["a"] * SEGMENTS] * SYSTEMS,
        [f"{'a' * (1 + i % 17)}" for i in range(SEGMENTS)],
        segment_gold=people.tolist(),
    )
    found = replace(found, gold=people.mean(axis=1).tolist())
    sets = []
    for name, own, difficulty in zip("ABC", scores, difficulties, strict=False):
        arrays = {"systems": np.array(found.systems), "signature": "s"}
        mean = np.broadcast_to(difficulty.mean(axis=0), difficulty.shape)
        length = np.broadcast_to(np.arange(SEGMENTS) % 17.0, difficulty.shape)
        contents = {
            "evalset.json": replace(found, reference_name=name),
            "statistics/chrF.npz": arrays | {"statistics": own[:, :, None]},
            "difficulty/x.npz": arrays | {"difficulty": difficulty, "information": "reference"},
            "difficulty/mean_x.npz": arrays
            | {"difficulty": mean, "values": difficulty, "information": "reference"},
            "difficulty/length.npz": arrays | {"difficulty": length, "information": "source"},
        }
        sets.append(Referred(name, SetFiles("c/p", contents), SETTINGS))
    return sets


def tables(sets):
    gains, survival = references.tables(sets, seed=1)
    return (
        pd.DataFrame(gains, columns=references.GAINS),
        pd.DataFrame(survival, columns=references.SURVIVAL),
    )


@pytest.fixture(scope="module")
def drawn():
    """Human scores, scores of two references, and two difficulties."""
    rng = np.random.default_rng(7)
    quality = np.linspace(0, 1, SYSTEMS)[:, None]
    people = quality + rng.normal(size=(SYSTEMS, SEGMENTS))
    scores = [people + rng.normal(size=people.shape) for _ in range(2)]
    return people, scores, [rng.random(people.shape) for _ in range(2)]


def test_agreement_is_kendalls_tau(drawn):
    people, scores, difficulties = drawn
    rows = list(references.agreement_rows(make_sets(people, scores, difficulties), 1, 1))
    found = pd.DataFrame(rows, columns=references.AGREEMENT).set_index(["difficulty", "statistic"])
    one, other = difficulties
    expected = stats.kendalltau(one.mean(axis=0), other.mean(axis=0)).statistic
    assert found.value["x", "segments"] == pytest.approx(expected, abs=1e-12)
    of_systems = [stats.kendalltau(a, b).statistic for a, b in zip(one, other, strict=True)]
    assert found.value["x", "hypotheses"] == pytest.approx(np.mean(of_systems), abs=1e-12)
    assert (found.low < found.value).all()
    assert (found.value < found.high).all()
    # A difficulty of segments has no rows of hypotheses, one that reads no reference none at all.
    assert set(found.index) == {
        *(("x", kind) for kind in reference_findings.KINDS),
        ("mean_x", "segments"),
        ("mean_x", "segments_within_length"),
    }


def test_length_alone_gives_no_agreement_within_tenths_of_length(drawn):
    people, scores, _ = drawn
    rng = np.random.default_rng(3)
    length = np.repeat(np.arange(10.0), SEGMENTS // 10)
    by_length = [length + rng.random((SYSTEMS, SEGMENTS)) for _ in range(2)]
    sets = make_sets(people, scores, by_length)
    source = [f"{'a' * int(1 + each)}" for each in length]
    for own in sets:
        found = own.files.contents["evalset.json"]
        own.files.contents["evalset.json"] = replace(found, source=source)
    rows = list(references.agreement_rows(sets, 1, 1))
    found = pd.DataFrame(rows, columns=references.AGREEMENT).set_index(["difficulty", "statistic"])
    assert found.value["x", "segments"] > 0.8
    assert found.low["x", "segments_within_length"] < 0 < found.high["x", "segments_within_length"]


def test_a_gain_is_that_of_the_weighted_scores(drawn):
    people, scores, difficulties = drawn
    gains, _ = tables(make_sets(people, scores, difficulties))
    rows = gains[gains.weighting == "shared"].set_index(
        ["statistic", "reference", "difficulty_reference"]
    )
    for a, b in np.ndindex(2, 2):
        mean = difficulties[b].mean(axis=0)
        hard = np.argsort(-mean, kind="stable")[: SEGMENTS // 4]
        weighted = scores[a][:, hard].mean(axis=1)
        expected = stats.pearsonr(weighted, people.mean(axis=1)).statistic
        row = rows.loc["pearson", "AB"[a], "AB"[b]]
        assert row.value == pytest.approx(expected, abs=1e-9)
        plain = stats.pearsonr(scores[a].mean(axis=1), people.mean(axis=1)).statistic
        assert row.gain == pytest.approx(expected - plain, abs=1e-9)
        assert row.low < row.gain < row.high


def test_the_same_difficulty_survives_whole(drawn):
    people, scores, difficulties = drawn
    _, survival = tables(make_sets(people, [scores[0]] * 2, [difficulties[0]] * 2))
    segments = survival[survival.weighting.isin(["EE", "shared"])]
    np.testing.assert_allclose(segments.gain, segments.borrowed)
    np.testing.assert_allclose(segments.loss, 0, atol=1e-12)
    np.testing.assert_allclose(segments.least, segments.most)
    known = segments[segments.share.notna()]
    np.testing.assert_allclose(known.share, 1)


def test_a_gain_that_rests_on_its_reference_does_not_survive():
    """Each reference misjudges other hypotheses; its difficulty marks those that it does not."""
    rng = np.random.default_rng(5)
    people = np.linspace(0, 1, SYSTEMS)[:, None] + 0.3 * rng.normal(size=(SYSTEMS, SEGMENTS))
    right = [rng.random(people.shape) < 0.3 for _ in range(2)]
    noise = [4 * rng.normal(size=people.shape) for _ in range(2)]
    scores = [np.where(own, people, other) for own, other in zip(right, noise, strict=True)]
    _, survival = tables(make_sets(people, scores, [own.astype(float) for own in right]))
    rows = survival[(survival.weighting == "EE") & (survival.statistic == "soft_accuracy")]
    (row,) = rows.to_dict("records")
    assert row["low"] > 0
    assert row["loss_low"] > 0
    assert row["share"] < 0.5


def test_scores_without_a_gain_of_their_own_are_in_no_mean():
    """C has no gain with its own difficulty; what it has with others' is another reference's."""
    draws = np.linspace(-0.01, 0.01, 50)
    cells = {
        (scores, of): references.Effect(value, 0.5, value - 0.5 + draws)
        for scores in "ABC"
        for of in "ABC"
        if scores != "C" or of != "C"
        for value in [0.1 if scores == "C" else 0.6]
    }
    found = dict(zip(references.SURVIVAL[3:], references._survival(cells), strict=True))
    assert found["references"] == 2
    assert found["gain"] == pytest.approx(0.1)
    assert found["loss"] == pytest.approx(0)
    assert found["share"] == pytest.approx(1)


def test_what_reads_no_reference_is_not_borrowed(drawn):
    gains, survival = tables(make_sets(*drawn))
    own = gains[gains.weighting == "length"]
    assert (own.reference == own.difficulty_reference).all()
    row = survival[survival.weighting == "length"].iloc[0]
    assert (row.reason, row.references) == (references.NOT_BORROWED, 2)
    assert np.isnan(row.borrowed)


def test_sets_of_other_systems_are_not_compared(drawn):
    sets = make_sets(*drawn)
    found = sets[1].files.contents["evalset.json"]
    sets[1].files.contents["evalset.json"] = replace(found, systems=found.systems[::-1])
    with pytest.raises(Missing, match=references.OTHER_SYSTEMS):
        references.check(sets)


def test_findings_count_gains_and_say_what_there_is_not(drawn):
    sets = make_sets(*drawn)
    agreement = pd.DataFrame(references.agreement_rows(sets, 1, 1), columns=references.AGREEMENT)
    survival = tables(sets)[1]
    files = SetFiles(
        "c/p", {"references/agreement.csv": agreement, "references/survival.csv": survival}
    )
    text = reference_findings.describe({"c/p": files})
    known = survival[survival.gain.notna()]
    assert "References: A, B." in text
    assert f"Of {len(known)} gains" in text
    assert f"{(known.low > 0).sum()} are above 0" in text
    assert "| chrF | EE | SPA |" in text
    assert reference_findings.NO_SETS in reference_findings.describe({})
    none = SetFiles("c/p", dict.fromkeys(files.contents, Missing("there is no source text")))
    assert "There is no source text." in reference_findings.describe({"c/p": none})
