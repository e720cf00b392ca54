"""The command `mt-difficulty`: difficulty-aware scores of a user's own texts."""

import argparse
import os
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from ..errors import InputError, errors_of_input, printable
from .arguments import make_parser

# Exit codes.
BAD_INPUT = 1
WRONG_USAGE = 2
INTERRUPTED = 130
# Module and function of each subcommand.
RUNS = {
    "score": "report.report",
    "hard": "report.report",
    "validate": "validate.validate",
    "select": "select.select",
    "estimates": "select.estimates",
    "correlate": "stored.correlate",
    "export": "stored.export",
    "layers": "layers.layers",
    "annotations": "annotations.annotations",
}


def main(argv: list[str] | None = None) -> int:
    """Run `mt-difficulty` with arguments `argv`, by default the shell's; return the exit code."""
    if sys.stdout is None:
        tell("ERROR: standard output is closed. Send it to a file, or to /dev/null.")
        return BAD_INPUT
    if isinstance(sys.stdout, TextIOWrapper):
        # In every locale any text can be printed, and JSON is in UTF-8.
        sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        words = sys.argv[1:] if argv is None else argv
        if not words:
            make_parser([]).print_help(sys.stderr)
            return WRONG_USAGE
        arguments = make_parser(words).parse_args(words)
        # A subcommand's module is imported only when it runs: --help stays fast.
        module, function = RUNS[arguments.command].split(".")
        run = getattr(import_module(f".{module}", __name__), function)
        code = errors_of_input(run)(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader of stdout has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        pass
    except InputError as error:
        tell(f"ERROR: {error}")
        return BAD_INPUT
    except MemoryError as error:
        details = f" ({error})" if str(error) else ""
        tell(
            f"ERROR: the memory does not suffice{details}. Are lines segments, not whole documents?"
        )
        return BAD_INPUT
    return INTERRUPTED


def check_output(option: str, out: Path | None, read: Iterable[str | Path | None]) -> None:
    """Check a file that a command is to write, before it is written.

    Parameters
    ----------
    option : str
        The option that names it, for messages.
    out : Path, optional
        None is standard output.
    read : iterable of str, Path or None
        Files and folders that the command reads.

    Raises
    ------
    InputError
        If it is one of those, or lies in one of the folders.
    """
    if out is None:
        return
    for file in (Path(path) for path in read if path):
        if out.resolve().is_relative_to(file.resolve()):
            raise InputError(f"{option} {out}: {file} is read. Name another file.")


def settings_of_golds(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the values of options such as `--mixed-response` that are given, by gold and setting:
    `mixed.response`."""
    return {
        option: value
        for option, value in vars(arguments).items()
        if "." in option and value is not None
    }


def stated_golds(arguments: argparse.Namespace, golds: Sequence[str]) -> list[dict[str, Any]]:
    """Return golds with the settings that options such as `--mixed-response` (mixed.response) give.

    Parameters
    ----------
    arguments : argparse.Namespace
    golds : sequence of str
        Names of the golds.

    Returns
    -------
    list of dict
        Type and settings of each gold.

    Raises
    ------
    InputError
        If there are settings of another gold.
    """
    stated: dict[str, dict[str, Any]] = {gold: {"type": gold} for gold in golds}
    for option, value in settings_of_golds(arguments).items():
        gold, _, setting = option.partition(".")
        if gold not in stated:
            raise InputError(
                f"--{gold}-{setting} is a setting of the gold {gold}, which is not computed. Name "
                f"it (--gold {gold}), or leave out the setting."
            )
        stated[gold][setting] = value
    return list(stated.values())


def tell(line: str) -> None:
    """Print a line to stderr, with its control characters escaped."""
    print(printable(line), file=sys.stderr, flush=True)
