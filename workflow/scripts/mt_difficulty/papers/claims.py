"""Claims of a paper: numbers and statements of its text and captions, checked on the cells of its
tables as printed and as computed, and on results of its sets.

Every claim names one check. Checks on cells look at the printed cells and at those from data; they
take the chosen cells, with their numbers of one origin as `value` (NaN where there is none), and
their settings, and give a number (NaN if any cell has none) or Truths. Checks on results of sets
have no printed side. Rows, columns and items are named as in the paper's tables; `columns` are
columns or the heads of groups of columns (`En→De` of `En→De r`), `statistics` the symbols that end
a column's name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from ..errors import Missing
from .audit import COLUMNS as AUDIT_COLUMNS
from .audit import UNEXPLAINED, status
from .inputs import Inputs

ITEM = "claims"
COLUMNS = [
    *("claim", "where", "statement", "origin", "kind"),
    *("published", "digits", "reproduced", "without_number", "substitute", "reason", "evidence"),
]
EXPLAINED = (
    "Of a comparison, ours is for how many of its pairs or cells it is true, of those that have a "
    "number; it holds if it is true of all, strictly."
)
ON = {"printed": "on the printed cells", "data": "on data"}
CONTRADICTED = "does not follow from the cells that the paper prints"
VALUE, COMPARISON = "value", "comparison"
COMPARISONS = ("bounded", "higher", "higher_on_average", "same_rounded", "top_systems")
ORIGINS = {"printed": "published", "data": "reproduced"}  # the column of cells that each reads
BOUNDS: dict[str, Callable] = {
    "above": np.greater,
    "below": np.less,
    "at_least": np.greater_equal,
    "at_most": np.less_equal,
}


@dataclass(frozen=True)
class Truths:
    """Of how many parts a comparison is true, of how many false because both sides are equal, and
    how many have no number."""

    parts: int
    true: int
    equal: int = 0
    unknown: int = 0

    @property
    def known(self) -> int:
        """How many parts have a number."""
        return self.parts - self.unknown

    def text(self) -> str:
        """`true in 1 of 3 that can be computed, equal in 2, 17 of 20 without a number`."""
        computed = " that can be computed" * bool(self.unknown)
        parts = [f"true in {self.true} of {self.known}{computed}"] * bool(self.known)
        parts += [f"equal in {self.equal}"] * bool(self.equal)
        parts += [f"{self.unknown} of {self.parts} without a number"] * bool(self.unknown)
        return ", ".join(parts)


def check_claims(claims: list[dict[str, Any]], cells: pd.DataFrame, inputs: Inputs) -> pd.DataFrame:
    """Check every claim of a paper's file on the printed cells and on data, as far as its check has
    them; `cells` are of all of the paper's tables and figures. COLUMNS, a row for each claim and
    origin: of a value `published` is the claim's number; of a comparison it is how many of its
    pairs or cells have a number, `reproduced` for how many of these it is true, `without_number`
    how many have none. `reproduced` is NaN, with a reason, where there is no number."""
    rows = [row for claim in claims for row in _rows(claim, cells, inputs)]
    return pd.DataFrame(rows, columns=COLUMNS)


def _rows(claim: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> Iterator[dict[str, Any]]:
    check, published = claim.get("check"), claim.get("published", np.nan)
    head: dict[str, Any] = {"claim": claim["id"]}
    head |= {name: claim[name] for name in ("where", "statement")}
    head |= {"digits": claim.get("digits", 0), "without_number": np.nan, "substitute": ""}
    head |= {"published": published, "reproduced": np.nan}
    if check is None:
        kind = VALUE if "published" in claim else COMPARISON
        yield head | {"origin": "printed", "kind": kind, "reason": claim["reason"], "evidence": ""}
        return
    for origin in _origins(check, cells):
        found, reason, substitute = _found(check, cells, inputs, origin)
        row = head | {"origin": origin, "substitute": substitute}
        reasons = []
        if isinstance(found, Truths):
            true = found.true if found.known else np.nan
            row |= {"kind": COMPARISON, "published": found.known, "reproduced": true}
            row["without_number"] = found.unknown
            reasons = [found.text()]
        else:
            kind = COMPARISON if check["kind"] in COMPARISONS else VALUE
            row |= {"kind": kind, "reproduced": found}
        lacks = np.isnan(row["reproduced"]) or row["without_number"] > 0
        reasons.append(reason if lacks else claim.get("reason", ""))
        row["reason"] = "; ".join(filter(None, reasons))
        row["evidence"] = "; ".join(_beside(claim, cells, inputs, origin))
        yield row


def _origins(check: dict[str, Any], cells: pd.DataFrame) -> list[str]:
    """The sides of a check: data alone of results; of cells the printed ones, and data where any
    of the cells is computed from data."""
    if check["kind"] in RESULT_CHECKS:
        return ["data"]
    chosen = select(cells, check)
    return ["printed", *["data"] * bool((chosen.origin == "data").any())]


def _found(
    check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs, origin: str
) -> tuple[float | Truths, str, str]:
    """What a check gives, why it gives no number, and the substitute of an encoder that it uses."""
    if check["kind"] in RESULT_CHECKS:
        metrics = check.get("metrics", ())
        marks = dict.fromkeys(inputs.substitute(check["set"], metric) for metric in metrics)
        try:
            found = RESULT_CHECKS[check["kind"]](check, cells, inputs)
            return found, "", "; ".join(filter(None, marks))
        except Missing as missing:
            return np.nan, str(missing), ""
    chosen = select(cells, check)
    chosen = chosen.assign(value=chosen[ORIGINS[origin]])
    found = CHECKS[check["kind"]](chosen, check)
    if origin == "printed":
        return found, "", ""
    absent = chosen[chosen.value.isna()]
    reason = ""
    if len(absent):
        kinds = "; ".join(dict.fromkeys(filter(None, absent.reason)))
        reason = f"{len(absent)} of {len(chosen)} cells have no number of ours: {kinds}"
    marks = dict.fromkeys(filter(None, chosen.substitute))
    return found, reason, "; ".join(marks)


def _beside(
    claim: dict[str, Any], cells: pd.DataFrame, inputs: Inputs, origin: str
) -> Iterator[str]:
    """What was computed beside a claim, as sentences; nothing where it has no number."""
    yield from filter(None, [claim.get("evidence")])
    for label, check in claim.get("beside", {}).items():
        if origin not in _origins(check, cells):
            continue
        found, _, _ = _found(check, cells, inputs, origin)
        if isinstance(found, Truths):
            if found.unknown < found.parts:
                yield f"{label}: {found.text()}"
        elif not np.isnan(found):
            yield f"{label}: {found:.{check.get('digits', 2)}f}"


def verdict(row: Mapping[str, Any]) -> str:
    """The status of a checked claim: of a value as of a cell, of a comparison whether it holds. One
    that is false for one of its parts does not hold, whether or not all parts could be computed;
    one that is true for all that could be computed, but not for all, is partly computable."""
    if row["kind"] == VALUE or np.isnan(row["reproduced"]) or row["substitute"]:
        return status(
            row["published"], row["reproduced"], row["digits"], row["substitute"], row["origin"]
        )
    if row["reproduced"] < row["published"]:
        return "does not hold"
    return "partly computable" if row["without_number"] else "holds"


def ledger_rows(paper: str, claims: pd.DataFrame) -> pd.DataFrame:
    """The rows of a paper's claims (`check_claims`) in the ledger, `audit.COLUMNS`; `item` is
    ITEM, `row` the claim, `column` says on what it was checked."""
    rows = []
    claim: Any  # a row's fields are of any type
    for claim in claims.to_dict("records"):
        found, reason = verdict(claim), claim["reason"]
        if found == "differs" and not reason:
            reason = CONTRADICTED if claim["origin"] == "printed" else UNEXPLAINED
        substitute = claim["substitute"] if found == "other encoder" else ""
        compared = claim["kind"] == VALUE and found != "other encoder"
        row = {"paper": paper, "item": ITEM, "row": claim["claim"], "column": ON[claim["origin"]]}
        row["difference"] = claim["reproduced"] - claim["published"] if compared else np.nan
        row |= {"status": found, "reason": "; ".join(filter(None, [substitute, reason]))}
        rows.append(row | {key: claim[key] for key in AUDIT_COLUMNS if key not in row})
    return pd.DataFrame(rows, columns=AUDIT_COLUMNS)


def to_markdown(claims: pd.DataFrame) -> str:
    """The checked claims as a table in markdown."""
    records: Any = claims.to_dict("records")
    lines = [
        {
            "claim": claim["statement"],
            "where": claim["where"],
            "on": ON[claim["origin"]].removeprefix("on "),
            "printed": printed(claim, "published"),
            "ours": printed(claim, "reproduced"),
            "verdict": verdict(claim),
            "reason": "; ".join(filter(None, [claim["substitute"], claim["reason"]])),
            "evidence": claim["evidence"],
        }
        for claim in records
    ]
    table = pd.DataFrame(lines).to_markdown(index=False, disable_numparse=True)
    return f"Claims of text, captions and conclusions, in our words. {EXPLAINED}\n\n{table}\n"


def printed(claim: Mapping[str, Any], side: str) -> str:
    """A claim's number, or `1 of 3 (17 of 20 have no number)`; a dash where there is none."""
    value = claim[side]
    if np.isnan(value):
        return "–"
    if claim["kind"] == VALUE:
        return f"{value:.{int(claim['digits'])}f}"
    if side == "published":
        return "all"
    known, unknown = claim["published"], claim["without_number"]
    absent = f" ({unknown:.0f} of {known + unknown:.0f} have no number)" if unknown else ""
    return f"{value:.0f} of {known:.0f}{absent}"


