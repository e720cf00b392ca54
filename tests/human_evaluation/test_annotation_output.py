"""What `mt-difficulty annotations` prints of scores with errors."""

import json

import pandas as pd
import pytest


@pytest.fixture
def ratings(tmp_path):
    """Two annotators, one of whom is severe, and three systems that differ by ten points."""
    rows = []
    for segment in range(24):
        for number, system in enumerate(("ash", "birch", "elm")):
            annotator = ("anna", "ben")[(segment + number) % 2]
            severity = -6 if annotator == "anna" else 0
            noise = (segment * 7 + number * 3) % 5
            score = 80 - 10 * number + severity + noise
            rows.append([annotator, system, segment, f"d{segment // 2}", score])
    file = tmp_path / "ratings.tsv"
    columns = ["annotator", "system", "segment", "document", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(file, sep="\t", index=False)
    return file


def test_text_has_official_and_adjusted_scores_side_by_side(command, ratings):
    code, out, _ = command("annotations", ratings, "--gold", "mixed", "z")
    assert code == 0
    first, second = out.index("Scores by mixed"), out.index("Scores by z")
    assert out.index("Official scores") < out.index("Design:") < first < second
    table = out[first:second].splitlines()
    assert table[1].split()[:4] == ["system", "official", "mean", "score"]
    assert [line.split()[0] for line in table[2:5]] == ["ash", "birch", "elm"]
    assert "Share of variance: " in out[first:second]
    assert "errors by document (12)" in out


def test_json_has_the_scores_of_every_gold(command, ratings):
    code, out, _ = command("annotations", ratings, "--gold", "mean", "--format", "json")
    assert code == 0
    adjusted = json.loads(out)["adjusted"]
    assert list(adjusted) == ["mean"]
    rows = adjusted["mean"]["systems"]
    assert [row["system"] for row in rows] == ["ash", "birch", "elm"]
    assert all(row["low"] < row["score"] < row["high"] for row in rows)
    assert (adjusted["mean"]["unit"], adjusted["mean"]["units"]) == ("document", 12)


def test_without_golds_there_are_official_scores_alone(command, ratings):
    code, out, _ = command("annotations", ratings, "--gold")
    assert code == 0
    assert "Scores by" not in out


def test_a_gold_that_the_design_does_not_allow_is_a_notice(command, ratings):
    code, out, err = command("annotations", ratings, "--gold", "within_screen")
    assert code == 0
    assert "notice: no scores by within_screen: " in err
    assert "Official scores" in out


def test_a_misspelt_system_is_named_and_takes_no_intervals_away(command, ratings):
    text = ratings.read_text()
    ratings.write_text(f"{text}ben\tbirhc\t3\td1\t90\n")
    code, out, err = command("annotations", ratings, "--gold", "mean", "--format", "json")
    assert code == 0
    assert "notice: birhc has 1 rating, other systems 24 or more (did you mean birch?)." in err
    rows = {row["system"]: row for row in json.loads(out)["adjusted"]["mean"]["systems"]}
    assert rows["birhc"]["low"] is None
    assert all(rows[name]["low"] < rows[name]["high"] for name in ("ash", "birch", "elm"))


def test_nothing_tested_is_not_no_difference(command, tmp_path):
    """Every system has ratings of other segments."""
    rows = [
        ["anna", system, f"{system}{segment}", str(segment * (number + 1) % 7)]
        for number, system in enumerate(("ash", "elm"))
        for segment in range(9)
    ]
    file = tmp_path / "ratings.tsv"
    columns = ["annotator", "system", "segment", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(file, sep="\t", index=False)
    code, _, err = command("annotations", file, "--gold")
    assert code == 0
    assert "nothing was tested" in err


def test_tsv_has_the_scores_of_every_gold(command, ratings):
    code, out, _ = command("annotations", ratings, "--gold", "z", "mean", "--format", "tsv")
    assert code == 0
    head = out.splitlines()[0].split("\t")
    assert {"system", "mean", "z_low", "z_high", "mean_low", "mean_high"} <= set(head)


def test_the_table_of_official_scores_has_official_scores_alone(command, ratings):
    """Ratings have no official z-scores; those of the gold stand in a table of their own."""
    _, out, _ = command("annotations", ratings, "--gold", "z")
    official = out[out.index("Official scores") : out.index("Design:")]
    assert "z" not in official.splitlines()[1].split()
