"""Compiled sums of segment statistics below and above thresholds, for permuted difficulties."""

import numpy as np

from ...compiled import njit


@njit(cache=True, nogil=True, error_model="numpy")
def group_sums(columns: np.ndarray, bins: np.ndarray, places: np.ndarray, sums: np.ndarray) -> None:
    """Sums over the easy and the difficult hypotheses at every threshold, for permuted bins.

    Parameters
    ----------
    columns : ndarray, (systems, segments, k + 1)
        What is summed.
    bins : ndarray of int, (systems, segments)
        How many of the ascending thresholds a hypothesis's difficulty reaches.
    places : ndarray of int, (draws, segments)
        Segment i of a draw has the bin of segment places[i].
    sums : ndarray, (draws, thresholds, systems, 2, k + 1)
        Where they are put: easy first.
    """
    thresholds, width = sums.shape[1], columns.shape[2]
    for draw in range(len(places)):
        for system in range(len(columns)):
            own = np.zeros((thresholds + 1, width))
            for segment in range(columns.shape[1]):
                place = bins[system, places[draw, segment]]
                for k in range(width):
                    own[place, k] += columns[system, segment, k]
            for k in range(width):
                total, easy = own[:, k].sum(), 0.0
                for threshold in range(thresholds):
                    easy += own[threshold, k]
                    sums[draw, threshold, system, 0, k] = easy
                    sums[draw, threshold, system, 1, k] = total - easy
