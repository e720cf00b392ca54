"""How-to pages on segments and estimates: their commands print what the pages show."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

RUN = ["make ", "validate"]  # commands for a run, which need its config


@pytest.mark.parametrize("page", ["estimates_of_others", "select_segments"])
def test_the_commands_of_a_page_print_what_it_shows(page, tmp_path):
    text = (ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
    (tmp_path / "data").symlink_to(ROOT / "data")
    found = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    printed, compared = "", 0
    for language, block in found:
        if language == "sh" and not any(word in block for word in RUN):
            program = Path(sys.executable).with_name("mt-difficulty")
            command = block.replace(".venv/bin/mt-difficulty", str(program))
            printed = execute(["bash", "-ec", command], tmp_path)
            if "template" in command:
                printed = (tmp_path / "estimates.tsv").read_text(encoding="utf-8")
        elif language == "python":
            execute([sys.executable, "-c", block], tmp_path)
        elif language == "" and not block.startswith("ERROR"):
            assert printed.startswith(block.removesuffix("...\n")), command
            compared += 1
    assert compared == 2


def execute(command, folder):
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout
