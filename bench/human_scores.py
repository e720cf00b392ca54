"""How right golds are: simulated ratings of known truth, and real ones with swapped labels.

`.venv/bin/python bench/human_scores.py` prints the tables of docs/golds.md on simulated
ratings, in an hour. With `--annotations FOLDER`, which holds the uniform tables of real ratings, it
also prints false positives on real sets and how the mixed model changes official rankings.
"""

import argparse
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import stats

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "workflow/scripts"))

from mt_difficulty.errors import Missing
from mt_difficulty.gold import base, make_gold
from mt_difficulty.gold.base import HumanScores
from mt_difficulty.gold.ratings import COLUMNS, Ratings

# Designs of simulated evaluations.
BALANCED, DA, ESA, DYNAMIC = "balanced", "DA-like", "ESA-like", "dynamic"
DESIGNS = (BALANCED, DA, ESA, DYNAMIC)
GOLDS = ("mean", "z", "within_screen", "mixed")
RAW = "raw means, rank sum"
RAW_WMT26 = "raw means, WMT26's rule"
# Standard deviations in points of 100, about those of WMT23 en-de ESA.
SEGMENT_DEVIATION = 6.0
DOCUMENT_DEVIATION = 5.0
BLOCK_DEVIATION = 8.0
RESIDUAL_DEVIATION = 15.0
# Of annotators: mild and strong effects.
ANNOTATOR_DEVIATIONS = {"mild": 7.0, "strong": 15.0}
# In the dynamic design ratings stand side by side: less noise beside the effects of annotators.
DYNAMIC_ANNOTATOR_DEVIATIONS = {"mild": 9.0, "strong": 15.0}
# Of block and residual.
NOISE = (BLOCK_DEVIATION, RESIDUAL_DEVIATION)
DYNAMIC_NOISE = (6.0, 10.0)
SYSTEMS = 13
# Difference of neighbouring systems in points; two systems each are equal.
STEP = 1.5
# Dynamic assignment: systems of a screen, segments of a document, screens, and ratings of each
# system before ranks decide (Pearmut's default).
SHOWN = 2
DYNAMIC_LENGTHS = (3, 6)
SCREENS = 300
COLD_START = 5


class Texts(NamedTuple):
    """Documents of a simulated set.

    Attributes
    ----------
    documents : list of ndarray of int
        Segments of each document.
    difficulty : ndarray
        (segments,), what a segment and its document add to a rating.
    """

    documents: list[np.ndarray]
    difficulty: np.ndarray


class Measures(NamedTuple):
    """How near to the truth human scores are.

    Attributes
    ----------
    error : float
        Root mean square error of scores without their mean, in points.
    tau : float
        Kendall's τ over pairs of different systems.
    coverage : float
        Share of systems whose 95 % interval covers the truth.
    pair_coverage : float
        The same of differences of systems.
    false_differences : float
        Share of pairs of equal systems that are called different at a two-sided 5 %.
    """

    error: float
    tau: float
    coverage: float
    pair_coverage: float
    false_differences: float


def true_scores() -> np.ndarray:
    """Return the systems' quality in points, (systems,)."""
    levels = np.arange(SYSTEMS) // 2
    return 80 - STEP * levels


