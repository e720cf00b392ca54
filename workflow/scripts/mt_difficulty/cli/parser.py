"""Arguments and help texts, which a newcomer can learn the field's words from."""

import argparse
import re
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..errors import printable

DESCRIPTION = """\
Difficulty-aware evaluation of machine translation: which segments and tokens are hard, and what
system scores say when these count for more."""

EXIT_CODES = """\
exit codes: 0 fine, 1 bad input (a line `ERROR: ...` says which and what to do), 2 wrong usage,
130 interrupted. Results go to stdout, notices and progress to stderr."""

SCORE = """\
Plain and difficulty-weighted scores of one or more systems against one reference, with bootstrap
95 % intervals, which systems are significantly better than which (paired bootstrap over segments),
a signature for every score, and the hardest segments.

Chunk entropy says how difficult a hypothesis is: its words are aligned with the reference's
(fast_align), aligned words that are neighbours form chunks, and many chunks of similar length give
a high entropy (0: one chunk, all in one piece). EE (Liu et al. 2022) calls a hypothesis difficult
if its chunk entropy is at least h, and scores a system w * easy + (1 - w) * difficult. DA (Zhan et
al. 2021) weighs every token in BERTScore by its difficulty: 1 - the mean over systems of the best
similarity that the token finds, so that a token which few systems get right counts for more.

Difficulty is estimated from the systems at hand: with more systems it is known better, and scores
under EE and DA are comparable only among systems that were scored together. Intervals and tests
take h, w and every difficulty as given."""

HARD = """\
The hardest segments of a text for the systems at hand: those of the highest chunk entropy, averaged
over systems. A hypothesis's words are aligned with the reference's (fast_align); aligned words that
are neighbours form chunks, and many chunks of similar length give a high entropy (0: one chunk).
Each segment comes with its number (from 1), its mean entropy, how many systems find it difficult
(entropy of at least h), and its texts; with an encoder also with its most difficult reference
tokens: those that few systems have an equivalent of (Zhan et al. 2021)."""

VALIDATE = """\
Check a config of the paper run, and the data that it names, before running anything: the config
merged over the project's config.yaml as `make paper CONFIG=...` does, its keys, metrics and
encoders, and every evaluation set's files in the archive. All problems that are found are listed
(of one evaluation set the first). Then the plan: what would be computed for each set, and how long
and how much memory and disk it would take. Needs the project's checkout, because the workflow
itself is asked."""

CHECK = """\
Compare the results of a run with the SHA-256 that their jobs recorded when they wrote them. Results
that differ, after a power cut or by somebody's editor, are listed and removed, and the next run
makes them again. (A run itself compares the sizes when it starts.)"""

EXAMPLES = {
    "check": "mt-difficulty check results/demo",
    "score": "mt-difficulty score --ref ref.de.txt --hyp sysA.txt sysB.txt sysC.txt "
    "--metric chrf bleu --lang de",
    "hard": "mt-difficulty hard --src src.txt --ref ref.txt --hyp out/*.txt --lang zh --top 10",
    "validate": "mt-difficulty validate mine.yaml --archive mt-metrics-eval-v2.tgz",
}

FORMATS = """\
text for terminals, json (keys: see the README; numbers that do not exist are null), or latex
(tables with booktabs' rules) (default: text)"""


MOST_RESAMPLES = 100_000  # a byte for each of these and each segment
MOST = 2**63 - 1


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
    _add_validate(_command(commands, "validate", VALIDATE, "check a config and its data"))
    check = _command(commands, "check", CHECK, "compare results with what their jobs wrote")
    check.add_argument("results", type=Path, metavar="FOLDER", help="`results:` of a run's config")
    return parser


def _command(commands: Any, name: str, description: str, summary: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n  {EXAMPLES[name]}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def _add_score(parser: argparse.ArgumentParser) -> None:
    from ..metrics import METRICS
    from ..metrics.base import TextMetric

    # Not those that need an archive's files or documents.
    plain = {name for name, metric in METRICS.items() if issubclass(metric, TextMetric)}
    of_texts = sorted(plain | {"bertscore"})
    _add_texts(parser)
    scores = parser.add_argument_group("scores")
    scores.add_argument(
        "--metric",
        nargs="+",
        default=["chrf"],
        choices=of_texts,
        metavar="METRIC",
        help=f"one or more of {', '.join(of_texts)} (default: chrf). BLEU and TER are of the "
        "whole text, the others means over segments; of TER lower is better; METEOR needs WordNet "
        "3.0 and is made for English; bertscore needs --encoder",
    )
    scores.add_argument(
        "--weighting",
        nargs="*",
        default=["EE"],
        choices=["EE", "DA"],
        metavar="WEIGHTING",
        help="beside plain scores: EE (for every metric: easy and difficult hypotheses are scored "
        "apart), DA (for BERTScore, which it adds: tokens weigh by their difficulty; needs "
        "--encoder), both, or none (default: EE)",
    )
    scores.add_argument(
        "--w",
        type=_share,
        help="EE's balance: the easy hypotheses' share in a score, 0 to 1; the difficult ones have "
        "1 - w (default: estimated by Eq. 11 of Liu et al. 2022, a line fitted to five WMT sets, "
        "which can leave [0, 1]; then there are no EE scores)",
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
    _add_output(parser, 20)


def _add_texts(parser: argparse.ArgumentParser) -> None:
    texts = parser.add_argument_group("texts", "UTF-8, one segment a line, line by line the same")
    texts.add_argument("--ref", required=True, type=Path, metavar="FILE", help="the reference")
    texts.add_argument(
        "--hyp",
        required=True,
        nargs="+",
        type=Path,
        metavar="FILE",
        help="hypotheses: the output of one system each, which goes by the file's name without "
        "its ending",
    )
    texts.add_argument("--src", type=Path, metavar="FILE", help="the source, to be shown")
    texts.add_argument(
        "--lang",
        type=_language,
        help="target language, as `de` or `zh`: decides whether text is split into words or "
        "characters, sacreBLEU's tokenizer, and BERTScore's baseline (default: words, or "
        "characters where the text has few spaces, and tokenizer 13a)",
    )
    difficulty = parser.add_argument_group("difficulty")
    difficulty.add_argument(
        "--h",
        type=_entropy,
        help="EE's threshold: a hypothesis of at least this chunk entropy is difficult (default: "
        "estimated by Eq. 9 of Liu et al. 2022, mean + 2 standard deviations of the segments' mean "
        "entropies, those of mean 0 left aside)",
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


def _add_output(parser: argparse.ArgumentParser, top: int) -> None:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--top",
        type=_count,
        default=top,
        metavar="N",
        help=f"how many of the hardest segments to list (default: {top})",
    )
    output.add_argument("--format", default="text", choices=["text", "json", "latex"], help=FORMATS)


def _add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", type=Path, help="the yaml file that CONFIG= would name")
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


def _count(text: str, most: int = MOST) -> int:
    # Python itself refuses to convert thousands of digits.
    if not text.isdecimal() or len(text) > len(str(MOST)) or int(text) > most:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number from 0 to {most}")
    return int(text)


def _resamples(text: str) -> int:
    return _count(text, MOST_RESAMPLES)


def _entropy(text: str) -> float:
    return _number(text, 0, float("inf"), "a chunk entropy is a number of at least 0")


def _share(text: str) -> float:
    return _number(text, 0, 1, "w is a share: a number from 0 to 1")


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
