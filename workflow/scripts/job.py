"""What every script shares: its log, what happens when it cannot go on, and what it took."""

import logging
import re
import sys
import time
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.errors import InputError, Missing, explain

# A log on a full disk must not hide what is wrong.
logging.raiseExceptions = False


def run(main, snakemake):
    """Run a rule's `main`: errors go to the rule's log, and to Snakemake's."""
    try:
        work(main, snakemake)
    except InputError as error:
        logging.error("ERROR: %s", error)
        sys.exit(f"ERROR: {error}")
    except OSError as error:
        logging.exception("ERROR: %s", explain(error))
        sys.exit(f"ERROR: {explain(error)}")
    except Exception:
        logging.exception("%s failed", snakemake.rule)
        raise


def work(main, snakemake):
    """Make a rule's results, or a marker with the reason where one cannot be made."""
    if snakemake.log:
        logging.basicConfig(filename=snakemake.log[0], filemode="w", format="%(message)s")
    try:
        main(snakemake)
    except Missing as missing:
        for output in snakemake.output:
            storage.write_missing(output, str(missing))
    if snakemake.log:
        storage.write_json(Path(snakemake.log[0]).with_suffix(".json"), usage())


def usage():
    """What this process took so far: seconds of CPU, and the most memory, in MB (Linux only)."""
    status, found = Path("/proc/self/status"), {"cpu_seconds": time.process_time()}
    if status.exists():
        peak = re.search(r"VmHWM:\s+(\d+)", status.read_text())
        found["peak_memory"] = int(peak[1]) / 1000
    return found
