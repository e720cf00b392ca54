"""Pages from their templates: self-contained HTML in which no text can become markup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..evidence.labels import TUNED_NOTE
from . import tables


def render(template: str | Path, content: dict[str, Any], style: str, scripts: list[str]) -> str:
    """A page as HTML from a template, what it reads, CSS and JavaScript (inlined in this order);
    texts are escaped, and data are JSON that cannot end its <script>."""
    import jinja2
    from markupsafe import Markup, escape

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(template).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "sort_keys": True,
        "separators": (",", ":"),
    }
    environment.filters["slug"] = lambda name: re.sub(r"\W", "_", name)
    environment.filters["number"] = tables.number
    environment.filters["packed"] = tables.packed_rows
    environment.filters["code"] = lambda text: Markup(
        re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    )
    environment.globals |= {"marked": tables.marked, "GOLD": tables.GOLD, "TUNED_NOTE": TUNED_NOTE}
    page = environment.get_template(Path(template).name)
    return page.render(**content, style=Markup(style), behaviour=map(Markup, scripts)) + "\n"


def image(text: str) -> str:
    """An svg's text as a data URI: inlined, the names in matplotlib's files would collide."""
    text = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", text))
    return f"data:image/svg+xml,{quote(text, safe=' /:=;,.-+()@!*$?[]^|~')}"
