"""Runs of several configs into one folder of results: no page contradicts the tables beside it."""

import shutil

import pytest
import tiny
import yaml
from conftest import Project
from test_contributing import rows_of

from mt_difficulty import storage

pytestmark = pytest.mark.slow

SET = tiny.SET | {"metrics": ["chrF"]}
PLAIN = tiny.CONFIG | {"archive": "tiny", "metrics": {"chrF": {"type": "chrf"}}}
PLAIN.pop("truth")
CONFIGS = {
    "all": PLAIN | {"evaluation_sets": [SET, SET | {"pair": "en-fr"}]},
    "mine": PLAIN | {"papers": [], "evaluation_sets": [SET | {"reference": "refB"}]},
    "fewer": {"weightings": {"EE": {"threshold": "quantile_0.8"}}},
}
PAPER = "papers/tiny/report.html"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A project after a whole run with a paper, and its pages' bytes."""
    project = Project(tmp_path_factory.mktemp("runs"))
    root = tiny.write_project(project.root)
    campaign, demo = root / "tiny/mt-metrics-eval-v2/tiny", root / "data/demo/archive/demo"
    tiny.write_campaign(demo, campaign, "en-fr")
    shutil.copy(campaign / "system-outputs/en-de/alder.txt", campaign / "references/en-de.refB.txt")
    for name, config in CONFIGS.items():
        (root / f"{name}.yaml").write_text(yaml.safe_dump(config))
    project.snakemake("--configfile", "all.yaml")
    folder = root / tiny.CONFIG["results"]
    return project, folder, {page: page.read_bytes() for page in folder.rglob("*.html")}


def pearson(folder):
    """Pearson's r over all systems, by weighting, where it is defined."""
    found = storage.read_table(folder / "correlations.csv")
    found = found[found.subset == "all"].set_index("weighting").pearson
    return found.dropna().to_dict()


def pages(folder):
    """The sets that have a page, and those that the index shows, after every r on these pages was
    compared with the set's table."""
    sets = [page.parent for page in folder.glob("tiny/*/report.html")]
    for place in sets:
        rows = storage.read_json(place / "report.json")["correlations"]
        shown = {row["weighting"]: row["pearson"] for row in rows if row["pearson"] is not None}
        assert shown == pytest.approx(pearson(place), abs=1e-12)
    index, indexed = folder / "report.html", []
    if index.exists():
        for row in rows_of(index.read_text(encoding="utf-8"), "findings-h")[1:]:
            name, _, *shown = row.split(" | ")
            r = [float(text) for text in shown if text != "–"]
            assert r == pytest.approx(list(pearson(folder / name).values()), abs=5e-4)
            indexed.append(name)
    return {place.name for place in sets}, indexed


def test_another_reference_has_another_folder_a_page_and_the_index(runs):
    project, folder, whole = runs
    assert pages(folder) == ({"en-de", "en-fr"}, ["tiny/en-de", "tiny/en-fr"])
    table = (folder / "tiny/en-de/correlations.csv").read_bytes()
    output = project.snakemake("tiny_en_de", "--configfile", "mine.yaml")
    other = "tiny/en-de.refB.mqm"
    assert "tiny/en-de has results with reference refA, gold mqm, segments all" in output
    assert f"the set of this run is {other}." in output
    assert (folder / "tiny/en-de/correlations.csv").read_bytes() == table
    assert pages(folder) == ({"en-de", "en-fr", "en-de.refB.mqm"}, [other])
    assert f'href="{other}/report.html"' in (folder / "report.html").read_text(encoding="utf-8")
    # The other pages are as they were.
    kept = [page for page in whole if page.parent != folder]
    assert [page for page in kept if page.read_bytes() != whole[page]] == []


def test_a_set_made_again_has_its_page_and_an_index_of_what_is_there(runs):
    project, folder, whole = runs
    before = pearson(folder / "tiny/en-fr")
    project.snakemake("tiny_en_fr", "--configfile", "all.yaml", "fewer.yaml")
    assert pearson(folder / "tiny/en-fr") != before
    assert pages(folder)[1] == ["tiny/en-de", "tiny/en-fr"]
    index = (folder / "report.html").read_text(encoding="utf-8")
    # What is over all sets is from before; the paper is of the other set.
    assert 'id="held-out-h"' not in index
    assert f'href="{PAPER}' in index
    assert (folder / PAPER).read_bytes() == whole[folder / PAPER]


def test_pages_of_tables_that_a_run_made_again_are_removed(runs):
    project, folder, whole = runs
    table = f"{tiny.CONFIG['results']}/tiny/en-de/correlations.csv"
    output = project.snakemake(table, "--configfile", "all.yaml", "fewer.yaml")
    assert pages(folder) == ({"en-fr", "en-de.refB.mqm"}, [])
    for page in ("report.html", PAPER, "tiny/en-de/report.html"):
        assert not (folder / page).exists()
        assert (
            f"{tiny.CONFIG['results']}/{page}: it shows results that have been made again" in output
        )
    project.snakemake("--configfile", "all.yaml")
    assert {page: page.read_bytes() for page in whole} == whole
    nothing = project.snakemake("tiny_en_de", "tiny_en_fr", "--configfile", "all.yaml", "-n")
    assert "Nothing to be done" in nothing
