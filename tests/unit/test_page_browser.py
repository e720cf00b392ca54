"""The pages in a browser: every kind is accessible and fits a phone, tables answer, and segments
are browsed, of all systems and of two."""

import csv
import io
import re

import numpy as np
import page_run
import pytest
from conftest import ROOT
from page_visit import PHONE, WIDE, violations, watched

from mt_difficulty import cli, storage
from mt_difficulty.data import evalset
from mt_difficulty.metrics import METRICS

SET, PAPER = "test/en-de/report", "papers/first2020/report"
KINDS = [("report", ""), (SET, "#segment=1"), (PAPER, ""), ("study/report", "")]
KINDS += [("estimators/report", ""), ("own", "")]
ODD = page_run.SYSTEMS[2]


@pytest.fixture(scope="module")
def folder(page_folder):
    page_run.render_others(page_folder)
    demo = ROOT / "data/demo/archive/demo"
    texts = [demo / f"system-outputs/en-de/{name}.txt" for name in ("oak", "ash", "birch")]
    texts = ["-i", *texts, "--lang", "de", "-m", "chrF", "BLEU"]
    texts += ["--html", page_folder / "own.html", "--quiet"]
    assert cli.main([*map(str, ["score", demo / "references/en-de.refA.txt", *texts])]) == 0
    return page_folder


@pytest.fixture(scope="module")
def found(folder):
    """The evaluation set."""
    return evalset.load(folder / "test/en-de/evalset.json")


@pytest.fixture
def visit(browser, folder):
    """Open a page of the run; afterwards nothing was fetched and no error was raised."""
    with watched(browser) as opened:
        yield lambda name=SET, part="", viewport=WIDE, **options: opened(
            folder / f"{name}.html", part, viewport, **options
        )


@pytest.mark.parametrize(("name", "part"), KINDS)
def test_axe_finds_nothing_and_a_phone_scrolls_nothing_sideways(visit, name, part):
    page = visit(name, part)
    if part:
        page.locator(".passage .errors").first.wait_for()
    assert violations(page) == []
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def column(table, name):
    """The shown texts of a column."""
    heads = [head.strip() for head in table.locator("thead th").all_inner_texts()]
    at = heads.index(name)
    return [row.locator("td").all_inner_texts()[at] for row in table.locator("tbody tr").all()]


def test_tables_are_sorted_filtered_and_saved(visit):
    page = visit()
    table = page.locator("table[data-name='changes']")
    before = column(table, "Δ")
    head = table.locator("thead th", has_text="Δ").first
    head.get_by_role("button").focus()
    for direction in ("ascending", "descending"):
        page.keyboard.press("Enter")
        assert head.get_attribute("aria-sort") == direction
        values = [float(text.replace("−", "-")) for text in column(table, "Δ")]
        assert values == sorted(values, reverse=direction == "descending"), direction
    page.keyboard.press("Enter")
    assert head.get_attribute("aria-sort") is None
    assert column(table, "Δ") == before

    # A folded section opens by a link to it.
    name = "[data-name='significance_csv']"
    assert not page.locator(name).is_visible()
    page.get_by_role("link", name="How sure each correlation is").click()
    box, rows = page.locator(f".tools:has(+ .scroll {name})"), page.locator(f"{name} tbody tr")
    assert rows.count() == 9  # three metrics, three weightings; all systems, r
    box.get_by_label("weighting").select_option("EE")
    with page.expect_download() as download:
        box.get_by_role("button", name="Save as CSV").click()
    text = download.value.path().read_text(encoding="utf-8-sig")
    lines = list(csv.DictReader(io.StringIO(text)))
    assert download.value.suggested_filename == "significance_csv.csv"
    assert [line["metric"] for line in lines] == ["chrF", "TER", "BERTScore"]
    assert [line["gain"] for line in lines] == ["0.200", "-0.300", "0.010"]
    box.get_by_label("subset").select_option("")
    assert rows.count() == 6


def test_contents_are_folded_on_a_phone_and_folded_parts_are_not_printed(visit):
    page = visit()
    contents = page.get_by_role("navigation").get_by_role("list")
    assert contents.is_visible()
    page.set_viewport_size(PHONE)
    contents.wait_for(state="hidden")
    assert page.locator("nav").bounding_box()["height"] < 60
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    folded = page.locator("details.part").first
    assert not folded.is_visible()
    page.emulate_media(media="screen")
    folded.locator("summary").first.click()
    page.emulate_media(media="print")
    assert folded.locator("h2").is_visible()


def test_a_set_page_has_at_most_seven_open_sections(visit):
    page = visit()
    shown = [
        h for h in page.locator("main h2").all() if not h.locator("xpath=ancestor::summary").count()
    ]
    assert len(shown) <= 7
    assert page.locator("main > details.part").count() >= 4
    assert page.locator(".forest .dot").count() == 6


def listed(page):
    """The numbers of the segments in the list."""
    return [int(text) for text in page.locator(".segment-list tbody button").all_inner_texts()]


def shown_segment(page):
    """The number of the segment that is shown below the list."""
    return int(re.search(r"\d+", page.locator(".passage h3").inner_text())[0])


