"""Damaged and hostile archives: a campaign is unpacked as it was packed, or an `InputError` names
the archive and what is wrong, and nothing is kept."""

import bz2
import gzip
import io
import lzma
import os
import random
import tarfile
import zipfile
from contextlib import suppress

import pytest
from tars import (
    FILES,
    TOP,
    WMT20,
    header,
    member,
    names,
    padded,
    raw,
    tree,
    unpack,
    write_folder,
)

from mt_difficulty.data import archive, unpacked
from mt_difficulty.errors import InputError, Missing

BLOCK = tarfile.BLOCKSIZE
END = bytes(2 * BLOCK)
MEMBERS = b"".join(member(name, data) for name, data in FILES.items())
TAR = MEMBERS + END
ADVICE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
IN = f"{TOP}/wmt20"


@pytest.fixture(autouse=True)
def project(tmp_path, monkeypatch):
    """An empty project, below which campaigns are unpacked."""
    (tmp_path / "deep/project").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep/project")


def packed(path, data):
    path.write_bytes(gzip.compress(data, mtime=0))
    return path


def message(path):
    """The error of an archive that is refused, which leaves no trace."""
    with pytest.raises(InputError) as error:
        unpack(path)
    assert {found.name for found in unpacked.KEPT.rglob("*") if found.is_file()} <= {"lock"}
    assert str(error.value).startswith(f"{path} ")
    assert str(error.value).isprintable()
    return str(error.value)


# What a tar is followed by.

ENDS = {
    "two blocks of zeros": TAR,
    "a record of zeros, as tar writes": TAR.ljust(10240, b"\0"),
    "3 MiB of zeros": TAR + bytes(3 * 2**20),
    "zeros that are no whole block": TAR + bytes(100),
}


@pytest.mark.parametrize("data", ENDS.values(), ids=ENDS)
def test_a_whole_tar(tmp_path, data):
    assert tree(unpack(packed(tmp_path / "a.tgz", data))) == WMT20


def in_pieces(size):
    return b"".join(
        gzip.compress(TAR[start : start + size], mtime=0) for start in range(0, len(TAR), size)
    )


STREAMS = {
    "pieces of 700 bytes": in_pieces(700),
    "pieces of a block, as by bgzip": in_pieces(BLOCK),
    "an empty piece behind, as by bgzip": gzip.compress(TAR) + gzip.compress(b""),
    "an empty piece before": gzip.compress(b"") + gzip.compress(TAR),
    "zeros behind the last": gzip.compress(TAR) + bytes(1000),
}


@pytest.mark.parametrize("stream", STREAMS.values(), ids=STREAMS)
def test_several_gzip_members_that_are_one_tar(tmp_path, stream):
    path = tmp_path / "a.tgz"
    path.write_bytes(stream)
    assert tree(unpack(path)) == WMT20


MORE = member(f"{IN}/documents/en-de.docs", b"d\n")
BEHIND = {
    "a second tar": (TAR + MORE + END, len(TAR)),
    "a second tar behind a record": (TAR.ljust(10240, b"\0") + MORE + END, 10240),
    "a second tar behind one block of zeros": (MEMBERS + bytes(BLOCK) + MORE + END, len(TAR) - 512),
    "text": (TAR + bytes(100) + b"text", len(TAR) + 100),
    "a byte at the very end": (TAR.ljust(100_000, b"\0") + b"\1", 100_000),
    "a header emptied": (TAR[:1024] + bytes(BLOCK) + TAR[1536:], 1536),
}


@pytest.mark.parametrize(("data", "at"), BEHIND.values(), ids=BEHIND)
def test_more_data_behind_the_end(tmp_path, data, at):
    path = packed(tmp_path / "a.tgz", data)
    found = message(path)
    what = (
        f"{path} is cut short or damaged (more data at byte {at:,}, behind the end of the archive"
    )
    assert found.startswith(f"{what}; the last member found is '{TOP}/wmt")


