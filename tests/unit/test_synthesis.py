"""Synthesis over sets, and the mixed model of pairs of systems, against published examples, brute
force and simulation."""

import numpy as np
import pandas as pd
import pytest
import statsmodels.formula.api as smf
from scipy import stats
from statsmodels.stats.multitest import multipletests
from study_frames import study_draws, study_effects, study_pairs

from mt_difficulty.evidence import synthesis
from mt_difficulty.evidence.study import draw_units
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


def approx(expected, absolute):
    return pytest.approx(expected, abs=absolute)


def bcg():
    """Log risk ratios and their standard errors."""
    cases, others, control_cases, control = BCG.T
    total, control_total = cases + others, control_cases + control
    effects = np.log(cases / total) - np.log(control_cases / control_total)
    variances = 1 / cases - 1 / total + 1 / control_cases - 1 / control_total
    return effects, np.sqrt(variances)


def test_random_effects_of_published_examples():
    # metafor: tau^2 0.3181 (method="PM"), Q 152.2330 with I^2 92.12 % by Q; its REML, DL: 0.3132,
    # 0.3088, with means -0.7145, -0.7141 and a standard error of 0.1798.
    pooled = synthesis.random_effects(*bcg(), [])
    numbers = pooled.tau2, pooled.q, pooled.i2
    assert numbers == (approx(0.3181, 5e-5), approx(152.2330, 5e-4), approx(0.9212, 5e-5))
    assert (pooled.effect, pooled.error) == (approx(-0.7145, 1e-3), approx(0.1798, 2e-3))
    # With few degrees of freedom the prediction interval is Higgins'; metafor's, of REML and the
    # normal distribution, is -1.8667 to 0.4375.
    reach = stats.t.ppf(0.975, 11) * np.sqrt(pooled.tau2 + pooled.error**2)
    assert pooled.prediction_low == pytest.approx(pooled.effect - reach)
    normal = reach * 1.959964 / stats.t.ppf(0.975, 11)
    ends = pooled.effect - normal, pooled.effect + normal
    assert ends == (approx(-1.8667, 0.012), approx(0.4375, 0.012))


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
    first, second = np.arange(40) % 4, np.arange(40) // 5
    effects = rng.normal(size=4)[first] + rng.normal(size=8)[second] + rng.normal(size=40)
    weights = rng.uniform(0.5, 3, 40)
    ways = first, second, 10 * first + second
    variances, df = zip(*(brute_cr2(effects, weights, codes) for codes in ways), strict=True)
    error, found = synthesis.cluster_robust(effects, weights, [first])
    assert [error**2, found] == pytest.approx([variances[0], df[0]], rel=1e-9)
    # Two ways add up.
    error, found = synthesis.cluster_robust(effects, weights, [first, second])
    expected = max(variances[0] + variances[1] - variances[2], *variances[:2])
    assert [error**2, found] == pytest.approx([expected, min(df[:2])], rel=1e-9)


@pytest.mark.parametrize(("within", "wider"), [(0, "clusters"), (1, "sets")])
def test_the_interval_is_the_wider_of_two(within, wider):
    """Effects are alike within three campaigns, or differ within these alone."""
    rng = np.random.default_rng(3)
    campaigns = np.arange(12) % 3 if within == 0 else np.arange(12) // 4
    effects = (
        np.array([0.0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2]) * 0.1
        if within == 0
        else np.tile([0.0, 0.1, 0.2, 0.3], 3)
    )
    effects = effects + rng.normal(0, 0.001, 12)
    found = synthesis.random_effects(effects, np.full(12, 0.01), [campaigns])
    # Of equal errors both are of the simple mean.
    variance, df = brute_cr2(effects, np.ones(12), campaigns)
    ends = {
        "clusters": stats.t.ppf(0.975, df) * np.sqrt(variance),
        "sets": stats.t.ppf(0.975, 11) * stats.sem(effects),
    }
    assert max(ends, key=ends.get) == wider
    assert found.high - found.effect == pytest.approx(ends[wider], rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("mean", "repeats"), [(0.0, 400), (0.03, 100)])
