"""Texts in formats other than one segment a line: JSON Lines, SGML, XML, TSV and CSV with a
header.

A format is recognised by a file's content; its name only helps where the content could be of two.
"""

import csv
import html
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from ..errors import InputError, shortened
from .names import COMPRESSED, without_ending

# What a text is, and the names that its column or JSON key may have, the usual one first.
SOURCE = "source"
REFERENCE = "target"
HYPOTHESIS = "hypothesis"
KEYS = {
    SOURCE: ("source", "src", "source_text", "original"),
    REFERENCE: ("target", "reference", "ref", "refA", "tgt"),
    HYPOTHESIS: ("hypothesis", "hyp", "mt", "translation", "output", "target", "tgt"),
}
GENERAL = ("text", "segment_text", "sentence")  # keys that may hold any of them
# Columns beside the texts that a table of segments usually has.
OTHER_COLUMNS = frozenset(
    """
    id idx index line number seg seg_id segid segment segment_id doc doc_id docid document
    document_id domain system sys langs lang lp src_lang tgt_lang score difficulty
    """.split()
)
NO_TRANSLATION = "[No translation supplied]"
SAMPLE = 20  # lines that are compared to recognise a table
ADVICE = "Correct the line, or take another copy of the file."

# A document can be one field.
csv.field_size_limit(2**31 - 1)

_SGML_SEGMENT = re.compile(r"<seg\b[^>]*>(.*?)</seg\s*>", re.IGNORECASE | re.DOTALL)
_SGML_OPENING = re.compile(r"<seg\b", re.IGNORECASE)
_SGML_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_SGML_SYSTEM = re.compile(
    r"<(?:doc|tstset|refset)\b[^>]*\b(?:sysid|refid)=\"([^\"]*)\"", re.IGNORECASE
)
# How a file of markup begins, and one of XML.
_MARKUP = re.compile(
    r"<(\?xml|!doctype|html|refset|srcset|tstset|mteval|dataset|doc|seg)\b", re.IGNORECASE
)
_XML = re.compile(r"<(\?xml|dataset)\b", re.IGNORECASE)
_COMMENTS = re.compile(r"\s*(?:<!--.*?-->\s*)+", re.DOTALL)
# A file in one element, such as <tmx>.
_ROOT = re.compile(r"<(\w+)[\s>]")
_GETTEXT = re.compile(r'^msgid ".*^msgstr "', re.MULTILINE | re.DOTALL)
# A field that the csv module wrote in quotes, with a quotation mark in it.
_QUOTED_FIELD = re.compile(r'"(?:[^"]|"")*""(?:[^"]|"")*"')


def segments_of(
    lines: list[str], text: str, path: str | Path, role: str, columns: int = 1
) -> list[str]:
    """Return the segments of a text in any of the formats.

    Parameters
    ----------
    lines : list of str
        The lines of the file.
    text : str
        The same as one text.
    path : path
        The file, for messages and for its ending.
    role : str
        What its segments are: SOURCE, REFERENCE or HYPOTHESIS.
    columns : int
        Texts in each line, between tabs. A file with several has no header.

    Returns
    -------
    list of str
        The lines themselves if the file is of no other format.

    Raises
    ------
    InputError
        If a line is malformed, if the format has no segments of this kind or those of several
        translations, and for JSON that is not one object a line.
    """
    beginning = _COMMENTS.match(text)
    start = text[beginning.end() if beginning else 0 :].lstrip()[:200]
    ending = Path(without_ending(Path(path).name, COMPRESSED)).suffix.lower()
    if ending == ".jsonl" or (start.startswith("{") and _most_are_objects(lines)):
        return _read_json_lines(lines, path, role)
    if start[:1] in ("{", "[") and _is_json_document(text):
        raise InputError(
            f"{path}: a JSON document; expected one segment a line, or JSON Lines: one object a "
            f"line, with the text as `{KEYS[role][0]}`."
        )
    if _XML.match(start):
        return _read_xml(text, path, role)
    if _MARKUP.match(start) and _SGML_OPENING.search(text):
        return _read_sgml(text, path)
    kind = _other_markup(start, text)
    if kind is not None:
        raise InputError(
            f"{path}: {kind}; expected one segment a line, or WMT's SGML or XML. Write the texts "
            "to a file with one segment a line."
        )
    if columns == 1:
        for separator, usual in (("\t", ".tsv"), (",", ".csv"), (";", ".csv")):
            if _is_table(lines, separator, role, by_ending=ending == usual):
                return _read_table(lines, path, separator, role)
    return lines


