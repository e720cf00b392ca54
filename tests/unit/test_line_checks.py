"""Lines that do not fit: every kind of damage is named, and WMT's outputs raise few warnings."""

import itertools

import numpy as np
import pytest

from mt_difficulty.data.line_checks import line_warnings
from mt_difficulty.data.line_fit import LineFit
from mt_difficulty.data.stretches import best_stretch, likely_stretch, listed_lines
from mt_difficulty.data.text_files import read_lines

SYSTEMS = ("ash", "elm", "oak")
FREQUENT = "der die das und in zu den mit von für auf ist im dem nicht ein über auch es".split()
STEMS = "Haus Regen Katze Fluß Berg Sonne Morgen Wasser Stadt Länder Wagen Gärten Winter".split()


def sentences(rng, count=300):
    """Sentences of frequent words and of rare ones that begin with a letter and a number."""
    lines = []
    for _ in range(count):
        words = [
            str(rng.choice(FREQUENT))
            if rng.random() < 0.5
            else f"{chr(rng.integers(65, 91))}{rng.integers(99)}{rng.choice(STEMS)}"
            for _ in range(rng.integers(6, 20))
        ]
        lines.append(written(words))
    return lines


def written(words):
    """Words as a sentence, with a capital and a full stop."""
    sentence = " ".join(words)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def translated(lines, rng, share=0.3):
    """Lines of which some words are others."""
    return [
        written(
            str(rng.choice(FREQUENT)) if rng.random() < share else word
            for word in line.rstrip(".").split()
        )
        for line in lines
    ]


@pytest.fixture(scope="module")
def texts():
    """Hypotheses of three systems and their reference, without a fault."""
    rng = np.random.default_rng(7)
    reference = sentences(rng)
    return {name: translated(reference, rng) for name in SYSTEMS}, reference


def warnings(hypotheses, reference):
    return line_warnings(LineFit(hypotheses, reference), "ref.txt")


def exchanged(lines, first, second, count):
    """Lines with two blocks in each other's place."""
    lines = list(lines)
    blocks = slice(first, first + count), slice(second, second + count)
    lines[blocks[0]], lines[blocks[1]] = lines[blocks[1]], lines[blocks[0]]
    return lines


def changed(lines, change, first=100, last=140):
    """Lines of which a stretch is changed."""
    return [change(line) if first <= at < last else line for at, line in enumerate(lines)]


def shuffled(lines):
    order = np.random.default_rng(3).permutation(len(lines))
    return [lines[at] for at in order]


def test_texts_without_a_fault_raise_no_warning(texts):
    hypotheses, reference = texts
    assert warnings(hypotheses, reference) == []
    assert warnings({"ash": hypotheses["ash"]}, reference) == []


