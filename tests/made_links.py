"""Links from the rows of a page to the records of their jobs."""

import re


def links_lead_to_records(folder):
    """Every row of a table of results has a link, and each leads to a file's record."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    made = (folder / "made.html").read_text(encoding="utf-8")
    links = re.findall(r'<td class="how"><a href="made\.html#([^"]*)">', page)
    ids = set(re.findall(r'id="([^"]*)"', made))
    assert links
    assert set(links) <= ids
    for table in re.findall(r'<table class="plain result".*?</table>', page, re.DOTALL):
        rows = re.findall(r"<tr.*?</tr>", table.partition("<tbody>")[2], re.DOTALL)
        assert all('class="how"' in row for row in rows)
