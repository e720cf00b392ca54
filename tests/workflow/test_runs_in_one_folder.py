"""Runs of several configs into one folder of results: no page contradicts the tables beside it."""

import re
import shutil

import numpy as np
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
    "fewer": {"weightings": {"EE": {"threshold": "quantile_0.8"}}},
}
PAPER = "papers/tiny/report.html"


def read_table(folder):
    """Pearson's r over all systems, by weighting, where it is defined."""
    table = storage.read_table(folder / "correlations.csv")
    return table[table.subset == "all"].set_index("weighting").pearson.dropna().to_dict()


def linked_pages(folder):
    """The sets that have a page, whose r are compared with the set's table, and those that the
    index links."""
    sets = [page.parent for page in folder.glob("tiny/*/report.html")]
    for place in sets:
        page, shown = (place / "report.html").read_text(encoding="utf-8"), {}
        for row in rows_of(page, "correlations")[1:]:
            _, weighting, _, r, *_ = row.replace("−", "-").split(" | ")
            shown |= {weighting: float(r.split()[0])} if r != "–" else {}
        assert shown == pytest.approx(read_table(place), abs=5e-4), place
    index = folder / "report.html"
    text = index.read_text(encoding="utf-8") if index.exists() else ""
    linked = re.findall('<th scope="row"><a href="tiny/([^"]+)/report.html"', text)
    return {place.name for place in sets}, linked


def test_no_page_contradicts_the_tables_of_a_later_run(tmp_path):
    project = Project(tmp_path)
    root = tiny.write_project(project.root)
    campaign = root / "tiny/mt-metrics-eval-v2/tiny"
    tiny.write_campaign(root / "data/demo/archive/demo", campaign, "en-fr")
    for name, config in CONFIGS.items():
        (root / f"{name}.yaml").write_text(yaml.safe_dump(config))
    project.snakemake("--configfile", "all.yaml")
    folder = root / tiny.CONFIG["results"]
    whole = {page: page.read_bytes() for page in folder.rglob("*.html")}
    assert linked_pages(folder) == ({"en-de", "en-fr"}, ["en-de", "en-fr"])

    # A set made again has its page and an index of what is there.
    before = read_table(folder / "tiny/en-fr")
    project.snakemake("tiny_en_fr", "--configfile", "all.yaml", "fewer.yaml")
    assert read_table(folder / "tiny/en-fr") != before
    assert linked_pages(folder)[1] == ["en-de", "en-fr"]
    index = (folder / "report.html").read_text(encoding="utf-8")
    # What is over all sets is from before; the paper is of the other set.
    assert 'id="held-out"' not in index
    assert f'href="{PAPER}' in index
    assert (folder / PAPER).read_bytes() == whole[folder / PAPER]

    # Pages of tables that a run made again are removed.
    table = f"{tiny.CONFIG['results']}/tiny/en-de/correlations.csv"
    output = project.snakemake(table, "--configfile", "all.yaml", "fewer.yaml")
    assert linked_pages(folder) == ({"en-fr"}, [])
    for page in ("report.html", PAPER, "tiny/en-de/report.html"):
        assert not (folder / page).exists(), page
        assert f"/{page}: it shows results that have been made again" in output
    project.snakemake("--configfile", "all.yaml")
    assert {page: page.read_bytes() for page in whole} == whole

    # Of a paper's file, a changed table makes this table again, and no other.
    file = root / "workflow/papers/tiny.yaml"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("caption: Correlations.", "caption: r."), encoding="utf-8")
    output = project.snakemake("--configfile", "all.yaml", "--dry-run")
    assert "build_correlations" in output
    assert "build_table" not in output
    file.write_text(text, encoding="utf-8")
    assert "Nothing to be done" in project.snakemake("--configfile", "all.yaml", "--dry-run")

    # Without its records, Snakemake does not know that other settings make other results.
    shutil.move(root / ".snakemake", root / "elsewhere")
    changed = ["--configfile", "all.yaml", "--config", "seed=7"]
    output = project.snakemake(*changed, fails=True)
    assert f"run again: rm -r {tiny.CONFIG['results']}\n" in output
    shutil.rmtree(folder)
    assert "score_systems" in project.snakemake(*changed, "--dry-run")


def test_wordnet_that_is_missing_repeats_no_job_but_meteors(tmp_path, wordnet):
    project = Project(tmp_path)
    root = tiny.write_project(project.root)
    module = root / "workflow/scripts/mt_difficulty/data/download.py"
    text = module.read_text(encoding="utf-8").replace("/usr/share/wordnet", "/nonexistent")
    module.write_text(text, encoding="utf-8")
    entry = tiny.SET | {"metrics": ["chrF", "METEOR"], "weightings": ["EE"]}
    config = PLAIN | {"papers": [], "evaluation_sets": [entry]}
    config["metrics"] = {"chrF": {"type": "chrf"}, "METEOR": {"type": "meteor"}}
    (root / "meteor.yaml").write_text(yaml.safe_dump(config))
    here = tmp_path / "no_data"
    absent = {"NLTK_DATA": str(here), "HOME": str(here), "https_proxy": "http://127.0.0.1:9"}
    run = [*project.command, "--configfile", "meteor.yaml"]
    statistics = root / tiny.CONFIG["results"] / "tiny/en-de/statistics"

    project.run(run, None, **absent)
    assert storage.is_missing(statistics / "METEOR.npz")
    chrf = (statistics / "chrF.npz").stat().st_mtime_ns
    assert "Nothing to be done" in project.run(run, None, **absent)

    found = absent | {"NLTK_DATA": str(wordnet)}
    output = project.run(run, None, **found)
    assert "score_segments_tiny_en_de_wordnet" in (root / last_log(root)).read_text(), output
    of_meteor = storage.read_arrays(statistics / "METEOR.npz")["statistics"]
    np.testing.assert_array_equal(np.isfinite(of_meteor), True)
    assert (statistics / "chrF.npz").stat().st_mtime_ns == chrf
    assert "Nothing to be done" in project.run(run, None, **found)


def last_log(root):
    """Snakemake's log of the last run."""
    return max((root / ".snakemake/log").glob("*.log"), key=lambda path: path.stat().st_mtime)
