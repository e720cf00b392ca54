"""Scores alone, for other programs."""

from .rows import defined, measures, score_format


def tables(report: dict, digits: int | None) -> str:
    """A line for each system, in the order that they were given: its score under every metric and
    weighting, between tabs; `-` where there is none."""
    columns = []
    for rows in measures(report):
        form = score_format(rows, digits)
        columns.append({row["system"]: defined(row["score"], form) for row in rows})
    lines = ("\t".join(column[system] for column in columns) for system in report["systems"])
    return "\n".join(lines)
