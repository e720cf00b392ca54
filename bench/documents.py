"""Statements on texts of documents, tested by document and by segment, where the truth is known.

`.venv/bin/python bench/documents.py` prints the tables of docs/statistics.md in a quarter of an
hour. `--archive FOLDER`, a folder of mt-metrics-eval-v2, adds the table of real texts.

Segments of a simulated document share a part of all their scores. It is so large that the variance
of the difference between two systems' means is the design effect times that of independent
segments.
"""

import argparse
import itertools
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from mt_difficulty.evidence import gains, resampling  # noqa: E402
from mt_difficulty.evidence.dec import resample_counts  # noqa: E402
from mt_difficulty.evidence.sentinels import resampled_statistic  # noqa: E402
from mt_difficulty.evidence.units import (  # noqa: E402
    DOCUMENTS,
    SEGMENTS,
    Unit,
    Units,
    single_segments,
    whole_documents,
)
from mt_difficulty.metrics.base import Metric  # noqa: E402
from mt_difficulty.metrics.chrf import ChrF  # noqa: E402
from mt_difficulty.scoring.comparing import describe_score, draw  # noqa: E402
from mt_difficulty.weighting.base import WeightedMetric  # noqa: E402

DESIGN_EFFECTS = (1, 1.5, 2, 4)
NUMBERS = (10, 20, 50, 200)
FEW = (5, 8, 10, 12, 15, 20)
# Design effect where documents are few, and where power is computed.
MIDDLE_EFFECT = 2
UNITS: tuple[Unit, ...] = (DOCUMENTS, SEGMENTS)
# Mean number of segments in a document.
LENGTH = 10
# Systems of a set with human scores.
SYSTEMS = 8
# Standard deviation of a system's bias on easy segments, where weighting by difficulty helps.
BIAS = 0.3
STATISTICS = ["pearson"]
# Sets of the archive for real texts, and how many of their systems are compared.
REAL_SETS = (("wmt22", "zh-en"), ("wmt23", "zh-en"), ("wmt24", "en-cs"))
REAL_SYSTEMS = 8
LEVEL = 0.05


class Texts(NamedTuple):
    """The documents of a simulated set.

    Attributes
    ----------
    documents : ndarray of int
        The document of each segment, (segments,).
    shared : float
        Share of the variance of a score that is its document's (intraclass correlation).
    """

    documents: np.ndarray
    shared: float

    def scores(self, shape: tuple[int, ...], rng: np.random.Generator) -> np.ndarray:
        """Draw normal scores of mean 0 and variance 1, (*shape, segments)."""
        of_documents = rng.normal(size=(*shape, self.documents.max() + 1))[..., self.documents]
        own = rng.normal(size=of_documents.shape)
        return np.sqrt(self.shared) * of_documents + np.sqrt(1 - self.shared) * own

    def units(self, unit: Unit) -> Units:
        """Return what is resampled; documents however few."""
        if unit == SEGMENTS:
            return single_segments(len(self.documents))
        return whole_documents(self.documents.astype(str))


def make_texts(
    number: int, design_effect: float, rng: np.random.Generator, unequal: bool = False
) -> Texts:
    """Make documents of LENGTH segments or, if `unequal`, of geometrically distributed lengths with
    this mean, whose segments share as much as gives the design effect."""
    lengths = rng.geometric(1 / LENGTH, number) if unequal else np.full(number, LENGTH)
    # The design effect is 1 + (Σ length² / Σ length − 1) · shared.
    mean_length = (lengths**2).sum() / lengths.sum()
    shared = min(1.0, (design_effect - 1) / (mean_length - 1))
    return Texts(np.repeat(np.arange(number), lengths), shared)


class Comparison(NamedTuple):
    """What was found on one simulated pair of equal systems: 0 or 1 each.

    Attributes
    ----------
    better : int
        Whether one system is called better than the other.
    bootstrap : int
        Whether the interval of the difference excludes 0.
    covered : float
        Whether the interval of the first system's score has its expectation; NaN without interval.
    """

    better: int
    bootstrap: int
    covered: float


