"""Properties of languages that decide how texts are split into tokens."""

from collections.abc import Collection
from functools import cache

UNDETERMINED = "und"  # the code of no language in particular
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
# Codes of `langcodes` for languages that the list above has under another one.
OTHER_CODES = {"fil": "tl"}
SCRIPTS_WITHOUT_SPACES = "Han Hiragana Katakana Thai Lao Khmer Myanmar Tibetan".split()
SPACED = 1 / 8  # spaces a letter, from which on a text has words; without any it has fewer


@cache
def standard_code(code: str) -> str:
    """Return the code of a language as the lists above have it.

    Parameters
    ----------
    code : str
        A code of ISO 639-1, 639-2 or 639-3 in any case, which a script or region may follow: `ZH`,
        `zho`, `cmn`, `zho_Hans`, `pt_BR`.

    Returns
    -------
    str
        Such as `zh`; an unknown code in lower case.
    """
    language = code.split("_")[0].lower()
    if language in KNOWN or language in WITHOUT_SPACES:
        return language
    import langcodes

    try:
        standard = langcodes.standardize_tag(language, macro=True)
    except langcodes.LanguageTagError:
        return language
    standard = standard.split("-")[0]
    return OTHER_CODES.get(standard, standard)


def target_language(pair: str) -> str:
    """Return the target language of a pair: `de` of `en-de`, `zh` of `en-zh_CN` and `eng-zho`."""
    return standard_code(pair.split("-")[-1])


def source_language(pair: str) -> str:
    """Return the source language of a pair: `en` of `en-de`, `zh` of `zh_CN-en`."""
    return standard_code(pair.split("-")[0])


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
    letters = len(regex.findall(r"[\p{L}\p{M}]", text))
    unspaced = len(regex.findall(rf"(?=[\p{{L}}\p{{M}}])[{scripts}]", text))
    spaces = len(regex.findall(r"[^\S\n]", text))
    return unspaced > letters / 2 and spaces < SPACED * letters


def notices(
    pair: str, reference: list[str], metric_types: Collection[str], *, split: bool
) -> list[str]:
    """Say how an unknown target language is treated.

    Parameters
    ----------
    pair : str
        Language pair.
    reference : list of str
        Segments in the target language; they show whether it is written with spaces.
    metric_types : collection of str
        Types of the metrics that are computed, such as `bleu`.
    split : bool
        Whether texts are split into tokens, for an alignment or a metric.

    Returns
    -------
    list of str
        A sentence; empty for a known language, or if nothing that is computed depends on it.
    """
    code = target_language(pair)
    if code in KNOWN or not (split or metric_types):
        return []
    characters = default_units(pair, reference) == "characters"
    parts = []
    if split and characters:
        how = "" if code in WITHOUT_SPACES else ", as the reference's script shows,"
        parts.append(f"it is written without spaces{how} and split into characters")
    elif split:
        parts.append("words are what spaces separate")
    if "bleu" in metric_types and characters:
        parts.append(
            "BLEU uses sacreBLEU's tokenizer 13a, which needs spaces, unless the metric's "
            "`tokenize` names another one (char)"
        )
    elif "bleu" in metric_types:
        parts.append("BLEU uses sacreBLEU's tokenizer 13a")
    if "bertscore" in metric_types and code != UNDETERMINED:
        parts.append(
            "it is no language that bert-score's multilingual encoder was trained on, which "
            "BERTScore uses unless another is named"
        )
    if not parts:
        return []
    if code == UNDETERMINED:
        return [f"no target language is named (lang, --lang): {'; '.join(parts)}."]
    return [f"the target language {code} is not known here: {'; '.join(parts)}."]


def tokenize(segments: list[str], units: str) -> list[list[str]]:
    """Split each segment into `words` at white space, or into its non-space `characters`."""
    if units == "characters":
        return [list("".join(segment.split())) for segment in segments]
    return [segment.split() for segment in segments]
