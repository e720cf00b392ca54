"""Sets with other references, and without one: from the config to tables, findings and pages."""

import shutil

import numpy as np
import pandas as pd
import pytest
import tiny
import yaml

from mt_difficulty import storage

pytestmark = pytest.mark.slow

NAME = "tiny/en-de"
WITHOUT = f"{NAME}.no_reference.mqm"
TWO = {"metrics": ["chrF", "BERTScore"], "weightings": ["EE", "DA"]}
NO_SCORES = {"metrics": ["chrF"], "weightings": ["consensus"], "segments": "all"}
NONE = {"metrics": ["QE", "chrF", "BERTScore"], "weightings": ["consensus"]}
CONFIG = tiny.CONFIG | {
    "papers": [],
    "archive": "tiny/mt-metrics-eval-v2",
    "evaluation_sets": [
        tiny.SET | TWO,
        tiny.SET | TWO | {"reference": "refB"},
        tiny.SET | NONE | {"reference": ""},
        tiny.SET | NO_SCORES | {"reference": ""},
    ],
    "metrics": {
        "chrF": {"type": "chrf"},
        "BERTScore": {"type": "bertscore"},
        "QE": {"type": "stored", "file": "QE.tsv"},
    },
    "difficulties": {
        "consensus": {"type": "consensus_entropy", "aligner": "exact"},
        "dissimilarity": {"type": "consensus_dissimilarity", "metric": "BERTScore"},
    },
    "weightings": {"consensus": {"type": "hardest", "difficulty": "consensus", "share": 0.5}},
}
CONFIG.pop("truth")


@pytest.fixture(scope="module")
def results(project):
    """The results of one run, and what it printed."""
    root = project.root
    campaign = root / "tiny/mt-metrics-eval-v2/tiny"
    tiny.write_campaign(root / "data/demo/archive/demo", campaign)
    shutil.copy(campaign / "system-outputs/en-de/alder.txt", campaign / "references/en-de.refB.txt")
    rng = np.random.default_rng(1)
    lines = [f"{system}\t{rng.random()}\n" for system in tiny.SYSTEMS for _ in range(tiny.SEGMENTS)]
    (root / "QE.tsv").write_text("".join(lines))
    (root / "tiny.yaml").write_text(yaml.safe_dump(CONFIG))
    targets = [f"{tiny.CONFIG['results']}/{WITHOUT}/report.html"]
    targets.append(f"{tiny.CONFIG['results']}/{WITHOUT}.all/report.html")
    # One system deviates from the others in its human scores.
    gold = campaign / "human-scores/en-de.mqm.sys.score"
    names = [line.split("\t")[0] for line in gold.read_text().splitlines()]
    values = [1.0, 1.1, 1.2, 1.3, 1.4, 50.0]
    gold.write_text("".join(f"{n}\t{v}\n" for n, v in zip(names, values, strict=True)))
    printed = project.snakemake(*targets, "--configfile", "tiny.yaml")
    return root / tiny.CONFIG["results"], printed


def test_a_set_without_any_score_says_why(results):
    folder = results[0] / f"{WITHOUT}.all"
    missing = pd.read_csv(folder / "missing.csv")
    assert set(missing.reason) == {"the set has no reference translation"}
    assert "no reference" in (folder / "report.html").read_text(encoding="utf-8")


def test_a_set_without_reference_has_scores_difficulties_and_a_page(results):
    folder = results[0] / WITHOUT
    scores = pd.read_csv(folder / "system_scores.csv")
    assert set(scores.metric) == {"QE"}
    assert set(scores.weighting) == {"standard", "consensus"}
    missing = pd.read_csv(folder / "missing.csv").set_index("metric").reason
    for metric in ("chrF", "BERTScore"):
        assert set(missing[[metric]]) == {"the set has no reference translation"}
    for name in ("consensus", "dissimilarity"):
        arrays = storage.read_arrays(folder / f"difficulty/{name}.npz")
        assert arrays["values"].shape == (5, 5, tiny.SEGMENTS)
        assert str(arrays["information"]) == "outputs"
        assert (arrays["difficulty"] > 0).any()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "no reference" in page
    entropy = storage.read_json(folder / "weightings.json")["difficulties"]["chunk_entropy"]
    assert entropy["missing"] == "the set has no reference translation"
