"""Files that belong to files of ratings: which person has which login, and the means and standard
deviations by which direct assessment's z-scores were computed. They are recognised by content."""

import csv
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from ..errors import InputError, shortened

# A line of R's output in `ad-*-trk-mean-sd.txt`: `[1] "M1407"` or `[1] 61.01064`.
_PRINTED = re.compile(r"\[1\]\s+(?P<value>.+)")
_LOGIN_NAMES = ("login", "username", "account")
_PERSON_NAMES = ("annotatorid", "annotator", "annotator_id", "calibrationhit", "person")
# An account of Appraise: two languages of three letters and a hexadecimal number.
_LOGIN = re.compile(r"[a-z]{6}[0-9a-f]{4}")

# Largest distance of a restored raw score from a whole number that rounding of means explains.
WHOLE = 0.01

Scale = tuple[float, float]  # mean, standard deviation


def read_scales(lines: Sequence[str], path: str | Path) -> dict[str, Scale] | None:
    """Read the mean and standard deviation of each annotator, as WMT publishes them.

    Parameters
    ----------
    lines : sequence of str
        Lines of a file; three for each annotator: name, mean, standard deviation.
    path : path
        The file, for messages.

    Returns
    -------
    dict of str to tuple or None
        Mean and standard deviation by annotator; None if the file is of another kind.

    Raises
    ------
    InputError
        For a malformed line.
    """
    numbered = [(line.strip(), number) for number, line in enumerate(lines, 1) if line.strip()]
    if not numbered or not re.fullmatch(r'\[1\]\s+".*"', numbered[0][0]):
        return None
    scales: dict[str, Scale] = {}
    name = ""
    values: list[float] = []
    for text, number in numbered:
        printed = _PRINTED.fullmatch(text)
        value = printed["value"] if printed else ""
        if value.startswith('"'):
            name = value.strip('"')
            values = []
            continue
        try:
            values.append(float("nan") if value == "NA" else float(value))
        except ValueError:
            raise InputError(
                f'{path}, line {number}: expected `[1] "annotator"`, `[1] mean` and `[1] standard '
                f"deviation` in turn, found `{shortened(text)}`."
            ) from None
        if len(values) == 2:
            scales[name] = (values[0], values[1])
    return scales


def read_people(text: str, lines: Sequence[str]) -> dict[str, str] | None:
    """Read which person has which login.

    Parameters
    ----------
    text : str
        Content of a file: JSON {person: [logins]}; CSV with the columns login and annotator
        (AnnotatorID,protocol,login or username,calibrationHIT); or CSV of two logins without a
        header, an annotator's login and the one that identifies him.
    lines : sequence of str
        Its lines.

    Returns
    -------
    dict of str to str or None
        Person by login; None if the file is of another kind.
    """
    if text.lstrip().startswith("{"):
        return _people_of_json(text)
    rows = [row for row in csv.reader(line for line in lines if line.strip()) if any(row)]
    if not rows:
        return None
    columns = _columns_of_people(rows)
    if columns is None:
        return None
    login, person, has_header = columns
    people = {}
    for row in rows[1:] if has_header else rows:
        if len(row) > max(login, person) and row[login].strip() and row[person].strip():
            people[row[login].strip()] = row[person].strip()
    return people


def _columns_of_people(rows: Sequence[Sequence[str]]) -> tuple[int, int, bool] | None:
    """Return the columns of login and person in rows of a CSV file, and whether it has a header;
    None if it is of another kind."""
    header = [field.strip().lstrip("\ufeff").lower() for field in rows[0]]
    login = next((header.index(name) for name in _LOGIN_NAMES if name in header), None)
    person = next((header.index(name) for name in _PERSON_NAMES if name in header), None)
    if login is not None and person is not None and "score" not in header:
        return login, person, True
    if all(len(row) == 2 and all(map(_LOGIN.fullmatch, row)) for row in rows):
        return 0, 1, False
    return None


def _people_of_json(text: str) -> dict[str, str] | None:
    """Return the person of each login by a JSON object {person: [logins]}; None for other JSON."""
    try:
        content = json.loads(text)
    except ValueError:
        return None
    if not isinstance(content, dict) or not content:
        return None
    if not all(isinstance(logins, list) for logins in content.values()):
        return None
    return {str(login): person for person, logins in content.items() for login in logins}


def raw_scores(
    table: pd.DataFrame, scales: Sequence[Mapping[str, Scale]], path: str | Path
) -> pd.DataFrame:
    """Return ratings with raw scores in place of z-scores.

    raw = z · standard deviation + mean. The published means have seven digits; a raw score is a
    whole number, and so it is rounded.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `FileRatings`, with z-scores.
    scales : sequence of mapping
        Mean and standard deviation by annotator, of each file of them. Of several that know an
        annotator, the one that gives whole numbers is taken.
    path : path
        The file of ratings, for messages.

    Returns
    -------
    pandas.DataFrame
        A copy; the z-scores stand in the column `z`.

    Raises
    ------
    InputError
        If an annotator has no mean and standard deviation.
    """
    table = table.assign(z=table.score)
    z = table.z.to_numpy()
    raw = np.full(len(table), np.nan)
    for login, rows in table.groupby("login").indices.items():
        annotator = str(login)
        candidates = [known[annotator] for known in scales if annotator in known]
        if not candidates:
            raise InputError(
                f"{path}, line {table.line.iloc[rows[0]]}: no mean and standard deviation of the "
                f"annotator {annotator} in the files given (ad-...-trk-mean-sd.txt). Give the file "
                "that belongs to these ratings."
            )
        restored = [z[rows] * deviation + mean for mean, deviation in candidates]
        distances = [np.abs(values - np.round(values)).max() for values in restored]
        best = int(np.argmin(np.nan_to_num(distances, nan=np.inf)))
        values = restored[best]
        raw[rows] = np.round(values) if distances[best] < WHOLE else values
    return table.assign(score=raw)


def exact_scales(table: pd.DataFrame, scales: Sequence[Mapping[str, Scale]]) -> pd.DataFrame:
    """Return each annotator's mean and standard deviation, with all digits.

    They follow from any two ratings of which both raw and z-score are known; for an annotator with
    one raw score throughout, they are those of the files.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `raw_scores`.
    scales : sequence of mapping

    Returns
    -------
    pandas.DataFrame
        Index annotator (login), columns `mean` and `deviation`.
    """
    rows = {}
    for login, group in table.groupby("login"):
        annotator = str(login)
        raw = group.score.to_numpy()
        z = group.z.to_numpy()
        low = raw.argmin()
        high = raw.argmax()
        if raw[high] > raw[low]:
            deviation = (raw[high] - raw[low]) / (z[high] - z[low])
            rows[annotator] = (raw[low] - z[low] * deviation, deviation)
        else:
            rows[annotator] = next(known[annotator] for known in scales if annotator in known)
    return pd.DataFrame.from_dict(rows, orient="index", columns=["mean", "deviation"])
