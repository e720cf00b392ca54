import logging
import os
import zipfile
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import nltk
import pytest
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from snakemake.iocontainers import Namedlist

import retrieve_wordnet
from mt_difficulty.data import wordnet
from mt_difficulty.data.downloads import damaged_files
from mt_difficulty.errors import InputError
from mt_difficulty.run import lock

DATA = {"data.noun": b"nouns\n", "index.noun": b"index\n", "lexnames": b"names\n"}
DEBIAN = {"data.noun": b"Debian's nouns\n", "data.adj": b"adjectives\n", "noun.exc": b"men man\n"}
from_debian = wordnet.from_debian


def write_folder(folder, files):
    folder.mkdir(parents=True)
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return folder


def write_zip(path, files):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        archive.mkdir("wordnet")
        for name, data in files.items():
            archive.writestr(f"wordnet/{name}", data)
    return path


def tree(folder):
    """Every file below with its content, and every folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.glob("[!.]*")}


@pytest.fixture
def destination(tmp_path):
    return tmp_path / "data" / "nltk" / "corpora" / "wordnet"


@pytest.fixture
def nltk_data(tmp_path, monkeypatch):
    """An NLTK data folder, as yet without WordNet, behind one that does not exist."""
    folder = tmp_path / "nltk_data"
    monkeypatch.setattr(nltk.data, "path", [str(tmp_path / "nowhere"), str(folder)])
    return folder


@pytest.fixture
def debian(tmp_path, monkeypatch):
    """Where Debian would put its package, as yet not installed."""
    folder = tmp_path / "usr" / "share" / "wordnet"
    monkeypatch.setattr(wordnet, "from_debian", partial(from_debian, installed=folder))
    return folder


@pytest.fixture
def downloads(monkeypatch):
    """Stand in for NLTK's downloader, which finds no network until `downloads.answer` is set."""
    calls = SimpleNamespace(answer=lambda folder: False, folders=[])

    def download(package, download_dir, quiet):
        assert package == "wordnet"
        assert quiet
        calls.folders.append(Path(download_dir))
        return calls.answer(Path(download_dir))

    monkeypatch.setattr(nltk, "download", download)
    return calls


def serve(folder):
    """Put the zip where NLTK's downloader does, which leaves this package zipped."""
    write_zip(folder / "corpora" / "wordnet.zip", DATA)
    return True


pytestmark = pytest.mark.usefixtures("nltk_data", "debian", "downloads")


def assert_only(destination, files):
    """The folder holds these files, and nothing else was left beside it."""
    assert contents(destination) == files
    assert {path.name for path in destination.parent.glob("[!.]*")} == {"wordnet"}
    assert {path.name for path in destination.parents[1].glob("[!.]*")} == {"corpora"}


def test_from_a_folder_of_nltk_data(destination, nltk_data, debian, downloads):
    write_folder(nltk_data / "corpora" / "wordnet", DATA)
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    assert_only(destination, DATA)
    assert contents(nltk_data / "corpora" / "wordnet") == DATA
    assert downloads.folders == []


def test_from_a_zip_of_nltk_data(destination, nltk_data, debian, downloads):
    write_zip(nltk_data / "corpora" / "wordnet.zip", DATA)
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    assert_only(destination, DATA)
    assert downloads.folders == []


@pytest.mark.parametrize("zipped", [True, False])
def test_from_the_destinations_own_nltk_data(destination, monkeypatch, zipped):
    """As with a zip fetched by hand into `data/nltk`, and NLTK_DATA naming that."""
    monkeypatch.setattr(nltk.data, "path", [str(destination.parents[1])])
    if zipped:
        write_zip(destination.with_suffix(".zip"), DATA)
    else:
        write_folder(destination, DATA)
    wordnet.retrieve(destination)
    assert contents(destination) == DATA


def test_from_debian(destination, debian, downloads):
    write_folder(debian, DEBIAN)
    (debian / "pixmaps").mkdir()
    wordnet.retrieve(destination)
    names = contents(destination)["lexnames"]
    assert_only(destination, DEBIAN | {"lexnames": names, "index.sense": b""})
    assert downloads.folders == []


def test_the_table_of_lexicographer_files(destination, debian):
    """As WordNet's manual prints it, lexnames(5WN): number, name, syntactic category."""
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    lines = (destination / "lexnames").read_text().splitlines()
    rows = [line.split("\t") for line in lines]
    assert [number for number, _, _ in rows] == [f"{number:02}" for number in range(45)]
    assert len({name for _, name, _ in rows}) == 45
    known = {
        *("00 adj.all 3", "01 adj.pert 3", "02 adv.all 4", "03 noun.Tops 1", "05 noun.animal 1"),
        *("15 noun.location 1", "28 noun.time 1", "29 verb.body 2", "38 verb.motion 2"),
        *("43 verb.weather 2", "44 adj.ppl 3"),
    }
    assert known < {" ".join(row) for row in rows}


