"""Long tables: packed into the page, and made again in the browser."""

import page_run
import pytest
from page_visit import watched

from mt_difficulty.page import packed_rows


def test_the_texts_of_a_column_stand_once():
    rows = [["a", "–"], ["b", "–"], ["a", "1"]] * packed_rows.LONG
    found = packed_rows.packed_rows({"rows": rows, "ids": ["x"]})
    assert [column["texts"] for column in found["columns"]] == [["a", "b"], ["–", "1"]]
    for at, column in enumerate(found["columns"]):
        assert [column["texts"][place] for place in column["at"]] == [row[at] for row in rows]
    assert found["ids"] == ["x"]


def test_a_short_table_is_not_packed():
    assert packed_rows.packed_rows({"rows": [["a"]] * (packed_rows.LONG - 1)}) is None


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The page of a set as it is, and with every table packed."""
    found = []
    for least in (packed_rows.LONG, 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(packed_rows, "LONG", least)
            folder = tmp_path_factory.mktemp("run")
            page_run.render(folder)
            found.append(folder / "test/en-de/report.html")
    return found


ROWS = """[...document.querySelectorAll("table[data-name] > tbody > tr")].map((row) =>
    [row.id, row.hidden, row.className, row.innerHTML.replace(/ class=""/g, "")])"""


def test_a_packed_table_is_the_same_once_it_is_there(browser, files):
    with watched(browser) as visit:
        plain, packed = map(visit, files)
        waiting = packed.locator("table[data-name] > tbody > script").count()
        assert waiting > 0 == plain.locator("table[data-name] > tbody > script").count()
        packed.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        assert packed.locator("table[data-name] > tbody > script").count() == 0
        expected, found = plain.evaluate(ROWS), packed.evaluate(ROWS)
        assert len(expected) > 30
        assert found == expected


def test_a_packed_row_can_be_cited(browser, files):
    with watched(browser) as visit:
        rows = visit(files[0]).locator("[id^='significance_csv:']")
        name = rows.last.get_attribute("id")
        page = visit(files[1], f"#{name}")
        page.locator(f"[id='{name}']").wait_for()
        assert page.evaluate("window.scrollY") > 0


def test_a_packed_table_comes_when_a_reader_comes_near(browser, files):
    with watched(browser) as visit:
        page = visit(files[1])
        table = page.locator("table[data-name='significance_csv']")
        table.scroll_into_view_if_needed()
        table.locator("tbody tr").first.wait_for(state="attached")