def draw_texts(documents: int, lengths: tuple[int, int], rng: np.random.Generator) -> Texts:
    """Draw documents of a length in an inclusive range."""
    sizes = rng.integers(lengths[0], lengths[1] + 1, documents)
    ends = np.cumsum(sizes)
    segments = [np.arange(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    difficulty = rng.normal(size=ends[-1]) * SEGMENT_DEVIATION
    difficulty += np.repeat(rng.normal(size=documents) * DOCUMENT_DEVIATION, sizes)
    return Texts(segments, difficulty)


def simulate(
    design: str, annotator_deviation: float, rng: np.random.Generator, equal: bool = False
) -> tuple[Ratings, np.ndarray]:
    """Simulate a human evaluation.

    Parameters
    ----------
    design : str
        BALANCED: an annotator rates a document's translations by all systems side by side. DA: each
        document and system is rated by one or two of 100 annotators. ESA: by one of 10. DYNAMIC: an
        annotator rates two systems' translations of a document side by side, 300 times; systems
        are drawn with p ∝ 1/rank by their mean so far, as soon as all have COLD_START ratings.
    annotator_deviation : float
        Standard deviation of annotators' severity in points.
    rng : numpy.random.Generator
    equal : bool
        Whether all systems are equally good.

    Returns
    -------
    ratings : Ratings
    truth : ndarray
        (systems,), quality in the order of the systems' names.
    """
    truth = true_scores()
    if equal:
        truth = np.full(SYSTEMS, truth.mean())
    rows: list[tuple] = []
    if design == DYNAMIC:
        texts = draw_texts(100, DYNAMIC_LENGTHS, rng)
        annotators = rng.normal(size=30) * annotator_deviation
        sums = np.zeros(SYSTEMS)
        numbers = np.zeros(SYSTEMS)
        is_rated = np.zeros((len(annotators), len(texts.documents)), bool)
        for screen in range(SCREENS):
            annotator = rng.integers(len(annotators))
            document = rng.choice(np.flatnonzero(~is_rated[annotator]))
            is_rated[annotator, document] = True
            shown = choose_systems(sums, numbers, rng)
            for system in shown:
                level = truth[system] + annotators[annotator]
                scores = rate(texts, document, level, rng, DYNAMIC_NOISE)
                sums[system] += scores.sum()
                numbers[system] += len(scores)
                rows += block_rows(texts, document, annotator, system, f"s{screen}", scores)
        return of_rows(rows), truth
    sizes = {BALANCED: (60, (2, 6), 10), DA: (60, (4, 12), 100), ESA: (60, (2, 6), 10)}
    documents, lengths, number = sizes[design]
    texts = draw_texts(documents, lengths, rng)
    annotators = rng.normal(size=number) * annotator_deviation
    for document in range(documents):
        together = rng.integers(number)
        for system in range(SYSTEMS):
            if design == BALANCED:
                chosen = [together]
            elif design == DA:
                chosen = rng.choice(number, rng.integers(1, 3), replace=False)
            else:
                chosen = [rng.integers(number)]
            for annotator in chosen:
                screen = f"{annotator}/{document}"
                if design != BALANCED:
                    screen += f"/{system}"
                scores = rate(texts, document, truth[system] + annotators[annotator], rng)
                rows += block_rows(texts, document, annotator, system, screen, scores)
    return of_rows(rows), truth


def choose_systems(sums: np.ndarray, numbers: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Choose the systems of the next screen of a dynamic assignment."""
    cold = np.flatnonzero(numbers < COLD_START)
    if len(cold) >= SHOWN:
        return rng.choice(cold, SHOWN, replace=False)
    ranks = stats.rankdata(-sums / np.maximum(numbers, 1))
    probabilities = 1 / ranks
    return rng.choice(len(sums), SHOWN, replace=False, p=probabilities / probabilities.sum())


def rate(
    texts: Texts,
    document: int,
    level: float,
    rng: np.random.Generator,
    deviations: tuple[float, float] = NOISE,
) -> np.ndarray:
    """Draw an annotator's ratings of one system's translations of a document; `deviations` are
    those of the block and of the residual."""
    segments = texts.documents[document]
    block = rng.normal() * deviations[0]
    noise = rng.normal(size=len(segments)) * deviations[1]
    return level + texts.difficulty[segments] + block + noise


def block_rows(
    texts: Texts, document: int, annotator: int, system: int, screen: str, scores: np.ndarray
) -> Iterator[tuple]:
    """Yield rows of `Ratings.table`."""
    for segment, score in zip(texts.documents[document], scores, strict=True):
        names = (f"a{annotator:03}", f"s{system:02}", str(segment), f"d{document}", screen)
        yield (*names, score)


def of_rows(rows: list[tuple]) -> Ratings:
    """Return ratings of rows, columns as in `Ratings.table`."""
    return Ratings(pd.DataFrame(rows, columns=COLUMNS), {})


def measure(human: HumanScores, truth: np.ndarray, p: np.ndarray | None = None) -> Measures:
    """Compare human scores with the truth.

    Parameters
    ----------
    human : HumanScores
    truth : ndarray
        (systems,), in the same order.
    p : ndarray, optional
        (systems, systems), two-sided p of another test.

    Returns
    -------
    Measures
    """
    pairs = np.triu_indices(len(truth), 1)
    deviations = human.scores - truth
    deviations = deviations - deviations.mean()
    true_difference = (truth[:, None] - truth)[pairs]
    difference, error = (values[pairs] for values in base.differences(human))
    differ = true_difference != 0
    agreement = np.sign(difference) * np.sign(true_difference)
    ends = base.intervals(human)
    centred = truth - truth.mean() + human.scores.mean()
    degrees = human.degrees
    if isinstance(degrees, np.ndarray):
        degrees = np.minimum.outer(degrees, degrees)[pairs]
    critical = base.critical_value(degrees)
    p = base.two_sided_p(human) if p is None else p
    return Measures(
        error=np.sqrt(np.mean(deviations**2)),
        tau=agreement[differ].mean() if differ.any() else np.nan,
        coverage=np.mean((ends[:, 0] <= centred) & (centred <= ends[:, 1])),
        pair_coverage=np.mean(np.abs(difference - true_difference) <= critical * error),
        false_differences=np.mean(p[pairs][~differ] <= base.LEVEL),
    )


def in_points(human: HumanScores, ratings: Ratings) -> HumanScores:
    """Return z-scores times the mean standard deviation of annotators."""
    scale = ratings.table.groupby("annotator").score.std().mean()
    covariance = human.covariance * scale**2
    return human._replace(scores=human.scores * scale, covariance=covariance)


def raw_rule(ratings: Ratings) -> tuple[HumanScores, np.ndarray]:
    """Raw means with errors of independent segments, and p of rank-sum tests, two-sided."""
    without = ratings._replace(table=ratings.table.assign(document=""))
    human = make_gold("mean").fit(without)
    assert human.segment_scores is not None
    return human, rank_sum_p(human.segment_scores)


def wmt26_p(segment_scores: np.ndarray) -> np.ndarray:
    """Two-sided p of WMT26's rule, (systems, systems): the smaller one of a paired t test on the
    segments of both systems and a t test of independent segments."""
    number = len(segment_scores)
    p = np.ones((number, number))
    for first in range(number):
        for second in range(first):
            scores = segment_scores[[first, second]]
            is_rated = np.isfinite(scores)
            rated = [values[known] for values, known in zip(scores, is_rated, strict=True)]
            independent = stats.ttest_ind(*rated).pvalue
            common = scores[:, is_rated.all(axis=0)]
            paired = stats.ttest_rel(*common).pvalue if common.shape[1] > 1 else 1.0
            p[first, second] = np.fmin(independent, paired)
            p[second, first] = p[first, second]
    return p


def rank_sum_p(segment_scores: np.ndarray) -> np.ndarray:
    """Two-sided p of rank-sum tests of the systems' rated segments, (systems, systems)."""
    number = len(segment_scores)
    rated = [scores[np.isfinite(scores)] for scores in segment_scores]
    p = np.ones((number, number))
    for first in range(number):
        for second in range(first):
            test = stats.mannwhitneyu(rated[first], rated[second], method="asymptotic")
            p[first, second] = test.pvalue
            p[second, first] = test.pvalue
    return p


def simulated_table(
    designs: tuple[str, ...],
    strengths: tuple[str, ...],
    samples: int,
    seed: int,
    equal: bool = False,
) -> pd.DataFrame:
    """Measure golds on simulated evaluations.

    Parameters
    ----------
    designs : tuple of str
    strengths : tuple of str
        Keys of ANNOTATOR_DEVIATIONS.
    samples : int
        Evaluations of each kind.
    seed : int
    equal : bool
        Whether all systems are equally good.

    Returns
    -------
    pandas.DataFrame
        Means of `Measures` by design, annotators and gold, and the Monte-Carlo standard error of
        `false_differences`. A gold that the design does not allow has no row.
    """
    rows = []
    for design in designs:
        for strength in strengths:
            rng = np.random.default_rng([seed, DESIGNS.index(design), len(strength)])
            deviations = DYNAMIC_ANNOTATOR_DEVIATIONS if design == DYNAMIC else ANNOTATOR_DEVIATIONS
            measures: dict[str, list[Measures]] = {}
            for _ in range(samples):
                ratings, truth = simulate(design, deviations[strength], rng, equal)
                human, p = raw_rule(ratings)
                measures.setdefault(RAW, []).append(measure(human, truth, p))
                if design == DYNAMIC:
                    assert human.segment_scores is not None
                    p = wmt26_p(human.segment_scores)
                    measures.setdefault(RAW_WMT26, []).append(measure(human, truth, p))
                for name in GOLDS:
                    try:
                        human = make_gold(name).fit(ratings)
                    except Missing:
                        continue
                    if name == "z":
                        human = in_points(human, ratings)
                    measures.setdefault(name, []).append(measure(human, truth))
            for name, values in measures.items():
                table = np.array(values)
                error = table[:, -1].std(ddof=1) / np.sqrt(samples)
                rows.append([design, strength, name, *table.mean(axis=0), error])
    columns = ["design", "annotators", "gold", *Measures._fields, "monte_carlo_error"]
    return pd.DataFrame(rows, columns=columns)


# Types of rated items that count, in the uniform tables.
RATED = ("TGT", "SYSTEM", "REPEAT")
# Real sets, by the names of their tables.
DA_SETS = ("wmt22-da-toen.cs-en", "wmt22-da-toen.de-en", "wmt22-da-toen.zh-en")
ESA24_SETS = ("wmt24-esa-wave23.en-cs", "wmt24-esa-wave23.en-zh")
WMT23_SETS = ("wmt23-ESA-1.en-de", "wmt23-ESA-2.en-de", "wmt23-MQM-1.en-de")
TED = "wmt21.tedtalks-mqm.en-de"


def read_uniform(folder: Path, name: str) -> Ratings:
    """Read a uniform table of real ratings: those that count.

    Parameters
    ----------
    folder : Path
    name : str
        Name of the table, such as wmt24-esa-wave23.en-cs.

    Returns
    -------
    Ratings
        With repeats, and the scale of annotators with controls, for direct assessment; else with
        the last of an annotator's ratings of a cell.
    """
    types = {"annotator": str, "system": str, "segment": str, "document": str}
    table = pd.read_csv(folder / f"{name}.tsv.gz", sep="\t", dtype=types)
    scale = None
    if name in DA_SETS:
        scale = table.groupby("annotator").score.agg(["mean", "std"])
        scale.columns = ["mean", "deviation"]
    rated = table[table.type.isin(RATED)].copy()
    rated["segment"] = rated.segment.fillna(rated["item"])
    rated["document"] = rated.document.fillna("")
    rated["screen"] = ""
    if name not in DA_SETS:
        rated = rated.sort_values("end", kind="stable")
        rated = rated.drop_duplicates(["annotator", "system", "segment"], keep="last")
    return Ratings(rated[list(COLUMNS)].reset_index(drop=True), {}, scale)


def documents_of(ratings: Ratings, segments: list[str]) -> np.ndarray:
    """Return the index of each segment's document, (segments,)."""
    document = ratings.table.groupby("segment").document.first().reindex(segments)
    return base.numbered(document)[1]


def document_p(difference: np.ndarray, documents: np.ndarray) -> np.ndarray:
    """Two-sided normal p of mean differences by document.

    Parameters
    ----------
    difference : ndarray
        (..., segments).
    documents : ndarray of int
        (segments,), from 0.

    Returns
    -------
    ndarray
        (...): the sum of differences over the root of the sum of squares of sums of centred
        differences by document.
    """
    membership = np.eye(documents.max() + 1)[documents]
    centred = difference - difference.mean(axis=-1, keepdims=True)
    error = np.sqrt(((centred @ membership) ** 2).sum(axis=-1))
    return 2 * stats.norm.sf(np.abs(difference.sum(axis=-1)) / error)


def pairs_of(
    segment_scores: np.ndarray, documents: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Yield scores of both systems of every pair on the segments that both have, and documents."""
    for first in range(len(segment_scores)):
        for second in range(first):
            both = np.isfinite(segment_scores[first] + segment_scores[second])
            document = np.unique(documents[both], return_inverse=True)[1]
            yield segment_scores[first, both], segment_scores[second, both], document


def swapped_labels(
    segment_scores: np.ndarray, documents: np.ndarray, draws: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return how often equal systems are called different at a two-sided 5 %.

    Pairs of systems are made equal: their scores are centred, and their labels swapped document by
    document at random.

    Parameters
    ----------
    segment_scores : ndarray
        (systems, segments), NaN where unrated.
    documents : ndarray of int
        (segments,).
    draws : int
        Swaps of each pair.
    rng : numpy.random.Generator

    Returns
    -------
    dict of str to float
        By test, a share of all pairs and draws.
    """
    hits: dict[str, list[np.ndarray]] = {"rank sum": [], "signed rank": [], "by document": []}
    for first, second, document in pairs_of(segment_scores, documents):
        first = first - first.mean()
        second = second - second.mean()
        swapped = rng.integers(2, size=(draws, document.max() + 1)).astype(bool)[:, document]
        x = np.where(swapped, second, first)
        y = np.where(swapped, first, second)
        rank_sum = stats.mannwhitneyu(x, y, axis=1, method="asymptotic").pvalue
        signed = stats.wilcoxon(x - y, axis=1, method="asymptotic").pvalue
        hits["rank sum"].append(rank_sum <= base.LEVEL)
        hits["signed rank"].append(signed <= base.LEVEL)
        hits["by document"].append(document_p(x - y, document) <= base.LEVEL)
    return {name: float(np.mean(values)) for name, values in hits.items()}


def real_wins(human: HumanScores, documents: np.ndarray) -> dict[str, int]:
    """Count the pairs of systems that differ at a two-sided 5 %, by test.

    Parameters
    ----------
    human : HumanScores
        Of `mean` or `z`.
    documents : ndarray of int
        (segments,).

    Returns
    -------
    dict of str to int
        The rank sum of all rated segments; the test by document on the segments that both systems
        have; the test of the gold's covariance.
    """
    assert human.segment_scores is not None
    by_document = 0
    for first, second, document in pairs_of(human.segment_scores, documents):
        by_document += document_p(first - second, document) <= base.LEVEL
    pairs = np.triu_indices(len(human.systems), 1)
    rank_sum = (rank_sum_p(human.segment_scores)[pairs] <= base.LEVEL).sum()
    by_gold = (base.two_sided_p(human)[pairs] <= base.LEVEL).sum()
    return {"rank sum": int(rank_sum), "by document": int(by_document), "gold": int(by_gold)}


def official_scores(ratings: Ratings, name: str) -> HumanScores:
    """Return official scores: z of direct assessment, else raw means."""
    return make_gold("z" if name in DA_SETS else "mean").fit(ratings)


def changes(official: HumanScores, adjusted: HumanScores) -> dict[str, int]:
    """Compare a model with official rankings.

    Parameters
    ----------
    official : HumanScores
        Official scores and segment scores.
    adjusted : HumanScores

    Returns
    -------
    dict of str to int
        pairs; order_changes; official_wins (rank sum, one-sided 5 %, on all rated segments), wins
        (of the model, one-sided 5 %), unsupported (official wins without a win of the model).
    """
    assert official.segment_scores is not None
    pairs = np.triu_indices(len(official.systems), 1)
    official_sign = np.sign(official.scores[:, None] - official.scores)
    sign = np.sign(adjusted.scores[:, None] - adjusted.scores)
    rated = [scores[np.isfinite(scores)] for scores in official.segment_scores]
    p = np.ones(sign.shape)
    for first in range(len(rated)):
        for second in range(len(rated)):
            if first != second:
                test = stats.mannwhitneyu(
                    rated[first], rated[second], alternative="greater", method="asymptotic"
                )
                p[first, second] = test.pvalue
    wins = (p <= base.LEVEL) & (official_sign > 0)
    supported = base.one_sided_p(adjusted) <= base.LEVEL
    return {
        "pairs": len(pairs[0]),
        "order_changes": int((official_sign * sign)[pairs].tolist().count(-1.0)),
        "official_wins": int(wins.sum()),
        "wins": int(supported.sum()),
        "unsupported": int((wins & ~supported).sum()),
    }


def swap_table(folder: Path, draws: int) -> pd.DataFrame:
    """False positives and wins on real sets, in percent and pairs."""
    rows = []
    for name in (*DA_SETS, *ESA24_SETS, "wmt23-ESA-1.en-de", "wmt23-MQM-1.en-de"):
        ratings = read_uniform(folder, name)
        human = official_scores(ratings, name)
        documents = documents_of(ratings, human.segments)
        assert human.segment_scores is not None
        rng = np.random.default_rng(1)
        false = swapped_labels(human.segment_scores, documents, draws, rng)
        wins = real_wins(human, documents)
        row = {"set": name}
        row |= {f"false, {test}": 100 * share for test, share in false.items()}
        row |= {f"wins, {test}": number for test, number in wins.items()}
        rows.append(row | {"pairs": len(human.systems) * (len(human.systems) - 1) // 2})
    return pd.DataFrame(rows)


def change_table(folder: Path) -> pd.DataFrame:
    """What the mixed model changes in official rankings of real sets."""
    rows = []
    for name in (*ESA24_SETS, *WMT23_SETS, TED, *DA_SETS):
        ratings = read_uniform(folder, name)
        for response in ("raw", "z"):
            start = time.process_time()
            human = make_gold("mixed", response=response).fit(ratings)
            seconds = time.process_time() - start
            row = {"set": name, "response": response}
            row |= changes(official_scores(ratings, name), human)
            rows.append(row | {"ratings": human.units, "cpu_seconds": seconds})
    return pd.DataFrame(rows)


def speed_ratings(rng: np.random.Generator) -> Ratings:
    """20,000 ratings of 10 systems on 2,000 segments in 200 documents by 100 annotators, of two
    systems' translations of a document at a time."""
    texts = draw_texts(200, (10, 10), rng)
    annotators = rng.normal(size=100) * ANNOTATOR_DEVIATIONS["strong"]
    rows: list[tuple] = []
    for document in range(200):
        for start in range(0, 10, 2):
            annotator = rng.integers(100)
            for system in (start, start + 1):
                scores = rate(texts, document, annotators[annotator] - system, rng)
                screen = f"{document}/{start}"
                rows += block_rows(
                    texts, document, annotator, (system + document) % 10, screen, scores
                )
    return of_rows(rows)


def speed_table() -> pd.DataFrame:
    """CPU seconds of golds on 20,000 ratings."""
    ratings = speed_ratings(np.random.default_rng(1))
    rows = []
    for name in GOLDS:
        start = time.process_time()
        make_gold(name).fit(ratings)
        rows.append([name, len(ratings.table), time.process_time() - start])
    return pd.DataFrame(rows, columns=["gold", "ratings", "cpu_seconds"])


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=200)
    parser.add_argument("--draws", type=int, default=50)
    parser.add_argument("--annotations", type=Path)
    parser.add_argument("--designs", nargs="+", default=DESIGNS)
    arguments = parser.parse_args()
    print(speed_table().to_markdown(index=False, floatfmt=".2f"), flush=True)
    for equal in (False, True):
        print("\nAll systems equal" if equal else "\nSystems two by two equal")
        for design in arguments.designs:
            strengths = tuple(ANNOTATOR_DEVIATIONS)
            table = simulated_table((design,), strengths, arguments.samples, 1, equal)
            print(table.to_markdown(index=False, floatfmt=".3f"), flush=True)
    if arguments.annotations:
        print(swap_table(arguments.annotations, arguments.draws).to_markdown(index=False))
        print(change_table(arguments.annotations).to_markdown(index=False, floatfmt=".1f"))


if __name__ == "__main__":
    main()
