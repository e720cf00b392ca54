"""Plot one evaluation set: top-K curves, scores by entropy, mean entropies, tokens, parameters."""

from contextlib import suppress
from pathlib import Path

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import labels
from mt_difficulty.evidence.set_scores import best_first
from mt_difficulty.figures import plots, surface_figure
from mt_difficulty.figures.kinds import draw_heat_map
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import tokens as token_weighting
from mt_difficulty.weighting.groups import mean_entropy, usable
from plotting import figure


def draw(panels, snakemake):
    plot, axes = snakemake.wildcards.plot, panels[0]
    if plot == "surface":
        draw_surfaces(panels, snakemake)
    elif plot == "top_k":
        frame = storage.read_table(snakemake.input.correlations)
        wildcards = snakemake.wildcards
        weightings = [label.name for label in labels.describe(frame.weighting) if label.shown]
        title = f"{wildcards.campaign}/{wildcards.pair}: {plots.describe_styles(weightings)}"
        metrics = list(dict.fromkeys(frame.metric))
        plots.draw_top_k(axes, frame, metrics, title, weightings=weightings)
    elif snakemake.input.matches:
        draw_tokens(axes, snakemake)
    else:
        draw_entropy(axes, snakemake)


def draw_entropy(axes, snakemake):
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    if snakemake.wildcards.plot == "entropy_distribution":
        means = usable(mean_entropy(entropy), snakemake.params.zero_segments)
        plots.draw_entropy_distribution(axes, means)
    else:
        file = snakemake.input.statistics[0]
        scores = METRICS[snakemake.params.types[Path(file).stem]].segment_scores(
            storage.read_arrays(file)["statistics"]
        )
        plots.draw_entropy_score(axes, entropy, scores, Path(file).stem)


def draw_tokens(axes, snakemake):
    """Token difficulty: its distribution, or one hard segment."""
    found = evalset.load(snakemake.input.evalset)
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(snakemake.input.matches[0]))
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
    if snakemake.wildcards.plot == "difficulty_distribution":
        plots.draw_difficulty_distribution(axes, {f"all {len(found.systems)} systems": difficulty})
        return
    segment = plots.hardest_short_segment(
        difficulty, matches.reference_segment, matches.reference_lengths
    )
    title = f"{found.campaign}/{found.pair}, segment {segment + 1}, best systems on top"
    _, order = best_first(found, storage.read_table(snakemake.input.scores), snakemake.params.types)
    draw_heat_map(axes, found, matches, segment, order, title)


def draw_surfaces(panels, snakemake):
    """EE's correlation over all h and w, a panel for each metric."""
    arrays = storage.read_arrays(snakemake.input.surface[0])
    points = storage.read_table(snakemake.input.surface[1])
    surface_figure.draw_surfaces(
        panels,
        arrays["h"],
        arrays["w"],
        dict(zip(arrays["metrics"], arrays["correlations"][:, 0], strict=True)),
        {
            metric: dict(zip(rows.parameters, zip(rows.h, rows.w, strict=True), strict=True))
            for metric, rows in points.groupby("metric")
        },
    )


def count_panels(snakemake):
    """Rows and columns: of a surface one panel for each metric."""
    count = 1
    with suppress(Missing):
        for file in snakemake.input.surface[:1]:
            count = len(storage.read_arrays(file)["metrics"])
    columns = min(count, 3)
    return -(-count // columns), columns


def main(snakemake):
    tokens = snakemake.wildcards.plot == "token_heat_map"
    size = (7, 3.4) if tokens else (4.6, 3.2)
    with figure(snakemake.output, *count_panels(snakemake), size, any_script=tokens) as panels:
        try:
            draw(panels, snakemake)
        except Missing as reason:
            plots.draw_reason(panels[0], str(reason))


if "snakemake" in globals():
    run(main, snakemake)
