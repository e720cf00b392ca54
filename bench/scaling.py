"""What every step of a run costs, from ten to a hundred systems and from a thousand segments on.

`make bench SCALE=full`, or any sizes: `SCALE=10x1000,100x1000` (systems × segments). Each size is a
workflow run on a campaign that is made for it, of which each job tells the seconds of CPU and the
memory that it took. What was measured is kept in `results/scaling`, so that a run that was
interrupted goes on; remove it to measure other code. `docs/scaling.csv` has the results, which are
printed as tables with the growth of every step.
"""

import argparse
import json
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import campaign
import numpy as np
import pandas as pd
import yaml
from scaling_report import SNAKEMAKE, write_report

ROOT = Path(__file__).resolve().parent.parent
KEPT = ROOT / "results/scaling"
# Little: what its jobs take is mostly their start, and what does not grow. (With fewer segments
# some systems have no difficult ones, and EE has no scores.)
EMPTY = "10x100"
GRIDS = {
    "small": [EMPTY, "10x400", "20x400", "10x800"],
    # 100 systems with few segments: what grows with the pairs of systems shows.
    "full": [
        EMPTY,
        "100x100",
        "10x1000",
        "40x1000",
        "100x1000",
        "10x5000",
        "10x20000",
        "100x20000",
    ],
}
LEXICAL = ["BLEU", "chrF", "METEOR", "WNM"]
# These take minutes for many hypotheses: they have runs of their own, of some results.
SLOW = {
    "TER": ["statistics/TER.npz"],
    "BERTScore": [
        *("system_scores.csv", "correlations.csv", "significance.csv", "controls.csv"),
        *("figures/token_heat_map.svg", "figures/difficulty_distribution.svg"),
    ],
}
SLOW_UP_TO = 100_000  # hypotheses
# What takes longer with a token weighting than without.
WITH_DA = ["score_systems", "assess_set", "control_weightings"]


def shape(size):
    """Systems and segments."""
    return [int(number) for number in size.split("x")]


def settings(folder, metrics):
    """The config of one size."""
    entry = {"campaign": "scale", "pair": "en-de", "reference": "refA", "gold": "mqm"}
    return {
        "results": str((folder / "run").relative_to(ROOT)),
        "archive": str(folder / "archive"),
        "papers": [],
        "evaluation_sets": [entry | {"metrics": metrics}],
        "metrics": {"TER": {"type": "ter"}},
        "encoders": {"random": {"hidden_size": 64, "layers": 2, "device": "cpu"}},
        "substitute_encoders": {"de": "random"},
    }


def measure(size, metric=None):
    """What every step took at one size with the lexical metrics, or with a slow one, as rows; from
    an earlier run if there was one."""
    folder = KEPT / (f"{size}-{metric}" if metric else size)
    if not (folder / "steps.csv").exists():
        print(folder.name, flush=True)
        systems, segments = shape(size)
        campaign.generate(folder / "archive/scale", "en-de", systems, segments)
        run(folder, metric).assign(systems=systems, segments=segments).to_csv(
            folder / "steps.csv", index=False
        )
        shutil.rmtree(folder / "run")
        shutil.rmtree(folder / "archive")
    steps = pd.read_csv(folder / "steps.csv")
    named = steps.step + " with BERTScore"
    return steps.assign(step=named.where(steps.step.isin(WITH_DA) & bool(metric), steps.step))


def run(folder, metric):
    """Run the workflow, and read what its steps took."""
    config = settings(folder, [metric] if metric else LEXICAL)
    (folder / "config.yaml").write_text(yaml.safe_dump(config))
    targets = [f"{config['results']}/scale/en-de/{file}" for file in SLOW.get(metric, [])]
    command = [sys.executable, "-m", "snakemake", "--cores", "2", *targets, "--quiet", "all"]
    command += ["--nolock", "--rerun-incomplete", "--configfile", folder / "config.yaml"]
    before, interrupted = cpu_of_children(), (folder / "run").exists()
    subprocess.run(command, check=True, cwd=ROOT)
    steps = read_steps(folder / "run/logs")
    if not metric:
        print(
            f"page: {(folder / 'run/scale/en-de/report.html').stat().st_size / 1e6:.1f} MB",
            flush=True,
        )
        if not interrupted:
            own = cpu_of_children() - before - steps.cpu_seconds.sum()
            steps.loc[len(steps)] = {"step": SNAKEMAKE, "cpu_seconds": own}
    return steps


def cpu_of_children():
    """Seconds of CPU of all processes that were started here and ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def read_steps(logs):
    """CPU seconds and peak memory of every job, by step."""
    rows = []
    for file in sorted(logs.rglob("*.json")):
        rule, *rest = file.relative_to(logs).with_suffix("").parts
        # A metric, a difficulty or an encoder tells steps of one rule apart.
        kind = "".join(rest).removeprefix("scale").removeprefix(".en-de").removeprefix(".")
        rows.append({"step": f"{rule} {kind}".strip(), **json.loads(file.read_text())})
    return pd.DataFrame(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("scale", help=f"sizes, or one of {', '.join(GRIDS)}")
    parser.add_argument("--out", default=ROOT / "docs", type=Path, help="folder of the report")
    options = parser.parse_args()
    sizes = GRIDS.get(options.scale) or [EMPTY, *options.scale.split(",")]
    if not KEPT.exists():
        # What is compiled on first use and fetched once is no step's cost.
        measure(EMPTY)
        shutil.rmtree(KEPT / EMPTY)
    steps = pd.concat([measure(size) for size in sizes])
    slow_sizes = [size for size in sizes if np.prod(shape(size)) <= SLOW_UP_TO]
    slow = pd.concat([measure(size, metric) for metric in SLOW for size in slow_sizes])
    steps = pd.concat([steps, slow[~slow.step.isin(steps.step)]], ignore_index=True)
    write_report(steps, options.out)


if __name__ == "__main__":
    main()
