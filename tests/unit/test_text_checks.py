"""Doubts about files of translations: found where they are made, and nowhere in WMT's outputs."""

import re
import subprocess
import sys
from unicodedata import normalize

import numpy as np
import pytest
from sacrebleu.metrics import BLEU

from mt_difficulty.data.line_order import listed_lines
from mt_difficulty.data.line_places import check_places
from mt_difficulty.data.own_files import read_own_files
from mt_difficulty.data.text_checks import check_texts
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


def test_a_missing_line_is_found_where_it_is_missing(texts):
    hypotheses, *others = texts
    lines = hypotheses["elm"]
    hypotheses["elm"] = [*lines[:100], *lines[101:], "Ende"]
    (said,) = check_texts(hypotheses, *others)
    assert said.startswith("elm: lines 101 to 299 overlap more (")
    assert "with lines 102 to 300 of the reference" in said
    assert said.endswith(
        "Probably 1 line is missing before line 101: compare the texts there and correct the file."
    )


def test_inserted_lines_are_found_up_to_where_others_are_missing(texts):
    hypotheses, *others = texts
    lines = hypotheses["oak"]
    hypotheses["oak"] = [*lines[:50], "neu", "neu", *lines[50:200], *lines[202:]]
    (said,) = check_texts(hypotheses, *others)
    assert said.startswith("oak: lines 51 to 202 overlap more (")
    assert "Probably 2 lines are inserted before line 51" in said


def test_one_shifted_line_more_or_less_is_no_shift(texts):
    hypotheses, *others = texts
    lines = hypotheses["oak"]
    hypotheses["oak"] = [*lines[:50], lines[51], lines[50], lines[51], *lines[53:]]
    assert check_texts(hypotheses, *others) == []


def test_the_reference_is_to_blame_where_all_files_disagree_with_it(texts):
    hypotheses, reference, source = texts
    broken = [*reference[:100], "neu", *reference[100:-1]]
    (said,) = check_texts(hypotheses, broken, source, name="ref.txt")
    assert said.startswith(
        "ref.txt: 3 of 3 outputs fit other lines of it: lines 101 to 299 overlap more ("
    )
    assert "with lines 102 to 300 of ref.txt. Probably 1 line is inserted before line 101" in said
    one = {"ash": hypotheses["ash"]}
    assert check_places(one, broken)[0].startswith("ash: lines 101 to 299 overlap more (")


def test_swapped_blocks_are_found_with_the_lines_where_they_belong(texts):
    hypotheses, *others = texts
    lines = hypotheses["elm"]
    hypotheses["elm"] = [*lines[:20], *lines[200:250], *lines[70:200], *lines[20:70], *lines[250:]]
    first, second = check_texts(hypotheses, *others)
    assert first.startswith("elm: lines 21 to 70 overlap more (")
    assert "with lines 201 to 250 of the reference" in first
    assert second.startswith("elm: lines 201 to 250 overlap more (")
    assert "with lines 21 to 70 of the reference" in second


def test_lines_that_are_shuffled_among_themselves_are_found(texts):
    hypotheses, *others = texts
    lines = list(hypotheses["oak"])
    for line in range(30):
        hypotheses["oak"][100 + line] = lines[100 + 7 * line % 30]
    (said,) = check_texts(hypotheses, *others)
    assert said.startswith("oak: lines 102 to ")
    assert "with other lines of the reference (as 102 with 108, " in said


