"""Checksums of inputs that are remembered, and records of results."""

import base64
import fcntl
import hashlib
import json
import os
import time
from pathlib import Path

import pytest

from mt_difficulty import cli
from mt_difficulty.data import contents
from mt_difficulty.data.downloads import list_sizes
from mt_difficulty.errors import InputError
from mt_difficulty.run import integrity


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder of two files that changed long enough ago, and an empty memory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(contents, "SETTLED", -1)
    contents._remembered.cache_clear()
    (tmp_path / "own/systems").mkdir(parents=True)
    (tmp_path / "own/source.txt").write_text("one\n")
    (tmp_path / "own/systems/a.txt").write_text("two\n")
    yield tmp_path / "own"
    contents._remembered.cache_clear()


@pytest.fixture
def read(monkeypatch):
    """The names of files that are read."""
    names, checksum = [], contents.checksum

    def counting(path):
        names.append(path.name)
        return checksum(path)

    monkeypatch.setattr(contents, "checksum", counting)
    return names


def checksums(folder):
    """As another process would find them."""
    contents._remembered.cache_clear()
    return contents.checksums(folder, sorted(p for p in folder.rglob("*") if p.is_file()))


def test_checksums_are_by_path_in_the_folder(folder):
    assert checksums(folder) == {
        "source.txt": hashlib.sha256(b"one\n").hexdigest(),
        "systems/a.txt": hashlib.sha256(b"two\n").hexdigest(),
    }
    file = folder / "source.txt"
    assert contents.checksums(file, [file]) == {".": hashlib.sha256(b"one\n").hexdigest()}


def test_what_did_not_change_is_not_read_again(folder, read):
    first = checksums(folder)
    assert read == ["source.txt", "a.txt"]
    assert checksums(folder) == first
    assert len(read) == 2


@pytest.mark.parametrize("kept", ["nothing", "times"])
def test_other_content_is_read_whatever_its_times(folder, read, kept):
    first, path = checksums(folder), folder / "source.txt"
    times = path.stat()
    if kept == "times":
        path.write_text("eno\n")
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
    else:
        (folder / "new").write_text("eno\n")
        os.utime(folder / "new", (1, 1))
        (folder / "new").rename(path)
    assert path.stat().st_size == times.st_size
    found = checksums(folder)
    assert found["source.txt"] == hashlib.sha256(b"eno\n").hexdigest()
    assert found["systems/a.txt"] == first["systems/a.txt"]
    assert read == ["source.txt", "a.txt", "source.txt"]


def test_a_file_that_has_just_changed_is_not_remembered(folder, read, monkeypatch):
    monkeypatch.setattr(contents, "SETTLED", 60)
    assert checksums(folder) == checksums(folder)
    assert len(read) == 4


@pytest.mark.parametrize("memory", ["", "[]", '{"a', "\0"])
def test_a_damaged_memory_is_none(folder, memory):
    contents.MEMORY.parent.mkdir()
    contents.MEMORY.write_text(memory)
    assert len(checksums(folder)) == 2


def test_jobs_may_write_the_memory_at_the_same_time(folder, monkeypatch):
    replace = os.replace

    def replace_after_another_job(*names):
        monkeypatch.setattr(os, "replace", replace)
        checksums(folder / "systems")
        replace(*names)

    monkeypatch.setattr(os, "replace", replace_after_another_job)
    assert len(checksums(folder)) == 2
    assert os.listdir(contents.MEMORY.parent) == [contents.MEMORY.name]


def test_a_time_in_the_future_is_no_sign_of_a_change(folder, read, monkeypatch):
    monkeypatch.setattr(contents, "SETTLED", 0.01)
    for path in folder.rglob("*.txt"):
        os.utime(path, (3e9, 3e9))
    time.sleep(0.02)
    assert checksums(folder) == checksums(folder)
    assert len(read) == 2


def test_a_file_that_changed_since_the_run_began_is_an_error(folder):
    known = checksums(folder)
    contents.check_unchanged(folder, known)
    (folder / "systems/a.txt").write_text("three\n")
    with pytest.raises(InputError, match=r"systems/a\.txt has changed since this run began. Run"):
        contents.check_unchanged(folder, known)
    (folder / "systems/a.txt").unlink()
    with pytest.raises(InputError, match=r"a\.txt has changed"):
        contents.check_unchanged(folder, known)