def hardest_first(folder, name):
    path = folder / f"test/en-de/difficulty/{name}.npz"
    values = storage.read_arrays(path)["difficulty"].mean(axis=0)
    return (1 + np.argsort(-values, kind="stable")).tolist()


@pytest.mark.slow
def test_segments_are_read_when_a_reader_comes_near_and_walked_by_keyboard(visit, folder):
    page = visit()
    assert page.locator(".passage").count() == 0
    page.locator("#segments").scroll_into_view_if_needed()
    title = page.locator(".passage h3")
    order = hardest_first(folder, "chunk_entropy")
    title.get_by_text(f"Segment {order[0]} ").wait_for()
    assert page.url.endswith("report.html")  # who only reads changes no address
    assert listed(page) == order
    page.get_by_role("button", name="next").focus()
    page.keyboard.press("Enter")
    title.get_by_text(f"Segment {order[1]} ").wait_for()
    assert f"#segment={order[1]}" in page.url
    # Arrow keys walk from chunk to chunk, and each lights its counterpart.
    page.locator(".chunk[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    chunk = page.locator(".chunk:focus")
    words = re.sub(r"^\d+", "", chunk.inner_text()).split()
    # Links of equal words, as the aligner of this run makes them.
    assert set(page.locator(".place.lit").all_inner_texts()) == set(words)


def longest_common(one, other):
    """The length of the longest common subsequence, by plain recursion over prefixes."""
    table = np.zeros((len(one) + 1, len(other) + 1), dtype=int)
    for i, a in enumerate(one, 1):
        for j, b in enumerate(other, 1):
            same = table[i - 1, j - 1] + 1
            table[i, j] = same if a == b else max(table[i - 1, j], table[i, j - 1])
    return table[-1, -1]


def test_two_systems_stand_side_by_side_first_where_their_scores_differ_most(visit, found, folder):
    page = visit(part="#segments")
    box = page.locator(".segments-browser")
    box.get_by_label("System A").select_option("oak")
    box.get_by_label("System B").select_option(ODD)
    # The first of the list, which begins with what separates the systems most, is shown.
    heading = box.locator("> h3")
    assert heading.inner_text() == "Segments by difference in human score, largest first"
    assert shown_segment(page) == listed(page)[0]
    box.get_by_label("Order").select_option("difference TER")
    assert heading.inner_text() == "Segments by difference in TER, largest first"
    assert shown_segment(page) == listed(page)[0]
    a, b = found.systems.index("oak"), 2
    statistics = storage.read_arrays(folder / "test/en-de/statistics/TER.npz")["statistics"]
    scores = METRICS["ter"].segment_scores(statistics).round(1)
    # Of TER the lower is the better.
    gains = (scores[b] - scores[a]).round(1)
    shown = [gains[number - 1] for number in listed(page)]
    assert np.abs(shown) == pytest.approx(np.sort(np.abs(gains[gains != 0]))[::-1])
    # The words that only one of the two has are marked.
    table = page.locator(".hypotheses.pair")
    number = shown_segment(page)
    texts = [found.hypotheses[system][number - 1].split() for system in (a, b)]
    common = []
    for words, cell in zip(texts, table.locator(".said").all(), strict=True):
        marked = cell.locator(".differs").all_text_contents()
        rest = iter(words)
        in_order = [word for word in marked if word in rest]
        assert marked == in_order, words
        common.append(len(words) - len(marked))
    assert common == [longest_common(*texts)] * 2
    # A choice from the list keeps the keyboard's place, and the list fits the window.
    chosen = page.locator(".segment-list tbody button").nth(2)
    chosen.focus()
    page.keyboard.press("Enter")
    assert shown_segment(page) == listed(page)[2]
    assert page.evaluate("document.activeElement.textContent") == chosen.inner_text()
    for size in (WIDE, PHONE):
        page.set_viewport_size(size)
        for name in (".segment-list", ".scroll:has(> .pair)"):
            widths = page.locator(name).evaluate("(box) => [box.scrollWidth, box.clientWidth]")
            assert widths[0] == widths[1], (size, name)
    page.set_viewport_size(WIDE)
    box.get_by_label("System B").select_option("")
    assert page.locator(".hypotheses:not(.pair) tbody tr").count() == 5


def test_the_page_of_own_systems_compares_any_two(visit):
    page = visit("own")
    lead = (
        "birch scores best of 3 systems by chrF: 83.4 [81.6, 85.3]; significantly better than all "
    )
    assert page.locator(".lead").inner_text().startswith(lead)
    # Both metrics are drawn, each unweighted and under EE, and have a column of worse systems.
    panels = page.locator("main > .forest > b").all_inner_texts()
    assert panels == ["chrF", "EE-chrF", "BLEU", "EE-BLEU"]
    table = page.locator("[data-name=system_intervals_csv]")
    assert column(table, "chrF: better than")[0] == "all others"
    assert table.locator("th", has_text="BLEU: better than").first.is_visible()
    assert page.locator("[data-name=comparisons] tbody tr").count() == 12
    box = page.locator(".segments-browser")
    box.scroll_into_view_if_needed()
    box.get_by_label("System A").select_option("oak")
    box.get_by_label("System B").select_option("ash")
    assert page.locator(".hypotheses.pair .differs").count() > 0
