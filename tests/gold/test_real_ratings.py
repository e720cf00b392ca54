"""Golds of real ratings: official scores, tests by document, and what the mixed model changes.

Expected numbers were computed with independent code on the same ratings, and are met within 2.
"""

import gzip
import tarfile

import human_scores as bench
import numpy as np
import pandas as pd
import pytest
from threadpoolctl import threadpool_limits

from mt_difficulty.errors import Missing
from mt_difficulty.gold import base, make_gold, mixed

# Share of equal systems called different at 5 %, and wins, of a test by document; pairs.
BY_DOCUMENT = {
    "wmt22-da-toen.cs-en": (4, 37),
    "wmt22-da-toen.de-en": (7, 2),
    "wmt22-da-toen.zh-en": (5, 19),
    "wmt24-esa-wave23.en-cs": (6, 67),
    "wmt24-esa-wave23.en-zh": (4, 31),
    "wmt23-ESA-1.en-de": (6, 48),
    "wmt23-MQM-1.en-de": (4, 43),
}
RANK_SUM_WINS = {
    "wmt22-da-toen.cs-en": 44,
    "wmt22-da-toen.de-en": 20,
    "wmt22-da-toen.zh-en": 39,
    "wmt24-esa-wave23.en-cs": 84,
    "wmt24-esa-wave23.en-zh": 51,
    "wmt23-ESA-1.en-de": 54,
    "wmt23-MQM-1.en-de": 55,
}
# Order changes of the model against official means, wins of rank sum and of the model, official
# wins that the model does not support.
CHANGES = {
    "wmt24-esa-wave23.en-cs": (12, 88, 74, 25),
    "wmt24-esa-wave23.en-zh": (11, 53, 48, 9),
    "wmt23-ESA-1.en-de": (4, 57, 53, 9),
    "wmt23-ESA-2.en-de": (4, 60, 50, 13),
    "wmt23-MQM-1.en-de": (8, 56, 41, 18),
    "wmt21.tedtalks-mqm.en-de": (12, 55, 43, 17),
}


@pytest.fixture(autouse=True)
def one_thread_of_blas():
    """The matrices are small: threads gain nothing from them, and wait on a busy CPU."""
    with threadpool_limits(1):
        yield


@pytest.fixture(scope="module")
def annotations(shared, made_once):
    """Return the folder of raw and uniform annotations."""
    packed = shared / "data/annotations.tgz"
    if not packed.is_file():
        pytest.skip(f"{packed} is not there")

    def unpack(folder):
        with tarfile.open(packed) as archive:
            archive.extractall(folder, filter="data")

    return made_once("annotations", unpack) / "annotations"


@pytest.fixture(scope="module")
def uniform(annotations):
    return annotations / "uniform"


def official_scale(annotations, pair):
    """Means and standard deviations of annotators, as the official z-scores use them: printed by R,
    one value a line, with seven digits."""
    file = annotations / f"wmt22-da-toen/ad-{pair.replace('-', '')}-trk-mean-sd.txt"
    values = [line.split()[1].strip('"') for line in file.read_text().splitlines()]
    table = pd.DataFrame({"mean": values[1::3], "deviation": values[2::3]}, index=values[::3])
    return table.astype(float)


def official(annotations, pair, kind):
    """Official scores of direct assessment; systems without their numbers."""
    file = annotations / f"wmt22-da-toen/ad-{kind}-scores-{pair}.csv"
    if kind == "seg":
        with gzip.open(f"{file}.gz", "rt") as lines:
            table = pd.read_csv(lines, sep=r"\s+")
    else:
        table = pd.read_csv(file, sep=r"\s+")
    return table.assign(SYS=table.SYS.str.replace(r"\.\d+$", "", regex=True))


@pytest.mark.parametrize(
    ("pair", "tolerance"),
    # The official files of de-en have 65 segment scores of 0 that no rating supports.
    [("cs-en", 1e-9), ("zh-en", 1e-9), ("de-en", 9.3e-4)],
)
def test_means_and_z_are_the_official_ones(annotations, uniform, pair, tolerance):
    ratings = bench.read_uniform(uniform, f"wmt22-da-toen.{pair}")
    table = official(annotations, pair, "sys").set_index("SYS").sort_index()
    raw = make_gold("mean").fit(ratings)
    scale = official_scale(annotations, pair)
    z = make_gold("z").fit(ratings._replace(annotator_scale=scale))
    assert raw.systems == list(table.index)
    np.testing.assert_allclose(z.scores, table["Z.SCR"], rtol=0, atol=tolerance)
    if pair == "de-en":
        return
    np.testing.assert_allclose(raw.scores, table["RAW.SCR"], rtol=0, atol=tolerance)
    segments = official(annotations, pair, "seg")
    for name, human in (("RAW.SCR", raw), ("Z.SCR", z)):
        ours = human.segment_scores[np.isfinite(human.segment_scores)]
        np.testing.assert_allclose(np.sort(ours), np.sort(segments[name]), rtol=0, atol=1e-9)


