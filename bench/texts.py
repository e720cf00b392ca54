"""Metrics of texts, alignment and chunk entropy against the programs that people use for them."""

import subprocess
import tempfile
from functools import cache
from itertools import groupby
from math import log10
from pathlib import Path

import numpy as np
from measuring import ROOT, compare, interleave, report

from mt_difficulty.difficulty.aligners import ALIGNERS, split_line
from mt_difficulty.difficulty.chunk_entropy import chunk_entropy
from mt_difficulty.metrics import METRICS

SLOW = 200  # segments, where a peer takes milliseconds a hypothesis


def bench_texts(found, threads, program):
    bench_entropy(*bench_alignment(found, threads, program))
    bench_chrf(found)
    bench_ter(found)
    if has_wordnet():
        bench_meteor(found)


def bench_alignment(found, threads, program):
    """Our aligner with its tokeniser against the reference program; its compilation apart."""
    align = ALIGNERS["fast_align"]

    def split():
        return [list(map(split_line, s)) for s in (found.reference, *found.hypotheses)]

    def run():
        reference, *hypotheses = split()
        return align(reference, hypotheses, threads)

    costs, _ = interleave({"ours": lambda: align([["one", "two"]], [[["one"]]], 1)}, 1)
    report("fast_align, compiling or loading what was", costs["ours"], {})
    peer = {"reference program": lambda: run_program(program, found)} if program else {}
    links = compare("fast_align, all systems", {"ours": run} | peer)["ours"]
    lengths = np.array([[len(tokens) for tokens in system] for system in split()[1:]])
    return np.concatenate(links) >= 0, lengths


def run_program(program, found):
    """The reference program on files of every system, as the EE paper ran it."""
    with tempfile.TemporaryDirectory() as folder:
        for number, system in enumerate(found.hypotheses):
            file = Path(folder) / str(number)
            lines = zip(found.reference, system, strict=True)
            file.write_text("".join(f"{r} ||| {h}\n" for r, h in lines), encoding="utf-8")
            command = [program, "-i", file, "-d", "-o", "-v"]
            subprocess.run(command, check=True, capture_output=True)


def bench_entropy(matched, lengths):
    """Chunk entropy on arrays against a loop over hypotheses."""

    def loop():
        ends = np.cumsum(lengths.ravel())
        return [
            loop_entropy(matched[e - n : e]) for e, n in zip(ends, lengths.ravel(), strict=True)
        ]

    ways = {"ours": lambda: chunk_entropy(matched, lengths), "Python loop": loop}
    results = compare("chunk entropy, all hypotheses", ways)
    np.testing.assert_allclose(results["ours"].ravel(), results["Python loop"], atol=1e-12)


def loop_entropy(matched):
    chunks = [len(list(run)) for hit, run in groupby(matched.tolist()) if hit]
    return -sum(c / sum(chunks) * log10(c / sum(chunks)) for c in chunks) + 0.0


def part(found):
    """Systems and reference, cut."""
    return [system[:SLOW] for system in found.hypotheses], found.reference[:SLOW]


def bench_chrf(found):
    """Sentence chrF against sacreBLEU with its n-grams of references cached."""
    from sacrebleu.metrics import CHRF

    systems, reference = part(found)
    metric = METRICS["chrf"](found.pair)

    def sacrebleu():
        chrf = CHRF(references=[reference])
        return [
            [chrf._compute_score_from_stats(row).score for row in rows]
            for rows in (chrf._extract_corpus_statistics(system, None) for system in systems)
        ]

    ours = {"ours": lambda: metric.segment_statistics(systems, reference)[..., 0]}
    results = compare(f"chrF, {SLOW} segments", ours | {"sacreBLEU": sacrebleu})
    np.testing.assert_array_equal(results["ours"], results["sacreBLEU"])


def bench_ter(found):
    """TER's edits against sacreBLEU's."""
    from sacrebleu.metrics import TER

    systems, reference = part(found)
    metric = METRICS["ter"](found.pair)
    metric.segment_statistics([["a"]], ["b"])  # compiles

    def sacrebleu():
        ter = TER(references=[reference])
        return [ter._extract_corpus_statistics(system, None) for system in systems]

    ours = {"ours": lambda: metric.segment_statistics(systems, reference)}
    results = compare(f"TER, {SLOW} segments", ours | {"sacreBLEU": sacrebleu}, 1)
    np.testing.assert_array_equal(results["ours"], results["sacreBLEU"])


def bench_meteor(found):
    """METEOR with look-ups cached against NLTK as it comes."""
    from nltk.corpus import wordnet
    from nltk.translate.meteor_score import single_meteor_score

    wordnet.ensure_loaded()
    systems, reference = part(found)
    metric = METRICS["meteor"](found.pair)

    def plain():
        return [
            [single_meteor_score(r.split(), h.split()) for r, h in zip(reference, s, strict=True)]
            for s in systems
        ]

    ours = {"ours": lambda: metric.segment_statistics(systems, reference)[..., 0]}
    results = compare(f"METEOR, {SLOW} segments", ours | {"plain NLTK": plain})
    np.testing.assert_array_equal(results["ours"], results["plain NLTK"])


@cache
def has_wordnet():
    """Whether METEOR can be measured."""
    import nltk

    nltk.data.path.insert(0, str(ROOT / "data/nltk"))
    try:
        return bool(nltk.data.find("corpora/wordnet"))
    except LookupError:
        return False