def select(cells: pd.DataFrame, check: dict[str, Any]) -> pd.DataFrame:
    """The published cells that a check is about; ValueError where there is none, or none of a
    row that the check names."""
    found = cells[cells.published.notna() & cells["item"].isin(np.atleast_1d(check["item"]))]
    rows, columns = list(check.get("rows", [])), list(check.get("columns", []))
    paired = [name for pair in check.get("pairs", []) for name in pair]
    (columns if check.get("over") == "columns" else rows).extend(paired)
    rows += [cell[0] for cell in check.get("factors", [])]
    columns += [cell[1] for cell in check.get("factors", [])]
    if rows:
        found = found[found.row.isin(rows)]
    if columns:
        heads = tuple(f"{name} " for name in columns)
        found = found[found.column.isin(columns) | found.column.str.startswith(heads)]
    if "statistics" in check:
        found = found[found.column.map(lambda name: name.split(" ")[-1] in check["statistics"])]
    absent = [row for row in rows if row not in set(found.row)]
    if found.empty or absent:
        raise ValueError(f"{check}: no published cell {', '.join(absent)}")
    return found


def _pairs(cells: pd.DataFrame, check: dict[str, Any]) -> list[tuple[str, float, float]]:
    """Statistic, first and second value of every pair of rows (or columns) of which both sides are
    published."""
    by_column = check.get("over") == "columns"
    keys = ["item", *(("column", "row") if by_column else ("row", "column"))]
    values = cells.set_index(keys).value.to_dict()
    items = list(dict.fromkeys(cells["item"]))
    places = list(dict.fromkeys(cells.row if by_column else cells.column))
    return [
        (place.split(" ")[-1], values[item, first, place], values[item, second, place])
        for item in items
        for first, second in check["pairs"]
        for place in places
        if (item, first, place) in values and (item, second, place) in values
    ]


