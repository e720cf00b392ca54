"""Who may read what a run writes is the user's to say: files are as open as the umask lets them."""

import os
import stat

import numpy as np
import pandas as pd
import pytest
import tars
from test_servers import BODY, TAG, destination, reply, server  # noqa: F401  # fixtures

from mt_difficulty import storage
from mt_difficulty.data import wordnet
from mt_difficulty.data.download import download


@pytest.fixture(params=[0o022, 0o027, 0o077, 0o002], ids=oct)
def umask(request):
    before = os.umask(request.param)
    yield request.param
    os.umask(before)


def check(folder, umask):
    """Everything below is as open as the umask lets it."""
    paths = [path for path in folder.rglob("*") if not path.is_symlink()]
    assert any(path.is_file() for path in paths)
    for path in paths:
        allowed = (0o777 if path.is_dir() else 0o666) & ~umask
        assert stat.S_IMODE(path.stat().st_mode) == allowed, path


def test_a_campaign(tmp_path, umask, monkeypatch):
    """Whatever the modes in the archive."""
    monkeypatch.chdir(tmp_path)
    odd = [
        tars.entry(f"{tars.TOP}/wmt20/closed", data=b"x", mode=0),
        tars.entry(f"{tars.TOP}/wmt20/open", data=b"x", mode=0o7777),
    ]
    check(tars.unpack(tars.write_tgz(tmp_path / "a.tgz", *odd)), umask)


def test_results(tmp_path, umask):
    storage.write_text(tmp_path / "a/b/text", "x")
    storage.write_missing(tmp_path / "a/missing", "x")
    storage.write_json(tmp_path / "a/json", {})
    storage.write_table(tmp_path / "a/csv", pd.DataFrame({"a": [1]}))
    storage.write_arrays(tmp_path / "a/npz", a=np.arange(3))
    check(tmp_path, umask)


def test_a_download(server, destination, umask):  # noqa: F811
    download([server(reply(TAG)[:-1000], reply(TAG))], destination, wait=0)
    assert destination.read_bytes() == BODY
    check(destination.parent, umask)


def test_wordnet(tmp_path, umask, monkeypatch):
    """Whatever the modes of the copy that is installed."""
    monkeypatch.setattr(wordnet, "from_nltk_data", lambda _: False)
    monkeypatch.setattr(wordnet.from_debian, "__defaults__", (tmp_path / "installed",))
    tars.write_folder(tmp_path / "installed", {"data.noun": b"x"}).chmod(0o500)
    wordnet.retrieve(tmp_path / "nltk/corpora/wordnet")
    check(tmp_path / "nltk", umask)


@pytest.mark.slow
def test_a_whole_run(project, umask):
    """Logs, the page, figures and all else."""
    if umask != 0o077:
        pytest.skip("one is enough")
    results = project.root / "results/umask"
    project.snakemake(
        "--configfile", "data/demo/config.yaml", "--config", "results=results/umask", "neural=False"
    )
    assert (results / "report.html").is_file()
    check(results, umask)
