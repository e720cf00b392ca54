"""Map the segments of annotations to lines of the set's files.

Annotation tools number segments in several ways: by line, by rank in the documents sorted by name,
by index in the document, or by place in the annotator's task. Each way is tried; the one under
which most ratings agree with what is known of them (source text, document, screen) is taken.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from .rated_set import RatedSet

UNMAPPED = -1
# What the segment of a rating that could not be mapped begins with.
UNMAPPED_PREFIX = "unmapped:"
# `ecommerce_en_29#3-13`: segments 3 to 13 of a document, from 1; their items count from 0.
_RANGE = re.compile(r"(?P<document>.+)#(?P<first>\d+)-\d+")
# Share of ratings that has to agree with screens where no document and no text is known; and with
# which numbers are taken as they are, without a try of their ranks.
LEAST_AGREEMENT = 0.98
# Items are places in tasks, not in documents, if documents have this many times more of them than
# one annotator sees of a document, and this share of them is unique among those of a login.
PLACES_IN_TASKS = 1.5
UNIQUE_IN_TASKS = 0.95


class Mapped(NamedTuple):
    """Segments of ratings.

    Attributes
    ----------
    segments : ndarray of str
        By rating. Lines of the set, from 0, where it is known; else names by file.
    documents : ndarray of str
        By rating; empty if unknown.
    domains : ndarray of str
        By rating; empty if unknown.
    is_mapped : ndarray of bool
        By rating, whether the segment is a line of the set.
    way : str
        How segments were mapped, for a notice; empty if none was.
    doubt : str
        What may be wrong with names by file, for a notice; else empty.
    """

    segments: np.ndarray
    documents: np.ndarray
    domains: np.ndarray
    is_mapped: np.ndarray
    way: str
    doubt: str = ""


def segments_by_file(table: pd.DataFrame) -> Mapped:
    """Name the segments of ratings by their items, where no set is named; by document and
    item where documents count their own.

    Where items are places in an annotator's task, they are ranked within the screen: equal ranks in
    a document are the same segment.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `FileRatings`.

    Returns
    -------
    Mapped
    """
    items = table["item"].to_numpy(dtype=object)
    doubt = ""
    if _are_places_in_tasks(table):
        ranks, sizes = _ranks_in_screens(table)
        items = (ranks + 1).astype(str)
        doubt = _parts_doubt(table, sizes)
    documents = table.document.to_numpy(dtype=object)
    items = items.astype(str).astype(object)
    documents_of_item = pd.Series(documents).groupby(items).nunique()
    if (documents_of_item > 1).any():
        names = [f"{document}/{item}" for document, item in zip(documents, items, strict=True)]
        segments = np.array(names, dtype=object)
    else:
        segments = items
    nothing = np.full(len(table), "", dtype=object)
    return Mapped(segments, documents, nothing, np.zeros(len(table), bool), "", doubt)


def _parts_doubt(table: pd.DataFrame, sizes: np.ndarray) -> str:
    """Return a sentence if logins rated different numbers of segments of a document: then equal
    ranks in their screens can be different segments; else empty."""
    numbers = pd.Series(sizes).groupby(table.document.to_numpy()).nunique()
    split = sorted(str(document) for document in numbers.index[numbers > 1] if document)
    if not split:
        return ""
    more = f" and {len(split) - 1} more" if len(split) > 1 else ""
    return (
        f"logins rated different numbers of segments of {split[0]}{more}. Segments are told by "
        "their rank among those that a login rated: if logins share a document, these can be "
        "different segments. Name the campaign (--campaign)."
    )


def segments_of_set(table: pd.DataFrame, rated_set: RatedSet) -> Mapped:
    """Map the segments of ratings to lines of the set's files.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `FileRatings`.
    rated_set : RatedSet

    Returns
    -------
    Mapped
        A rating that cannot be mapped has a segment that begins with `unmapped:`.
    """
    best, way = _best_way(_Places(table, rated_set))
    if not way:  # the source texts may have been changed for the annotators
        best, way = _best_way(_Places(table.assign(source=""), rated_set))
    is_mapped = best != UNMAPPED
    by_file = segments_by_file(table)
    lines_text = (best + rated_set.canary).astype(str).astype(object)
    own_names = np.array([UNMAPPED_PREFIX + name for name in by_file.segments], dtype=object)
    documents = by_file.documents
    domains = by_file.domains
    if rated_set.documents:
        documents = np.where(is_mapped, np.array(rated_set.documents, object)[best], documents)
    if rated_set.domains:
        domains = np.where(is_mapped, np.array(rated_set.domains, object)[best], domains)
    return Mapped(
        segments=np.where(is_mapped, lines_text, own_names),
        documents=documents,
        domains=domains,
        is_mapped=is_mapped,
        way=way,
    )


def _best_way(places: "_Places") -> tuple[np.ndarray, str]:
    """Return the lines of the way under which most ratings agree, UNMAPPED for those that do not,
    and the way; empty if none agrees."""
    best = np.full(len(places.table), UNMAPPED)
    best_way = ""
    best_share = 0.0
    for way in ways_of(places.rated_set):
        if way in (RANK_IN_SCREEN, RANK_IN_RATED) and best_share >= LEAST_AGREEMENT:
            # The numbers are right: a wrong one would shift the ranks of those after it.
            continue
        lines = WAYS[way](places)
        agrees = places.agrees(lines)
        if agrees.mean() > best_share:
            best = np.where(agrees, lines, UNMAPPED)
            best_way = way
            best_share = agrees.mean()
        elif best_share == 1 and agrees.all() and (lines != best).any():
            # Nothing tells which of the two it is.
            return best, f"{best_way} (or {way}: a document or source column would tell)"
    return best, best_way


class _Places:
    """Where ratings stand in their files, and what the set has. Lines count from 0 without the
    canary; UNMAPPED is none."""

    def __init__(self, table: pd.DataFrame, rated_set: RatedSet) -> None:
        self.table = table
        self.rated_set = rated_set
        self.count = len(rated_set.texts)
        numbers = pd.to_numeric(table["item"], errors="coerce").to_numpy(float)
        is_whole = np.isfinite(numbers) & (np.floor(numbers) == numbers)
        self.numbers = np.where(is_whole, numbers, UNMAPPED).astype(np.int64)
        self.lines_of_document: dict[str, list[int]] = {}
        for line, document in enumerate(rated_set.documents):
            self.lines_of_document.setdefault(document, []).append(line)
        self._set_documents()
        # Ratings whose segments were mapped by their neighbours, as their source texts differ.
        self.by_neighbours = np.zeros(len(table), bool)

    def _set_documents(self) -> None:
        """Find the set's name of each rating's document, and where in it the ranges of segments
        begin."""
        known: dict[str, tuple[str, int]] = {}
        for name in self.table.document.unique():
            known[name] = (self._document_of(name), -1)
            parts = _RANGE.fullmatch(name)
            if not known[name][0] and parts:
                known[name] = (self._document_of(parts["document"]), int(parts["first"]) - 1)
        matches = [known[name] for name in self.table.document]
        self.documents = np.array([document for document, _ in matches], dtype=object)
        self.range_starts = np.array([start for _, start in matches], dtype=np.int64)

    def _document_of(self, name: str) -> str:
        """Return the set's document of a name, which may be cut off at its end; else empty."""
        if not name or name in self.lines_of_document:
            return name
        longer = [document for document in self.lines_of_document if document.startswith(name)]
        return longer[0] if len(longer) == 1 else ""

    def within(self, lines: np.ndarray) -> np.ndarray:
        """Return lines, UNMAPPED for those that the set does not have."""
        return np.where((lines >= 0) & (lines < self.count), lines, UNMAPPED)

    def in_documents(self, indices: np.ndarray) -> np.ndarray:
        """Return the lines of segments by their index in the document."""
        lines = np.full(len(indices), UNMAPPED)
        for row, (document, index) in enumerate(zip(self.documents, indices, strict=True)):
            of_document = self.lines_of_document.get(document, ()) if document else ()
            if 0 <= index < len(of_document):
                lines[row] = of_document[index]
        return lines

    def agrees(self, lines: np.ndarray) -> np.ndarray:
        """Return which ratings agree with their line by source text, document or screen."""
        agrees = lines != UNMAPPED
        if not agrees.any():
            return agrees
        has_text = self.table.source.to_numpy(dtype=object) != ""
        if has_text.any():
            texts = np.array([_plain(text) for text in self.rated_set.texts], dtype=object)
            sources = np.array([_plain(text) for text in self.table.source], dtype=object)
            agrees &= ~has_text | (texts[lines] == sources) | self.by_neighbours
        has_document = (self.documents != "").any()
        if has_document:
            documents = np.array(self.rated_set.documents, dtype=object)
            is_named = self.table.document.to_numpy(dtype=object) != ""
            agrees &= ~is_named | (documents[lines] == self.documents)
        if not has_text.any() and not has_document:
            return agrees & self._screens_agree(lines)
        return agrees

    def _screens_agree(self, lines: np.ndarray) -> bool:
        """Return whether nearly all screens lie within one document, and all lines in the set."""
        if (lines == UNMAPPED).mean() > 1 - LEAST_AGREEMENT:
            return False
        screens = self.table.screen.to_numpy(dtype=object)
        if not self.rated_set.documents or (screens == "").all():
            return True
        documents = np.array(self.rated_set.documents, dtype=object)[lines]
        number = pd.Series(documents).groupby(screens).nunique()
        return bool((number == 1).mean() >= LEAST_AGREEMENT)


