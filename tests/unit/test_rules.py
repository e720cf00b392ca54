"""Every rule names the package modules that its script uses, or an edit to one re-runs nothing."""

import ast
import re
from pathlib import Path

import pytest

WORKFLOW = Path(__file__).parents[2] / "workflow"
PACKAGE = WORKFLOW / "scripts" / "mt_difficulty"
# How files are read and written and errors told does not change a result.
EVERYWHERE = {"contents", "errors", "evalset", "integrity", "storage", "text_files"}
RULES = [
    (name, body)
    for file in sorted((WORKFLOW / "rules").glob("*.smk"))
    for name, body in re.findall(
        r"^rule (\w+):\n(.*?)(?=^\S|\Z)", file.read_text(), re.DOTALL | re.MULTILINE
    )
    if "script:" in body and "modules(" in body
]


def imported(file):
    """The package's modules that a script or module imports, and those that they import."""
    tree = ast.parse(file.read_text())
    # What is imported for types alone (`if TYPE_CHECKING:`) changes no result.
    tree.body = [node for node in tree.body if not isinstance(node, ast.If)]
    names = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom):
            continue
        source = node.module or ""
        inside = node.level > 0
        if source == "mt_difficulty" or (inside and not source):
            names |= {alias.name for alias in node.names}
        elif source.startswith("mt_difficulty."):
            names.add(source.split(".")[1])
        elif inside:
            names.add(source.split(".")[0])
    names = {name for name in names if (PACKAGE / name).is_dir() or modules_of(name)} - EVERYWHERE
    return names.union(*(imported(module) for name in names for module in modules_of(name)))


def modules_of(name):
    """A module's file; a folder's modules are named one by one in the rules."""
    return [file for file in [PACKAGE / f"{name}.py"] if file.is_file()]


@pytest.mark.parametrize(("rule", "body"), RULES, ids=[name for name, _ in RULES])
def test_a_rule_names_the_modules_of_its_script(rule, body):
    script = WORKFLOW / "scripts" / re.search(r'"\.\./scripts/(\w+\.py)"', body)[1]
    helpers = [WORKFLOW / name for name in re.findall(r'sources\("(scripts/\w+\.py)"\)', body)]
    listed = body[body.index("modules(") :].split("),\n    output")[0]
    named = {name.split("/")[0] for name in re.findall(r'"([\w/*]+)"', listed)}
    named |= {"metrics"} if "metrics/{" in listed else set()
    assert script.stem == rule
    assert set().union(*map(imported, [script, *helpers])) <= named


def test_most_rules_are_looked_at():
    assert len(RULES) >= 12
