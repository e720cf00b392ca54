"""What the page knows of the segments of a set, against the files that it is made from."""

import base64
import copy
import json
import math
import zlib
from collections import Counter

import numpy as np
import page_run
import pytest
from sacrebleu.metrics import CHRF
from scipy.stats import pearsonr

from mt_difficulty.data.evalset import SetFiles
from mt_difficulty.page import segments
from mt_difficulty.papers.case_studies import chunk_pieces

SETTINGS = page_run.SETTINGS
ORDER = np.array([3, 0, 4, 1, 2])
GOLD = " (uses human scores)"


@pytest.fixture
def files(set_files):
    return set_files


def segments_of(files, settings=SETTINGS, **changes):
    """The segments of the page, of a set that has other things by the names of its attributes."""
    found = files.read("evalset.json")
    changed = type(found)(**vars(found) | changes)
    described = files.read("weightings.json")
    described = {
        kind: {name: described[kind][name] for name in getattr(settings, kind)}
        for kind in ("difficulties", "weightings")
    }
    return segments.describe_segments(changed, files, settings, described, ORDER)


def other(files, contents):
    """The same files, some with other contents."""
    return SetFiles(files.name, files.contents | contents)


def only(files, *weightings):
    """Files and settings with these weightings, and what they use."""
    kept = {name: SETTINGS.weightings[name] for name in weightings}
    used = {weighting.difficulty for weighting in kept.values()}
    estimated = {name: entry for name, entry in SETTINGS.difficulties.items() if name in used}
    settings = SETTINGS._replace(weightings=kept, difficulties=estimated)
    described = copy.deepcopy(files.read("weightings.json"))
    for kind in ("difficulties", "weightings"):
        described[kind] = {name: described[kind][name] for name in getattr(settings, kind)}
    return other(files, {"weightings.json": described}), settings


def matrix(entry):
    """Values of an entry of the page as (segments, systems)."""
    values = [np.nan if value is None else value for value in entry["values"]]
    return np.array(values, dtype=float).reshape(-1, len(ORDER)) / 10 ** entry["digits"]


def estimated(files, name):
    return files.read(f"difficulty/{name}.npz")["difficulty"][ORDER].T


def test_what_is_packed_can_be_unpacked(files):
    content = segments_of(files)
    unpacked = zlib.decompress(base64.b64decode(segments.packed(content)))
    assert json.loads(unpacked) == json.loads(json.dumps(content))


def test_every_text_is_there_in_the_order_of_the_systems(files):
    page, found = segments_of(files), files.read("evalset.json")
    assert page["systems"] == [found.systems[system] for system in ORDER]
    hypotheses = [found.hypotheses[system] for system in ORDER]
    expected = zip(found.source, found.reference, *hypotheses, strict=True)
    assert [tuple(texts) for texts in page["texts"]] == list(expected)
    gold = np.array(found.segment_gold, dtype=float)[ORDER].T
    assert matrix(page["human"]) == pytest.approx(gold, abs=0.0051, nan_ok=True)
    bare = {"texts_missing": "only scores are stored", "reference": [], "source": []}
    assert segments_of(files, **bare) == {"reason": "only scores are stored"}


def test_segments_are_ranked_by_every_difficulty_and_by_movement(files):
    page = segments_of(files)
    rankings = page["rankings"]
    difficulties = ("chunk_entropy", "length", "people")
    for name, ranking in zip(difficulties, rankings[:3], strict=True):
        hardest = np.argsort(-estimated(files, name).mean(axis=1), kind="stable")
        assert ranking["order"] == hardest.tolist(), name
    every_segment = [sorted(ranking["order"]) for ranking in rankings]
    assert every_segment == [list(range(30))] * len(rankings)


def test_what_a_segment_moves_is_what_its_absence_changes(files):
    page, found = segments_of(files), files.read("evalset.json")
    chrf = CHRF()
    texts = [[line.rstrip() for line in found.reference]]

    def r(kept):
        scores = [
            np.mean([chrf.sentence_score(system[i], [texts[0][i]]).score for i in kept])
            for system in found.hypotheses
        ]
        return pearsonr(scores, found.gold)[0]

    listed = page["listed"][0]
    counted = range(1, 30)  # the first segment has no human score
    for segment in (1, 7):
        expected = r([i for i in counted if i != segment]) - r(counted)
        moved = listed["values"][segment] / 1e4
        assert moved == pytest.approx(expected, abs=6e-5), f"segment index {segment}"
    assert listed["values"][0] == 0


