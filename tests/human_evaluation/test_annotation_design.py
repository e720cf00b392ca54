"""The design of human evaluations, and the command that prints it."""

import json

import numpy as np
import pandas as pd
import pytest
from test_annotation_formats import written

from mt_difficulty.gold.ratings import COLUMNS, Ratings
from mt_difficulty.human_evaluation.design import describe_design


def ratings_of(rows):
    """Ratings of (annotator, system, segment, document, score)."""
    table = pd.DataFrame(rows, columns=["annotator", "system", "segment", "document", "score"])
    table["screen"] = table.annotator + "/" + table.document + "/" + table.system
    return Ratings(table[list(COLUMNS)], {})


def design_of(rows):
    return describe_design(ratings_of(rows))


def test_numbers():
    design = design_of(
        [
            ("ann", "oak", "1", "d1", 5.0),
            ("ann", "oak", "1", "d1", 6.0),
            ("ann", "elm", "1", "d1", 7.0),
            ("bob", "elm", "2", "d2", 7.0),
        ]
    )
    assert (design.systems, design.annotators, design.segments, design.documents) == (2, 2, 2, 2)
    assert (design.ratings, design.cells, design.share_rated) == (4, 3, 0.75)
    assert (design.segments_of_all, design.repeats, design.parts) == (1, 1, 1)
    assert (design.screens, design.blocks) == (3, 3)
    assert design.shares.loc["elm"].to_dict() == {"ann": 0.5, "bob": 0.5}
    assert design.is_adjustable


def test_effects_of_a_design_in_which_systems_got_other_segments():
    """Scores are sums of effects: the least-squares solution finds them."""
    rng = np.random.default_rng(1)
    quality = {"oak": 70.0, "elm": 60.0, "ash": 50.0}
    severity = {"ann": 10.0, "bob": -5.0, "eve": 0.0}
    easy = {str(segment): rng.normal(0, 5) for segment in range(30)}
    rows = []
    for system, value in quality.items():
        for segment, effect in easy.items():
            for annotator, points in severity.items():
                if rng.random() < 0.4:
                    rows.append((annotator, system, segment, "d", value + effect - points))
    design = design_of(rows)
    table = pd.DataFrame(rows, columns=["annotator", "system", "segment", "document", "score"])
    assert design.is_adjustable
    mean = table.annotator.map(severity).mean()
    assert design.severity.to_dict() == pytest.approx(
        {name: points - mean for name, points in severity.items()}, abs=1e-3
    )
    ease = table.segment.map(easy)
    expected = (ease.mean() - ease.groupby(table.system).mean()).to_dict()
    assert design.difficulty.to_dict() == pytest.approx(expected, abs=1e-3)


def test_systems_on_other_segments():
    design = design_of([("ann", "oak", "1", "d", 5.0), ("ann", "elm", "2", "d", 6.0)])
    (reason,) = design.reasons
    assert "every system is rated on other segments" in reason
    assert not design.is_adjustable
    assert design.difficulty.isna().all()


def test_groups_of_systems_without_common_segments():
    rows = [
        ("ann", system, segment, "d", 5.0)
        for system, segment in [("oak", "1"), ("elm", "1"), ("ash", "2"), ("fir", "2")]
    ]
    design = design_of(rows)
    (reason,) = design.reasons
    assert "2 groups without common segments (ash, fir; elm, oak)" in reason


def test_systems_of_other_annotators():
    design = design_of([("ann", "oak", "1", "d", 5.0), ("bob", "elm", "1", "d", 6.0)])
    (reason,) = design.reasons
    assert "every system is rated by other annotators" in reason


def test_parts_of_ratings():
    rows = [("ann", system, "1", "d", 5.0) for system in ("oak", "elm")]
    rows += [("bob", system, "2", "d", 5.0) for system in ("ash", "fir")]
    design = design_of(rows)
    assert design.parts == 2
    assert [*map(len, design.parts_by_segments)] == [2, 2]
    assert len(design.reasons) == 1


def test_one_system():
    assert design_of([("ann", "oak", "1", "d", 5.0)]).reasons == ["only one system is rated, oak"]


ROWS = [
    "annotator\tsystem\tsegment\tdocument\ttype\tscore",
    "ann\toak\t1\td1\tTGT\t70",
    "ann\telm\t1\td1\tTGT\t60",
    "bob\toak\t2\td1\tTGT\t50",
    "bob\telm\t2\td1\tTGT\t45",
    "bob\telm\t2\td1\tREF\t99",
]


@pytest.fixture
def ratings_file(tmp_path):
    return written(tmp_path, "\n".join(ROWS))


def test_command(command, ratings_file):
    code, out, err = command("annotations", ratings_file)
    assert (code, err) == (0, "")
    assert "ratings: 4 ratings of 2 systems by 2 annotators\nleft out: 1 controls\n" in out
    assert "oak     60.00" in out
    assert "2 segments in 1 documents, 2 rated for all systems" in out
    assert "scores can be adjusted for segments and annotators" in out


def test_command_prints_tables(command, ratings_file):
    _, out, _ = command("annotations", ratings_file, "--format", "tsv")
    rows = [line.split("\t") for line in out.splitlines()]
    assert rows[0][:2] == ["system", "mean"]
    assert [row[:2] for row in rows[1:]] == [["oak", "60.0"], ["elm", "52.5"]]
    _, out, _ = command("annotations", ratings_file, "--format", "json")
    content = json.loads(out)
    assert content["systems"][0]["mean"] == 60
    assert content["filtered"] == {"controls": 1}
    assert content["design"]["shares"]["oak"] == {"ann": 0.5, "bob": 0.5}
    assert [row["annotator"] for row in content["annotators"]] == ["ann", "bob"]
    assert {row["better"] for row in content["p"]} == {"oak", "elm"}


def test_command_names_errors(command, tmp_path):
    path = written(tmp_path, "words\n")
    code, out, err = command("annotations", path)
    assert (code, out) == (1, "")
    assert err.startswith(f"ERROR: {path}, line 1: not a known format")


def test_command_of_a_campaign(command, annotation_files, real):
    folder = annotation_files / "wmt24-esa"
    options = ["--campaign", "wmt24", "--language-pair", "en-cs", "--archive", real]
    code, out, err = command("annotations", *sorted(folder.iterdir()), *options)
    assert code == 0
    assert "notice: segments are mapped to lines of wmt24/en-cs by: lines of" in err
    assert "ESA, en-cs: 4,752 ratings of 16 systems by 12 annotators" in out
    assert "Stouffer" in out