def product(cells: pd.DataFrame, check: dict[str, Any]) -> float:
    """A cell, or a product of powers of cells, times `scale`, divided by `per`; `factors` are (row,
    column, exponent), the exponent 1 where it is left out."""
    values = cells.set_index(["row", "column"]).value.to_dict()
    factors = [
        values[row, column] ** (power[0] if power else 1)
        for row, column, *power in check["factors"]
    ]
    return float(np.prod(factors)) * check.get("scale", 1) / check.get("per", 1)


def gain(cells: pd.DataFrame, check: dict[str, Any]) -> float:
    """Mean difference, first minus second row, over all pairs and columns, times `scale` (100).
    With `summed`, the mean over pairs and groups of columns of the sum over the statistics."""
    pairs = pd.DataFrame(_pairs(cells, check), columns=["statistic", "first", "second"])
    difference = pairs["first"] - pairs["second"]
    total = np.nan if difference.isna().any() else difference.mean()
    if check.get("summed") and np.isfinite(total):
        total = difference.groupby(pairs["statistic"]).mean().sum()
    return float(total) * check.get("scale", 100)


def higher(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether the first row (or column, `over: columns`) of every pair is higher than the second in
    every place where both are published; with `absolute`, without signs."""
    pairs = np.array([[first, second] for _, first, second in _pairs(cells, check)])
    return _compare(np.abs(pairs) if check.get("absolute") else pairs)


def higher_on_average(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """As `higher`, of each pair's means over the columns of a statistic."""
    means = []
    for pair in check["pairs"]:
        frame = pd.DataFrame(_pairs(cells, check | {"pairs": [pair]}), columns=["name", "a", "b"])
        groups = frame.groupby("name")[["a", "b"]]
        means.append(groups.mean().where(groups.count().eq(groups.size(), axis=0)).to_numpy())
    return _compare(np.concatenate(means))


def _compare(pairs: np.ndarray) -> Truths:
    """Truths of first > second, (pairs, 2)."""
    first, second = pairs.T
    equal = int(np.isclose(first, second, rtol=0, atol=1e-9).sum())
    unknown = int(np.isnan(first - second).sum())
    true = int((first - second > 1e-9).sum())
    return Truths(len(pairs), true, equal, unknown)


def bounded(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether every cell, times `scale` and divided by `per`, is within `above`, `below`,
    `at_least`, `at_most`."""
    values = cells.value.to_numpy(float) * check.get("scale", 1) / check.get("per", 1)
    return within(values, check)


def within(values: np.ndarray, check: dict[str, Any]) -> Truths:
    """Whether values are within the bounds of a check; NaN is without a number."""
    true = ~np.isnan(values)
    for name, compare in BOUNDS.items():
        if name in check:
            true &= compare(values, check[name])
    return Truths(len(values), int(true.sum()), 0, int(np.isnan(values).sum()))


def same_rounded(cells: pd.DataFrame, check: dict[str, Any]) -> Truths:
    """Whether the values of a column are the same, rounded to `decimals`, in all rows of each of
    the `groups`; of the columns with at least two of them."""
    parts = true = unknown = 0
    for rows in check["groups"]:
        for _, column in cells[cells.row.isin(rows)].groupby("column"):
            parts += len(column) > 1
            different = column.value.round(check["decimals"]).dropna().nunique()
            if len(column) > 1 and different < 2:
                unknown += bool(column.value.isna().any())
                true += not column.value.isna().any()
    return Truths(parts, true, 0, unknown)


def difficult_share(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> float:
    """Share of a set's hypotheses, or of its segments by mean difficulty over systems, whose
    difficulty is at least `threshold`, or without it the h that the weighting estimates, in
    percent. Raises `Missing` where the set or its difficulty is not there."""
    arrays = inputs.sets[check["set"]].read(f"difficulty/{check['difficulty']}.npz")
    h = check.get("threshold")
    if h is None:
        h = inputs.parameters(check["set"], check["weighting"])["estimate"]["h"]
    values = arrays["difficulty"]
    return 100 * float(((values.mean(axis=0) if check["of"] == "segments" else values) >= h).mean())


def mean_error(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> float:
    """Mean absolute difference between published and computed cells of a row; NaN and its reason
    (`Missing`) where a cell could not be computed."""
    found = cells[(cells["item"] == check["item"]) & (cells.row == check["row"])]
    found = found[found.column.isin(check["columns"])]
    absent = found[found.reproduced.isna()]
    if len(absent):
        names = ", ".join(absent.column)
        raise Missing(f"no estimate for {names}: {'; '.join(dict.fromkeys(absent.reason))}")
    return float((found.reproduced - found.published).abs().mean())


def top_systems(check: dict[str, Any], cells: pd.DataFrame, inputs: Inputs) -> Truths:
    """Whether a statistic of each metric over the K best systems, as computed, is within the bounds
    for every K from the first to the second of `sizes`; `Missing` where the set is not there."""
    frame = inputs.sets[check["set"]].read("correlations.csv")
    frame = frame[(frame.subset == "top") & (frame.weighting == check["weighting"])]
    values = frame.set_index(["metric", "size"])[check["statistic"]].to_dict()
    low, high = check["sizes"]
    asked = [(metric, size) for metric in check["metrics"] for size in range(low, high + 1)]
    return within(np.array([values.get(key, np.nan) for key in asked]), check)


CHECKS: dict[str, Callable[[pd.DataFrame, dict[str, Any]], float | Truths]] = {
    "bounded": bounded,
    "gain": gain,
    "higher": higher,
    "higher_on_average": higher_on_average,
    "product": product,
    "same_rounded": same_rounded,
}
RESULT_CHECKS: dict[str, Callable[[dict[str, Any], pd.DataFrame, Inputs], float | Truths]] = {
    "difficult_share": difficult_share,
    "mean_error": mean_error,
    "top_systems": top_systems,
}
