"""Exports of Appraise: CSV with 11 columns (DA+SQM) or, with error spans, 12 (ESA, or MQM if the
spans have error types and all scores are 0). More columns may follow, which are not read. The
header may be left out."""

import csv
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...data.score_formats import NUMBER
from ...errors import InputError, shortened
from .base import (
    DA_SQM,
    DOCUMENT_SCORES,
    DUPLICATES,
    ESA,
    INCOMPLETE,
    MQM,
    TUTORIALS,
    FileRatings,
    Format,
    check_fields,
    columns_of,
    dropped_by_type,
    error_weight,
    make_table,
    name_of_field,
    number_of,
    read_spans,
    seconds_of,
)

FIELDS = (
    "username",
    "system",
    "itemId",
    "itemType",
    "srcLang",
    "trgLang",
    "score",
    "docId",
    "isDocScore",
    "timeStart",
    "timeEnd",
)
SPANS = "errorSpans"
SPANS_INDEX = 9
FIELDS_WITH_SPANS = (*FIELDS[:SPANS_INDEX], SPANS, *FIELDS[SPANS_INDEX:])
NAMES = {
    "username": ("username", "userid", "user_id", "login"),
    "system": ("system", "systemid", "system_id"),
    "itemId": ("itemid", "segmentid", "segment_id", "item_id"),
    "itemType": ("itemtype", "type", "segment_type", "item_type"),
    "srcLang": ("srclang", "sourcelanguage", "source_lang", "src_lang"),
    "trgLang": ("trglang", "targetlanguage", "target_lang", "trg_lang"),
    "score": ("score", "overall"),
    "docId": ("docid", "documentid", "doc_id"),
    "isDocScore": ("isdocscore", "isdocument", "isdocument?", "is_doc_score", "unk"),
    SPANS: ("errorspans", "error_spans", "mqm", "spans"),
    "timeStart": ("timestart", "starttime", "start_time"),
    "timeEnd": ("timeend", "endtime", "end_time"),
}
NEEDED = ("username", "system", "itemId", "itemType", "srcLang", "trgLang", "score", "docId")
# Language codes that Appraise and the archive spell differently.
LANGUAGES = {
    "ara": "ar",
    "bel": "be",
    "ben": "bn",
    "bul": "bg",
    "ces": "cs",
    "cze": "cs",
    "deu": "de",
    "ell": "el",
    "eng": "en",
    "est": "et",
    "fas": "fa",
    "fin": "fi",
    "fra": "fr",
    "ger": "de",
    "hau": "ha",
    "heb": "he",
    "hin": "hi",
    "hrv": "hr",
    "hun": "hu",
    "ind": "id",
    "isl": "is",
    "ita": "it",
    "jpn": "ja",
    "kan": "kn",
    "kaz": "kk",
    "khm": "km",
    "kor": "ko",
    "lit": "lt",
    "lav": "lv",
    "mar": "mr",
    "pol": "pl",
    "por": "pt",
    "pus": "ps",
    "ron": "ro",
    "rus": "ru",
    "slv": "sl",
    "spa": "es",
    "srp": "sr",
    "swe": "sv",
    "tam": "ta",
    "tha": "th",
    "tur": "tr",
    "ukr": "uk",
    "urd": "ur",
    "vie": "vi",
    "xho": "xh",
    "zho": "zh",
    "chi": "zh",
    "zul": "zu",
}
# What is appended to a document's name: a control, a repeated or an incomplete document. A range of
# segments, such as `#3-13`, is part of the name.
MARKS = re.compile(r"#(?:bad|dup|incomplete)\w*", re.IGNORECASE)
# In MQM by Appraise (Kocmi et al. 2024), errors of punctuation weigh 0.1 whatever their severity.
LIGHT_PUNCTUATION = ("minor", "major", "critical")
CAMPAIGN = re.compile(r"^wmt\d\d(?:\.\w+)?\.(?=.)")
LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_]\w+)*")


class Appraise(Format):
    """CSV that Appraise exports; a username is a login, of which a person may have several."""

    description = "Appraise's CSV (username,system,itemId,itemType,srcLang,trgLang,score,docId,...)"

    @classmethod
    def recognises(cls, head: Sequence[str]) -> bool:
        """Return whether the first line is a header of Appraise, or one of two a rating."""
        fields = next(csv.reader([head[0]]))
        names = {field.strip().lower() for field in fields}
        known = [spellings for spellings in NAMES.values() if names.intersection(spellings)]
        if len(known) >= len(NEEDED) - 1 and len(fields) > 1:
            return True
        # The first line can be a header whose names are not known.
        return any(_is_rating(fields) for fields in csv.reader(head[:2]))

    @classmethod
    def read(cls, lines: Sequence[str], path: str | Path) -> FileRatings:
        """Read an export. The score of MQM is minus the sum of the weights of the error spans."""
        reader = csv.reader(lines)
        columns: dict[str, int] = {}
        notices: list[str] = []
        rows = []
        spans = []
        for fields in reader:
            if not any(fields):
                continue
            line = reader.line_num
            if not columns:
                columns, is_header = _columns(fields, path)
                notices = _ignored(fields, columns, is_header=is_header)
                if is_header:
                    continue
            check_fields(fields, 1 + max(columns.values()), path, line)
            values = {name: fields[index].strip() for name, index in columns.items()}
            rows.append(_rating(values, path, line))
            spans.append(read_spans(values.get(SPANS, ""), path, line))

        has_types = any(span.get("error_type") for of_rating in spans for span in of_rating)
        has_scores = any(row["score"] for row in rows)
        procedure = DA_SQM
        if SPANS in columns:
            procedure = MQM if has_types and not has_scores else ESA
        if procedure == MQM:
            for row, of_rating in zip(rows, spans, strict=True):
                row["score"] = _mqm_score(of_rating, path, row["line"])
        return FileRatings(
            table=make_table(path, rows),
            procedure=procedure,
            scale=None if procedure == MQM else (0.0, 100.0),
            notices=notices,
        )


