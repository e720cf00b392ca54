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
    scores = demo.segment_metrics["Oracle-noisy"]
    of_segments = [f"{name}\t{score!r}" for name in scores for score in scores[name].tolist()]
    files = {"source.txt": demo.texts.source, "reference.txt": demo.texts.reference}
    files |= {f"systems/{name}.txt": demo.hypotheses[name] for name in demo.hypotheses}
    files |= {"scores/Mine.tsv": of_segments}
    files |= {"gold.tsv": [f"{name}\t{score!r}" for name, score in demo.human.items()]}
    for name, lines in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("\n".join(lines) + "\n")
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
    _, printed = correlate(capsys, own, "-m", "Mine", "--resamples", 0, "--format", "csv")
    assert {*pd.read_csv(io.StringIO(printed.out)).over} == {"systems"}
    assert found.value[0] == pytest.approx(stats.pearsonr(scores, demo.human[scores.index])[0])


def test_what_is_wrong_is_named(capsys, own):
    code, printed = correlate(capsys, own, "-m", "Mien")
    assert (code, "no metric Mien (did you mean Mine?)" in printed.err) == (1, True)
    (own / "gold.tsv").unlink()
    for arguments, message in (
        ([own], "expected human scores of the systems, found none"),
        (["wmt23", "--archive", ARCHIVE], "wmt23: neither a folder nor a set of an archive"),
        (["wmt23/en-de", "--archive", ARCHIVE], "no campaign wmt23"),
    ):
        code, printed = correlate(capsys, *arguments)
        assert (code, printed.out, message in printed.err) == (1, "", True)
