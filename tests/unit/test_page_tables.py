"""Tables and figures of the pages in a browser: sorted, filtered, cited, saved, on every screen."""

import csv
import io
import re

import page_run
import pytest
from page_visit import PHONE, WIDE, watched

SET, PAPER = "test/en-de", "papers/first2020"
INDEX_BYTES, SET_BYTES, PAINT = 300_000, 2_000_000, 1000  # bytes, bytes, milliseconds


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return page_run.render(tmp_path_factory.mktemp("run"), [SET]).parent


@pytest.fixture
def visit(browser, folder):
    """Open a page of the run; afterwards nothing was fetched and no error was raised."""
    with watched(browser) as opened:
        yield lambda name="report", viewport=WIDE, after="", **options: opened(
            folder / f"{name}.html", after, viewport, **options
        )


def column(table, name):
    """The shown texts of a column."""
    heads = [head.strip() for head in table.locator("thead th").all_inner_texts()]
    rows = [
        row.locator("th, td").all_inner_texts() for row in table.locator("tbody tr:visible").all()
    ]
    return [row[heads.index(name)] for row in rows]


def saved(page, button):
    with page.expect_download() as found:
        button.click()
    return found.value.suggested_filename, found.value.path().read_text(encoding="utf-8-sig")


def test_the_first_screen_says_what_was_found(visit):
    page = visit()
    lead = page.locator(".lead")
    assert lead.bounding_box()["y"] + lead.bounding_box()["height"] < WIDE["height"]
    assert (
        "helps in 1 of 6 comparisons" in lead.inner_text() or "helps in 1 of 3" in lead.inner_text()
    )
    assert "r 0.800 → 0.500, Δ −0.300" in lead.inner_text()
    figure = page.locator(".lead-figure svg.wide")
    assert figure.bounding_box()["y"] < WIDE["height"]
    assert figure.locator("text.head").all_text_contents() == ["EE", "ceiling (uses human scores)"]


def test_columns_sort_by_keyboard_and_the_address_keeps_it(visit):
    page = visit(f"{SET}/report")
    table = page.locator("table[data-name='changes']")
    before = column(table, "Δ")
    head = table.locator("thead th", has_text="Δ").first
    head.get_by_role("button").focus()
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "ascending"
    values = [float(text.replace("−", "-")) for text in column(table, "Δ")]
    assert values == sorted(values)
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") == "descending"
    again = visit(f"{SET}/report", after=page.evaluate("location.search"))
    assert column(again.locator("table[data-name='changes']"), "Δ") == column(table, "Δ")
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert column(table, "Δ") == before
    assert page.evaluate("location.search") == ""


def test_filters_are_kept_in_the_address(visit):
    page = visit(f"{SET}/report")
    box = page.locator(".filtered", has=page.locator("[data-name='significance_csv']"))
    box.get_by_label("metric").select_option("TER")
    box.get_by_label("subset").select_option("")
    shown = box.locator("tbody tr:visible").count()
    again = visit(f"{SET}/report", after=page.evaluate("location.search"))
    box = again.locator(".filtered", has=again.locator("[data-name='significance_csv']"))
    assert box.get_by_label("metric").input_value() == "TER"
    assert box.get_by_label("subset").input_value() == ""
    assert box.locator("tbody tr:visible").count() == shown == 6
    page = visit(f"{PAPER}/report")
    page.locator("#filters").get_by_label("Containing").fill("no & texts")
    again = visit(f"{PAPER}/report", after=page.evaluate("location.search"))
    assert again.locator(".ledger td[data-status]:not(.off)").count() == 1


def test_a_row_that_is_cited_is_shown_though_filters_hide_it(visit):
    page = visit(f"{SET}/report")
    table = "table[data-name='significance_csv']"
    row = page.locator(f"{table} tbody tr[hidden]").first
    link = row.locator("a.anchor").get_attribute("href")
    again = visit(f"{SET}/report", after=link)
    found = again.locator(f"{table} tr:target")
    assert found.count() == 1
    assert found.is_visible()
    box = found.bounding_box()
    assert 0 <= box["y"] < WIDE["height"]