def test_interval_covers_and_has_power(mean, repeats):
    """With effects of campaigns, pairs and sets."""
    rng, held, shown = np.random.default_rng(5), [], []
    for _ in range(repeats):
        codes = [rng.integers(6, size=24), rng.integers(9, size=24)]
        errors = rng.uniform(0.005, 0.02, 24)
        effects = mean + rng.normal(0, errors) + 0.005 * rng.normal(size=24)
        effects += 0.005 * rng.normal(size=6)[codes[0]]
        pooled = synthesis.random_effects(effects, errors, codes)
        held.append(pooled.low <= mean <= pooled.high)
        shown.append(pooled.p < 0.05)
    # 400 repeats: a true coverage of 0.95 is below 0.92 with probability 0.004.
    assert np.mean(held) >= (0.92 if repeats == 400 else 0.88)
    assert np.mean(shown) > 0.9 or not mean


@pytest.mark.parametrize(
    ("effect", "low", "high", "p_adjusted", "verdict"),
    [
        (0.05, 0.03, 0.07, 0.001, "helps"),
        (-0.05, -0.07, -0.03, 0.001, "harms"),
        (0.05, np.nan, np.nan, 0.001, "helps"),
        (0.03, 0.001, 0.07, 0.08, "cannot tell"),
        (0.03, -0.001, 0.07, 0.01, "cannot tell"),
        (0.03, 0.0, 0.06, 0.01, "cannot tell"),
        (0.001, -0.003, 0.005, 0.6, "no effect larger than the margin"),
        (0.005, -0.035, 0.045, 0.8, "cannot tell"),
        (0.004, 0.002, 0.006, 0.01, "helps"),
        (0.05, np.nan, np.nan, np.nan, "cannot tell"),
        (np.nan, np.nan, np.nan, np.nan, "not computed"),
    ],
)
def test_verdicts(effect, low, high, p_adjusted, verdict):
    rows = pd.DataFrame({"effect": [effect], "low": low, "high": high, "p_adjusted": p_adjusted})
    assert synthesis.verdicts(rows, "effect", 0.01).tolist() == [verdict]


@pytest.mark.slow
def test_the_interval_on_these_sets_covers_where_sets_share_texts():
    """Sets have half or all of the texts, whose effects are alike in all sets, and noise. Errors of
    sets that were taken as independent would not cover."""
    rng, held, apart = np.random.default_rng(12), [], []
    for texts in np.arange(200 * 60).reshape(200, 60):
        shared, effects, draws = rng.normal(0.02, 0.2, 60), [], []
        for part in (slice(None), slice(None, None, 2), slice(None), slice(1, None, 2)):
            values = shared[part] + rng.normal(0, 0.1, shared[part].size)
            effects.append(values.mean())
            draws.append(draw_units(texts[part], 100, seed=3) @ values / values.size)
        effects, draws = np.array(effects), np.array(draws)
        errors = draws.std(axis=1, ddof=1)
        fixed = synthesis.fixed_mean(effects, errors, draws)
        held.append(fixed["fixed_low"] <= 0.02 <= fixed["fixed_high"])
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
    power = synthesis.power_table(effects, pooled, draws, seed=0)
    power = power[power.tier == "surface"].set_index("common_effect")
    assert list(power.index) == [0.01, 0.02, 0.03, 0.05]
    assert power.power.is_monotonic_increasing
    assert set(power.tests) == {2}
    used = effects[effects.tier == "surface"]
    codes, rng, level = [used.campaign, used.pair], np.random.default_rng(16), 0.05 / 2
    for common, row in power.iterrows():
        studies = common + rng.normal(0, 0.02, (400, 8))
        pooled = [synthesis.random_effects(study, np.full(8, 0.02), codes) for study in studies]
        share = np.mean([study.p <= level and study.effect > 0 for study in pooled])
        assert row.power == pytest.approx(share, abs=0.08), common
        fixed = stats.norm.sf(stats.norm.isf(level / 2) - common / (0.02 / np.sqrt(8)))
        assert row.fixed_power == pytest.approx(fixed, abs=0.06), common


BY = ["contrast", "tier", "statistic"]


