"""The logs of a run's jobs."""

import logging
from pathlib import Path

from ..storage import write_text


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