DAMAGE = {
    "a missing value": lambda line, number: "NaN" if number % 50 == 7 else line,
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


def test_a_text_in_another_unicode_normalisation_is_named_with_the_difference(texts):
    _, reference, source = texts
    rng = np.random.default_rng(5)
    reference = [line.replace("und", "führt").replace("Regen", "Rübe") for line in reference]
    systems = {name: noisy(reference, rng) for name in SYSTEMS}
    assert check_texts(systems, reference, source) == []
    systems["elm"] = [normalize("NFD", line) for line in systems["elm"]]
    (said,) = check_texts(systems, reference, source, "ref.txt")
    assert "of ref.txt and elm (lines " in said
    found = re.search(r"BLEU of elm is ([\d.]+) instead of ([\d.]+), chrF ([\d.]+) instead", said)
    bleu, mixed = float(found[1]), float(found[2])
    composed = [normalize("NFC", line) for line in systems["elm"]]
    assert bleu == pytest.approx(BLEU().corpus_score(composed, [reference]).score, abs=0.05)
    assert bleu > mixed + 3


def test_a_reference_in_another_order_of_documents_is_found(texts):
    hypotheses, reference, _ = texts
    documents = [f"d{number}" for number in np.random.default_rng(4).permutation(30).repeat(10)]
    order = sorted(range(300), key=documents.__getitem__)
    # The reference follows the documents' names; the hypotheses follow `documents`.
    moved = {name: [lines[line] for line in order] for name, lines in hypotheses.items()}
    (said,) = check_places(moved, reference, "refA", documents)
    assert said.startswith("refA: 3 of 3 outputs fit other lines of it: all lines overlap more (")
    assert "ordered as documents" in said
    (said,) = check_places({"oak": moved["oak"]}, reference, "refA", documents)
    assert said.startswith("oak: all lines overlap more (")


def test_lines_in_no_known_order_are_found(texts):
    hypotheses, reference, _ = texts
    order = np.random.default_rng(3).permutation(300)
    moved = {name: [lines[line] for line in order] for name, lines in hypotheses.items()}
    (said,) = check_places(moved, reference, "refA")
    assert said.startswith(
        "refA: 3 of 3 outputs fit other lines of it: its lines overlap with their"
    )
    (said,) = check_places({"oak": moved["oak"]}, reference)
    assert said.startswith("oak: its lines overlap with their own line of the reference no more (")


def test_empty_lines_are_listed(texts):
    hypotheses, reference, source = texts
    for line in (3, 4, 5, 9):
        hypotheses["ash"][line] = " "
    (said,) = check_texts(hypotheses, reference, source)
    assert said.startswith("ash: lines 4 to 6, 10: empty, and scored as such.")
    for line in (3, 4, 5, 9):
        reference[line] = ""
    assert check_texts(hypotheses, reference, source) == []


def test_copies_are_found(texts):
    hypotheses, reference, source = texts
    files = {"ash": hypotheses["ash"], "elm": list(reference), "oak": hypotheses["ash"]}
    assert check_texts(files, reference, source, name="ref.txt") == [
        "elm: the same text as ref.txt. A reference is no system's output: remove it.",
        "ash: the same text as oak. Remove one of them, or take the right file.",
    ]


def test_copies_of_many_lines_in_a_row_are_found(texts):
    hypotheses, reference, source = texts
    hypotheses["elm"][100:130] = reference[100:130]
    hypotheses["oak"][10:150] = hypotheses["ash"][10:150]
    assert check_texts(hypotheses, reference, source) == [
        "elm: 37 of 300 lines are those of the reference, as lines 101 to 130. Look whether the "
        "reference was mixed into the file.",
        "ash: lines 11 to 150 are the same as in oak. Look whether one file was written over the "
        "other there.",
    ]
    hypotheses["oak"][30] = "ein anderer Satz"  # 20 and 119 lines
    hypotheses["oak"][100] = "ein anderer Satz"
    assert len(check_texts(hypotheses, reference, source)) == 1


def test_one_line_again_and_again_is_found(texts):
    hypotheses, reference, source = texts
    hypotheses["ash"][20:24] = [hypotheses["ash"][20]] * 4
    assert check_texts(hypotheses, reference, source) == [
        "ash: lines 21 to 24: the same line each time, while the reference's differ. Look whether "
        "translations were lost there."
    ]


def test_untranslated_lines_are_found(texts):
    hypotheses, reference, source = texts
    hypotheses["elm"][40:46] = source[40:46]
    found = check_texts(hypotheses, reference, source)
    assert found[0] == (
        "elm: lines 41 to 46: the source itself, not translated (6 of 300 lines). Take the "
        "translation, or leave the system out."
    )
    assert check_texts({"elm": hypotheses["elm"]}, source, source)[0].startswith("elm: its lines")


def test_a_stretch_in_the_language_of_the_source_is_found(texts):
    hypotheses, reference, source = texts
    other = sentences(ENGLISH, np.random.default_rng(99))
    hypotheses["elm"][40:60] = other[40:60]
    (said,) = check_texts(hypotheses, reference, source)
    assert said.startswith("elm: lines 41 to")
    assert "the frequent words are the source's, not those of the reference" in said


def test_a_file_in_another_language_is_found(texts):
    hypotheses, reference, source = texts
    hypotheses["oak"] = sentences(ENGLISH, np.random.default_rng(99))
    found = check_texts(hypotheses, reference, source)
    assert any(said.startswith("oak: its lines overlap with their own line of") for said in found)
    assert any("probably it is in another language" in said for said in found)


def test_lines_in_another_script_are_found(texts):
    hypotheses, reference, source = texts
    russian = "Вчера весь день шёл дождь, и никто не вышел."
    for line in (7, 8, 9, 10, 30):
        hypotheses["ash"][line] = f"{russian} {line}"
    (said,) = check_texts(hypotheses, reference, source, name="ref.txt")
    assert said == (
        "ash: lines 8 to 11, 31: Cyrillic letters, while ref.txt is written in Latin ones. Take "
        "the output in the right language and script."
    )
    hypotheses["ash"][30] = hypotheses["elm"][30]  # four may be names and quotations
    assert check_texts(hypotheses, reference, source) == []


def test_chinese_is_read_by_its_characters():
    """A reference that was split into tokens has the language of hypotheses that were not."""
    rng = np.random.default_rng(2)
    characters = [chr(0x4E00 + number) for number in range(150)]
    lines = ["".join(rng.choice(characters, 25)) for _ in range(100)]
    assert check_texts({"ash": lines}, [" ".join(line) for line in lines]) == []
    english = sentences(ENGLISH, rng, 100)
    found = check_texts({"ash": english}, lines)
    assert any(
        "Latin letters, while the reference is written in Cjk ones" in said for said in found
    )


def test_without_a_reference_nothing_is_compared_with_it(texts):
    hypotheses, reference, source = texts
    nothing = [""] * len(reference)
    assert check_texts(hypotheses, nothing, source) == []
    hypotheses["elm"] = hypotheses["ash"]
    assert check_texts(hypotheses, nothing, source)[0].startswith("ash: the same text as elm.")


def test_lines_are_listed_by_their_numbers():
    assert listed_lines([0]) == "line 1"
    assert listed_lines([0, 1, 2, 4, 1000]) == "lines 1 to 3, 5, 1,001"
    assert listed_lines(range(0, 20, 2)) == "lines 1, 3, 5, 7, 9 and 5 more places"


def test_own_files_and_the_command_line_say_so(texts, tmp_path):
    hypotheses, reference, source = texts
    hypotheses["elm"] = [*hypotheses["elm"][:100], *hypotheses["elm"][101:], "Ende"]
    for name, lines in {"source.txt": source, "reference.txt": reference}.items():
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    (tmp_path / "systems").mkdir()
    for name, lines in hypotheses.items():
        (tmp_path / f"systems/{name}.txt").write_text("\n".join(lines) + "\n")
    (said,) = read_own_files(tmp_path, "mine", "en-de").text_doubts
    assert said.startswith("systems/elm.txt: lines 101 to 299 overlap more (")
    files = [tmp_path / f"systems/{name}.txt" for name in SYSTEMS]
    for command in ("score", "hard"):
        call = [sys.executable, "-m", "mt_difficulty", command, "--ref", tmp_path / "reference.txt"]
        done = subprocess.run(
            [*call, "--lang", "de", "--hyp", *files], capture_output=True, text=True, check=True
        )
        told = " ".join(done.stderr.split())
        assert "elm: lines 101 to 299 overlap more (" in told
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
    (said,) = check_places(hypotheses, reference, "arp")
    assert said.startswith(
        "arp: 3 of 3 outputs fit other lines of it: lines 1,797 to 1,806 overlap more ("
    )