def _lines_from_0(places: _Places) -> np.ndarray:
    """Lines of the archive's files, from 0, with the canary."""
    return places.within(places.numbers - places.rated_set.canary)


def _lines_from_1(places: _Places) -> np.ndarray:
    """Lines of the archive's files, from 1, with the canary."""
    return places.within(places.numbers - places.rated_set.canary - 1)


def _segments_from_0(places: _Places) -> np.ndarray:
    """Segments of the set, from 0."""
    return places.within(places.numbers)


def _segments_from_1(places: _Places) -> np.ndarray:
    """Segments of the set, from 1."""
    return places.within(places.numbers - 1)


def _in_sorted_documents(places: _Places) -> np.ndarray:
    """Segments from 1, after the documents have been sorted by name, as in WMT's DA files."""
    documents = places.rated_set.documents
    order = np.array(sorted(range(len(documents)), key=documents.__getitem__), dtype=np.int64)
    ranks = places.within(places.numbers - 1)
    if not len(order):
        return np.full(len(ranks), UNMAPPED)
    return np.where(ranks == UNMAPPED, UNMAPPED, order[ranks])


def _in_ranges(places: _Places) -> np.ndarray:
    """Index in a range of segments of a document, from 0: item 2 of `document#3-13`."""
    starts = places.range_starts
    indices = np.where(starts >= 0, starts + places.numbers, UNMAPPED)
    return places.in_documents(indices)


