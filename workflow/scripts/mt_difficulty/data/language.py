"""What a language implies for tokens, and what texts of an unknown one do."""

WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})
# The languages of bert-base-multilingual-cased, as its authors list them. Of any other code nothing
# is taken for granted: its texts say how they are written, and a notice what it is treated as.
KNOWN = frozenset(
    """
    af an ar ast az azb ba bar be bg bn bpy br bs ca ce ceb cs cv cy da de el en es et eu fa fi fr
    fy ga gl gu he hi hr ht hu hy id io is it ja jv ka kk kn ko ky la lb lmo lt lv mg min mk ml mn
    mr ms my nb nds ne new nl nn no oc pa pl pms pnb pt ro ru scn sco sh sk sl sq sr su sv sw ta te
    tg th tl tr tt uk ur uz vi vo war yo zh
    """.split()
)
SCRIPTS_WITHOUT_SPACES = "Han Hiragana Katakana Thai Lao Khmer Myanmar Tibetan".split()
SPACED = 1 / 8  # spaces a letter, from which on a text has words; without any it has fewer


def target_language(pair: str) -> str:
    """The target language of a pair: `de` of `en-de`, `zh` of `en-zh_CN`."""
    return pair.split("-")[-1].split("_")[0]


def source_language(pair: str) -> str:
    """The source language of a pair: `en` of `en-de`, `zh` of `zh_CN-en`."""
    return pair.split("-")[0].split("_")[0]


def default_units(pair: str, reference: list[str]) -> str:
    """`characters` for target languages written without spaces, `words` for the others; of an
    unknown language the reference tells."""
    return "characters" if without_spaces(target_language(pair), reference) else "words"


def without_spaces(code: str, segments: list[str]) -> bool:
    """Whether a language is written without spaces; of an unknown one its segments tell."""
    return code in WITHOUT_SPACES or (code not in KNOWN and _look_unspaced(segments))


def _look_unspaced(segments: list[str]) -> bool:
    """Whether most letters are of scripts without spaces, and few spaces stand between them (words
    may have been separated before)."""
    import regex

    text = "\n".join(segment.strip() for segment in segments)
    scripts = "".join(rf"\p{{{script}}}" for script in SCRIPTS_WITHOUT_SPACES)
    patterns = r"[\p{L}\p{M}]", rf"(?=[\p{{L}}\p{{M}}])[{scripts}]", r"[^\S\n]"
    letters, unspaced, spaces = (len(regex.findall(pattern, text)) for pattern in patterns)
    return unspaced > letters / 2 and spaces < SPACED * letters


def notices(pair: str, reference: list[str]) -> list[str]:
    """What a target language that is not known is treated as, in sentences.

    Parameters
    ----------
    pair : str
    reference : list of str
        Segments.

    Returns
    -------
    list of str
        Empty for a known language.
    """
    code = target_language(pair)
    if code in KNOWN:
        return []
    if default_units(pair, reference) == "words":
        split = "words are what spaces separate, and BLEU's tokens are those of sacreBLEU's 13a"
    else:
        how = "recognised from the reference's script, " * (code not in WITHOUT_SPACES)
        split = (
            f"it is written without spaces, {how}and aligned by characters; BLEU uses sacreBLEU's "
            "13a, which needs spaces, unless the metric's `tokenize` names another one (char)"
        )
    return [
        f"{code} is no language that bert-score's multilingual encoder was trained on, which "
        f"BERTScore uses unless another is named; {split}."
    ]


def tokenize(segments: list[str], units: str) -> list[list[str]]:
    """Split segments into tokens for alignment and METEOR.

    Parameters
    ----------
    segments : list of str
    units : {"words", "characters"}
        Words are what white space separates; characters are all that is not white space.

    Returns
    -------
    list of list of str
    """
    if units == "characters":
        return [list("".join(segment.split())) for segment in segments]
    return [segment.split() for segment in segments]