@pytest.mark.parametrize("pair", ["bn-hi", "hi-bn", "xh-zu", "zu-xh"])
def test_systems_on_other_segments_cannot_be_adjusted(uniform, pair):
    ratings = bench.read_uniform(uniform, f"wmt21-da-flores.{pair}")
    with pytest.raises(Missing, match="every system was rated on other segments"):
        make_gold("mixed").fit(ratings)
    with pytest.raises(Missing, match="screens are unknown"):
        make_gold("within_screen").fit(ratings)
    of_document = ratings.table.annotator + ratings.table.document
    with_screens = ratings._replace(table=ratings.table.assign(screen=of_document))
    with pytest.raises(Missing, match="no screen has translations of a segment by several"):
        make_gold("within_screen").fit(with_screens)


@pytest.mark.parametrize("name", list(BY_DOCUMENT))
def test_wins_by_document(uniform, name):
    ratings = bench.read_uniform(uniform, name)
    human = bench.official_scores(ratings, name)
    wins = bench.real_wins(human, bench.documents_of(ratings, human.segments))
    assert wins["rank sum"] == pytest.approx(RANK_SUM_WINS[name], abs=2)
    assert wins["by document"] == pytest.approx(BY_DOCUMENT[name][1], abs=2)
    # The gold's errors are of means over all rated segments, not over those that both have.
    assert wins["gold"] == pytest.approx(wins["by document"], abs=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", list(BY_DOCUMENT))
def test_swapped_labels(uniform, name):
    """At 5 %, the test by document calls equal systems different about as often as it says."""
    ratings = bench.read_uniform(uniform, name)
    human = bench.official_scores(ratings, name)
    documents = bench.documents_of(ratings, human.segments)
    rng = np.random.default_rng(1)
    false = bench.swapped_labels(human.segment_scores, documents, 100, rng)
    assert 100 * false["by document"] == pytest.approx(BY_DOCUMENT[name][0], abs=2)
    assert 100 * false["by document"] <= 8
    assert false["rank sum"] > 0.14


@pytest.mark.parametrize("name", list(CHANGES))
def test_what_the_model_changes(uniform, name):
    ratings = bench.read_uniform(uniform, name)
    human = make_gold("mixed").fit(ratings)
    found = bench.changes(make_gold("mean").fit(ratings), human)
    assert list(found.values())[1:] == pytest.approx(CHANGES[name], abs=2)


@pytest.mark.parametrize("start", [0.15, 4.0])
def test_the_optimum_does_not_depend_on_the_start(uniform, start):
    """Of these ratings, a simplex that is cut off at 0 stays there."""
    ratings = bench.read_uniform(uniform, "wmt23-MQM-IAA.en-de")
    cells = base.read_cells(mixed.averaged(ratings.table))
    design, _ = mixed.make_design(cells)
    products = mixed.cross_products(design, cells.score)
    effects = list(design.effects)
    first = mixed.fit_ratios(products, effects)
    second = mixed.fit_ratios(products, effects, start=dict.fromkeys(effects, start))
    assert second == pytest.approx(first, abs=0.01)
    assert min(first.values()) > 0.3


@pytest.mark.slow
def test_what_the_model_changes_in_direct_assessment(uniform):
    ratings = bench.read_uniform(uniform, "wmt22-da-toen.de-en")
    human = make_gold("mixed", response="z").fit(ratings)
    found = bench.changes(make_gold("z").fit(ratings), human)
    assert found["order_changes"] == pytest.approx(8, abs=2)


def test_ranks_of_a_real_set(uniform):
    ratings = bench.read_uniform(uniform, "wmt23-ESA-1.en-de")
    table = base.statements(make_gold("mixed").fit(ratings))
    assert list(table.cluster) == [1] * 10 + [2] * 3
    assert (table.best_rank <= table.index + 1).all()
    assert (table.worst_rank >= table.index + 1).all()