def test_tables_are_saved_as_they_are_shown(visit):
    page = visit(f"{SET}/report")
    box = page.locator(".filtered", has=page.locator("[data-name='significance_csv']"))
    box.get_by_label("weighting").select_option("EE")
    name, text = saved(page, box.get_by_role("button", name="Save as CSV"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert name == "significance_csv.csv"
    assert [row["metric"] for row in rows] == ["chrF", "TER", "BERTScore"]
    assert [row["gain"] for row in rows] == ["0.200", "-0.300", "0.010"]
    page = visit(f"{PAPER}/report")
    tools = page.locator("#first2020_table1 .tools")
    name, text = saved(page, tools.get_by_role("button", name="Save as CSV"))
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {"row": "chrF", "column": "En→De r", "ours": "0.900", "published": "0.900"}.items() <= (
        rows[0].items()
    )
    assert [row["note"] for row in rows if row["verdict"] == "other encoder"] == ["encoder <tiny>"]


def test_figures_are_saved_as_svg_with_their_colours(visit):
    page = visit(color_scheme="dark")
    name, text = saved(page, page.locator(".lead-figure").get_by_role("button", name="Save as SVG"))
    assert name == "changes.svg"
    assert text.startswith("<svg")
    assert "var(" not in text
    assert re.search(r"fill:\s*rgb\(86, 180, 233\)", text)  # the one that helps, on dark
    page = visit(f"{PAPER}/report")
    link = page.locator("figure.saved a.save")
    assert link.get_attribute("download") == "figure1.svg"


@pytest.mark.parametrize("name", ["report", f"{SET}/report", f"{PAPER}/report"])
def test_nothing_is_explained_by_titles_alone(visit, name):
    assert visit(name).locator("[title]").count() == 0


def test_columns_are_explained_in_the_open(visit):
    page = visit(f"{SET}/report")
    explained = page.locator("[data-name='significance_csv']").locator("xpath=../../details")
    explained.locator("summary").focus()
    page.keyboard.press("Enter")
    assert "finds with 80 % power" in explained.inner_text()


def test_at_1440_pixels_p_is_on_the_screen_and_further_columns_are_asked_for(visit):
    page = visit(f"{SET}/report")
    table = page.locator("[data-name='significance_csv']")
    assert table.bounding_box()["width"] <= table.locator("xpath=..").bounding_box()["width"]
    shown = [head.strip() for head in table.locator("thead th:visible").all_inner_texts()]
    assert "p, permutation" in shown
    assert "p, Williams" not in shown
    box = page.locator(".filtered", has=table)
    box.get_by_role("button", name="All columns").click()
    assert "p, Williams" in [h.strip() for h in table.locator("thead th:visible").all_inner_texts()]


def test_first_columns_and_heads_stay_while_a_table_scrolls(visit):
    page = visit(f"{SET}/report")
    page.locator(".filtered", has=page.locator("[data-name='significance_csv']")).get_by_role(
        "button", name="All columns"
    ).click()
    scroll = page.locator("[data-name='significance_csv']").locator("xpath=..")
    scroll.scroll_into_view_if_needed()
    scroll.evaluate("(box) => { box.scrollLeft = 300; box.scrollTop = 60; }")
    places = scroll.evaluate(
        """(box) => {
          const [row] = [...box.querySelectorAll("tbody tr")].filter((one) => !one.hidden);
          const place = (e) => [e.getBoundingClientRect().left - box.getBoundingClientRect().left,
            e.getBoundingClientRect().top - box.getBoundingClientRect().top];
          return [place(row.cells[0])[0], place(box.querySelector("th"))[1]];
        }"""
    )
    assert places == pytest.approx([0, 0], abs=1.5)


def test_on_a_phone_every_statistic_of_a_row_is_on_the_screen(visit):
    page = visit(f"{SET}/report", PHONE, has_touch=True)
    table = page.locator("table[data-name='correlations']")
    row = table.locator("tbody tr").first
    for label in ("r", "τ", "ρ"):
        box = row.locator(f"td[data-label='{label}']").bounding_box()
        assert box["x"] >= 0, label
        assert box["x"] + box["width"] <= PHONE["width"], label
    assert page.locator(".lead-figure svg.narrow").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_in_the_dark_pages_are_dark_and_on_paper_light(visit):
    colour = "getComputedStyle(document.body).backgroundColor"
    page = visit(color_scheme="dark")
    assert page.evaluate(colour) == "rgb(21, 23, 26)"
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate(colour) == "rgb(255, 255, 255)"
    assert page.locator(".how:visible, .save:visible, .anchor:visible").count() == 0
    # Plots of matplotlib, made for white paper, keep it.
    plot = visit(f"{PAPER}/report", color_scheme="dark").locator("figure img")
    assert plot.evaluate("(i) => getComputedStyle(i).backgroundColor") == "rgb(255, 255, 255)"


def test_the_keyboard_reaches_what_a_pointer_does_in_the_order_of_the_page(visit):
    page = visit()
    places = []
    for _ in range(40):
        page.keyboard.press("Tab")
        place = page.evaluate(
            """() => { const e = document.activeElement, style = getComputedStyle(e);
              return [e.compareDocumentPosition(document.body), style.outlineStyle, e.tagName]; }"""
        )
        order = page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)")
        places.append(order)
        assert place[1] != "none", place
    assert places == sorted(places)


@pytest.mark.parametrize(("name", "most"), [("report", INDEX_BYTES), (f"{SET}/report", SET_BYTES)])
def test_pages_are_light_and_painted_soon(visit, folder, name, most):
    assert (folder / f"{name}.html").stat().st_size < most
    page = visit(name)
    paint = page.evaluate(
        """() => new Promise((found) => new PerformanceObserver((list) => list.getEntriesByName(
        'first-contentful-paint').forEach((one) => found(one.startTime))).observe(
        { type: "paint", buffered: true }))"""
    )
    assert paint < PAINT


def test_ten_segments_of_two_systems_are_three_clicks_from_the_index(visit):
    page = visit()
    row = page.locator("[data-name='sets'] tbody tr")
    row.get_by_role("link", name="two systems").click()
    widget = page.locator(".widget.pairs")
    widget.get_by_label("System A").select_option("fir")
    widget.get_by_label("System B").select_option("oak")
    assert widget.locator(".passage h3").count() == 10


def test_the_intervals_of_correlations_fit_a_screen(visit):
    page = visit(f"{SET}/report")
    box = page.locator(".scroll", has=page.locator("[data-name='correlations']"))
    assert box.evaluate("box => box.scrollWidth <= box.clientWidth")
    assert not page.locator("[data-name='correlations'] th", has_text="difficulty").is_visible()


def test_a_shadow_says_that_columns_follow(visit):
    page = visit(f"{SET}/report", viewport={"width": 700, "height": 800})
    page.locator(".scroll.cut > [data-name='correlations']").wait_for()
    box = page.locator(".scroll", has=page.locator("[data-name='correlations']"))
    box.evaluate("box => box.scrollTo(box.scrollWidth, 0)")
    page.locator(".scroll:not(.cut) > [data-name='correlations']").wait_for()
    assert box.evaluate("box => box.scrollWidth > box.clientWidth")
