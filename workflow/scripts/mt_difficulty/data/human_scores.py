"""Human scores in the archive's layout: of systems, of their domains and of segments."""

import math
from collections.abc import Collection
from pathlib import Path

from ..errors import InputError, Missing, nearest
from .campaign_files import gold_file, gold_names
from .ranked import HUMAN, check_any_score, listed
from .text_files import labelled_scores, read_segment_scores, read_system_scores, score_lines


def read_gold(folder: Path, pair: str, gold: str, required: bool) -> dict[str, float]:
    """Human scores by system, NaN for `None`.

    Raises
    ------
    InputError
        A file of another form, without any score, or, where it is required, none at all.
    Missing
        There are no such scores, and none are required.
    """
    path = gold_file(folder, pair, gold)
    if not path.is_file():
        names = gold_names(folder, pair)
        there = listed(names) or "none"
        if required:
            message = f"{path}: no such file. Human scores of {pair} here: {there}"
            hint = nearest(gold, names) if names else _other_pairs(path.parent, pair)
            raise InputError(f"{message}{hint}.")
        raise Missing(f"the archive has no {gold} scores of {folder.name} {pair} (there: {there})")
    scores = read_system_scores(path)
    check_any_score(path, scores, "Choose another gold.")
    return scores


def _other_pairs(folder: Path, pair: str) -> str:
    """The pairs of a campaign that have human scores."""
    pairs = sorted({path.name.split(".")[0] for path in folder.glob("*.sys.score")})
    return f". Pairs that have any: {listed(pairs) or 'none'}{nearest(pair, pairs)}"


def read_segment_gold(
    path: Path, known: Collection[str], outputs: Path, segments: int, canary: int
) -> dict[str, list[float]]:
    """Human scores of segments by system, NaN for `None`; empty where there is no such file.

    Parameters
    ----------
    known : collection of str
        Systems that have an output in the folder `outputs`.
    canary : int
        Lines of each system that stand before those of segments.

    Raises
    ------
    InputError
        A line of another form, a system that is neither known nor human, or one with another
        number of scores.
    """
    if not path.is_file():
        return {}
    try:
        scores = read_segment_scores(path, segments, canary)
        unknown = {system for system in scores if not _may_be_scored(system, known)}
    except InputError:  # perhaps behind a line with an unknown system
        unknown = {""}
    if unknown:
        for number, system, _ in score_lines(path):
            _check_system(path, number, system, known, outputs)
        return read_segment_scores(path, segments, canary)
    return scores


def read_domain_gold(
    path: Path,
    known: Collection[str],
    outputs: Path,
    systems: list[str],
    domains: Collection[str],
    left_out: Collection[str],
) -> dict[str, list[float | None]]:
    """Human scores by domain and system, `domain system score` a line.

    Parameters
    ----------
    known : collection of str
        Systems that have an output in the folder `outputs`.
    systems : list of str
        The ranked ones.
    domains : collection of str
        Those of the segments; where none are known, any is taken.
    left_out : collection of str
        Domains that are not returned: those of a canary.

    Returns
    -------
    dict
        By domain, sorted, the ranked systems' scores in their order, None where there is none;
        empty where there is no such file.

    Raises
    ------
    InputError
        A line of another form, an unknown domain or system, or a second score of one.
    """
    found: dict[str, dict[str, float | None]] = {}
    lines = labelled_scores(path, ["domain", "system"]) if path.is_file() else ()
    for number, (domain, system), score in lines:
        _check_system(path, number, system, known, outputs)
        _check_domain(path, number, domain, domains, left_out)
        of_domain = found.setdefault(domain, {})
        if system in of_domain:
            raise InputError(
                f"{path}, line {number}: system {system} has a score in {domain} already. Keep "
                "one of them."
            )
        of_domain[system] = None if math.isnan(score) else score
    return {
        domain: [found[domain].get(system) for system in systems]
        for domain in sorted(found.keys() - set(left_out))
    }


def _check_domain(
    path: Path, number: int, domain: str, domains: Collection[str], left_out: Collection[str]
) -> None:
    if domains and domain not in domains and domain not in left_out:
        raise InputError(
            f"{path}, line {number}: no segment is of the domain {domain}"
            f"{nearest(domain, domains)}. There are: {listed(sorted(domains))}."
        )


def _check_system(
    path: Path, number: int, system: str, known: Collection[str], outputs: Path
) -> None:
    if not _may_be_scored(system, known):
        raise InputError(
            f"{path}, line {number}: no output in {outputs} for "
            f"{system}{nearest(system, known)}. Add the output or remove the scores."
        )


def _may_be_scored(system: str, known: Collection[str]) -> bool:
    """Whether human scores may have a system: it has an output, or is a human translation."""
    return system in known or HUMAN.fullmatch(system) is not None


# Scores of a perfect translation, by how the names of human scores begin.
PERFECT = {"mqm": 0.0, "esa": 100.0, "da-sqm": 100.0, "wmt": 100.0}


def perfect_score(gold: str) -> float:
    """The score of a perfect translation on the scale of human scores, by their name; NaN where the
    scale has none (z-scores) or is not known."""
    name = gold.lower()
    if name.endswith("-z"):
        return math.nan
    return next((score for start, score in PERFECT.items() if name.startswith(start)), math.nan)
