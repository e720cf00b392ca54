"""The logs that errors name exist."""

import logging

from mt_difficulty.plan.logs import make_missing_logs


def test_a_log_that_an_error_names_can_be_read(tmp_path):
    """Also of a job that was killed before it wrote one; what others wrote stays."""
    read = []

    class Reader(logging.Handler):
        """Reads the logs of a failed job, as the logger of `make` does."""

        def emit(self, record):
            read.append([path.read_text() for path in record.log])

    logger = logging.Logger("snakemake")
    logger.addFilter(make_missing_logs)
    logger.addHandler(Reader())
    written = tmp_path / "written.log"
    written.write_text("ERROR: no text\n")
    killed = tmp_path / "logs/rule/killed.log"
    logger.error("Error in rule", extra={"log": [written, killed]})
    assert read == [["ERROR: no text\n", ""]]


def test_logs_of_jobs_that_did_not_fail_are_not_made(tmp_path):
    record = logging.makeLogRecord({"levelno": logging.INFO, "log": [tmp_path / "started.log"]})
    assert make_missing_logs(record)
    assert make_missing_logs(logging.makeLogRecord({"levelno": logging.ERROR}))
    assert list(tmp_path.iterdir()) == []
