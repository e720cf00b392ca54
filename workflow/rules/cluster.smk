# Jobs on a cluster: what they ask for; and what a run prints at its end.

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


def needs(base, per_mb, minutes=(5, 0.5)):
    """Memory and time of a job, as of `sized`."""
    return {"mem_mb": sized(base, per_mb), "runtime": sized(*minutes)}


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


def job_errors():
    """Error lines of this run's logs; those of Slurm, whose plugin keeps the logs of failed jobs, after
    the path of the log."""
    slurm = getattr(workflow.executor_settings, "logdir", None)
    folders = filter(None, [f"{RESULTS}/logs", slurm])
    logs = {path for folder in folders for path in Path(folder).rglob("*.log")}
    return dict.fromkeys(
        f"  {line}" if line.startswith("ERROR") else f"  {path}: {line}"
        for path in sorted(logs)
        if path.stat().st_mtime > STARTED
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines()
        if re.match("ERROR|slurmstepd.*error", line)
    )


def remove_outdated_pages():
    """Leave no page beside tables that contradict it, after a run that made some tables again."""
    reason = "it shows results that have been made again; removed, a whole run makes it again"
    for page in map(Path, outdated(outputs.made_from(PLAN))):
        if page.name == "report.html":
            print(f"notice: {page}: {reason}", file=sys.stderr)
            for file in ("report.html", "report.json", "segments.js"):
                page.with_name(file).unlink(missing_ok=True)


def print_results():
    """The summary of a whole run, the findings of a study or bench, the files of other targets."""
    texts = {"all": SUMMARY}
    texts |= {"study": f"{RESULTS}/study/findings.txt"}
    texts |= {"difficulty": f"{RESULTS}/estimators/findings.txt"}
    for target in sorted(workflow.dag_settings.targets) or ["all"]:
        if target in texts:
            print(Path(texts[target]).read_text(encoding="utf-8"))
        elif target == "fetch":
            print("What the run needs from the network is here.")
        else:
            print(f"{target}:", *outputs.partial_targets(PLAN).get(target, [target]), sep="\n  ")
