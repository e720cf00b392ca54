"""The audit: a comparison of every published cell and every claim in a paper's text with ours.

A claim names one check. A check on cells uses the printed cells and, if any is computed from data,
the computed cells. A check on results of sets uses only data. Items, rows and columns are named as
in the paper's tables. `columns` are columns or heads of groups of columns (`En→De` of `En→De r`);
`statistics` are the symbols at the end of column names."""

from collections.abc import Iterable
from typing import Any, Literal, NamedTuple, TypedDict

import numpy as np
import pandas as pd

from ..errors import Missing
from ..settings.protocol import (
    BoundedCheck,
    Bounds,
    Cause,
    Cells,
    Check,
    CheckOfCells,
    Claim,
    ErrorCheck,
    GainCheck,
    HigherCheck,
    Method,
    PairCheck,
    ProductCheck,
    ShareCheck,
    TopCheck,
    ValueCheck,
)
from ..tables import TABLES
from . import Inputs, compared

COLUMNS = TABLES["audit.csv"].names()
OTHER_ENCODER, OTHER_SYSTEMS = "other encoder", "other systems"
NOT_COMPUTABLE = "not computable"
STATUSES = (
    *("reproduced", "close", "differs", "derived", "input"),
    *(OTHER_ENCODER, OTHER_SYSTEMS, NOT_COMPUTABLE),
    *("holds", "does not hold", "partly computable"),  # of claims
)
NOT_COMPARED = (OTHER_ENCODER, OTHER_SYSTEMS)  # with the paper's numbers
# What the statuses of claims say. A claim of which a part could not be checked is none that holds.
CLAIM_FINDINGS = {
    "hold": ("holds", "reproduced", "derived"),
    "close": ("close",),
    "partly": ("partly computable",),
    "fail": ("does not hold", "differs"),
    "not_compared": NOT_COMPARED,
    "not_checked": (NOT_COMPUTABLE,),
}
CLOSE = 0.02
UNEXPLAINED = "cause not found yet"
CLAIMS = "claims"  # the item of claims in the ledger
ON = {"printed": "on the printed cells", "data": "on data"}
CONTRADICTED = "does not follow from the cells that the paper prints"
VALUE, COMPARISON = "value", "comparison"
OF_DATA = (ErrorCheck, ShareCheck, TopCheck)  # checks without a printed side
BOUNDS = {
    "above": np.greater,
    "below": np.less,
    "at_least": np.greater_equal,
    "at_most": np.less_equal,
}


def status(
    published: float,
    reproduced: float,
    digits: int,
    substitute: str = "",
    origin: str = "data",
    systems_note: str = "",
) -> str:
    """Classify a reproduced number by its distance to the published one. `reproduced`: computed
    from data and equal, give or take 1 in the last printed digit (a whole number must be equal);
    `derived`: the same, computed from what the paper prints; `close`: at most 0.02, and 20 in the
    last digit, apart; `differs`; `input`: the protocol takes the printed number over; `other
    encoder`: made with a substitute for the paper's; `other systems`: made of another number of
    systems than the paper's; `not computable`: there is no number."""
    if origin == "given":
        return "input"
    if np.isnan(reproduced):
        return NOT_COMPUTABLE
    if substitute:
        return OTHER_ENCODER
    if systems_note:
        return OTHER_SYSTEMS
    unit = 10.0**-digits
    if abs(round(reproduced, digits) - published) < (1.5 if digits else 0.5) * unit:
        return "reproduced" if origin == "data" else "derived"
    return "close" if abs(reproduced - published) <= min(CLOSE, 20 * unit) else "differs"


def names_cell(selector: Cells, cell: Any) -> bool:
    """Return whether a selector names a cell. Its `item`, `row` and `column` are each a text or a
    list of texts; without `row` or `column`, it names the cells of all rows or columns."""
    for key in ("item", "row", "column"):
        named = getattr(selector, key)
        names = named if isinstance(named, list) else [named]
        if named is not None and getattr(cell, key) not in names:
            return False
    return True


