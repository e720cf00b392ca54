"""`mt-difficulty hard`: the segments and tokens that are difficult."""

import argparse

from ..interface.hardest import hardest_report
from .score import finish, read_texts, settings_of


def run(arguments: argparse.Namespace) -> int:
    """Print the hardest segments."""
    settings = settings_of(arguments)
    texts = read_texts(arguments, settings)
    finish(hardest_report(texts, settings, arguments.top, arguments.hypotheses), arguments)
    return 0