@pytest.fixture
def results(tmp_path):
    """Results of two jobs with their records: a table, and two files."""
    outputs = {"set/scores.csv": "a,b\n", "other/c/x.txt": "x\n", "other/c/deep/y.txt": "y\n"}
    folder = tmp_path / "results"
    for name, text in outputs.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    for job, names in {"score/set": list(outputs)[:1], "unpack/c": list(outputs)[1:]}.items():
        path = folder / f"provenance/{job}.json"
        path.parent.mkdir(parents=True)
        record = {
            "outputs": {n: hashlib.sha256(outputs[n].encode()).hexdigest() for n in names},
            "sizes": {n: len(outputs[n]) for n in names},
        }
        path.write_text(json.dumps(record))
    return folder


def test_whole_results_are_not_damaged(results):
    assert integrity.damaged(results, [f"{results}/set/scores.csv"], by_content=True) == {}


def test_another_size_and_on_demand_other_bytes_are_damage(results):
    path = results / "set/scores.csv"
    path.write_text("b,a\n")
    assert integrity.damaged(results) == {}
    assert integrity.damaged(results, by_content=True) == {path: "its bytes have changed"}
    path.write_text("")
    assert integrity.damaged(results) == {path: "0 bytes instead of 4"}
    path.unlink()  # which Snakemake sees
    assert integrity.damaged(results) == {}


@pytest.mark.parametrize(
    "record",
    [
        *("[]", "null", "5", '"x"', '{"outputs": 1, "sizes": 2}', '{"outputs": {"a": 1}}'),
        '{"outputs": {"a": "b"}, "sizes": {}}',
        '{"outputs": {"../mine.txt": "b"}, "sizes": {"../mine.txt": 1}}',
        '{"outputs": {"/etc/passwd": "b"}, "sizes": {"/etc/passwd": 1}}',
    ],
)
def test_a_record_of_another_form_is_none(results, record):
    (results / "provenance/score/set.json").write_text(record)
    assert len(integrity.records(results)) == 2  # the other job's


def note(path, **content):
    """Snakemake's note of a result, as it writes it."""
    name = base64.urlsafe_b64encode(str(path).encode()).decode()
    integrity.NOTES.mkdir(parents=True, exist_ok=True)
    (integrity.NOTES / name).write_text(json.dumps(content))


def test_a_result_that_no_note_of_this_project_describes_is_made_again(results, monkeypatch):
    monkeypatch.chdir(results.parent)
    path, other = Path("results/set/scores.csv"), Path("results/other/c/x.txt")
    lost = "Snakemake has lost its note of how it was made"
    kept = [str(path), str(other), "results/others.csv"]
    assert integrity.unnoted(kept) == {path: lost, other: lost}
    for result in (path, other):
        note(result, endtime=result.stat().st_mtime)
    assert integrity.unnoted(kept) == {}
    os.utime(path, (1e9, 1e9))
    since = "it was written since, not by a run of this copy of the project"
    assert integrity.unnoted(kept) == {path: since}
    for text in ("", "{}", '{"endtime": null}', "[]"):
        (integrity.NOTES / base64.urlsafe_b64encode(b"results/set/scores.csv").decode()).write_text(
            text
        )
        assert integrity.unnoted(kept) == {path: lost}


@pytest.fixture
def spoilt(results, monkeypatch):
    """A damaged result and a damaged download: what `remove_damaged` of the project gives."""
    monkeypatch.chdir(results.parent)
    path, download = Path("results/set/scores.csv"), Path("wordnet")
    path.write_text("cut")
    note(path, endtime=path.stat().st_mtime)
    download.mkdir()
    (download / "data.noun").write_text("noun")
    list_sizes(download, ["data.noun"])
    (download / "data.noun").write_text("")

    def remove_damaged(dry=False, results="results"):
        return integrity.remove_damaged(results, [str(path)], download, dry)

    return remove_damaged


def test_a_run_removes_what_is_damaged_and_a_dry_run_says_so(spoilt):
    notices = [
        "results/set/scores.csv: 3 bytes instead of 4; it is made again",
        "wordnet/data.noun: not the file that was fetched; it is made again",
    ]
    assert spoilt(dry=True) == notices
    assert Path("results/set/scores.csv").exists()
    assert spoilt() == notices
    assert not Path("results/set/scores.csv").exists()
    assert not Path("wordnet").exists()
    assert Path("results/other/c/x.txt").exists()
    assert spoilt() == []


def test_of_much_damage_some_is_named(spoilt, monkeypatch):
    monkeypatch.setattr(integrity, "NAMED", 1)
    first, rest = spoilt()
    assert first.startswith("results/set/scores.csv: ")
    assert rest == "1 more files are made again"


