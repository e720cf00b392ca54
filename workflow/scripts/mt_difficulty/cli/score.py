"""`mt-difficulty score`: unweighted and weighted system scores of texts."""

import argparse
from dataclasses import fields, replace

from ..data.sources import pair_of, read_given_set
from ..interface.scores import check_encoder, score_report
from ..interface.settings import Settings
from ..interface.texts import Texts
from . import note, output


def run(arguments: argparse.Namespace) -> int:
    """Print scores, comparisons and the hardest segments."""
    settings = settings_of(arguments)
    if arguments.format == "numbers":
        settings = replace(settings, resamples=0)
    check_encoder(settings)
    finish(score_report(read_texts(arguments, settings), settings, arguments.top), arguments)
    return 0


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The settings that the command line gives; others have their defaults."""
    known = {field.name for field in fields(Settings)}
    given = {name: value for name, value in vars(arguments).items() if name in known}
    return Settings(**given, of_metric=metric_settings(arguments))


def metric_settings(arguments: argparse.Namespace) -> dict[str, dict]:
    """Settings of metrics by type, of those that were given."""
    given = vars(arguments)
    lowercase = {"lowercase": True} if given.get("lowercase") else {}
    bleu = {"tokenize": given.get("tokenize")}
    chrf = {
        "word_order": given.get("chrf_word_order"),
        "char_order": given.get("chrf_char_order"),
        "beta": given.get("chrf_beta"),
    }
    kept = {
        kind: {name: value for name, value in own.items() if value is not None}
        for kind, own in (("bleu", bleu), ("chrf", chrf))
    }
    return {kind: own | lowercase for kind, own in kept.items()}


def read_texts(arguments: argparse.Namespace, settings: Settings) -> Texts:
    """The texts that the command line names."""
    references = [*(arguments.ref or ()), *arguments.references]
    if not references:
        arguments.usage_error("a reference is required: REF or --ref FILE")
    pair = pair_of(settings.src_lang, settings.lang)
    evalset, others = read_given_set(
        references, arguments.hyp, arguments.src, pair, arguments.num_refs
    )
    return Texts(evalset, settings, others)


def finish(report: dict, arguments: argparse.Namespace) -> None:
    """Print a report, and its notices on stderr."""
    for notice in report["notices"] if not arguments.quiet else ():
        note(notice)
    output.write(report, arguments.format, vars(arguments).get("width"))