DAMAGES = {
    "a line is missing": (
        lambda lines: [*lines[:100], *lines[101:], "Ende"],
        ["stand 1 line further on", "lacks a line before line 101"],
    ),
    "lines are inserted": (
        lambda lines: [*lines[:50], "neu", "neu", *lines[50:-2]],
        ["stand 2 lines before", "or has one more"],
    ),
    "two blocks are exchanged": (
        lambda lines: exchanged(lines, 40, 200, 30),
        ["line 41 fits line 201", "wrong order"],
    ),
    "another order": (shuffled, ["wrong order"]),
    "a line is repeated": (
        lambda lines: [*lines[:100], *[lines[99]] * 30, *lines[130:]],
        ["have the same text", "to 130"],
    ),
    "cut lines": (
        lambda lines: changed(lines, lambda line: line[: len(line) // 2]),
        ["cut off", "Take whole lines"],
    ),
    "lower case": (
        lambda lines: changed(lines, str.lower),
        ["no capital letters", "lines 101 to "],
    ),
    "upper case": (lambda lines: changed(lines, str.upper), ["no small letters"]),
    "every word in capitals": (
        lambda lines: changed(lines, lambda line: line.title()),
        ["no small letters at the beginning of words"],
    ),
    "no spaces": (
        lambda lines: changed(lines, lambda line: line.replace(" ", "")),
        ["no spaces, which ref.txt"],
    ),
    "lost umlauts": (
        lambda lines: [line.encode("ascii", "ignore").decode() for line in lines],
        ["no accented letters", "UTF-8"],
    ),
    "tags": (lambda lines: [f"<v>{line}</v>" for line in lines], ["`<v>`", "no translation"]),
    "what a model says first": (
        lambda lines: [f"Translation: {line}" for line in lines],
        ["`Translation:", "no translation"],
    ),
    "what a model says last": (lambda lines: [f"{line} (German)" for line in lines], ["(German)"]),
    "line numbers": (
        lambda lines: [f"{number}. {line}" for number, line in enumerate(lines, 1)],
        ["line numbers. Remove them."],
    ),
    "strings of JSON": (lambda lines: [f'"{line}"' for line in lines], ["quotes around the line"]),
    "tokens": (
        lambda lines: [line.replace(".", " .") for line in lines],
        ["the text is split into tokens"],
    ),
}


@pytest.mark.parametrize("kind", DAMAGES)
@pytest.mark.parametrize("others", [True, False])
def test_a_damaged_output_is_named_with_what_to_do(texts, kind, others):
    hypotheses, reference = texts
    damage, parts = DAMAGES[kind]
    damaged = {"elm": damage(hypotheses["elm"])}
    (warning,) = warnings((hypotheses if others else {}) | damaged, reference)
    assert warning.startswith("elm: ")
    assert [part for part in parts if part not in warning] == [], warning


@pytest.mark.parametrize("others", [True, False])
def test_another_text_is_named(texts, others):
    hypotheses, reference = texts
    other = {"elm": sentences(np.random.default_rng(99))}
    found = warnings((hypotheses if others else {}) | other, reference)
    assert len(found) == 1
    assert found[0].startswith("elm: ")
    assert ": another text" in found[0]


def test_the_overlap_that_damage_costs_is_named(texts):
    hypotheses, reference = texts
    fit = LineFit(hypotheses | {"elm": exchanged(hypotheses["elm"], 40, 200, 30)}, reference)
    (warning,) = line_warnings(fit, "ref.txt")
    lines = np.flatnonzero(fit.misfits[1])
    assert len(set(lines) & {*range(40, 70), *range(200, 230)}) > 50
    own, others = fit.overlaps[1, lines].mean(), fit.expected[1, lines].mean()
    assert own < others / 2
    assert f"is {own:.0%}, that of other systems' same lines {others:.0%}" in warning


@pytest.mark.parametrize("kind", ["a line is missing", "lines are inserted"])
def test_the_reference_is_blamed_where_all_outputs_agree(texts, kind):
    hypotheses, reference = texts
    move, parts = DAMAGES[kind]
    (warning,) = warnings({name: move(text) for name, text in hypotheses.items()}, reference)
    assert warning.startswith("ref.txt: the outputs of 3 systems agree on lines ")
    assert [part for part in parts if part not in warning] == [], warning


def test_another_reference_is_named(texts):
    hypotheses, reference = texts
    (warning,) = warnings(hypotheses, shuffled(reference))
    assert warning.startswith("ref.txt: ")
    assert "no more than with others" in warning


def test_outputs_that_lack_what_the_reference_has_are_one_warning(texts):
    hypotheses, reference = texts
    lower = {name: [*map(str.lower, lines)] for name, lines in hypotheses.items()}
    (warning,) = warnings(lower, reference)
    assert "ref.txt has capital letters, and most outputs have none" in warning


def test_damage_that_was_named_is_not_named_again(texts):
    hypotheses, reference = texts
    marked = hypotheses | {"elm": [line.replace("a", "a@@ ") for line in hypotheses["elm"]]}
    fit = LineFit(marked, reference)
    assert len(line_warnings(fit, "ref.txt")) == 1
    assert line_warnings(fit, "ref.txt", {"elm"}) == []


def test_few_lines_are_not_compared():
    assert warnings({"ash": ["Ein Haus."]}, ["Ein Haus."]) == []


def test_lines_of_a_text_written_without_spaces_are_compared_by_characters():
    rng = np.random.default_rng(2)
    characters = [chr(0x4E00 + number) for number in range(900)]
    reference = ["".join(rng.choice(characters, 25)) for _ in range(100)]
    hypotheses = {
        name: [
            "".join(rng.choice(characters) if rng.random() < 0.3 else sign for sign in line)
            for line in reference
        ]
        for name in SYSTEMS
    }
    assert warnings(hypotheses, reference) == []
    # A reference that was split into tokens is as good.
    assert warnings(hypotheses, [" ".join(line) for line in reference]) == []
    moved = hypotheses | {"elm": exchanged(hypotheses["elm"], 10, 60, 20)}
    (warning,) = warnings(moved, reference)
    assert "line 11 fits line 61" in warning


# Stretches


def test_a_stretch_is_that_of_the_largest_sum():
    rng = np.random.default_rng(1)
    for _ in range(50):
        gains = rng.normal(size=12)
        ranges = itertools.combinations(range(13), 2)
        best = max(gains[first:end].sum() for first, end in ranges)
        gain, first, end = best_stretch(gains)
        assert gain == pytest.approx(max(best, 0)), gains
        assert gains[first:end].sum() == pytest.approx(gain), gains
    assert best_stretch(np.array([-1.0, -2.0])) == (0, 0, 0)


def test_flags_by_chance_make_no_stretch():
    rng = np.random.default_rng(4)
    found = [len(likely_stretch(rng.random(2000) < 0.05)) for _ in range(300)]
    assert np.mean(np.array(found) > 0) <= 0.01
    flags = rng.random(2000) < 0.02
    flags[700:720] = True
    assert set(range(700, 720)) <= set(likely_stretch(flags).tolist())


def test_lines_are_listed_by_their_numbers():
    assert listed_lines([2]) == "line 3"
    assert listed_lines([2, 6, 7, 8]) == "lines 3, 7 to 9"
    assert listed_lines([*range(0, 20, 2)]) == "lines 1, 3, 5, 7, 9 and 5 more places"
    assert listed_lines([1200, 1202], most=1) == "lines 1,201 and 1 more place"


def test_a_line_of_a_reference_of_wmt_is_broken_in_two(excerpt):
    """Line 1,796 of the additional reference `arp` of WMT19 En-De."""
    campaign = excerpt / "wmt19"
    outputs = sorted((campaign / "system-outputs/en-de").glob("*.txt"))[:3]
    hypotheses = {path.stem: read_lines(path) for path in outputs}
    warned = warnings(hypotheses, read_lines(campaign / "references/en-de.arp.txt"))
    (warning,) = [text for text in warned if text.startswith("ref.txt")]
    assert "lacks a line before line 1,797" in warning


def test_numbers_of_any_length_begin_a_line():
    lines = [f"{'9' * 5000} ist eine Zahl.", *(f"Haus {n} ist rot." for n in range(40))]
    assert line_warnings(LineFit({"oak": lines}, lines), "ref.txt") == []


REFERENCE_DAMAGES = {
    "tags": (lambda line: f"<v>{line}</v>", "`<v>`, which the outputs lack"),
    "quotes": (lambda line: f'"{line}"', "quotes around the line"),
    "what a model says last": (lambda line: f"{line} </s>", "`</s>`, which the outputs lack"),
}


@pytest.mark.parametrize("kind", REFERENCE_DAMAGES)
def test_a_damaged_reference_is_named(texts, kind):
    hypotheses, reference = texts
    damage, part = REFERENCE_DAMAGES[kind]
    (warning,) = warnings(hypotheses, [*map(damage, reference)])
    assert warning.startswith("ref.txt: ")
    assert part in warning


@pytest.mark.parametrize("mark", ["<v>{}</v>", "Translation: {}", "„{}“", "- {}"])
def test_a_mark_on_every_line_of_all_systems_is_named_for_each(texts, mark):
    hypotheses, reference = texts
    marked = {name: [mark.format(line) for line in lines] for name, lines in hypotheses.items()}
    found = warnings(marked, reference)
    assert [warning.split(":")[0] for warning in found] == [*SYSTEMS]


def test_a_mark_before_text_without_spaces_is_named():
    rng = np.random.default_rng(3)
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 400)]
    reference = ["".join(rng.choice(characters, 30)) + "。" for _ in range(60)]
    [warning] = line_warnings(LineFit({"oak": [f"翻译：{x}" for x in reference]}, reference), "ref")
    assert "`翻译：" in warning


