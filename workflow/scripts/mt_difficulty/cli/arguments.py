"""Arguments of `mt-difficulty` and its subcommands; their help texts are in help.yaml."""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..data.text_files import read_yaml
from ..embedding.baselines import AUTO, HOW_TO, parse
from ..evidence.units import UNITS
from ..gold import ADJUSTED, GOLDS
from ..metrics import named_metrics
from ..scoring.choosing import BY, COSTS
from ..scoring.parameters import MOST_RESAMPLES, OFFICIAL, RESAMPLES, SEED
from ..scoring.texts import DEFAULT_DIFFICULTY, estimators_of_texts, weightings_of_texts
from ..statistics import STATISTICS

TOKENIZERS = [
    "none",
    "zh",
    "13a",
    "intl",
    "char",
    "ja-mecab",
    "ko-mecab",
    "spm",
    "flores101",
    "flores200",
    "spBLEU-1K",
]
Add = Callable[..., None]
Keywords = dict[str, Any]  # keyword arguments of add_argument
FILE: Keywords = {"type": Path, "metavar": "FILE"}
FILES = FILE | {"nargs": "+"}


class Parser(argparse.ArgumentParser):
    """An argument parser that prints a usage error as two lines: the error, and `see … --help`."""

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        self.exit(2, f"ERROR: {message}\nsee {self.prog} --help\n")


def whole(least: int = 0, most: int = 2**63 - 1) -> Keywords:
    """Return `add_argument` keywords for an option that takes a whole number, `least` to `most`."""

    def convert(text: str) -> int:
        """Return the number; `ArgumentTypeError` if it is none or out of range."""
        # Numbers of thousands of digits are refused here: Python raises an error for them.
        number = int(text) if text.isdecimal() and len(text) < 20 else -1
        if not least <= number <= most:
            message = f"{text!r}: expected a whole number, {least} to {most}"
            raise argparse.ArgumentTypeError(message)
        return number

    return {"type": convert, "metavar": "N"}


def number_or_rule(text: str) -> float | str:
    """Return the text of EE's option `--h` or `--w` as a float, or unchanged if it is no number."""
    try:
        return float(text)
    except ValueError:
        return text


def baseline(text: str) -> str | list[float]:
    """Return the text of `--baseline` as an encoder's setting."""
    try:
        return parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(HOW_TO) from None


