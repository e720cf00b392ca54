"""Whatever the names, and however small the set: every table has the systems that went in, and an
undefined number has a reason. `make faults` tries more of both."""

import numpy as np
import small_run
import small_sets
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

METRICS = dict(zip(["1", "2", "1.0", "NA"], small_sets.TYPES, strict=True))


# Examples are small as they are; to shrink one takes minutes.
@settings(max_examples=25, deadline=None, derandomize=True, phases=[Phase.generate])
@given(
    small_sets.sets(),
    small_sets.metric_names,
    small_sets.pairs,
    st.sampled_from(small_run.PLOTS),
)
def test_every_table_has_the_systems_that_went_in(own, metrics, pair, plot):
    small_sets.run_and_check(own, metrics, pair, [plot])


def test_names_like_numbers_have_their_correlations(tmp_path):
    """Of 2019, 2020 and 2021 there was none, and of 1.0 and 1.00 an error."""
    systems = ["2019", "2020", "1.0", "1.00"]
    small_sets.write(tmp_path / "own", systems)
    folder = small_run.run(tmp_path / "own", tmp_path / "results", METRICS, plots=[])
    found = small_run.table(folder, "correlations.csv")
    found = found[(found.subset == "all") & (found.metric != "NA")]  # which needs documents
    assert set(found["size"]) == {len(systems)}
    assert found.pearson[found.weighting == "standard"].notna().all()
    tested = small_run.table(folder, "significance.csv")
    tested = tested[(tested.subset == "all") & (tested.statistic == "pearson")]
    merged = found.merge(tested[tested.metric != "NA"], on=["metric", "weighting"])
    assert len(merged) == len(found)
    assert (merged.pearson - merged.value).abs().max() < 1e-9


def test_results_do_not_depend_on_the_scale_of_estimates(tmp_path):
    """From values whose squares are too small for a float to values near the largest allowed."""
    weightings = {
        "above": {"type": "groups", "difficulty": "mine", "easy_weight": 0.5},
        "soft": {"type": "proportional", "difficulty": "mine", "softmax": 1},
    }
    weightings["above"]["threshold"] = "mean_plus_1sd"
    found = []
    for scale in (1, 1e-200, 1e-310, 1e97):
        own = tmp_path / f"{scale:g}"
        small_sets.write(own, ["ash", "elm", "oak", "yew"])
        lines = [f"{segment}\t{segment**2 * scale!r}" for segment in range(1, 13)]
        (own / "difficulty").mkdir()
        (own / "difficulty/mine.tsv").write_text("\n".join(["segment\tdifficulty", *lines]))
        folder = small_run.run(
            own,
            own / "results",
            {"chrF": "chrf"},
            plots=["difficulties"],
            difficulties={"mine": {"type": "file"}},
            weightings=weightings,
        )
        found.append(small_run.table(folder, "system_scores.csv"))
    assert found[0].score[found[0].weighting.isin(weightings)].notna().all()
    for other in found[1:]:
        np.testing.assert_allclose(other.score, found[0].score, rtol=1e-9)
