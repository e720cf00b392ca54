"""Names that look like numbers, missing values or code, one by one as a system's, a metric's and a
document's, and many sets so small that little can be computed."""

import pytest
import small_run
import small_sets
from hypothesis import Phase, given, settings

from mt_difficulty.data.text_files import normal

pytestmark = pytest.mark.slow
NAMES = small_sets.LIKE_VALUES + small_sets.LIKE_CODE


@pytest.mark.parametrize("name", [name for name in NAMES if "/" not in name])
def test_a_system_of_any_name_is_in_every_table(tmp_path, name):
    systems = [name, "2", "2.0"]
    small_sets.write(tmp_path / "own", systems)
    folder = small_run.run(tmp_path / "own", tmp_path / "results", {"chrF": "chrf"}, plots=[])
    small_run.check(folder, map(normal, systems), ["chrF"])
    for file in ("correlations.csv", "significance.csv"):
        found = small_run.table(folder, file)
        assert set(found["size"][found.subset == "all"]) == {3}


@pytest.mark.parametrize("name", small_sets.METRICS)
def test_a_metric_of_any_name_is_in_every_table(tmp_path, name):
    metrics = {name: "chrf", "2": "bleu"}
    small_sets.write(tmp_path / "own", ["a", "b", "c"])
    folder = small_run.run(tmp_path / "own", tmp_path / "results", metrics, plots=[])
    small_run.check(folder, ["a", "b", "c"], metrics)


@pytest.mark.parametrize("name", [name for name in NAMES if name.strip()])
def test_a_document_of_any_name_is_in_every_table(tmp_path, name):
    reference = ["a b c d", "d c b a", "a c b d"]
    systems = {"a": reference, "b": reference[::-1]}
    own = tmp_path / "own"
    small_run.write_own_files(own, reference, systems, documents=[name, "2", "2.0"])
    folder = small_run.run(own, tmp_path / "results", {"chrF": "chrf"}, plots=[], pair="en-de")
    small_run.check(folder, ["a", "b"], ["chrF"])
    types = small_run.table(tmp_path / "results", "complexity/text_types.csv")
    assert set(types.text) == {name, "2", "2.0"}


@settings(max_examples=100, deadline=None, derandomize=True, phases=[Phase.generate])
@given(small_sets.sets(), small_sets.metric_names, small_sets.pairs)
def test_many_small_sets(own, metrics, pair):
    small_sets.run_and_check(own, metrics, pair, small_run.PLOTS)