def audit(paper: str, cells: pd.DataFrame, causes: list[Cause]) -> pd.DataFrame:
    """Compare the cells of a paper that have published numbers.

    Parameters
    ----------
    paper : str
        The name of the paper.
    cells : DataFrame
        Cells (`Cell`) of its tables and figures.
    causes : list of Cause
        Known causes of differences in the cells that they name; `within` is the largest
        |difference| that a cause explains.

    Returns
    -------
    DataFrame
        Columns COLUMNS; `method` is empty (`mark_method`). `difference` is NaN for a number that is
        not compared. A cell's reason joins its substitute encoder, its other systems, its own
        reason and, if it is close or differs, matching causes, or is UNEXPLAINED.

    Raises
    ------
    ValueError
        A cell that is not computable has no reason.
    """
    rows = []
    cell: Any  # a row's fields are of any type
    for cell in cells[cells.published.notna()].assign(value=compared).itertuples():
        marks = cell.substitute, cell.origin, cell.systems_note
        verdict = status(cell.published, cell.value, cell.digits, *marks)
        apart = cell.value - cell.published
        known = []
        if verdict in ("close", "differs"):
            known = [x for x in causes if abs(apart) <= x.within and names_cell(x, cell)]
        reasons = [cell.reason, *(cause.reason for cause in known)]
        if verdict in NOT_COMPARED:
            reasons = [cell.substitute, cell.systems_note, *reasons]
            apart = np.nan
        reason = "; ".join(filter(None, reasons))
        if verdict == "differs" and not reason:
            reason = UNEXPLAINED
        if verdict == NOT_COMPUTABLE and not reason:
            raise ValueError(f"{paper}, {cell.item}, {cell.row}, {cell.column}: no reason")
        place = paper, cell.item, cell.row, cell.column, cell.origin
        evidence = "; ".join(cause.evidence for cause in known)
        numbers = cell.published, cell.reproduced, apart
        rows.append([*place, *numbers, verdict, reason, evidence, ""])
    return pd.DataFrame(rows, columns=COLUMNS)


def mark_method(ledger: pd.DataFrame, paper: str, method: Method) -> pd.DataFrame:
    """Return the ledger with the column `method` filled: the name of the paper's own method in the
    rows of `paper` that one of the method's `cells` names (`names_cell`). Raises ValueError if one
    of these names no published cell."""
    rows: Any = list(ledger.itertuples())
    is_cell = [row.paper == paper and row.item != CLAIMS for row in rows]
    marks = ledger.method.copy()
    for selector in method.cells:
        pairs = zip(rows, is_cell, strict=True)
        named = np.array([of_paper and names_cell(selector, row) for row, of_paper in pairs])
        if not named.any():
            stated = selector.model_dump(exclude_unset=True)
            raise ValueError(f"{paper}, method: no published cell {stated}")
        marks = marks.mask(named, method.name)
    return ledger.assign(method=marks)


def summarise(ledger: pd.DataFrame) -> pd.DataFrame:
    """Count audited cells: columns are statuses, rows are a paper's tables, figures and claims."""
    counts = ledger.groupby(["paper", "item"], sort=False).status.value_counts().unstack()
    return counts.reindex(columns=STATUSES).fillna(0).astype(int)


class Truths(NamedTuple):
    """Counts of a claim's comparisons: all, true, false with equal values, not computable."""

    parts: int
    true: int
    equal: int = 0
    unknown: int = 0

    @property
    def known(self) -> int:
        """Number of comparisons that could be computed, whether true or false."""
        return self.parts - self.unknown

    def text(self) -> str:
        """Return the counts as text, such as `true in 1 of 3, equal in 2`."""
        computed = " that can be computed" * bool(self.unknown)
        parts = [f"true in {self.true} of {self.known}{computed}"] * bool(self.known)
        parts += [f"equal in {self.equal}"] * bool(self.equal)
        parts += [f"{self.unknown} of {self.parts} without a number"] * bool(self.unknown)
        return ", ".join(parts)


class ClaimRow(TypedDict, total=False):
    """A row of a paper's claims (`check_claims`), a claim checked on numbers of one origin."""

    claim: str
    where: str
    statement: str
    origin: str
    kind: str
    published: float
    digits: int
    reproduced: float
    without_number: float
    substitute: str
    systems_note: str
    reason: str
    evidence: str