def _in_documents_from_1(places: _Places) -> np.ndarray:
    """Index in the document, from 1."""
    return places.in_documents(places.numbers - 1)


def _in_documents_from_0(places: _Places) -> np.ndarray:
    """Index in the document, from 0."""
    return places.in_documents(places.numbers)


def _ranks_in_whole_documents(places: _Places) -> np.ndarray:
    """Rank of the place in the task within the screen, where a screen is a whole document."""
    ranks, sizes = _ranks_in_screens(places.table)
    document_sizes = np.array(
        [
            len(places.lines_of_document[document]) if document else 0
            for document in places.documents
        ]
    )
    return places.in_documents(np.where(sizes == document_sizes, ranks, UNMAPPED))


def _ranks_in_rated_segments(places: _Places) -> np.ndarray:
    """Rank of the place in the task among the segments of the document that have human scores in
    the set. A document may be rated in several tasks, in the order of their logins."""
    lines = np.full(len(places.table), UNMAPPED)
    if not _are_places_in_tasks(places.table):
        return lines
    for gold in places.rated_set.gold_names():
        candidate = _ranks_in_scored(places, places.rated_set.gold(gold))
        if (candidate != UNMAPPED).sum() > (lines != UNMAPPED).sum():
            lines = candidate
        if (lines != UNMAPPED).all():
            break
    return lines


