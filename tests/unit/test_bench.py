"""The benchmarks on the demo: they compare the results of those that they time, too."""

from types import SimpleNamespace

import bench
import documents
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
    assert len(second.splitlines()) == 10  # without the papers


def test_segments_of_documents_are_not_independent():
    """Equal systems: few false statements by document, many by segment (design effect 4)."""
    found = documents.comparisons(20, 4, samples=150, resamples=100)
    # 5 % and two standard errors.
    assert found["documents"].better <= 0.085
    assert found["documents"].covered >= 0.88
    # Independent segments have half the standard error: 33 % and 67 %.
    assert 0.2 < found["segments"].better < 0.45
    assert 0.55 < found["segments"].covered < 0.8
