"""`mt-difficulty correlate`: correlations of stored metrics, their intervals, and what is wrong."""

import io

import pandas as pd
import pytest
from conftest import ROOT
from scipy import stats

import mt_difficulty as md
from mt_difficulty import cli

ARCHIVE = ROOT / "data/demo/archive"


def correlate(capsys, *arguments):
    code = cli.main(["correlate", *map(str, arguments)])
    return code, capsys.readouterr()


@pytest.fixture(scope="module")
def demo():
    return md.load_set("demo", "en-de", ARCHIVE)


@pytest.fixture
def own(tmp_path, demo):
    """A folder of own files with the demo's texts, a metric of segments and one of systems."""
    folder = tmp_path / "own"
    for part in ("systems", "scores"):
        (folder / part).mkdir(parents=True)
    (folder / "source.txt").write_text("\n".join(demo.texts.source) + "\n")
    (folder / "reference.txt").write_text("\n".join(demo.texts.reference) + "\n")
    scores = demo.segment_metrics["Oracle-noisy"]
    for name in demo.hypotheses:
        text = "\n".join(demo.hypotheses[name]) + "\n"
        (folder / f"systems/{name}.txt").write_text(text)
    lines = [f"{name}\t{score!r}\n" for name in scores for score in scores[name].tolist()]
    (folder / "scores/Mine.tsv").write_text("".join(lines))
    people = demo.human.items()
    (folder / "gold.tsv").write_text("".join(f"{name}\t{score!r}\n" for name, score in people))
    return folder


def test_correlations_of_the_archive(capsys, demo):
    code, printed = correlate(
        capsys, "demo/en-de", "--archive", ARCHIVE, "--resamples", 99, "--seed", 5,
        "--format", "csv", "--statistic", "pearson", "accuracy",
    )  # fmt: skip
    found = pd.read_csv(io.StringIO(printed.out))
    assert code == 0
    expected = md.correlate(
        demo.segment_metrics, demo.human, ["pearson", "accuracy"], resamples=99, seed=5
    )
    pd.testing.assert_frame_equal(found, expected)
    r = stats.pearsonr(demo.segment_metrics["Oracle-noisy"].mean(), demo.human)[0]
    assert found.value[0] == pytest.approx(r)
    assert (found.human == "mqm").all()
    assert "refA (a human translation)" in printed.err


def test_without_resamples_intervals_are_over_systems(capsys, own):
    code, printed = correlate(capsys, own, "--resamples", 0, "--format", "csv")
    assert code == 0
    assert {*pd.read_csv(io.StringIO(printed.out)).over} == {"systems"}


def test_own_files_in_text(capsys, own, demo):
    code, printed = correlate(capsys, own, "--statistic", "kendall", "-w", 2)
    row = md.correlate(demo.segment_metrics, demo.human, ["kendall"]).set_index("over").loc["both"]
    assert code == 0
    assert printed.out == (
        f"{own}: 12 systems, 260 segments, human scores: gold.tsv\n\n"
        f"metric    kendall            interval over\n"
        f"Mine      {row.value:.2f} [{row.low:.2f}, {row.high:.2f}]  segments and systems\n"
    )


def test_system_scores_that_are_no_means_have_intervals_over_systems(capsys, own, demo):
    scores = pd.Series(range(12), index=demo.hypotheses.columns)
    lines = [f"{name}\t{score}\n" for name, score in scores.items()]
    (own / "scores/Other.tsv").write_text("".join(lines))
    code, printed = correlate(capsys, own, "-m", "Other", "--format", "csv")
    assert code == 0
    found = pd.read_csv(io.StringIO(printed.out))
    assert {*found.over} == {"systems"}
    assert found.value[0] == pytest.approx(stats.pearsonr(scores, demo.human[scores.index])[0])


def test_what_is_wrong_is_named(capsys, own):
    code, printed = correlate(capsys, own, "-m", "Mien")
    assert code == 1
    assert printed.err == (f"ERROR: {own}: no metric Mien (did you mean Mine?). There are: Mine.\n")
    (own / "gold.tsv").unlink()
    code, printed = correlate(capsys, own)
    assert (code, printed.err) == (
        1,
        f"ERROR: {own}: expected human scores of the systems, found none.\n",
    )
    code, printed = correlate(capsys, "wmt23", "--archive", ARCHIVE)
    assert code == 1
    assert "wmt23: neither a folder nor a set of an archive that is here." in printed.err
    code, printed = correlate(capsys, "wmt23/en-de", "--archive", ARCHIVE)
    assert (code, printed.out) == (1, "")
    assert "wmt23" in printed.err
