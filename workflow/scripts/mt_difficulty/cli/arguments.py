"""Arguments of `mt-difficulty` and its subcommands."""

import argparse
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..errors import InputError, printable
from ..interface.difficulty import EASY_WEIGHT, estimators_of_texts
from ..interface.parameters import (
    MOST,
    MOST_RESAMPLES,
    MOST_SOFTMAX,
    RESAMPLES,
    SEED,
    check_parameter,
)
from ..interface.scores import weightings
from ..interface.selection import BY, COSTS
from ..interface.texts import DEFAULT_DIFFICULTY, KINDS
from . import help_texts

TOKENIZERS = "none zh 13a intl char ja-mecab ko-mecab spm flores101 flores200 spBLEU-1K".split()
FILE: dict[str, Any] = {"type": Path, "metavar": "FILE"}
STATISTICS = ("pearson", "spearman", "kendall", "accuracy")


class Parser(argparse.ArgumentParser):
    """Errors are one line, whatever the arguments hold."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def make_parser() -> argparse.ArgumentParser:
    """The parser of `mt-difficulty` and its subcommands."""
    parser = Parser(
        prog="mt-difficulty",
        description=help_texts.DESCRIPTION,
        epilog=help_texts.EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, (summary, description, example, add_arguments) in {
        "score": (*help_texts.SCORE, _add_score),
        "hard": (*help_texts.HARD, _add_hard),
        "select": (*help_texts.SELECT, _add_select),
        "estimates": (*help_texts.ESTIMATES, _add_estimates),
        "validate": (*help_texts.VALIDATE, _add_validate),
        "export": (*help_texts.EXPORT, _add_export),
        "correlate": (*help_texts.CORRELATE, _add_correlate),
    }.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=description,
            epilog=f"example:\n  mt-difficulty {name} {example}\n\n{help_texts.EXIT_CODES}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        add_arguments(command)
    return parser


def _whole(least: int = 0, most: int = MOST) -> dict[str, Any]:
    """Settings of options that are whole numbers and no parameter of Python."""

    def convert(text: str) -> int:
        # Python itself refuses to convert thousands of digits.
        number = int(text) if text.isdecimal() and len(text) <= len(str(MOST)) else -1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r}: expected a whole number, {least} to {most}"
            )
        return number

    return {"type": convert, "metavar": "N"}


def _parameter(name: str, metavar: str | None = None) -> dict[str, Any]:
    """Settings of options that are parameters of Python, which checks them; languages have `_` for
    `-`."""

    def convert(text: str) -> Any:
        value: Any = text
        if name in ("lang", "src_lang"):
            value = text.replace("-", "_")
        else:
            for number in (float, int):  # the last that takes it
                with suppress(ValueError):
                    value = number(text)
        try:
            return check_parameter(name, value)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return {"type": convert, "metavar": metavar}


def _add_score(parser: argparse.ArgumentParser) -> None:
    _add_texts(parser)
    add = parser.add_argument_group("scores").add_argument
    add(
        "-m",
        "--metric",
        "--metrics",
        nargs="+",
        default=["chrF"],
        type=lambda text: {name.lower(): name for name in KINDS}.get(text.lower(), text),
        choices=[*KINDS],
        metavar="METRIC",
        help=f"one or more of {', '.join(KINDS)}, in any case (default: chrF). BLEU, chrF, chrF++ "
        "and TER are sacreBLEU's scores of the whole text, the others means over segments; lower "
        "TER is better; METEOR needs WordNet 3.0 and is made for English; BERTScore needs "
        "--encoder",
    )
    add(
        "--tokenize",
        metavar="NAME",
        choices=TOKENIZERS,
        help=f"BLEU's tokenizer, one of sacreBLEU's: {', '.join(TOKENIZERS)} (default: by --lang)",
    )
    add("-lc", "--lowercase", action="store_true", help="BLEU and chrF ignore case")
    for option, least, meaning in (
        ("char-order", 1, "longest character n-grams (6)"),
        ("word-order", 0, "longest word n-grams (0; chrF++ has 2)"),
        ("beta", 1, "weight of recall (2)"),
    ):
        limits = _whole(least, 100)
        add(f"--chrf-{option}", **limits, help=f"chrF: {meaning}")
    known = list(weightings())
    add(
        "--weighting",
        nargs="*",
        default=["EE"],
        choices=known,
        metavar="WEIGHTING",
        help=f"in addition to unweighted scores, any of {', '.join(known)}, or none; those with "
        "DA are of BERTScore, which is added (needs --encoder) (default: EE)",
    )
    add(
        "--w",
        **_parameter("w"),
        help="EE's balance: the easy hypotheses' share in a score, 0 to 1, or `share`, the share "
        "of easy hypotheses; the difficult ones have 1 - w (default: estimated by Eq. 11 of Liu et "
        "al. 2022, a line fitted to chunk entropies of five WMT sets, which can leave [0, 1]; then "
        f"there are no EE scores; for other difficulties {EASY_WEIGHT})",
    )
    add(
        "--share",
        **_parameter("share"),
        default=0.1,
        help="of hardest: the share of hypotheses that are scored (default: 0.1)",
    )
    add(
        "--softmax",
        **_parameter("softmax", "X"),
        help="of proportional: weights are exp(X · difficulty / its standard deviation), for "
        f"difficulties below 0 too; X from -{MOST_SOFTMAX} to {MOST_SOFTMAX} (default: weights are "
        "the difficulty itself)",
    )
    _add_resamples(add, "for intervals and comparisons")
    add = _add_output(parser, 5)
    _add_width(add, None, "2 for scores up to 100, 4 for those up to 1; json has all")
    add(
        "-b",
        "--score-only",
        dest="format",
        action="store_const",
        const="numbers",
        help="print the scores alone: a line for each system, a column for each metric and "
        "weighting, between tabs (no resamples are drawn)",
    )


def _add_hard(parser: argparse.ArgumentParser) -> None:
    _add_texts(parser)
    add = _add_output(parser, 20)
    add(
        "--hypotheses",
        **_whole(),
        default=3,
        help="show this many hypotheses of every segment, the most difficult ones first; 0 for "
        "none (default: 3)",
    )


def _add_texts(parser: argparse.ArgumentParser) -> None:
    """What `score` and `hard` read."""
    parser.set_defaults(usage_error=parser.error)
    add = parser.add_argument_group(
        "texts", "UTF-8, one segment a line, line by line the same"
    ).add_argument
    add(
        "references",
        nargs="*",
        type=Path,
        metavar="REF",
        help="references, as --ref; place them before -i",
    )
    add(
        "--ref",
        nargs="+",
        **FILE,
        help="one or more references. BLEU, chrF and TER use all of them as sacreBLEU does; "
        "difficulties use the first; METEOR and BERTScore accept only one",
    )
    add(
        "--num-refs",
        **_whole(1, 100),
        default=1,
        help="the number of references in every reference file, in columns separated by tabs "
        "(default: 1)",
    )
    add(
        "-i",
        "--input",
        "--hyp",
        dest="hyp",
        default=[Path("-")],
        nargs="+",
        **FILE,
        help="hypotheses: one file for each system; the system has the file's name without its "
        "ending (default: -, standard input). All text files may be packed by gzip (.gz)",
    )
    add("--src", **FILE, help="the source, to be shown, and for difficulties of the source")
    _add_source_language(add)
    add(
        "--lang",
        **_parameter("lang"),
        help="target language, as `de` or `zh`: decides whether text is split into words or "
        "characters, sacreBLEU's tokenizer, and BERTScore's baseline (default: words, or "
        "characters where the text has few spaces, and tokenizer 13a)",
    )
    add = parser.add_argument_group("difficulty").add_argument
    add(
        "--difficulty",
        default=DEFAULT_DIFFICULTY,
        metavar="NAME|FILE",
        help=f"one of {', '.join(estimators_of_texts())}; or a file of your own estimates: "
        "tab-separated columns `segment` (from 1) and `difficulty` (higher is harder), with "
        "`system` where every hypothesis has an estimate. crowd is minus the mean score over "
        "systems: of the first --metric, or of chrF; difficulties of the source text need --src "
        f"(default: {DEFAULT_DIFFICULTY})",
    )
    add(
        "--h",
        **_parameter("h"),
        help="EE's threshold: a hypothesis of at least this difficulty is difficult; a number, or "
        "a rule over the segments' mean difficulties, those of mean 0 left aside: mean_plus_2sd, "
        "quantile_0.9, rank_0.05, or one of these with another number (default: mean_plus_2sd, "
        "Eq. 9 of Liu et al. 2022: mean + 2 standard deviations)",
    )
    add(
        "--encoder",
        type=Path,
        metavar="FOLDER",
        help="a transformer that knows the target language, for BERTScore, DA and difficult "
        "tokens: a folder with config.json, tokenizer and *.safetensors (default: none)",
    )
    add(
        "--layer",
        **_parameter("layer", "N"),
        help="the encoder's layer whose output is used (default: bert-score's, if the folder is "
        "called like a model that it knows)",
    )


def _add_output(parser: argparse.ArgumentParser, top: int) -> Callable:
    add = parser.add_argument_group("output").add_argument
    add(
        "--top",
        **_whole(),
        default=top,
        help=f"how many of the hardest segments to list (default: {top})",
    )
    add(
        "--format",
        default="text",
        choices=["text", "json", "latex"],
        help="text for terminals, json (keys: docs/own_systems.md; numbers that do not exist are "
        "null), or latex (tables with booktabs' rules) (default: text)",
    )
    add("-q", "--quiet", action="store_true", help="print no notices")
    return add


def _add_select(parser: argparse.ArgumentParser) -> None:
    _add_set(parser)
    add = parser.add_argument_group("choice").add_argument
    add(
        "--by",
        required=True,
        metavar="METHOD|FILE",
        help=f"{', '.join(BY)}, or a file of difficulty estimates",
    )
    add("--budget", required=True, **_whole(1), help="what the choice may cost")
    add(
        "--cost",
        default="segments",
        choices=COSTS,
        help="what the budget counts, of the source (default: segments)",
    )
    add(
        "--documents",
        **FILE,
        help="the document of each segment, one a line (default: those of the set)",
    )
    add(
        "--whole-documents",
        action="store_true",
        help="choose documents, by the mean of their segments",
    )
    add(
        "--scores",
        **FILE,
        help="a metric's segment scores, `system <tab> score` a line, those of a system in the "
        "order of the segments; higher is better",
    )
    _add_source_language(add, " (default: that of the set)")
    _add_seed(add, "of what is random")
    add = parser.add_argument_group("output").add_argument
    add(
        "--format",
        default="tsv",
        choices=["tsv", "jsonl", "pearmut"],
        help="tsv; jsonl, one object a segment; or pearmut, a campaign file for the annotation "
        "platform of that name, with all systems' hypotheses (default: tsv)",
    )
    add(
        "--judge",
        **FILE,
        help="human or metric scores of segments, in the form of --scores with None where there is "
        "none: say what the choice does to the ranking of systems",
    )


def _add_estimates(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("action", choices=["template"], help="write a file to fill in")
    _add_set(parser)
    add(
        "--of-hypotheses",
        action="store_true",
        help="a line for each segment and system, with the hypothesis",
    )


def _add_validate(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "config",
        type=Path,
        nargs="+",
        help="the yaml files that CONFIG= would name, one merged over the other; before them "
        "data/demo/config.yaml for what `make run` takes",
    )
    _add_archive(add, ", as ARCHIVE= would name it (default: the config's, or the downloaded")
    add(
        "--no-neural", action="store_true", help="leave metrics out that need an encoder: NEURAL=no"
    )
    add("--no-papers", action="store_true", help="leave out the papers' evaluation sets")


def _add_export(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("results", type=Path, metavar="RESULTS", help="`results:` of a run's config")
    for name, what, example in (
        ("set", "evaluation sets", "wmt19/en-de"),
        ("metric", "metrics", "BLEU"),
        ("weighting", "weightings", "standard EE"),
    ):
        add(
            f"--{name}",
            nargs="+",
            metavar=name.upper(),
            help=f"{what} of the run, such as {example} (default: all)",
        )
    add("--out", required=True, type=Path, metavar="FOLDER", help="where the files are written")


def _add_correlate(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("set", metavar="SET", help="a folder of own files, or CAMPAIGN/PAIR")
    _add_archive(add)
    add("-m", "--metric", nargs="+", metavar="METRIC", help="metrics of the set (default: all)")
    add(
        "--statistic",
        nargs="+",
        default=STATISTICS,
        choices=STATISTICS,
        metavar="STATISTIC",
        help=f"one or more of {', '.join(STATISTICS)} (default: all)",
    )
    add("--reference", metavar="NAME", help="the reference of a stored metric")
    add("--gold", metavar="NAME", help="human scores of a set of the archive, such as mqm")
    _add_resamples(add, "for intervals")
    _add_width(add, 3, "3")
    add(
        "--format",
        default="text",
        choices=["text", "csv"],
        help="text: a line for each metric; csv: a line for each metric, statistic and kind of "
        "interval, with all digits (default: text)",
    )


# What several commands take.


def _add_set(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "set",
        metavar="SET",
        help="a text file with one segment a line, a folder with source.txt, or a set of the "
        "archive such as wmt23/en-de",
    )
    _add_archive(add)
    add(
        "--hyp",
        nargs="+",
        **FILE,
        help="hypotheses, one file a system (default: those of the folder or the archive)",
    )
    add("--out", **FILE, help="where the result is written (default: stdout)")


def _add_archive(add: Callable, default: str = " (default: the downloaded") -> None:
    add(
        "--archive",
        type=Path,
        metavar="PATH",
        help=f"a .tgz or an unpacked folder of the WMT archive{default} one)",
    )


def _add_source_language(add: Callable, default: str = "") -> None:
    add(
        "--src-lang",
        **_parameter("src_lang", "LANG"),
        help=f"source language, as `en`: rarity and readability need it{default}",
    )


def _add_resamples(add: Callable, purpose: str) -> None:
    add(
        "--resamples",
        **_parameter("resamples", "N"),
        default=RESAMPLES,
        help=f"bootstrap resamples of the segments, {purpose}, at most {MOST_RESAMPLES:,}; 0 for "
        f"none (default: {RESAMPLES})",
    )
    _add_seed(add, "of the resamples: equal seeds, equal output")


def _add_seed(add: Callable, meaning: str) -> None:
    add("--seed", **_parameter("seed", "N"), default=SEED, help=f"{meaning} (default: {SEED})")


def _add_width(add: Callable, width: int | None, default: str) -> None:
    add(
        "-w",
        "--width",
        **_whole(0, 15),
        default=width,
        help=f"digits of scores after the point (default: {default})",
    )
