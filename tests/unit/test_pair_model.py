"""The mixed model of pairs of systems, on simulated pairs of known gains."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from study_frames import study_pairs

from mt_difficulty.evidence import pair_model


def model(pairs):
    found = pair_model.pair_model(pairs)
    return found[found.kind == "model"].set_index("term")


@pytest.mark.slow
def test_known_gains_are_inside_the_intervals():
    rows = model(study_pairs(30, np.random.default_rng(0)))
    for term, truth in (("weighted", 0.05), ("weighted × gap", -0.03)):
        row = rows.loc[term]
        # Three half intervals: about 6 standard errors.
        assert abs(row.estimate - truth) < 3 * (row.high - row.estimate)
        assert row.low < row.estimate < row.high
        assert row.high - row.low < 0.2
    assert set(rows.sets) == {30}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
def test_cells_give_what_rows_give():
    # The gap has ten values, so a cell's pairs differ in their agreement alone.
    pairs = study_pairs(12, np.random.default_rng(1))
    plain = pairs.assign(agreement=pairs.agrees_plain, weighted=0)
    long = pd.concat([plain, pairs.assign(agreement=pairs.agrees, weighted=1)])
    mixed = smf.mixedlm("agreement ~ weighted * gap + tier", long, groups=long["set"])
    fit = mixed.fit()
    rows = model(pairs)
    for term, other in (("weighted", "weighted"), ("weighted × gap", "weighted:gap")):
        # Variances, and with them weights, are estimated from cells and from rows.
        assert rows.estimate[term] == pytest.approx(fit.params[other], abs=0.3 * fit.bse[other])
        assert rows.error[term] == pytest.approx(fit.bse[other], rel=0.3)


@pytest.mark.slow
def test_no_gain_is_no_finding():
    # 20 simulated studies: a test of level 5 % rejects 5 or more with probability 0.003.
    rng = np.random.default_rng(2)
    p = [model(study_pairs(8, rng, 0, 0)).p["weighted × gap"] for _ in range(20)]
    assert np.sum(np.array(p) < 0.05) < 5


def test_models_that_do_not_converge_are_said(monkeypatch):
    from statsmodels.regression.mixed_linear_model import MixedLM

    fit = MixedLM.fit

    def failing(self, **options):
        if self.k_re > 1:
            raise np.linalg.LinAlgError
        return fit(self, **options)

    pairs = study_pairs(6, np.random.default_rng(4))
    monkeypatch.setattr(MixedLM, "fit", failing)
    rows = model(pairs)
    assert set(rows.random_effects) == {"intercept"}
    assert "intercept, weighted, weighted × gap; did not" in rows.reason.iloc[0]
    assert rows.estimate.notna().all()
    monkeypatch.setattr(MixedLM, "fit", lambda self, **options: failing_all())
    rows = model(pairs)
    assert set(rows.reason) == {pair_model.NOT_CONVERGED}
    assert rows.estimate.isna().all()


def failing_all():
    raise np.linalg.LinAlgError


def test_fifths_by_hand():
    pairs = study_pairs(10, np.random.default_rng(5))
    pairs["gap"] += 0.001 * np.arange(len(pairs)) / len(pairs)  # no ties
    found = pair_model.pair_model(pairs)
    gains = pairs.agrees - pairs.agrees_plain
    fifth = pd.qcut(pairs.gap, 5, labels=False)
    for tier in ("all", "surface", "learned"):
        rows = found[(found.kind == "quintile") & (found.tier == tier)]
        for i, row in enumerate(rows.itertuples()):
            inside = (fifth == i) & ((pairs.tier == tier) | (tier == "all"))
            means = gains[inside].groupby(pairs["set"][inside]).mean()
            assert row.estimate == pytest.approx(means.mean(), abs=1e-12)
            assert row.pairs == inside.sum()
            # 2,000 bootstrap samples: the standard error's own error is 1.6 %.
            assert row.error == pytest.approx(means.sem(), rel=0.08)