def test_a_second_gzip_member_with_another_tar(tmp_path):
    path = tmp_path / "a.tgz"
    path.write_bytes(gzip.compress(TAR) + gzip.compress(MORE + END))
    assert f"more data at byte {len(TAR):,}, behind the end" in message(path)


# Cut short: at every block, and the gzip stream anywhere.


@pytest.mark.parametrize("blocks", range(len(TAR) // BLOCK))
def test_a_tar_that_is_cut_at_a_block(tmp_path, blocks):
    found = message(packed(tmp_path / "a.tgz", TAR[: blocks * BLOCK]))
    assert "is cut short or damaged (" in found
    last = list(FILES)[(blocks - 1) // 2] if blocks < 8 else f"{TOP}/wmt20.extra/sources/en-de.txt"
    assert (f"the last member found is '{last}'" if blocks else "no member was found") in found


@pytest.mark.parametrize("size", [0, 1, 5, 10, 11, 100, -9, -8, -4, -1])
def test_a_gzip_stream_that_is_cut(tmp_path, size):
    path = tmp_path / "a.tgz"
    path.write_bytes(gzip.compress(TAR)[:size])
    assert "is cut short or damaged (" in message(path)


# Headers that are damaged, one byte each, before gzip makes its checksum.

FIELDS = {
    "name": 0, "mode": 100, "uid": 108, "gid": 116, "size": 124, "mtime": 136, "checksum": 148,
    "checksum's last digit": 153, "type": 156, "link": 157, "magic": 257, "version": 263,
    "user": 265, "prefix": 345, "padding": 511,
}  # fmt: skip
HEADERS = [number * 2 * BLOCK for number in range(4)]


def flip(data, at, bits=1):
    return data[:at] + bytes([data[at] ^ bits]) + data[at:][1:]


@pytest.mark.parametrize("start", HEADERS)
@pytest.mark.parametrize("field", FIELDS)
def test_a_byte_of_a_header_is_wrong(tmp_path, start, field):
    path = packed(tmp_path / "a.tgz", flip(TAR, start + FIELDS[field]))
    found = message(path)
    assert f"{path} is cut short or damaged (bad checksum at byte {start:,}; " in found
    assert found.endswith("delete it and run again.")


def unharmed_or_refused(path, data):
    """Nothing between the same files and an InputError."""
    with suppress(InputError):
        assert tree(unpack(packed(path, data))) == WMT20


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 20))]
)
def test_bytes_of_headers_at_random(tmp_path, seed):
    rng = random.Random(seed)
    for _ in range(150):
        at = rng.choice(HEADERS) + rng.randrange(BLOCK)
        unharmed_or_refused(tmp_path / "a.tgz", flip(TAR, at, rng.randrange(1, 256)))


def pax(*records, type_=tarfile.XHDTYPE):
    """An extended header of records, each with its length before it."""
    found = b""
    for record in records:
        length = next(n for n in range(1, 10**6) if len(f"{n} ") + len(record) + 1 == n)
        found += b"%d %s\n" % (length, record)
    return header(type_, found)