def test_nothing_is_removed_beside_a_run_or_where_none_ever_was(spoilt, tmp_path):
    path = Path("results/logs/run.lock")
    path.parent.mkdir()
    path.touch()
    with open(path, "r+") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        assert spoilt() == []
    (tmp_path / "mine").mkdir()
    assert spoilt(results="mine") == []
    assert Path("results/set/scores.csv").exists()


@pytest.mark.parametrize("entry", ["null", "5", "[]", "[1, 2]", '{"a": 1}'])
def test_a_damaged_entry_of_the_memory_is_none(tmp_path, monkeypatch, entry):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "text"
    path.write_text("one")
    contents.MEMORY.parent.mkdir()
    contents.MEMORY.write_text(f'{{"{path}": {entry}}}')
    contents._remembered.cache_clear()
    assert contents.checksums(tmp_path, [path])["text"] == hashlib.sha256(b"one").hexdigest()
    contents._remembered.cache_clear()


@pytest.mark.parametrize("record", ["", '{"outputs": {', "{}"])
def test_a_result_without_a_record_is_damaged_where_a_run_makes_it(results, record):
    (results / "provenance/score/set.json").write_text(record)
    path = results / "set/scores.csv"
    assert integrity.damaged(results) == {}
    found = integrity.damaged(results, [str(path), f"{results}/set/others.csv"])
    assert found == {path: "no record says how it was made"}
    integrity.remove(found, results)
    assert not path.exists()


@pytest.mark.parametrize("name", ["../mine.txt", "set/../../mine.txt", "{}/mine.txt"])
def test_a_record_of_a_file_outside_of_the_results_counts_for_nothing(results, tmp_path, name):
    path, mine = results / "provenance/score/set.json", tmp_path / "mine.txt"
    mine.write_text("mine")
    name = name.format(tmp_path)
    path.write_text(json.dumps({"outputs": {name: "0" * 64}, "sizes": {name: 1}}))
    found = integrity.damaged(results, by_content=True)
    integrity.remove(found, results)
    assert (found, mine.read_text()) == ({}, "mine")


def test_of_two_records_of_a_file_the_newer_one_counts(results):
    old, new = results / "provenance/score/set.json", results / "provenance/a_score/set.json"
    new.parent.mkdir()
    new.write_text(old.read_text())
    record = json.loads(old.read_text())
    record["sizes"]["set/scores.csv"] = 99
    old.write_text(json.dumps(record))
    os.utime(old, (1, 1))
    assert integrity.damaged(results) == {}


def test_check_names_files_without_a_record(results, monkeypatch, capsys):
    monkeypatch.chdir(results.parent)
    (results / "set/mine.txt").write_text("mine")
    (results / "logs").mkdir()
    (results / "logs/job.log").write_text("")
    assert cli.main(["check", "results"]) == 0
    notice = "notice: 1 other files have no record of how they were made, as results/set/mine.txt\n"
    assert capsys.readouterr().err == notice
    assert (results / "set/mine.txt").exists()


def test_check_removes_what_differs_and_counts_what_is_there(results, monkeypatch, capsys):
    monkeypatch.chdir(results.parent)
    assert cli.main(["check", "results"]) == 0
    assert capsys.readouterr().out == "3 of 3 results are what their jobs wrote\n"
    (results / "other/c/x.txt").write_text("y\n")
    for status, summary in (
        (1, "2 of 3 results are what their jobs wrote\n"),
        (0, "2 of 3 results are what their jobs wrote; 1 not there\n"),
    ):
        assert cli.main(["check", "results"]) == status
        *removed, last = capsys.readouterr().out.splitlines(keepends=True)
        assert last == summary
        assert len(removed) == status
    assert not (results / "other/c/x.txt").exists()


def test_times_do_not_count(results):
    os.utime(results / "set/scores.csv", (time.time() + 100,) * 2)
    assert integrity.damaged(results, by_content=True) == {}


def test_a_damaged_file_of_the_exported_folder_takes_the_folder_with_it(results):
    folder = results / "export/wmt99/metric-scores/en-de"
    folder.mkdir(parents=True)
    (folder / "BLEU-refA.sys.score").write_text("ash\t1\n")
    integrity.remove([folder / "chrF-refA.sys.score"], results)
    assert not (results / "export").exists()
    assert (results / "set/scores.csv").exists()
