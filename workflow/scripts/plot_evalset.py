"""Plot one evaluation set: top-K curves, correlations over the parameters of weightings, its
difficulties, and one hard segment."""

from contextlib import contextmanager
from functools import partial

from job import run
from mt_difficulty.data.set_files import read_set
from mt_difficulty.embedding.matches import rescaled_matches
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import labels
from mt_difficulty.evidence.subsets import best_first, row_label
from mt_difficulty.figures import plots
from mt_difficulty.figures.kinds import draw_heat_map, means_that_count, scores_of_segments
from mt_difficulty.figures.surface_figure import Surface, draw_surfaces
from mt_difficulty.papers.inputs import token_difficulty
from plotting import draw_plots

# Metrics of top-K curves, and panels of surfaces, that can be told apart: the first ones.
METRICS, SURFACES = 8, 12


def draw_top_k(panels, files):
    frame = files.read("correlations.csv")
    known = labels.describe(files.read("weightings.json")["weightings"])
    shown = [label for label in known if label.shown]
    title = f"{files.name}: {plots.describe_styles(shown)}"
    metrics = list(dict.fromkeys(frame.metric))
    if len(metrics) > METRICS:
        title += f"; {METRICS} of {len(metrics)} metrics"
    plots.draw_top_k(panels[0], frame, metrics[:METRICS], title, shown)


def draw_surface(panels, files):
    """Correlations over all thresholds and easy weights: a panel for each metric under each
    weighting in two groups."""
    arrays, points = files.read("surface.npz"), files.read("parameters.csv")
    surfaces = []
    drawn = (arrays[key][:SURFACES] for key in ("metrics", "weightings", "correlations"))
    for metric, weighting, correlations in zip(*drawn, strict=True):
        rows = points[(points.metric == metric) & (points.weighting == weighting)]
        surfaces.append(
            Surface(
                row_label({"metric": metric, "weighting": weighting}),
                rows.difficulty.iloc[0],
                correlations[0],
                dict(zip(rows.parameters, zip(rows["quantile"], rows.w, strict=True), strict=True)),
                set(rows.parameters[rows.tuned == "yes"]),
            )
        )
    draw_surfaces(panels, arrays["quantiles"], arrays["w"], surfaces)


def surface_panels(files):
    """Rows and columns, a panel for each surface."""
    arrays = files.optional("surface.npz")
    count = min(len(arrays["metrics"]), SURFACES) if arrays else 1
    columns = min(count, 3)
    return {"rows": -(-count // columns), "columns": columns, "layout": "none"}


@contextmanager
def or_reason(axes):
    """Say on the axes why nothing can be drawn."""
    try:
        yield
    except Missing as reason:
        plots.draw_reason(axes, str(reason))


def difficulties_of(files):
    """The names of the difficulties of segments and hypotheses."""
    described = files.read("weightings.json")["difficulties"]
    return [name for name, entry in described.items() if entry["unit"] != "token"]


def draw_difficulties(metric, settings, panels, files):
    """A row for each difficulty: scores by it, and its distribution."""
    names = difficulties_of(files)
    if not names:
        raise Missing("no difficulty of segments or hypotheses is configured")
    for name, (left, right) in zip(names, panels.reshape(-1, 2), strict=True):
        with or_reason(left):
            draw_scores(name, metric, settings, left, files)
        with or_reason(right):
            draw_distribution(name, settings, right, files)


def described(files, name):
    """What is known of a difficulty. Raises `Missing` where hypotheses lack it."""
    entry = files.read("weightings.json")["difficulties"][name]
    if entry["missing"]:
        raise Missing(entry["missing"])
    return entry


def draw_scores(name, metric, settings, axes, files):
    """Mean segment scores of a metric by a difficulty."""
    entry = described(files, name)
    values = files.read(f"difficulty/{name}.npz")["difficulty"]
    statistics = files.read(f"statistics/{metric}.npz")["statistics"]
    scores = scores_of_segments(metric, settings["metrics"][metric]["type"], statistics, values)
    label = plots.axis_label(name, entry)
    plots.draw_difficulty_scores(axes, values, scores, metric, label)


def draw_distribution(name, settings, axes, files):
    """Mean difficulties of the segments, those that count for the weightings in groups."""
    entry = described(files, name)
    values = files.read(f"difficulty/{name}.npz")["difficulty"]
    own = [each for each in settings["weightings"].values() if each.get("difficulty") == name]
    label = plots.mean_label(name, entry)
    plots.draw_segment_difficulties(axes, means_that_count(values, own), label)


def read_token_difficulty(files, settings):
    """Matches as weightings of tokens use them, the name and the entry of the set's first
    difficulty of tokens, and the difficulty of every reference token."""
    if not (there := files.in_folder("matches")):
        raise Missing("no metric of the set reads token matches")
    matches, _ = rescaled_matches(files.read(there[0]))
    for name, entry in files.read("weightings.json")["difficulties"].items():
        if entry["unit"] == "token":
            found = files.read("evalset.json")
            return matches, name, entry, token_difficulty(found, matches, settings[name])
    raise Missing("no difficulty of tokens is configured")


def draw_token_distribution(settings, panels, files):
    matches, name, entry, difficulty = read_token_difficulty(files, settings["difficulties"])
    systems = len(matches.reference_similarity)
    label = plots.axis_label(name, entry)
    plots.draw_token_difficulties(panels[0], {f"all {systems} systems": difficulty}, label)


def draw_token_heat_map(settings, panels, files):
    found = files.read("evalset.json")
    matches, _, _, difficulty = read_token_difficulty(files, settings["difficulties"])
    segment = plots.hardest_short_segment(
        difficulty, matches.reference_segment, matches.reference_lengths
    )
    title = f"{files.name}, segment {segment + 1}, best systems on top"
    types = {name: each["type"] for name, each in settings["metrics"].items()}
    _, order = best_first(found, files.read("system_scores.csv"), types)
    draw_heat_map(panels[0], found, matches, segment, order, difficulty, title)


def difficulty_panels(files):
    """Two panels for each difficulty."""
    rows = len(difficulties_of(files)) if "weightings.json" in files else 0
    return {"rows": rows, "columns": 2} if rows else {}


def main(snakemake):
    params = snakemake.params
    files = read_set(params.name, snakemake.input.files)
    draw = {
        "top_k": draw_top_k,
        "surface": draw_surface,
        "difficulties": partial(draw_difficulties, params.metric, params.settings),
        "token_heat_map": partial(draw_token_heat_map, params.settings),
        "difficulty_distribution": partial(draw_token_distribution, params.settings),
    }
    sizes = {
        "surface": surface_panels(files),
        "difficulties": difficulty_panels(files),
        "token_heat_map": {"size": (7, 3.4), "any_script": True},
    }
    draw_plots(snakemake.output, draw, files, **sizes)


if "snakemake" in globals():
    run(main, snakemake)
