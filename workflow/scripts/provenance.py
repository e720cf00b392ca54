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

SCRIPTS = Path(__file__).parent
LIBRARIES = (
    *("bert_score", "jinja2", "matplotlib", "nltk", "numba", "numpy", "pandas", "pyphen"),
    *("sacrebleu", "scipy", "tokenizers", "torch", "transformers"),
)


def watch():
    """A set that every file which is opened from now on is added to."""
    opened = set()

    def note(event, arguments):
        if event == "open" and isinstance(arguments[0], str):
            opened.add(os.path.abspath(arguments[0]))

    sys.addaudithook(note)
    return opened


def write(snakemake, opened):
    """Write what a job's results were made from beside its log.

    Of an input folder the files that were opened count. Results elsewhere (downloads) have none.

    Parameters
    ----------
    snakemake : object
        The job, done.
    opened : set of str
        As from `watch`.
    """
    results, _, rest = snakemake.log[0].rpartition(f"/logs/{snakemake.rule}")
    if not snakemake.output[0].startswith(f"{results}/"):
        return
    code = snakemake.input.get("code", [])
    inputs = [file for file in snakemake.input if file not in code]
    outside = [os.path.dirname(file) for file in inputs if os.path.isabs(file)]
    short = Shortener(results, os.path.commonpath(outside) if outside else None)
    made_from = {
        "rule": snakemake.rule,
        "inputs": short({f: checksum(f) for path in inputs for f in files(path, opened)}),
        "code": digest({f.name: checksum(f) for f in loaded_code(snakemake.rule)}),
        "params": short(dict(snakemake.params.items())),
        "versions": versions(),
    }
    outputs = short({f: checksum(f) for path in snakemake.output for f in files(path)})
    path = Path(f"{results}/provenance/{snakemake.rule}{rest}").with_suffix(".json")
    storage.write_json(path, made_from | {"made_from": digest(made_from), "outputs": outputs})


class Shortener:
    """Names of files that do not tell where a run stands: those of results from the results'
    folder, those with an absolute path from the folder that they have in common."""

    def __init__(self, results, outside):
        self.results, self.outside = results, outside

    def __call__(self, value):
        if isinstance(value, dict):
            return {self(key): self(item) for key, item in value.items()}
        if isinstance(value, (list, tuple)):
            return [self(item) for item in value]
        if not isinstance(value, str):
            return value
        if os.path.isabs(value):
            return os.path.relpath(value, self.outside or os.path.dirname(value))
        return "." if value == self.results else value.removeprefix(f"{self.results}/")


def files(path, opened=None):
    """A file, or those of a folder: all, or the opened ones."""
    if not os.path.isdir(path):
        return [path]
    found = sorted(str(file) for file in Path(path).rglob("*") if file.is_file())
    return [f for f in found if opened is None or os.path.abspath(f) in opened]


def checksum(path):
    """The SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def digest(content):
    """The SHA-256 of what JSON can hold."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def loaded_code(rule):
    """The rule's script and whatever it imported of the project."""
    loaded = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
    own = {Path(file) for file in loaded if file and Path(file).is_relative_to(SCRIPTS)}
    return sorted(own | {SCRIPTS / f"{rule}.py"})


def versions():
    """Python's, and those of the libraries that were imported."""
    found = {name: metadata.version(name) for name in LIBRARIES if name in sys.modules}
    return {"python": platform.python_version()} | found
