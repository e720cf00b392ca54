"""Pages and texts from their templates: self-contained HTML in which no text can become markup, and
plain sentences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import jinja2
import numpy as np
from markupsafe import Markup, escape

from ..storage import Content
from ..weighting.fitted import TUNED, TUNED_NOTE
from . import tables


def signed(value: float, error: float = np.nan) -> str:
    """Format a number like `tables.number`, with a sign and the decimals of its standard error at
    two significant digits, at most three; an en dash for NaN or ±∞."""
    if not np.isfinite(value):
        return tables.DASH
    digits = 3
    if np.isfinite(error) and error > 0:
        digits = int(np.clip(1 - np.floor(np.log10(error)), 0, digits))
    text = tables.number(float(value), digits)
    return f"+{text}" if value > tables.ZERO else text


def plain(value: float, error: float = np.nan) -> str:
    """Format a number to 2 digits of its standard error, ≤ 3 decimals, no plus; – if not finite."""
    return signed(value, error).removeprefix("+")


def times(number: int, noun: str) -> str:
    """Return a count with its noun, such as `1 segment` or `2 segments`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def capitalised(text: str) -> str:
    """Return a text with its first letter in upper case, as at the start of a sentence."""
    return text[:1].upper() + text[1:]


def paragraph(text: str) -> str:
    """Collapse runs of spaces and line breaks to one space; `Markup` (safe HTML) stays Markup."""
    return type(text)(" ".join(text.split()))


def slug(name: str) -> str:
    """Return a name as the `id` of an HTML element: other characters than letters become _."""
    return re.sub(r"\W", "_", name)


def title_of(item: str) -> str:
    """Return the title of a paper's table or figure: `Table 6, chunks` for `table6_chunks`."""
    return re.sub(r"(?<=[a-z])(?=\d)", " ", item).replace("_", ", ").capitalize()


def code(text: str) -> Markup:
    """Return a text as HTML with parts in backticks as code."""
    return Markup(re.sub("`([^`]+)`", r"<code>\1</code>", str(escape(text))))


def bold(text: str) -> list[tuple[str, int]]:
    """Return the parts of a text outside of and in **, each with 1 if it is bold, else 0."""
    parts = re.split(r"\*\*(.+?)\*\*", text)
    return [(part, index % 2) for index, part in enumerate(parts)]


def environment(folder: Path, *, autoescape: bool = True) -> jinja2.Environment:
    """Return a Jinja environment for the templates in a folder, with this project's filters."""
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=autoescape,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    templates.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    templates.filters.update(
        {
            "signed": signed,
            "plain": plain,
            "p_value": tables.p_value,
            "times": times,
            "paragraph": paragraph,
            "slug": slug,
            "number": tables.number,
            "packed": tables.packed_rows,
            "code": code,
            "bold": bold,
        }
    )
    templates.tests["known"] = lambda value: bool(np.isfinite(value))
    templates.globals.update({"TUNED": TUNED, "TUNED_NOTE": TUNED_NOTE})
    return templates


def render(template: str | Path, content: Content, style: str, scripts: list[str]) -> str:
    """Render a page from its template.

    Parameters
    ----------
    template : str or Path
        File of the template.
    content : dict
        Variables of the template. Texts are escaped; data are JSON that cannot close its <script>.
    style : str
        CSS.
    scripts : list of str
        JavaScript, in this order.

    Returns
    -------
    str
        Self-contained HTML.
    """
    page = environment(Path(template).parent).get_template(Path(template).name)
    return page.render(**content, style=Markup(style), behaviour=map(Markup, scripts)) + "\n"


def text(template: str | Path, content: Mapping[str, Any]) -> str:
    """Render a Jinja template with the variables `content` as plain text, not HTML."""
    path = Path(template)
    return environment(path.parent, autoescape=False).get_template(path.name).render(**content)


def not_drawn(text: str) -> str:
    """Return why nothing is drawn in an SVG figure, given as its source text; "" if something is
    (`plotting.figure`)."""
    found = re.search(r"<dc:description>\s*not computable: (.*?)\s*</dc:description>", text, re.S)
    return unescape(found[1]) if found else ""


def image(text: str) -> str:
    """Return an SVG figure, given as its source text, as a data URI for an HTML page."""
    text = re.sub(r">\s+<", "><", re.sub(r"\s*\n\s*", " ", text))
    return f"data:image/svg+xml,{quote(text, safe=' /:=;,.-+()@!*$?[]^|~')}"
