"""What a language implies for tokens."""

WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})


def target_language(pair):
    """The target language of a pair: `de` of `en-de`, `zh` of `en-zh_CN`."""
    return pair.split("-")[-1].split("_")[0]


def source_language(pair):
    """The source language of a pair: `en` of `en-de`, `zh` of `zh_CN-en`."""
    return pair.split("-")[0].split("_")[0]


def default_units(pair):
    """`characters` for target languages written without spaces, `words` for the others."""
    return "characters" if target_language(pair) in WITHOUT_SPACES else "words"


def tokenize(segments, units):
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
