"""What every result was made from: checksums of the files that a job read and wrote, its code, its
settings and its libraries, in `<results>/provenance/<rule>/<wildcards>.json`."""

import hashlib
import json
import os
import platform
import sys
from importlib import metadata
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.data import contents
from mt_difficulty.data.contents import checksum
from mt_difficulty.libraries import LIBRARIES

SCRIPTS = Path(__file__).parent
WORKFLOW = SCRIPTS.parent


def watch():
    """A set that every file which is opened from now on is added to."""
    opened = set()

    def note(event, arguments):
        if event == "open" and isinstance(arguments[0], str):
            opened.add(os.path.abspath(arguments[0]))

    sys.addaudithook(note)
    return opened


def look(snakemake):
    """Checksums of a job's input files and of its code, by path, before the job begins: those of
    what it reads, though a file be edited meanwhile.

    Raises
    ------
    InputError
        A file outside of the results is not what it was when the run began.
    """
    if content := snakemake.params.get("content"):
        contents.check_unchanged(snakemake.params.location, content)
    inputs = [file for file in snakemake.input if not os.path.isdir(file)]
    downloads = snakemake.input.get("download", [])
    known = contents.checksums(".", map(Path, downloads))
    others = {*inputs, *loaded_code(rule_of(snakemake))} - known.keys()
    return known | {file: checksum(file) for file in others}


def outside(snakemake):
    """Checksums of the files outside of the results that a job reads, by path in its `location`;
    where that is one file, by its name."""
    content = snakemake.params.get("content", {})
    name = os.path.basename(snakemake.params.get("location") or "")
    return {name if path == "." else path: known for path, known in content.items()}


def write(snakemake, opened, known):
    """Write what a job's results were made from beside its log.

    Of an input folder the files that were opened count. Results elsewhere (downloads) have none.

    Parameters
    ----------
    snakemake : object
        The job, done.
    opened : set of str
        As from `watch`.
    known : dict of str to str
        As from `look`; a folder's files, and code that was imported later, are looked at now.
    """
    results, _, log = snakemake.log[0].rpartition("/logs/")
    if not snakemake.output[0].startswith(f"{results}/"):
        return

    def checksums(paths):
        return {path: known.get(path) or checksum(path) for path in paths}

    params = [item for item in snakemake.params.items() if item[0] not in ("content", "location")]
    code = snakemake.input.get("code", [])
    inputs = [file for file in snakemake.input if file not in code]
    short = Shortener(results, inputs)
    made_from = {
        "rule": rule_of(snakemake),
        "inputs": short(checksums(f for path in inputs for f in files(path, opened)))
        | outside(snakemake),
        "code": digest(Shortener(str(SCRIPTS))(checksums(loaded_code(rule_of(snakemake))))),
        "params": short(dict(params)),
        "versions": versions(),
    }
    written = [file for path in snakemake.output for file in files(path)]
    record = made_from | {
        "made_from": digest(made_from),
        "outputs": short({file: checksum(file) for file in written}),
        "sizes": short({file: os.path.getsize(file) for file in written}),
    }
    storage.write_json(Path(f"{results}/provenance/{log}").with_suffix(".json"), record)


def rule_of(snakemake):
    """The name of a job's rule; a workflow that uses this one as a module can give it another."""
    if not snakemake.log:
        return snakemake.rule
    return snakemake.log[0].rpartition("/logs/")[2].partition("/")[0].removesuffix(".log")


class Shortener:
    """Names of files that are the same wherever a run is: those of results from the results'
    folder, those of the workflow from the project's, others with an absolute path from the folder
    that these inputs have in common."""

    def __init__(self, results, inputs=()):
        self.results = results
        outside = [f for f in inputs if os.path.isabs(f) and not f.startswith(f"{results}/")]
        self.outside = os.path.commonpath(map(os.path.dirname, outside)) if outside else None

    def __call__(self, value):
        if isinstance(value, dict):
            return {self(key): self(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self(item) for item in value]
        if not isinstance(value, str):
            return value
        if value == self.results:
            return "."
        for folder in (str(WORKFLOW), os.path.relpath(WORKFLOW)):
            if value.startswith(f"{folder}/"):
                return f"{WORKFLOW.name}{value.removeprefix(folder)}"
        if os.path.isabs(value) and not value.startswith(f"{self.results}/"):
            return os.path.relpath(value, self.outside or os.path.dirname(value))
        return value.removeprefix(f"{self.results}/")


def files(path, opened=None):
    """A file, or those of a folder: all, or the opened ones."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
    return [f for f in found if opened is None or os.path.abspath(f) in opened]


def digest(content):
    """The SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def loaded_code(rule):
    """The rule's script and whatever it imported of the project."""
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    own = {file for file in loaded if file and Path(file).is_relative_to(SCRIPTS)}
    return sorted(own | {str(SCRIPTS / f"{rule}.py")})


def versions():
    """Python's, and those of the libraries that were imported."""
    names = [library for module, library in LIBRARIES.items() if module in sys.modules]
    return {"python": platform.python_version()} | {name: metadata.version(name) for name in names}