# Each stands before the header of a member of the campaign.
EXTENDED = {
    "sparse map that is no list": pax(b"GNU.sparse.map=rubbish"),
    "sparse map of one number": pax(b"GNU.sparse.map=1"),
    "sparse map that is negative": pax(b"GNU.sparse.map=-5,-7", b"GNU.sparse.size=-1"),
    "sparse size that is no number": pax(b"GNU.sparse.size=rubbish"),
    "sparse size of 5,000 digits": pax(b"GNU.sparse.size=" + b"9" * 5000),
    "sparse real size that is no number": pax(b"GNU.sparse.realsize=rubbish"),
    "sparse size below zero": pax(b"GNU.sparse.size=-5"),
    "sparse 1.0 whose map is no number": pax(b"GNU.sparse.major=1", b"GNU.sparse.minor=0"),
    "sparse offset behind the file": pax(b"GNU.sparse.size=8", b"GNU.sparse.offset=99999999"),
    "size below zero": pax(b"size=-1"),
    "size of a block below zero": pax(b"size=-512"),
    "size that is no number": pax(b"size=rubbish"),
    "size of 5,000 digits": pax(b"size=" + b"9" * 5000),
    "record of length 0": header(tarfile.XHDTYPE, b"0 path=x\n"),
    "long name without a member": header(tarfile.GNUTYPE_LONGNAME, b"x" * 200) + END,
    "pax header without a member": pax(b"comment=x") + END,
    "long name of no length": header(tarfile.GNUTYPE_LONGNAME, b"") + flip(END, 3),
    "long name below zero": member("x", type_=tarfile.GNUTYPE_LONGNAME, at124=b"\xff" * 12),
    "a hundred headers of 1,000 bytes": header(tarfile.GNUTYPE_LONGNAME, b"x" * 1000) * 100,
    "ten thousand headers": header(tarfile.GNUTYPE_LONGNAME, b"x") * 10_000,
    "name with a NUL": pax(f"path={IN}/a\0b".encode()),
    "name that is not UTF-8": pax(f"path={IN}/a".encode() + b"\xff"),
    "name with an escape": pax(f"path={IN}/\x1b[2J".encode()),
    "name that leads out": pax(b"path=../x"),
    "name that is absolute": pax(f"path=/{IN}/x".encode()),
    "name of 300 letters": pax(f"path={IN}/{'x' * 300}".encode()),
    "name of 5,000 letters": pax(f"path={IN}/{'x/' * 2500}y".encode()),
    "names all the same": pax(f"path={IN}/x".encode(), type_=tarfile.XGLTYPE),
}


@pytest.mark.parametrize("extended", EXTENDED.values(), ids=EXTENDED)
@pytest.mark.parametrize("before", [b"", TAR[:1024]], ids=["first", "later"])
def test_a_bogus_extended_header(tmp_path, before, extended):
    found = message(packed(tmp_path / "a.tgz", before + extended + TAR[1024:]))
    assert ADVICE in found


@pytest.mark.parametrize("name", EXTENDED)
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(s, marks=pytest.mark.slow) for s in range(1, 9))]
)
def test_bytes_of_extended_headers_at_random(tmp_path, name, seed):
    """Their data have no checksum: what is read may be wrong, and nothing else is raised."""
    rng = random.Random(seed)
    for _ in range(5):
        changed = bytearray(EXTENDED[name][: 4 * BLOCK] + TAR[1024:])
        for _ in range(rng.randrange(1, 4)):
            changed[BLOCK + rng.randrange(64)] = rng.randrange(256)
        with suppress(InputError, Missing):
            unpack(packed(tmp_path / "a.tgz", changed))


# Members that are not what the official archive has.

