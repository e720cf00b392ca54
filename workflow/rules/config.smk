# The package, and the config as it is checked.

import os
import re
import sys
import tarfile
import tempfile
from functools import reduce
from pathlib import Path

from git import Repo
from snakemake.exceptions import WorkflowError
from snakemake.sourcecache import LocalSourceFile
from snakemake.utils import min_version

min_version("9.27")
if re.search("[{}<>]", os.getcwd()):
    raise WorkflowError(
        f"{os.getcwd()}: Snakemake takes {{ }} and < > in paths for patterns. Move the project to a "
        "folder whose path has none of them."
    )


def project_folder(rules):
    """The folder of the project. Of one that Snakemake reads from a Git repository, it is a copy of
    the commit below .snakemake: scripts need the package beside them."""
    if isinstance(rules, LocalSourceFile):
        return Path(os.path.realpath(rules.path)).parents[1]
    found = Repo(rules.hosted_repo.repo_clone)
    folder = Path(".snakemake/mt-difficulty", found.commit(rules.ref).hexsha).absolute()
    if not folder.exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as made:
            found.git.archive(rules.ref, "--format=tar", "-o", f"{made}/project.tar")
            with tarfile.open(f"{made}/project.tar") as packed:
                packed.extractall(f"{made}/project", filter="data")
            os.rename(f"{made}/project", folder)
    return folder


PROJECT = project_folder(workflow.current_basedir)
ROOT = PROJECT / "workflow"
sys.path.insert(0, str(ROOT / "scripts"))
# Scripts import what stands beside them, wherever the package was installed from.
SEARCHED = [str(ROOT / "scripts"), *filter(None, [os.getenv("PYTHONPATH")])]
os.environ.update(PYTHONPATH=os.pathsep.join(SEARCHED))


from mt_difficulty.data import campaign_files, contents, download, own_files
from mt_difficulty.data.yaml_files import read_yaml
from mt_difficulty.difficulty import make_estimator
from mt_difficulty.embedding import encoders
from mt_difficulty.errors import InputError, Missing, explain
from mt_difficulty.metrics import METRICS, constructor_settings
from mt_difficulty.run import code, outputs, plan, studies
from mt_difficulty.run.campaigns import expand
from mt_difficulty.run.outputs import sets_of
from mt_difficulty.run.plan import ARCHIVE
from mt_difficulty.storage import is_missing, outdated


def shortest(path):
    """A path as it is, or from this folder: a `config.yaml` of the user's is not the project's."""
    return min(os.path.relpath(path), str(path), key=len)


def config_sources():
    """What the config is merged from, by file: the project's first, so that tables and plots have its
    order."""
    sources = {shortest(PROJECT / "config.yaml"): read_yaml(PROJECT / "config.yaml")}
    if not workflow.modifier.is_main_snakefile():
        return sources | {"the config of the module": config}
    settings = workflow.config_settings
    sources |= {shortest(file): read_yaml(file) for file in settings.configfiles}
    return sources | ({"--config": dict(settings.config)} if settings.config else {})


def make_plan(sources):
    """The plan of this run; stop where the config is not what is asked for. Jobs are those of a run
    whose config was checked."""
    if workflow.is_main_process:
        from mt_difficulty.run.configs import check_run

        try:
            made, found = check_run(config, sources, Path.cwd(), ROOT / "papers")
        except InputError as error:
            found = [str(error)]
        if found:
            raise WorkflowError("\n".join(found))
        return made
    entries = expand(config, Path.cwd(), ROOT / campaign_files.FILE).entries
    papers = plan.read_papers(config["papers"], ROOT / "papers")
    there = plan.protocols(config["results"])
    return plan.make_plan(config | {"evaluation_sets": entries}, papers, there=there)[0]


try:
    SOURCES = config_sources()
except InputError as error:
    raise WorkflowError(str(error))
config = reduce(plan.merge, SOURCES.values())
PLAN = make_plan(SOURCES)
config["results"] = PLAN.results