def check_claims(claims: list[Claim], cells: pd.DataFrame, inputs: Inputs) -> pd.DataFrame:
    """Check a paper's claims on the printed cells, on data, or on both. `cells` are those of all
    tables and figures. Returns `claims.csv`, a row per claim and origin. `published` is a value's
    claimed number. For a comparison, `published` counts the parts with a number, `reproduced` the
    true ones, `without_number` the others. `reproduced` is NaN, with a reason, without a number."""
    rows = []
    for claim in claims:
        has_number = claim.published is not None
        head: ClaimRow = {
            "claim": claim.id,
            "where": claim.where,
            "statement": claim.statement,
            "published": claim.published if has_number else np.nan,
            "digits": claim.digits,
            "reproduced": np.nan,
        }
        if claim.check is None:
            kind = VALUE if has_number else COMPARISON
            rows.append(head | {"origin": "printed", "kind": kind, "reason": claim.reason})
            continue
        for origin in _origins(claim.check, cells):
            checked = evaluate(claim.check, cells, inputs, origin)
            row = head | {
                "origin": origin,
                "kind": VALUE if isinstance(claim.check, ValueCheck) else COMPARISON,
                "substitute": checked.substitute,
                "systems_note": checked.systems_note,
            }
            reasons = []
            if isinstance(checked.result, Truths):
                counts = checked.result
                row["published"], row["without_number"] = counts.known, counts.unknown
                row["reproduced"] = counts.true if counts.known else np.nan
                reasons.append(counts.text())
            else:
                row["reproduced"] = checked.result
            lacks = np.isnan(row["reproduced"]) or row.get("without_number", 0) > 0
            reasons.append(checked.reason if lacks else claim.reason)
            evidence = [claim.evidence]
            # Further checks that the claim lists as evidence, if they have a number.
            for label, check in claim.beside.items():
                if origin in _origins(check, cells):
                    text = _result_text(check, evaluate(check, cells, inputs, origin).result)
                    evidence += [f"{label}: {text}"] * bool(text)
            row["evidence"] = "; ".join(filter(None, evidence))
            rows.append(row | {"reason": "; ".join(filter(None, reasons))})
    texts = dict.fromkeys(("substitute", "systems_note", "reason", "evidence"), "")
    return pd.DataFrame(rows, columns=TABLES["claims.csv"].names()).fillna(texts)


def _result_text(check: Check, result: float | Truths) -> str:
    """Return the result of a check as text; "" if it has no number."""
    if isinstance(result, Truths):
        return result.text() if result.known else ""
    if np.isnan(result) or not isinstance(check, ValueCheck):
        return ""
    return f"{result:.{check.digits}f}"


def _origins(check: Check, cells: pd.DataFrame) -> list[str]:
    """Return the kinds of numbers a check can use: `printed` (the paper's) and `data` (ours)."""
    if isinstance(check, OF_DATA):
        return ["data"]
    return ["printed", *["data"] * bool((select(cells, check).origin == "data").any())]


class Checked(NamedTuple):
    """What a check gives: its `result`, NaN without one; `reason`, why it or a part of it has no
    number; and, if it uses other data than the paper, the `substitute` encoder and `systems_note`,
    the other number of systems."""

    result: float | Truths
    reason: str = ""
    substitute: str = ""
    systems_note: str = ""


def evaluate(check: Check, cells: pd.DataFrame, inputs: Inputs, origin: str) -> Checked:
    """Evaluate a check on the printed cells or on ours (`origin`: printed or data), or on results
    of sets, which are data."""
    if isinstance(check, ShareCheck | TopCheck):
        return evaluate_on_set(check, inputs)
    chosen = select(cells, check)
    if origin == "printed":
        return Checked(check_cells(chosen.assign(value=chosen.published), check))
    chosen = chosen.assign(value=compared(chosen))
    reason, absent = "", chosen[chosen.value.isna()]
    if len(absent):
        number = f"{len(absent)} of {len(chosen)} cells have no number of ours"
        reason = f"{number}: {joined(absent.reason)}"
    substitute, systems_note = joined(chosen.substitute), joined(chosen.systems_note)
    return Checked(check_cells(chosen, check), reason, substitute, systems_note)


def evaluate_on_set(check: ShareCheck | TopCheck, inputs: Inputs) -> Checked:
    """Evaluate a check on the results of a set."""
    substitute = ""
    result: float | Truths
    try:
        if isinstance(check, ShareCheck):
            result = difficult_share(check, inputs)
        else:
            result = top_systems(check, inputs)
            substitute = joined(inputs.substitute(check.set, metric) for metric in check.metrics)
    except Missing as missing:
        return Checked(np.nan, str(missing))
    return Checked(result, "", substitute, inputs.other_systems(check.set))


