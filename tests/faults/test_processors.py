"""Tests and the demo on the code paths of other processors."""

import os
import subprocess
import sys

import pytest
from conftest import ROOT
from processors import PROCESSORS

# What computes: everything but texts, files, pages and the command line.
FILES = """
    ablation bertscore complexity complexity_analysis controls correlation difficulty encoders
    encoding entropy fast_align influence matching metrics resampling significance subset_means
    surface token_weighting truth weighting wnm
""".split()

pytestmark = [pytest.mark.slow]


def run_tests(processor, cache, *files):
    """Run tests as if on a processor; return what pytest printed."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *files],
        cwd=ROOT,
        env=os.environ | PROCESSORS[processor] | {"NUMBA_CACHE_DIR": str(cache)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("processor", PROCESSORS)
def test_units(processor, tmp_path):
    run_tests(processor, tmp_path, *(f"tests/unit/test_{name}.py" for name in FILES))


@pytest.mark.parametrize("processor", PROCESSORS)
def test_the_demo(processor, tmp_path):
    run_tests(processor, tmp_path, "tests/workflow/test_demo.py")


@pytest.mark.parametrize("processor", PROCESSORS)
def test_published_numbers(processor, tmp_path):
    run_tests(processor, tmp_path, "tests/papers/test_zhan2021.py")
