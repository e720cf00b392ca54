"""That nobody is kept out of the pages: axe-core, in both schemes and widths, with all opened."""

import page_run
import pytest
from axe import violations

SET, PAPER = "test/en-de", "papers/first2020"
PAGES = ["report", f"{SET}/report", f"{PAPER}/report", "made", f"{SET}/made", f"{PAPER}/made"]
WIDTHS = {1440: 900, 390: 844}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return page_run.render(tmp_path_factory.mktemp("run"), [SET]).parent


@pytest.fixture(scope="module")
def opened(browser, folder):
    """Open pages with all their details open."""
    contexts = []

    def open_page(name, width=1440, scheme="light", **options):
        context = browser.new_context(
            viewport={"width": width, "height": WIDTHS[width]}, color_scheme=scheme, **options
        )
        contexts.append(context)
        page = context.new_page()
        page.goto((folder / f"{name}.html").as_uri())
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened, name, width, scheme):
    assert violations(opened(name, width, scheme)) == []


def test_axe_finds_what_is_wrong(opened):
    page = opened("report")
    page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')"
    )
    assert [rule for rule, _ in violations(page)] == ["button-name"]