def test_names_written_with_a_dot_are_no_marks():
    """Chinese writes foreign names with a dot that some translators leave out; a sign is quoted
    alone where it stands in a long line without spaces."""
    rng = np.random.default_rng(3)
    characters = [chr(code) for code in range(0x4E00, 0x4E00 + 400)]
    reference = ["".join(rng.choice(characters, 30)) + "。" for _ in range(60)]
    with_dots = [f"{line[:5]}·{line[5:]}" for line in reference]
    assert line_warnings(LineFit({"oak": with_dots}, reference), "ref.txt") == []
    with_stars = [f"{line[:5]}※{line[5:]}" for line in reference]
    [warning] = line_warnings(LineFit({"oak": with_stars}, reference), "ref.txt")
    assert "`※`, which ref.txt lacks" in warning


def test_a_line_is_expected_to_fit_as_those_of_the_other_systems():
    """Dice coefficients of words: 1, 2·2/(3+3) and 0; a median of two is their mean."""
    lines = {"ash": ["eins zwei drei"], "elm": ["eins zwei vier"], "oak": ["fünf sechs acht"]}
    fit = LineFit(lines, ["eins zwei drei"])
    np.testing.assert_allclose(fit.overlaps[:, 0], [1, 2 / 3, 0])
    np.testing.assert_allclose(fit.expected[:, 0], [1 / 3, 1 / 2, 5 / 6])
