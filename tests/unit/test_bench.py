"""The benchmarks on the demo: they compare the results of those that they time, too."""

from types import SimpleNamespace

import bench
import pytest
from measuring import load


@pytest.mark.slow
def test_every_part_runs(capsys, monkeypatch):
    monkeypatch.delenv("FAST_ALIGN", raising=False)
    monkeypatch.delenv("MTME", raising=False)
    bench.bench_parts(SimpleNamespace(archive=None, threads=1, encoder=None))
    if encoder := bench.small_encoder():
        bench.bench_subsets(load(None), encoder, segments=3)
    printed = capsys.readouterr().out
    for part in ("chunk entropy", "chrF", "TER", "DEC", "correlations", "paired bootstrap"):
        assert f"\n{part}" in printed
    assert "nlpstats" in printed
