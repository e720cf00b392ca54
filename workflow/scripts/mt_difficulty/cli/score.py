"""`mt-difficulty score` and `hard`: scores of texts, and their hardest segments."""

import argparse
from dataclasses import fields, replace

from ..data.sources import pair_of, read_given_set
from ..interface.difficulty import hardest_report
from ..interface.scores import check_encoder, score_report
from ..interface.texts import Settings, Texts
from . import note
from .tables import formatted


def run(arguments: argparse.Namespace) -> int:
    """Print the report, and its notices on stderr."""
    options, scores = vars(arguments), arguments.command == "score"
    known = options.keys() & {field.name for field in fields(Settings)}
    settings = Settings(
        **{name: options[name] for name in known}, metric_settings=_metric_settings(options)
    )
    if arguments.format == "numbers":
        settings = replace(settings, resamples=0)
    if scores:
        check_encoder(settings)
    references = [*(arguments.ref or ()), *arguments.references]
    if not references:
        arguments.usage_error("a reference is required: REF or --ref FILE")
    pair = pair_of(settings.src_lang, settings.lang)
    evalset, others = read_given_set(
        references, arguments.hyp, arguments.src, pair, arguments.num_refs
    )
    texts = Texts(evalset, settings, others)
    if scores:
        report = score_report(texts, arguments.top)
    else:
        report = hardest_report(texts, arguments.top, arguments.hypotheses)
    for notice in report["notices"] if not arguments.quiet else ():
        note(notice)
    print(formatted(report, arguments.format, options.get("width")))
    return 0


def _metric_settings(options: dict) -> dict[str, dict]:
    """Settings of metrics by type, of those that were given."""
    names = {
        "bleu": {"tokenize": "tokenize"},
        "chrf": {name: f"chrf_{name}" for name in ("word_order", "char_order", "beta")},
    }
    lowercase = {"lowercase": True} if options.get("lowercase") else {}
    return {
        kind: {name: options[key] for name, key in keys.items() if options.get(key) is not None}
        | lowercase
        for kind, keys in names.items()
    }