def test_every_segment_has_its_difficulties_means_and_who_is_difficult(files):
    page = segments_of(files)
    units = {of["label"].removesuffix(GOLD): of["unit"] for of in page["difficulties"]}
    assert units == {name.replace("_", " "): unit for name, unit in page_run.UNITS.items()}
    names = ("chunk_entropy", "length", "people")
    for entry, name in zip(page["difficulties"], names, strict=False):
        values, half = estimated(files, name), 0.51 * 0.1 ** entry["digits"]
        means = np.array(entry["means"]) / 10 ** entry["digits"]
        assert means == pytest.approx(values.mean(axis=1), abs=half), name
        assert (entry["values"] is None) == (entry["unit"] == "segment"), name
        if entry["values"]:
            assert matrix(entry) == pytest.approx(values, abs=half), name
    labels = [(of["weighting"], of["difficulty"]) for of in page["thresholds"]]
    assert labels == [("EE", 0), (f"ceiling{GOLD}", 2)]
    for of, name, h in zip(page["thresholds"], names[::2], (0.2, 0.5), strict=True):
        hard = [[digit == "1" for digit in row] for row in of["hard"]]
        np.testing.assert_array_equal(hard, estimated(files, name) >= h, err_msg=name)


def test_segment_scores_are_those_of_the_metrics_whatever_weighs_segments(files):
    page, found = segments_of(files), files.read("evalset.json")
    assert [column["higher"] for column in page["columns"]] == [True, False, True, True, True]
    scores = matrix(page["columns"][0])
    compared = [0, 11]
    expected = [
        [
            CHRF().sentence_score(found.hypotheses[i][segment], [found.reference[segment]]).score
            for i in ORDER
        ]
        for segment in compared
    ]
    np.testing.assert_allclose(scores[compared], expected, rtol=0, atol=0.051)


def test_difficulties_that_are_infinite_or_nan_are_ranked_and_shown(files):
    arrays = dict(files.read("difficulty/chunk_entropy.npz"))
    values = arrays["difficulty"].copy()
    values[0, 7], values[:, 3] = np.inf, np.nan
    changed = {"difficulty/chunk_entropy.npz": arrays | {"difficulty": values}}
    found, settings = only(other(files, changed), "EE")
    page = segments_of(found, settings)
    assert page["rankings"][0]["order"][0] == 7
    assert 3 not in page["rankings"][0]["order"]
    (entry,) = page["difficulties"]
    assert (entry["means"][7], entry["means"][3]) == ("∞", None)
    assert entry["values"][7 * 5 : 8 * 5].count("∞") == 1
    assert entry["values"][3 * 5 : 4 * 5] == [None] * 5
    json.dumps(page, allow_nan=False)


def test_links_are_those_of_the_first_difficulty_that_keeps_them(files):
    page, found = segments_of(files), files.read("evalset.json")
    assert page["links"]["label"] == "chunk entropy"
    linked = 0
    for segment, rows in enumerate(page["links"]["links"]):
        reference = found.reference[segment].split()
        for system, row in zip(ORDER, rows, strict=True):
            tokens = found.hypotheses[system][segment].split()
            links = [ord(character) - segments.NO_LINK - 1 for character in row]
            assert len(links) == len(tokens), (segment, system)
            for token, link in zip(tokens, links, strict=True):
                # The demo aligner links equal tokens.
                agrees = reference[link] == token if link >= 0 else token not in reference
                assert agrees, (segment, system, token, link)
                linked += link >= 0
    assert linked > 100
    assert segments_of(*only(files, "long"))["links"] is None


