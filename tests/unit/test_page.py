"""The pages in a browser, and their bytes: what they need, show and never do."""

import re
from itertools import pairwise

import page_run
import pytest
from page_visit import watched

WIDE, PHONE = {"width": 1280, "height": 900}, {"width": 360, "height": 740}
SETS = ["test/en-de", "test/de-ar"]
SET = SETS[0]
PAPER = "papers/first2020"
NAMES = ["standard", "EE", "DA", "DA-LOO", "EE-DA", "long", "ceiling (uses human scores)"]
PEOPLE = "people (uses human scores)"


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return page_run.render(tmp_path_factory.mktemp("run"), SETS)


@pytest.fixture(scope="module")
def pages(file):
    """The index, and the pages of the sets."""
    return {"": file, **{name: file.parent / name / "report.html" for name in [*SETS, PAPER]}}


@pytest.fixture
def visit(browser, pages):
    """Open the index or a set's page; afterwards nothing was fetched and no error was raised."""
    with watched(browser) as opened:
        yield lambda name="", viewport=WIDE, **options: opened(
            pages[name], viewport=viewport, **options
        )


def test_every_page_is_one_file_that_fetches_nothing(pages):
    for name, page in pages.items():
        text = page.read_text(encoding="utf-8")
        links = re.findall(r"""(?:src|href)=["'](?!data:|#)([^"'#]*)""", text)
        linked = {(page.parent / link).resolve() for link in links}
        others = {other.resolve() for other in pages.values()} - {page.resolve()}
        assert linked >= (others if name == "" else {pages[""].resolve()})
        # What other targets write is looked for beside the index.
        assert {link.name for link in linked if not link.is_file()} <= {"findings.js"}, name
        assert not re.search(r"url\((?!data:)|@import", text)
        assert "default-src 'none'" in text


def test_the_index_and_the_pages_of_sets_link_each_other(visit):
    page = visit()
    page.locator("#run").get_by_role("link", name=SET).click()
    assert page.locator("h1").inner_text() == SET
    assert page.title() == f"{SET}: mt-difficulty"
    page.get_by_role("link", name="All sets").click()
    assert (
        page.locator("h1").inner_text()
        == "Do metrics agree better with people when they weigh by difficulty?"
    )


def test_every_link_to_a_part_of_a_page_has_its_part(visit, pages):
    for name in pages:
        page = visit(name)
        missing = page.evaluate(
            """[...document.querySelectorAll("a[href^='#']")].map((a) => a.hash.slice(1))
            .filter((id) => !document.getElementById(id))"""
        )
        assert missing == []


def test_the_same_run_gives_the_same_bytes_wherever_it_lies(pages, tmp_path):
    again = page_run.render(tmp_path / "elsewhere", SETS)
    for name, page in pages.items():
        copy = again.parent / page.relative_to(pages[""].parent)
        assert copy.read_bytes() == page.read_bytes(), name
        assert str(tmp_path.parent) not in copy.read_text(encoding="utf-8")
        assert "/home/someone" not in copy.read_text(encoding="utf-8")


def test_texts_cannot_become_markup(visit):
    page = visit(SET)
    assert page.locator("main b").get_by_text("elm").count() == 0
    assert page.get_by_text("</script><b>elm").count() > 0
    page.locator(".widget.segments").scroll_into_view_if_needed()
    page.locator(".segments .text").first.wait_for()
    assert page.locator(".segments .text i").count() == 0
    assert visit().get_by_text("A <First> Paper").count() == 1
    assert visit(PAPER).get_by_role("heading", name="A <First> Paper").count() == 1


def test_every_kind_of_result_is_there(visit):
    page = visit(SET)
    for title in ("How sure each", "Controls", "Systems against", "Scores of the"):
        there = title != "Scores of the"
        assert page.get_by_role("heading", name=title).count() == there
    assert "no segment is difficult" in page.inner_text("main")
    assert "system_intervals.csv" in page.inner_text("main")
    for kind in ("curves", "surface", "comparisons"):
        assert page.locator(f".widget.{kind} .controls").count() == 1


def test_the_index_shows_what_is_of_all_sets(visit):
    page = visit()
    assert "the archive has no gone" in page.locator("#run").inner_text()
    assert page.get_by_role("link", name="gone/en-de").count() == 0
    assert page.locator("#held-out tbody tr").count() == 2
    findings = page.locator("#findings")
    heads = [head.split("\n") for head in findings.locator("thead th").all_inner_texts()]
    assert [head[0] for head in heads] == ["set", "metric", *NAMES]
    used = ["chunk_entropy", "token_dissimilarity", "token_dissimilarity_others"]
    used += ["chunk_entropy+token_dissimilarity", "length", "people"]
    assert [head[1:] for head in heads[3:]] == [[name] for name in used]
    assert "EE: threshold h 0.200 (given); easy weight w 0.400 (given)" in page.inner_text("#run")
    assert findings.locator("tbody tr").count() == 6  # three metrics of each set
    chrf = findings.locator("tbody tr", has_text="chrF").first.locator("td").all_inner_texts()
    assert re.fullmatch(r"−?[01]\.\d{3}", chrf[2])
    assert chrf[4] == "–"  # chrF has no tokens
    assert "ab" * 32 in page.locator("#versions").inner_html()


