"""The figures of the bench of difficulty estimators."""

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.estimators import DEC, WITHIN
from mt_difficulty.figures import estimator_figures as figures
from plotting import draw_plots

SHOWN = {DEC: "DEC", WITHIN: "DEC within tenths of source length"}
AGREEMENT = "soft pairwise accuracy with the ranking by all segments"
NO_SETS = "no set has human scores of segments"
COLUMNS = 2


def read_or_empty(file, columns):
    """A table, or one without rows where there is none."""
    try:
        return storage.read_table(file)
    except Missing:
        return pd.DataFrame(columns=columns)


def panels_of(draw, tables, panels):
    """A panel for each set; those that are left over are empty."""
    for axes in panels[len(tables) :]:
        axes.set_axis_off()
    if not tables:
        raise Missing(NO_SETS)
    for axes, (name, table) in zip(panels, tables.items(), strict=False):
        draw(axes, table, name)


def matrices(panels, values):
    """DEC by difficulty and set, with and without control of length."""
    if not values:
        raise Missing(NO_SETS)
    rows = pd.concat([table.assign(set=name) for name, table in values.items()])
    names = list(dict.fromkeys(rows.difficulty[rows["value"].notna()]))
    for axes, (statistic, title) in zip(panels, SHOWN.items(), strict=True):
        own = rows[(rows.statistic == statistic) & (rows.domain == "")]
        table = own.pivot(index="difficulty", columns="set", values="value")
        figures.matrix(axes, table.reindex(index=names, columns=list(values)), title)


def grid(tables, size):
    """A figure of a panel for each set."""
    return {"rows": max(1, -(-len(tables) // COLUMNS)), "columns": COLUMNS, "size": size}


def main(snakemake):
    sets, given = snakemake.params.sets, snakemake.input
    kinds = ("values", "by_system", "segments")
    found = {kind: read_tables(sets, given[kind])[0] for kind in kinds}
    ranked = read_or_empty(given.leaderboard, ["statistic", "value", "difficulty"])
    chosen = read_or_empty(given.selection, ["statistic"])
    chosen = chosen[chosen.statistic == "soft_accuracy"]
    of_system = {name: table[table.statistic == DEC] for name, table in found["by_system"].items()}
    names = max((table.difficulty.nunique() for table in found["values"].values()), default=1)
    draw = {
        "leaderboard": lambda panels, _: figures.leaderboard(panels[0], ranked, SHOWN),
        "by_set": lambda panels, _: matrices(panels, found["values"]),
        "by_system": lambda panels, _: panels_of(figures.by_system, of_system, panels),
        "items": lambda panels, _: panels_of(figures.items, found["segments"], panels),
        "selection": lambda panels, _: figures.selection(panels[0], chosen, AGREEMENT),
    }
    columns = 1.6 + 0.42 * max(len(found["values"]), 3)
    sizes = {
        "leaderboard": {"size": (6.4, figures.height(names))},
        "by_set": {"rows": 1, "columns": 2, "size": (columns, figures.height(names) + 0.8)},
        "by_system": grid(of_system, (3.8, figures.height(names))),
        "items": grid(found["segments"], (3.8, 2.8)),
        "selection": {"size": (6.4, figures.height(names))},
    }
    draw_plots(snakemake.output, draw, None, **sizes)


if "snakemake" in globals():
    run(main, snakemake)
