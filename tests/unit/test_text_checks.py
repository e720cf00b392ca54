"""Doubts about files of translations: found where they are made, and nowhere in WMT's outputs."""

import itertools
import subprocess
import sys
from unicodedata import normalize

import numpy as np
import pytest
import small_run

from mt_difficulty.data.own_files import read_own_files
from mt_difficulty.data.text_checks import best_stretch, check_texts, listed_lines
from mt_difficulty.data.text_files import read_segments

SYSTEMS = ("ash", "elm", "oak")
GERMAN = (
    "der die das und in zu den mit von für auf ist im dem nicht ein eine als auch es an".split()
)
ENGLISH = "the of and to in a is that for it as was with be by on not he his but at are".split()
STEMS = "Haus Regen Katze Fluss Berg Sonne Morgen Wasser Stadt Land Wagen Garten Winter".split()


def sentences(words, rng, count=300):
    """Sentences of frequent words and of rare ones with a number."""
    return [
        " ".join(
            str(rng.choice(words))
            if rng.random() < 0.5
            else f"{rng.integers(999)}{rng.choice(STEMS)}"
            for _ in range(rng.integers(6, 20))
        )
        for _ in range(count)
    ]


def noisy(lines, rng, share=0.3):
    """Lines of which some words are others."""
    return [
        " ".join(str(rng.choice(GERMAN)) if rng.random() < share else word for word in line.split())
        for line in lines
    ]


@pytest.fixture
def texts():
    """Hypotheses of three systems, reference and source, without a fault."""
    rng = np.random.default_rng(7)
    reference = sentences(GERMAN, rng)
    hypotheses = {name: noisy(reference, rng) for name in SYSTEMS}
    return hypotheses, reference, sentences(ENGLISH, rng)


def test_texts_without_a_fault_are_not_doubted(texts):
    assert check_texts(*texts) == []


MOVED = {
    "missing": (
        lambda lines: [*lines[:100], *lines[101:], "Ende"],
        ["lines 101 to 299 ", "lines 102 to 300 ", "1 line is missing before line 101"],
    ),
    "inserted": (
        lambda lines: [*lines[:50], "neu", "neu", *lines[50:200], *lines[202:]],
        ["lines 51 to 202 ", "lines 49 to 200 ", "2 lines are inserted before line 51"],
    ),
    "another text": (lambda lines: lines[150:][::-1] + lines[:150][::-1], ["order of lines"]),
}


@pytest.mark.parametrize("kind", MOVED)
def test_lines_in_a_wrong_place_are_named(texts, kind):
    hypotheses, reference, source = texts
    move, parts = MOVED[kind]
    (said,) = check_texts(hypotheses | {"elm": move(hypotheses["elm"])}, reference, source)
    assert said.startswith("elm: ")
    assert all(part in said for part in parts)
    # The reference is to blame where most files disagree with it.
    moved = {name: move(lines) for name, lines in hypotheses.items()}
    (said,) = check_texts(moved, reference, source, "ref.txt")
    assert said.startswith("ref.txt: 3 of 3 outputs fit other lines of it: ")


def test_swapped_blocks_are_found_with_the_lines_where_they_belong(texts):
    hypotheses, *others = texts
    lines = hypotheses["elm"]
    hypotheses["elm"] = [*lines[:20], *lines[200:250], *lines[70:200], *lines[20:70], *lines[250:]]
    first, second = sorted(check_texts(hypotheses, *others))
    assert first.startswith("elm: lines 201 to 250 overlap more (")
    assert "with lines 21 to 70 of the reference" in first
    assert second.startswith("elm: lines 21 to 70 overlap more (")
    assert "with lines 201 to 250 of the reference" in second


DAMAGE = {
    "missing values": lambda line, number: "NaN" if number % 50 == 7 else line,
    "UTF-8 that was read": lambda line, _: f"für {line}".encode().decode("cp1252"),
    "HTML entities": lambda line, _: f"&quot;{line}&quot;",
    "marks of subword units": lambda line, _: line.replace("a", "a@@ "),
}


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_in_many_lines_is_found(texts, kind):
    hypotheses, reference, source = texts
    damaged = [DAMAGE[kind](line, number) for number, line in enumerate(hypotheses["elm"])]
    lines = [line for line in range(300) if damaged[line] != hypotheses["elm"][line]]
    (said,) = check_texts(hypotheses | {"elm": damaged}, reference, source)
    assert said.startswith(kind)
    assert f"of elm ({len(lines)}, as `" in said
    assert f": {listed_lines(lines)})" in said
    few = damaged[:3] + hypotheses["elm"][3:]
    assert check_texts(hypotheses | {"elm": few}, reference, source) == []


