"""Human scores that cannot be right: found where they are made, and nowhere in WMT's data."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mt_difficulty as md
from mt_difficulty.data.campaign_files import gold_names, reference_files
from mt_difficulty.data.evalset import read_evaluation_set, segment_gold_doubt
from mt_difficulty.data.gold_checks import find_doubts
from mt_difficulty.data.own_files import read_own_files

DEMO = Path(__file__).parents[2] / "data/demo/archive"
SYSTEMS = [f"s{number:02}" for number in range(10)]
SEGMENTS = 60


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