def _is_rating(fields: Sequence[str]) -> bool:
    """Return whether the fields of a line are those of a rating, in Appraise's order."""
    return len(fields) >= len(FIELDS) and bool(
        LANGUAGE.fullmatch(fields[4].strip())
        and LANGUAGE.fullmatch(fields[5].strip())
        and NUMBER.fullmatch(fields[6].strip())
        and fields[8].strip().lower() in ("true", "false", "0", "1")
    )


def _ignored(fields: Sequence[str], columns: Mapping[str, int], *, is_header: bool) -> list[str]:
    """Return a notice on the columns that are not read, by the first line."""
    indices = [index for index in range(len(fields)) if index not in columns.values()]
    if not indices:
        return []
    names = [
        f"{index + 1} ({fields[index].strip()})" if is_header else str(index + 1)
        for index in indices
    ]
    noun = "column" if len(indices) == 1 else "columns"
    return [f"{noun} {', '.join(names)} of {len(fields)} not read."]


def _columns(fields: Sequence[str], path: str | Path) -> tuple[dict[str, int], bool]:
    """Return the index of each column by the first line, and whether this is a header."""
    names = {field.strip().lower() for field in fields}
    if names.intersection(NAMES["username"]):
        return columns_of(fields, NAMES, NEEDED, path), True
    if len(fields) >= len(FIELDS) and not _is_rating(fields):
        raise InputError(
            f"{path}, line 1: in an export of Appraise, neither a rating nor a header that names "
            f"its columns: `{shortened(','.join(fields))}`. Correct the line, or name the columns "
            f"{','.join(FIELDS_WITH_SPANS)}."
        )
    has_spans = len(fields) > len(FIELDS) and fields[SPANS_INDEX].strip()[:1] in ("", "[")
    expected = FIELDS_WITH_SPANS if has_spans or len(fields) == len(FIELDS_WITH_SPANS) else FIELDS
    if len(fields) < len(expected):
        raise InputError(
            f"{path}, line 1: expected {len(FIELDS)} or {len(FIELDS_WITH_SPANS)} fields "
            f"({', '.join(FIELDS)}), found {len(fields)}. Add a header that names the columns."
        )
    return {name: index for index, name in enumerate(expected)}, False


def _rating(values: Mapping[str, str], path: str | Path, line: int) -> dict[str, Any]:
    """Return a rating by the values of its columns."""
    system = name_of_field(values["system"])
    document_id = values["docId"]
    source = language_of(values["srcLang"])
    target = language_of(values["trgLang"])
    return {
        "login": values["username"],
        "system": CAMPAIGN.sub("", system),
        "document": document_of(document_id, system),
        "item": values["itemId"],
        "screen": f"{values['username']}/{document_id}/{system}",
        "score": number_of(values["score"], path, line),
        "dropped": _dropped(values, system),
        "pair": f"{source}-{target}",
        "time": seconds_of(values.get("timeEnd", "")),
        "line": line,
    }


def language_of(code: str) -> str:
    """Return a language's code as in the archive: `eng` is en."""
    code = code.strip()
    return LANGUAGES.get(code.lower(), code)


def document_of(document_id: str, system: str) -> str:
    """Return the name of a document without the system and the marks that Appraise's tasks add."""
    name = MARKS.sub("", document_id)
    short = CAMPAIGN.sub("", system)
    for ending in (f"#{system}", f"#{short}"):
        name = name.removesuffix(ending)
    return name


def _dropped(values: Mapping[str, str], system: str) -> str:
    """Return the official filter that drops an item; empty if it counts."""
    document_id = values["docId"]
    if "tutorial" in system.lower() or "tutorial" in document_id.lower():
        return TUTORIALS
    if values.get("isDocScore", "").lower() in ("true", "1"):
        return DOCUMENT_SCORES
    if "#dup" in document_id:
        return DUPLICATES
    if "#incomplete" in document_id:
        return INCOMPLETE
    return dropped_by_type(values["itemType"])


def _mqm_score(spans: Sequence[dict], path: str | Path, line: int) -> float:
    """Return the MQM score of a rating by its error spans."""
    total = 0.0
    for span in spans:
        category = span.get("error_type") or ""
        if isinstance(category, list):
            category = "/".join(str(part) for part in category)
        severity = str(span.get("severity") or "")
        weight = error_weight(str(category), severity, LIGHT_PUNCTUATION)
        if weight is None:
            raise InputError(
                f"{path}, line {line}: unknown severity of an error, {span.get('severity')!r}. "
                "Expected major, minor, critical, neutral or no-error."
            )
        total += weight
    return 0.0 - total
