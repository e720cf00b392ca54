"""Arguments of `mt-difficulty` and its subcommands; their help texts are in help.yaml.

A subcommand's options are added only if it is asked for, and the modules that know metrics,
difficulties and statistics are imported there: `mt-difficulty --help` needs none of them."""

import argparse
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, NoReturn

from .. import __version__
from ..data.text_files import read_yaml
from ..errors import nearest

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
PATH: Keywords = {"type": Path, "metavar": "PATH"}
LANGUAGE: Keywords = {"type": lambda text: text.replace("-", "_"), "metavar": "LANG"}
SHELLS = ("bash", "zsh", "fish")  # for which completion is made


class Parser(argparse.ArgumentParser):
    """An argument parser that prints a usage error as two lines: the error, with a similar name if
    one is known, and `see … --help`."""

    def error(self, message: str) -> NoReturn:
        """Print a usage error and exit with code 2."""
        self.exit(2, f"ERROR: {message}\nsee {self.prog} --help\n")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse arguments as argparse does; name an option that is like an unknown one."""
        known, unknown = super().parse_known_args(args, namespace)
        options = [option for option in unknown if option.startswith("--")]
        if options:
            option = options[0].partition("=")[0]
            hint = nearest(option, self._option_string_actions)
            self.error(f"there is no option {option}{hint}")
        return known, unknown

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Refuse a value that is none of an argument's choices; name one that is like it."""
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        spelt = {choice.lower(): choice for choice in choices}.get(str(value).lower())
        hint = f" (did you mean {spelt}?)" if spelt else nearest(str(value), choices)
        message = f"invalid choice: {value!r}{hint} (choose from {', '.join(choices)})"
        raise argparse.ArgumentError(action, message)


class PrintCompletion(argparse.Action):
    """Print a script by which a shell completes commands and options with the Tab key, and exit."""

    def __call__(
        self, parser: argparse.ArgumentParser, _namespace: Any, shell: Any, _option: Any = None
    ) -> NoReturn:
        """Print the script for a shell: bash, zsh or fish."""
        try:
            import shtab
        except ModuleNotFoundError:
            parser.error("shtab is not installed: pip install shtab")
        completed = make_parser()
        commands: Any = completed._subparsers
        for command in commands._group_actions[0].choices.values():
            for action in command._actions:
                if action.type is Path:
                    action.complete = shtab.FILE
        print(shtab.complete(completed, shell))
        parser.exit()


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
    """Return EE's threshold or easy weight as a float, or its rule's name unchanged."""
    try:
        return float(text)
    except ValueError:
        return text


def baseline(text: str) -> str | list[float]:
    """Return the text of `--baseline` as an encoder's setting."""
    from ..embedding.baselines import HOW_TO, parse

    try:
        return parse(text)
    except ValueError:
        raise argparse.ArgumentTypeError(HOW_TO) from None


class Command:
    """A subcommand, to which options are added with their help texts from help.yaml.

    Parameters
    ----------
    parser : ArgumentParser
        The parser of the subcommand.
    texts : dict of str to str
        Help text of each option, by one of its names.
    """

    def __init__(self, parser: argparse.ArgumentParser, texts: dict[str, str]) -> None:
        self.parser = parser
        self._texts = texts

    def options(self, *title: str) -> Add:
        """Add an option group with a title and a description; return a function that adds options
        to it: `add_argument` with the help text."""
        group = self.parser.add_argument_group(*title) if title else self.parser

        def add(*names: str, known: Iterable[str] = (), **settings: Any) -> None:
            """Add an option; `known` are the names that its help text lists."""
            texts = [self._texts[name] for name in names[::-1] if name in self._texts]
            text = texts[0].replace("{known}", ", ".join(known))
            group.add_argument(*names, help=text, **settings)

        return add


