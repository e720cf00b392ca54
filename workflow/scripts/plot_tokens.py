"""Plot the token difficulty of one evaluation set: its distribution, and one hard segment."""

from job import run
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.evidence.set_scores import best_first
from mt_difficulty.figures import plots
from mt_difficulty.figures.kinds import draw_heat_map
from mt_difficulty.weighting import tokens as token_weighting
from plotting import draw_plots


def read_difficulty(snakemake):
    """Matches as DA uses them, and the difficulty of every reference token."""
    matches, _ = token_weighting.rescaled_matches(storage.read_arrays(snakemake.input.matches))
    return matches, token_weighting.token_difficulty(matches.reference_similarity)[0]


def draw_difficulty_distribution(panels, snakemake):
    matches, difficulty = read_difficulty(snakemake)
    systems = len(matches.reference_similarity)
    plots.draw_difficulty_distribution(panels[0], {f"all {systems} systems": difficulty})


def draw_token_heat_map(panels, snakemake):
    found = evalset.load(snakemake.input.evalset)
    matches, difficulty = read_difficulty(snakemake)
    segment = plots.hardest_short_segment(
        difficulty, matches.reference_segment, matches.reference_lengths
    )
    title = f"{found.campaign}/{found.pair}, segment {segment + 1}, best systems on top"
    _, order = best_first(found, storage.read_table(snakemake.input.scores), snakemake.params.types)
    draw_heat_map(panels[0], found, matches, segment, order, title)


DRAW = {
    "token_heat_map": draw_token_heat_map,
    "difficulty_distribution": draw_difficulty_distribution,
}


def main(snakemake):
    draw_plots(snakemake, DRAW, token_heat_map={"size": (7, 3.4), "any_script": True})


if "snakemake" in globals():
    run(main, snakemake)
