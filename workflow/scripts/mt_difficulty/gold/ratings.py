"""Ratings that annotators gave to translations, in one form for all file formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = ("annotator", "system", "segment", "document", "screen", "score")


class Ratings(NamedTuple):
    """Ratings of one human evaluation: those that count after the official filters.

    Attributes
    ----------
    table : pandas.DataFrame
        One row a rating, in the order of the files, with the columns

        - `annotator`, `system`: names;
        - `segment`: identifies the source segment, the same for all systems; the 0-based line of
          the archive's files as text where a campaign was named;
        - `document`: identifies the document of the segment; empty where unknown;
        - `screen`: what the annotator rated in one go, such as one system's translations of a
          document, or the translations of a document by several systems side by side; empty where
          unknown;
        - `score`: float, higher is better.

        An annotator may have rated a cell (system and segment) more than once.
    filtered : dict of str to int
        Number of ratings that each official filter dropped, by the filter's name.
    annotator_scale : pandas.DataFrame or None
        Mean and standard deviation of everything that an annotator rated, controls included, as
        official z-scores use them; index annotator, columns `mean` and `deviation`. None where
        the official z-scores use the ratings of `table` alone.
    """

    table: pd.DataFrame
    filtered: dict[str, int]
    annotator_scale: pd.DataFrame | None = None