def test_effects_that_differ_between_sets_lower_the_power(monkeypatch):
    """Of simulated sets whose true effects have the variance τ², about 0.04²; errors are 0.01."""
    monkeypatch.setattr(synthesis, "REPEATS", 200)
    effects = study_effects(8, np.random.default_rng(14), ("EE",)).assign(pair="en-de", error=0.01)
    effects = effects[effects.tier == "surface"].assign(effect=[0.04, -0.04] * 4)
    draws = study_draws(effects, np.random.default_rng(15), 2000)
    pooled = synthesis.pool(effects, BY, 0.01, ["EE"], draws)
    power = synthesis.power_table(effects, pooled, draws, seed=0).set_index("common_effect").power
    tau = np.std([0.04, -0.04] * 4, ddof=1)
    studies = 0.05 + np.random.default_rng(16).normal(0, tau, (200, 8))
    codes = [effects.campaign, effects.pair]
    found = [synthesis.random_effects(study, np.full(8, 0.01), codes) for study in studies]
    share = np.mean([study.p <= 0.05 and study.effect > 0 for study in found])
    # Three standard errors of 200 simulated studies, twice.
    assert power[0.05] == pytest.approx(share, abs=0.15)
    assert share < 0.85


def test_pool_of_simulated_sets():
    effects = study_effects(24, np.random.default_rng(8))
    of_group = (effects.contrast == "EE") & (effects.tier == "surface")
    gone = effects.index[of_group][:3]
    effects.loc[gone, ["effect", "error"]] = np.nan
    effects.loc[gone, "reason"] = ["h is infinite", "h is infinite", "no texts"]
    draws = study_draws(effects, np.random.default_rng(8))
    pooled = synthesis.pool(effects, BY, 0.01, ["EE", "DA"], draws)
    row = pooled[(pooled.contrast == "EE") & (pooled.tier == "surface")].iloc[0]
    used = effects[of_group].dropna(subset="effect")
    values = used.effect.to_numpy(), used.error.to_numpy()
    alone = synthesis.random_effects(*values, [used.campaign, used.pair])._asdict()
    alone |= synthesis.fixed_mean(*values, synthesis.draws_of(used, draws))
    assert row[list(alone)].tolist() == pytest.approx(list(alone.values()))
    # Errors of sets that share all of their texts add up.
    shared = np.outer([1, 2], np.random.default_rng(9).normal(size=300))
    both = synthesis.fixed_mean(np.array([0.1, 0.3]), np.array([0.03, 0.04]), shared)
    assert (both["fixed_effect"], both["fixed_error"]) == pytest.approx((0.2, 0.035))
    assert (row.sets, row.sets_without, row.campaigns) == (21, 3, 4)
    assert row.reasons == "2 × h is infinite; 1 × no texts"
    primary, rest = (rows for _, rows in pooled.groupby(pooled.contrast == "length"))
    smallest = primary.p.idxmin()
    assert primary.p_adjusted[smallest] == pytest.approx(min(1, 4 * primary.p[smallest]))
    assert set(primary.family) == {"Holm, primary contrasts, 4 tests"}
    assert set(rest.family) == {"false discovery rate, other contrasts, 2 tests"}
    assert rest.p_adjusted.to_numpy() == pytest.approx(stats.false_discovery_control(rest.p))


def test_phases_are_families_of_their_own():
    effects = study_effects(24, np.random.default_rng(8), mean=0.004)
    draws = study_draws(effects, np.random.default_rng(8))
    pooled = synthesis.pool(effects, [*BY, "phase"], 0.01, ["EE", "DA"], draws)
    for (phase, primary), rows in pooled.groupby(["phase", pooled.contrast != "length"]):
        family = f"phase {phase}, {'primary' if primary else 'other'} contrasts"
        expected = multipletests(rows.p, method="holm" if primary else "fdr_bh")[1]
        assert rows.p_adjusted.to_numpy() == pytest.approx(expected), family
        assert len(rows) == (4 if primary else 2), family


def null_frames(rng, draws=40, sets=8, shift=0.0, shared=False):
    """Effects of sets that are draws of their null, and the null's draws. With `shared` two sets
    each are of the same texts, and their draws the same."""
    campaigns = [f"c{i // 2 if shared else i}" for i in range(sets)]
    values = rng.normal(0, 0.02, (draws + 1, sets))
    if shared:
        values = np.repeat(values[:, ::2], 2, axis=1)
    head = {"pair": "en-de", "contrast": "EE", "tier": "surface", "statistic": "soft_accuracy"}
    about = pd.DataFrame({"set": range(sets), "campaign": campaigns}).assign(**head)
    drawn = [about.assign(null="permuted", draw=i, effect=row) for i, row in enumerate(values[1:])]
    return about.assign(effect=values[0] + shift, error=0.01), pd.concat(drawn)


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
    for shift, studies in ((0.0, 200), (0.03, 40)):
        frames = (null_frames(rng, shift=shift, shared=shared) for _ in range(studies))
        rejected = np.mean([pool_nulls(*tables).p.iloc[0] < 0.05 for tables in frames])
        if shift:
            assert rejected > 0.7, f"power at {shift}"
        else:
            assert rejected == pytest.approx(0.05, abs=0.045), "size"


