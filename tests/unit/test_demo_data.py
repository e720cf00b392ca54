"""The demo campaign: reproducible, and hard where its truth says so."""

import importlib.util
import json
from pathlib import Path

import pytest

import mt_difficulty as md

DEMO = Path(__file__).parents[2] / "data" / "demo"
SEGMENTS = 260


def test_generating_gives_the_committed_bytes(tmp_path):
    spec = importlib.util.spec_from_file_location("generate_demo", DEMO / "generate.py")
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    generator.generate(tmp_path)
    for name in ("archive", "estimates", "truth"):
        generated, committed = (
            {p.relative_to(top): p.read_bytes() for p in (top / name).rglob("*") if p.is_file()}
            for top in (tmp_path, DEMO)
        )
        assert generated.keys() == committed.keys(), name
        assert [str(path) for path in generated if generated[path] != committed[path]] == []


@pytest.mark.parametrize("pair", ["en-de", "en-zh"])
def test_hard_tokens_tell_systems_apart_and_easy_segments_do_not(pair):
    def words(file):
        lines = (DEMO / "archive/demo" / file).read_text(encoding="utf-8").splitlines()
        return [list(line) if pair == "en-zh" else line.split() for line in lines]

    truth = json.loads((DEMO / f"truth/{pair}.json").read_text(encoding="utf-8"))
    reference, quality = words(f"references/{pair}.refA.txt"), truth["quality"]
    systems = sorted(quality, key=quality.get)
    hypotheses = {system: words(f"system-outputs/{pair}/{system}.txt") for system in systems}
    hard = {int(i): tokens for i, tokens in truth["hard_tokens"].items()}
    assert truth["hard_segments"] == list(hard)
    for i, tokens in hard.items():
        assert len(tokens) >= 5, f"segment {i}"
        places, expected = zip(*tokens, strict=True)
        assert [reference[i][place] for place in places] == [*expected], f"segment {i}"

    def share(system, tokens):
        """Reference tokens, (segment, token), that the system's hypotheses have."""
        return sum(token in hypotheses[system][i] for i, token in tokens) / len(tokens)

    # Better systems get more hard tokens, and few get most of them.
    tokens = [(i, token) for i in hard for _, token in hard[i]]
    shares = [share(system, tokens) for system in systems]
    assert shares == pytest.approx(sorted(shares), abs=0.02)
    assert shares[0] < 0.1
    assert shares[-1] > 0.6
    assert sum(shares) / len(shares) < 0.5

    # Unlike in hard segments, in easy ones the best miss no fewer tokens than the worst.
    def gap(segments):
        tokens = [(i, token) for i in segments for token in reference[i]]
        return share(systems[-1], tokens) - share(systems[0], tokens)

    assert 0.3 < gap(set(hard)) < 1
    assert -0.03 < gap({*range(SEGMENTS)} - {*hard}) < 0.03


@pytest.mark.parametrize("pair", ["en-de", "en-zh"])
def test_length_finds_every_hard_segment_and_chunk_entropy_all_but_one(pair):
    """As data/demo/README.md says."""
    hard = json.loads((DEMO / f"truth/{pair}.json").read_text(encoding="utf-8"))["hard_segments"]
    demo = md.load_set("demo", pair, DEMO / "archive")
    language = pair.split("-")[1]
    entropy = md.estimate_difficulty(demo.hypotheses, demo.texts.reference, lang=language)
    values = {"length": demo.texts.source.str.len(), "entropy": entropy.mean(axis=1)}
    # The index counts segments from 1.
    wanted = {number + 1 for number in hard}
    found = {
        name: len(wanted & {*of_segments.nlargest(len(hard)).index})
        for name, of_segments in values.items()
    }
    assert found == {"length": 26, "entropy": 25}
    text = (DEMO / "README.md").read_text(encoding="utf-8")
    assert "The 26 longest segments are the 26 difficult ones" in text
    assert "of the 26 segments of highest chunk entropy 25 are difficult" in text
