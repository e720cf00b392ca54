"""Plots of an evaluation set, from files made up for the purpose."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

import plot_evalset
from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.labels import TUNED_NOTE
from mt_difficulty.figures import results

NAME = "lab/en-de"
METRICS = {"A": {"type": "stored"}, "B": {"type": "chrf"}}
GROUPS = {"type": "groups", "difficulty": "gaps"}


def described(**difficulties):
    """As in weightings.json, of the units of these difficulties."""
    known = {
        name: {"unit": unit, "uses_gold": False, "missing": ""}
        for name, unit in difficulties.items()
    }
    of = {"unit": "segment", "difficulty": "gaps", "description": ""}
    of |= {"uses_gold": False, "tuned": False}
    return {"difficulties": known, "weightings": {name: {**of} for name in ("E2", "soft", "third")}}


@pytest.fixture
def axes():
    drawn, axes = pyplot.subplots()
    yield axes
    pyplot.close(drawn)


def files_of_difficulty(values, scores=None, **more):
    statistics = {"statistics": np.array(scores, dtype=float)[:, :, None]} if scores else {}
    contents = {
        "difficulty/gaps.npz": {"difficulty": np.array(values, dtype=float)},
        "statistics/A.npz": {"statistics": np.ones((2, 1, 1))},  # of systems alone
        "statistics/B.npz": statistics,
        "weightings.json": described(gaps="segment"),
    }
    return SetFiles(NAME, contents | more)


def draw(name, panels, files, metric="B", **settings):
    """Draw a plot of a set, and return the number and size of its panels."""
    drawing, shape = results.plots_of_set(files, metric, settings)[name]
    drawing(panels)
    return shape


@pytest.mark.parametrize(
    ("weightings", "count"),
    [({"E2": GROUPS}, 2), ({"E2": GROUPS | {"zero_segments": "keep"}}, 3), ({}, 3)],
)
def test_segments_of_difficulty_0_count_as_the_weighting_in_groups_has_it(axes, weightings, count):
    weightings = {"other": GROUPS | {"difficulty": "words", "zero_segments": "keep"}} | weightings
    weightings["top"] = {"type": "hardest", "difficulty": "gaps"}
    files = files_of_difficulty([[0, 1, 2, np.inf]] * 2, **{"statistics/B.npz": Missing("none")})
    panels = np.array([pyplot.subplots()[1], axes])
    draw("difficulties", panels, files, metrics=METRICS, weightings=weightings)
    pyplot.close(panels[0].figure)
    assert axes.get_title().startswith(f"μ = {3 / count:.3f}, ")
    assert axes.get_xlabel() == "mean gaps of the segment"


def job(folder, plots, files, **params):
    """A job of these outputs, from files on disk that its script reads."""
    paths = [[str(folder / f"{plot}.{end}") for plot in plots] for end in ("svg", "pdf")]
    output = SimpleNamespace(svg=paths[0], pdf=paths[1])
    return SimpleNamespace(
        params=SimpleNamespace(name=NAME, **params),
        input=SimpleNamespace(files=files),
        output=output,
    )


@pytest.mark.parametrize(
    "values", [[[0.1, 0.5, 0.3]] * 2, [[np.inf] * 3] * 2, [[1e9, -1e9, 0]] * 2, Missing("no texts")]
)
@pytest.mark.filterwarnings("error")
def test_a_difficulty_is_drawn_whatever_it_is(tmp_path, monkeypatch, values):
    files = files_of_difficulty([[0, 0, 0]] * 2, [[3, 2, 1]] * 2)
    found = values if isinstance(values, Missing) else {"difficulty": np.array(values)}
    files.contents["difficulty/gaps.npz"] = found
    monkeypatch.setattr(plot_evalset, "read_set", lambda name, paths: files)
    settings = {"metrics": METRICS, "weightings": {"E2": GROUPS}}
    plot_evalset.main(job(tmp_path, ["difficulties"], [], metric="B", settings=settings))
    assert {path.name for path in tmp_path.iterdir()} == {"difficulties.svg", "difficulties.pdf"}


def files_of_set(**more):
    top = [["B", name, "top", k, 0.5] for name in ("standard", "E2", "third") for k in (3, 4)]
    columns = ["metric", "weighting", "subset", "size", "pearson"]
    points = [("B", "E2", "in force", 0.5, 0.4), ("B", "soft", "in force", np.nan, np.nan)]
    points = pd.DataFrame(points, columns=["metric", "weighting", "parameters", "quantile", "w"])
    contents = {
        "correlations.csv": pd.DataFrame(top, columns=columns),
        "weightings.json": described(gaps="segment"),
        "surface.npz": {
            "quantiles": np.array([0, 0.5, 0.9]),
            "w": np.array([0, 1.0]),
            "metrics": np.array(["B", "B"]),
            "weightings": np.array(["E2", "soft"]),
            "correlations": np.random.default_rng(0).random((2, 3, 3, 2)),
        },
        "parameters.csv": points.assign(difficulty=["gaps", "words"], tuned=["yes", "no"]),
    }
    return SetFiles(NAME, contents | more)


def test_top_k_marks_tuned_weightings_in_title_and_legend(axes):
    files = files_of_set()
    files.contents["weightings.json"]["weightings"]["E2"]["tuned"] = True
    draw("top_k", [axes], files)
    title = " ".join(axes.get_title().split())
    assert title == f"{NAME}: dashed standard, solid E2§, dash-dotted soft {TUNED_NOTE}"
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["B", "E2-B§"]


def test_each_metric_and_weighting_in_groups_has_a_surface():
    files = files_of_set()
    drawn, panels = pyplot.subplots(1, 2)
    shape = draw("surface", panels, files)
    assert shape == {"rows": 1, "columns": 2, "layout": "none"}
    assert [panel.get_title() for panel in panels] == ["E2-B", "soft-B"]
    assert [panel.get_xlabel().split()[-1] for panel in panels] == ["gaps", "words"]
    assert [len(panel.lines) for panel in panels] == [1, 0]
    (legend,) = drawn.legends
    assert [text.get_text() for text in legend.get_texts()] == ["in force§"]
    pyplot.close(drawn)
