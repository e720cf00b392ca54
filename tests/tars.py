"""Archives that tests make, and what becomes of them."""

import io
import tarfile

from mt_difficulty.data import contents, unpacked

TOP = "mt-metrics-eval-v2"
FILES = {
    f"{TOP}/wmt19/sources/en-de.txt": b"other\n",
    f"{TOP}/wmt20/sources/en-de.txt": b"one\ntwo\n",
    f"{TOP}/wmt20/system-outputs/en-de/A.b.txt": b"eins\nzwei\n",
    f"{TOP}/wmt20.extra/sources/en-de.txt": b"extra\n",
}
WMT20 = {"sources/en-de.txt": b"one\ntwo\n", "system-outputs/en-de/A.b.txt": b"eins\nzwei\n"}


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def entry(name, type_=tarfile.REGTYPE, data=b"", mode=0o600, linkname=""):
    info = tarfile.TarInfo(name)
    info.type, info.size, info.mode, info.linkname = type_, len(data), mode, linkname
    return info, io.BytesIO(data)


def write_tgz(path, *extra, files=FILES):
    with tarfile.open(path, "w:gz") as tar:
        for info, data in [*(entry(name, data=data) for name, data in files.items()), *extra]:
            tar.addfile(info, data)
    return path


def write_folder(path, files=FILES):
    for name, data in files.items():
        target = path / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
        target.chmod(0o600)
    return path


def unpack(archive, campaign="wmt20"):
    """The folder of a campaign, as a run finds it in an archive."""
    contents._remembered.cache_clear()
    return unpacked.find_campaign(unpacked.unpacked(archive, [campaign]) / campaign)


def tree(folder):
    """Every file's path and content; a link or a special file is content as such."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir()
    }


def padded(data):
    """Some data in whole blocks."""
    return data + bytes(-len(data) % tarfile.BLOCKSIZE)


def header(type_, data):
    """An extended header and what it says."""
    info = tarfile.TarInfo("header")
    info.type, info.size = type_, len(data)
    return info.tobuf(tarfile.GNU_FORMAT) + padded(data)


def member(name, data=b"", type_=tarfile.REGTYPE, linkname="", **fields):
    """A header and its data, as bytes; `fields` overwrite bytes of the header by their offset
    (`at124=b"..."`), of which the checksum is then made anew."""
    info, _ = entry(name, type_, data, linkname=linkname)
    return raw(info.tobuf(tarfile.GNU_FORMAT), **fields) + padded(data)


def raw(block, **fields):
    """A header with some bytes overwritten, and its checksum."""
    changed = bytearray(block)
    for at, value in fields.items():
        start = int(at.removeprefix("at"))
        changed[start : start + len(value)] = value
    changed[148:156] = b" " * 8
    changed[148:156] = b"%06o\0 " % sum(changed[-512:])
    return bytes(changed)
