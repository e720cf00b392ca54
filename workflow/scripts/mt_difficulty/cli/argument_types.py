"""What arguments may be: texts of the command line as values, or a message of what was expected."""

import argparse
import re
from math import isnan, nextafter

from ..errors import printable
from ..interface.settings import MOST, MOST_RESAMPLES, MOST_SOFTMAX


def count(text: str, most: int = MOST) -> int:
    # Python itself refuses to convert thousands of digits.
    if not text.isdecimal() or len(text) > len(str(MOST)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {most}")
    return int(text)


def metric_name(text: str) -> str:
    from ..interface.metrics import KINDS

    return {name.lower(): name for name in KINDS}.get(text.lower(), text)


def positive(text: str) -> int:
    if (value := count(text, 100)) == 0:
        raise argparse.ArgumentTypeError("expected a whole number of at least 1")
    return value


def digits(text: str) -> int:
    """Digits after the point."""
    return count(text, 15)


def budget(text: str) -> int:
    value = count(text)
    if value == 0:
        raise argparse.ArgumentTypeError("a budget is at least 1")
    return value


def resamples(text: str) -> int:
    return count(text, MOST_RESAMPLES)


def threshold(text: str) -> float | str:
    from ..weighting.groups import Groups

    try:
        if not isnan(value := float(text)):
            return value
    except ValueError:
        pass
    try:
        Groups(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(printable(str(error))) from None
    return text


def easy_weight(text: str) -> float | str:
    if text == "share":
        return text
    return _number(text, 0, 1, "w is a share: a number from 0 to 1, or `share`")


def share(text: str) -> float:
    return _number(text, nextafter(0, 1), 1, "a share is a number above 0, at most 1")


def softmax(text: str) -> float:
    limits = f"expected a number from -{MOST_SOFTMAX} to {MOST_SOFTMAX}"
    return _number(text, -MOST_SOFTMAX, MOST_SOFTMAX, limits)


def _number(text: str, low: float, high: float, expected: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not low <= value <= high:
        raise argparse.ArgumentTypeError(f"{text!r}: {expected}")
    return value


def language(text: str) -> str:
    if not re.fullmatch(r"[a-z]{2,3}([_-]\w+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no language code such as de, zh or pt_BR")
    return text.replace("-", "_")
