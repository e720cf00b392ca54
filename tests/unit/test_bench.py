"""The benchmarks on the demo: they compare the results of those that they time, too."""

from types import SimpleNamespace

import bench
import measuring
import pytest


@pytest.mark.slow
def test_every_part_runs(monkeypatch):
    monkeypatch.delenv("FAST_ALIGN", raising=False)
    monkeypatch.delenv("MTME", raising=False)
    bench.bench_peers(SimpleNamespace(archive=None, threads=1, encoder=None))
    of_peers = measuring.ROWS[:]
    assert {row["peer"] for row in of_peers} >= {"sacreBLEU", "scipy, a loop", "nlpstats (r alone)"}
    measuring.ROWS.clear()
    bench.bench_commands(None, None)
    first, second = bench.tables({1: of_peers, 2: of_peers}, measuring.ROWS)
    assert len(first.splitlines()) == len(of_peers) + 2
    assert len(second.splitlines()) == 7  # without the papers
