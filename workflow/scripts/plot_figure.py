"""Redraw one figure of a paper; the numbers printed in it become cells."""

import math
import re
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty.aligners import fast_align
from mt_difficulty.errors import Missing
from mt_difficulty.figures import complexity_figures, plots, rule_figure
from mt_difficulty.metrics import METRICS
from mt_difficulty.papers import cases
from mt_difficulty.papers.tables import Cell
from mt_difficulty.statistics.correlation import best_systems
from mt_difficulty.weighting import tokens as token_weighting
from mt_difficulty.weighting.groups import mean_entropy, usable
from plotting import draw_heat_map, figure

GRIDS = ("entropy_distribution",)  # a set each
SIZES = {
    "chunks": (7.5, 3.6),
    "rule_graph": (9, 7),
    "entropy_distribution": (3.6, 2.8),
    "token_heat_map": (7, 3),
}


def rule_graph(config):
    """Names and edges of the workflow's own graph, as Snakemake prints it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "config.json"
        storage.write_json(file, config)
        dot = subprocess.run(
            [
                sys.executable,
                "-m",
                "snakemake",
                "all",
                "--rulegraph",
                "--configfile",
                file,
                "--nolock",
                "--quiet",
            ],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
    names = dict(re.findall(r'^\s*(\d+)\[label = "([^"\\]+)', dot, re.MULTILINE))
    names = {node: name for node, name in names.items() if name != "all"}
    edges = sorted(set(re.findall(r"^\s*(\d+) -> (\d+)", dot, re.MULTILINE)))
    return names, [edge for edge in edges if set(edge) <= set(names)]


def draw_entropy_score(axes, wanted, snakemake):
    entropy, statistics = map(storage.read_arrays, snakemake.input.files)
    scores = METRICS[snakemake.params.type].segment_scores(statistics["statistics"])
    r = plots.draw_entropy_score(axes[0], entropy["entropy"], scores, wanted["metric"])
    if np.isnan(r):
        raise Missing("all hypotheses have about the same entropy, or the same mean score")
    return abs(r)


def draw_top_k(axes, wanted, snakemake):
    frame = storage.read_table(snakemake.input.files[0])
    if frame.empty:
        raise Missing(f"the archive has no {wanted['set']}")
    weightings = wanted.get("weightings", ["standard", "EE"])
    title = f"{wanted['set']}: {plots.describe_styles(weightings)}"
    there, left_out = set(frame.metric), snakemake.params.left_out
    absent = [metric for metric in wanted["metrics"] if metric not in there]
    if absent:
        title += f"\nwithout {', '.join(absent)}: {left_out.get(absent[0], 'see missing.csv')}"
    for metric, text in snakemake.params.substitutes.get(wanted["set"], {}).items():
        if metric in wanted["metrics"] and metric in there:
            title += "\n" + textwrap.fill(f"{metric}: {text}", 70)
    statistic = wanted.get("statistic", "pearson")
    plots.draw_top_k(axes[0], frame, wanted["metrics"], title, statistic, weightings)


def read_tokens(wanted, snakemake):
    """The evaluation set, its matches as DA uses them, and the best systems."""
    if not snakemake.input.files:
        raise Missing(snakemake.params.left_out[wanted["metric"]])
    evalset_file, matches_file = snakemake.input.files
    found = evalset.load(evalset_file)
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(matches_file))
    best = best_systems(found.gold, wanted["size"])
    return found, matches, best


def draw_difficulty_distribution(axes, wanted, snakemake):
    _, matches, best = read_tokens(wanted, snakemake)
    similarity = matches.reference_similarity
    plots.draw_difficulty_distribution(
        axes[0],
        {
            f"all {len(similarity)} systems": token_weighting.token_difficulty(similarity)[0],
            f"the best {len(best)}": token_weighting.token_difficulty(similarity[best])[0],
        },
    )
    note_substitute(axes, wanted, snakemake)


def draw_token_heat_map(axes, wanted, snakemake):
    found, matches, best = read_tokens(wanted, snakemake)
    title = f"{wanted['set']}, segment {wanted['segment']}"
    draw_heat_map(axes[0], found, matches, wanted["segment"] - 1, best, title)
    note_substitute(axes, wanted, snakemake)


def draw_chunks(axes, wanted, snakemake):
    evalset_file, entropy_file = snakemake.input.files
    found, arrays = evalset.load(evalset_file), storage.read_arrays(entropy_file)
    sentences = []
    for hypothesis in wanted["hypotheses"]:
        if hypothesis["system"] not in found.systems:
            raise Missing(f"{hypothesis['system']} is not among the ranked systems")
        place = found.systems.index(hypothesis["system"]), hypothesis["segment"] - 1
        chunks = cases.chunks_of(arrays["links"], arrays["lengths"], *place)
        tokens = fast_align.tokens(found.hypotheses[place[0]][place[1]])
        label = f"{hypothesis['label']}, H = {arrays['entropy'][place]:.3f}"
        sentences.append((label, tokens, chunks))
    plots.draw_chunks(axes[0], sentences)


def note_substitute(axes, wanted, snakemake):
    substitutes = snakemake.params.substitutes.get(wanted["set"], {})
    if text := substitutes.get(wanted["metric"]):
        text = textwrap.fill(text, 70)
        axes[0].set_title(f"{axes[0].get_title()}\n{text}".strip(), fontsize=8)


def draw_entropy_distribution(axes, wanted, snakemake):
    for place, name, file in zip(axes, wanted["sets"], snakemake.input.files, strict=False):
        try:
            entropy = storage.read_arrays(file)["entropy"]
            means = usable(mean_entropy(entropy), snakemake.params.zero_segments)
            plots.draw_entropy_distribution(place, means, name)
        except Missing as reason:
            plots.draw_reason(place, str(reason))


def draw_score_bars(axes, wanted, snakemake):
    printed, name = snakemake.params.printed, wanted["scores"]
    scores = printed["human"] if name == "human" else printed["scores"][name]
    systems = printed["systems"][: max(map(len, scores.values()))]
    label = {"human": "human score", "bleu": "BLEU", "wnmR": "WNM recall"}[name]
    complexity_figures.draw_score_bars(axes[0], systems, scores, label)


def draw_balance_fit(axes, wanted, snakemake):
    points, reasons = {}, []
    for name, file in zip(wanted["sets"], snakemake.input.files, strict=True):
        try:
            found = storage.read_json(file)
        except Missing as reason:
            reasons.append(str(reason))
            continue
        groups, w = found["groups"], found["w"]
        if not w or groups["ratio_entropy"] is None:
            reasons.append(f"{name}: {' '.join(found['notices']) or 'w is 0'}")
            continue
        points[name] = (groups["ratio_entropy"], (1 - w) * groups["ratio_count"] / w)
    r = plots.draw_balance_fit(axes[0], points)
    if np.isnan(r):
        raise Missing(
            f"a line needs three sets, {len(points)} can be computed; {'; '.join(reasons)}"
        )
    return abs(r)


def draw_rule_graph(axes, wanted, snakemake):
    rule_figure.draw_rule_graph(axes[0], *rule_graph(snakemake.params.config))


DRAW = {
    "chunks": draw_chunks,
    "difficulty_distribution": draw_difficulty_distribution,
    "token_heat_map": draw_token_heat_map,
    "entropy_score": draw_entropy_score,
    "top_k": draw_top_k,
    "entropy_distribution": draw_entropy_distribution,
    "balance_fit": draw_balance_fit,
    "score_bars": draw_score_bars,
    "rule_graph": draw_rule_graph,
}


def main(snakemake):
    wanted, item = snakemake.params.figure, snakemake.wildcards.figure
    side = math.ceil(math.sqrt(len(wanted["sets"]))) if wanted["kind"] in GRIDS else 1
    value, why = None, ""
    size, tokens = SIZES.get(wanted["kind"], (4.6, 3.2)), wanted["kind"] == "token_heat_map"
    files = snakemake.output.svg, snakemake.output.pdf
    with figure(*files, side, side, size, any_script=tokens) as axes:
        try:
            value = DRAW[wanted["kind"]](axes, wanted, snakemake)
        except Missing as reason:
            why = str(reason)
            axes[0].set_title("\n".join(textwrap.wrap(f"not computable: {why}", 90)), fontsize=6)
    value = np.nan if value is None else value
    cells = [
        Cell(item, wanted["kind"], label, published, 3, value, why)
        for label, published in wanted.get("published", {}).items()
    ]
    storage.write_table(snakemake.output.cells, pd.DataFrame(cells, columns=Cell._fields))


if "snakemake" in globals():
    run(main, snakemake)
