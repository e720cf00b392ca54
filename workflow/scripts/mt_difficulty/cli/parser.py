"""Arguments of `mt-difficulty`."""

import argparse
import re
from math import isnan, nextafter
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..errors import printable
from ..interface.settings import DEFAULT_DIFFICULTY
from ..interface.weightings import EASY_WEIGHT, names
from .help_texts import (
    CHECK,
    DESCRIPTION,
    ESTIMATES,
    EXAMPLES,
    EXIT_CODES,
    EXPORT,
    FORMATS,
    HARD,
    RESULTS,
    SCORE,
    SELECT,
    VALIDATE,
)

TOKENIZERS = "none zh 13a intl char ja-mecab ko-mecab spm flores101 flores200 spBLEU-1K".split()
MOST_RESAMPLES = 100_000  # a byte for each of these and each segment
MOST = 2**63 - 1
MOST_SOFTMAX = 100  # beyond it one hypothesis decides


class Parser(argparse.ArgumentParser):
    """Errors are one line, whatever the arguments hold."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def make_parser() -> argparse.ArgumentParser:
    """The parser of `mt-difficulty` and its subcommands."""
    parser = Parser(
        prog="mt-difficulty",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    _add_score(_command(commands, "score", SCORE, "score systems, plain and by difficulty"))
    _add_hard(_command(commands, "hard", HARD, "list the hardest segments"))
    _add_select(_command(commands, "select", SELECT, "choose segments to give to people"))
    _add_estimates(
        _command(commands, "estimates", ESTIMATES, "a file to fill with difficulty estimates")
    )
    _add_validate(_command(commands, "validate", VALIDATE, "check a config and its data"))
    check = _command(commands, "check", CHECK, "compare results with what their jobs wrote")
    check.add_argument("results", type=Path, metavar="FOLDER", help=RESULTS)
    _add_export(
        _command(commands, "export", EXPORT, "write a run's scores as the archive has them")
    )
    _add_diff_and_crate(commands)
    return parser


def _add_diff_and_crate(commands: Any) -> None:
    from . import crate, diff  # which need this package whole

    diff.add_arguments(_command(commands, "diff", diff.DIFF, "compare the results of two runs"))
    summary = "describe a run's results and how they were made as an RO-Crate"
    crate.add_arguments(_command(commands, "crate", crate.CRATE, summary))


def _command(commands: Any, name: str, description: str, summary: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n  {EXAMPLES[name]}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_score(parser: argparse.ArgumentParser) -> None:
    from ..interface.metrics import KINDS

    _add_texts(parser)
    scores = parser.add_argument_group("scores")
    scores.add_argument(
        "-m",
        "--metric",
        "--metrics",
        nargs="+",
        default=["chrF"],
        type=_metric,
        choices=[*KINDS],
        metavar="METRIC",
        help=f"one or more of {', '.join(KINDS)}, in upper or lower case (default: chrF). BLEU, "
        "chrF, chrF++ and TER are scores of the whole text, as sacreBLEU computes them; the others "
        "are means over segments, and chrF-segments is the mean of chrF over segments; lower TER "
        "is better; METEOR needs WordNet 3.0 and is made for English; BERTScore needs --encoder",
    )
    scores.add_argument(
        "--tokenize",
        metavar="NAME",
        choices=TOKENIZERS,
        help=f"BLEU's tokenizer, one of sacreBLEU's: {', '.join(TOKENIZERS)} (default: by --lang)",
    )
    scores.add_argument("-lc", "--lowercase", action="store_true", help="BLEU and chrF ignore case")
    scores.add_argument(
        "--chrf-char-order", type=_order, metavar="N", help="chrF: longest character n-grams (6)"
    )
    scores.add_argument(
        "--chrf-word-order",
        type=_count,
        metavar="N",
        help="chrF: longest word n-grams (0; chrF++ has 2)",
    )
    scores.add_argument("--chrf-beta", type=_order, metavar="N", help="chrF: weight of recall (2)")
    scores.add_argument(
        "--weighting",
        nargs="*",
        default=["EE"],
        choices=names(),
        metavar="WEIGHTING",
        help=f"beside plain scores, any of {', '.join(names())}, or none. EE: easy and difficult "
        "hypotheses are scored apart; hardest: the hardest alone; proportional: hypotheses weigh "
        "by their difficulty; DA (for BERTScore, which it adds; needs --encoder): tokens weigh by "
        "theirs; EE-DA and its like: both (default: EE)",
    )
    scores.add_argument(
        "--w",
        type=_easy_weight,
        help="EE's balance: the easy hypotheses' share in a score, 0 to 1, or `share`, the share "
        "of easy hypotheses; the difficult ones have 1 - w (default: estimated by Eq. 11 of Liu et "
        "al. 2022, a line fitted to chunk entropies of five WMT sets, which can leave [0, 1]; then "
        f"there are no EE scores; for other difficulties {EASY_WEIGHT})",
    )
    scores.add_argument(
        "--share",
        type=_share,
        default=0.1,
        help="of hardest: the share of hypotheses that are scored (default: 0.1)",
    )
    scores.add_argument(
        "--softmax",
        type=_softmax,
        metavar="X",
        help="of proportional: weights are exp(X · difficulty / its standard deviation), for "
        f"difficulties below 0 too; X from -{MOST_SOFTMAX} to {MOST_SOFTMAX} (default: weights are "
        "the difficulty itself)",
    )
    scores.add_argument(
        "--resamples",
        type=_resamples,
        default=1000,
        metavar="N",
        help="bootstrap resamples of the segments, for intervals and comparisons, at most "
        f"{MOST_RESAMPLES:,}; 0 for none (default: 1000)",
    )
    scores.add_argument(
        "--seed",
        type=_count,
        default=2022,
        metavar="N",
        help="of the resamples: equal seeds, equal output (default: 2022)",
    )
    _add_output(parser, 5)


def _add_hard(parser: argparse.ArgumentParser) -> None:
    _add_texts(parser)
    _add_output(parser, 20).add_argument(
        "--hypotheses",
        type=_count,
        default=3,
        metavar="N",
        help="show this many hypotheses of every segment, the most difficult ones first; 0 for "
        "none (default: 3)",
    )


def _add_texts(parser: argparse.ArgumentParser) -> None:
    from ..interface.difficulty import names as difficulty_names

    parser.set_defaults(usage_error=parser.error)
    texts = parser.add_argument_group("texts", "UTF-8, one segment a line, line by line the same")
    texts.add_argument(
        "references",
        nargs="*",
        type=Path,
        metavar="REF",
        help="references, as --ref; place them before -i",
    )
    texts.add_argument(
        "--ref",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="one or more references. BLEU, chrF and TER use all of them as sacreBLEU does; "
        "difficulties use the first; METEOR and BERTScore accept only one",
    )
    texts.add_argument(
        "--num-refs",
        type=_order,
        default=1,
        metavar="N",
        help="the number of references in every reference file, in columns separated by tabs "
        "(default: 1)",
    )
    texts.add_argument(
        "-i",
        "--input",
        "--hyp",
        dest="hyp",
        default=[Path("-")],
        nargs="+",
        type=Path,
        metavar="FILE",
        help="hypotheses: one file for each system; the system has the file's name without its "
        "ending (default: -, standard input). All text files may be packed by gzip (.gz)",
    )
    texts.add_argument(
        "--src",
        type=Path,
        metavar="FILE",
        help="the source, to be shown, and for difficulties of the source",
    )
    texts.add_argument(
        "--src-lang",
        type=_language,
        metavar="LANG",
        help="source language, as `en`: rarity and readability need it",
    )
    texts.add_argument(
        "--lang",
        type=_language,
        help="target language, as `de` or `zh`: decides whether text is split into words or "
        "characters, sacreBLEU's tokenizer, and BERTScore's baseline (default: words, or "
        "characters where the text has few spaces, and tokenizer 13a)",
    )
    difficulty = parser.add_argument_group("difficulty")
    difficulty.add_argument(
        "--difficulty",
        default=DEFAULT_DIFFICULTY,
        metavar="NAME|FILE",
        help=f"one of {', '.join(difficulty_names())}; or a file of your own estimates: "
        "tab-separated columns `segment` (from 1) and `difficulty` (higher is harder), with "
        "`system` where every hypothesis has an estimate. crowd is minus the mean score over "
        "systems: of the first --metric, or of chrF; difficulties of the source text need --src "
        f"(default: {DEFAULT_DIFFICULTY})",
    )
    difficulty.add_argument(
        "--h",
        type=_threshold,
        help="EE's threshold: a hypothesis of at least this difficulty is difficult; a number, or "
        "a rule over the segments' mean difficulties, those of mean 0 left aside: mean_plus_2sd, "
        "quantile_0.9, rank_0.05, or one of these with another number (default: mean_plus_2sd, "
        "Eq. 9 of Liu et al. 2022: mean + 2 standard deviations)",
    )
    difficulty.add_argument(
        "--encoder",
        type=Path,
        metavar="FOLDER",
        help="a transformer that knows the target language, for BERTScore, DA and difficult "
        "tokens: a folder with config.json, tokenizer and *.safetensors (default: none)",
    )
    difficulty.add_argument(
        "--layer",
        type=_count,
        metavar="N",
        help="the encoder's layer whose output is used (default: bert-score's, if the folder is "
        "called like a model that it knows)",
    )


def _add_output(parser: argparse.ArgumentParser, top: int) -> argparse._ArgumentGroup:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--top",
        type=_count,
        default=top,
        metavar="N",
        help=f"how many of the hardest segments to list (default: {top})",
    )
    output.add_argument("--format", default="text", choices=["text", "json", "latex"], help=FORMATS)
    output.add_argument("-q", "--quiet", action="store_true", help="print no notices")
    return output


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "set",
        metavar="SET",
        help="a text file, a folder with source.txt, or a set of the archive: wmt23/en-de",
    )
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help="a .tgz or an unpacked folder of the WMT archive (default: the downloaded one)",
    )
    parser.add_argument(
        "--hyp",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="hypotheses, one file a system (default: those of the folder or the archive)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where the result is written (default: stdout)"
    )


def _add_estimates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["template"], help="write a file to fill in")
    _add_set(parser)
    parser.add_argument(
        "--of-hypotheses",
        action="store_true",
        help="a line for each segment and system, with the hypothesis",
    )


def _add_select(parser: argparse.ArgumentParser) -> None:
    from ..interface.selection import BY, COSTS
    from .choice_formats import FORMATS

    _add_set(parser)
    choice = parser.add_argument_group("choice")
    choice.add_argument(
        "--by",
        required=True,
        metavar="METHOD|FILE",
        help=f"{', '.join(BY)}, or a file of difficulty estimates",
    )
    choice.add_argument(
        "--budget", required=True, type=_budget, metavar="N", help="what the choice may cost"
    )
    choice.add_argument(
        "--cost",
        default="segments",
        choices=COSTS,
        help="what the budget counts, of the source (default: segments)",
    )
    choice.add_argument(
        "--documents",
        type=Path,
        metavar="FILE",
        help="the document of each segment, one a line (default: those of the set)",
    )
    choice.add_argument(
        "--whole-documents",
        action="store_true",
        help="choose documents, by the mean of their segments",
    )
    choice.add_argument(
        "--scores",
        type=Path,
        metavar="FILE",
        help="a metric's segment scores, `system <tab> score` a line, those of a system in the "
        "order of the segments; higher is better",
    )
    choice.add_argument(
        "--src-lang",
        type=_language,
        metavar="LANG",
        help="source language, as `en`: rarity and readability need it (default: that of the set)",
    )
    choice.add_argument(
        "--seed", type=_count, default=2022, metavar="N", help="of what is random (default: 2022)"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        default="tsv",
        choices=FORMATS,
        help="tsv; jsonl, one object a segment; or pearmut, a campaign file for the annotation "
        "platform of that name, with all systems' hypotheses (default: tsv)",
    )
    output.add_argument(
        "--judge",
        type=Path,
        metavar="FILE",
        help="human or metric scores of segments, in the form of --scores with None where there is "
        "none: say what the choice does to the ranking of systems",
    )


def _add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="+",
        help="the yaml files that CONFIG= would name, one merged over the other; before them "
        "data/demo/config.yaml for what `make run` takes",
    )
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help="a .tgz or an unpacked folder of the WMT archive, as ARCHIVE= would name it ("
        "default: the config's, or the downloaded one)",
    )
    parser.add_argument(
        "--no-neural", action="store_true", help="leave metrics out that need an encoder: NEURAL=no"
    )
    parser.add_argument(
        "--no-papers", action="store_true", help="leave out the papers' evaluation sets"
    )


def _add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, metavar="RESULTS", help=RESULTS)
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


def _count(text: str, most: int = MOST) -> int:
    # Python itself refuses to convert thousands of digits.
    if not text.isdecimal() or len(text) > len(str(MOST)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {most}")
    return int(text)


def _metric(text: str) -> str:
    from ..interface.metrics import KINDS

    return {name.lower(): name for name in KINDS}.get(text.lower(), text)


def _order(text: str) -> int:
    if (value := _count(text, 100)) == 0:
        raise argparse.ArgumentTypeError("expected a whole number of at least 1")
    return value


def _budget(text: str) -> int:
    value = _count(text)
    if value == 0:
        raise argparse.ArgumentTypeError("a budget is at least 1")
    return value


def _resamples(text: str) -> int:
    return _count(text, MOST_RESAMPLES)


def _threshold(text: str) -> float | str:
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


def _easy_weight(text: str) -> float | str:
    if text == "share":
        return text
    return _number(text, 0, 1, "w is a share: a number from 0 to 1, or `share`")


def _share(text: str) -> float:
    return _number(text, nextafter(0, 1), 1, "a share is a number above 0, at most 1")


def _softmax(text: str) -> float:
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


def _language(text: str) -> str:
    if not re.fullmatch(r"[a-z]{2,3}([_-]\w+)*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is no language code such as de, zh or pt_BR")
    return text.replace("-", "_")
