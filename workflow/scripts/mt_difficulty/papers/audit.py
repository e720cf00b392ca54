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
OTHER_ENCODER = "other encoder"
OTHER_SYSTEMS = "other systems"
NOT_COMPUTABLE = "not computable"
STATUSES = (
    "reproduced",
    "close",
    "differs",
    "derived",
    "input",
    OTHER_ENCODER,
    OTHER_SYSTEMS,
    NOT_COMPUTABLE,
    # Of claims.
    "holds",
    "does not hold",
    "partly computable",
)
NOT_COMPARED = (OTHER_ENCODER, OTHER_SYSTEMS)  # with the paper's numbers
# What the statuses of claims say. A claim with a part that could not be checked does not hold.
CLAIM_FINDINGS = {
    "hold": ("holds", "reproduced", "derived"),
    "close": ("close",),
    "partly": ("partly computable",),
    "fail": ("does not hold", "differs"),
    "not_compared": NOT_COMPARED,
    "not_checked": (NOT_COMPUTABLE,),
}
CLOSE = 0.02  # largest difference of a close number
UNEXPLAINED = "cause not found yet"
CLAIMS = "claims"  # the item of claims in the ledger
ON = {"printed": "on the printed cells", "data": "on data"}
NO_NUMBERS = "cells have no number of ours: "  # before the reasons of these cells
CONTRADICTED = "does not follow from the cells that the paper prints"
# The remark on a mean over random subsets that the paper does not name (`tables.py`); the group is
# the difference, in standard errors.
UNKNOWN_SUBSETS = r"subsets are unknown: .*?, so it is (\d+\.\d) of these"
VALUE = "value"
COMPARISON = "comparison"
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
    """Classify a reproduced number by its distance to the published one.

    Parameters
    ----------
    published, reproduced : float
        The paper's number and ours; ours is NaN if there is none.
    digits : int
        Number of printed decimals.
    substitute : str
        How our encoder differs from the paper's; empty if it is the same.
    origin : {"data", "printed", "given"}
        What our number is computed from (`Cell`).
    systems_note : str
        How our number of systems differs from the paper's; empty if it is the same.

    Returns
    -------
    str
        - `reproduced`: computed from data and equal, give or take 1 in the last printed digit (a
          whole number must be equal);
        - `derived`: the same, computed from what the paper prints;
        - `close`: at most 0.02, and 20 in the last digit, apart;
        - `differs`: further apart;
        - `input`: the protocol takes the printed number over;
        - `other encoder`: made with a substitute for the paper's;
        - `other systems`: made of another number of systems than the paper's;
        - `not computable`: there is no number.
    """
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
        verdict = status(
            cell.published,
            cell.value,
            cell.digits,
            substitute=cell.substitute,
            origin=cell.origin,
            systems_note=cell.systems_note,
        )
        difference = cell.value - cell.published
        known = []
        if verdict in ("close", "differs"):
            known = [
                cause
                for cause in causes
                if abs(difference) <= cause.within and names_cell(cause, cell)
            ]
        reasons = [cell.reason, *(cause.reason for cause in known)]
        if verdict in NOT_COMPARED:
            reasons = [cell.substitute, cell.systems_note, *reasons]
            difference = np.nan
        reason = "; ".join(filter(None, reasons))
        if verdict == "differs" and not reason:
            reason = UNEXPLAINED
        if verdict == NOT_COMPUTABLE and not reason:
            raise ValueError(f"{paper}, {cell.item}, {cell.row}, {cell.column}: no reason")
        rows.append(
            {
                "paper": paper,
                "item": cell.item,
                "row": cell.row,
                "column": cell.column,
                "origin": cell.origin,
                "published": cell.published,
                "reproduced": cell.reproduced,
                "difference": difference,
                "status": verdict,
                "reason": reason,
                "evidence": "; ".join(cause.evidence for cause in known),
                "method": "",
            }
        )
    return pd.DataFrame(rows, columns=COLUMNS)


def mark_method(ledger: pd.DataFrame, paper: str, method: Method) -> pd.DataFrame:
    """Name the method of the numbers that a paper's own method got.

    Parameters
    ----------
    ledger : DataFrame
        Audited cells and claims of all papers, COLUMNS.
    paper : str
        Name of the paper.
    method : Method
        The paper's own method, with selectors of its cells.

    Returns
    -------
    DataFrame
        The ledger with the method's name in the column `method` of the rows of `paper` that one of
        the selectors names (`names_cell`).

    Raises
    ------
    ValueError
        A selector names no published cell.
    """
    rows: Any = list(ledger.itertuples())
    is_cell = [row.paper == paper and row.item != CLAIMS for row in rows]
    methods = ledger.method.copy()
    for selector in method.cells:
        is_named = np.array(
            [
                of_paper and names_cell(selector, row)
                for row, of_paper in zip(rows, is_cell, strict=True)
            ]
        )
        if not is_named.any():
            stated = selector.model_dump(exclude_unset=True)
            raise ValueError(f"{paper}, method: no published cell {stated}")
        methods = methods.mask(is_named, method.name)
    return ledger.assign(method=methods)


