"""Pages of a made-up run in a browser, watched: nothing is fetched, and no error raised."""

from contextlib import contextmanager
from importlib import resources

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def is_looked_for(message):
    """Whether the console tells of a file that other targets write, and the index looks for."""
    return message.location["url"].endswith("/findings.js")


@contextmanager
def watched(browser):
    """Give what opens a page of a file; fails if one fetched anything or reported an error."""
    opened, wrong = [], []

    def visit(file, part="", viewport=WIDE, **options):
        page = browser.new_page(viewport=viewport, **options)
        page.set_default_timeout(5000)
        page.on("console", lambda told: is_looked_for(told) or wrong.append(told.text))
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request",
            lambda asked: asked.url.startswith(("file:", "data:")) or wrong.append(asked.url),
        )
        page.goto(file.as_uri() + part)
        opened.append(page)
        return page

    yield visit
    for page in opened:
        page.close()
    assert wrong == []


def violations(page):
    """The rules of axe-core that an opened page breaks, with all its details open, and where."""
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.evaluate(AXE)
    options = {"resultTypes": ["violations"]}
    broken = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"][:4]]) for one in broken]