def compare_equal(
    texts: Texts, ee: bool, resamples: int, units: Iterable[Unit], rng: np.random.Generator
) -> list[Comparison]:
    """Simulate two equal systems and compare them as `score` does, by each of `units`.

    Half of the variance of scores and difficulties is the segment's, for both systems; EE has the
    threshold of Eq. 9, above which are about 5 % of the hypotheses, and w = 0.5.
    """
    quality = texts.scores((1,), rng) + texts.scores((2,), rng)
    weighted = WeightedMetric.standard(Metric, quality[..., None])
    if ee:
        difficulty = texts.scores((1,), rng) + texts.scores((2,), rng)
        means = difficulty.mean(axis=0)
        weighted = weighted.in_groups(difficulty >= means.mean() + 2 * means.std(), 0.5)
    found = []
    for unit in units:
        draws = draw(texts.units(unit), resamples, int(rng.integers(2**32)))
        rows, _, _ = describe_score(weighted, ["first", "second"], draws)
        (scores,) = resampling.resampled_scores([weighted], draws.weights, draws.units)
        low, high = resampling.interval(scores[:, 0] - scores[:, 1])
        covered = float(rows[0]["low"] <= 0 <= rows[0]["high"])
        found.append(
            Comparison(
                better=int(any(row["better_than"] for row in rows)),
                bootstrap=int(low > 0 or high < 0),
                covered=covered if np.isfinite(rows[0]["low"]) else np.nan,
            )
        )
    return found


def comparisons(
    number: int,
    design_effect: float,
    samples: int,
    resamples: int,
    *,
    ee: bool = False,
    unequal: bool = False,
    seed: int = 1,
) -> dict[Unit, Comparison]:
    """Compare equal systems on simulated documents.

    Parameters
    ----------
    number : int
        Number of documents.
    design_effect : float
    samples, resamples : int
        Numbers of simulated sets, and of resamples and permutations of each.
    ee : bool
        Under EE instead of without weights.
    unequal : bool
        Whether documents differ in length.
    seed : int

    Returns
    -------
    dict of Comparison
        Shares of the samples, by document and by segment.
    """
    rng = np.random.default_rng([seed, number, int(10 * design_effect), ee, unequal])
    found = []
    for _ in range(samples):
        texts = make_texts(number, design_effect, rng, unequal)
        found.append(compare_equal(texts, ee, resamples, UNITS, rng))
    with np.errstate(invalid="ignore"):
        shares = np.nanmean(np.array(found, float), axis=0)
    return {unit: Comparison(*of_unit) for unit, of_unit in zip(UNITS, shares, strict=True)}


class Correlations(NamedTuple):
    """What was found on one simulated set with human scores: 0 or 1 each.

    Attributes
    ----------
    segments, joint : int
        Whether the interval of r over segments has the r of expected scores; human scores held or
        resampled, too.
    difference_segments, difference_joint : int
        Whether the interval of the difference in r of two metrics has the expected scores' one.
    gain_p, loss_p : int
        Whether EE has a higher or lower r than the standard weighting with `permutation_p` up to
        LEVEL.
    helps, harms : int
        Whether, in addition, the interval of the difference over segments excludes 0.
    """

    segments: int
    joint: int
    difference_segments: int
    difference_joint: int
    gain_p: int
    loss_p: int
    helps: int
    harms: int