def summarise(ledger: pd.DataFrame) -> pd.DataFrame:
    """Count audited cells: columns are statuses, rows are a paper's tables, figures and claims."""
    counts = ledger.groupby(["paper", "item"], sort=False).status.value_counts().unstack()
    return counts.reindex(columns=STATUSES).fillna(0).astype(int)


class Truths(NamedTuple):
    """Counts of a claim's comparisons.

    Parameters
    ----------
    parts : int
        Number of comparisons.
    true : int
        Those that are true.
    equal : int
        Those that are false because the values are equal.
    unknown : int
        Those that could not be computed.
    """

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
        phrases = []
        if self.known:
            computed = " that can be computed" if self.unknown else ""
            phrases.append(f"true in {self.true} of {self.known}{computed}")
        if self.equal:
            phrases.append(f"equal in {self.equal}")
        if self.unknown:
            phrases.append(f"{self.unknown} of {self.parts} without a number")
        return ", ".join(phrases)


class ClaimRow(TypedDict, total=False):
    """A row of a paper's claims (`check_claims`), a claim checked on numbers of one origin.

    Attributes
    ----------
    claim, where, statement : str
        The claim's name, its section, table or figure, and what it says (`Claim`).
    origin : {"printed", "data"}
        Whether it is checked on the printed cells, or on our numbers.
    kind : {"value", "comparison"}
        Whether the claim is a number, or a comparison.
    published : float
        The claimed number; of a comparison, the number of parts with a number. NaN if there is
        none.
    digits : int
        Number of printed decimals.
    reproduced : float
        Our number; of a comparison, the number of true parts. NaN if there is none.
    without_number : float
        Number of parts of a comparison that could not be computed.
    substitute, systems_note : str
        How our encoder and our number of systems differ from the paper's; empty if they do not.
    reason, evidence : str
        A remark on the result, and what shows it.
    """

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
    """Check a paper's claims on the printed cells, on data, or on both.

    Parameters
    ----------
    claims : list of Claim
        The claims, with their checks.
    cells : DataFrame
        Cells (`Cell`) of all tables and figures of the paper.
    inputs : Inputs
        Results of the sets that checks use.

    Returns
    -------
    DataFrame
        `claims.csv`, a row per claim and origin. `published` is a value's claimed number. For a
        comparison, `published` counts the parts with a number, `reproduced` the true ones,
        `without_number` the others. `reproduced` is NaN, with a reason, without a number.
    """
    rows: list[ClaimRow] = []
    for claim in claims:
        if claim.check is None:
            row = _claim_row(claim, "printed")
            row["reason"] = claim.reason
            rows.append(row)
        else:
            for origin in _origins(claim.check, cells):
                rows.append(_check_claim(claim, claim.check, cells, inputs, origin))
    texts = dict.fromkeys(("substitute", "systems_note", "reason", "evidence"), "")
    return pd.DataFrame(rows, columns=TABLES["claims.csv"].names()).fillna(texts)


def _claim_row(claim: Claim, origin: str) -> ClaimRow:
    """Return the row of a claim that is not checked yet."""
    has_number = claim.published is not None
    is_value = has_number
    if claim.check is not None:
        is_value = isinstance(claim.check, ValueCheck)
    return {
        "claim": claim.id,
        "where": claim.where,
        "statement": claim.statement,
        "origin": origin,
        "kind": VALUE if is_value else COMPARISON,
        "published": claim.published if has_number else np.nan,
        "digits": claim.digits,
        "reproduced": np.nan,
    }


def _check_claim(
    claim: Claim, check: Check, cells: pd.DataFrame, inputs: Inputs, origin: str
) -> ClaimRow:
    """Return the row of a claim that is checked on numbers of one origin."""
    checked = evaluate(check, cells, inputs, origin)
    row = _claim_row(claim, origin)
    row["substitute"] = checked.substitute
    row["systems_note"] = checked.systems_note
    reasons = []
    if isinstance(checked.result, Truths):
        counts = checked.result
        row["published"] = counts.known
        row["without_number"] = counts.unknown
        row["reproduced"] = counts.true if counts.known else np.nan
        reasons.append(counts.text())
    else:
        row["reproduced"] = checked.result
    lacks_numbers = np.isnan(row["reproduced"]) or row.get("without_number", 0) > 0
    reasons.append(checked.reason if lacks_numbers else claim.reason)
    row["reason"] = "; ".join(filter(None, reasons))
    evidence = [claim.evidence]
    # Further checks that the claim lists as evidence, if they have a number.
    for label, further in claim.beside.items():
        if origin in _origins(further, cells):
            text = _result_text(further, evaluate(further, cells, inputs, origin).result)
            if text:
                evidence.append(f"{label}: {text}")
    row["evidence"] = "; ".join(filter(None, evidence))
    return row


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
    has_data = (select(cells, check).origin == "data").any()
    return ["printed", "data"] if has_data else ["printed"]