def test_a_text_in_another_unicode_normalisation_is_named(texts):
    _, reference, source = texts
    rng = np.random.default_rng(5)
    reference = [line.replace("und", "führt").replace("Regen", "Rübe") for line in reference]
    systems = {name: noisy(reference, rng) for name in SYSTEMS}
    assert check_texts(systems, reference, source) == []
    systems["elm"] = [normalize("NFD", line) for line in systems["elm"]]
    (said,) = check_texts(systems, reference, source, "ref.txt")
    assert "of ref.txt and elm (lines " in said


def test_empty_lines_are_listed(texts):
    hypotheses, reference, source = texts
    for line in (3, 4, 5, 9):
        hypotheses["ash"][line] = " "
    (said,) = check_texts(hypotheses, reference, source)
    assert said.startswith("ash: lines 4 to 6, 10: empty")
    for line in (3, 4, 5, 9):
        reference[line] = ""
    assert check_texts(hypotheses, reference, source) == []


def test_copies_are_found(texts):
    hypotheses, reference, source = texts
    files = {"ash": hypotheses["ash"], "elm": list(reference), "oak": hypotheses["ash"]}
    first, second = check_texts(files, reference, source, name="ref.txt")
    assert first.startswith("elm: the same text as ref.txt.")
    assert second.startswith("ash: the same text as oak.")
    nothing = [""] * len(reference)  # without a reference only files are compared
    assert check_texts(hypotheses, nothing, source) == []
    assert check_texts(files, nothing, source) == [second]


def test_copies_of_many_lines_in_a_row_are_found(texts):
    hypotheses, reference, source = texts
    hypotheses["elm"][100:130] = reference[100:130]
    hypotheses["oak"][10:150] = hypotheses["ash"][10:150]
    first, second = check_texts(hypotheses, reference, source)
    assert first.startswith("elm: 37 of 300 lines are those of the reference, as lines 101 to 130.")
    assert second.startswith("ash: lines 11 to 150 are the same as in oak.")
    hypotheses["oak"][30] = "ein anderer Satz"  # 20 and 119 lines
    hypotheses["oak"][100] = "ein anderer Satz"
    assert len(check_texts(hypotheses, reference, source)) == 1


def test_repeated_and_untranslated_lines_are_found(texts):
    hypotheses, reference, source = texts
    hypotheses["ash"][20:24] = [hypotheses["ash"][20]] * 4
    hypotheses["elm"][40:46] = source[40:46]
    again, same, *_ = check_texts(hypotheses, reference, source)
    assert again.startswith("ash: lines 21 to 24: the same line each time")
    assert same.startswith(
        "elm: lines 41 to 46: the source itself, not translated (6 of 300 lines)"
    )


def test_other_languages_are_found(texts):
    hypotheses, reference, source = texts
    english = sentences(ENGLISH, np.random.default_rng(99))
    stretch = [*hypotheses["elm"][:40], *english[40:60], *hypotheses["elm"][60:]]
    (said,) = check_texts(hypotheses | {"elm": stretch}, reference, source)
    assert said.startswith("elm: lines 41 to")
    assert "the frequent words are the source's" in said
    _, said = check_texts(hypotheses | {"oak": english}, reference, source)
    assert said.startswith("oak: ")
    assert "probably it is in another language" in said


def test_lines_in_another_script_are_found(texts):
    hypotheses, reference, source = texts
    russian = "Вчера весь день шёл дождь, и никто не вышел."
    for line in (7, 8, 9, 10, 30):
        hypotheses["ash"][line] = f"{russian} {line}"
    (said,) = check_texts(hypotheses, reference, source, name="ref.txt")
    assert said.startswith("ash: lines 8 to 11, 31: Cyrillic letters, while ref.txt")
    hypotheses["ash"][30] = hypotheses["elm"][30]  # four may be names and quotations
    assert check_texts(hypotheses, reference, source) == []


