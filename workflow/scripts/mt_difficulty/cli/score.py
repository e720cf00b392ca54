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
    of_metrics: dict[str, dict] = {"bleu": {}, "chrf": {}}
    for kind, name, option in (
        ("bleu", "tokenize", "tokenize"),
        *(("chrf", name, f"chrf_{name}") for name in ("word_order", "char_order", "beta")),
    ):
        if options.get(option) is not None:
            of_metrics[kind][name] = options[option]
    if options.get("lowercase"):
        of_metrics = {kind: given | {"lowercase": True} for kind, given in of_metrics.items()}
    settings = Settings(**{name: options[name] for name in known}, metric_settings=of_metrics)
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
