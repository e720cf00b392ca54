# What a run prints at its end: its results, and what went wrong; and how Ctrl-C ends it.

import atexit
import signal
import textwrap
import threading

from snakemake.logging import logger

# An error in a rule's log, without what Python or Snakemake adds, or Slurm's in the log of its job,
# other than that the job has ended.
ERROR = re.compile(
    r"^(?:ERROR.*(?:\n(?!Traceback|RuleException|\[|$).*)*"
    r"|(?:slurmstepd|srun)(?!.*Exited with exit code).*error.*)",
    re.M,
)
CRASH = re.compile(r"^[\w.]+(?:Error|Exception): .+", re.M)  # where a traceback ends


def interrupt_once(*_):
    """End the run at the first SIGINT. Further ones, while Snakemake waits for its jobs to end, would
    break off its own clean-up with a traceback. `SystemExit` has no traceback, and Snakemake ends the
    jobs at it as at `KeyboardInterrupt`."""
    global INTERRUPTED
    if not INTERRUPTED:
        INTERRUPTED = True
        logger.addFilter(leave_out_errors)
        # After Snakemake's own last words.
        atexit.register(print_interruption)
        sys.exit(130)


def print_interruption():
    """Say how far the run is. A process of a single job says nothing."""
    if workflow.is_main_process:
        if workflow.scheduler is None:
            text = describe_interruption()
        else:
            text = describe_interruption(
                workflow.scheduler.finished_jobs,
                len(workflow.dag),
                submitted=not workflow.local_exec,
            )
        print(text, file=sys.stderr)


# Before the logger of `make` reads them.
logger.addFilter(make_missing_logs)

INTERRUPTED = False
if signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
    signal.signal(signal.SIGINT, interrupt_once)
# The launcher of `make` has blocked Ctrl-C until here.
signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])


def cancel_timers():
    """Let Snakemake end at once. For every job it has started a timer of `max-jobs-per-timespan`, after
    which it would look for further jobs; a process ends when its last timer does."""
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.cancel()


def job_errors():
    """Errors in this run's logs, each once. Slurm's follow the path of their log, which its plugin keeps
    of failed jobs."""
    slurm = getattr(workflow.executor_settings, "logdir", None)
    folders = filter(None, [f"{RESULTS}/logs", slurm])
    logs = {path for folder in folders for path in Path(folder).rglob("*.log")}
    new = (path for path in sorted(logs) if path.stat().st_mtime > STARTED)
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in new}
    return dict.fromkeys(
        textwrap.indent(error if error.startswith("ERROR") else f"{path}: {error}", "  ")
        for path, text in texts.items()
        for error in ERROR.findall(text) or CRASH.findall(text)[-1:]
    )


def remove_outdated_pages():
    """Remove pages whose numbers differ from tables that this run has made again."""
    reason = "it shows results that have been made again; removed, a whole run makes it again"
    for page in map(Path, outdated(outputs.made_from(PLAN))):
        if page.name == "report.html":
            print(f"notice: {page}: {reason}", file=sys.stderr)
            for file in ("report.html", "report.json", "segments.js"):
                page.with_name(file).unlink(missing_ok=True)


def print_results():
    """Print the beginning of a whole run's summary, the findings of a study or bench, or a target's
    files."""
    texts = {"all": SUMMARY, "study": f"{RESULTS}/study/findings.txt"}
    texts |= {"difficulty": f"{RESULTS}/estimators/findings.txt"}
    for target in sorted(workflow.dag_settings.targets) or ["all"]:
        if target in texts:
            text = Path(texts[target]).read_text(encoding="utf-8")
            if target == "all":  # the details that follow are in the file
                text, _, _ = text.partition("\n\n")
            print(text)
        elif target == "fetch":
            print("What the run needs from the network is here.")
        else:
            print(f"{target}:", *outputs.partial_targets(PLAN).get(target, [target]), sep="\n  ")
