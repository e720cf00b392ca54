"""Shared by all scripts: logging, errors that end a job, and use of time and memory."""

import signal
import sys

if hasattr(sys.modules["__main__"], "snakemake"):
    # Ctrl-C waits until `job` answers it: during an import it would print a traceback.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])

import gc
import logging
import os
import re
import threading
import time
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.errors import InputError, Missing, explain

INTERRUPTED = 130  # exit code after SIGINT
LINE_SECONDS = 60  # between two lines of progress
# A failing log (such as a full disk) must not hide the error.
logging.raiseExceptions = False
# Imports and WordNet make many lasting objects. Looking for garbage among them takes a tenth of the
# time.
gc.set_threshold(100_000, 50, 50)


def job(main):
    """Decorator for a script's `main`: run it where Snakemake executes the script."""
    if snakemake := main.__globals__.get("snakemake"):
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            run(main, snakemake)
        except KeyboardInterrupt:
            print(f"{snakemake.rule} was interrupted", file=sys.stderr)
            end(INTERRUPTED)
        end(0)
    return main


def end(code):
    """End the process. The ordinary exit frees memory piece by piece, which takes 0.07 s a job, and
    aborts if a thread of PyTorch still runs after an interrupt."""
    logging.shutdown()
    sys.stderr.flush()
    os._exit(code)


def run(main, snakemake):
    """Make a rule's results, or markers that say why there are none; log errors to the rule's log
    and to Snakemake's."""
    log = snakemake.log[0]
    logging.basicConfig(filename=log, filemode="w", format="%(message)s")
    try:
        try:
            main(snakemake)
        except Missing as missing:
            for output in snakemake.output:
                storage.write_missing(output, str(missing))
        storage.write_json(Path(log).with_suffix(".json"), usage())
    except (InputError, OSError) as error:
        text = f"ERROR: {explain(error) if isinstance(error, OSError) else error}"
        logging.error(text, exc_info=isinstance(error, OSError))
        sys.exit(text)
    except Exception:
        logging.exception("%s failed", snakemake.rule)
        raise


def progress(title, unit):
    """Return a function that wraps an iteration and shows how far it is: by a bar that moves in a
    terminal, elsewhere by a line a minute."""
    from tqdm import tqdm

    if sys.stderr.isatty():
        return lambda steps: tqdm(steps, desc=title, unit=unit)
    return lambda steps: in_lines(steps, title, unit)


def in_lines(steps, title, unit):
    """Yield the steps, and print a line a minute, also within a long step: how many have ended, the
    time since the first began, and the time left at their mean speed so far."""
    from tqdm import tqdm

    ended = threading.Event()
    start = time.monotonic()
    done = 0
    form = "{desc}{n_fmt} of {total_fmt} ({unit}), {elapsed}, {remaining} left"

    def print_lines():
        while not ended.wait(LINE_SECONDS):
            elapsed = time.monotonic() - start
            line = tqdm.format_meter(
                done, len(steps), elapsed, prefix=f"{title}: ", unit=unit, bar_format=form
            )
            print(line, file=sys.stderr, flush=True)

    thread = threading.Thread(target=print_lines, daemon=True)
    thread.start()
    try:
        for step in steps:
            yield step
            done += 1
    finally:
        ended.set()
        thread.join()


def usage():
    """Return CPU seconds and peak memory in MB of this process so far (Linux only)."""
    status = Path("/proc/self/status")
    resources = {"cpu_seconds": time.process_time()}
    if status.exists():
        peak = re.search(r"VmHWM:\s+(\d+)", status.read_text())
        resources["peak_memory"] = int(peak[1]) / 1000
    return resources
