"""Pages of a made-up run in a browser, watched: nothing is fetched, and no error raised."""

from contextlib import contextmanager

WIDE, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}


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
