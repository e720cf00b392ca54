"""The segments that the page shows one by one, read from a set's files."""

from pathlib import Path

import numpy as np

from mt_difficulty import storage
from mt_difficulty.data import language
from mt_difficulty.errors import Missing
from mt_difficulty.evidence.influence import influence, scores_without
from mt_difficulty.metrics import METRICS
from mt_difficulty.page.report_charts import rounded
from mt_difficulty.page.segment_view import choose_segments, difficulty_pieces
from mt_difficulty.papers import cases
from mt_difficulty.papers.chunks import hypothesis_pieces
from mt_difficulty.statistics.correlation import row_label
from mt_difficulty.weighting import token_weighting
from mt_difficulty.weighting.group_weighting import ee_scores, mean_entropy, standard_scores

# Of the segments shown by mean entropy, the share shown by how far they move r of standard and of
# EE scores.
MOVING = 0.5


class Scored:
    """Segment statistics of one metric, plain or DA-weighted, and what leaving segments out does.

    `weightings` names what its standard and EE scores are.
    """

    def __init__(self, name, metric, statistics, weightings, higher_is_better):
        self.name, self.metric, self.statistics = name, metric, statistics
        self.weightings, self.sign = weightings, 1 if higher_is_better else -1

    @property
    def label(self):
        return row_label({"metric": self.name, "weighting": self.weightings[0]})

    def segment_scores(self):
        if hasattr(self.metric, "segment_scores"):
            return self.metric.segment_scores(self.statistics)
        return self.metric.aggregate(self.statistics, np.ones(self.statistics.shape[:2]))

    def influences(self, gold, entropy, h, w):
        """By weighting; EE only where h and w are and every system has both groups. None without
        human scores."""
        if not gold.size:
            return
        scores = standard_scores(self.metric, self.statistics)
        without = scores_without(self.metric, self.statistics)
        yield self.weightings[0], influence(self.sign * scores, self.sign * without, gold)
        if h is not None and w is not None:
            scores = ee_scores(self.metric, self.statistics, entropy, h, w)
            if np.isfinite(scores).all():
                without = scores_without(self.metric, self.statistics, entropy >= h, w)
                yield self.weightings[1], influence(self.sign * scores, self.sign * without, gold)


def read_scored(files, settings, segments):
    """The set's metrics that have segment scores."""
    plain, weighted = ("standard", "EE"), ("DA", "EE-DA")
    token_settings = token_weighting.Settings(**settings["DA"])
    for name, kind in settings["types"].items():
        for folder, weightings in (("statistics", plain), ("DA", weighted)):
            path = files.path(f"{folder}/{name}.npz")
            try:
                statistics = path and storage.read_arrays(path)["statistics"]
            except Missing:
                continue
            if path is None or statistics.shape[1] != segments:
                continue
            metric = METRICS[kind] if folder == "statistics" else token_settings
            better = METRICS[kind].higher_is_better
            yield Scored(name, metric, statistics, weightings, better)


def read_segments(found, files, settings, order):
    """The hardest segments, and those that move the ranking most, with all that is known of them.

    `order` has the systems as indices, the best first.

    Returns
    -------
    dict or None
        None for a set without texts.
    """
    try:
        arrays = storage.read_arrays(files.path(f"entropy/{settings['aligner']}.npz"))
        parameters = storage.read_json(files.path("difficulty.json"))
    except Missing:
        return None
    entropy, h, w = arrays["entropy"], parameters["h"], parameters["w"]
    scored = list(read_scored(files, settings, entropy.shape[1]))
    moves = [
        (row_label({"metric": one.name, "weighting": weighting}), weighting, moved)
        for one in scored
        for weighting, moved in one.influences(np.array(found.gold), entropy, h, w)
    ]
    means = mean_entropy(entropy)
    moving = int(MOVING * settings["shown"])
    counts = {"entropy": settings["shown"], "standard": moving, "EE": moving}
    chosen = choose_segments({"entropy": means, **movers(moves)}, counts)
    columns = [(one.label, one.segment_scores()) for one in scored]
    references, tokens = read_reference(found, files, settings)
    entries = []
    for segment, places in chosen.items():
        entry = describe_segment(found, segment, order, columns, moves)
        entry |= {"places": places, "mean": rounded(means[segment], 3)}
        entry |= {"hard": None if h is None else int((entropy[:, segment] >= h).sum())}
        entry["reference"] = references(segment)
        for system, row in zip(order, entry["rows"], strict=True):
            row["entropy"] = rounded(entropy[system, segment], 3)
            row["hard"] = bool(h is not None and entropy[system, segment] >= h)
            row["pieces"] = hypothesis_pieces(found, arrays, system, segment)
        entries.append(entry)
    return {
        "systems": [found.systems[system] for system in order],
        "columns": [{"label": label, "digits": digits(scores)} for label, scores in columns],
        "moves": [label for label, *_ in moves],
        "total": len(found.reference),
        "h": h,
        "encoder": tokens,
        "source_language": language.source_language(found.pair),
        "target_language": language.target_language(found.pair),
        "segments": entries,
    }


def movers(moves):
    """Mean over metrics of how much each segment moves r, with standard and with EE scores."""
    found = {}
    for name in ("standard", "EE"):
        values = [
            np.abs(moved.correlations.pearson) for _, weighting, moved in moves if weighting == name
        ]
        if values:
            found[name] = np.mean(values, axis=0)
    return found


def describe_segment(found, segment, order, columns, moves):
    """A segment's texts, scores and influence."""
    human = found.segment_gold
    return {
        "number": segment + 1,
        "document": found.documents[segment] if found.documents else "",
        "domain": found.domains[segment] if found.domains else "",
        "source": found.source[segment],
        "moves": [
            {
                "added": rounded([values[segment] for values in moved.correlations], 5),
                "ranks": rank_changes(moved, segment, order),
            }
            for *_, moved in moves
        ],
        "rows": [
            {
                "human": human[system][segment] if human else None,
                "scores": [rounded(scores[system, segment], 4) for _, scores in columns],
            }
            for system in order
        ],
    }


def rank_changes(moved, segment, order):
    """Systems, as places in `order`, that change their rank: [place, rank, rank without]."""
    return [
        [place, int(moved.ranks[system]), int(moved.ranks[system] + change)]
        for place, system in enumerate(order)
        if (change := moved.changes[system, segment]) and np.isfinite(change)
    ]


def read_reference(found, files, settings):
    """What cuts a segment's reference into tokens with their difficulty, and the encoder's name;
    without matches the reference in one piece, and None."""
    path = settings["matches"] and files.path(settings["matches"])
    try:
        if not path:
            raise Missing("no encoder")
        matches, _ = token_weighting.rescaled_matches(storage.read_arrays(path))
        difficulty = token_weighting.token_difficulty(matches.reference_similarity)[0]
        if not difficulty.size:
            raise Missing("the references have no tokens")
    except Missing:
        return lambda segment: [(found.reference[segment], None)], None
    ends = np.cumsum(matches.reference_lengths)
    hard = float(np.quantile(difficulty, 1 - cases.MARKED_SHARE))

    def pieces(segment):
        own = slice(ends[segment] - matches.reference_lengths[segment], ends[segment])
        text = found.reference[segment].strip()
        return difficulty_pieces(text, matches.reference_offsets[own], difficulty[own])

    scale = {"low": float(np.quantile(difficulty, 0.05)), "high": float(difficulty.max())}
    return pieces, {"name": Path(path).stem, "hard": round(hard, 2), **scale}


def digits(scores):
    """How many digits tell a metric's segment scores apart."""
    return 1 if np.nanmax(np.abs(scores)) > 5 else 3
