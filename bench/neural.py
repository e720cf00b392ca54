"""Time and peak memory of one way to compute BERTScore or DA-BERTScore of all systems.

`python bench/neural.py <way> <archive> <segments> <folder> <layer> <device> <dtype>` prints them as
JSON; bench.py runs each way in a process of its own, because memory is measured by process.
"""

import json
import resource
import sys

import numpy as np
from measuring import load, now

from mt_difficulty.difficulty.token_dissimilarity import TokenDissimilarity
from mt_difficulty.metrics import bertscore
from mt_difficulty.weighting import DA as token_weighting


def ours(texts, model, da=False):
    """Tokens matched once for all systems; BERTScore, or DA-BERTScore, from the matches."""
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    reference, hypotheses = texts
    matches = match_tokens(Encoder(*model), reference, hypotheses)
    if not da:
        return bertscore.segment_scores(matches)[..., 2].mean(axis=1)
    systems = np.arange(len(hypotheses))
    difficulty = TokenDissimilarity().difficulty(matches.reference_similarity, systems)[:1]
    settings = token_weighting.DA()
    sums = token_weighting.segment_scores(matches, difficulty, settings).sum(axis=1)
    return settings.aggregate(sums, len(reference))


def ours_da(texts, model):
    return ours(texts, model, da=True)


def per_system(texts, model):
    """bert-score called for each system, as in the EE authors' program."""
    import bert_score

    reference, hypotheses = texts
    folder, layer, device, _ = model
    return [
        bert_score.score(h, reference, model_type=folder, num_layers=layer, device=device)[2].mean()
        for h in hypotheses
    ]


def one_call(texts, model):
    """bert-score called once for all systems: its best use."""
    from bert_score import BERTScorer

    reference, hypotheses = texts
    folder, layer, device, _ = model
    scorer = BERTScorer(model_type=folder, num_layers=layer, device=device)
    pairs = [segment for system in hypotheses for segment in system]
    f = scorer.score(pairs, reference * len(hypotheses))[2]
    return f.reshape(len(hypotheses), -1).mean(dim=1).tolist()


def da_authors(texts, model):
    """A pass for each system, then loops over tokens with dictionaries: the DA authors' way,
    written anew after their paper."""
    from mt_difficulty.embedding.encoding import Encoder
    from mt_difficulty.embedding.matching import match_tokens

    per_system(texts, model)
    start = now()
    matches = match_tokens(Encoder(*model), *texts)  # the passes computed as much; not timed
    da_authors.untimed = now() - start
    return loop_over_tokens(matches)


def loop_over_tokens(matches):
    """DA-BERTScore of every system, token by token."""
    systems, segments = matches.hypothesis_lengths.shape
    starts = np.cumsum(matches.reference_lengths) - matches.reference_lengths
    similarity = matches.reference_similarity.tolist()
    reference, hypothesis = matches.reference_ids.tolist(), matches.hypothesis_ids.tolist()
    best, place = matches.hypothesis_similarity.tolist(), 0
    difficulties = []
    for segment in range(segments):
        found = {}
        for token in range(starts[segment], starts[segment] + matches.reference_lengths[segment]):
            d = 1 - sum(row[token] for row in similarity) / systems
            known = found.get(reference[token])
            found[reference[token]] = d if known is None else (known + d) / 2
        difficulties.append(found)
    scores = []
    for system in range(systems):
        precision = recall = 0.0
        for segment in range(segments):
            length, own = matches.reference_lengths[segment], 0.0
            for token in range(starts[segment], starts[segment] + length):
                d = 1 - sum(row[token] for row in similarity) / systems
                own += d * similarity[system][token]
            recall += own / length / segments
            length, own = matches.hypothesis_lengths[system, segment], 0.0
            for token in range(place, place + length):
                own += difficulties[segment].get(hypothesis[token], 1.0) * best[token]
            place += length
            precision += own / length / segments
        scores.append(2 * precision * recall / (precision + recall))
    return scores


WAYS = {way.__name__: way for way in (ours, ours_da, per_system, one_call, da_authors)}


def main():
    way, archive, segments, folder, layer, device, dtype = sys.argv[1:]
    found = load(archive)
    cut = int(segments) or None
    texts = found.reference[:cut], [hypotheses[:cut] for hypotheses in found.hypotheses]
    import bert_score  # noqa: F401
    from transformers import AutoModel, T5EncoderModel  # noqa: F401

    start = now()
    scores = WAYS[way](texts, (folder, int(layer), device, dtype))
    cost = now() - start - getattr(WAYS[way], "untimed", 0.0)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"cost": cost.tolist(), "peak": peak, "scores": [float(s) for s in scores]}))


if __name__ == "__main__":
    main()
