# Jobs on a cluster: what they ask for, and where their errors stand.

import math

# MB of a set's texts (texts.json) that are not here yet: a large set of WMT.
UNKNOWN_SIZE = 8


def sized(base, per_mb):
    """MB or minutes that a job needs: `base`, and `per_mb` for every MB of its set's texts, or of
    all sets; twice as much with every attempt. On sets of WMT that is 1.4 times what was measured, or
    more, Snakemake's own 0.3 GB included."""

    def amount(wildcards, attempt):
        names = [f"{wildcards.campaign}/{wildcards.pair}"] if "pair" in wildcards.keys() else SETS
        paths = [Path(RESULTS, name, "texts.json") for name in names]
        size = sum(p.stat().st_size / 1e6 if p.exists() else UNKNOWN_SIZE for p in paths)
        return math.ceil((base + per_mb * size) * 2 ** (attempt - 1))

    return amount


def matching_memory(wildcards, attempt):
    """PyTorch, the texts' matches, and an encoder's weights, twice while they are read."""
    weights = size_of_model(encoder_location(wildcards))
    return sized(1500 + 2 * weights, 50)(wildcards, attempt)


def difficulty_memory(wildcards, attempt):
    """What estimators take; of a model as above."""
    folder = model_folder(wildcards)
    base = 1500 + 2 * size_of_model(folder) if folder else 800
    return sized(base, 80)(wildcards, attempt)


def difficulty_runtime(wildcards, attempt):
    """A model takes as long as an encoder."""
    amount = sized(30, 30) if model_folder(wildcards) else sized(5, 2)
    return amount(wildcards, attempt)


def size_of_model(folder):
    """MB of a model's files; 0 without a folder."""
    files = encoders.files_of(folder) if folder else []
    return sum(path.stat().st_size for path in files) / 1e6


def logs_of_failed_jobs():
    """Slurm's logs of this run: its plugin deletes those of jobs that succeed."""
    folder = getattr(workflow.executor_settings, "logdir", None)
    return new_logs(folder, lock.lock_of_project()) if folder else []


def job_errors():
    """What jobs of this run have logged of errors."""
    logs = new_logs(f"{RESULTS}/logs", lock.lock_of_results(RESULTS))
    return dict.fromkeys(line for path in logs for line in error_lines(path))


def new_logs(folder, written):
    """This run's logs in a folder, by the lock that was `written` when it began."""
    return sorted(path for path in Path(folder).rglob("*.log") if is_new(path, written))


def error_lines(path):
    """What scripts and Slurm say of an error."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return [f"  {line}" for line in lines if re.match("ERROR|slurmstepd.*error", line)]
