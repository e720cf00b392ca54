"""Means of ratings standardised by annotator, as in direct assessment (Graham et al. 2013)."""

from collections.abc import Callable

import pandas as pd

from ..errors import Missing
from .base import Gold, HumanScores, listed, mean_scores, read_cells
from .ratings import Ratings


class Z(Gold):
    """Ratings as standard deviations above the annotator's mean, then averaged as by `mean`."""

    description = "mean of ratings standardised by annotator"
    is_standardised = True

    def fit(self, ratings: Ratings, progress: Callable = iter) -> HumanScores:
        table, notes = standardised(ratings)
        return mean_scores(read_cells(table), notes)


def standardised(ratings: Ratings) -> tuple[pd.DataFrame, list[str]]:
    """Standardise ratings by annotator.

    Parameters
    ----------
    ratings : Ratings
        Means and standard deviations are those of `annotator_scale`; without it, those of the
        annotator's ratings in `table` (divisor n − 1, as R's sd).

    Returns
    -------
    table : pandas.DataFrame
        As `Ratings.table`, without annotators whose standard deviation is 0 or unknown.
    notes : list of str
        Which annotators were left out.

    Raises
    ------
    Missing
        If the scale lacks an annotator, if no annotator has different ratings, or if a system loses
        all of its ratings.
    """
    table = ratings.table
    scale = ratings.annotator_scale
    if scale is None:
        scores = table.groupby("annotator").score
        scale = pd.DataFrame({"mean": scores.mean(), "deviation": scores.std(ddof=1)})
        # Equal ratings can have a standard deviation of rounding errors.
        scale.loc[scores.nunique() == 1, "deviation"] = 0.0
    annotators = sorted(table.annotator.unique())
    absent = [name for name in annotators if name not in scale.index]
    if absent:
        raise Missing(f"no mean and standard deviation of annotators: {listed(absent)}")
    deviations = scale.deviation.reindex(annotators)
    dropped = [name for name in annotators if not deviations[name] > 0]
    kept = table[~table.annotator.isin(dropped)]
    notes = []
    if dropped:
        notes.append(
            f"{len(table) - len(kept)} ratings are left out, of annotators without different "
            f"ratings: {listed(dropped)}."
        )
    lost = sorted(set(table.system) - set(kept.system))
    if kept.empty:
        raise Missing("no annotator gave two different ratings, which z-scores need")
    if lost:
        raise Missing(f"{listed(lost)}: rated only by annotators without different ratings")
    means = kept.annotator.map(scale["mean"])
    z = (kept.score - means) / kept.annotator.map(scale.deviation)
    return kept.assign(score=z), notes