def test_difficulties_and_weightings_are_named_and_explained_from_data(visit):
    terms = visit().locator("#terms dt").all_inner_texts()
    difficulties = [PEOPLE if name == "people" else name for name in page_run.DIFFICULTIES]
    assert terms[-12:] == difficulties + NAMES
    page = visit(SET)
    boxes = page.locator(".widget.curves fieldset").last.locator("label")
    assert boxes.all_inner_texts() == NAMES
    checked = [box.locator("input").is_checked() for box in boxes.all()]
    assert checked == [True] * 3 + [False] * 4
    tables = page.locator("#difficulties ~ .scroll").locator("table").all()[:2]
    rows = [table.locator("tbody th").all_inner_texts() for table in tables]
    assert rows == [difficulties, NAMES]
    row = tables[0].locator("tr", has_text="people").locator("td").all_inner_texts()
    assert row == ["human", "hypothesis", "yes", "yes", "What people <estimates>."]
    settings = page.locator("#settings ~ details tr", has_text="ceiling").first
    assert settings.locator("td").all_text_contents()[:2] == [NAMES[-1], PEOPLE]
    assert "effective segments of a system 15" in tables[1].inner_text()


def test_no_source_of_a_page_has_the_name_of_a_weighting_or_a_difficulty():
    names = "|".join(["EE", "DA", "DA-LOO", "EE-DA", "entropy", *page_run.DIFFICULTIES])
    root = page_run.ROOT / "workflow"
    sources = [*root.glob("report/*.j*"), *root.glob("scripts/mt_difficulty/page/*.py")]
    assert len(sources) > 15
    for source in sources:
        found = re.search(rf"""["'`]({names})["'`-]|\b(EE|DA)\b""", source.read_text())
        assert found is None, (source.name, found)


def test_filters_dim_what_they_leave_out(visit):
    page = visit(PAPER)
    filters, cells = page.locator("#filters"), page.locator(".ledger td[data-status]:not(.off)")
    everything = cells.count()
    assert everything == 7
    filters.get_by_label("reproduced").uncheck()
    assert cells.count() == everything - 2  # a cell, and the figure's
    assert page.locator("#first2020_figure1").is_hidden()
    assert filters.locator("output").inner_text() == f"{everything - 2} of {everything} cells"
    filters.get_by_label("Containing").fill("no & texts")
    assert cells.count() == 1
    assert cells.get_attribute("data-status") == "not computable"
    filters.get_by_label("Containing").fill("En→De τ")
    assert cells.count() == 3
    filters.get_by_label("reproduced").check()
    filters.get_by_label("Containing").fill("")
    filters.get_by_label("Item").select_option("first2020_figure1")
    assert cells.count() == 1
    assert page.locator("#first2020_table1").is_hidden()


def test_reasons_show_on_hover_and_focus_and_stand_below(visit):
    page = visit(PAPER)
    tip, cell = page.locator("#tip"), page.locator("#first2020_table1 td.s-other_encoder")
    assert page.locator("#first2020_table1 .notes").inner_text().count("encoder <tiny>") == 1
    cell.hover()
    assert tip.inner_text() == "other encoder: encoder <tiny>"
    page.keyboard.press("Escape")
    assert tip.is_hidden()
    # One stop of the tab key a table; arrow keys walk from cell to cell.
    first = page.locator("#first2020_table1 td[tabindex='0']")
    assert first.count() == 1
    first.focus()
    page.keyboard.press("ArrowRight")
    assert tip.inner_text() == "close: 8 systems here"
    page.keyboard.press("ArrowDown")
    assert tip.inner_text() == "other encoder: encoder <tiny>"


def test_result_tables_are_filtered_by_their_columns(visit):
    page = visit(SET)
    box = page.locator(".filtered", has=page.locator("[data-name='significance_csv']"))
    rows = box.locator("tbody tr:visible")
    assert rows.count() == 9  # three metrics, three weightings; all systems, Pearson's r
    box.get_by_label("metric").select_option("chrF")
    assert rows.count() == 3
    box.get_by_label("subset").select_option("")
    assert rows.count() == 6
    box.get_by_label("difficulty").select_option(PEOPLE)
    assert rows.count() == 2


def test_figures_are_drawn(visit):
    sizes = "all => all.map((i) => [i.naturalWidth, i.alt])"
    assert visit(PAPER).locator("img").evaluate_all(sizes) == [[80, "A figure’s <caption>."]]
    own = [[80, "Scores by difficulty."]]
    assert visit(SET).locator("img").evaluate_all(sizes) == own


@pytest.mark.parametrize("name", ["", SET, PAPER])
def test_a_phone_scrolls_no_page_sideways(visit, name):
    page = visit(name, PHONE, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


def test_the_first_tab_skips_to_the_content(visit):
    page = visit()
    page.keyboard.press("Tab")
    assert page.locator(":focus").inner_text() == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.locator(":focus").get_attribute("id") == "main"


@pytest.mark.parametrize("name", ["", SET, PAPER])
def test_what_is_not_text_has_one(visit, name):
    page = visit(name)
    unnamed = page.evaluate(
        """[...document.querySelectorAll("img, svg, select, input, button")].filter((e) =>
        !(e.alt || e.getAttribute("aria-label") || e.getAttribute("aria-hidden")
          || e.textContent.trim() || e.closest("label"))).map((e) => e.outerHTML)"""
    )
    assert unnamed == []
    assert page.locator("html").get_attribute("lang") == "en"
    levels = page.evaluate(
        "[...document.querySelectorAll('h1, h2, h3, h4, h5')].map((h) => Number(h.tagName[1]))"
    )
    assert max(below - above for above, below in pairwise(levels)) <= 1


def test_on_paper_everything_is_open_and_no_controls_are_left(visit):
    page = visit(SET)
    page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    assert page.locator("details:not([open])").count() == 0
    assert page.locator(".controls:visible, nav:visible, summary:visible").count() == 0
    assert page.locator(".widget.curves .beside svg:visible").count() > 0


def test_without_javascript_the_tables_are_readable(visit):
    assert visit(PAPER, java_script_enabled=False).locator(".ledger td[data-status]").count() == 7
    assert visit(SET, java_script_enabled=False).locator(".curves noscript p:visible").count() == 1
