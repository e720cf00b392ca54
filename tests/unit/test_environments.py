"""Environments of rules: from the lock, with all that a rule's script imports."""

import ast
import re
import sys

import pytest
import yaml
from conftest import ROOT

from mt_difficulty.run import code


def name_of(requirement):
    """The normalised name of a distribution."""
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


NEURAL = {
    name_of(line)
    for line in (ROOT / "envs/neural.in").read_text().splitlines()
    if not line.startswith("#")
} | {"safetensors"}
LOCK = (ROOT / "envs/requirements.txt").read_text().splitlines()
RULES = {
    rule: (environment, script)
    for file in sorted((ROOT / "workflow/rules").glob("*.smk"))
    for rule, environment, script in re.findall(
        r'^ *rule (\w+):\n(?:(?! *rule ).*\n)*? +"\.\./\.\./envs/(.*)"\n'
        r'(?:(?! *rule ).*\n)*? +"\.\./scripts/(\w+)\.py"',
        file.read_text(),
        re.MULTILINE,
    )
}
# Modules whose distribution has another name, as the lock has it.
DISTRIBUTIONS = {"yaml": "pyyaml", "typing_extensions": "typing-extensions"}


def pins(file):
    """The pinned distributions of an environment."""
    content = yaml.safe_load((ROOT / "envs" / file).read_text())
    return content["dependencies"][-1]["pip"]


def imported(files):
    """Top-level modules that are neither Python's own nor the project's."""
    found = set()
    for file in files:
        for node in ast.walk(ast.parse((code.SCRIPTS / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                found.add(node.module.partition(".")[0])
    own = {path.stem for path in code.SCRIPTS.glob("*.py")} | {"mt_difficulty", "snakemake"}
    return found - set(sys.stdlib_module_names) - own


def modules_of(rule):
    """Files that a rule's script runs; members of registries count for the rules that use them."""
    members = []
    if rule == "score_segments":
        members = (code.SCRIPTS / "mt_difficulty/metrics").glob("*.py")
    if rule == "estimate_difficulty":
        members = (code.SCRIPTS / "mt_difficulty/difficulty").glob("*.py")
    extra = [str(path.relative_to(code.SCRIPTS)) for path in members]
    return code.closure(f"{RULES[rule][1]}.py", *extra)


def test_environments_are_the_lock():
    assert pins("environment.yaml") == LOCK
    small = pins("workflow.yaml")
    assert small == [pin for pin in LOCK if pin in small]
    assert not {name_of(pin) for pin in small} & NEURAL


def test_every_rule_with_a_script_names_an_environment():
    scripts = set()
    for file in (ROOT / "workflow/rules").glob("*.smk"):
        scripts |= set(re.findall(r'"\.\./scripts/(\w+)\.py"', file.read_text()))
    assert {script for _, script in RULES.values()} == scripts


@pytest.mark.parametrize("rule", sorted(RULES))
def test_a_rules_environment_has_what_its_script_imports(rule):
    file, _ = RULES[rule]
    held = {name_of(pin) for pin in pins(file)}
    asked = {DISTRIBUTIONS.get(name, name_of(name)) for name in imported(modules_of(rule))}
    assert asked <= held, asked - held
    assert (file == "environment.yaml") == bool(asked & NEURAL)
