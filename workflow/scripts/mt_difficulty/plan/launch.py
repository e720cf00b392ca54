"""Start Snakemake for `make`: check its variables and the configs, and lock the results folder.

`python -m mt_difficulty.plan.launch [CONFIG ...]` reads make's variables from the environment."""

from __future__ import annotations

import signal

if __name__ == "__main__":
    # Ctrl-C waits until `main` answers it: during an import it would print a traceback.
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ..data.text_files import read_yaml
from ..errors import InputError, explain, printable
from .config import check_files
from .logs import describe_interruption

PROJECT_CONFIG = "config.yaml"
PROFILES = Path("workflow/profiles")
STUDIES = Path("workflow/studies")
# Variables that `make` exports; Snakemake runs without them.
NAMES = (
    "ACCOUNT",
    "ARCHIVE",
    "CONFIG",
    "CORES",
    "NEURAL",
    "PARTITION",
    "PROFILE",
    "STUDY",
    "TARGET",
)
# Exit codes.
CANNOT_RUN = 2
INTERRUPTED = 130


@dataclass(frozen=True)
class Variables:
    """Variables of make, checked.

    Attributes
    ----------
    configs : list of str
        Files of CONFIG.
    targets : list of str
        Names in TARGET.
    profile : str
        A folder of workflow/profiles.
    cores : str
        A number, `all`, or nothing for what the profile says.
    archive : str
        A path, or nothing for the config's.
    neural : bool
        Whether metrics that need an encoder are computed.
    account, partition : str
        Of Slurm; nothing for what the profile says.
    """

    configs: list[str]
    targets: list[str]
    profile: str
    cores: str
    archive: str
    neural: bool
    account: str
    partition: str


def read_variables(environment: Mapping[str, str]) -> Variables:
    """Read and check the variables.

    Parameters
    ----------
    environment : mapping of str to str

    Raises
    ------
    InputError
        For a value that cannot be run with; the message names the variable.
    """
    given = {name: environment.get(name, "").strip() for name in NAMES}
    cores = given["CORES"]
    neural = given["NEURAL"] or "yes"
    profile = given["PROFILE"] or "default"
    targets = given["TARGET"].split() or ["all"]
    profiles = sorted(folder.name for folder in PROFILES.iterdir())
    if neural not in ("yes", "no"):
        raise InputError(f"NEURAL: expected yes or no, found {neural}.")
    if any(target.startswith("-") for target in targets):
        raise InputError(f"TARGET: expected names of targets, found {given['TARGET']}.")
    if profile not in profiles:
        raise InputError(f"PROFILE: no such profile: {profile}; there are: {', '.join(profiles)}.")
    if not re.fullmatch("(all|0*[1-9][0-9]{0,5})?", cores):
        raise InputError(f"CORES: expected a whole number of at least 1, or all; found {cores}.")
    return Variables(
        configs=_config_files(given["CONFIG"]),
        targets=targets,
        profile=profile,
        cores=cores,
        archive=given["ARCHIVE"],
        neural=neural == "yes",
        account=given["ACCOUNT"],
        partition=given["PARTITION"],
    )


def _config_files(names: str) -> list[str]:
    """Return the files that CONFIG names: one, whose path may hold spaces, or several."""
    files = [names] if Path(names).exists() and names else names.split()
    for file in files:
        if not Path(file).exists():
            raise InputError(f"CONFIG: no such file: {file}.")
    return files


def study_file(name: str) -> str:
    """Return the path of a study; raises `InputError` if there is none of this name."""
    names = sorted(file.stem for file in STUDIES.glob("*.yaml"))
    if name not in names:
        raise InputError(f"STUDY: no such study: {name}; there are: {', '.join(names)}.")
    return str(STUDIES / f"{name}.yaml")


def snakemake_arguments(
    variables: Variables, configs: Sequence[str], *, locked: bool, dry_run: bool
) -> list[str]:
    """Return the command line of Snakemake.

    Parameters
    ----------
    variables : Variables
    configs : sequence of str
        Config files beside the project's.
    locked : bool
        Whether this process has locked the results folder; else Snakemake locks it.
    dry_run : bool
        Whether Snakemake only lists the jobs.

    Returns
    -------
    list of str
    """
    program = Path(sys.executable).with_name("snakemake")
    command = [str(program), *variables.targets]
    command += ["--workflow-profile", str(PROFILES / variables.profile)]
    # The logger shows the progress of each rule in a terminal, and errors with the job's log.
    command += ["--logger", "rich"]
    resources = {"slurm_account": variables.account, "slurm_partition": variables.partition}
    # Snakemake evaluates a resource as Python, in which `all` would be a function.
    stated = [f"{name}={value!r}" for name, value in resources.items() if value]
    if stated:
        command += ["--default-resources", *stated]
    if variables.cores:
        command += ["--cores", variables.cores]
    settings = []
    if variables.archive:
        settings.append(f"archive={variables.archive}")
    if not variables.neural:
        settings.append("neural=False")
    if settings:
        command += ["--config", *settings]
    if dry_run:
        # With these two alone, Snakemake stops after the table of jobs.
        command += ["--dry-run", "--quiet", "rules", "progress"]
    if locked:
        command.append("--nolock")
    if configs:
        command += ["--configfile", *configs]
    return command


