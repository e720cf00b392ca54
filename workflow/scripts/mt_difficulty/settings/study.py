"""Settings of a study, as a named tuple, which Snakemake records as a parameter of jobs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Contrast(NamedTuple):
    """A study's comparison of `weighting` with another weighting, `against`.

    Attributes
    ----------
    weighting, against : str
    question : str
        What the comparison answers.
    primary : bool
        Whether it is one of the study's main questions, which share a correction of p.
    nulls : sequence of str
        Null models that it is compared with.
    """

    weighting: str
    against: str = "standard"
    question: str = ""
    primary: bool = False
    nulls: Sequence[str] = ()


class Study(NamedTuple):
    """A study: comparisons of weightings, each over all evaluation sets of a run.

    Attributes
    ----------
    contrasts : mapping of str to Contrast
    tiers : mapping of str to sequence of str
        Groups of metrics: patterns of their names.
    resamples : int
        Number of bootstrap resamples.
    nulls : int
        Number of draws of each null model.
    margin : float
        Largest effect that counts as none.
    title : str
    development : sequence of str
        Patterns of the campaigns on which the project was developed.
    submissions : sequence of str
        Patterns of the metrics whose archived scores are shown for comparison.
    elsewhere : mapping of str to str
        Weightings with parameters from other sets: the weighting in two groups of each.
    """

    contrasts: Mapping[str, Contrast]
    tiers: Mapping[str, Sequence[str]]
    resamples: int
    nulls: int
    margin: float = 0.0
    title: str = ""
    development: Sequence[str] = ()
    submissions: Sequence[str] = ()
    elsewhere: Mapping[str, str] = {}

    @property
    def primary(self) -> list[str]:
        """Names of the primary contrasts."""
        return [name for name, contrast in self.contrasts.items() if contrast.primary]