def _other_markup(start: str, text: str) -> str | None:
    """Return the name of a format of markup that is not read, None for another text. `start` is the
    beginning of the text."""
    if start.startswith(("msgid ", "#", "msgctxt ")) and _GETTEXT.search(text):
        return "a PO file"
    root = _ROOT.match(start)
    if root is None:
        return None
    end = f"</{root[1]}>"
    is_one_element = text.rstrip().endswith(end) and text.count(end) == 1
    if is_one_element and text.count("\n") > 1:
        return f"a file of markup in <{root[1]}>"
    return None


def _names_of(role: str) -> tuple[str, ...]:
    """Return the names that a column or key with the role's texts may have."""
    return (*KEYS[role], *GENERAL)


# JSON


def _most_are_objects(lines: Sequence[str]) -> bool:
    """Return whether more than half of the lines that are not blank are JSON objects."""
    filled = [line for line in lines if line.strip()]
    objects = 0
    for line in filled:
        if line.lstrip().startswith("{"):
            try:
                objects += isinstance(json.loads(line), dict)
            except (ValueError, RecursionError):
                continue
    return objects > len(filled) / 2


def _is_json_document(text: str) -> bool:
    """Return whether a text is one JSON object, or a list of objects or texts."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(content, dict) or any(isinstance(item, (dict, str)) for item in content)


def _read_json_lines(lines: Sequence[str], path: str | Path, role: str) -> list[str]:
    """Return the texts of JSON objects, one a line. Line breaks and NUL in them become spaces; null
    becomes NO_TRANSLATION, or is an error in a source."""
    segments = []
    for number, line in enumerate(lines, 1):
        try:
            content = json.loads(line)
        except (ValueError, RecursionError):
            content = None
        text: Any = ()
        if isinstance(content, dict):
            text = next((content[key] for key in _names_of(role) if key in content), ())
        if text is None and role != SOURCE:
            text = NO_TRANSLATION
        if not isinstance(text, str):
            raise InputError(
                f"{path}, line {number}: expected a JSON object with a string as "
                f"`{KEYS[role][0]}`, found `{shortened(line)}`. {ADVICE}"
            )
        segments.append(one_line(text))
    return segments


def one_line(text: str) -> str:
    """Return a text with a space for each line break, NUL, and lone surrogate, which UTF-8 has
    not."""
    return re.sub("\r?\n|[\0\ud800-\udfff]", " ", text)


# SGML and XML


def _read_sgml(text: str, path: str | Path) -> list[str]:
    """Return the segments of WMT's SGML files, in which each stands between <seg> and </seg>."""
    text = _SGML_COMMENT.sub("", text)
    systems = list(dict.fromkeys(_SGML_SYSTEM.findall(text)))
    if len(systems) > 1:
        raise InputError(
            f"{path}: an SGML file with texts of {len(systems)} systems: "
            f"{shortened(', '.join(systems))}. Write each to a file of its own."
        )
    segments = [match[1] for match in _SGML_SEGMENT.finditer(text)]
    opened = len(_SGML_OPENING.findall(text))
    if not segments or len(segments) != opened:
        raise InputError(
            f"{path}: an SGML file with {opened} <seg> and {len(segments)} whole segments; "
            "expected one or more, each between <seg> and </seg>. Take another copy of the file."
        )
    return [one_line(html.unescape(segment)).strip() for segment in segments]


