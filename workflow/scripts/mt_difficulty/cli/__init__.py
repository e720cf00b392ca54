"""The command `mt-difficulty`: difficulty-aware scores of a user's own texts."""

import os
import sys
from importlib import import_module
from io import TextIOWrapper

from ..errors import InputError, errors_of_input, printable
from .arguments import make_parser

BAD_INPUT, WRONG_USAGE, INTERRUPTED = 1, 2, 130
# Module and function of each subcommand.
RUNS = {"score": "report.report", "hard": "report.report", "validate": "validate.validate"}
RUNS |= {"select": "select.select", "estimates": "select.estimates"}
RUNS |= {"correlate": "stored.correlate", "export": "stored.export"}


def main(argv: list[str] | None = None) -> int:
    """Run `mt-difficulty` with arguments `argv`, by default the shell's; return the exit code."""
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # prints any text
    try:
        if not (sys.argv[1:] if argv is None else argv):
            make_parser().print_help(sys.stderr)
            return WRONG_USAGE
        arguments = make_parser().parse_args(argv)
        # A subcommand's module is imported only when it runs: --help stays fast.
        module, function = RUNS[arguments.command].split(".")
        run = getattr(import_module(f".{module}", __name__), function)
        code = errors_of_input(run)(arguments)
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except KeyboardInterrupt:
        pass
    except InputError as error:
        tell(f"ERROR: {error}")
        return BAD_INPUT
    return INTERRUPTED


def tell(line: str) -> None:
    """Print a line to stderr, with its control characters escaped."""
    print(printable(line), file=sys.stderr, flush=True)
