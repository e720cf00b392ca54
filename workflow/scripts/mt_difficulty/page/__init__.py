"""Pages and texts from their templates: self-contained HTML in which no text can become markup, and
plain sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import numpy as np
from markupsafe import Markup, escape

from ..storage import Content
from ..weighting.fitted import TUNED, TUNED_NOTE
from . import finding, tables


def signed(value: float, error: float = np.nan) -> str:
    """Format a number like `tables.number`, with a sign and the decimals of its standard error at
    two significant digits, at most three; an en dash for NaN or ±∞."""
    if not np.isfinite(value):
        return tables.DASH
    places = 3
    if np.isfinite(error) and error > 0:
        places = int(np.clip(1 - np.floor(np.log10(error)), 0, places))
    return "+" * bool(value > tables.ZERO) + tables.number(float(value), places)


def plain(value: float, error: float = np.nan) -> str:
    """Format a number to 2 digits of its standard error, ≤ 3 decimals, no plus; – if not finite."""
    return signed(value, error).removeprefix("+")


def times(number: int, noun: str) -> str:
    """Return a count with its noun, such as `1 segment` or `2 segments`."""
    return f"{number} {noun}" + "s" * int(number != 1)


def paragraph(text: str) -> str:
    """Collapse runs of spaces and line breaks to one space; `Markup` (safe HTML) stays Markup."""
    return type(text)(" ".join(text.split()))


def environment(folder: Path, autoescape: bool = True) -> jinja2.Environment:
    """Return a Jinja environment for the templates in a folder, with this project's filters."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    written = {"ensure_ascii": False, "allow_nan": False, "separators": (",", ":")}
    templates.policies["json.dumps_kwargs"] = written
    for function in (signed, plain, tables.p_value, times, paragraph):
        templates.filters[function.__name__] = function
    templates.filters["slug"] = lambda name: re.sub(r"\W", "_", name)
    templates.filters["number"] = tables.number
    templates.filters["packed"] = tables.packed_rows
    templates.filters["code"] = lambda text: Markup(
        re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text)))
    )
    # Texts outside of and in **, each with whether it is bold.
    templates.filters["bold"] = lambda text: [
        (part, place % 2) for place, part in enumerate(re.split(r"\*\*(.+?)\*\*", text))
    ]
    templates.tests["known"] = lambda value: bool(np.isfinite(value))
    templates.globals |= {
        "TUNED": TUNED,
        "TUNED_NOTE": TUNED_NOTE,
        "equivalent": finding.EQUIVALENT,
        "not_tested": finding.NOT_TESTED,
    }
    return templates


def render(template: str | Path, content: Content, style: str, scripts: list[str]) -> str:
    """Render a template with `content` as an HTML page, with CSS and JavaScript inlined in this
    order. Texts are escaped; data are JSON that cannot close its <script>."""
    page = environment(Path(template).parent).get_template(Path(template).name)
    return page.render(**content, style=Markup(style), behaviour=map(Markup, scripts)) + "\n"


def text(template: str | Path, content: Mapping[str, Any]) -> str:
    """Render a Jinja template with the variables `content` as plain text, not HTML."""
    path = Path(template)
    return environment(path.parent, autoescape=False).get_template(path.name).render(**content)


def image(text: str) -> str:
    """Return an SVG figure, given as its source text, as a data URI for an HTML page."""
    text = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", text))
    return f"data:image/svg+xml,{quote(text, safe=' /:=;,.-+()@!*$?[]^|~')}"
