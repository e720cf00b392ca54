"""What axe-core finds on a page."""

from importlib import resources

AXE = (resources.files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")


def violations(page):
    """The rules that an opened page breaks, with all its details open, and where."""
    page.locator("details").evaluate_all("all => all.forEach((one) => { one.open = true; })")
    page.evaluate(AXE)
    options = {"resultTypes": ["violations"]}
    found = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [(one["id"], [node["html"][:160] for node in one["nodes"][:4]]) for one in found]
