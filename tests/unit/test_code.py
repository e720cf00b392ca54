"""The code that each rule's results are made with, computed from imports, and the environment."""

import ast
import re
import sys

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.plan import code

SCRIPT = re.compile(r'"\.\./scripts/(\w+)\.py"')
BODIES = [
    (name, body)
    for file in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for _, name, body in re.findall(
        r"^( *)rule ?(\w*):\n(.*?)(?=^\1\S|\Z)", file.read_text(), re.DOTALL | re.MULTILINE
    )
]
RULES = {name or SCRIPT.search(body)[1]: body for name, body in BODIES if SCRIPT.search(body)}
# What they fetched is kept, whatever their code: a download is not fetched again.
DOWNLOADS = {"retrieve_archive", "retrieve_wordnet"}
LOCK = (ROOT / "envs/requirements.txt").read_text().splitlines()
# Modules whose distribution has another name, as the lock has it.
DISTRIBUTIONS = {"yaml": "pyyaml", "typing_extensions": "typing-extensions"}


def name_of(requirement):
    """The normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


NEURAL = {name_of(x) for x in (ROOT / "envs/neural.in").read_text().splitlines() if x[0] != "#"}
NEURAL |= {"safetensors"}


def forget_files():
    for function in (code.checksum, code.file_checksum, code.imported, code.project_files):
        function.cache_clear()


def test_members_of_registries_count_where_they_are_named(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "SCRIPTS", tmp_path)
    metrics = tmp_path / "mt_difficulty/metrics"
    metrics.mkdir(parents=True)
    (tmp_path / "one.py").write_text("")
    checksums = []
    for number in range(2):
        (metrics / "a.py").write_text(f"A = {number}\n")
        forget_files()
        checksums.append((code.checksum("one"), code.checksum("one", "metrics/a")))
    forget_files()
    (plain, first), (again, second) = checksums
    assert plain == again
    assert first != second


def test_no_folder_of_the_package_depends_on_one_that_depends_on_it():
    package = code.SCRIPTS / "mt_difficulty"
    edges = {}
    for path in package.glob("*/**/*.py"):
        stage = path.relative_to(package).parts[0]
        files = code.imported(path.relative_to(code.SCRIPTS).as_posix())
        parts = [file.split("/") for file in files if file.startswith("mt_difficulty/")]
        edges.setdefault(stage, set()).update({p[1] for p in parts if len(p) > 2} - {stage})
    while leaves := {stage for stage, needed in edges.items() if not needed & edges.keys()}:
        edges = {stage: needed for stage, needed in edges.items() if stage not in leaves}
    assert not edges


def pins(file):
    """The pinned distributions of an environment."""
    return yaml.safe_load((ROOT / "envs" / file).read_text())["dependencies"][-1]["pip"]


def test_environments_are_the_lock():
    assert pins("environment.yaml") == LOCK
    small = pins("workflow.yaml")
    assert small == [pin for pin in LOCK if pin in small]
    assert not {name_of(pin) for pin in small} & NEURAL


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rule_depends_on_the_code_of_its_script_and_has_what_that_imports(rule):
    body = RULES[rule]
    script = SCRIPT.search(body)[1]
    if script != "score_segments":  # whose code is that of the metrics, too
        assert script == rule
        named = re.search(r"(?:code=lambda w[^:]*: code\.checksum|\*\*scored)\(\s*\"(\w+)\"", body)
        assert (named[1] if named else None) == (None if rule in DOWNLOADS else rule)

    # Members of registries count for the rules that use them.
    registry = {"score_segments": "metrics", "estimate_difficulty": "difficulty"}.get(script, "")
    members = (code.SCRIPTS / "mt_difficulty" / registry).glob("*.py") if registry else ()
    modules = set()
    for file in code.closure(
        f"{script}.py", *(member.relative_to(code.SCRIPTS).as_posix() for member in members)
    ):
        for node in ast.walk(ast.parse((code.SCRIPTS / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module.partition(".")[0])
    modules -= {path.stem for path in code.SCRIPTS.glob("*.py")} | {"mt_difficulty", "snakemake"}
    asked = {DISTRIBUTIONS.get(x, name_of(x)) for x in modules - set(sys.stdlib_module_names)}
    environment = re.search(r'"\.\./\.\./envs/(.*)"', body)[1]
    held = {name_of(pin) for pin in pins(environment)}
    assert asked <= held, asked - held
    assert (environment == "environment.yaml") == bool(asked & NEURAL)