OUT_OF_FOLDER = "leads out of its folder"
HOSTILE = {
    "parent": (member("../x", b"x"), OUT_OF_FOLDER),
    "parent in top": (member(f"{TOP}/../x", b"x"), OUT_OF_FOLDER),
    "parent in campaign": (member(f"{IN}/../../../x", b"x"), OUT_OF_FOLDER),
    "absolute": (member("/tmp/x", b"x"), OUT_OF_FOLDER),
    "absolute campaign": (member(f"/{IN}/x", b"x"), OUT_OF_FOLDER),
    "symlink": (member(f"{IN}/x", b"", tarfile.SYMTYPE, "/etc/passwd"), archive.SPECIAL),
    "campaign symlink": (member(IN, b"", tarfile.SYMTYPE, "wmt19"), archive.SPECIAL),
    "hard link": (
        member(f"{IN}/x", b"", tarfile.LNKTYPE, f"{TOP}/wmt19/sources/en-de.txt"),
        archive.SPECIAL,
    ),
    "fifo": (member(f"{IN}/x", type_=tarfile.FIFOTYPE), archive.SPECIAL),
    "character device": (member(f"{IN}/x", type_=tarfile.CHRTYPE), archive.SPECIAL),
    "block device": (member(f"{IN}/x", type_=tarfile.BLKTYPE), archive.SPECIAL),
    "volume label": (member(f"{IN}/x", type_=b"V"), archive.SPECIAL),
    "rest of another volume": (member(f"{IN}/x", type_=b"M"), archive.SPECIAL),
    "type that is unknown": (member(f"{IN}/x", type_=b"Z"), archive.SPECIAL),
    "sparse file": (member(f"{IN}/x", b"x" * 512, tarfile.GNUTYPE_SPARSE), archive.SPECIAL),
    "name with a line break": (member(f"{IN}/a\nb", b"x"), archive.UNPRINTABLE),
    "file twice": (member(f"{IN}/sources/en-de.txt", b"x"), "cannot be written (File exists)"),
    "file twice, in other words": (
        member(f"{IN}/./sources//en-de.txt", b"x"),
        "cannot be written (File exists)",
    ),
    "file in a file": (
        member(f"{IN}/sources/en-de.txt/x", b"x"),
        "cannot be written (File exists)",
    ),
    "folder that is a file": (
        member(f"{IN}/sources/en-de.txt", type_=tarfile.DIRTYPE),
        "cannot be written (File exists)",
    ),
    "file that is a folder": (member(f"{IN}/sources", b"x"), "cannot be written (File exists)"),
    "campaign that is a file": (member(IN, b"x"), "cannot be written (File exists)"),
}


