"""Arguments of `mt-difficulty` and its subcommands."""

import argparse
from collections.abc import Callable
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


def _whole(least: int = 0, most: int = MOST) -> Callable[[str], int]:
    """Whole numbers of options that are no parameter of Python."""

    def convert(text: str) -> int:
        # Python itself refuses to convert thousands of digits.
        number = int(text) if text.isdecimal() and len(text) <= len(str(MOST)) else -1
        if not least <= number <= most:
            raise argparse.ArgumentTypeError(
                f"{text!r}: expected a whole number, {least} to {most}"
            )
        return number

    return convert


def _parameter(name: str) -> Callable[[str], Any]:
    """The check of a parameter of Python: numbers are numbers, languages have `_` for `-`."""

    def convert(text: str) -> Any:
        value: Any = text.replace("-", "_") if name in ("lang", "src_lang") else text
        for number in (int, float) if value is text else ():
            try:
                value = number(text)
                break
            except ValueError:
                continue
        try:
            return check_parameter(name, value)
        except InputError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return convert


def _metric_name(text: str) -> str:
    return {name.lower(): name for name in KINDS}.get(text.lower(), text)


def _add_score(parser: argparse.ArgumentParser) -> None:
    _add_texts(parser)
    group = parser.add_argument_group("scores")
    group.add_argument(
        "-m",
        "--metric",
        "--metrics",
        nargs="+",
        default=["chrF"],
        type=_metric_name,
        choices=[*KINDS],
        metavar="METRIC",
        help=f"one or more of {', '.join(KINDS)}, in upper or lower case (default: chrF). BLEU, "
        "chrF, chrF++ and TER are scores of the whole text, as sacreBLEU computes them; the others "
        "are means over segments, and chrF-segments is the mean of chrF over segments; lower TER "
        "is better; METEOR needs WordNet 3.0 and is made for English; BERTScore needs --encoder",
    )
    group.add_argument(
        "--tokenize",
        metavar="NAME",
        choices=TOKENIZERS,
        help=f"BLEU's tokenizer, one of sacreBLEU's: {', '.join(TOKENIZERS)} (default: by --lang)",
    )
    group.add_argument("-lc", "--lowercase", action="store_true", help="BLEU and chrF ignore case")
    for option, least, meaning in (
        ("char-order", 1, "longest character n-grams (6)"),
        ("word-order", 0, "longest word n-grams (0; chrF++ has 2)"),
        ("beta", 1, "weight of recall (2)"),
    ):
        limits = _whole(least, 100)
        group.add_argument(f"--chrf-{option}", type=limits, metavar="N", help=f"chrF: {meaning}")
    known = list(weightings())
    group.add_argument(
        "--weighting",
        nargs="*",
        default=["EE"],
        choices=known,
        metavar="WEIGHTING",
        help=f"in addition to unweighted scores, any of {', '.join(known)}, or none. EE: easy "
        "and difficult hypotheses are scored separately; hardest: only the hardest hypotheses; "
        "proportional: hypotheses are weighted by their difficulty; DA: tokens are weighted by "
        "theirs, in BERTScore, which is added (needs --encoder); EE-DA and others: both (default: "
        "EE)",
    )
    group.add_argument(
        "--w",
        type=_parameter("w"),
        help="EE's balance: the easy hypotheses' share in a score, 0 to 1, or `share`, the share "
        "of easy hypotheses; the difficult ones have 1 - w (default: estimated by Eq. 11 of Liu et "
        "al. 2022, a line fitted to chunk entropies of five WMT sets, which can leave [0, 1]; then "
        f"there are no EE scores; for other difficulties {EASY_WEIGHT})",
    )
    group.add_argument(
        "--share",
        type=_parameter("share"),
        default=0.1,
        help="of hardest: the share of hypotheses that are scored (default: 0.1)",
    )
    group.add_argument(
        "--softmax",
        type=_parameter("softmax"),
        metavar="X",
        help="of proportional: weights are exp(X · difficulty / its standard deviation), for "
        f"difficulties below 0 too; X from -{MOST_SOFTMAX} to {MOST_SOFTMAX} (default: weights are "
        "the difficulty itself)",
    )
    _add_resamples(group, "for intervals and comparisons")
    output = _add_output(parser, 5)
    _add_width(output, None, "2 for scores up to 100, 4 for those up to 1; json has all")
    output.add_argument(
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
    _add_output(parser, 20).add_argument(
        "--hypotheses",
        type=_whole(),
        default=3,
        metavar="N",
        help="show this many hypotheses of every segment, the most difficult ones first; 0 for "
        "none (default: 3)",
    )


def _add_texts(parser: argparse.ArgumentParser) -> None:
    """What `score` and `hard` read."""
    parser.set_defaults(usage_error=parser.error)
    group = parser.add_argument_group("texts", "UTF-8, one segment a line, line by line the same")
    group.add_argument(
        "references",
        nargs="*",
        type=Path,
        metavar="REF",
        help="references, as --ref; place them before -i",
    )
    group.add_argument(
        "--ref",
        nargs="+",
        **FILE,
        help="one or more references. BLEU, chrF and TER use all of them as sacreBLEU does; "
        "difficulties use the first; METEOR and BERTScore accept only one",
    )
    group.add_argument(
        "--num-refs",
        type=_whole(1, 100),
        default=1,
        metavar="N",
        help="the number of references in every reference file, in columns separated by tabs "
        "(default: 1)",
    )
    group.add_argument(
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
    group.add_argument(
        "--src",
        **FILE,
        help="the source, to be shown, and for difficulties of the source",
    )
    _add_source_language(group)
    group.add_argument(
        "--lang",
        type=_parameter("lang"),
        help="target language, as `de` or `zh`: decides whether text is split into words or "
        "characters, sacreBLEU's tokenizer, and BERTScore's baseline (default: words, or "
        "characters where the text has few spaces, and tokenizer 13a)",
    )
    group = parser.add_argument_group("difficulty")
    group.add_argument(
        "--difficulty",
        default=DEFAULT_DIFFICULTY,
        metavar="NAME|FILE",
        help=f"one of {', '.join(estimators_of_texts())}; or a file of your own estimates: "
        "tab-separated columns `segment` (from 1) and `difficulty` (higher is harder), with "
        "`system` where every hypothesis has an estimate. crowd is minus the mean score over "
        "systems: of the first --metric, or of chrF; difficulties of the source text need --src "
        f"(default: {DEFAULT_DIFFICULTY})",
    )
    group.add_argument(
        "--h",
        type=_parameter("h"),
        help="EE's threshold: a hypothesis of at least this difficulty is difficult; a number, or "
        "a rule over the segments' mean difficulties, those of mean 0 left aside: mean_plus_2sd, "
        "quantile_0.9, rank_0.05, or one of these with another number (default: mean_plus_2sd, "
        "Eq. 9 of Liu et al. 2022: mean + 2 standard deviations)",
    )
    group.add_argument(
        "--encoder",
        type=Path,
        metavar="FOLDER",
        help="a transformer that knows the target language, for BERTScore, DA and difficult "
        "tokens: a folder with config.json, tokenizer and *.safetensors (default: none)",
    )
    group.add_argument(
        "--layer",
        type=_parameter("layer"),
        metavar="N",
        help="the encoder's layer whose output is used (default: bert-score's, if the folder is "
        "called like a model that it knows)",
    )


def _add_output(parser: argparse.ArgumentParser, top: int) -> argparse._ArgumentGroup:
    group = parser.add_argument_group("output")
    group.add_argument(
        "--top",
        type=_whole(),
        default=top,
        metavar="N",
        help=f"how many of the hardest segments to list (default: {top})",
    )
    group.add_argument(
        "--format",
        default="text",
        choices=["text", "json", "latex"],
        help="text for terminals, json (keys: docs/own_systems.md; numbers that do not exist are "
        "null), or latex (tables with booktabs' rules) (default: text)",
    )
    group.add_argument("-q", "--quiet", action="store_true", help="print no notices")
    return group


def _add_select(parser: argparse.ArgumentParser) -> None:
    _add_set(parser)
    group = parser.add_argument_group("choice")
    group.add_argument(
        "--by",
        required=True,
        metavar="METHOD|FILE",
        help=f"{', '.join(BY)}, or a file of difficulty estimates",
    )
    group.add_argument(
        "--budget", required=True, type=_whole(1), metavar="N", help="what the choice may cost"
    )
    group.add_argument(
        "--cost",
        default="segments",
        choices=COSTS,
        help="what the budget counts, of the source (default: segments)",
    )
    group.add_argument(
        "--documents",
        **FILE,
        help="the document of each segment, one a line (default: those of the set)",
    )
    group.add_argument(
        "--whole-documents",
        action="store_true",
        help="choose documents, by the mean of their segments",
    )
    group.add_argument(
        "--scores",
        **FILE,
        help="a metric's segment scores, `system <tab> score` a line, those of a system in the "
        "order of the segments; higher is better",
    )
    _add_source_language(group, " (default: that of the set)")
    _add_seed(group, "of what is random")
    group = parser.add_argument_group("output")
    group.add_argument(
        "--format",
        default="tsv",
        choices=["tsv", "jsonl", "pearmut"],
        help="tsv; jsonl, one object a segment; or pearmut, a campaign file for the annotation "
        "platform of that name, with all systems' hypotheses (default: tsv)",
    )
    group.add_argument(
        "--judge",
        **FILE,
        help="human or metric scores of segments, in the form of --scores with None where there is "
        "none: say what the choice does to the ranking of systems",
    )


def _add_estimates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["template"], help="write a file to fill in")
    _add_set(parser)
    parser.add_argument(
        "--of-hypotheses",
        action="store_true",
        help="a line for each segment and system, with the hypothesis",
    )


def _add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="+",
        help="the yaml files that CONFIG= would name, one merged over the other; before them "
        "data/demo/config.yaml for what `make run` takes",
    )
    _add_archive(parser, ", as ARCHIVE= would name it (default: the config's, or the downloaded")
    parser.add_argument(
        "--no-neural", action="store_true", help="leave metrics out that need an encoder: NEURAL=no"
    )
    parser.add_argument(
        "--no-papers", action="store_true", help="leave out the papers' evaluation sets"
    )


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "results", type=Path, metavar="RESULTS", help="`results:` of a run's config"
    )
    for name, what, example in (
        ("set", "evaluation sets", "wmt19/en-de"),
        ("metric", "metrics", "BLEU"),
        ("weighting", "weightings", "standard EE"),
    ):
        parser.add_argument(
            f"--{name}",
            nargs="+",
            metavar=name.upper(),
            help=f"{what} of the run, such as {example} (default: all)",
        )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FOLDER", help="where the files are written"
    )