def test_chinese_is_read_by_its_characters():
    """A reference that was split into tokens has the language of hypotheses that were not."""
    rng = np.random.default_rng(2)
    characters = [chr(0x4E00 + number) for number in range(150)]
    lines = ["".join(rng.choice(characters, 25)) for _ in range(100)]
    assert check_texts({"ash": lines}, [" ".join(line) for line in lines]) == []
    found = check_texts({"ash": sentences(ENGLISH, rng, 100)}, lines)
    assert any("Latin letters, while the reference is written in Cjk" in said for said in found)


def test_a_stretch_is_that_of_the_largest_sum():
    rng = np.random.default_rng(1)
    for _ in range(50):
        gains = rng.normal(size=12)
        ranges = itertools.combinations(range(13), 2)
        best = max(gains[first:end].sum() for first, end in ranges)
        gain, first, end = best_stretch(gains)
        assert gain == pytest.approx(max(best, 0))
        assert gains[first:end].sum() == pytest.approx(gain)
    assert best_stretch(np.array([-1.0, -2.0])) == (0, 0, 0)


def test_own_files_and_the_command_line_say_so(texts, tmp_path):
    hypotheses, reference, source = texts
    hypotheses["elm"] = [*hypotheses["elm"][:100], *hypotheses["elm"][101:], "Ende"]
    small_run.write_own_files(tmp_path, reference, hypotheses, source=source)
    (said,) = read_own_files(tmp_path, "mine", "en-de").text_doubts
    assert said.startswith("systems/elm.txt: lines 101 to 299 overlap more (")
    files = [tmp_path / f"systems/{name}.txt" for name in SYSTEMS]
    for command in ("score", "hard"):
        call = [sys.executable, "-m", "mt_difficulty", command, "--ref", tmp_path / "reference.txt"]
        done = subprocess.run(
            [*call, "--lang", "de", "--hyp", *files], capture_output=True, text=True, check=True
        )
        assert "elm: lines 101 to 299 overlap more (" in " ".join(done.stderr.split())
        assert "elm: lines" not in done.stdout


# Causes that are there: lost or untranslated lines, Latin instead of Cyrillic letters.
# The letters of Livonian are composed in the reference, and not in all outputs.
CAUSES = {
    ("wmt22", "en-liv", "refA"): [
        "accented letters are single characters (Unicode NFC) in one of two texts, and several "
        "(NFD) in the other"
    ],
    ("wmt22", "zh-en", "refA"): ["Online-W"],
    ("wmt24", "en-cs", "refA"): [
        *["CommandR-plus", "CUNI-DocTransformer", "Gemini-1.5-Pro", "Gemini-1.5-Pro"]
    ],
    ("wmt24", "en-zh", "refA"): ["Aya23", "CommandR-plus", "Gemini-1.5-Pro"],
    ("wmt25", "en-sr_Cyrl_RS", "refA"): ["CUNI-SFT"],
}


@pytest.mark.slow
def test_outputs_of_wmt_are_doubted_for_a_cause_only(excerpt, real):
    found, files = {}, 0
    for folder in (*excerpt.glob("*/system-outputs/*"), *real.glob("*/system-outputs/*")):
        campaign, pair = folder.parents[1], folder.name
        source = read_segments(campaign / f"sources/{pair}.txt")
        for path in sorted((campaign / "references").glob(f"{pair}.*.txt"))[:1]:
            name = path.stem.removeprefix(f"{pair}.")
            reference = read_segments(path)
            outputs = {path.stem: read_segments(path) for path in sorted(folder.glob("*.txt"))}
            hypotheses = {
                system: lines
                for system, lines in outputs.items()
                if len(lines) == len(reference) and "ref" not in system
            }
            files += len(hypotheses)
            said = check_texts(hypotheses, reference, source, "reference")
            if said:
                found[campaign.name, pair, name] = sorted(
                    (each.split(":")[0] for each in said), key=str.casefold
                )
    assert found == CAUSES
    assert files > 200


def test_a_line_of_a_reference_of_wmt_is_broken_in_two(excerpt):
    """Line 1,796 of the additional reference `arp` of WMT19 En-De."""
    campaign = excerpt / "wmt19"
    outputs = sorted((campaign / "system-outputs/en-de").glob("*.txt"))[:3]
    reference = read_segments(campaign / "references/en-de.arp.txt")
    hypotheses = {path.stem: read_segments(path) for path in outputs}
    (said,) = check_texts(hypotheses, reference, name="arp", thorough=False)
    assert said.startswith("arp: 3 of 3 outputs fit other lines of it: lines 1,797 to 1,806 ")
