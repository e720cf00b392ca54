"""What Snakemake logs: the logs of jobs that failed, and what Ctrl-C has ended."""

import logging
from pathlib import Path

from ..storage import write_text

# Events of Snakemake that report an error (`LogEvent`).
ERRORS = ("error", "job_error", "group_error")
# Snakemake's words at the end of a run that failed.
LAST_WORDS = ("Complete log", "--keep-incomplete mode is set")


def make_missing_logs(record: logging.LogRecord) -> bool:
    """Make the logs that an error of Snakemake names and that do not exist.

    A filter of Snakemake's logger. The logger of `make` reads the logs of a job that failed, and a
    job that was killed may have written none.

    Parameters
    ----------
    record : LogRecord
        Of a failed job if its attribute `log` has paths of logs.

    Returns
    -------
    bool
        True: no record is dropped.
    """
    if record.levelno >= logging.ERROR:
        for log in getattr(record, "log", None) or ():
            if not Path(log).exists():
                write_text(log, "")
    return True


def leave_out_errors(record: logging.LogRecord) -> bool:
    """Drop what Snakemake says of the jobs that Ctrl-C has ended, as if they had failed.

    A filter of Snakemake's logger, for the time after Ctrl-C.

    Parameters
    ----------
    record : LogRecord

    Returns
    -------
    bool
        False for errors of jobs and of the run, and for Snakemake's last words.
    """
    if getattr(record, "event", None) in ERRORS:
        return False
    return not record.getMessage().startswith(LAST_WORDS)


def describe_interruption(done: int = 0, total: int = 0, *, submitted: bool = False) -> str:
    """Return the last words of a run that Ctrl-C has ended.

    Parameters
    ----------
    done : int
        Steps that have ended.
    total : int
        Steps of the run; 0 if they are not known.
    submitted : bool
        Whether the run submits its jobs to a cluster.

    Returns
    -------
    str
    """
    text = f"Interrupted: {done} of {total} steps are done." if total else "Interrupted."
    if total and submitted:
        text = f"Jobs that had not ended were removed from the queue.\n{text}"
    return f"{text} The same command continues."
