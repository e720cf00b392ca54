"""Means of ratings, as campaigns print them as raw scores."""

from collections.abc import Callable

from .base import Gold, HumanScores, mean_scores, read_cells
from .ratings import Ratings


class Mean(Gold):
    """Mean over the annotations of a segment, then over segments; errors by document."""

    description = "mean of ratings"

    def fit(self, ratings: Ratings, progress: Callable = iter) -> HumanScores:
        return mean_scores(read_cells(ratings.table))