def _add_correlate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("set", metavar="SET", help="a folder of own files, or CAMPAIGN/PAIR")
    _add_archive(parser)
    parser.add_argument(
        "-m", "--metric", nargs="+", metavar="METRIC", help="metrics of the set (default: all)"
    )
    parser.add_argument(
        "--statistic",
        nargs="+",
        default=STATISTICS,
        choices=STATISTICS,
        metavar="STATISTIC",
        help=f"one or more of {', '.join(STATISTICS)} (default: all)",
    )
    parser.add_argument("--reference", metavar="NAME", help="the reference of a stored metric")
    parser.add_argument(
        "--gold", metavar="NAME", help="human scores of a set of the archive, such as mqm"
    )
    _add_resamples(parser, "for intervals")
    _add_width(parser, 3, "3")
    parser.add_argument(
        "--format",
        default="text",
        choices=["text", "csv"],
        help="text: a line for each metric; csv: a line for each metric, statistic and kind of "
        "interval, with all digits (default: text)",
    )


# What several commands take.
Group = argparse.ArgumentParser | argparse._ArgumentGroup


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "set",
        metavar="SET",
        help="a text file, a folder with source.txt, or a set of the archive: wmt23/en-de",
    )
    _add_archive(parser)
    parser.add_argument(
        "--hyp",
        nargs="+",
        **FILE,
        help="hypotheses, one file a system (default: those of the folder or the archive)",
    )
    parser.add_argument("--out", **FILE, help="where the result is written (default: stdout)")


