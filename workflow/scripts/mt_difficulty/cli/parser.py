"""Arguments of `mt-difficulty`."""

import argparse
from typing import Any, NoReturn

from .. import __version__
from ..errors import printable
from .help_texts import (
    DESCRIPTION,
    ESTIMATES,
    EXAMPLES,
    EXIT_CODES,
    EXPORT,
    HARD,
    SCORE,
    SELECT,
    VALIDATE,
)
from .set_arguments import add_estimates, add_export, add_select, add_validate
from .text_arguments import add_hard, add_score


class Parser(argparse.ArgumentParser):
    """Errors are one line, whatever the arguments hold."""

    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def make_parser() -> argparse.ArgumentParser:
    """The parser of `mt-difficulty` and its subcommands."""
    from . import correlate  # which needs this package whole

    parser = Parser(
        prog="mt-difficulty",
        description=DESCRIPTION,
        epilog=EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    add_score(_command(commands, "score", SCORE, "score systems, also weighted by difficulty"))
    add_hard(_command(commands, "hard", HARD, "list the hardest segments"))
    add_select(_command(commands, "select", SELECT, "choose segments for a human evaluation"))
    add_estimates(
        _command(commands, "estimates", ESTIMATES, "a file to fill with difficulty estimates")
    )
    add_validate(_command(commands, "validate", VALIDATE, "check a config and its data"))
    add_export(_command(commands, "export", EXPORT, "write a run's scores as WMT archive files"))
    summary = "agreement of metric scores with human scores"
    correlate.add_arguments(_command(commands, "correlate", correlate.CORRELATE, summary))
    return parser


def _command(commands: Any, name: str, description: str, summary: str) -> argparse.ArgumentParser:
    return commands.add_parser(
        name,
        help=summary,
        description=description,
        epilog=f"example:\n  {EXAMPLES[name]}\n\n{EXIT_CODES}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
