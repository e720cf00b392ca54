"""The logs that errors name exist; jobs that Ctrl-C has ended are no errors."""

import logging

import pytest
from snakemake_interface_logger_plugins.common import LogEvent

from mt_difficulty.plan.logs import describe_interruption, leave_out_errors, make_missing_logs


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


@pytest.mark.parametrize(
    ("event", "text", "is_kept"),
    [
        (LogEvent.JOB_ERROR, "Error in rule score_systems", False),
        (LogEvent.GROUP_ERROR, "Error in group set", False),
        (LogEvent.ERROR, "WorkflowError:\nAt least one job did not complete successfully.", False),
        (None, "Complete log(s): /home/me/.snakemake/log/2026.snakemake.log", False),
        (None, "Terminating processes on user request, this might take some time.", True),
        (None, "Unable to cancel jobs using scancel", True),
        (LogEvent.JOB_FINISHED, "Finished job", True),
    ],
)
def test_errors_of_jobs_that_ctrl_c_has_ended_are_left_out(event, text, is_kept):
    record = logging.makeLogRecord({"levelno": logging.ERROR, "msg": text, "event": event})
    assert leave_out_errors(record) == is_kept


def test_the_last_words_after_ctrl_c_say_how_far_the_run_is():
    last = "Interrupted: 3 of 17 steps are done. The same command continues."
    assert describe_interruption() == "Interrupted. The same command continues."
    assert describe_interruption(3, 17) == last
    words = describe_interruption(3, 17, submitted=True).splitlines()
    assert words == ["Jobs that had not ended were removed from the queue.", last]
