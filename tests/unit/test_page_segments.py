"""What the page knows of the segments of a set, against the files that it is made from."""

import base64
import copy
import json
import math
import re
import zlib
from collections import Counter

import numpy as np
import page_run
import pytest
from sacrebleu.metrics import CHRF
from scipy.stats import pearsonr

from mt_difficulty.data.set_files import SetFiles
from mt_difficulty.errors import Missing
from mt_difficulty.page import segments
from mt_difficulty.papers.case_studies import chunk_pieces

SETTINGS = page_run.SETTINGS | {"shown": 4}
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
        kind: {name: described[kind][name] for name in settings[kind]}
        for kind in ("difficulties", "weightings")
    }
    return segments.describe_segments(changed, files, settings, described, ORDER)


def other(files, contents):
    """The same files, some with other contents."""
    return SetFiles(files.name, files.contents | contents)


def only(files, *weightings):
    """Files and settings with these weightings, and what they use."""
    kept = {name: page_run.WEIGHTINGS[name] for name in weightings}
    used = {entry["difficulty"] for entry in kept.values()}
    estimated = {name: entry for name, entry in page_run.DIFFICULTIES.items() if name in used}
    settings = SETTINGS | {"weightings": kept, "difficulties": estimated}
    described = copy.deepcopy(files.read("weightings.json"))
    for kind in ("difficulties", "weightings"):
        described[kind] = {name: described[kind][name] for name in settings[kind]}
    return other(files, {"weightings.json": described}), settings


def matrix(entry):
    """Values of an entry of the page as (segments, systems)."""
    values = [np.nan if value is None else value for value in entry["values"]]
    return np.array(values, dtype=float).reshape(-1, len(ORDER)) / 10 ** entry["digits"]


def estimated(files, name):
    return files.read(f"difficulty/{name}.npz")["difficulty"][ORDER].T


def test_the_file_beside_the_page_calls_it_with_what_can_be_unpacked(files):
    content = segments_of(files)
    text = segments.script(content)
    packed = re.fullmatch(r'receiveSegments\("([\w+/=]+)"\);\n', text)[1]
    assert json.loads(zlib.decompress(base64.b64decode(packed))) == json.loads(json.dumps(content))
    assert segments.script(segments_of(files)) == text


def test_every_text_is_there_in_the_order_of_the_systems(files):
    page, found = segments_of(files), files.read("evalset.json")
    assert page["systems"] == [found.systems[system] for system in ORDER]
    for segment, (source, reference, *hypotheses) in enumerate(page["texts"]):
        assert (source, reference) == (found.source[segment], found.reference[segment])
        assert hypotheses == [found.hypotheses[system][segment] for system in ORDER]
    assert page["documents"]["names"] == ["doc0", "doc1", "doc2"]
    assert page["domains"] == {"names": ["news", "social"], "of": [0] * 20 + [1] * 10}
    assert segments_of(files, domains=[], documents=["a"] * 30)["documents"] is None


def test_human_scores_are_those_of_the_set(files):
    gold = np.array(files.read("evalset.json").segment_gold, dtype=float)[ORDER].T
    assert matrix(segments_of(files)["human"]) == pytest.approx(gold, abs=0.0051, nan_ok=True)
    assert segments_of(files, segment_gold=[])["human"] is None


def test_segments_are_ranked_by_every_difficulty_and_by_movement(files):
    page = segments_of(files)
    rankings = page["rankings"]
    difficulties = ("chunk_entropy", "length", "people")
    names = [f"difficulty {name}" for name in difficulties]
    names += [f"weighting {name}" for name in ("standard", *page_run.WEIGHTINGS)]
    assert [ranking["name"] for ranking in rankings] == names
    assert rankings[2]["label"] == f"hardest by mean people{GOLD}"
    assert rankings[-1]["label"] == f"moves the ranking most, ceiling{GOLD} metrics"
    for name, ranking in zip(difficulties, rankings[:3], strict=True):
        hardest = np.argsort(-estimated(files, name).mean(axis=1), kind="stable")
        assert ranking["order"] == hardest.tolist()
    assert all(sorted(ranking["order"]) == list(range(30)) for ranking in rankings)
    told = {ranking["order"][at] for ranking in rankings for at in range(2)}
    told |= set(rankings[0]["order"][:4])
    assert {int(segment) for segment in page["influence"]} == told


