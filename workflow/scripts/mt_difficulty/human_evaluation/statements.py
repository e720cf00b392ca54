"""Tables and sentences about a human evaluation, for the command line and for pages."""

from __future__ import annotations

import pandas as pd

from ..gold.base import HumanScores, statements
from ..storage import Content
from .annotate import Annotations
from .design import Design

# What official scores are, by column.
OFFICIAL = {"by_domain": "mean of domains", "mean": "mean", "z": "z-score"}


def compared_table(annotations: Annotations, gold: str) -> pd.DataFrame:
    """Return official and adjusted scores of the systems, best adjusted score first.

    Parameters
    ----------
    annotations : Annotations
    gold : str
        Name of an adjusted gold.

    Returns
    -------
    DataFrame
        Columns system, official, score, low, high (95 % interval), best_rank, worst_rank, cluster.
    """
    adjusted = statements(annotations.adjusted[gold])
    official = annotations.official
    means = official.systems[official.ordered_by]
    adjusted.insert(1, "official", adjusted.system.map(means))
    return adjusted


def design_sentences(design: Design) -> list[str]:
    """Say who rated what, and whether scores can be adjusted.

    Parameters
    ----------
    design : Design

    Returns
    -------
    list of str
    """
    documents = f" in {design.documents:,} documents" if design.documents else ""
    sentences = [
        f"{design.segments:,} segments{documents}, {design.segments_of_all:,} rated for all "
        "systems",
        f"{design.cells:,} cells (system and segment) rated, {design.share_rated:.1%} of all; "
        f"{design.repeats:,} ratings repeat one of the same annotator",
    ]
    if design.screens:
        sentences.append(
            f"{design.screens:,} screens (what an annotator saw at once), {design.blocks:,} blocks "
            "(annotator, document, system)"
        )
    largest = design.shares.max(axis=1)
    sentences.append(
        f"largest share of one annotator in a system's ratings: {largest.max():.0%} "
        f"({largest.idxmax()})"
    )
    if design.reasons:
        sentences += [f"not adjustable: {reason}" for reason in design.reasons]
    else:
        sentences.append("connected: scores can be adjusted for segments and annotators")
    return sentences


def range_of_ranks(best: int, worst: int) -> str:
    """Return a range of ranks as text, such as 2-4; one number if both are equal."""
    return str(best) if best == worst else f"{best}-{worst}"


def of_errors(human: HumanScores) -> str:
    """Return what the errors of human scores are computed from, as text."""
    if human.unit == "model":
        return f"errors of the model, {human.units:,} ratings"
    return f"errors by {human.unit} ({human.units:,})"


def share_sentence(human: HumanScores) -> str:
    """Return the share of variance by source as a sentence; empty if the gold has no model."""
    if human.model is None:
        return ""
    shares = [f"{source} {share:.0%}" for source, share in human.model.shares.items()]
    return f"Share of variance: {', '.join(shares)}."


def changes_of_order(table: pd.DataFrame) -> int:
    """Count the pairs of systems that official and adjusted scores order differently."""
    changed = 0
    for first in range(len(table)):
        below = table.official.iloc[first + 1 :]
        changed += int((below > table.official.iloc[first]).sum())
    return changed


def described(annotations: Annotations, gold: str) -> Content:
    """Describe a human evaluation for the page of a set, as JSON types.

    Parameters
    ----------
    annotations : Annotations
    gold : str
        Name of an adjusted gold.

    Returns
    -------
    dict
        `sentence`, `systems` (rows of `compared_table`), `is_standardised` (whether the adjusted
        scores are in standard deviations), `design`, `notes`, `annotators`.
    """
    human = annotations.adjusted[gold]
    table = compared_table(annotations, gold)
    systems = len(table)
    pairs = systems * (systems - 1) // 2
    sentence = (
        f"{annotations.golds[gold].description.capitalize()} of "
        f"{annotations.design.ratings:,} ratings ({annotations.procedure}) "
        f"by {annotations.design.annotators} annotators: "
        f"{changes_of_order(table)} of {pairs} pairs of systems change their official order. "
        f"Clusters by simultaneous contrasts: {int(table.cluster.max())}; officially: "
        f"{int(annotations.official.systems.cluster.max())}."
    )
    severity = annotations.design.severity.dropna().sort_values(ascending=False)
    left_out = [f"{count:,} {name}" for name, count in annotations.ratings.filtered.items()]
    notes = [*human.notes]
    if left_out:
        notes.insert(0, f"Left out: {', '.join(left_out)}.")
    return {
        "gold": gold,
        "sentence": sentence,
        "ordered_by": annotations.official.ordered_by,
        "is_standardised": annotations.golds[gold].is_standardised,
        "systems": table.to_dict("records"),
        "shares": share_sentence(human),
        "design": design_sentences(annotations.design),
        "notes": notes,
        "annotators": [
            {"annotator": str(name), "severity": float(value)} for name, value in severity.items()
        ],
    }
