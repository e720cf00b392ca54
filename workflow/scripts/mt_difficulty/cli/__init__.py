"""The command `mt-difficulty`: difficulty-aware scores of texts of one's own."""

import os
import sys
from importlib import import_module

from ..errors import InputError, Missing, explain, printable
from ..libraries import missing_extra
from .arguments import make_parser

BAD_INPUT, INTERRUPTED = 1, 130


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code (argparse itself exits with 2)."""
    try:
        try:
            arguments = make_parser().parse_args(argv)
            # A subcommand's module is imported only when it runs: --help stays fast.
            module = {"hard": "score", "estimates": "select"}.get(arguments.command)
            return import_module(f".{module or arguments.command}", __name__).run(arguments)
        finally:
            sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except InputError as error:
        message = str(error)
        # An error of a parameter names its option.
        if any(message.startswith(f"{name} {value}: ") for name, value in vars(arguments).items()):
            message = f"--{message}"
    except Missing as reason:
        message = str(reason)
    except ModuleNotFoundError as error:
        hint = missing_extra(error.name or "")
        if hint is None:
            raise
        message = hint
    except OSError as error:
        message = explain(error)
    tell(f"ERROR: {message}")
    return BAD_INPUT


def note(notice: str) -> None:
    """Tell the user something beside the result."""
    tell(f"notice: {notice}")


def tell(line: str) -> None:
    """Print a line on stderr."""
    print(printable(line), file=sys.stderr, flush=True)
