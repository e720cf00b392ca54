"""Bootstrap and permutation tests against the programs that people use for them."""

import numpy as np
from measuring import Cost, compare, interleave, report

from mt_difficulty.evidence import gains, resampling
from mt_difficulty.evidence.subsets import CORRELATIONS
from mt_difficulty.evidence.units import single_segments
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting.base import WeightedMetric

RESAMPLES = 1000


def bench_statistics(found):
    """Paired bootstrap of BLEU; intervals and PERM-BOTH of one row of correlations."""
    bench_paired_bootstrap(found)
    bench_correlations(found)


def bench_paired_bootstrap(found):
    """All systems, against sacreBLEU's paired bootstrap (which compares with one baseline)."""
    from sacrebleu.metrics import BLEU
    from sacrebleu.significance import PairedTest

    metric = METRICS["bleu"](found.pair)
    named = list(zip(found.systems, found.hypotheses, strict=True))

    def ours():
        statistics = metric.segment_statistics(found.hypotheses, found.reference)
        weighted = WeightedMetric(metric.aggregate, statistics)
        rng = np.random.default_rng(1)
        weights = resampling.bootstrap_weights(statistics.shape[1], RESAMPLES, rng)
        return resampling.paired_bootstrap(*resampling.resampled_scores([weighted], weights))

    def theirs():
        test = PairedTest(
            named, {"BLEU": BLEU()}, [found.reference], test_type="bs", n_samples=RESAMPLES
        )
        return test()

    ways = {"ours": ours, "sacreBLEU": theirs}
    compare(f"paired bootstrap of BLEU, {RESAMPLES} resamples", ways, 1)


def bench_correlations(found, share=10):
    """r of chrF against gold; nlpstats makes a tenth of the resamples, its time is multiplied."""
    from nlpstats.correlations import bootstrap, permutation_test

    metric = METRICS["chrf"](found.pair)
    x = metric.segment_statistics(found.hypotheses, found.reference)
    y = x + np.random.default_rng(2).normal(scale=x.std() / 10, size=x.shape)
    gold = np.array(found.gold)
    weighteds = {
        ("chrF", "standard"): WeightedMetric(metric.aggregate, y),
        ("chrF", "EE"): WeightedMetric(metric.aggregate, x),
    }
    whole = np.arange(len(gold))[None]

    units = single_segments(next(iter(weighteds.values())).statistics.shape[1])

    def ours(resamples):
        observed = {key: one.observed_quality() for key, one in weighteds.items()}
        resampled = gains.Resamples(
            weighteds, observed, gold, resamples, 1, [*CORRELATIONS, "accuracy"], units
        )
        values = {key: resampled.means(one[None], whole)[0] for key, one in observed.items()}
        return resampled.estimates(whole, weighteds, values)

    ours(100)  # compiles
    cells = np.broadcast_to(gold[:, None], x.shape[:2])

    def theirs():
        draws = RESAMPLES // share
        for side in (x, y):
            for over in ("inputs", "systems", "both"):
                bootstrap(side[..., 0], cells, "system", "pearson", over, n_resamples=draws)
        permutation_test(
            x[..., 0], y[..., 0], cells, "system", "pearson", "both", n_resamples=draws
        )

    costs, _ = interleave({"ours": lambda: ours(RESAMPLES), "theirs": theirs}, 1)
    peer = Cost(*(share * np.array(costs["theirs"])))
    what = f"intervals and PERM-BOTH, {RESAMPLES} resamples"
    report(what, costs["ours"], {"nlpstats (r alone)": peer})
