"""Read files of human ratings of any known format, apply the official filters, and name the
segments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd

from ..data.text_files import read_text, split_lines
from ..errors import InputError, nearest
from ..gold.ratings import COLUMNS, Ratings
from .companions import Scale, exact_scales, raw_scores, read_people, read_scales
from .formats import format_of
from .formats.base import DA, DA_SQM, ESA, MQM, OTHER, FileRatings
from .mapping import UNMAPPED_PREFIX, Mapped, segments_by_file, segments_of_set
from .rated_set import RatedSet, match_pair

# Official filters that compare ratings.
EARLIER = "earlier ratings of a login on an item"
CONSTANT = "annotators of standard deviation 0"
OTHER_PAIRS = "other language pairs"
# How many names or lines a notice lists.
LISTED = 5
# Scores of a plain table are far from the others if a gap as wide as the range of the others lies
# between, of at least so many different values; and if they are at most this share of the ratings.
FEWEST_VALUES = 5
MOST_FAR = 0.01


@dataclass
class Evaluation:
    """A human evaluation, as its files give it.

    Attributes
    ----------
    ratings : Ratings
    procedure : str
        DA, DA+SQM, ESA, MQM or "ratings".
    pair : str
        Language pair; empty if unknown.
    domains : dict of str to str
        Domain by segment; empty if unknown.
    rated_set : RatedSet or None
    notices : list of str
    """

    ratings: Ratings
    procedure: str
    pair: str = ""
    domains: dict[str, str] = field(default_factory=dict)
    rated_set: RatedSet | None = None
    notices: list[str] = field(default_factory=list)


@dataclass
class _Files:
    """Contents of the files: ratings, and what belongs to them."""

    ratings: list[tuple[Path, FileRatings]]
    scales: list[dict[str, Scale]]
    people: dict[str, str]
    notices: list[str]

    @property
    def procedure(self) -> str:
        """The procedure of the ratings; `InputError` if the files are of several."""
        procedures = {read.procedure: path for path, read in self.ratings}
        if len(procedures) > 1:
            named = "; ".join(f"{path}: {procedure}" for procedure, path in procedures.items())
            raise InputError(f"ratings of several procedures: {named}. Give those of one.")
        return next(iter(procedures))


def read_evaluation(
    files: Sequence[str | Path], pair: str | None = None, rated_set: RatedSet | None = None
) -> Evaluation:
    """Read files of ratings.

    Parameters
    ----------
    files : sequence of path
        Files of ratings of one procedure, and files that belong to them: means and standard
        deviations of direct assessment, a list of logins by person. The order does not matter.
    pair : str, optional
        Language pair, needed if the files hold ratings of several.
    rated_set : RatedSet, optional
        If given, segments are lines of the set's files, and systems have its names.

    Returns
    -------
    Evaluation

    Raises
    ------
    InputError
        For unknown formats, malformed lines, scores outside of the scale, files of several
        procedures, and if no ratings are left or all scores are equal.
    """
    contents = _read_files(files)
    notices = [*contents.notices]
    filtered: dict[str, int] = {}
    table = _joined(contents, notices)
    table, pair = _of_pair(table, pair, filtered)
    scale = _annotator_scale(contents, table)
    counted = _counted(table, contents.procedure, filtered)
    _check_counted(counted, table, filtered)

    systems = _systems(counted, rated_set, notices)
    if rated_set:
        mapped = segments_of_set(counted, rated_set)
        _note_unmapped(counted, mapped, rated_set, notices)
    else:
        mapped = segments_by_file(counted)
        if mapped.doubt:
            notices.append(f"{counted.path.iloc[0]}: {mapped.doubt}")
    people = contents.people
    columns = {
        "annotator": [people.get(login, login) for login in counted.login],
        "system": systems,
        "segment": mapped.segments,
        "document": mapped.documents,
        "screen": counted.screen.to_numpy(),
        "score": counted.score.to_numpy(float),
    }
    result = pd.DataFrame(columns, columns=list(COLUMNS))
    _note_annotators(result, counted, contents, rated_set, notices)
    if scale is not None:
        scale = _scale_of_people(scale, people, notices)
    domains = {
        segment: domain
        for segment, domain in zip(mapped.segments, mapped.domains, strict=True)
        if domain
    }
    return Evaluation(
        ratings=Ratings(result, filtered, scale),
        procedure=contents.procedure,
        pair=pair,
        domains=domains,
        rated_set=rated_set,
        notices=notices,
    )


def _read_files(files: Sequence[str | Path]) -> _Files:
    """Read all files, each by its content."""
    contents = _Files(ratings=[], scales=[], people={}, notices=[])
    for path in dict.fromkeys(Path(file) for file in files):
        text = read_text(path)
        lines = split_lines(text)
        scales = read_scales(lines, path)
        if scales is not None:
            contents.scales.append(scales)
            continue
        people = read_people(text, lines)
        if people is not None:
            contents.people |= people
            continue
        read = format_of(lines, path).read(lines, path)
        _check_scale(read, path)
        contents.notices += [f"{path}: {notice}" for notice in read.notices]
        if read.procedure == OTHER:
            contents.notices += _far_scores(read, path)
        contents.ratings.append((path, read))
    if contents.ratings:
        assert contents.procedure  # one only
    else:
        named = ", ".join(map(str, files))
        raise InputError(f"{named}: no file of ratings. Give the file with the ratings, too.")
    return contents


def _check_scale(read: FileRatings, path: Path) -> None:
    """Raise `InputError` for a score that lies outside of the scale."""
    if read.scale is None:
        return
    low, high = read.scale
    outside = read.table[(read.table.score < low) | (read.table.score > high)]
    if len(outside):
        row = outside.iloc[0]
        raise InputError(
            f"{path}, line {row.line}: the score {row.score:g} of {row.system} is outside of the "
            f"scale {low:g} to {high:g} ({len(outside)} such). Correct or remove the line."
        )


def _far_scores(read: FileRatings, path: Path) -> list[str]:
    """Return a notice if a few scores of a plain table, whose scale is unknown, are far from all
    others."""
    scores = read.table.score.to_numpy(float)
    is_far = far_scores(scores)
    if not is_far.any():
        return []
    others = scores[~is_far]
    examples = [
        f"line {row.line} ({row.score:g})" for row in read.table[is_far][:LISTED].itertuples()
    ]
    more = " and others" if is_far.sum() > LISTED else ""
    return [
        f"{path}: scores far from all others, which lie in {others.min():g} to {others.max():g}: "
        f"{', '.join(examples)}{more}. Correct or remove these lines if they are mistakes."
    ]


def far_scores(scores: np.ndarray) -> np.ndarray:
    """Find a few scores that are far from all others.

    Parameters
    ----------
    scores : ndarray
        (ratings,).

    Returns
    -------
    ndarray of bool
        (ratings,), at most MOST_FAR of them, or one: those beyond a gap that is wider than the
        range of at least FEWEST_VALUES other values.
    """
    is_far = np.zeros(len(scores), bool)
    for signed in (scores, -scores):
        values = np.unique(signed)
        if len(values) <= FEWEST_VALUES:
            continue
        gaps = np.diff(values)
        # From the second-lowest value: the lowest may be far, too.
        ranges = values[:-1] - values[1]
        is_wide = (gaps > ranges) & (np.arange(len(gaps)) >= FEWEST_VALUES - 1)
        if not is_wide.any():
            continue
        beyond = signed > values[np.argmax(is_wide)]
        if beyond.sum() <= max(1, MOST_FAR * len(scores)):
            is_far |= beyond
    return is_far


def _joined(contents: _Files, notices: list[str]) -> pd.DataFrame:
    """Return the ratings of all files; z-scores are turned into raw scores where their means and
    standard deviations are given."""
    tables = []
    for path, read in contents.ratings:
        table = read.table
        if read.standardised and contents.scales:
            table = raw_scores(table, contents.scales, path)
            outside = table[(table.score < -0.5) | (table.score > 100.5)]
            if len(outside):
                row = outside.iloc[0]
                raise InputError(
                    f"{path}, line {row.line}: the score of {row.login} is {row.score:.2f} by the "
                    "means and standard deviations given, outside of 0 to 100. Do they belong to "
                    "these ratings?"
                )
        elif read.standardised:
            notices.append(
                f"{path}: z-scores, which are taken as they are. For raw scores give the file of "
                "means and standard deviations, too (ad-...-trk-mean-sd.txt)."
            )
            table = table.assign(z=table.score)
        tables.append(table.assign(path=str(path)))
    return pd.concat(tables, ignore_index=True)


def _of_pair(
    table: pd.DataFrame, pair: str | None, filtered: dict[str, int]
) -> tuple[pd.DataFrame, str]:
    """Return the ratings of a language pair, and the pair; `filtered` counts those of others."""
    known = sorted(set(table.pair) - {""})
    if pair is None:
        if len(known) > 1:
            raise InputError(
                f"ratings of {len(known)} language pairs: {', '.join(known)}. Choose one "
                "(language pair)."
            )
        return table, known[0] if known else ""
    if not known:
        return table, pair
    matches = match_pair(pair, known)
    if not matches:
        raise InputError(
            f"no ratings of {pair}; the files have {', '.join(known)}{nearest(pair, known)}."
        )
    is_chosen = table.pair.isin([*matches, ""])
    if not is_chosen.all():
        filtered[OTHER_PAIRS] = int((~is_chosen).sum())
    return table[is_chosen].reset_index(drop=True), pair


def _annotator_scale(contents: _Files, table: pd.DataFrame) -> pd.DataFrame | None:
    """Return the mean and standard deviation of each login in direct assessment, over all that it
    rated; None for other procedures."""
    if contents.procedure != DA:
        return None
    if "z" not in table:
        grouped = table.groupby("login").score
        return pd.DataFrame({"mean": grouped.mean(), "deviation": grouped.std()})
    if contents.scales:
        return exact_scales(table, contents.scales)
    logins = sorted(set(table.login))
    return pd.DataFrame({"mean": 0.0, "deviation": 1.0}, index=logins)


def _scale_of_people(
    scale: pd.DataFrame, people: Mapping[str, str], notices: list[str]
) -> pd.DataFrame | None:
    """Return means and standard deviations by person in place of login; None, with a notice, if a
    person has several logins, since the z-scores of these cannot be joined."""
    scale = scale.set_axis([people.get(login, login) for login in scale.index])
    if scale.index.is_unique:
        return scale
    notices.append(
        "some annotators have several logins: their z-scores are computed from the ratings that "
        "count, not from the means and standard deviations of the logins."
    )
    return None


def _counted(table: pd.DataFrame, procedure: str, filtered: dict[str, int]) -> pd.DataFrame:
    """Return the ratings that official filters leave; `filtered` counts what they drop.

    ESA, and MQM by the same tool: of several ratings of a login on an item the last counts. DA+SQM:
    annotators of standard deviation 0 are left out."""
    for name, count in table.dropped[table.dropped != ""].value_counts().items():
        filtered[str(name)] = int(count)
    table = table[table.dropped == ""]
    if procedure in (ESA, MQM) and table.time.notna().any():
        keys = ["login", "system", "document", "item", "screen"]
        ordered = table.sort_values("time", kind="stable")
        latest = ordered.drop_duplicates(keys, keep="last").sort_index()
        if len(latest) < len(table):
            filtered[EARLIER] = len(table) - len(latest)
        table = latest
    if procedure == DA_SQM:
        deviation = table.groupby(["login", "pair"]).score.transform("std")
        if (deviation == 0).any():
            filtered[CONSTANT] = int((deviation == 0).sum())
            table = table[deviation != 0]
    return table.reset_index(drop=True)


def _check_counted(counted: pd.DataFrame, table: pd.DataFrame, filtered: dict[str, int]) -> None:
    """Raise `InputError` if no ratings are left, or all scores are equal.

    Parameters
    ----------
    counted : pandas.DataFrame
        The ratings that are left.
    table : pandas.DataFrame
        All ratings.
    filtered : dict of str to int
        Numbers of dropped ratings, for the message.
    """
    if counted.empty:
        dropped = ", ".join(f"{count} {name}" for name, count in filtered.items())
        raise InputError(
            f"{table.path.iloc[0]}: no ratings left; dropped: {dropped}. Is this the file with the "
            "ratings of systems?"
        )
    if len(counted) > 1 and counted.score.nunique() == 1:
        row = counted.iloc[0]
        raise InputError(
            f"{row.path}, line {row.line}: all {len(counted)} ratings have the score "
            f"{row.score:g}, so that systems cannot be ranked. Is this the column of scores?"
        )


def _systems(table: pd.DataFrame, rated_set: RatedSet | None, notices: list[str]) -> list[str]:
    """Return the system of each rating, with the set's name; `notices` names systems that the set
    does not have."""
    if rated_set is None:
        return list(table.system)
    names: dict[str, str] = {}
    for system, rows in table.groupby("system"):
        name = rated_set.system_of(str(system))
        if name is None:
            row = rows.iloc[0]
            notices.append(
                f"{row.path}, line {row.line}: {rated_set.name} has no system {system}"
                f"{nearest(str(system), rated_set.systems)}; its {len(rows)} ratings are kept "
                "under this name. Rename it in the file if it is one of the set's."
            )
        names[str(system)] = name or str(system)
    return [names[system] for system in table.system]


def _note_unmapped(
    table: pd.DataFrame, mapped: Mapped, rated_set: RatedSet, notices: list[str]
) -> None:
    """Add to the notices how segments were mapped, and which were not."""
    if mapped.way:
        notices.append(f"segments are mapped to lines of {rated_set.name} by: {mapped.way}.")
    unmapped = table[~mapped.is_mapped]
    if unmapped.empty:
        return
    names = (unmapped.document + " " + unmapped["item"]).str.strip().unique()
    examples = ", ".join(names[:LISTED])
    more = " and others" if len(names) > LISTED else ""
    row = unmapped.iloc[0]
    notices.append(
        f"{len(unmapped):,} of {len(table):,} ratings are of segments that could not be mapped to "
        f"lines of {rated_set.name}: {examples}{more} (first in {row.path}, line {row.line}). "
        f"Their segments are named `{UNMAPPED_PREFIX}...`; they count in the scores of systems. "
        "Remove them if they are of another evaluation."
    )


def _note_annotators(
    result: pd.DataFrame,
    table: pd.DataFrame,
    contents: _Files,
    rated_set: RatedSet | None,
    notices: list[str],
) -> None:
    """Add notices on cells that an annotator rated more than once, annotators with one rating,
    annotators whose scores are all equal, and logins that no file of annotators has."""
    if contents.people and not contents.people.keys() & set(table.login):
        notices.append("none of the logins is in the file of annotators: logins are annotators.")
    repeated = result.duplicated(["annotator", "system", "segment"], keep=False)
    if contents.procedure != DA and repeated.any():
        first = result[repeated].iloc[0]
        is_same = (result[["annotator", "system", "segment"]] == first[:3]).all(axis=1)
        places = table[is_same.to_numpy()]
        lines = [f"{row.path}, line {row.line}" for row in places[:2].itertuples()]
        place = places["item"].iloc[0]  # as the file names it
        unmapped = ""
        if rated_set is None:
            unmapped = (
                " If several logins share a document, these can be different segments: name the "
                "campaign (--campaign)."
            )
        notices.append(
            f"{int(repeated.sum()):,} ratings are of cells that one annotator rated more than once,"
            f" as segment {place} of {first.system} by {first.annotator} "
            f"({' and '.join(lines)}); they are averaged.{unmapped} Remove those that should not "
            "count."
        )
    counts = result.annotator.value_counts()
    single = sorted(counts.index[counts == 1])
    if single:
        row = table[(result.annotator == single[0]).to_numpy()].iloc[0]
        more = f" and {len(single) - 1} more" if len(single) > 1 else ""
        notices.append(
            f"{row.path}, line {row.line}: the annotator {single[0]}{more} gave one rating, which "
            "has no z-score by annotator. Leave the annotator out, or give all of his ratings."
        )
    spread = result.groupby("annotator").score.agg(["nunique", "size"])
    constant = sorted(spread.index[(spread["nunique"] == 1) & (spread["size"] > 1)])
    if constant:
        row = table[(result.annotator == constant[0]).to_numpy()].iloc[0]
        more = f" and {len(constant) - 1} more" if len(constant) > 1 else ""
        notices.append(
            f"{row.path}, line {row.line}: all scores of the annotator {constant[0]}{more} are "
            "equal; they have no z-scores. Leave the annotator out if he did not rate in earnest."
        )
