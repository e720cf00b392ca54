"""The notices of an encoder and a set's sentences."""

from types import SimpleNamespace

import numpy as np

from mt_difficulty.embedding.set_matches import describe, describe_tokenizer

UNKNOWN = 1


def notices_of(ids, lengths=(2, 2), truncated=(0, 0)):
    """Notices of one system, whose sentences are as long as the reference's two."""
    matches = SimpleNamespace(
        reference_lengths=np.array(lengths),
        hypothesis_lengths=np.array([lengths]),
        reference_ids=np.array(ids),
        truncated=np.array(truncated),
    )
    return describe(matches, ["oak"], UNKNOWN)


def test_nothing_is_told_of_sentences_that_are_fine():
    assert notices_of([5, 6, 7, 8]) == []


def test_empty_and_truncated_sentences_are_counted_by_text():
    assert notices_of([5, 6], (2, 0), (0, 3)) == [
        "segments longer than the encoder takes, truncated: oak 3",
        "segments empty, scored 0: reference 1, oak 1",
    ]


def test_an_encoder_that_knows_few_tokens_is_reported():
    assert notices_of([1] * 3 + [5] * 57) == []
    (notice,) = notices_of([1, 5, 5, 5])
    assert notice.startswith("the encoder does not know 25% of the reference's tokens")


def test_a_tokenizer_that_leaves_many_embeddings_unused_is_reported():
    assert describe_tokenizer(32_100, 32_128) == []  # T5's own
    (notice,) = describe_tokenizer(28_996, 30_522)
    assert notice.startswith("the tokenizer has 28,996 tokens and the weights have embeddings of 3")