@pytest.mark.parametrize(("hostile", "why"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_member_is_refused(tmp_path, hostile, why):
    path = packed(tmp_path / "a.tgz", MEMBERS + hostile + END)
    name = hostile[:100].rstrip(b"/\0").decode()
    assert message(path) == (
        f"{path} is refused: its member {name!r} {why}. The official archive has only files and "
        f"folders in {TOP}/; use another copy: {ADVICE}"
    )
    assert names(tmp_path) == ["a.tgz", "deep"]


BAD = {
    "old sparse map": member(
        f"{IN}/x", b"x", tarfile.GNUTYPE_SPARSE, at386=b"rubbish", at482=b"\1"
    ),
    "old sparse size": member(f"{IN}/x", b"x", tarfile.GNUTYPE_SPARSE, at483=b"rubbish rubb"),
    "size that is no number": member(f"{IN}/x", b"x", at124=b"rubbish rubb"),
    "size of 2**80": member(f"{IN}/x", b"x", at124=b"\x80\0" + b"\xff" * 10),
    "size below zero": member(f"{IN}/x", b"x", at124=b"\xff" * 10 + b"\xfe\0"),
    "mode that is no number": member(f"{IN}/x", b"x", at100=b"rubbish!"),
    "name and size of another": raw(padded(b"a" * 512)),
}


@pytest.mark.parametrize("bad", BAD.values(), ids=BAD)
@pytest.mark.parametrize("before", [b"", MEMBERS], ids=["first", "later"])
def test_a_header_with_a_right_checksum_and_rubbish(tmp_path, before, bad):
    assert ADVICE in message(packed(tmp_path / "a.tgz", before + bad + END))


def test_an_old_sparse_map_without_end(tmp_path):
    """Each block says that another follows; there is none."""
    sparse = member(f"{IN}/x", b"", tarfile.GNUTYPE_SPARSE, at482=b"\1")
    assert "is cut short or damaged" in message(packed(tmp_path / "a.tgz", MEMBERS + sparse))


# Bombs in headers.

LONG = {
    "pax": header(tarfile.XHDTYPE, b"67108864 comment=".ljust(2**26 - 1, b"x") + b"\n"),
    "global pax": header(tarfile.XGLTYPE, b"67108864 comment=".ljust(2**26 - 1, b"x") + b"\n"),
    "gnu": header(tarfile.GNUTYPE_LONGNAME, b"x" * 2**26),
    "many": header(tarfile.GNUTYPE_LONGNAME, b"x" * 2**19) * 128,
    "digits": header(tarfile.XHDTYPE, b"1" * 2**17),
}


@pytest.mark.parametrize("before", [b"", MEMBERS], ids=["first", "later"])
@pytest.mark.parametrize("long", LONG)
def test_a_bomb_in_a_header_is_refused(tmp_path, long, before):
    path = packed(tmp_path / "a.tgz", before + LONG[long] + member(f"{IN}/a") + END)
    assert path.stat().st_size < 2**20
    assert message(path).startswith(
        f"{path} is refused: it has headers of more than 65,536 bytes. The official archive has"
    )


def test_a_bomb_of_zeros_behind_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "BOMB_SIZE", 2**20)
    path = packed(tmp_path / "a.tgz", TAR + bytes(2**22))
    assert "is refused: it unpacks to more than 1,048,576 bytes: a zip bomb" in message(path)


# Files that are no .tgz at all.


def zipped(data):
    with zipfile.ZipFile(found := io.BytesIO(), "w") as file:
        file.writestr("a.tar", data)
    return found.getvalue()


NOT_TGZ = {
    "nothing": b"",
    "text": b"text\n",
    "a page that asks for a password": b"<!doctype html><title>Log in</title>",
    "a pointer to a large file": b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
    "zeros": bytes(10_000),
    "tar": TAR,
    "tar.bz2": bz2.compress(TAR),
    "tar.xz": lzma.compress(TAR),
    "zip": zipped(TAR),
    "text.gz": gzip.compress(b"text\n"),
    "long text.gz": gzip.compress(b"text\n" * 1000),
    "nothing.gz": gzip.compress(b""),
    "tgz.gz": gzip.compress(gzip.compress(TAR)),
    "text behind the gzip stream": gzip.compress(TAR) + b"text",
    "a wrong CRC": flip(gzip.compress(TAR), -8),
    "a wrong length": flip(gzip.compress(TAR), -4),
    "a byte in the middle": flip(gzip.compress(TAR), 100),
}


@pytest.mark.parametrize("data", NOT_TGZ.values(), ids=NOT_TGZ)
def test_a_file_of_something_else(tmp_path, data):
    path = tmp_path / "a.tgz"
    path.write_bytes(data)
    found = message(path)
    assert found.startswith(f"{path} is cut short or damaged (")
    assert found.endswith(
        f"Use another copy ({ADVICE}), or, if it was downloaded by this run, delete it and run "
        "again."
    )


@pytest.mark.parametrize("data", [END, bytes(10240)], ids=["end", "record"])
def test_an_empty_archive_has_no_campaign(tmp_path, data):
    with pytest.raises(Missing, match=f"{TOP} has no campaign wmt20; it has none"):
        unpack(packed(tmp_path / "a.tgz", data))


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/null")])
def test_an_archive_that_is_a_pipe_or_a_device(tmp_path, make):
    """It is not waited for."""
    make(tmp_path / "a.tgz")
    assert "is no file and no folder; ARCHIVE is a" in message(tmp_path / "a.tgz")


# Folders in place of a .tgz.


def test_a_campaign_that_is_a_file_in_a_folder(tmp_path):
    path = write_folder(tmp_path / "a", {f"{TOP}/wmt19/x": b"", f"{TOP}/wmt20": b"text"})
    with pytest.raises(Missing, match=f"{TOP} has no campaign wmt20; it has wmt19"):
        unpack(path)


def test_a_campaign_without_files_in_a_folder(tmp_path):
    (tmp_path / "a" / IN / "empty").mkdir(parents=True)
    assert names(unpack(tmp_path / "a")) == ["empty"]