def make_parser() -> argparse.ArgumentParser:
    """Return the argument parser of `mt-difficulty` and its subcommands."""
    help_texts = read_yaml(Path(__file__).with_name("help.yaml"))
    layout = argparse.RawDescriptionHelpFormatter
    parser = Parser(
        prog="mt-difficulty",
        description=help_texts["description"],
        epilog=help_texts["exit_codes"],
        formatter_class=layout,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str) -> Callable[..., Add]:
        """Add a subcommand; return a function that adds an option group and returns its `add`,
        which is `add_argument` with the help text from help.yaml."""
        command_texts = help_texts["commands"][name]
        example = f"example:\n  mt-difficulty {name} {command_texts['example']}"
        subparser = commands.add_parser(
            name,
            formatter_class=layout,
            help=command_texts["summary"],
            description=command_texts["description"],
            epilog=f"{example}\n\n{help_texts['exit_codes']}",
        )
        option_texts = help_texts["options"] | command_texts["options"]

        def options(*title: str) -> Add:
            """Add an option group with a title and a description; return its `add`."""
            group = subparser.add_argument_group(*title) if title else subparser

            def add(*names: str, known: Iterable[str] = (), **settings: Any) -> None:
                """Add an option; `known` are the names that its help text lists."""
                # help.yaml has the text of an option under one of its names.
                texts = [option_texts[name] for name in names[::-1] if name in option_texts]
                text = texts[0].replace("{known}", ", ".join(known))
                group.add_argument(*names, help=text, **settings)

            return add

        return options

    def add_texts(options: Callable[..., Add], default: str | None) -> None:
        """Add options that `score` and `hard` share: input texts and the difficulty estimator."""
        add = options("texts", "UTF-8, one segment a line, line by line the same")
        add("references", nargs="*", type=Path, metavar="REF")
        add("--ref", **FILES)
        add("--num-refs", **whole(1, 100), default=1)
        add("-i", "--hyp", "--input", dest="hyp", default=[Path("-")], **FILES)
        add("--src", **FILE)
        add("--src-lang", **language)
        add("--lang", **language)
        add("--documents", **FILE)
        add = options("difficulty")
        known = estimators_of_texts()
        add("--difficulty", default=default, metavar="NAME|FILE", known=known)
        add("--h", type=number_or_rule)
        add("--encoder", type=Path, metavar="FOLDER")
        add("--layer", **whole())
        add("--baseline", type=baseline, default=AUTO, metavar="RULE|B")

    def add_output(options: Callable[..., Add], top: int | None) -> Add:
        """Add the output options of command `score` or `hard`; return a function to add more."""
        add = options("output")
        add("--top", **whole(), default=top)
        add("--format", default="text", choices=["text", "tsv", "json", "latex"])
        add("-q", "--quiet", action="store_true")
        return add

    def add_gold_settings(add: Add) -> None:
        """Add the settings of golds to `annotations` or `correlate`."""
        add("--mixed-response", dest="mixed.response", choices=["raw", "z"])
        add("--mixed-resamples", dest="mixed.resamples", **whole(0, MOST_RESAMPLES))
        add("--mixed-seed", dest="mixed.seed", **whole())

    def add_set(add: Add) -> None:
        """Add the arguments SET, `--archive`, `--hyp`, `--out` to `select` or `estimates`."""
        add("set", metavar="SET")
        add("--archive", **path)
        add("--hyp", **FILES)
        add("--out", **FILE)

    language: Keywords = {"type": lambda text: text.replace("-", "_"), "metavar": "LANG"}
    path: Keywords = {"type": Path, "metavar": "PATH"}
    seed = whole() | {"default": SEED}
    units: Keywords = {"choices": UNITS, "default": UNITS[0]}

    options = command("score")
    add_texts(options, default=None)
    add = options("scores")
    spelt = {name.lower(): name for name in named_metrics()}
    add(
        "-m",
        "--metric",
        "--metrics",
        type=lambda text: spelt.get(text.lower(), text),
        choices=[*named_metrics()],
        nargs="+",
        default=["chrF"],
        metavar="METRIC",
    )
    add("--tokenize", dest="bleu.tokenize", metavar="NAME", choices=TOKENIZERS)
    add("-lc", "--lowercase", action="store_true")
    for name, least in (("char_order", 1), ("word_order", 0), ("beta", 1)):
        add(f"--chrf-{name.replace('_', '-')}", dest=f"chrf.{name}", **whole(least, 100))
    known = list(weightings_of_texts())
    add("--weighting", nargs="*", default=["EE"], choices=known, metavar="WEIGHTING")
    add("--w", type=number_or_rule)
    add("--share", type=float, default=0.1)
    add("--softmax", type=float, metavar="X")
    add("--unit", **units)
    add("--resamples", **whole(0, MOST_RESAMPLES), default=None)
    add("--seed", **seed)
    add = add_output(options, None)
    add("-w", "--width", **whole(0, 15))
    add("--html", **FILE)
    add("-b", "--score-only", action="store_const", dest="format", const="numbers")

    options = command("hard")
    add_texts(options, default=DEFAULT_DIFFICULTY)
    add = add_output(options, 20)
    add("--hypotheses", **whole(), default=3)
    add("--within-length", action="store_true")

    options = command("select")
    add_set(options())
    add = options("choice")
    add("--by", required=True, metavar="METHOD|FILE", known=BY)
    add("--budget", required=True, **whole(1))
    add("--cost", default="segments", choices=COSTS)
    add("--documents", **FILE)
    add("--whole-documents", action="store_true")
    add("--scores", **FILE)
    add("--src-lang", **language)
    add("--unit", **units)
    add("--seed", **seed)
    add = options("output")
    add("--format", default="tsv", choices=["tsv", "json", "jsonl", "pearmut"])
    add("--judge", **FILE)

    add = command("estimates")()
    add("action", choices=["template"])
    add_set(add)
    add("--of-hypotheses", action="store_true")

    add = command("validate")()
    add("config", type=Path, nargs="+")
    add("--archive", **path)
    add("--no-neural", action="store_true")
    add("--no-papers", action="store_true")

    add = command("export")()
    add("results", type=Path, metavar="RESULTS")
    for name in ("set", "metric", "weighting"):
        add(f"--{name}", nargs="+", metavar=name.upper())
    add("--out", required=True, type=Path, metavar="FOLDER")

    add = command("correlate")()
    add("set", nargs="+", metavar="SET")
    add("--archive", **path)
    add("--scores", nargs="+", metavar="FILE")
    add("-m", "--metric", nargs="+", metavar="METRIC")
    add("--src-lang", **language)
    add("--lang", **language)
    add(
        "--statistic",
        dest="statistics",
        nargs="+",
        choices=[*STATISTICS],
        default=OFFICIAL,
        metavar="STATISTIC",
    )
    add("--difficulty", metavar="NAME|FILE", known=estimators_of_texts())
    add("--reference", metavar="NAME")
    add("--gold", metavar="NAME")
    add("--annotations", nargs="+", metavar="FILE")
    add_gold_settings(add)
    add("--documents", metavar="FILE")
    add("--unit", **units)
    add("--resamples", **whole(1, MOST_RESAMPLES), default=RESAMPLES)
    add("--seed", **seed)
    add("-w", "--width", **whole(0, 15), default=3)
    add("--format", default="text", choices=["text", "csv", "tsv", "json"])

    add = command("layers")()
    add("set", metavar="SET")
    add("--encoder", required=True, type=Path, metavar="FOLDER")
    add("--archive", **path)
    add("--gold", metavar="NAME")
    add("--reference", metavar="NAME")
    add("--lang", **language)
    add("--segments", **whole(2), default=200)
    add("--seed", **seed)
    add("--format", default="text", choices=["text", "csv", "tsv", "json"])

    add = command("annotations")()
    add("files", nargs="+", type=Path, metavar="FILE")
    add("--campaign", metavar="NAME")
    add("--language-pair", metavar="PAIR")
    add("--archive", **path)
    add("--gold", nargs="*", default=[ADJUSTED], choices=[*GOLDS], metavar="GOLD")
    add_gold_settings(add)
    add("--format", default="text", choices=["text", "tsv", "json"])
    return parser