def check_slurm(variables: Variables) -> None:
    """Ask Slurm for account and partition of a profile that submits jobs to it: Snakemake does not
    print why Slurm refuses a job.

    Raises
    ------
    InputError
        Without the program `sbatch`, and with Slurm's words if it refuses.
    """
    profile = read_yaml(PROFILES / variables.profile / "config.yaml")
    if profile.get("executor") != "slurm":
        return
    if not shutil.which("sbatch"):
        raise InputError(
            f"PROFILE: {variables.profile} needs sbatch, which is not on this machine."
        )
    resources = default_resources(profile)
    stated = {
        "account": variables.account or resources.get("slurm_account", ""),
        "partition": variables.partition or resources.get("slurm_partition", ""),
    }
    options = [f"--{name}={value}" for name, value in stated.items() if value]
    if not options:
        return
    command = ["sbatch", "--test-only", *options, "--wrap", "true"]
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    if completed.returncode:
        raise InputError((completed.stdout + completed.stderr).strip())


def default_resources(profile: Mapping[str, Any]) -> dict[str, str]:
    """Return the default resources of a profile, a list of `name=value` or a mapping, by name."""
    listed = profile.get("default-resources") or {}
    if not isinstance(listed, Mapping):
        listed = dict(entry.split("=", 1) for entry in map(str, listed) if "=" in entry)
    return {name: str(value).strip("\"'") for name, value in listed.items()}


def lock(results: str) -> int | None:
    """Lock the folder of the results against a second run.

    Returns
    -------
    int or None
        The open folder. The kernel drops the lock when all processes that have it have ended. None
        where the file system has no locks.

    Raises
    ------
    InputError
        If another run has locked it.
    """
    Path(results).mkdir(parents=True, exist_ok=True)
    folder = os.open(results, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"another run uses {results}. Wait until it ends.") from None
    except OSError:
        os.close(folder)
        return None
    return folder


def run(command: Sequence[str], locked: int | None = None) -> int:
    """Run Snakemake without make's variables, and return its exit code.

    Ctrl-C interrupts Snakemake, too; this function waits until Snakemake has ended its jobs.
    Snakemake inherits the lock, so that the folder stays locked if this process is killed. In
    Snakemake, Ctrl-C waits until workflow/rules/messages.smk has a handler for it.

    Parameters
    ----------
    command : sequence of str
    locked : int, optional
        The open, locked folder of the results (`lock`).
    """
    environment = {name: value for name, value in os.environ.items() if name not in NAMES}
    inherited = () if locked is None else (locked,)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])  # inherited, too
    process = subprocess.Popen(command, env=environment, pass_fds=inherited)
    while True:
        try:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
            return process.wait()
        except KeyboardInterrupt:
            continue


def main(argv: Sequence[str]) -> int:
    """Check and run what make asks for; return the exit code."""
    parser = argparse.ArgumentParser(prog="launch")
    parser.add_argument("configs", nargs="*")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--study", action="store_true")
    parser.add_argument("--target")
    parser.add_argument("--profile")
    arguments = parser.parse_args(argv)
    target = {"TARGET": arguments.target} if arguments.target else {}
    try:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        variables = read_variables({**os.environ, **target})
        configs = arguments.configs
        if arguments.study:
            configs = [study_file(os.environ.get("STUDY", ""))]
        configs = [*configs, *variables.configs]
        results, problems = check_files([PROJECT_CONFIG, *configs])
        # A dry run reads and locks nothing that a run at the same time writes.
        locked = None
        if not problems and not arguments.dry_run:
            check_slurm(variables)
            locked = lock(results)
    except InputError as error:
        problems = [str(error)]
    except OSError as error:
        problems = [explain(error)]
    except KeyboardInterrupt:
        print(describe_interruption(), file=sys.stderr)
        return INTERRUPTED
    if problems:
        for problem in problems:
            print(printable(f"ERROR: {problem}"), file=sys.stderr)
        return CANNOT_RUN
    # Downloads (--profile) run on this machine; the Slurm check above is for the jobs after them.
    variables = replace(variables, profile=arguments.profile or variables.profile)
    command = snakemake_arguments(
        variables, configs, locked=locked is not None, dry_run=arguments.dry_run
    )
    return run(command, locked)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
