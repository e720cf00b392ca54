"""Plot the token difficulty of one evaluation set: its distribution, and one hard segment."""

from functools import partial

from job import run
from mt_difficulty.data.set_files import read_set
from mt_difficulty.embedding import matching
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.subsets import best_first
from mt_difficulty.figures import plots
from mt_difficulty.figures.kinds import draw_heat_map
from mt_difficulty.papers.inputs import token_difficulty
from plotting import draw_plots


def read_difficulty(files, settings):
    """Matches as weightings of tokens use them, the name and the entry of the set's first
    difficulty of tokens, and the difficulty of every reference token."""
    matches, _ = matching.rescaled_matches(files.read(files.in_folder("matches")[0]))
    for name, entry in files.read("weightings.json")["difficulties"].items():
        if entry["unit"] == "token":
            found = files.read("evalset.json")
            return matches, name, entry, token_difficulty(found, matches, settings[name])
    raise Missing("no difficulty of tokens is configured")


def draw_difficulty_distribution(settings, panels, files):
    matches, name, entry, difficulty = read_difficulty(files, settings["difficulties"])
    systems = len(matches.reference_similarity)
    label = plots.axis_label(name, entry)
    plots.draw_token_difficulties(panels[0], {f"all {systems} systems": difficulty}, label)


def draw_token_heat_map(settings, panels, files):
    found = files.read("evalset.json")
    matches, _, _, difficulty = read_difficulty(files, settings["difficulties"])
    segment = plots.hardest_short_segment(
        difficulty, matches.reference_segment, matches.reference_lengths
    )
    title = f"{files.name}, segment {segment + 1}, best systems on top"
    types = {name: each["type"] for name, each in settings["metrics"].items()}
    _, order = best_first(found, files.read("system_scores.csv"), types)
    draw_heat_map(panels[0], found, matches, segment, order, difficulty, title)


def main(snakemake):
    params = snakemake.params
    draw = {
        "token_heat_map": partial(draw_token_heat_map, params.settings),
        "difficulty_distribution": partial(draw_difficulty_distribution, params.settings),
    }
    files = read_set(params.name, snakemake.input.files)
    sizes = {"size": (7, 3.4), "any_script": True}
    draw_plots(snakemake.output, draw, files, token_heat_map=sizes)


if "snakemake" in globals():
    run(main, snakemake)
