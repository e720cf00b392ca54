"""Where a weighting's correlations stand among those of random difficulties, inverted weights and
random metrics."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import controls, evalset, storage, token_weighting
from mt_difficulty.controls import Control
from mt_difficulty.correlation import STATISTICS, best_systems
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS


class SetControls:
    """Controls of a set's metrics under every weighting of which there are scores."""

    def __init__(self, snakemake, scored):
        self.params, self.difficult = snakemake.params, None
        self.settings = token_weighting.Settings(**self.params.DA)
        if any(weighting.startswith("EE") for _, weighting in scored):
            difficulty = storage.read_json(snakemake.input.difficulty)
            entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
            self.difficult, self.w = entropy >= difficulty["h"], difficulty["w"]
        self.ee = self._ee(snakemake.input.statistics, scored)
        self.metrics_of = {}  # metrics of one encoder share its matches
        for metric, file in zip(self.params.neural, snakemake.input.matches, strict=True):
            if (metric, "DA") in scored:
                self.metrics_of.setdefault(file, []).append(metric)

    def of(self, index):
        """Controls of some systems, by metric and weighting; higher is better."""
        found = {
            (metric, "EE"): Control(control.shuffled[:, index], control.inverted[index])
            for metric, control in self.ee.items()
        }
        for file, metrics in self.metrics_of.items():
            for weighting, control in self._da(file, index).items():
                found |= {(metric, weighting): control for metric in metrics}
        return found

    def _ee(self, files, scored):
        metrics, statistics = {}, {}
        for (name, settings), file in zip(self.params.metrics.items(), files, strict=True):
            if (name, "EE") in scored:
                metrics[name] = METRICS[settings["type"]]
                statistics[name] = storage.read_arrays(file)["statistics"]
        found = self._split(metrics, statistics, self.difficult) if metrics else {}
        return {
            name: Control(*map(metrics[name].quality, control[:2]))
            for name, control in found.items()
        }

    def _da(self, file, index):
        """Controls of DA's weightings; difficulty is that of the systems at hand."""
        matches, _ = token_weighting.rescaled_matches(storage.read_arrays(file))
        matches = token_weighting.select(matches, index)
        found = {
            weighting: controls.da_control(
                matches, self.settings, others, self.params.draws, self._rng()
            )
            for weighting, others in (("DA", False), ("DA-LOO", True))
        }
        if self.difficult is not None:
            difficulty = token_weighting.token_difficulty(matches.reference_similarity)
            statistics = token_weighting.segment_scores(matches, difficulty, self.settings)
            metrics = {"EE-DA": self.settings}
            found |= self._split(metrics, {"EE-DA": statistics}, self.difficult[index])
        return found

    def _split(self, metrics, statistics, difficult):
        return controls.ee_controls(
            metrics, statistics, difficult, self.w, self.params.draws, self._rng()
        )

    def _rng(self):
        return np.random.default_rng(self.params.seed)


def subsets(gold, sizes):
    """All systems, and the K best ones, as indices."""
    yield "all", np.arange(len(gold))
    for size in sizes:
        if size <= len(gold):
            yield "top", best_systems(gold, size)


def rows(snakemake, gold):
    """The rows of the table."""
    params, none = snakemake.params, [np.nan] * len(STATISTICS)
    found = storage.read_table(snakemake.input.correlations)
    values = {(r.metric, r.weighting, r.subset, r.size): r[-3:] for r in found.itertuples()}
    missing = storage.read_table(snakemake.input.missing)
    reasons = {(row.metric, row.weighting): row.reason for row in missing.itertuples()}
    scored = dict.fromkeys(zip(found.metric, found.weighting, strict=True))
    set_controls = SetControls(snakemake, scored)
    for subset, index in subsets(gold, params.top):
        of_subset, size = set_controls.of(index), len(index)
        random = controls.random_metric(
            gold[index], params.draws, np.random.default_rng(params.seed)
        )
        for metric, weighting in scored | reasons:
            if weighting == "standard":
                continue
            for row in controls.describe(
                values.get((metric, weighting, subset, size), none),
                values.get((metric, "standard", subset, size), none),
                of_subset.get((metric, weighting), controls.no_control(size)),
                gold[index],
                random,
                reasons.get((metric, weighting)),
            ):
                yield [metric, weighting, subset, size, *row]


def main(snakemake):
    try:
        gold = np.array(evalset.load(snakemake.input.evalset).gold)
    except Missing:
        gold = None  # no rows, as in the scores
    table = [] if gold is None else rows(snakemake, gold)
    storage.write_table(snakemake.output[0], pd.DataFrame(table, columns=controls.COLUMNS))


if "snakemake" in globals():
    run(main, snakemake)
