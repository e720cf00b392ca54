"""Scores of a user's program, such as COMET or MetricX in an environment of its own."""

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..data.evalset import EvaluationSet
from ..data.score_files import read_only_metric
from ..data.score_formats import COMET_LINE, LARGEST, NUMBER
from ..data.text_files import read_lines
from ..errors import InputError, printable, shortened
from .base import Metric

# Texts of which a command may take the paths, in braces.
HYPOTHESIS = "hypothesis"
TEXTS = ("source", HYPOTHESIS, "reference")
SHOWN = 10  # lines of a program's stderr that an error has
NOT_FOUND = 127  # bash's exit status for a program that does not exist
# The workflow puts this folder, its own modules, on Python's path.
SCRIPTS = Path(__file__).parents[2]


class Command(Metric):
    """Scores that a program of yours prints, one a line for each segment. A system's score is the
    mean of its segments' scores.

    The command runs in bash, once for each system, in the folder in which the run was started, and
    ends at the first program that fails. The output of comet-score is read, too. A metric whose
    command has no {reference} is reference-free.

    Parameters
    ----------
    command : str
        The command, with {hypothesis} and, as the metric needs them, {source} and {reference}: the
        paths of text files with a segment a line, without line breaks within segments. The braces
        need no quotes.
    higher_is_better : bool
        Direction of the program's scores. If false, as for MetricX, their sign is changed, as in
        the archive.
    environment : str
        The YAML file, or the folder, of a conda environment to run the command in; only with
        `--software-deployment-method conda`.
    """

    reads = "command"

    def __init__(
        self, pair: str, command: str, *, higher_is_better: bool = True, environment: str = ""
    ) -> None:
        super().__init__(pair)
        if f"{{{HYPOTHESIS}}}" not in command:
            raise ValueError(f"command: expected {{{HYPOTHESIS}}} in it, found `{command}`")
        self.command = command
        self.environment = environment
        self.sign = 1 if higher_is_better else -1
        self.signature = f"command:{command}"
        if not higher_is_better:
            self.signature += "|sign:changed"

    def evaluate(
        self, evalset: EvaluationSet, source: str | Path, progress: Callable = iter
    ) -> np.ndarray:
        """Run the command for every system.

        Parameters
        ----------
        evalset : EvaluationSet
        source : path
            Not used.
        progress : callable
            Wraps the iteration over systems (tqdm).

        Returns
        -------
        ndarray of shape (systems, segments, 1)

        Raises
        ------
        Missing
            The set lacks a text that the command takes.
        InputError
            The program fails, or does not print a number for every segment.
        """
        self.check_inputs(evalset, source)
        scores = []
        with tempfile.TemporaryDirectory() as folder:
            files = {name: Path(folder, f"{name}.txt") for name in TEXTS}
            _write_segments(files["source"], evalset.source)
            _write_segments(files["reference"], evalset.reference)
            for index in progress(range(len(evalset.systems))):
                system = evalset.systems[index]
                hypotheses = evalset.hypotheses[index]
                _write_segments(files[HYPOTHESIS], hypotheses)
                output = Path(folder, "output.txt")
                completed = self._run(files, output)
                try:
                    _check_status(completed.returncode)
                    scores.append(_read_printed(output, len(hypotheses)))
                except InputError as error:
                    raise InputError(
                        f"system {system}: {error} The command: {self.command}"
                        f"{_last_lines(completed.stderr)}"
                    ) from None
        return self.sign * np.array(scores)[:, :, None]

    def check_inputs(self, evalset: EvaluationSet, source: str | Path) -> None:
        evalset.require_texts()
        if "{source}" in self.command:
            evalset.require_source()
        if "{reference}" in self.command:
            evalset.require_reference()

    def _run(self, files: dict[str, Path], output: Path) -> subprocess.CompletedProcess[bytes]:
        """Run the command on text files, and write what it prints to `output`."""
        command = self.command
        for name, path in files.items():
            placeholder = f"{{{name}}}"
            # The path has the quotes that it needs; within further ones these would be part of it.
            for quoted in (f'"{placeholder}"', f"'{placeholder}'"):
                command = command.replace(quoted, placeholder)
            command = command.replace(placeholder, shlex.quote(str(path)))
        with output.open("wb") as printed:
            return subprocess.run(
                ["bash", "-e", "-o", "pipefail", "-c", command],
                stdin=subprocess.DEVNULL,
                stdout=printed,
                stderr=subprocess.PIPE,
                env=_environment_variables(),
                check=False,
            )


