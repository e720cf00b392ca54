"""A packed archive is read once, and is the same input as its folder."""

import os
import shutil
import threading

import pytest
from tars import FILES, TOP, WMT20, names, tree, write_folder, write_tgz

from mt_difficulty.data import contents, unpacked
from mt_difficulty.errors import InputError, Missing


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty project; gives the passes over an archive, by its campaigns."""
    monkeypatch.chdir(tmp_path)
    contents._remembered.cache_clear()
    passes, extract = [], unpacked.extract

    def spy(archive, folders):
        passes.append(sorted(folders))
        return extract(archive, folders)

    monkeypatch.setattr(unpacked, "extract", spy)
    yield passes
    contents._remembered.cache_clear()


@pytest.fixture
def packed(tmp_path):
    return write_tgz(tmp_path / "a.tgz")


def test_a_folder_is_taken_as_it_is(tmp_path, here):
    folder = write_folder(tmp_path / "a")
    assert unpacked.unpacked(folder, ["wmt20"]) == folder / TOP
    assert unpacked.unpacked(folder / TOP, ["wmt20"]) == folder / TOP
    assert here == []


def test_all_campaigns_are_unpacked_in_one_pass(packed, here):
    folder = unpacked.unpacked(packed, ["wmt20", "wmt19", "wmt99"])
    assert tree(folder / "wmt20") == WMT20
    assert unpacked.unpacked(packed, ["wmt20"]) == folder
    assert unpacked.unpacked(packed, ["wmt19", "wmt99"]) == folder
    assert here == [["wmt19", "wmt20", "wmt99"]]
    assert set(names(folder)) == {".whole", "wmt19", "wmt20", "wmt20.extra"}


def test_another_campaign_takes_another_pass(packed, here):
    folder = unpacked.unpacked(packed, ["wmt20"])
    unpacked.unpacked(packed, ["wmt20", "wmt20.extra"])
    assert here == [["wmt20"], ["wmt20.extra"]]
    assert tree(folder / "wmt20") == WMT20
    assert tree(folder / "wmt20.extra") == {"sources/en-de.txt": b"extra\n"}


def test_it_is_known_by_its_content(packed, here, tmp_path):
    folder = unpacked.unpacked(packed, ["wmt20"])
    packed.rename(tmp_path / "b.tgz")
    assert unpacked.unpacked(tmp_path / "b.tgz", ["wmt20"]) == folder
    assert len(here) == 1
    changed = FILES | {f"{TOP}/wmt20/sources/en-de.txt": b"one\nten\n"}
    other = unpacked.unpacked(write_tgz(packed, files=changed), ["wmt20"])
    assert tree(other / "wmt20") == WMT20 | {"sources/en-de.txt": b"one\nten\n"}
    assert tree(folder / "wmt20") == WMT20


def test_packed_and_unpacked_have_the_same_checksums(packed, tmp_path):
    folders = [
        unpacked.unpacked(path, ["wmt20"]) / "wmt20"
        for path in (packed, write_folder(tmp_path / "a"))
    ]
    found = [contents.checksums(f, filter(os.path.isfile, f.rglob("*"))) for f in folders]
    assert found[0] == found[1]
    assert len(found[0]) == 2


def test_a_download_that_was_deleted_is_what_was_unpacked_of_it(packed, here, monkeypatch):
    monkeypatch.setattr(contents, "SETTLED", -1)
    folder = unpacked.unpacked(packed, ["wmt20"])
    packed.unlink()
    assert unpacked.unpacked(packed, ["wmt20"]) == folder
    assert len(here) == 1


def test_one_that_never_was_has_no_campaigns(tmp_path):
    assert not unpacked.unpacked(tmp_path / "none.tgz", ["wmt20"]).exists()


def test_a_pass_that_was_killed_is_done_again(packed, here, monkeypatch):
    class Killed(BaseException):
        pass

    def kill(*_):
        raise Killed

    with monkeypatch.context() as killed:
        killed.setattr(unpacked.Path, "rename", kill)
        killed.setattr(unpacked.shutil, "rmtree", lambda *_, **__: None)
        with pytest.raises(Killed):
            unpacked.unpacked(packed, ["wmt20"])
    folder = unpacked.unpacked(packed, ["wmt20"])
    assert tree(folder / "wmt20") == WMT20
    assert len(here) == 2
    assert names(folder.parent) == [TOP]


def test_two_at_once_read_it_once(packed, here):
    threads = [
        threading.Thread(target=unpacked.unpacked, args=(packed, ["wmt20"])) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(here) == 1


def test_a_damaged_archive_is_refused_and_leaves_nothing(packed):
    packed.write_bytes(packed.read_bytes()[:-100])
    with pytest.raises(InputError, match="cut short or damaged"):
        unpacked.unpacked(packed, ["wmt20"])
    with pytest.raises(InputError, match="cut short or damaged"):
        unpacked.find_campaign(packed / "wmt20")
    assert not list(unpacked.KEPT.rglob("en-de.txt"))


def test_a_campaign_is_found_or_missing(packed, tmp_path):
    for path in (packed, write_folder(tmp_path / "a")):
        top = unpacked.unpacked(path, ["wmt20"])
        assert unpacked.find_campaign(top / "wmt20") == top / "wmt20"
        with pytest.raises(Missing) as error:
            unpacked.find_campaign(top / "wmt21")
        lacking = "has no campaign wmt21; it has wmt19, wmt20, wmt20.extra"
        assert str(error.value) == f"{TOP} {lacking}"


def test_a_pipe_is_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "a.tgz")
    with pytest.raises(InputError, match="is no file and no folder"):
        unpacked.unpacked(tmp_path / "a.tgz", ["wmt20"])


@pytest.mark.parametrize("how", ["cut", "deleted", "no list", "bad list", "no campaign"])
def test_what_is_spoilt_is_unpacked_again(packed, here, how):
    folder = unpacked.unpacked(packed, ["wmt20", "wmt19"])
    file, listed = folder / "wmt20/sources/en-de.txt", folder / unpacked.WHOLE
    if how == "cut":
        file.write_bytes(b"")
    elif how == "deleted":
        file.unlink()
    elif how == "no list":
        listed.unlink()
    elif how == "bad list":
        listed.write_text("rubbish")
    else:
        shutil.rmtree(folder / "wmt20")
    for _ in range(2):
        unpacked.unpacked(packed, ["wmt20", "wmt19"])
        assert tree(folder / "wmt20") == WMT20
        assert tree(folder / "wmt19") == {"sources/en-de.txt": b"other\n"}
    assert len(here) == 2
