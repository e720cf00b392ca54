import pytest
from hypothesis import given
from hypothesis import strategies as st

from mt_difficulty.language import default_units, target_language, tokenize


@pytest.mark.parametrize(
    ("pair", "language"),
    [("en-de", "de"), ("zh-en", "en"), ("de-fr", "fr"), ("en-yue", "yue"), ("en-zh_CN", "zh")],
)
def test_the_target_language_is_the_second_of_the_pair(pair, language):
    assert target_language(pair) == language


@pytest.mark.parametrize("language", ["zh", "ja", "th", "km", "lo", "my", "bo", "yue"])
def test_targets_without_spaces_are_split_into_characters(language):
    assert default_units(f"en-{language}") == "characters"
    assert default_units(f"{language}-en") == "words"


@pytest.mark.parametrize("pair", ["en-de", "en-ko", "en-vi", "zh-en", "ja-zha"])
def test_other_targets_are_split_into_words(pair):
    assert default_units(pair) == "words"


@pytest.mark.parametrize(
    ("segment", "words", "characters"),
    [
        ("", [], []),
        (" \t\u3000\u00a0", [], []),
        ("a bc", ["a", "bc"], ["a", "b", "c"]),
        (" a\tb\u00a0c\u2028d ", ["a", "b", "c", "d"], ["a", "b", "c", "d"]),
        ("他喜欢\u3000猫。", ["他喜欢", "猫。"], ["他", "喜", "欢", "猫", "。"]),
        ("x𠮷y", ["x𠮷y"], ["x", "𠮷", "y"]),
        ("a\u200bb", ["a\u200bb"], ["a", "\u200b", "b"]),
    ],
    ids=["empty", "only space", "latin", "odd spaces", "chinese", "beyond the BMP", "zero width"],
)
def test_tokens_of_a_segment(segment, words, characters):
    assert tokenize([segment], "words") == [words]
    assert tokenize([segment], "characters") == [characters]


def test_segments_stay_apart():
    assert tokenize(["a b", "", "c"], "words") == [["a", "b"], [], ["c"]]
    assert tokenize(["ab", "", "c"], "characters") == [["a", "b"], [], ["c"]]


@given(st.text())
def test_characters_are_all_that_is_not_white_space_in_order(text):
    (characters,) = tokenize([text], "characters")
    assert characters == [character for character in text if not character.isspace()]


@given(st.text())
def test_words_joined_are_the_characters(text):
    (words,), (characters,) = tokenize([text], "words"), tokenize([text], "characters")
    assert "".join(words) == "".join(characters)
    assert all(words)
