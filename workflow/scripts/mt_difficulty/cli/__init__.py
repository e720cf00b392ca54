"""The command `mt-difficulty`: difficulty-aware scores of texts of one's own."""

import os
import sys
from importlib import import_module

from ..errors import InputError, Missing, explain
from .parser import make_parser

BAD_INPUT, INTERRUPTED = 1, 130


def main(argv: list[str] | None = None) -> int:
    """Run the command; returns its exit code (argparse itself exits with 2)."""
    arguments = make_parser().parse_args(argv)
    try:
        # A subcommand's module is imported only when it runs: --help stays fast.
        status = import_module(f".{arguments.command}", __name__).run(arguments)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone; Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return INTERRUPTED
    except (InputError, Missing) as error:
        print(f"ERROR: {error}", file=sys.stderr)
    except OSError as error:
        print(f"ERROR: {explain(error)}", file=sys.stderr)
    return BAD_INPUT


def note(notice: str) -> None:
    """Tell the user something beside the result."""
    print(f"notice: {notice}", file=sys.stderr)