def joined(texts: Iterable[str]) -> str:
    """Join the texts that are not empty by semicolons, each once."""
    return "; ".join(dict.fromkeys(filter(None, texts)))


def select(cells: pd.DataFrame, check: CheckOfCells) -> pd.DataFrame:
    """Return the published cells that a check names; raises ValueError if a named row has none."""
    rows, columns = list(check.rows), list(check.columns)
    if isinstance(check, PairCheck):
        paired = [name for pair in check.pairs or [] for name in pair]
        if check.over == "columns":
            columns += paired
        else:
            rows += paired
    elif isinstance(check, ProductCheck):
        rows += [cell[0] for cell in check.factors]
        columns += [cell[1] for cell in check.factors]
    chosen = cells[cells.published.notna() & cells["item"].isin(np.atleast_1d(check.item))]
    if rows:
        chosen = chosen[chosen.row.isin(rows)]
    if columns:
        heads = tuple(f"{name} " for name in columns)
        chosen = chosen[chosen.column.isin(columns) | chosen.column.str.startswith(heads)]
    if check.statistics is not None:
        chosen = chosen[chosen.column.str.split(" ").str[-1].isin(check.statistics)]
    absent = [row for row in rows if row not in set(chosen.row)]
    if chosen.empty or absent:
        stated = check.model_dump(exclude_unset=True)
        raise ValueError(f"{stated}: no published cell {', '.join(absent)}")
    return chosen


def check_cells(cells: pd.DataFrame, check: CheckOfCells) -> float | Truths:
    """Return the result of a check on its cells; column `value` has their numbers of one origin.

    - bounded: whether every value, times `scale` and divided by `per`, is within the bounds. With
      `groups`, the range of values, rounded to `decimals`, over the rows of a group is checked;
    - higher: whether the first row (with `over: columns`, column) of every pair is higher than the
      second wherever both are published. `absolute` ignores signs; `average` compares means over
      the columns of a statistic;
    - gain: mean difference over all pairs and columns, times `scale` (default 100). `summed` adds
      up the means of the statistics;
    - product: product of powers of cells, times `scale`, divided by `per`. `factors` are row,
      column and exponent (default 1);
    - mean_error: mean |ours - published|.
    """
    if isinstance(check, ErrorCheck):
        return float((cells.value - cells.published).abs().mean(skipna=False))
    if isinstance(check, ProductCheck):
        values = cells.set_index(["row", "column"]).value
        powers = [values[row, column] ** sum(power or [1]) for row, column, *power in check.factors]
        return float(np.prod(powers)) * (check.scale / check.per)
    if isinstance(check, BoundedCheck) and check.groups is not None:
        rounded = cells.assign(value=cells.value.round(check.decimals))
        groups = [rounded[rounded.row.isin(rows)].groupby("column") for rows in check.groups]
        return truths(pd.concat([g.value.agg(np.ptp)[g.size() > 1] for g in groups]), check)
    if isinstance(check, BoundedCheck) and check.pairs is None:
        return truths(cells.value * (check.scale / check.per), check)

    # What is left compares pairs.
    if check.absolute:
        cells = cells.assign(value=cells.value.abs())
    names, places = ("column", "row") if check.over == "columns" else ("row", "column")
    wide = cells.pivot(index=["item", places], columns=names, values=["published", "value"])
    summed = isinstance(check, GainCheck) and check.summed
    differences = []
    for first, second in check.pairs:
        published = wide.published[first].notna() & wide.published[second].notna()
        differences.append((wide.value[first] - wide.value[second])[published])
        symbols = differences[-1].index.get_level_values(1).str.split(" ").str[-1]
        if check.average or summed:
            by_statistic = differences[-1].groupby(symbols)
            differences[-1] = by_statistic.agg(lambda values: values.mean(skipna=False))
    if isinstance(check, GainCheck):
        sums = len(differences[0]) if summed else 1
        return float(pd.concat(differences).mean(skipna=False)) * sums * check.scale
    if isinstance(check, HigherCheck):
        return truths(pd.concat(differences), Bounds(above=0), equal=True)
    return truths(pd.concat(differences), check)