class Checked(NamedTuple):
    """The outcome of a check.

    Parameters
    ----------
    result : float or Truths
        NaN without a number.
    reason : str
        Why the check or a part of it has no number.
    substitute : str
        How our encoder differs from the paper's; empty if it is the same.
    systems_note : str
        How our number of systems differs from the paper's; empty if it is the same.
    """

    result: float | Truths
    reason: str = ""
    substitute: str = ""
    systems_note: str = ""


def evaluate(check: Check, cells: pd.DataFrame, inputs: Inputs, origin: str) -> Checked:
    """Evaluate a check.

    Parameters
    ----------
    check : Check
        A check of cells, or of results of a set, which are data.
    cells : DataFrame
        Cells (`Cell`) of all tables and figures of the paper.
    inputs : Inputs
        Results of the sets that checks use.
    origin : {"printed", "data"}
        Whether the printed cells are used, or ours.

    Returns
    -------
    Checked
    """
    if isinstance(check, ShareCheck | TopCheck):
        return evaluate_on_set(check, inputs)
    chosen = select(cells, check)
    if origin == "printed":
        return Checked(check_cells(chosen.assign(value=chosen.published), check))
    chosen = chosen.assign(value=compared(chosen))
    absent = chosen[chosen.value.isna()]
    reason = ""
    if len(absent):
        reason = f"{len(absent)} of {len(chosen)} {NO_NUMBERS}{joined(absent.reason)}"
    return Checked(
        check_cells(chosen, check),
        reason=reason,
        substitute=joined(chosen.substitute),
        systems_note=joined(chosen.systems_note),
    )


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
    systems_note = inputs.other_systems(check.set)
    return Checked(result, substitute=substitute, systems_note=systems_note)


def joined(texts: Iterable[str]) -> str:
    """Join the texts that are not empty by semicolons, each once."""
    return "; ".join(dict.fromkeys(filter(None, texts)))


def select(cells: pd.DataFrame, check: CheckOfCells) -> pd.DataFrame:
    """Return the published cells that a check names; raises ValueError if a named row has none."""
    rows, columns = _named(check)
    chosen = cells[cells.published.notna() & cells["item"].isin(np.atleast_1d(check.item))]
    if rows:
        chosen = chosen[chosen.row.isin(rows)]
    if columns:
        heads = tuple(f"{name} " for name in columns)
        chosen = chosen[chosen.column.isin(columns) | chosen.column.str.startswith(heads)]
    if check.statistics is not None:
        symbols = chosen.column.str.split(" ").str[-1]
        chosen = chosen[symbols.isin(check.statistics)]
    absent = [row for row in rows if row not in set(chosen.row)]
    if chosen.empty or absent:
        stated = check.model_dump(exclude_unset=True)
        raise ValueError(f"{stated}: no published cell {', '.join(absent)}")
    return chosen


def _named(check: CheckOfCells) -> tuple[list[str], list[str]]:
    """Return the rows and columns that a check names, also in its pairs or factors."""
    rows = list(check.rows)
    columns = list(check.columns)
    if isinstance(check, PairCheck):
        paired = [name for pair in check.pairs or [] for name in pair]
        if check.over == "columns":
            columns += paired
        else:
            rows += paired
    elif isinstance(check, ProductCheck):
        rows += [factor[0] for factor in check.factors]
        columns += [factor[1] for factor in check.factors]
    return rows, columns


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
        return _product(cells, check)
    if isinstance(check, BoundedCheck) and check.groups is not None:
        return _check_ranges(cells, check)
    if isinstance(check, BoundedCheck) and check.pairs is None:
        return truths(cells.value * (check.scale / check.per), check)
    return _compare_pairs(cells, check)


def _product(cells: pd.DataFrame, check: ProductCheck) -> float:
    """Return the product of powers of cells."""
    values = cells.set_index(["row", "column"]).value
    powers = []
    for row, column, *rest in check.factors:
        exponent = rest[0] if rest else 1
        powers.append(values[row, column] ** exponent)
    return float(np.prod(powers)) * (check.scale / check.per)