def make_parser(filled: Collection[str] | None = None) -> argparse.ArgumentParser:
    """Return the argument parser of `mt-difficulty` and its subcommands.

    Parameters
    ----------
    filled : collection of str, optional
        The subcommands whose options are added, by default all. The others have none.

    Returns
    -------
    ArgumentParser
    """
    help_texts = read_yaml(Path(__file__).with_name("help.yaml"))
    layout = argparse.RawDescriptionHelpFormatter
    parser = Parser(
        prog="mt-difficulty",
        description=help_texts["description"],
        epilog=help_texts["exit_codes"],
        formatter_class=layout,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument(
        "--print-completion",
        action=PrintCompletion,
        choices=SHELLS,
        metavar="SHELL",
        help=help_texts["print_completion"],
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, add_options in COMMANDS.items():
        texts = help_texts["commands"][name]
        example = f"example:\n  mt-difficulty {name} {texts['example']}"
        subparser = commands.add_parser(
            name,
            formatter_class=layout,
            help=texts["summary"],
            description=texts["description"],
            epilog=f"{example}\n\n{help_texts['exit_codes']}",
        )
        if filled is None or name in filled:
            add_options(Command(subparser, help_texts["options"] | texts["options"]))
    return parser


# Options that several subcommands share


def _add_texts(command: Command, default: str | None) -> None:
    """Add options that `score` and `hard` share: input texts and the difficulty estimator."""
    from ..embedding.baselines import AUTO
    from ..scoring.texts import estimators_of_texts

    add = command.options("texts", "UTF-8, one segment a line, line by line the same")
    add("references", nargs="*", type=Path, metavar="REF")
    add("--ref", **FILES)
    add("--num-refs", **whole(1, 100), default=1)
    add("-i", "--hyp", "--input", dest="hyp", **FILES)
    add("--src", **FILE)
    add("--src-lang", **LANGUAGE)
    add("--lang", **LANGUAGE)
    add("--documents", **FILE)
    add("-t", "--test-set", metavar="CAMPAIGN")
    add("-l", "--language-pair", metavar="PAIR")
    add("--archive", **PATH)
    add = command.options("difficulty")
    add("--difficulty", default=default, metavar="NAME|FILE", known=estimators_of_texts())
    add("--threshold", dest="h", type=number_or_rule, metavar="H")
    _add_former_name(command, "--h", dest="h", type=number_or_rule)
    add("--encoder", type=Path, metavar="FOLDER")
    add("--layer", **whole())
    add("--baseline", type=baseline, default=AUTO, metavar="RULE|B")


def _add_former_name(command: Command, name: str, **settings: Any) -> None:
    """Accept the former name of an option, which its help does not list."""
    command.parser.add_argument(name, default=argparse.SUPPRESS, help=argparse.SUPPRESS, **settings)


def _add_output(command: Command, top: int | None) -> Add:
    """Add the output options of `score` or `hard`; return a function to add more."""
    add = command.options("output")
    add("--top", **whole(), default=top)
    add("--format", default="text", choices=["text", "tsv", "json", "latex"])
    add("-q", "--quiet", action="store_true")
    return add


def _add_gold_settings(add: Add) -> None:
    """Add the settings of golds to `annotations` or `correlate`."""
    from ..scoring.parameters import MOST_RESAMPLES

    add("--mixed-response", dest="mixed.response", choices=["raw", "z"])
    add("--mixed-resamples", dest="mixed.resamples", **whole(0, MOST_RESAMPLES))
    add("--mixed-seed", dest="mixed.seed", **whole())


def _add_unit(add: Add) -> None:
    """Add the option `--unit`: what is resampled."""
    from ..evidence.units import UNITS

    add("--unit", choices=UNITS, default=UNITS[0])


def _add_seed(add: Add) -> None:
    """Add the option `--seed`."""
    from ..scoring.parameters import SEED

    add("--seed", **whole(), default=SEED)


def _add_set(add: Add) -> None:
    """Add the arguments SET, `--archive`, `--hyp`, `--out` to `select` or `estimates`."""
    add("set", metavar="SET")
    add("--archive", **PATH)
    add("--hyp", **FILES)
    add("--out", **FILE)


# Options of each subcommand


def _add_score(command: Command) -> None:
    """Add the options of `score`."""
    from ..metrics import named_metrics
    from ..scoring.parameters import MOST_RESAMPLES
    from ..scoring.texts import weightings_of_texts

    _add_texts(command, default=None)
    add = command.options("scores")
    metrics = list(named_metrics())
    spelt = {name.lower(): name for name in metrics}
    add(
        "-m",
        "--metric",
        "--metrics",
        type=lambda text: spelt.get(text.lower(), text),
        choices=metrics,
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
    add("--easy-weight", dest="w", type=number_or_rule, metavar="W")
    _add_former_name(command, "--w", dest="w", type=number_or_rule)
    add("--share", type=float, default=0.1)
    add("--softmax", type=float, metavar="X")
    _add_unit(add)
    add("--resamples", **whole(0, MOST_RESAMPLES), default=None)
    _add_seed(add)
    add = _add_output(command, None)
    add("-w", "--width", **whole(0, 15))
    add("--html", **FILE)
    add("-b", "--score-only", action="store_const", dest="format", const="numbers")


def _add_hard(command: Command) -> None:
    """Add the options of `hard`."""
    from ..scoring.texts import DEFAULT_DIFFICULTY

    _add_texts(command, default=DEFAULT_DIFFICULTY)
    add = _add_output(command, 20)
    add("--hypotheses", **whole(), default=3)
    add("--within-length", action="store_true")


def _add_select(command: Command) -> None:
    """Add the options of `select`."""
    from ..scoring.choosing import BY, COSTS

    _add_set(command.options())
    add = command.options("choice")
    add("--by", required=True, metavar="METHOD|FILE", known=BY)
    add("--budget", required=True, **whole(1))
    add("--cost", default="segments", choices=COSTS)
    add("--documents", **FILE)
    add("--whole-documents", action="store_true")
    add("--scores", **FILE)
    add("--src-lang", **LANGUAGE)
    _add_unit(add)
    _add_seed(add)
    add = command.options("output")
    add("--format", default="tsv", choices=["tsv", "json", "jsonl", "pearmut"])
    add("--judge", **FILE)


def _add_estimates(command: Command) -> None:
    """Add the options of `estimates`."""
    add = command.options()
    add("action", choices=["template"])
    _add_set(add)
    add("--of-hypotheses", action="store_true")


def _add_validate(command: Command) -> None:
    """Add the options of `validate`."""
    add = command.options()
    add("config", type=Path, nargs="+")
    add("--archive", **PATH)
    add("--no-neural", action="store_true")
    add("--no-papers", action="store_true")


def _add_export(command: Command) -> None:
    """Add the options of `export`."""
    add = command.options()
    add("results", type=Path, metavar="RESULTS")
    for name in ("set", "metric", "weighting"):
        add(f"--{name}", nargs="+", metavar=name.upper())
    add("--out", required=True, type=Path, metavar="FOLDER")


def _add_correlate(command: Command) -> None:
    """Add the options of `correlate`."""
    from ..scoring.parameters import MOST_RESAMPLES, OFFICIAL, RESAMPLES
    from ..scoring.texts import estimators_of_texts
    from ..statistics import STATISTICS

    add = command.options()
    add("set", nargs="+", metavar="SET")
    add("--archive", **PATH)
    add("--scores", nargs="+", metavar="FILE")
    add("-m", "--metric", nargs="+", metavar="METRIC")
    add("--src-lang", **LANGUAGE)
    add("--lang", **LANGUAGE)
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
    _add_gold_settings(add)
    add("--documents", metavar="FILE")
    _add_unit(add)
    add("--resamples", **whole(1, MOST_RESAMPLES), default=RESAMPLES)
    _add_seed(add)
    add("-w", "--width", **whole(0, 15), default=3)
    add("--format", default="text", choices=["text", "csv", "tsv", "json"])


def _add_layers(command: Command) -> None:
    """Add the options of `layers`."""
    add = command.options()
    add("set", metavar="SET")
    add("--encoder", required=True, type=Path, metavar="FOLDER")
    add("--archive", **PATH)
    add("--gold", metavar="NAME")
    add("--reference", metavar="NAME")
    add("--lang", **LANGUAGE)
    add("--segments", **whole(2), default=200)
    _add_seed(add)
    add("--format", default="text", choices=["text", "csv", "tsv", "json"])


def _add_annotations(command: Command) -> None:
    """Add the options of `annotations`."""
    from ..gold import ADJUSTED, GOLDS

    add = command.options()
    add("files", nargs="+", type=Path, metavar="FILE")
    add("--campaign", metavar="NAME")
    add("--folder", type=Path, metavar="FOLDER")
    add("--language-pair", metavar="PAIR")
    add("--archive", **PATH)
    add("--gold", nargs="*", default=[ADJUSTED], choices=[*GOLDS], metavar="GOLD")
    _add_gold_settings(add)
    add("--format", default="text", choices=["text", "tsv", "json"])


# The subcommands, in the order of the help.
COMMANDS: dict[str, Callable[[Command], None]] = {
    "score": _add_score,
    "hard": _add_hard,
    "select": _add_select,
    "estimates": _add_estimates,
    "validate": _add_validate,
    "export": _add_export,
    "correlate": _add_correlate,
    "layers": _add_layers,
    "annotations": _add_annotations,
}