def correlate_set(
    texts: Texts, gain: bool, resamples: int, unit: Unit, rng: np.random.Generator
) -> Correlations:
    """Simulate a set with human scores, and compute intervals and tests of correlations.

    A second metric differs from the first one in systems' expected scores and in a part of the
    noise. EE takes a random quarter of the hypotheses as difficult (w = 0.5). If `gain`, the metric
    has a bias towards some systems on the easy ones.
    """
    truth = rng.normal(size=SYSTEMS)
    plain = truth + 0.3 * rng.normal(size=SYSTEMS)
    other = plain + 0.1 * rng.normal(size=SYSTEMS)
    noise = texts.scores((SYSTEMS,), rng)
    other_noise = 0.8 * noise + 0.6 * texts.scores((SYSTEMS,), rng)
    gold = truth[:, None] + texts.scores((SYSTEMS,), rng)
    difficulty = texts.scores((SYSTEMS,), rng)
    difficult = difficulty >= np.quantile(difficulty, 0.75)
    scores = plain[:, None] + noise
    if gain:
        scores += np.where(difficult, 0.0, BIAS * rng.normal(size=(SYSTEMS, 1)))
    standard = WeightedMetric.standard(Metric, scores[..., None])
    second = WeightedMetric.standard(Metric, (other[:, None] + other_noise)[..., None])
    weighteds = {
        ("metric", "standard"): standard,
        ("metric", "EE"): standard.in_groups(difficult, 0.5),
        ("metric", "second"): second,
    }
    observed = {key: weighted.observed_quality() for key, weighted in weighteds.items()}
    drawn = gains.Resamples(
        weighteds,
        observed,
        truth,
        resamples,
        int(rng.integers(2**32)),
        STATISTICS,
        texts.units(unit),
        gold,
    )
    everything = np.arange(SYSTEMS)[None]
    values = {key: drawn.means(quality[None], everything)[0] for key, quality in observed.items()}
    table = drawn.estimates(everything, list(weighteds), values).set_index("weighting")
    r_plain, r_other = (np.corrcoef(expected, truth)[0, 1] for expected in (plain, other))
    one, two, ee = table.loc["standard"], table.loc["second"], table.loc["EE"]
    change = r_other - r_plain
    significant = ee.permutation_p <= LEVEL
    above, below = ee.difference_segments_low > 0, ee.difference_segments_high < 0
    return Correlations(
        segments=one.segments_low <= r_plain <= one.segments_high,
        joint=one.joint_low <= r_plain <= one.joint_high,
        difference_segments=(two.difference_segments_low <= change <= two.difference_segments_high),
        difference_joint=two.difference_joint_low <= change <= two.difference_joint_high,
        gain_p=significant and ee.difference > 0,
        loss_p=significant and ee.difference < 0,
        helps=significant and above,
        harms=significant and below,
    )


def correlations(
    number: int,
    design_effect: float,
    samples: int,
    resamples: int,
    *,
    gain: bool = False,
    seed: int = 1,
) -> dict[Unit, Correlations]:
    """Correlate metrics with human scores on simulated documents of equal length.

    Parameters
    ----------
    number : int
        Number of documents.
    design_effect : float
    samples, resamples : int
    gain : bool
        Whether EE raises the correlation of expected scores; else difficulty is noise.
    seed : int

    Returns
    -------
    dict of Correlations
        Shares of the samples, by document and by segment.
    """
    shares = {}
    for unit in UNITS:
        # The same sets for both units.
        rng = np.random.default_rng([seed, number, int(10 * design_effect), gain])
        seeds = rng.integers(2**32, size=samples)
        texts = make_texts(number, design_effect, rng)
        found = [
            correlate_set(texts, gain, resamples, unit, np.random.default_rng(of_sample))
            for of_sample in seeds
        ]
        shares[unit] = Correlations(*np.mean(np.array(found, float), axis=0))
    return shares


class RealSet(NamedTuple):
    """Segment chrF of a set's first systems, (systems, segments), and segments' documents."""

    chrf: np.ndarray
    documents: list[str]


def read_real(archive: Path, campaign: str, pair: str) -> RealSet:
    """Read a set of the archive and score REAL_SYSTEMS systems, the first by name."""
    folder = archive / campaign
    reference = (folder / f"references/{pair}.refA.txt").read_text("utf-8").split("\n")[:-1]
    outputs = sorted((folder / "system-outputs" / pair).glob("*.txt"))
    systems = [path for path in outputs if "ref" not in path.stem][:REAL_SYSTEMS]
    texts = [path.read_text("utf-8").split("\n")[:-1] for path in systems]
    documents = (folder / f"documents/{pair}.docs").read_text("utf-8").split("\n")[:-1]
    scores = ChrF(pair, average="segments").segment_statistics(texts, reference)
    return RealSet(scores[..., 0], documents)


def false_of_swapped(
    real: RealSet, unit: Unit, samples: int, resamples: int, *, centred: bool, seed: int = 1
) -> float:
    """Compare pairs of real systems that are equal because whole documents were exchanged.

    Parameters
    ----------
    real : RealSet
    unit : {"documents", "segments"}
        What the comparison resamples and exchanges.
    samples : int
        Number of random exchanges of each pair.
    resamples : int
    centred : bool
        Whether the difference of the two means is subtracted before the exchange.
    seed : int

    Returns
    -------
    float
        Share of comparisons that call one system better.
    """
    rng = np.random.default_rng(seed)
    documents = whole_documents(real.documents)
    units = documents if unit == DOCUMENTS else single_segments(len(real.documents))
    found = []
    for first, second in itertools.combinations(real.chrf, 2):
        if centred:
            second = second + (first - second).mean()
        for _ in range(samples):
            exchanged = rng.integers(2, size=documents.size)[documents.numbers].astype(bool)
            pair = np.array(
                [np.where(exchanged, second, first), np.where(exchanged, first, second)]
            )
            weighted = WeightedMetric.standard(Metric, pair[..., None])
            draws = draw(units, resamples, int(rng.integers(2**32)))
            rows, _, _ = describe_score(weighted, ["first", "second"], draws)
            found.append(any(row["better_than"] for row in rows))
    return float(np.mean(found))