def _add_archive(parser: Group, default: str = " (default: the downloaded") -> None:
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help=f"a .tgz or an unpacked folder of the WMT archive{default} one)",
    )


def _add_source_language(group: Group, default: str = "") -> None:
    group.add_argument(
        "--src-lang",
        type=_parameter("src_lang"),
        metavar="LANG",
        help=f"source language, as `en`: rarity and readability need it{default}",
    )


def _add_resamples(group: Group, purpose: str) -> None:
    group.add_argument(
        "--resamples",
        type=_parameter("resamples"),
        default=RESAMPLES,
        metavar="N",
        help=f"bootstrap resamples of the segments, {purpose}, at most {MOST_RESAMPLES:,}; 0 for "
        f"none (default: {RESAMPLES})",
    )
    _add_seed(group, "of the resamples: equal seeds, equal output")


def _add_seed(group: Group, meaning: str) -> None:
    group.add_argument(
        "--seed",
        type=_parameter("seed"),
        default=SEED,
        metavar="N",
        help=f"{meaning} (default: {SEED})",
    )


def _add_width(group: Group, width: int | None, default: str) -> None:
    group.add_argument(
        "-w",
        "--width",
        type=_whole(0, 15),
        default=width,
        metavar="N",
        help=f"digits of scores after the point (default: {default})",
    )
