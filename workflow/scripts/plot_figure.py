"""Redraw one figure of a paper; the numbers printed in it become cells."""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.figures import results
from mt_difficulty.papers.cells import Cell
from paper_inputs import read_inputs
from plotting import figure


def rule_graph(config):
    """Names and edges of the workflow's own graph, as Snakemake prints it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        storage.write_json(file, config)
        command = [
            sys.executable,
            "-m",
            "snakemake",
            "all",
            "-s",
            Path(__file__).parents[2] / "Snakefile",
        ]
        command += ["--rulegraph", "--configfile", file, "--nolock", "--quiet"]
        dot = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"\\]+)', dot, re.MULTILINE))
    names = {node: name for node, name in names.items() if name != "all"}
    edges = sorted(set(re.findall(r"^\s*(\d+) -> (\d+)", dot, re.MULTILINE)))
    return names, [edge for edge in edges if set(edge) <= set(names)]


def main(snakemake):
    item, wanted, params = snakemake.wildcards.figure, snakemake.params.figure, snakemake.params
    output = snakemake.output
    graph = rule_graph(params.config) if params.config else None
    inputs = read_inputs(snakemake, graph)
    side, size = results.panels(wanted)
    any_script = results.needs_any_script(wanted, inputs)
    with figure(output.svg, output.pdf, side, side, size, any_script) as axes:
        value, reason = results.draw(axes, wanted, inputs)
    cells = [
        Cell(item, wanted["kind"], label, published, 3, value, reason)
        for label, published in wanted.get("published", {}).items()
    ]
    storage.write_table(snakemake.output.cells, pd.DataFrame(cells, columns=Cell._fields))


if "snakemake" in globals():
    run(main, snakemake)
