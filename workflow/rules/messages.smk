# What a run prints: its progress, its results, and what went wrong.

import atexit
import logging
import textwrap

from snakemake.settings.enums import Quietness
from snakemake_interface_logger_plugins.common import LogEvent

# Messages of Snakemake that are not about a job or a file.
NOISE = re.compile("Select jobs|Execute .* jobs|Using shell|Conda env|Assuming unres|Reasons:")
QUIET = {LogEvent.JOB_FINISHED, LogEvent.RESOURCES_INFO}
# An error in a rule's log, without a traceback that follows, or Slurm's in the log of its job.
ERROR = re.compile(r"^(?:ERROR.*(?:\n(?!Traceback|\[|$).*)*|(?:slurmstepd|srun).*error.*)", re.M)
CRASH = re.compile(r"^[\w.]+(?:Error|Exception): .+", re.M)  # where a traceback ends

PRINTED = set()  # tenths of the steps, and events


def shorten(record):
    """Filter Snakemake's messages: the number of done steps is one line that moves, or, outside of a
    terminal, a line for every tenth; a dry run lists the jobs of every rule once."""
    event, terminal = getattr(record, "event", None), sys.stderr.isatty()
    if event == LogEvent.PROGRESS:
        minutes, tenth = (time.time() - STARTED) / 60, 10 * record.done // record.total
        end = "\r" if terminal and record.done < record.total else "\n"
        if terminal or tenth not in PRINTED:
            text = f"{record.done} of {record.total} steps, {minutes:.0f} min"
            print("\033[K" * terminal + text, end=end, file=sys.stderr, flush=True)
        PRINTED.add(tenth)
        return False
    shown = event not in QUIET and not NOISE.match(record.getMessage())
    if event == LogEvent.RUN_INFO:
        shown = workflow.dryrun and event not in PRINTED
        PRINTED.add(event)
    if shown and terminal:
        print("\033[K", end="", file=sys.stderr, flush=True)
    return shown


# For a run that is quiet about rules; Snakemake's log file has all messages.
about_rules = Quietness.RULES not in (workflow.output_settings.quiet or ())
for handler in workflow.logger_manager.logger.handlers:
    if handler.name == "DefaultStreamHandler" and workflow.modifier.is_main_snakefile():
        handler.filters += [] if about_rules else [shorten]


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
    """Print the summary of a whole run, the findings of a study or bench, or a target's files."""
    texts = {"all": SUMMARY, "study": f"{RESULTS}/study/findings.txt"}
    texts |= {"difficulty": f"{RESULTS}/estimators/findings.txt"}
    for target in sorted(workflow.dag_settings.targets) or ["all"]:
        if target in texts:
            print(Path(texts[target]).read_text(encoding="utf-8"))
        elif target == "fetch":
            print("What the run needs from the network is here.")
        else:
            print(f"{target}:", *outputs.partial_targets(PLAN).get(target, [target]), sep="\n  ")
