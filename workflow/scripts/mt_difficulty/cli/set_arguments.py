"""Arguments of the commands that read evaluation sets, configs or results."""

import argparse
from pathlib import Path

from .argument_types import budget, count, language
from .help_texts import RESULTS


def add_archive(parser: argparse.ArgumentParser) -> None:
    """--archive of commands that read a set of it."""
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help="a .tgz or an unpacked folder of the WMT archive (default: the downloaded one)",
    )


def _add_set(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "set",
        metavar="SET",
        help="a text file, a folder with source.txt, or a set of the archive: wmt23/en-de",
    )
    add_archive(parser)
    parser.add_argument(
        "--hyp",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="hypotheses, one file a system (default: those of the folder or the archive)",
    )
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="where the result is written (default: stdout)"
    )


def add_estimates(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=["template"], help="write a file to fill in")
    _add_set(parser)
    parser.add_argument(
        "--of-hypotheses",
        action="store_true",
        help="a line for each segment and system, with the hypothesis",
    )


def add_select(parser: argparse.ArgumentParser) -> None:
    from ..interface.selection import BY, COSTS
    from .choice_formats import FORMATS

    _add_set(parser)
    choice = parser.add_argument_group("choice")
    choice.add_argument(
        "--by",
        required=True,
        metavar="METHOD|FILE",
        help=f"{', '.join(BY)}, or a file of difficulty estimates",
    )
    choice.add_argument(
        "--budget", required=True, type=budget, metavar="N", help="what the choice may cost"
    )
    choice.add_argument(
        "--cost",
        default="segments",
        choices=COSTS,
        help="what the budget counts, of the source (default: segments)",
    )
    choice.add_argument(
        "--documents",
        type=Path,
        metavar="FILE",
        help="the document of each segment, one a line (default: those of the set)",
    )
    choice.add_argument(
        "--whole-documents",
        action="store_true",
        help="choose documents, by the mean of their segments",
    )
    choice.add_argument(
        "--scores",
        type=Path,
        metavar="FILE",
        help="a metric's segment scores, `system <tab> score` a line, those of a system in the "
        "order of the segments; higher is better",
    )
    choice.add_argument(
        "--src-lang",
        type=language,
        metavar="LANG",
        help="source language, as `en`: rarity and readability need it (default: that of the set)",
    )
    choice.add_argument(
        "--seed", type=count, default=2022, metavar="N", help="of what is random (default: 2022)"
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        default="tsv",
        choices=FORMATS,
        help="tsv; jsonl, one object a segment; or pearmut, a campaign file for the annotation "
        "platform of that name, with all systems' hypotheses (default: tsv)",
    )
    output.add_argument(
        "--judge",
        type=Path,
        metavar="FILE",
        help="human or metric scores of segments, in the form of --scores with None where there is "
        "none: say what the choice does to the ranking of systems",
    )


def add_validate(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "config",
        type=Path,
        nargs="+",
        help="the yaml files that CONFIG= would name, one merged over the other; before them "
        "data/demo/config.yaml for what `make run` takes",
    )
    parser.add_argument(
        "--archive",
        type=Path,
        metavar="PATH",
        help="a .tgz or an unpacked folder of the WMT archive, as ARCHIVE= would name it ("
        "default: the config's, or the downloaded one)",
    )
    parser.add_argument(
        "--no-neural", action="store_true", help="leave metrics out that need an encoder: NEURAL=no"
    )
    parser.add_argument(
        "--no-papers", action="store_true", help="leave out the papers' evaluation sets"
    )


def add_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("results", type=Path, metavar="RESULTS", help=RESULTS)
    for name, what, example in (
        ("set", "evaluation sets", "wmt19/en-de"),
        ("metric", "metrics", "BLEU"),
        ("weighting", "weightings", "standard EE"),
    ):
        parser.add_argument(
            f"--{name}",
            nargs="+",
            metavar=name.upper(),
            help=f"{what} of the run, such as {example} (default: all)",
        )
    parser.add_argument(
        "--out", required=True, type=Path, metavar="FOLDER", help="where the files are written"
    )
