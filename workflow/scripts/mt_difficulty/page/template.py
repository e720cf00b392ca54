"""Pages from their templates: self-contained HTML in which no text can become markup."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..evidence.labels import TUNED, TUNED_NOTE
from ..figures.plots import COLOURS
from . import report_tables
from .packed_rows import packed_rows

# What scripts read of the label of a weighting.
DRAWN = ("name", "description", "difficulty", "dash", "shown", "filled", "uses_gold", "tuned")


def render(template: str | Path, content: dict[str, Any], style: str, scripts: list[str]) -> str:
    """A page as HTML; texts are escaped, and data are JSON that cannot end its <script>.

    Parameters
    ----------
    template : path
        Others that it includes lie beside it.
    content : dict
        What it reads; with the labels of `weightings`, as from `labels.as_data`.
    style : str
        CSS, inlined.
    scripts : list of str
        JavaScript, inlined in this order.
    """
    import jinja2
    from markupsafe import Markup, escape

    folder = Path(template).parent
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
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
    environment.filters["number"] = report_tables.number
    environment.filters["packed"] = packed_rows
    environment.filters["code"] = lambda text: Markup(
        re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    )
    environment.globals["marked"] = report_tables.marked
    environment.globals["GOLD"] = report_tables.GOLD
    environment.globals["TUNED_NOTE"] = TUNED_NOTE
    styles = {
        "colours": COLOURS,
        "weightings": [{key: label[key] for key in DRAWN} for label in content["weightings"]],
        "gold": report_tables.GOLD,
        "tuned": TUNED,
    }
    page = environment.get_template(Path(template).name)
    behaviour = [Markup(script) for script in scripts]
    return page.render(**content, style=Markup(style), behaviour=behaviour, styles=styles) + "\n"


def image(text: str) -> str:
    """An svg's text as a data URI: inlined, the names in matplotlib's files would collide."""
    text = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", text))
    return f"data:image/svg+xml,{quote(text, safe=' /:=;,.-+()@!*$?[]^|~')}"
