"""What each rule costs: the graph of rules with the time and memory that a run took.

    .venv/bin/python bench/rule_costs.py results

writes docs/rule_graph.svg from what each job reported in results/logs.
"""

import argparse
import json
import sys
from pathlib import Path

import matplotlib
import pandas as pd
import yaml
from matplotlib import pyplot

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "workflow/scripts"))

from mt_difficulty.figures import plots  # noqa: E402
from plot_figure import rule_graph  # noqa: E402


def read_costs(logs):
    """Every job's rule, seconds of CPU and MB."""
    files = sorted(Path(logs).rglob("*.json"))
    rules = [file.relative_to(logs).parts[0].removesuffix(".json") for file in files]
    return pd.DataFrame([json.loads(file.read_text()) for file in files]).assign(rule=rules)


def label(jobs):
    """How many jobs, the CPU seconds that they took, and the most memory."""
    seconds = jobs.cpu_seconds
    if len(jobs) == 1:
        lines = [f"1 job, {seconds.iloc[0]:.1f} s"]
    else:
        lines = [
            f"{len(jobs)} jobs, median {seconds.median():.1f} s, longest {seconds.max():.1f} s"
        ]
    return "\n".join([*lines, f"{jobs.peak_memory.max():.0f} MB"])


def main(results, config, output):
    costs = dict(list(read_costs(Path(results) / "logs").groupby("rule")))
    names, edges = rule_graph(yaml.safe_load(Path(config).read_text(encoding="utf-8")))
    labels = {
        node: f"{name}\n{label(costs[name])}" if name in costs else name
        for node, name in names.items()
    }
    with matplotlib.rc_context(plots.RC):
        drawn, axes = pyplot.subplots(figsize=(15, 12))
        plots.draw_rule_graph(axes, labels, edges)
        drawn.savefig(output, metadata={"Date": None}, bbox_inches="tight")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", help="a run's results folder")
    parser.add_argument("--config", default=ROOT / "config.yaml", help="that run's config")
    parser.add_argument("--output", default=ROOT / "docs/rule_graph.svg")
    arguments = parser.parse_args()
    main(arguments.results, arguments.config, arguments.output)