def named_files(command: str) -> list[Path]:
    """Return the existing files of which a command has the paths, such as a script of the user's.

    Parameters
    ----------
    command : str
        `~` and variables in it are expanded.

    Returns
    -------
    list of Path
        In the order of the command, without programs that bash looks for on PATH.
    """
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    words.commenters = ""
    try:
        unquoted = list(words)
    except ValueError:  # a quote is not closed: bash will say so
        unquoted = command.split()
    paths = [os.path.expandvars(os.path.expanduser(word)) for word in unquoted]
    return [Path(path) for path in paths if os.path.isfile(path)]


def _environment_variables() -> dict[str, str]:
    """Return the variables of this process without the workflow's own modules in PYTHONPATH."""
    variables = dict(os.environ)
    searched = variables.pop("PYTHONPATH", "").split(os.pathsep)
    of_user = [folder for folder in searched if folder and not _is_own(folder)]
    if of_user:
        variables["PYTHONPATH"] = os.pathsep.join(of_user)
    return variables


def _is_own(folder: str) -> bool:
    """Return whether a folder is that of the workflow's modules."""
    return Path(folder).resolve() == SCRIPTS.resolve()


def _check_status(status: int) -> None:
    """Raise `InputError` if the command failed."""
    if status == NOT_FOUND:
        raise InputError(
            f"exit status {status}, a program was not found. Install it, or name it by its path or "
            "its conda environment (`environment`)."
        )
    if status:
        raise InputError(f"exit status {status}.")


def _last_lines(stderr: bytes) -> str:
    """Return the last lines that a program wrote on stderr, indented, each after a line break."""
    lines = [line for line in stderr.decode(errors="replace").splitlines() if line.strip()]
    return "".join(f"\n  {printable(line)}" for line in lines[-SHOWN:])


def _write_segments(path: Path, segments: Sequence[str]) -> None:
    """Write a segment a line. What a program could take for a line break becomes a space."""
    lines = [" ".join(segment.splitlines()) + "\n" for segment in segments]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def _read_printed(path: Path, segments: int) -> list[float]:
    """Return the scores that a program printed: numbers, one a line, or comet-score's output.

    Raises
    ------
    InputError
        For a line that is no finite number, scores of several files, or another number of scores
        than segments.
    """
    lines = read_lines(path)
    first = next((line for line in lines if line.strip()), "")
    if COMET_LINE.fullmatch(first):
        scores_by_file = read_only_metric(path).values
        if len(scores_by_file) > 1:
            raise InputError(
                f"the command printed comet-score's scores of {', '.join(scores_by_file)}; "
                f"expected those of one file, {{{HYPOTHESIS}}}. Give -t no other file."
            )
        (scores,) = scores_by_file.values()
    else:
        scores = [_number(line, number) for number, line in enumerate(lines, 1)]
    if len(scores) != segments:
        raise InputError(
            f"expected {segments} scores, one for each segment; the command printed {len(scores)}."
        )
    if not np.isfinite(scores).all():
        raise InputError("comet-score printed a score that is no finite number.")
    return scores


def _number(line: str, number: int) -> float:
    """Return the score in a line of the program's output; `InputError` if it is none."""
    text = line.strip()
    if NUMBER.fullmatch(text) and abs(float(text)) <= LARGEST:
        return float(text)
    raise InputError(
        f"line {number} of what the command printed: expected a score alone, found "
        f"`{shortened(line)}`. Print other messages on stderr."
    )