def test_errors_are_those_of_all_raters_with_their_names_once(files):
    page = segments_of(files)
    errors = page["errors"]
    raters, severities, categories = (
        errors[kind] for kind in ("raters", "severities", "categories")
    )
    assert sorted(raters) == ["mqm.rater1", "mqm.rater2"]
    assert sorted(categories) == ["", "accuracy/<omission>", "fluency"]
    told = [
        (segment, page["systems"][place], raters[rater], start, end, severities[severity], source)
        for segment, ratings in enumerate(errors["of"])
        for place, rater, spans in ratings
        for start, end, severity, _, source in spans
    ]
    assert sorted(told) == [
        (0, page_run.SYSTEMS[2], "mqm.rater2", 4, 90, "minor", 0),
        (0, "ash", "mqm.rater1", 0, 3, "major", 0),
        (0, "ash", "mqm.rater1", 4, 90, "minor", 0),
        (1, "ash", "mqm.rater1", 0, 6, "minor", 1),
    ]


def test_references_are_in_pieces_with_the_difficulty_of_their_tokens(files):
    page, found = segments_of(files), files.read("evalset.json")
    tokens = page["tokens_of"]
    assert (tokens["name"], tokens["difficulty"]) == ("tiny", "token dissimilarity")
    similarity = files.read("matches/tiny.npz")["reference_similarity"]
    expected = 100 * (1 - similarity.mean(axis=0))
    lengths = [sum(pieces[::2]) for pieces in tokens["of"]]
    assert lengths == [len(text) for text in found.reference]
    shown = [[value for value in pieces[1::2] if value is not None] for pieces in tokens["of"]]
    assert np.concatenate(shown) == pytest.approx(expected, abs=0.51)
    assert tokens["hard"] == pytest.approx(np.quantile(expected, 0.9), abs=0.51)


@pytest.mark.parametrize(
    ("sentence", "tokens", "of_tokens", "expected"),
    [
        ("a b c d", "a b c d".split(), [0, 0, -1, 1], [("a b", 0), (" c ", -1), ("d", 1)]),
        ("  a  b ", ["a", "b"], [0, 0], [("  ", -1), ("a  b", 0), (" ", -1)]),
        ("这 是不", ["这", "是", "不"], [-1, 0, 1], [("这 ", -1), ("是", 0), ("不", 1)]),
        ("a a", ["a", "a"], [-1, -1], [("a a", -1)]),
        ("", [], [], []),
    ],
)
def test_chunks_are_pieces_of_the_sentence(sentence, tokens, of_tokens, expected):
    assert chunk_pieces(sentence, tokens, np.array(of_tokens, dtype=int)) == expected


@pytest.mark.parametrize(
    ("sizes", "equation"),
    [
        ([], "="),
        ([2], "−2/2 · log₁₀ 2/2 ="),
        ([1, 3], "−1/4 · log₁₀ 1/4 − 3/4 · log₁₀ 3/4 = 0.151 + 0.094 ="),
    ],
)
def test_an_equation_of_chunk_entropy_has_a_term_for_each_chunk(sizes, equation):
    assert segments.entropy_equation(np.array(sizes, dtype=int)) == equation


def test_the_segment_explains_the_entropy_by_the_sum_over_its_chunks(files):
    found = files.read("evalset.json")
    shown = segments.explain(found, files, list(page_run.DIFFICULTIES))
    assert shown["difficulty"] == "chunk_entropy"
    many, few = shown["hypotheses"]
    assert many["sum"] > few["sum"]
    for one in (many, few):
        system = one["system"]
        text = "".join(piece for piece, _ in one["pieces"])
        assert text == found.hypotheses[found.systems.index(system)][shown["segment"] - 1], system
        # By the definition, from the words in each chunk of the text.
        words = Counter({chunk: len(piece.split()) for piece, chunk in one["pieces"] if chunk >= 0})
        total = words.total()
        expected = -sum(n / total * math.log10(n / total) for n in words.values())
        sizes = [words[chunk] for chunk in sorted(words)]
        terms = " − ".join(f"{size}/{total} · log₁₀ {size}/{total}" for size in sizes)
        assert one["equation"].startswith(f"−{terms} ="), system
        assert one["size"].startswith(f"{total} of {len(text.split())} tokens in {len(sizes)} ch")
        assert one["sum"] == pytest.approx(expected, abs=1e-5), system
    # No other short segment has hypotheses further apart.
    entropy = files.read("difficulty/chunk_entropy.npz")["difficulty"]
    spread = entropy.max(axis=0) - entropy.min(axis=0)
    assert spread[shown["segment"] - 1] == pytest.approx(spread.max())