@pytest.mark.skipif(
    not (wordnet.DEBIAN / "data.noun").is_file(), reason="wordnet-base is not installed"
)
@pytest.mark.filterwarnings("ignore:The multilingual functions")
def test_the_table_fits_debians_data(destination, monkeypatch):
    destination.mkdir(parents=True)
    assert from_debian(destination)
    # NLTK opens nothing outside of its folders.
    monkeypatch.setattr(nltk.data, "path", [str(destination.parents[1])])
    reader = WordNetCorpusReader(str(destination), None)
    found = {
        name: reader.synset(name).lexname()
        for name in ["dog.n.01", "entity.n.01", "monday.n.01", "rain.v.01", "breathe.v.01"]
    }
    assert found == {
        "dog.n.01": "noun.animal",
        "entity.n.01": "noun.Tops",
        "monday.n.01": "noun.time",
        "rain.v.01": "verb.weather",
        "breathe.v.01": "verb.body",
    }
    assert reader.get_version() == "3.0"


def test_from_the_downloader(destination, downloads):
    downloads.answer = serve
    wordnet.retrieve(destination)
    assert_only(destination, DATA)
    assert len(downloads.folders) == 1


def unpack_too(folder):
    """As the downloader does for an installation that several accounts share."""
    serve(folder)
    with zipfile.ZipFile(folder / "corpora" / "wordnet.zip") as archive:
        archive.extractall(folder / "corpora")
    return True


def test_from_a_downloader_that_unpacks(destination, downloads):
    downloads.answer = unpack_too
    wordnet.retrieve(destination)
    assert_only(destination, DATA)


@pytest.mark.parametrize("place", ["empty folder", "broken zip"])
def test_nltk_data_without_a_whole_wordnet_is_passed_over(destination, nltk_data, debian, place):
    corpora = write_folder(nltk_data / "corpora", {})
    if place == "empty folder":
        (corpora / "wordnet").mkdir()
    else:
        (corpora / "wordnet.zip").write_bytes(b"PK\x03\x04 and no more")
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    assert contents(destination)["data.noun"] == DEBIAN["data.noun"]


def unreachable(folder):
    raise OSError("network is unreachable")


def no_index(folder):
    raise ValueError("no such package")


NONE = [lambda folder: False, unreachable, no_index]


@pytest.mark.parametrize("answer", NONE, ids=["refused", "no network", "no index"])
def test_no_source_names_the_three_ways_and_leaves_nothing(destination, downloads, answer):
    downloads.answer = answer
    with pytest.raises(InputError) as error:
        wordnet.retrieve(destination)
    assert str(error.value) == (
        "METEOR needs WordNet 3.0 and it was not found. Three ways to get it: (1) with network, "
        "run again: NLTK's downloader fetches it; (2) name a folder with NLTK data that holds "
        "corpora/wordnet: NLTK_DATA=<folder>; (3) on Debian or Ubuntu: apt-get install "
        "wordnet-base."
    )
    assert set(tree(destination.parents[1])) == set()


def half_a_download(folder):
    (folder / "corpora" / "wordnet" / "data.noun").write_bytes(b"half")
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("answer", "error"), [(lambda folder: False, InputError), (half_a_download, KeyboardInterrupt)]
)
def test_a_failure_keeps_the_old_folder(destination, downloads, answer, error):
    write_folder(destination, {"old": b"kept"})
    downloads.answer = answer
    with pytest.raises(error):
        wordnet.retrieve(destination)
    assert contents(destination) == {"old": b"kept"}
    assert set(tree(destination.parents[1])) == {
        "corpora",
        "corpora/wordnet",
        "corpora/wordnet/old",
    }


def test_success_replaces_the_old_folder(destination, debian):
    write_folder(destination, {"old": b"gone", "data.noun": b"old"})
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    assert not (destination / "old").exists()
    assert (destination / "data.noun").read_bytes() == DEBIAN["data.noun"]


@pytest.fixture
def job(destination, tmp_path, monkeypatch):
    """What Snakemake tells the rule's script; the run's locks are those of a folder of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(lock, "_held", [])
    return SimpleNamespace(
        input=Namedlist(),
        params=Namedlist(),
        output=[str(destination)],
        log=[],
        rule="retrieve_wordnet",
        config={"results": "results"},
    )


def test_as_a_job(destination, debian, job):
    write_folder(debian, DEBIAN)
    retrieve_wordnet.run(retrieve_wordnet.main, job)
    assert (destination / "data.noun").read_bytes() == DEBIAN["data.noun"]


def test_as_a_job_without_a_source(destination, job, caplog):
    caplog.set_level(logging.ERROR)
    with pytest.raises(SystemExit, match="ERROR: METEOR needs WordNet"):
        retrieve_wordnet.run(retrieve_wordnet.main, job)
    assert "Three ways to get it" in caplog.text
    assert not destination.exists()


def test_a_file_that_was_cut_later_is_known(destination, debian):
    write_folder(debian, DEBIAN)
    wordnet.retrieve(destination)
    assert damaged_files(destination) == []
    os.truncate(destination / "data.noun", 2)
    (destination / "lexnames").unlink()
    assert {path.name for path in damaged_files(destination)} == {"data.noun", "lexnames"}