def test_what_a_segment_moves_is_what_its_absence_changes(files):
    page, found = segments_of(files), files.read("evalset.json")
    statistics = files.read("statistics/chrF.npz")["statistics"]
    chrf = CHRF()
    texts = [[line.rstrip() for line in found.reference]]

    def r(kept):
        scores = [
            np.mean([chrf.sentence_score(system[i], [texts[0][i]]).score for i in kept])
            for system in found.hypotheses
        ]
        return pearsonr(scores, found.gold)[0]

    assert statistics.shape[:2] == (5, 30)
    listed = page["listed"][0]
    assert listed["label"] == "Δr of chrF without it"
    counted = range(1, 30)  # the first segment has no human score
    for segment in (1, 7):
        expected = r([i for i in counted if i != segment]) - r(counted)
        assert listed["values"][segment] / 1e4 == pytest.approx(expected, abs=6e-5)
    segment, moves = next(iter(page["influence"].items()))
    expected = r([i for i in counted if i != int(segment)]) - r(counted)
    assert moves[0]["added"][0] == pytest.approx(expected, abs=6e-6)


def test_every_segment_has_its_difficulties_and_means(files):
    page = segments_of(files)
    units = {one["label"]: one["unit"] for one in page["difficulties"]}
    assert units == {
        name + GOLD * (name == "people"): unit for name, unit in page_run.UNITS.items()
    }
    for entry, name in zip(
        page["difficulties"], ("chunk_entropy", "length", "people"), strict=False
    ):
        values, half = estimated(files, name), 0.51 * 0.1 ** entry["digits"]
        means = np.array(entry["means"]) / 10 ** entry["digits"]
        assert means == pytest.approx(values.mean(axis=1), abs=half)
        assert (entry["values"] is None) == (entry["unit"] == "segment")
        if entry["values"]:
            assert matrix(entry) == pytest.approx(values, abs=half)
    # The mean of the others' means is the mean.
    assert page["difficulties"][3]["means"] == page["difficulties"][4]["means"]


def test_difficult_hypotheses_are_those_of_at_least_the_threshold(files):
    page = segments_of(files)
    labels = [(one["weighting"], one["difficulty"]) for one in page["thresholds"]]
    assert labels == [("EE", 0), (f"ceiling{GOLD}", 2)]
    for one, name, h in zip(
        page["thresholds"], ("chunk_entropy", "people"), (0.2, 0.5), strict=True
    ):
        found = [[digit == "1" for digit in row] for row in one["hard"]]
        assert found == (estimated(files, name) >= h).tolist()


def test_segment_scores_are_those_of_the_metrics_whatever_weighs_segments(files):
    page, found = segments_of(files), files.read("evalset.json")
    labels = [column["label"] for column in page["columns"]]
    assert labels == ["chrF", "TER", "BERTScore", "DA-BERTScore", "DA-LOO-BERTScore"]
    assert [column["higher"] for column in page["columns"]] == [True, False, True, True, True]
    scores = matrix(page["columns"][0])
    for segment in (0, 11):
        for place, system in enumerate(ORDER):
            one = CHRF().sentence_score(
                found.hypotheses[system][segment], [found.reference[segment]]
            )
            assert scores[segment, place] == pytest.approx(one.score, abs=0.051)


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
    assert page["links"]["label"] == "chunk_entropy"
    linked = 0
    for segment, rows in enumerate(page["links"]["links"]):
        reference = found.reference[segment].split()
        for system, row in zip(ORDER, rows, strict=True):
            tokens = found.hypotheses[system][segment].split()
            links = [ord(character) - segments.NO_LINK - 1 for character in row]
            assert len(links) == len(tokens)
            for token, link in zip(tokens, links, strict=True):
                # The demo aligner links equal tokens.
                assert reference[link] == token if link >= 0 else token not in reference
                linked += link >= 0
    assert linked > 100
    assert segments_of(*only(files, "long"))["links"] is None


