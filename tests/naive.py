"""Scores by loops over systems and groups, written from the papers' equations."""

import numpy as np


def standard_scores(metric, statistics):
    """The plain score of every system, on the metric's scale."""
    return np.array(
        [metric.aggregate(rows.sum(axis=0), np.array(len(rows))) for rows in statistics]
    )


def ee_scores(metric, statistics, entropy, h, w):
    """Liu et al. (2022), Eq. 7, for every system; NaN where a weighted group is empty."""
    return np.array(
        [
            _ee_score(metric, rows, own >= h, w)
            for rows, own in zip(statistics, entropy, strict=True)
        ]
    )


def _ee_score(metric, rows, difficult, w):
    score = 0.0
    for share, group in ((w, rows[~difficult]), (1 - w, rows[difficult])):
        if share and not len(group):
            return np.nan
        if share:
            score += share * metric.aggregate(group.sum(axis=0), np.array(len(group)))
    return score


def among_hardest(difficulty, count):
    """The weights of the hardest segments, (segments,): a segment's share of all orders of equally
    difficult segments in which it is among the first `count`."""
    weights = np.zeros(len(difficulty))
    for segment, value in enumerate(difficulty):
        harder, equal = (difficulty > value).sum(), (difficulty == value).sum()
        weights[segment] = np.clip((count - harder) / equal, 0, 1)
    return weights


def token_difficulty(similarity, leave_one_out=False):
    """Zhan et al. (2021), Eq. 2: 1 − the mean over systems of a reference token's best similarity,
    (1 or systems, reference tokens)."""
    total = similarity.sum(axis=0, keepdims=True, dtype=float)
    if leave_one_out:
        return 1 - (total - similarity) / (len(similarity) - 1)
    return 1 - total / len(similarity)