def measured_design_effect(real: RealSet) -> float:
    """Return the design effect of documents on the difference of two systems' mean chrF, the median
    over pairs of systems."""
    documents = whole_documents(real.documents)
    effects = []
    for first, second in itertools.combinations(real.chrf, 2):
        centred = first - second - (first - second).mean()
        effects.append((documents.sums(centred) ** 2).sum() / (centred**2).sum())
    return float(np.median(effects))


def print_table(header: list[str], rows: Iterable[list[str]]) -> None:
    """Print a table as Markdown, each row when it is known."""
    print(f"\n| {' | '.join(header)} |")
    print(f"|{' --- |' * len(header)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def print_error(samples: int) -> None:
    """Print the standard errors of shares of so many samples."""
    errors = [f"{np.sqrt(p * (1 - p) / samples):.3f} at {p}" for p in (0.05, 0.2, 0.5)]
    print(f"\nMonte-Carlo standard error of {samples} samples: {', '.join(errors)}", flush=True)


def both(by_unit: dict, name: str) -> str:
    """Format the share of this name by document and by segment."""
    return " / ".join(f"{getattr(by_unit[unit], name):.3f}" for unit in UNITS)


def print_comparisons(samples: int, resamples: int) -> None:
    """Print shares of false statements and coverage of intervals of scores."""
    found = {
        (number, effect, ee): comparisons(number, effect, samples, resamples, ee=ee)
        for number in NUMBERS
        for effect in DESIGN_EFFECTS
        for ee in (False, True)
    }
    titles = {"better": "False better than", "covered": "Coverage of intervals of scores"}
    for name, title in titles.items():
        print(f"\n{title}, by document / by segment")
        header = ["documents", "weighting", *(f"design effect {x}" for x in DESIGN_EFFECTS)]
        rows = (
            [str(number), weighting]
            + [both(found[number, effect, ee], name) for effect in DESIGN_EFFECTS]
            for number in NUMBERS
            for ee, weighting in ((False, "standard"), (True, "EE"))
        )
        print_table(header, rows)
    print_error(samples)


def print_few(samples: int, resamples: int) -> None:
    """Print the same for few documents."""
    print("\nFew documents, unweighted, design effect 2, by document / by segment")
    header = ["documents", "lengths", "false better than"]
    header += ["interval of difference excludes 0", "coverage of intervals of scores"]

    def rows() -> Iterable[list[str]]:
        for number in FEW:
            for unequal in (False, True):
                shares = comparisons(number, MIDDLE_EFFECT, samples, resamples, unequal=unequal)
                cells = [both(shares, name) for name in Comparison._fields]
                yield [str(number), "unequal" if unequal else "equal", *cells]

    print_table(header, rows())
    print_error(samples)


def print_correlations(samples: int, resamples: int) -> None:
    """Print coverage of intervals of r and false gains and losses."""
    found = {
        (number, effect): correlations(number, effect, samples, resamples)
        for number in NUMBERS
        for effect in DESIGN_EFFECTS
    }
    titles = {
        "segments": "Coverage of segments_* of r",
        "joint": "Coverage of joint_* of r",
        "difference_segments": "Coverage of difference_segments_* of r",
        "difference_joint": "Coverage of difference_joint_* of r",
        "gain_p": "False gains: permutation_p up to 0.05",
        "helps": "False helps: permutation_p up to 0.05, interval over segments above 0",
        "loss_p": "Losses: permutation_p up to 0.05",
        "harms": "Harms: permutation_p up to 0.05, interval over segments below 0",
    }
    for name, title in titles.items():
        print(f"\n{title}, by document / by segment")
        rows = (
            [str(number), *(both(found[number, effect], name) for effect in DESIGN_EFFECTS)]
            for number in NUMBERS
        )
        print_table(["documents", *(f"design effect {x}" for x in DESIGN_EFFECTS)], rows)
    print_error(samples)


def print_power(samples: int, resamples: int) -> None:
    """Print how often a real gain is found."""
    print("\nPower: a real gain, design effect 2, by document / by segment")

    def rows() -> Iterable[list[str]]:
        for number in NUMBERS:
            shares = correlations(number, MIDDLE_EFFECT, samples, resamples, gain=True)
            yield [str(number), both(shares, "gain_p"), both(shares, "helps")]

    print_table(["documents", "permutation_p up to 0.05", "and interval above 0"], rows())
    print_error(samples)


def print_real(archive: Path, samples: int, resamples: int) -> None:
    """Print shares of false statements on real texts."""
    print("\nReal texts with exchanged documents: false better than, by document / by segment")

    def rows() -> Iterable[list[str]]:
        for campaign, pair in REAL_SETS:
            real = read_real(archive, campaign, pair)
            sizes = [str(len(real.documents)), str(whole_documents(real.documents).size)]
            sizes.append(f"{measured_design_effect(real):.1f}")
            cells = []
            for centred in (True, False):
                shares = [
                    false_of_swapped(real, unit, samples, resamples, centred=centred)
                    for unit in UNITS
                ]
                cells.append(" / ".join(f"{share:.3f}" for share in shares))
            yield [f"{campaign} {pair}", *sizes, *cells]

    header = ["set", "segments", "documents", "design effect", "equal means", "as they are"]
    print_table(header, rows())
    pairs = REAL_SYSTEMS * (REAL_SYSTEMS - 1) // 2
    print_error(pairs * samples)


def scores_of_segments(documents: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return difficulties with their sign turned and human scores, (systems, segments), of segments
    in documents of five; those of a document share a part of both."""
    shared = rng.normal(size=(2, documents, 1)) * [[[0.7]], [[0.5]]]
    own = rng.normal(size=(2, documents, 5)) * [[[1.0]], [[0.5]]]
    difficulty, noise = (shared + own).reshape(2, -1)
    quality = np.linspace(0, 1, SYSTEMS)[:, None]
    errors = 1.2 * rng.normal(size=(SYSTEMS, difficulty.size))
    return np.broadcast_to(-difficulty, errors.shape), quality - difficulty - noise + errors


def print_sentinels(samples: int, resamples: int) -> None:
    """Print how often intervals of correlations of segment scores cover those of all texts."""
    rng = np.random.default_rng(3)
    cells = list(itertools.product(("segment_pearson", "segment_kendall"), ("none", "system")))
    scores, gold = scores_of_segments(20_000, rng)
    once = np.ones((gold.shape[1], 1), int)
    truth = {cell: resampled_statistic(*cell, scores, gold, once)[0] for cell in cells}

    def rows() -> Iterable[list[str]]:
        for documents in NUMBERS:
            units = whole_documents([str(number // 5) for number in range(5 * documents)])
            covered = dict.fromkeys(cells, 0)
            for _ in range(samples):
                scores, gold = scores_of_segments(documents, rng)
                counts = resample_counts(units, resamples, rng)
                for cell in cells:
                    values = resampled_statistic(*cell, scores, gold, counts)
                    low, high = resampling.interval(values[1:])
                    covered[cell] += low <= truth[cell] <= high
            yield [str(documents), *(f"{covered[cell] / samples:.3f}" for cell in cells)]

    print("\nCorrelations of segment scores: coverage of intervals by document")
    header = ["documents", "r all segments", "r by system", "τ all segments", "τ by system"]
    print_table(header, rows())
    print_error(samples)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--samples", type=int, default=500)
    parser.add_argument("--resamples", type=int, default=400)
    parser.add_argument("--archive", type=Path, help="folder of mt-metrics-eval-v2")
    arguments = parser.parse_args()
    samples, resamples = arguments.samples, arguments.resamples
    print_few(2 * samples, resamples)
    print_comparisons(samples, resamples)
    # A set of correlations takes longer.
    of_correlations = max(1, 2 * samples // 5)
    print_correlations(of_correlations, resamples // 2)
    print_power(of_correlations, resamples // 2)
    print_sentinels(samples, resamples // 2)
    if arguments.archive is None:
        print("\nReal texts: skipped without --archive")
    else:
        print_real(arguments.archive, max(1, samples // 25), resamples)


if __name__ == "__main__":
    main()
