# The package, and the plan of the run from its config.

import json
import os
import re
import sys
import tarfile
import tempfile
from functools import cache, reduce
from pathlib import Path

from snakemake.exceptions import WorkflowError
from snakemake.settings.types import DeploymentMethod
from snakemake.sourcecache import LocalSourceFile
from snakemake.utils import min_version

min_version("9.27")
if re.search("[{}<>]", os.getcwd()):
    raise WorkflowError(
        f"{os.getcwd()}: Snakemake takes {{ }} and < > in paths for patterns. Move the project to a "
        "folder whose path has none of them."
    )


def project_folder(rules):
    """The folder of the project. If Snakemake reads the project from a Git repository, this is a copy
    of the commit below .snakemake, because scripts need the package beside them."""
    if isinstance(rules, LocalSourceFile):
        return Path(os.path.realpath(rules.path)).parents[1]
    from git import Repo  # needs the program git

    repo = Repo(rules.hosted_repo.repo_clone)
    folder = Path(".snakemake/mt-difficulty", repo.commit(rules.ref).hexsha).absolute()
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as unpacked:
            repo.git.archive(rules.ref, "--format=tar", "-o", f"{unpacked}/project.tar")
            with tarfile.open(f"{unpacked}/project.tar") as packed:
                packed.extractall(f"{unpacked}/project", filter="data")
            os.rename(f"{unpacked}/project", folder)
    return folder


PROJECT = project_folder(workflow.current_basedir)
ROOT = PROJECT / "workflow"
sys.path.insert(0, str(ROOT / "scripts"))
# Scripts import what stands beside them, wherever the package was installed from.
SEARCHED = [str(ROOT / "scripts"), *filter(None, [os.getenv("PYTHONPATH")])]
os.environ.update(PYTHONPATH=os.pathsep.join(SEARCHED))


from mt_difficulty.data import campaign_files, download, own_files
from mt_difficulty.data.score_files import rated_systems
from mt_difficulty.data.text_files import read_yaml
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.embedding import encoders
from mt_difficulty.errors import InputError, Missing, explain
from mt_difficulty.metrics import METRICS, computed_from
from mt_difficulty.metrics.command import named_files
from mt_difficulty.plan import code, outputs
from mt_difficulty.plan.check import check_run, environment_problems
from mt_difficulty.plan.base import ARCHIVE, located, merge
from mt_difficulty.settings.protocol import CorrelationTable, sets_of
from mt_difficulty.plan.logs import describe_interruption, leave_out_errors, make_missing_logs
from mt_difficulty.plan.records import check_records, keep_records
from mt_difficulty.storage import is_missing, outdated, write_text


def config_sources():
    """The contents from which the config is merged, by file. The project's file comes first, so that
    tables and plots have its order."""
    files = [PROJECT / "config.yaml"]
    main = workflow.modifier.is_main_snakefile()
    files += workflow.config_settings.configfiles if main else []
    # A path as it is, or from this folder: a `config.yaml` of the user's is not the project's.
    sources = {min(os.path.relpath(file), str(file), key=len): read_yaml(file) for file in files}
    if not main:
        return sources | {"the config of the module": config}
    settings = workflow.config_settings.config
    return sources | ({"--config": dict(settings)} if settings else {})


def uses_conda():
    """Whether Snakemake was asked for conda; else it ignores the environments of rules."""
    return DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method


try:
    SOURCES = config_sources()
    config = reduce(merge, SOURCES.values())
    PLAN, problems = check_run(config, SOURCES, ROOT / "papers")
    if PLAN and workflow.is_main_process and not uses_conda():
        problems += environment_problems(PLAN)
    # Jobs read this file, too; a workflow that uses this one as a module has its own start.
    if workflow.is_main_process and workflow.modifier.is_main_snakefile() and not problems:
        check_records(PLAN.results)
except InputError as error:
    problems = [str(error)]
if problems:
    raise WorkflowError("\n".join(problems))
config["results"] = PLAN.results