def _read_xml(text: str, path: str | Path, role: str) -> list[str]:
    """Return the segments of WMT's XML files (since 2021): <doc> holds <src>, <ref translator=…>
    and <hyp system=…>, each with <seg>."""
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise InputError(f"{path}: not well-formed XML ({error}). {ADVICE}") from None
    tag, label = {
        SOURCE: ("src", "lang"),
        REFERENCE: ("ref", "translator"),
        HYPOTHESIS: ("hyp", "system"),
    }[role]
    parts = list(root.iter(tag))
    names = list(dict.fromkeys(part.get(label, "") for part in parts))
    if len(names) > 1:
        raise InputError(
            f"{path}: an XML file with {len(names)} <{tag}>: {shortened(', '.join(names))}. Write "
            "the one that is meant to a text file with one segment a line."
        )
    segments = []
    for part in parts:
        for segment in part.iter("seg"):
            segments.append(one_line("".join(segment.itertext())).strip())
    if not segments:
        raise InputError(
            f"{path}: an XML file without segments in <{tag}>; expected WMT's format, with <{tag}> "
            "in each <doc> and <seg> in it. Give a text file with one segment a line."
        )
    return segments


# TSV and CSV


def _is_table(lines: Sequence[str], separator: str, role: str, *, by_ending: bool) -> bool:
    """Return whether lines are a table with a header.

    A file with the format's usual ending (`by_ending`) is one if its first lines have the same
    number of fields, of which there are several, or if a column is named like the role's text. Any
    other file is one only if, besides, all names in its header are known.
    """
    if not lines:
        return False
    columns = _fields(lines[0], separator)
    known = OTHER_COLUMNS.union(GENERAL, *KEYS.values())
    if by_ending and any(name in columns for name in _names_of(role)):
        return True
    if len(columns) < 2 or not (by_ending or known.issuperset(columns)):
        return False
    return all(len(_fields(line, separator)) == len(columns) for line in lines[1:SAMPLE])


def _fields(line: str, separator: str) -> list[str]:
    """Split a line of a table."""
    fields = line.split(separator) if separator == "\t" else csv_fields(line, separator)
    return [field.strip() for field in fields]


def csv_fields(line: str, separator: str = ",") -> list[str]:
    """Split a line of CSV."""
    return next(csv.reader([line.replace("\r", " ")], delimiter=separator), [])


def _read_table(lines: list[str], path: str | Path, separator: str, role: str) -> list[str]:
    """Return the column of a table with a header that holds the role's texts."""
    columns = _fields(lines[0], separator)
    names = [name for name in _names_of(role) if name in columns]
    if not names or columns.count(names[0]) > 1:
        kind = "TSV" if separator == "\t" else "CSV"
        raise InputError(
            f"{path}, line 1: a {kind} file; expected a header with one column `{KEYS[role][0]}`, "
            f"found `{shortened(lines[0])}`. Name the column so, or give a text file with one "
            "segment a line."
        )
    column = columns.index(names[0])
    if separator != "\t":
        texts = (line.replace("\r", " ") + "\n" for line in lines[1:])
        rows = list(csv.reader(texts, delimiter=separator))
    else:
        rows = [[_unquoted(field) for field in line.split(separator)] for line in lines[1:]]
    segments = []
    for number, row in enumerate(rows, 2):
        if len(row) != len(columns):
            raise InputError(
                f"{path}, row {number}: expected {len(columns)} fields as in the header, found "
                f"{len(row)}. {ADVICE}"
            )
        segments.append(one_line(row[column]).strip())
    return segments


def _unquoted(field: str) -> str:
    """Return a field of a TSV file without the quotes that programs write around a field in which a
    quotation mark stands. Quotes that belong to the text stay."""
    if _QUOTED_FIELD.fullmatch(field):
        return field[1:-1].replace('""', '"')
    return field