def truths(values: Any, bounds: Bounds, equal: bool = False) -> Truths:
    """Count the values within bounds, up to rounding; NaN counts as without a number. With `equal`,
    values are differences, and zeros are counted as equal."""
    values = np.round(np.asarray(values, dtype=float), 9)
    true = ~np.isnan(values)
    for name, compare in BOUNDS.items():
        bound = getattr(bounds, name)
        if bound is not None:
            true &= compare(values, bound)
    same = int((values == 0).sum()) if equal else 0
    return Truths(len(values), int(true.sum()), same, int(np.isnan(values).sum()))


def difficult_share(check: ShareCheck, inputs: Inputs) -> float:
    """Return the percentage of a set's hypotheses with a difficulty of at least `threshold`, by
    default the h that the weighting estimates. `of: segments` counts segments by mean difficulty
    over systems. Raises `Missing` if the set or its difficulty is missing."""
    values = inputs.sets[check.set].read(f"difficulty/{check.difficulty}.npz")["difficulty"]
    if check.of == "segments":
        values = values.mean(axis=0)
    h = check.threshold
    if h is None:
        h = inputs.parameters(check.set, check.weighting)["estimate"]["h"]
    return 100 * float((values >= h).mean())


def top_systems(check: TopCheck, inputs: Inputs) -> Truths:
    """Count values of a statistic over the K best systems that are within bounds, for every metric
    and every K in the range `sizes`. Raises `Missing` if the set is missing."""
    frame = inputs.sets[check.set].read("correlations.csv")
    frame = frame[(frame.subset == "top") & (frame.weighting == check.weighting)]
    low, high = check.sizes
    asked = pd.MultiIndex.from_product([check.metrics, range(low, high + 1)])
    return truths(frame.set_index(["metric", "size"])[check.statistic].reindex(asked), check)


def verdict(row: ClaimRow) -> str:
    """Return the status of a checked claim; a value is judged like a cell (`status`). A comparison
    does not hold if any computed part is false. It holds if all parts are true, and is partly
    computable if the computed parts are true but others have no number. One on other data than
    the paper's has the status of its cells: other encoder, or other systems."""
    marks = row["substitute"], row["origin"], row["systems_note"]
    is_compared = not (row["substitute"] or row["systems_note"])
    if row["kind"] == VALUE or np.isnan(row["reproduced"]) or not is_compared:
        return status(row["published"], row["reproduced"], row["digits"], *marks)
    if row["reproduced"] < row["published"]:
        return "does not hold"
    return "partly computable" if row["without_number"] else "holds"


def ledger_rows(paper: str, claims: pd.DataFrame) -> pd.DataFrame:
    """Convert a paper's claims (`check_claims`) to rows of the ledger, COLUMNS. `item` is CLAIMS,
    `row` the claim, `column` says whether it was checked on printed cells or data; `method` is
    empty."""
    rows: Any = claims.to_dict("records")
    ledger = claims.assign(paper=paper, item=CLAIMS, row=claims.claim, column=claims.origin.map(ON))
    ledger["status"], ledger["method"] = list(map(verdict, rows)), ""
    is_compared = ~ledger.status.isin(NOT_COMPARED)
    apart = ledger.reproduced - ledger.published
    ledger["difference"] = apart.where((ledger.kind == VALUE) & is_compared)
    unexplained = (ledger.status == "differs") & (ledger.reason == "")
    causes = {"printed": CONTRADICTED, "data": UNEXPLAINED}
    ledger.loc[unexplained, "reason"] = ledger.origin.map(causes)
    notes = zip(ledger.substitute, ledger.systems_note, ledger.reason, is_compared, strict=True)
    ledger["reason"] = [
        reason if of_paper else joined([substitute, systems, reason])
        for substitute, systems, reason, of_paper in notes
    ]
    return ledger[COLUMNS]


def printed(claim: ClaimRow, side: Literal["published", "reproduced"]) -> str:
    """Return a claim's number as text; `all` and `2 of 3` if it is a comparison."""
    value = claim[side]
    if np.isnan(value):
        return "–"
    if claim["kind"] == VALUE:
        return f"{value:.{int(claim['digits'])}f}"
    if side == "published":
        return "all"
    known, unknown = claim["published"], claim["without_number"]
    absent = f" computable (of {known + unknown:.0f})" if unknown else ""
    return f"{value:.0f} of {known:.0f}{absent}"
