"""Plot one evaluation set: top-K curves, scores by entropy, or mean entropies."""

from pathlib import Path

from job import run
from mt_difficulty import evalset, figures, storage, token_weighting
from mt_difficulty.correlation import best_systems
from mt_difficulty.errors import Missing
from mt_difficulty.metrics import METRICS
from mt_difficulty.weighting import mean_entropy, usable
from plotting import draw_heat_map, figure


def draw(axes, snakemake):
    plot = snakemake.wildcards.plot
    if plot == "top_k":
        frame = storage.read_table(snakemake.input.correlations)
        wildcards = snakemake.wildcards
        weightings = [w for w in ("standard", "EE", "DA") if w in set(frame.weighting)]
        title = f"{wildcards.campaign}/{wildcards.pair}: {figures.describe_styles(weightings)}"
        metrics = list(dict.fromkeys(frame.metric))
        figures.draw_top_k(axes, frame, metrics, title, weightings=weightings)
    elif snakemake.input.matches:
        draw_tokens(axes, snakemake)
    else:
        draw_entropy(axes, snakemake)


def draw_entropy(axes, snakemake):
    entropy = storage.read_arrays(snakemake.input.entropy)["entropy"]
    if snakemake.wildcards.plot == "entropy_distribution":
        means = usable(mean_entropy(entropy), snakemake.params.zero_segments)
        figures.draw_entropy_distribution(axes, means)
    else:
        file = snakemake.input.statistics[0]
        scores = METRICS[snakemake.params.type].segment_scores(
            storage.read_arrays(file)["statistics"]
        )
        figures.draw_entropy_score(axes, entropy, scores, Path(file).stem)


def draw_tokens(axes, snakemake):
    """Token difficulty: its distribution, or one hard segment."""
    found = evalset.load(snakemake.input.evalset)
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(snakemake.input.matches[0]))
    difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
    if snakemake.wildcards.plot == "difficulty_distribution":
        figures.draw_difficulty_distribution(
            axes, {f"all {len(found.systems)} systems": difficulty}
        )
        return
    segment = figures.telling_segment(
        difficulty, matches.reference_segment, matches.reference_lengths
    )
    title = f"{found.campaign}/{found.pair}, segment {segment + 1}, best systems on top"
    draw_heat_map(axes, found, matches, segment, best_systems(found.gold), title)


def main(snakemake):
    tokens = snakemake.wildcards.plot == "token_heat_map"
    size = (7, 3.4) if tokens else (4.6, 3.2)
    with figure(snakemake.output, size=size, any_script=tokens) as (axes,):
        try:
            draw(axes, snakemake)
        except Missing as reason:
            figures.draw_reason(axes, str(reason))


if "snakemake" in globals():
    run(main, snakemake)
