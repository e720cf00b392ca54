"""The charts of a set's page in a browser."""

import re

import page_run
import pytest
from page_visit import PHONE, watched


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The page of a set."""
    folder = tmp_path_factory.mktemp("run")
    page_run.render(folder)
    return folder / "test/en-de/report.html"


@pytest.fixture
def visit(browser):
    with watched(browser) as visit:
        yield visit


def test_curves_answer_to_slider_mouse_and_choices(visit, file):
    page = visit(file)
    widget = page.locator(".widget.curves")
    readout, slider = widget.locator(".readout"), widget.get_by_role("slider", name="K")
    assert "K = 5 (all systems)" in readout.inner_text()
    slider.focus()
    # Opened with all systems, and with intervals where there are some: of all systems and of four.
    chart = widget.locator(".beside svg").first
    assert chart.locator(".whisker").count() == 2 * 6
    row = readout.locator("tr").filter(has_text="EE-chrF").locator("td")
    assert row.all_inner_texts()[2] == "0.050 to 0.950"
    page.keyboard.press("ArrowRight")
    assert "K = 4" in readout.inner_text()
    page.keyboard.press("Home")
    assert "K = 5" in readout.inner_text()
    assert slider.get_attribute("aria-valuetext") == "5 best systems"
    page.keyboard.press("End")
    assert "K = 3" in readout.inner_text()
    assert row.all_inner_texts()[2] == ""
    chart.hover(position={"x": 50, "y": 50})
    assert "K = 5" in readout.inner_text()
    lines = chart.locator("path[fill='none']")
    shown = lines.count()
    assert shown == 7  # three metrics, standard and EE, and DA of one
    widget.get_by_label("TER").uncheck()
    assert lines.count() == shown - 2
    widget.get_by_label("DA", exact=True).uncheck()
    assert lines.count() == shown - 3
    widget.get_by_role("combobox", name="Statistic").select_option("τ")
    # The table holds what the chart shows.
    widget.get_by_text("The same as a table").click()
    row = widget.locator("details tbody >> nth=1").locator("tr")
    expected = row.filter(has=page.locator("th", has_text=re.compile("^EE-chrF$")))
    of_chart = readout.locator("tr").filter(has_text="EE-chrF").locator("td").nth(1).inner_text()
    assert of_chart == expected.locator("td").nth(1).text_content()


def test_surfaces_show_their_points_and_answer(visit, file):
    page = visit(file)
    widget = page.locator(".widget.surface")
    readout = widget.locator(".readout").inner_text()
    assert "in force\t0.20\t0.10\t0.40" in readout
    assert "optimum" in readout
    texts = widget.locator("svg").first.locator("text").all_text_contents()
    assert [text for text in texts if text in "■●▲"] == ["■", "●", "▲"]
    widget.get_by_role("slider", name="quantile").focus()
    page.keyboard.press("ArrowRight")
    widget.get_by_role("slider", name="w").focus()
    page.keyboard.press("End")
    here = widget.locator(".readout tbody tr").first
    assert here.locator("td").all_inner_texts() == ["0.30", "0.15", "1.00", "–"]  # an empty group
    widget.locator("svg").first.hover(position={"x": 60, "y": 20})
    assert here.locator("td").all_inner_texts()[:3] == ["0.00", "0.00", "1.00"]
    assert "h 0.25" in widget.locator("svg").first.text_content()  # at the middle of the axis
    choice = widget.get_by_role("combobox", name="Score")
    choice.select_option("1")
    assert "EE-TER" in widget.locator(".readout").inner_text()
    choice.select_option("2")
    assert "ceiling-chrF (uses human scores)" in widget.locator(".readout").inner_text()
    assert "h 0.50" in widget.locator("svg").first.text_content()


def test_system_comparisons_are_complete_and_walkable(visit, file):
    page = visit(file)
    widget = page.locator(".widget.comparisons")
    cells = widget.locator("td[data-row]")
    assert cells.count() == 5 * 4
    assert cells.first.inner_text() == "97"
    assert widget.locator("td[data-row='1'][data-column='0']").inner_text() == "3"
    cells.first.focus()
    assert page.locator("#tip").inner_text().startswith("ash scores better than birch in 97.0 %")


def test_names_of_systems_stay_beside_a_wide_matrix(visit, file):
    page = visit(file, viewport=PHONE)
    box = page.locator(".widget.comparisons .matrix-scroll")
    box.evaluate("box => { box.style.width = '170px'; box.scrollLeft = 1000; }")
    place = box.bounding_box()
    assert box.evaluate("box => box.scrollLeft") > 0
    for head in box.locator("tbody th").all():
        assert head.bounding_box()["x"] == pytest.approx(place["x"], abs=1)
    assert box.locator("thead th").first.text_content() == "1 ash"