def test_errors_are_those_of_all_raters_with_their_names_once(files):
    page = segments_of(files)
    errors = page["errors"]
    names = [errors[kind] for kind in ("raters", "severities", "categories")]
    assert [sorted(each) for each in names] == [
        ["mqm.rater1", "mqm.rater2"],
        ["major", "minor"],
        ["", "accuracy/<omission>", "fluency"],
    ]
    raters, severities, categories = names

    def told(segment):
        return {
            (page["systems"][place], raters[rater]): [
                (start, end, severities[severity], categories[category], source)
                for start, end, severity, category, source in spans
            ]
            for place, rater, spans in errors["of"][segment]
        }

    assert told(0) == {
        ("ash", "mqm.rater1"): [
            (0, 3, "major", "accuracy/<omission>", 0),
            (4, 90, "minor", "fluency", 0),
        ],
        (page_run.SYSTEMS[2], "mqm.rater2"): [(4, 90, "minor", "fluency", 0)],
    }
    assert told(1) == {
        ("ash", "mqm.rater1"): [(0, 6, "minor", "", 1)],
        ("ash", "mqm.rater2"): [],
    }
    assert told(2) == {}
    assert segments_of(other(files, {"ratings.json": Missing("none")}))["errors"] is None


def test_references_are_in_pieces_with_the_difficulty_of_their_tokens(files):
    page, found = segments_of(files), files.read("evalset.json")
    tokens = page["tokens_of"]
    assert (tokens["name"], tokens["difficulty"]) == ("tiny", "token_dissimilarity")
    similarity = files.read("matches/tiny.npz")["reference_similarity"]
    expected, place = 100 * (1 - similarity.mean(axis=0)), 0
    for text, pieces in zip(found.reference, tokens["of"], strict=True):
        assert sum(pieces[::2]) == len(text)
        own = [value for value in pieces[1::2] if value is not None]
        assert own == pytest.approx(expected[place : place + len(own)], abs=0.51)
        place += len(own)
    assert place == len(expected)
    assert tokens["hard"] == pytest.approx(np.quantile(expected, 0.9), abs=0.51)


def test_without_texts_the_reason_stands_for_the_segments(files):
    page = segments_of(files, texts_missing="only scores are stored", reference=[], source=[])
    assert page == {"reason": "only scores are stored"}


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


def test_the_segment_explains_the_entropy_by_the_sum_over_its_chunks(files):
    found = files.read("evalset.json")
    shown = segments.explain(found, files, list(page_run.DIFFICULTIES))
    assert shown["difficulty"] == "chunk_entropy"
    many, few = shown["hypotheses"]
    assert many["sum"] > few["sum"]
    for one in (many, few):
        text = "".join(piece for piece, _ in one["pieces"])
        place = found.systems.index(one["system"])
        assert text == found.hypotheses[place][shown["segment"] - 1]
        # By the definition, from the words in each chunk of the text.
        words = Counter({chunk: len(piece.split()) for piece, chunk in one["pieces"] if chunk >= 0})
        total = words.total()
        expected = -sum(n / total * math.log10(n / total) for n in words.values())
        assert sum(one["terms"]) == pytest.approx(expected, abs=1e-5)
        assert one["sum"] == pytest.approx(expected, abs=1e-5)
    # No other short segment has hypotheses further apart.
    entropy = files.read("difficulty/chunk_entropy.npz")["difficulty"]
    spread = entropy.max(axis=0) - entropy.min(axis=0)
    assert spread[shown["segment"] - 1] == pytest.approx(spread.max())
    # Without texts or chunks there is none.
    bare = type(found)(**{**vars(found), "source": []})
    assert segments.explain(bare, files, ["chunk_entropy"]) is None
    assert segments.explain(found, files, ["length"]) is None
