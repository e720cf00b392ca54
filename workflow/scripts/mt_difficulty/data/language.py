"""Properties of languages that decide how texts are split into tokens."""

WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})
# The languages of bert-base-multilingual-cased, as its authors list them. For other codes the texts
# show whether words are separated by spaces, and a notice says how the language is treated.
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
    """Return the target language of a pair: `de` of `en-de`, `zh` of `en-zh_CN`."""
    return pair.split("-")[-1].split("_")[0]


def source_language(pair: str) -> str:
    """Return the source language of a pair: `en` of `en-de`, `zh` of `zh_CN-en`."""
    return pair.split("-")[0].split("_")[0]


def default_units(pair: str, reference: list[str]) -> str:
    """Return the token unit: `characters` if the target language has no spaces, else `words`."""
    return "characters" if without_spaces(target_language(pair), reference) else "words"


def without_spaces(code: str, segments: list[str]) -> bool:
    """Return whether a language is written without spaces. For an unknown code its segments decide.
    They must have mostly letters of scripts without spaces, and few spaces."""
    if code in KNOWN or code in WITHOUT_SPACES:
        return code in WITHOUT_SPACES
    import regex

    text = "\n".join(segment.strip() for segment in segments)
    scripts = "".join(rf"\p{{{script}}}" for script in SCRIPTS_WITHOUT_SPACES)
    patterns = r"[\p{L}\p{M}]", rf"(?=[\p{{L}}\p{{M}}])[{scripts}]", r"[^\S\n]"
    letters, unspaced, spaces = (len(regex.findall(pattern, text)) for pattern in patterns)
    return unspaced > letters / 2 and spaces < SPACED * letters


def notices(pair: str, reference: list[str]) -> list[str]:
    """Return a sentence that says how an unknown target language is treated; none for a known
    language. The reference's segments show whether it is written with spaces."""
    if (code := target_language(pair)) in KNOWN:
        return []
    split = "words are what spaces separate, and BLEU's tokens are those of sacreBLEU's 13a"
    if default_units(pair, reference) == "characters":
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
    """Split each segment into `words` at white space, or into its non-space `characters`."""
    if units == "characters":
        return [list("".join(segment.split())) for segment in segments]
    return [segment.split() for segment in segments]
