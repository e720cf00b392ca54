"""The benchmarks on the demo: they compare the results of those that they time, too."""

from types import SimpleNamespace

import bench
import pytest
from measuring import load

pytestmark = pytest.mark.slow


def test_every_part_runs(capsys, monkeypatch):
    monkeypatch.delenv("FAST_ALIGN", raising=False)
    monkeypatch.delenv("MTME", raising=False)
    bench.bench_parts(SimpleNamespace(archive=None, threads=1, encoder=None))
    said = capsys.readouterr().out
    for part in ("chunk entropy", "chrF", "TER", "DEC", "correlations", "paired bootstrap"):
        assert f"\n{part}" in said
    assert "nlpstats" in said


def test_scores_of_subsets_are_those_of_a_subset_at_a_time(capsys):
    if not (encoder := bench.small_encoder()):
        pytest.skip("the small encoder is not installed")
    bench.bench_subsets(load(None), encoder, segments=3)
    assert "a subset at a time" in capsys.readouterr().out