def _ranks_in_scored(places: _Places, scores: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return lines by the ranks of ratings among the segments that have scores."""
    lines = np.full(len(places.table), UNMAPPED)
    logins = places.table.login.to_numpy()
    rows_of_pair: dict[tuple[str, str], list[int]] = {}
    for row, pair in enumerate(zip(places.documents, places.table.system, strict=True)):
        rows_of_pair.setdefault(pair, []).append(row)
    for (document, system), rows in rows_of_pair.items():
        of_system = scores.get(places.rated_set.system_of(system) or "")
        if not document or of_system is None:
            continue
        of_document = np.array(places.lines_of_document[document])
        scored = of_document[np.isfinite(of_system[of_document])].tolist()
        items = list(zip(logins[rows], places.numbers[rows].tolist(), strict=True))
        line_of_item = _lines_of_items(items, scored)
        for row, item in zip(rows, items, strict=True):
            lines[row] = line_of_item.get(item, UNMAPPED)
    return lines


def _lines_of_items(
    items: Sequence[tuple[str, int]], scored: Sequence[int]
) -> dict[tuple[str, int], int]:
    """Return the lines of a system's items of a document, which are login and place in the task.

    Either one login rated all segments that have scores, or several logins did so together, each a
    part, in the order of the logins. Items that fit neither have no line."""
    by_login: dict[str, set[tuple[str, int]]] = {}
    for item in items:
        by_login.setdefault(item[0], set()).add(item)
    lines: dict[tuple[str, int], int] = {}
    for group in [*by_login.values(), set(items)]:
        if len(group) == len(scored):
            lines |= zip(sorted(group), scored, strict=True)
    return lines


def _by_source(places: _Places) -> np.ndarray:
    """Source text; where several lines have it, the order within the document decides."""
    table = places.table
    lines = np.full(len(table), UNMAPPED)
    if (table.source == "").all():
        return lines
    lines_of_text: dict[str, list[int]] = {}
    for line, text in enumerate(places.rated_set.texts):
        lines_of_text.setdefault(_plain(text), []).append(line)
    codes, _ = pd.factorize(pd.MultiIndex.from_arrays([table.document, table["item"]]))
    _, first_rows = np.unique(codes, return_index=True)
    by_segment = np.full(len(first_rows), UNMAPPED)
    order = sorted(range(len(first_rows)), key=lambda code: int(places.numbers[first_rows[code]]))
    segments_of_text: dict[tuple[str, str], list[int]] = {}
    for code in order:
        row = first_rows[code]
        key = (places.documents[row], _plain(table.source.iloc[row]))
        segments_of_text.setdefault(key, []).append(code)
    for (document, text), segments in segments_of_text.items():
        candidates = lines_of_text.get(text, [])
        if document:
            in_document = set(places.lines_of_document[document])
            candidates = [line for line in candidates if line in in_document]
        if len(candidates) == len(segments):
            by_segment[segments] = candidates
    by_text = by_segment.copy()
    _fill_between(by_segment, order)
    places.by_neighbours = (by_segment != by_text)[codes]
    return by_segment[codes]


def _fill_between(by_segment: np.ndarray, order: Sequence[int]) -> None:
    """Map segments without a line whose predecessor and successor have lines two apart."""
    for before, code, after in zip(order, order[1:], order[2:], strict=False):
        neighbours = by_segment[[before, after]]
        is_between = (neighbours != UNMAPPED).all() and neighbours[1] - neighbours[0] == 2
        if by_segment[code] == UNMAPPED and is_between:
            by_segment[code] = neighbours[0] + 1


FROM_1 = "lines of the files, from 1"
RANK_IN_SCREEN = "rank within a screen with a whole document"
RANK_IN_RATED = "rank among the segments of a document with human scores"
# Ways in which segments are numbered; of several that agree equally well, the first is taken.
WAYS: dict[str, Callable[[_Places], np.ndarray]] = {
    "lines of the files, from 0": _lines_from_0,
    FROM_1: _lines_from_1,
    "segments of the set, from 0": _segments_from_0,
    "segments of the set, from 1": _segments_from_1,
    "segments, from 1, of the documents sorted by name": _in_sorted_documents,
    "index in the range of a document": _in_ranges,
    RANK_IN_SCREEN: _ranks_in_whole_documents,
    RANK_IN_RATED: _ranks_in_rated_segments,
    "index in the document, from 1": _in_documents_from_1,
    "index in the document, from 0": _in_documents_from_0,
    "source text": _by_source,
}


def ways_of(rated_set: RatedSet) -> list[str]:
    """Return the ways in which segments of a set may be numbered, the likeliest first: lines of
    the archive's files count from 0, those of a user's own files from 1."""
    ways = list(WAYS)
    if rated_set.is_own:
        ways.sort(key=lambda way: way != FROM_1)
    return ways


def _plain(text: str) -> str:
    """Return a text with single spaces, to compare."""
    return " ".join(text.split())


def _ranks_in_screens(table: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """Return each rating's rank among the items of its screen, from 0, and the number of these."""
    numbers = pd.to_numeric(table["item"], errors="coerce").fillna(UNMAPPED)
    grouped = numbers.groupby(table.screen.to_numpy())
    ranks = grouped.rank(method="dense").to_numpy(dtype=np.int64) - 1
    return ranks, grouped.transform("nunique").to_numpy(dtype=np.int64)


def _are_places_in_tasks(table: pd.DataFrame) -> bool:
    """Return whether items are places in an annotator's task: no login has one of them twice, in
    two screens, and documents have many more of them than a screen has."""
    known = table[(table.document != "") & (table.screen != "")]
    if known.empty or pd.to_numeric(known["item"], errors="coerce").isna().any():
        return False
    in_screens = known.drop_duplicates(["login", "screen", "item"])
    in_tasks = known.drop_duplicates(["login", "item"])
    if len(in_tasks) < UNIQUE_IN_TASKS * len(in_screens):
        return False
    items = known.groupby("document")["item"].nunique()
    per_screen = known.groupby(["document", "screen"])["item"].nunique()
    largest = per_screen.groupby("document").max()
    has_several_screens = per_screen.groupby("document").size() > 1
    if not has_several_screens.any():
        return False
    return bool((items / largest)[has_several_screens].mean() > PLACES_IN_TASKS)
