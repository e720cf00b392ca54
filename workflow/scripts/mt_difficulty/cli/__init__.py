"""The command `mt-difficulty`: difficulty-aware scores of texts of one's own."""

import os
import sys
from importlib import import_module
from typing import TextIO

from ..errors import InputError, Missing, explain, printable
from ..libraries import missing_extra
from .parser import make_parser

BAD_INPUT, INTERRUPTED = 1, 130


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code (argparse itself exits with 2)."""
    try:
        if sys.stdout is None:
            raise InputError("stdout is closed. Send the results to a file, or to /dev/null.")
        return _run(argv)
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # the reader has gone
        _drop(sys.stdout)
        return INTERRUPTED
    except (InputError, Missing) as error:
        tell(f"ERROR: {error}")
    except ModuleNotFoundError as error:
        hint = missing_extra(error.name or "")
        if hint is None:
            raise
        tell(f"ERROR: {hint}")
    except OSError as error:
        _drop(sys.stdout)
        tell(f"ERROR: {explain(error)}")
    except MemoryError:
        tell("ERROR: there is not enough memory. Take shorter texts or fewer --resamples.")
    finally:
        _drop(sys.stderr)  # argparse's messages, too
    return BAD_INPUT


def _run(argv: list[str] | None) -> int:
    try:
        arguments = make_parser().parse_args(argv)
        # A subcommand's module is imported only when it runs: --help stays fast.
        return import_module(f".{arguments.command}", __name__).run(arguments)
    finally:
        show("")


def show(text: str) -> None:
    """Write a text, and what was printed before; an OSError names stdout."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "stdout") from error


def note(notice: str) -> None:
    """Tell the user something beside the result."""
    tell(f"notice: {notice}")


def tell(line: str) -> None:
    """Print a line on stderr; where that cannot be written, results still are."""
    try:
        print(printable(line), file=sys.stderr, flush=True)
    except OSError:
        _drop(sys.stderr)


def _drop(stream: TextIO) -> None:
    """Forget what a stream cannot write: Python would complain of it once more at the end."""
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