def test_effects_beyond_chance_are_beyond_every_null():
    names = ["contrast", "null", "effect", "null_mean", "p", "p_adjusted"]
    rows = [
        *(("a", "permuted", 0.03, 0.01, 0.01), ("a", "random_subset", 0.03, 0.0, 0.02)),
        *(("b", "permuted", 0.03, 0.01, 0.01), ("b", "random_subset", 0.03, 0.0, 0.2)),
        *(("c", "permuted", 0.01, 0.03, 0.01), ("d", "permuted", np.nan, np.nan, np.nan)),
    ]
    about = {"tier": "surface", "statistic": "soft_accuracy"}
    nulls = pd.DataFrame([(*row, row[-1]) for row in rows], columns=names).assign(**about)
    pooled = pd.DataFrame({"contrast": list("abcd")}).assign(phase="all", **about)
    assert against_chance(pooled, nulls) == [
        "more than chance",
        "more than chance by permuted alone",
        "not shown to be more than chance",
        "not compared with chance",
    ]
    # A study whose contrasts name no nulls.
    assert against_chance(pooled, pd.DataFrame(columns=nulls.columns)) == [
        "not compared with chance"
    ] * len(pooled)


def model(pairs):
    found = synthesis.pair_model(pairs)
    return found[found.kind == "model"].set_index("term")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:The MLE may be on the boundary")
def test_cells_give_what_rows_give():
    # The gap has ten values, so a cell's pairs differ in their agreement alone.
    pairs = study_pairs(12, np.random.default_rng(1))
    plain = pairs.assign(agreement=pairs.agrees_plain, weighted=0)
    long = pd.concat([plain, pairs.assign(agreement=pairs.agrees, weighted=1)])
    fit = smf.mixedlm("agreement ~ weighted * gap + tier", long, groups=long["set"]).fit()
    rows = model(pairs)
    terms = {"weighted": ("weighted", 0.05), "weighted × gap": ("weighted:gap", -0.03)}
    for term, (other, truth) in terms.items():
        # Variances, and with them weights, are estimated from cells and from rows.
        estimate, error = rows.estimate[term], rows.error[term]
        assert estimate == pytest.approx(fit.params[other], abs=0.3 * fit.bse[other]), term
        assert error == pytest.approx(fit.bse[other], rel=0.3), term
        assert estimate == pytest.approx(truth, abs=4 * error), term


def test_fifths_by_hand():
    pairs = study_pairs(10, np.random.default_rng(5))
    pairs["gap"] += 0.001 * np.arange(len(pairs)) / len(pairs)  # no ties
    found = synthesis.pair_model(pairs)
    gains = pairs.agrees - pairs.agrees_plain
    fifth = pd.qcut(pairs.gap, 5, labels=False)
    for tier in ("all", "surface", "learned"):
        rows = found[(found.kind == "quintile") & (found.tier == tier)]
        for i, row in enumerate(rows.itertuples()):
            case = f"tier {tier}, fifth {i}"
            inside = (fifth == i) & ((pairs.tier == tier) | (tier == "all"))
            means = gains[inside].groupby(pairs["set"][inside]).mean()
            assert row.estimate == pytest.approx(means.mean(), abs=1e-12), case
            assert row.pairs == inside.sum(), case
            # 2,000 bootstrap samples: the standard error's own error is 1.6 %.
            assert row.error == pytest.approx(means.sem(), rel=0.08), case
            # Student's t, 9 degrees of freedom.
            ends = stats.t.interval(0.95, 9, row.estimate, row.error)
            assert (row.low, row.high) == pytest.approx(ends), case
            p = 2 * stats.t.sf(abs(row.estimate) / row.error, 9)
            assert row.p == pytest.approx(p), case
