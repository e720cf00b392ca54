"""Run the command-line program `mt-difficulty` as `python -m mt_difficulty`."""

import sys

from .cli import main

if __name__ == "__main__":
    sys.exit(main())
