"""That nobody is kept out of the pages: axe-core, in both schemes and widths, with all opened."""

from types import SimpleNamespace

import page_run
import pytest
from axe import violations

import pages

SET, PAPER = "test/en-de", "papers/first2020"
PAGES = ["report", f"{SET}/report", f"{PAPER}/report"]
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
        page.goto((folder / f"{name}.html").as_uri())  # an absolute name is of another folder
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(opened, name, width, scheme):
    assert violations(opened(name, width, scheme)) == []


def test_the_index_shows_what_other_targets_found(opened, tmp_path):
    page = opened(page_run.render(tmp_path, [SET]).with_suffix(""))
    assert not page.locator("#others").is_visible()
    assert not page.locator("#others-link").is_visible()
    text = "No difficulty </script> agrees with “people”."
    for name in ("estimators", "study"):
        snakemake = SimpleNamespace(
            output=SimpleNamespace(findings=tmp_path / name / "findings.js")
        )
        pages.write_findings(snakemake, f"The {name}", f"{text}\n")
    page.reload()
    links = page.locator("#others h3 a")
    assert links.all_inner_texts() == ["The study", "The estimators"]
    assert [link.get_attribute("href") for link in links.all()] == [
        "study/report.html",
        "estimators/report.html",
    ]
    assert page.locator("#others p").all_inner_texts() == [text, text]
    assert page.locator("#others-link").is_visible()
    assert violations(page) == []


def test_axe_finds_what_is_wrong(opened):
    page = opened("report")
    page.evaluate(
        "document.querySelector('main').insertAdjacentHTML('beforeend', '<button></button>')"
    )
    assert [rule for rule, _ in violations(page)] == ["button-name"]
