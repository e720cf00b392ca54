"""Result files of a set, as jobs read them."""

import numpy as np
import pandas as pd
import pytest
from conftest import make_evalset

from mt_difficulty import storage
from mt_difficulty.data import evalset, set_files
from mt_difficulty.errors import Missing


@pytest.fixture
def files(tmp_path):
    """The files of two sets, of which one name ends as the other does."""
    own = tmp_path / "demo/en-de"
    evalset.save(own / "evalset.json", make_evalset([["a"], ["b"]], ["a"]))
    storage.write_json(own / "difficulty.json", {"h": 0.5})
    storage.write_table(own / "correlations.csv", pd.DataFrame({"metric": ["2019"], "pearson": 1}))
    storage.write_arrays(own / "statistics/chrF.npz", statistics=np.ones((2, 1, 1)))
    storage.write_text(own / "figures/top_k.svg", "<svg/>")
    storage.write_missing(own / "controls.csv", "no segment is difficult")
    storage.write_json(tmp_path / "mydemo/en-de/difficulty.json", {"h": 0.7})
    return [str(path) for path in sorted(tmp_path.rglob("*.*"))]


def test_every_kind_of_file_is_read(files):
    found = set_files.read_set("demo/en-de", files)
    assert len(found.contents) == 6
    assert found.read("evalset.json").systems == ["S0", "S1"]
    assert found.read("difficulty.json") == {"h": 0.5}
    assert found.read("correlations.csv").metric.tolist() == ["2019"]
    assert found.read("statistics/chrF.npz")["statistics"].shape == (2, 1, 1)
    assert found.optional("figures/top_k.svg") == "<svg/>"
    assert found.in_folder("statistics") == ["statistics/chrF.npz"]


def test_a_file_without_a_result_has_its_reason(files):
    found = set_files.read_set("demo/en-de", files)
    with pytest.raises(Missing, match="no segment is difficult"):
        found.read("controls.csv")
    assert found.optional("controls.csv") is None
    assert found.reason("controls.csv") == "no segment is difficult"
    assert "controls.csv" in found
