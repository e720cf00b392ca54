"""The demo campaign: reproducible, well-formed, and hard where its truth says so."""

import importlib.util
import json
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "data" / "demo"
ARCHIVE = DEMO / "archive" / "demo"
PAIRS = ("en-de", "en-zh")
SEGMENTS = 260


def read(path):
    return (ARCHIVE / path).read_text(encoding="utf-8").split("\n")[:-1]


def truth_of(pair):
    return json.loads((DEMO / "truth" / f"{pair}.json").read_text(encoding="utf-8"))


def split(text, pair):
    return list(text) if pair == "en-zh" else text.split()


def outputs(pair):
    return {
        system: read(f"system-outputs/{pair}/{system}.txt") for system in truth_of(pair)["quality"]
    }


def hard_tokens(pair):
    """All (segment, token) that few systems should have."""
    found = truth_of(pair)["hard_tokens"]
    return [(int(i), token) for i, tokens in found.items() for _, token in tokens]


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("generate_demo", DEMO / "generate.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generating_gives_the_committed_bytes(generator, tmp_path):
    generator.generate(tmp_path)
    for name in ("archive", "estimates", "truth"):
        made, committed = (
            {p.relative_to(top): p.read_bytes() for p in (top / name).rglob("*") if p.is_file()}
            for top in (tmp_path, DEMO)
        )
        assert made.keys() == committed.keys()
        assert [str(path) for path in made if made[path] != committed[path]] == []


@pytest.mark.parametrize("pair", PAIRS)
def test_scores_cover_all_segments_and_average_to_the_system_score(pair):
    unrated = []
    for stem in (f"human-scores/{pair}.mqm", f"metric-scores/{pair}/Oracle-noisy-refA"):
        segment = {}
        for line in read(f"{stem}.seg.score"):
            system, score = line.split("\t")
            segment.setdefault(system, []).append(score)
        system_scores = dict(line.split("\t") for line in read(f"{stem}.sys.score"))
        assert segment.keys() == system_scores.keys() >= truth_of(pair)["quality"].keys()
        for system, scores in segment.items():
            assert len(scores) == SEGMENTS
            if system_scores[system] == "None":
                assert set(scores) == {"None"}
                unrated.append(system)
            else:
                mean = sum(map(float, scores)) / SEGMENTS
                assert float(system_scores[system]) == pytest.approx(mean, abs=1e-6)
    assert len(unrated) == (pair == "en-zh")


@pytest.mark.parametrize("pair", PAIRS)
def test_hard_tokens_stand_where_the_truth_says(pair):
    reference, known = read(f"references/{pair}.refA.txt"), truth_of(pair)
    assert known["hard_segments"] == [int(i) for i in known["hard_tokens"]]
    for i, tokens in known["hard_tokens"].items():
        assert len(tokens) >= 5
        for place, token in tokens:
            assert split(reference[int(i)], pair)[place] == token


@pytest.mark.parametrize("pair", PAIRS)
def test_better_systems_get_more_hard_tokens_and_few_get_most(pair):
    hypotheses, quality, hard = outputs(pair), truth_of(pair)["quality"], hard_tokens(pair)
    ranked = sorted(quality, key=quality.get)
    share = [
        sum(token in split(hypotheses[system][i], pair) for i, token in hard) / len(hard)
        for system in ranked
    ]
    assert share == pytest.approx(sorted(share), abs=0.02)
    assert share[-1] > 0.6
    assert share[0] < 0.1
    assert sum(share) / len(share) < 0.5


@pytest.mark.parametrize("pair", PAIRS)
def test_easy_segments_do_not_tell_systems_apart(pair):
    """Unlike in hard segments, the best miss no fewer reference tokens than the worst."""
    reference, hypotheses, known = (
        read(f"references/{pair}.refA.txt"),
        outputs(pair),
        truth_of(pair),
    )
    ranked = sorted(known["quality"], key=known["quality"].get)

    def matched(system, segments):
        tokens = [(i, token) for i in segments for token in split(reference[i], pair)]
        found = sum(token in split(hypotheses[system][i], pair) for i, token in tokens)
        return found / len(tokens)

    hard = known["hard_segments"]
    easy = sorted(set(range(SEGMENTS)) - set(hard))
    assert abs(matched(ranked[-1], easy) - matched(ranked[0], easy)) < 0.03
    assert matched(ranked[-1], hard) - matched(ranked[0], hard) > 0.3
