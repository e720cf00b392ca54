"""Synthesis over sets, and the mixed model of pairs of systems, against published examples, brute
force and simulation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.regression.mixed_linear_model import MixedLM
from study_frames import study_draws, study_effects, study_pairs

from mt_difficulty.evidence import pair_model, synthesis
from mt_difficulty.evidence.joint import draw_segments
from mt_difficulty.evidence.synthesis import against_chance, pool_nulls

# Trials of the BCG vaccine (Colditz et al. 1994; metafor's dat.bcg): cases and others, vaccinated
# and not.
BCG = np.array(
    [
        *((4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619)),
        *((33, 5036, 47, 5761), (180, 1361, 372, 1079), (8, 2537, 10, 619)),
        *((505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600)),
        *((186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825)),
    ],
    float,
)
# statsmodels' test data exk1, and what metafor's rma(method="PM") prints of it.
EXK1 = np.array([61.0, 61.4, 62.21, 62.3, 62.34, 62.6, 62.7, 62.84, 65.9])
EXK1_VARIANCES = np.array([0.2025, 1.2100, 0.0900, 0.2025, 0.3844, 0.5625, 0.0676, 0.0225, 1.8225])


def bcg():
    """Log risk ratios and their standard errors."""
    cases, others, control_cases, control = BCG.T
    total, control_total = cases + others, control_cases + control
    effects = np.log(cases / total) - np.log(control_cases / control_total)
    variances = 1 / cases - 1 / total + 1 / control_cases - 1 / control_total
    return effects, np.sqrt(variances)


def test_paule_mandel_of_the_bcg_trials():
    # metafor: tau^2 0.3181 (method="PM"), Q 152.2330 with I^2 92.12 % by Q; its REML, DL: 0.3132,
    # 0.3088, with means -0.7145, -0.7141 and a standard error of 0.1798.
    effects, errors = bcg()
    pooled = synthesis.random_effects(effects, errors, [])
    assert pooled.tau2 == pytest.approx(0.3181, abs=5e-5)
    assert pooled.q == pytest.approx(152.2330, abs=5e-4)
    assert pooled.i2 == pytest.approx(0.9212, abs=5e-5)
    assert pooled.mean == pytest.approx(-0.7145, abs=1e-3)
    assert pooled.error == pytest.approx(0.1798, abs=2e-3)
    assert pooled.df == 12


def test_paule_mandel_of_statsmodels_example():
    pooled = synthesis.random_effects(EXK1, np.sqrt(EXK1_VARIANCES), [])
    assert pooled.mean == pytest.approx(62.4076199, abs=1e-5)
    assert pooled.error == pytest.approx(0.3380306, abs=1e-5)
    assert pooled.tau2 == pytest.approx(0.7053953, abs=1e-5)
    assert pooled.q == pytest.approx(24.8018977, abs=1e-5)


def test_prediction_interval_with_few_degrees_of_freedom_is_higgins():
    effects, errors = bcg()
    pooled = synthesis.random_effects(effects, errors, [])
    reach = stats.t.ppf(0.975, 11) * np.sqrt(pooled.tau2 + pooled.error**2)
    assert pooled.prediction_low == pytest.approx(pooled.mean - reach)
    # metafor's, of REML and the normal distribution, is -1.8667 to 0.4375.
    z = 1.959964 / stats.t.ppf(0.975, 11)
    assert pooled.mean - z * reach == pytest.approx(-1.8667, abs=0.012)
    assert pooled.mean + z * reach == pytest.approx(0.4375, abs=0.012)


def test_equal_errors_without_scale_give_the_t_interval():
    effects = np.random.default_rng(1).normal(0.3, 1, 15)
    pooled = synthesis.random_effects(effects, np.full(15, 0.01), [])
    low, high = stats.t.interval(0.95, 14, effects.mean(), stats.sem(effects))
    assert [pooled.low, pooled.high] == pytest.approx([low, high], rel=1e-4)
    assert pooled.p == pytest.approx(stats.ttest_1samp(effects, 0).pvalue, rel=1e-3)


def brute_cr2(effects, weights, codes):
    """CR2 and Satterthwaite's degrees of freedom by matrices (Bell & McCaffrey 2002), in the space
    where the working model has the variance 1."""
    x = np.sqrt(weights)[:, None]
    inverse = np.linalg.inv(x.T @ x)
    residual_maker = np.eye(len(x)) - x @ inverse @ x.T
    residuals = residual_maker @ (np.sqrt(weights) * effects)
    rows = []
    for code in np.unique(codes):
        inside = codes == code
        values, vectors = np.linalg.eigh(residual_maker[np.ix_(inside, inside)])
        root = vectors @ np.diag(values**-0.5) @ vectors.T
        rows.append((inverse @ x[inside].T @ root).ravel() @ residual_maker[inside])
    rows = np.array(rows)
    variance = ((rows @ residuals) ** 2).sum()
    products = rows @ rows.T
    return variance, np.trace(products) ** 2 / (products**2).sum()


def test_cr2_against_matrices():
    rng = np.random.default_rng(2)
    effects, weights = rng.normal(size=17), rng.uniform(0.5, 3, 17)
    codes = np.arange(17) % 5
    variance, df = brute_cr2(effects, weights, codes)
    error, found = synthesis.cluster_robust(effects, weights, [codes])
    assert [error**2, found] == pytest.approx([variance, df], rel=1e-9)


def test_two_ways_add_up():
    rng = np.random.default_rng(3)
    weights, one, other = np.ones(40), np.arange(40) % 4, np.arange(40) // 5
    effects = rng.normal(size=4)[one] + rng.normal(size=8)[other] + rng.normal(size=40)
    parts = [brute_cr2(effects, weights, each) for each in (one, other, 10 * one + other)]
    expected = max(parts[0][0] + parts[1][0] - parts[2][0], parts[0][0], parts[1][0])
    error, df = synthesis.cluster_robust(effects, weights, [one, other])
    assert error**2 == pytest.approx(expected, rel=1e-9)
    assert df == pytest.approx(min(parts[0][1], parts[1][1]), rel=1e-9)


def simulated(mean, repeats, sets=24, campaigns=6, seed=5):
    """Pooled means of sets with effects of campaigns, pairs and sets."""
    rng = np.random.default_rng(seed)
    for _ in range(repeats):
        codes = [rng.integers(campaigns, size=sets), rng.integers(9, size=sets)]
        errors = rng.uniform(0.005, 0.02, sets)
        effects = mean + rng.normal(0, errors) + 0.005 * rng.normal(size=sets)
        effects += 0.005 * rng.normal(size=campaigns)[codes[0]]
        yield synthesis.random_effects(effects, errors, codes)


@pytest.mark.slow
def test_interval_covers_and_has_power():
    # 400 repeats: a true coverage of 0.95 is below 0.92 with probability 0.004.
    held = np.mean([one.low <= 0 <= one.high for one in simulated(0.0, 400)])
    assert held >= 0.92
    found = np.mean([one.p < 0.05 for one in simulated(0.03, 100)])
    assert found > 0.9


@pytest.mark.parametrize(
    ("effect", "low", "high", "p_adjusted", "verdict"),
    [
        (0.05, 0.03, 0.07, 0.001, "helps"),
        (-0.05, -0.07, -0.03, 0.001, "harms"),
        (0.05, np.nan, np.nan, 0.001, "helps"),
        (0.03, 0.001, 0.07, 0.08, "cannot tell"),
        (0.03, -0.001, 0.07, 0.01, "cannot tell"),
        (0.001, -0.003, 0.005, 0.6, "no effect larger than the margin"),
        (0.005, -0.035, 0.045, 0.8, "cannot tell"),
        (0.004, 0.002, 0.006, 0.01, "helps"),
        (0.05, np.nan, np.nan, np.nan, "cannot tell"),
        (np.nan, np.nan, np.nan, np.nan, "not computed"),
    ],
)
def test_verdicts(effect, low, high, p_adjusted, verdict):
    assert synthesis.verdict(effect, low, high, p_adjusted, 0.01) == verdict


def fixed_sets(rng, texts, mean):
    """Effects of sets that are means over segments, with what the text adds alike in all sets, and
    their effects on resamples; sets have half or all of the texts."""
    shared = rng.normal(0, 0.2, len(texts))
    effects, draws = [], []
    for own in (texts, texts[::2], texts, texts[1::2]):
        values = mean + shared[np.isin(texts, own)] + rng.normal(0, 0.1, len(own))
        effects.append(values.mean())
        draws.append(draw_segments(own, 100, seed=3) @ values / len(own))
    return np.array(effects), np.array(draws)


@pytest.mark.slow
def test_the_interval_on_these_sets_covers_where_sets_share_texts():
    """Errors of sets that were taken as independent would not."""
    rng, held, apart = np.random.default_rng(12), [], []
    for texts in np.arange(200 * 60).reshape(200, 60):
        effects, draws = fixed_sets(rng, texts, 0.02)
        errors = draws.std(axis=1, ddof=1)
        found = synthesis.fixed_mean(effects, errors, draws)
        assert found.effect == effects.mean()
        assert found.high - found.effect == pytest.approx(1.96 * found.error, rel=1e-4)
        held.append(found.low <= 0.02 <= found.high)
        apart.append(abs(effects.mean() - 0.02) <= 1.96 * np.sqrt((errors**2).sum()) / 4)
    # A true coverage of 0.95 is below 0.9 with probability 0.002.
    assert np.mean(held) >= 0.9
    assert np.mean(apart) < 0.85


@pytest.mark.slow
def test_power_is_that_of_simulated_studies():
    """Of the same rule, with other random numbers."""
    effects = study_effects(8, np.random.default_rng(14), ("EE",)).assign(pair="en-de", error=0.02)
    effects["effect"] = np.tile([0.013, 0.013, -0.013, -0.013], 4)  # τ² is 0
    draws = study_draws(effects, np.random.default_rng(15), 2000)
    pooled = synthesis.pool(effects, BY, 0.01, ["EE"], draws)
    found = synthesis.power_table(effects, pooled, draws, seed=0)
    found = found[found.tier == "surface"].set_index("common_effect")
    assert set(found.tests) == {2}
    assert list(found.index) == [0.01, 0.02, 0.03, 0.05]
    used = effects[effects.tier == "surface"]
    codes, rng, level = [used.campaign, used.pair], np.random.default_rng(16), 0.05 / 2
    for common, row in found.iterrows():
        pooled_one = (
            synthesis.random_effects(common + rng.normal(0, 0.02, 8), np.full(8, 0.02), codes)
            for _ in range(400)
        )
        share = np.mean([one.p <= level and one.mean > 0 for one in pooled_one])
        assert row.power == pytest.approx(share, abs=0.08)
        fixed = stats.norm.sf(stats.norm.isf(level / 2) - common / (0.02 / np.sqrt(8)))
        assert row.fixed_power == pytest.approx(fixed, abs=0.06)
    assert found.power.is_monotonic_increasing


def test_false_discovery_rate_against_scipy():
    p = np.random.default_rng(7).uniform(size=20) ** 2
    found = synthesis.false_discovery_rate(np.append(p, np.nan))
    assert found[:-1] == pytest.approx(stats.false_discovery_control(p))
    assert np.isnan(found[-1])


BY = ["contrast", "tier", "statistic"]


def test_pool_of_simulated_sets():
    effects = study_effects(24, np.random.default_rng(8))
    own = (effects.contrast == "EE") & (effects.tier == "surface")
    gone = effects.index[own][:3]
    effects.loc[gone, ["effect", "error"]] = np.nan
    effects.loc[gone, "reason"] = ["h is infinite", "h is infinite", "no texts"]
    draws = study_draws(effects, np.random.default_rng(8))
    pooled = synthesis.pool(effects, BY, 0.01, ["EE", "DA"], draws)
    row = pooled[(pooled.contrast == "EE") & (pooled.tier == "surface")].iloc[0]
    kept = effects[own].dropna(subset="effect")
    alone = synthesis.random_effects(
        kept.effect.to_numpy(), kept.error.to_numpy(), [kept.campaign, kept.pair]
    )
    assert [row.effect, row.low, row.high, row.p] == pytest.approx(
        [alone.mean, alone.low, alone.high, alone.p]
    )
    fixed = synthesis.fixed_mean(
        kept.effect.to_numpy(), kept.error.to_numpy(), synthesis.draws_of(kept, draws)
    )
    columns = [f"fixed_{name}" for name in fixed._fields]
    assert row[columns].tolist() == pytest.approx(list(fixed))
    assert (row.sets, row.sets_without, row.campaigns) == (21, 3, 4)
    assert row.reasons == "2 × h is infinite; 1 × no texts"
    first = pooled.contrast.isin(["EE", "DA"])
    p = pooled.p[first].to_numpy()
    smallest = p.argmin()
    assert pooled.p_adjusted[first].iloc[smallest] == pytest.approx(min(1, 4 * p[smallest]))
    assert set(pooled.family[first]) == {"Holm, primary contrasts, 4 tests"}
    assert set(pooled.family[~first]) == {"false discovery rate, other contrasts, 2 tests"}
    rest = stats.false_discovery_control(pooled.p[~first])
    assert pooled.p_adjusted[~first].to_numpy() == pytest.approx(rest)


def null_frames(rng, draws=40, sets=8, shift=0.0, shared=False):
    """Effects of sets that are draws of their null, and the null's draws. With `shared` two sets
    each are of the same texts, and their draws the same."""
    campaigns = [f"c{i // 2 if shared else i}" for i in range(sets)]
    values = rng.normal(0, 0.02, (draws + 1, sets))
    if shared:
        values = np.repeat(values[:, ::2], 2, axis=1)
    head = {"contrast": "EE", "tier": "surface", "statistic": "soft_accuracy"}
    about = pd.DataFrame({"set": range(sets), "campaign": campaigns, "pair": "en-de", **head})
    effects = about.assign(effect=values[0] + shift, error=0.01)
    drawn = [about.assign(null="permuted", draw=i, effect=row) for i, row in enumerate(values[1:])]
    return effects, pd.concat(drawn)


def test_nulls_by_hand():
    effects, draws = null_frames(np.random.default_rng(3))
    row = pool_nulls(effects, draws).iloc[0]
    weights = np.full(8, 1 / 8)  # of equal errors
    means = draws.pivot(index="draw", columns="set", values="effect") @ weights
    spread = draws.groupby("set").effect.std()
    error = np.sqrt((spread**2).sum() / 64 * (1 + 1 / 40))
    t = (effects.effect.mean() - means.mean()) / error
    assert row.effect == pytest.approx(effects.effect.mean())
    assert row.null_mean == pytest.approx(means.mean())
    assert row.p == pytest.approx(2 * stats.t.sf(abs(t), 39))
    half = error * stats.t.ppf(0.975, 39)
    assert (row.null_low, row.null_high) == pytest.approx(
        (means.mean() - half, means.mean() + half)
    )
    # Sets of the same texts rise and fall together.
    shared = pool_nulls(effects.assign(campaign="c"), draws).iloc[0]
    error = spread.sum() / 8 * np.sqrt(1 + 1 / 40)
    assert shared.null_high - shared.null_mean == pytest.approx(error * stats.t.ppf(0.975, 39))


@pytest.mark.slow
@pytest.mark.parametrize("shared", [False, True])
def test_nulls_have_size_and_power(shared):
    rng = np.random.default_rng(10)
    found = [
        pool_nulls(*null_frames(rng, shift=shift, shared=shared)).p.iloc[0]
        for shift in [0.0] * 200 + [0.03] * 40
    ]
    assert np.mean(np.array(found[:200]) < 0.05) == pytest.approx(0.05, abs=0.045)
    assert np.mean(np.array(found[200:]) < 0.05) > 0.7


def test_effects_beyond_chance_are_beyond_every_null():
    names = ["contrast", "tier", "statistic", "null", "effect", "null_mean", "p", "p_adjusted"]
    rows = [
        *(("a", "permuted", 0.03, 0.01, 0.01), ("a", "random_subset", 0.03, 0.0, 0.02)),
        *(("b", "permuted", 0.03, 0.01, 0.01), ("b", "random_subset", 0.03, 0.0, 0.2)),
        *(("c", "permuted", 0.01, 0.03, 0.01), ("d", "permuted", -0.03, -0.01, 0.01)),
        ("e", "permuted", np.nan, np.nan, np.nan),
    ]
    nulls = pd.DataFrame(
        [(name, "surface", "soft_accuracy", *rest, rest[-1]) for name, *rest in rows], columns=names
    )
    pooled = pd.DataFrame(
        {"contrast": list("abcdef"), "tier": "surface", "statistic": "soft_accuracy"}
    )
    assert against_chance(pooled.assign(phase="all"), nulls) == [
        "more than chance",
        "more than chance by permuted alone",
        "not shown to be more than chance",
        "more than chance",
        *["not compared with chance"] * 2,
    ]
    said = against_chance(pooled.assign(phase="confirmation"), nulls)
    assert set(said) == {"not compared with chance"}


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