def _check_ranges(cells: pd.DataFrame, check: BoundedCheck) -> Truths:
    """Check the range of values over the rows of each group, by column."""
    rounded = cells.assign(value=cells.value.round(check.decimals))
    ranges = []
    for rows in check.groups:
        by_column = rounded[rounded.row.isin(rows)].groupby("column")
        ranges.append(by_column.value.agg(np.ptp)[by_column.size() > 1])
    return truths(pd.concat(ranges), check)


def _compare_pairs(cells: pd.DataFrame, check: PairCheck) -> float | Truths:
    """Compare the rows, or columns, of pairs."""
    if check.absolute:
        cells = cells.assign(value=cells.value.abs())
    names, others = ("column", "row") if check.over == "columns" else ("row", "column")
    wide = cells.pivot(index=["item", others], columns=names, values=["published", "value"])
    is_summed = isinstance(check, GainCheck) and check.summed
    differences = []
    for first, second in check.pairs:
        is_published = wide.published[first].notna() & wide.published[second].notna()
        difference = (wide.value[first] - wide.value[second])[is_published]
        if check.average or is_summed:
            symbols = difference.index.get_level_values(1).str.split(" ").str[-1]
            by_statistic = difference.groupby(symbols)
            difference = by_statistic.agg(lambda values: values.mean(skipna=False))
        differences.append(difference)
    if isinstance(check, GainCheck):
        sums = len(differences[0]) if is_summed else 1
        return float(pd.concat(differences).mean(skipna=False)) * sums * check.scale
    if isinstance(check, BoundedCheck):
        return truths(pd.concat(differences), check)
    return truths(pd.concat(differences), Bounds(above=0), equal=True)


def truths(values: Any, bounds: Bounds, *, equal: bool = False) -> Truths:
    """Count the values within bounds, up to rounding.

    Parameters
    ----------
    values : array_like of float
        NaN counts as without a number.
    bounds : Bounds
        What values must be.
    equal : bool
        Whether values are differences, of which zeros are counted as equal.

    Returns
    -------
    Truths
    """
    values = np.round(np.asarray(values, dtype=float), 9)
    is_true = ~np.isnan(values)
    for name, compare in BOUNDS.items():
        bound = getattr(bounds, name)
        if bound is not None:
            is_true &= compare(values, bound)
    return Truths(
        parts=len(values),
        true=int(is_true.sum()),
        equal=int((values == 0).sum()) if equal else 0,
        unknown=int(np.isnan(values).sum()),
    )


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
    is_compared = not (row["substitute"] or row["systems_note"])
    if row["kind"] == VALUE or np.isnan(row["reproduced"]) or not is_compared:
        return status(
            row["published"],
            row["reproduced"],
            row["digits"],
            substitute=row["substitute"],
            origin=row["origin"],
            systems_note=row["systems_note"],
        )
    if row["reproduced"] < row["published"]:
        return "does not hold"
    return "partly computable" if row["without_number"] else "holds"


def ledger_rows(paper: str, claims: pd.DataFrame) -> pd.DataFrame:
    """Convert a paper's claims (`check_claims`) to rows of the ledger, COLUMNS. `item` is CLAIMS,
    `row` the claim, `column` says whether it was checked on printed cells or data; `method` is
    empty."""
    rows: Any = claims.to_dict("records")
    statuses = pd.Series(list(map(verdict, rows)), claims.index, dtype=object)
    is_compared = ~statuses.isin(NOT_COMPARED)
    difference = (claims.reproduced - claims.published).where((claims.kind == VALUE) & is_compared)
    is_unexplained = (statuses == "differs") & (claims.reason == "")
    causes = claims.origin.map({"printed": CONTRADICTED, "data": UNEXPLAINED})
    reasons = claims.reason.mask(is_unexplained, causes)
    # Why a number is not compared stands first.
    with_notes = [
        reason if of_paper else joined([substitute, systems_note, reason])
        for substitute, systems_note, reason, of_paper in zip(
            claims.substitute, claims.systems_note, reasons, is_compared, strict=True
        )
    ]
    ledger = claims.assign(
        paper=paper,
        item=CLAIMS,
        row=claims.claim,
        column=claims.origin.map(ON),
        status=statuses,
        method="",
        difference=difference,
        reason=with_notes,
    )
    return ledger[COLUMNS]


def printed(claim: ClaimRow, side: Literal["published", "reproduced"]) -> str:
    """Return a claim's number as text; `true of all` and `2 of 3` if it is a comparison."""
    value = claim[side]
    if np.isnan(value):
        return "–"
    if claim["kind"] == VALUE:
        return f"{value:.{int(claim['digits'])}f}"
    if side == "published":
        return "true of all"
    known = claim["published"]
    unknown = claim["without_number"]
    counts = f"{value:.0f} of {known:.0f}"
    if unknown:
        counts += f" computable (of {known + unknown:.0f})"
    return counts
