"""Metrics of texts and alignment against the programs that people use for them."""

import subprocess
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from measuring import ROOT, compare

from mt_difficulty.difficulty.aligners import ALIGNERS, split_line
from mt_difficulty.metrics import METRICS
from mt_difficulty.metrics.chrf import pairwise_chrf

SEGMENTS = 100  # where a peer takes milliseconds a hypothesis


def bench_texts(found, threads, program):
    if program:
        bench_alignment(found, threads, program)
    bench_chrf(found)
    if find_spec("fastchrf"):  # of the development requirements
        bench_sentence_chrf(found)
        bench_disagreement(found)
    bench_ter(found)
    if has_wordnet():
        bench_meteor(found)


def bench_alignment(found, threads, program):
    """Our aligner with its tokeniser against the reference program."""
    align = ALIGNERS["fast_align"]

    def run():
        texts = (found.reference, *found.hypotheses)
        reference, *hypotheses = [list(map(split_line, lines)) for lines in texts]
        return align(reference, hypotheses, threads)

    align([["one", "two"]], [[["one"]]], 1)  # compiles
    ways = {"ours": run, "fast_align (C++)": lambda: run_program(program, found)}
    compare("alignment of all systems", ways, 1)


def run_program(program, found):
    """The reference program on files of every system, as the EE paper ran it."""
    with tempfile.TemporaryDirectory() as folder:
        for number, system in enumerate(found.hypotheses):
            file = Path(folder) / str(number)
            lines = zip(found.reference, system, strict=True)
            file.write_text("".join(f"{r} ||| {h}\n" for r, h in lines), encoding="utf-8")
            command = [program, "-i", file, "-d", "-o", "-v"]
            subprocess.run(command, check=True, capture_output=True)


def part(found):
    """Systems and reference, cut."""
    return [system[:SEGMENTS] for system in found.hypotheses], found.reference[:SEGMENTS]


def corpus_scores(metric, systems, reference):
    """Our metric's score of each system."""
    statistics = metric.segment_statistics(systems, reference)
    return metric.aggregate(statistics.sum(axis=1), np.full(len(systems), len(reference)))


def bench_chrf(found):
    """chrF of each system against sacreBLEU with its n-grams of references cached."""
    from sacrebleu.metrics import CHRF

    systems, reference = part(found)
    metric = METRICS["chrf"](found.pair, average="corpus")
    metric.segment_statistics([["a"]], ["b"])  # compiled

    def sacrebleu():
        chrf = CHRF(references=[reference])
        return [chrf.corpus_score(system, None).score for system in systems]

    ours = {"ours": lambda: corpus_scores(metric, systems, reference)}
    results = compare(f"chrF, {SEGMENTS} segments", ours | {"sacreBLEU": sacrebleu})
    np.testing.assert_allclose(results["ours"], results["sacreBLEU"], rtol=1e-12)


def bench_sentence_chrf(found):
    """Sentence chrF of every hypothesis against the compiled fastchrf, which has all systems'
    hypotheses of a segment at once."""
    from fastchrf import pairwise_chrf

    systems, reference = list(map(list, found.hypotheses)), list(found.reference)
    metric = METRICS["chrf"](found.pair)
    metric.segment_statistics([["a"]], ["b"])  # compiled

    def ours():
        return metric.segment_statistics(systems, reference)[..., 0]

    def fastchrf():
        scores = pairwise_chrf(
            [list(x) for x in zip(*systems, strict=True)], [[x] for x in reference]
        )
        return np.array(scores)[..., 0].T

    results = compare(
        f"sentence chrF, {len(systems) * len(reference)} hypotheses",
        {"ours": ours, "fastchrf": fastchrf},
    )
    np.testing.assert_allclose(results["ours"], results["fastchrf"], atol=1e-10)


def bench_disagreement(found):
    """chrF between the hypotheses of all systems, in both directions, against fastchrf."""
    from fastchrf import pairwise_chrf as fast_pairwise

    systems, _ = part(found)
    pairwise_chrf([["a"], ["b"]])  # compiled

    def fastchrf():
        segments = [list(texts) for texts in zip(*systems, strict=True)]
        return np.array(fast_pairwise(segments, segments)).transpose(1, 2, 0)

    results = compare(
        f"disagreement of {len(systems)} systems, {SEGMENTS} segments",
        {"ours": lambda: pairwise_chrf(systems), "fastchrf": fastchrf},
    )
    np.testing.assert_allclose(results["ours"], results["fastchrf"], atol=1e-10)


def bench_ter(found):
    """TER of each system against sacreBLEU with its words of references cached."""
    from sacrebleu.metrics import TER

    systems, reference = part(found)
    metric = METRICS["ter"](found.pair)
    metric.segment_statistics([["a"]], ["b"])  # compiled

    def sacrebleu():
        ter = TER(references=[reference])
        return [ter.corpus_score(system, None).score for system in systems]

    ours = {"ours": lambda: corpus_scores(metric, systems, reference)}
    results = compare(f"TER, {SEGMENTS} segments", ours | {"sacreBLEU": sacrebleu}, 1)
    np.testing.assert_allclose(results["ours"], results["sacreBLEU"], rtol=1e-12)


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
    results = compare(f"METEOR, {SEGMENTS} segments", ours | {"NLTK": plain})
    np.testing.assert_array_equal(results["ours"], results["NLTK"])


def has_wordnet():
    """Whether METEOR can be measured."""
    import nltk

    nltk.data.path.insert(0, str(ROOT / "data/nltk"))
    try:
        return bool(nltk.data.find("corpora/wordnet"))
    except LookupError:
        return False
