"""The process of `mt-difficulty` and `python -m mt_difficulty`, set up before heavy imports."""

import atexit
import os
import signal
import sys
from io import TextIOWrapper

INTERRUPTED = 130


def main() -> int:
    """Run the command in a process of its own; returns its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # not where it is ignored
        signal.signal(signal.SIGINT, _end)
    if isinstance(sys.stdout, TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # prints any text
    from .cli import main

    return main()


def _end(*_: object) -> None:
    """End at once: inside of an import, a KeyboardInterrupt can be lost or become another error."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        atexit._run_exitfuncs()  # removes temporary folders
    finally:
        os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
