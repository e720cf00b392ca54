"""How heavy a large set's page is, and how soon its segments are there."""

import numpy as np
import page_run
import pytest
from page_visit import WIDE, watched

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence import set_weightings

pytestmark = pytest.mark.slow

WORDS = 25  # of a segment
# Systems, segments and metrics of a set of WMT19, and of one with all stored metrics of WMT23.
SIZES = {"many segments": (22, 2000, 3), "many metrics": (12, 500, 100)}
MEGABYTE = 1e6
STATISTICS = ["pearson", "kendall", "spearman"]
DIFFICULTIES = {"entropy": {"type": "chunk_entropy", "aligner": "exact"}}
WEIGHTINGS = {
    "EE": {"type": "groups", "difficulty": "entropy", "threshold": 0.6, "easy_weight": 0.4}
}


def settings(metrics):
    """What the rule of the page is given, for as many metrics with stored scores."""
    kinds = {f"metric-{number}": "stored" for number in range(metrics)}
    return {
        "metrics": {name: {"type": kind} for name, kind in kinds.items()},
        "matches": {},
        "difficulties": DIFFICULTIES,
        "weightings": WEIGHTINGS,
        "types": kinds,
        "shown": 20,
        "statistics": STATISTICS,
    }


def write(folder, systems, segments, metrics):
    """The files of a set of this size; gives its page."""
    rng = np.random.default_rng(11)
    found = make_set(systems, segments, rng)
    evalset.save(folder / "evalset.json", found)
    write_difficulty(folder, found, rng)
    quality = np.linspace(0, 1, systems)[:, None, None]
    numbers = {"systems": found.systems, "signature": "made up"}
    for name in settings(metrics)["metrics"]:
        scores = quality + rng.normal(size=(systems, segments, 1))
        storage.write_arrays(folder / f"statistics/{name}.npz", statistics=scores, **numbers)
    difficulties = {"standard": "", "EE": "entropy"}
    page_run.write_scores(folder, found, settings(metrics), difficulties, least=4)
    page_run.render_one(folder.parents[1], "test/en-de", settings(metrics), {})
    return folder / "report.html"


def make_set(systems, segments, rng):
    """Hypotheses are references of common and rare words, in which some were replaced."""
    shares = 1 / np.arange(1, 20_001)
    letters = np.array(list("etaoinshrdlucmfw"))
    words = np.array(["".join(rng.choice(letters, 2 + i % 9)) for i in range(20_000)])

    def draw(count):
        return rng.choice(words, count, p=shares / shares.sum())

    reference = [draw(WORDS) for _ in range(segments)]
    hypotheses = []
    for system in range(systems):
        changed = [
            np.where(rng.random(WORDS) < 0.2 + 0.02 * system, draw(WORDS), line)
            for line in reference
        ]
        hypotheses.append([" ".join(line) for line in changed])
    gold = np.linspace(0, 1, systems)
    names = [f"System-{number:02}.{7 * number}" for number in range(systems)]
    return evalset.EvaluationSet(
        *("test", "en-de", "refA", "mqm", names, gold.tolist()),
        source=[" ".join(draw(WORDS)) for _ in range(segments)],
        reference=[" ".join(line) for line in reference],
        hypotheses=hypotheses,
        segment_gold=rng.normal(size=(systems, segments)).round(2).tolist(),
    )


def write_difficulty(folder, found, rng):
    """Random difficulties, and links of which some leave the order of the reference."""
    shape = (len(found.systems), len(found.reference))
    links = np.tile(np.arange(WORDS), np.prod(shape))
    links = np.where(rng.random(links.size) < 0.1, rng.integers(0, WORDS, links.size), links)
    links = np.where(rng.random(links.size) < 0.7, links, -1)
    arrays = {"difficulty": rng.random(shape), "links": links, "lengths": np.full(shape, WORDS)}
    numbers = {"systems": found.systems, "signature": "made up"}
    storage.write_arrays(folder / "difficulty/entropy.npz", **arrays, **numbers)
    files = read_set("test/en-de", map(str, folder.rglob("*.npz")))
    described = set_weightings.describe(files, found.systems, DIFFICULTIES, WEIGHTINGS)
    for entry in (*described["difficulties"].values(), *described["weightings"].values()):
        entry["description"] = "made up"
    storage.write_json(folder / "weightings.json", described)


@pytest.fixture(scope="module", params=SIZES)
def large(request, tmp_path_factory):
    """The page of a large set, and how many systems it has."""
    size = SIZES[request.param]
    return write(tmp_path_factory.mktemp("run") / "test/en-de", *size), size[0]


def test_the_page_of_a_large_set_is_small(large):
    assert large[0].stat().st_size < 2 * MEGABYTE
    assert (large[0].parent / "segments.js").stat().st_size < 4 * MEGABYTE


def test_a_segment_is_there_soon_after_it_is_asked_for(large, browser):
    file, systems = large
    with watched(browser) as visit:
        page = visit(file, "#segment=77", WIDE)
        page.locator(".passage h3").get_by_text("Segment 77 ").wait_for()
        assert page.locator(".hypotheses tbody tr").count() == systems
