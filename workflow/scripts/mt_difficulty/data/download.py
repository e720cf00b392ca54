"""Download and unpack the official WMT metrics archive, mt-metrics-eval-v2.tgz; find WordNet."""

import hashlib
import io
import os
import shutil
import tarfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..caches import is_writable, temporary_cache
from ..errors import InputError, Missing, nearest

TOP = "mt-metrics-eval-v2"
OWN_ARCHIVE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
TIMEOUT = (15, 60)  # seconds to connect, and of silence
# By the archive's name, size and time; the folder can be deleted at any time.
UNPACKED = Path(".snakemake/archives")
# An archive may unpack to at most 1 GiB or 100 times its size, whichever is larger.
LEAST_LIMIT = 2**30
RATIO_LIMIT = 100
DEBIAN = Path("/usr/share/wordnet")
LEXICOGRAPHER_FILES = 45  # of WordNet (lexnames(5WN))
ABSENT = "METEOR needs WordNet 3.0, which is not here"
WORDNET_WAYS = (
    "WordNet 3.0 for METEOR: run again with network, name a folder of NLTK data that has "
    "corpora/wordnet (NLTK_DATA=<folder>), or on Debian and Ubuntu: apt-get install wordnet-base."
)


def checksum(path: str | Path) -> str:
    """Return the SHA-256 checksum of a file in hexadecimal."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def download(
    urls: Sequence[str],
    destination: Path,
    sha256: str | None = None,
    attempts: int = 4,
    wait: float = 2.0,
) -> None:
    """Download a file from the first mirror that delivers it completely.

    Parameters
    ----------
    urls : sequence of str
        Mirrors.
    destination : Path
        An existing file is kept if it has the checksum, or none is given; ``<name>.part`` is
        resumed.
    sha256 : str, optional
        Checksum of the file.
    attempts : int
        Attempts at each mirror after dropped connections and server errors (5xx).
    wait : float
        Seconds before the second attempt; the wait doubles each time.

    Raises
    ------
    InputError
        If no mirror delivers the file.
    """
    import pooch
    import requests
    import urllib3

    problems = []
    for url in urls:
        for attempt in range(attempts):
            if attempt > 0:
                time.sleep(wait * 2 ** (attempt - 1))
            try:
                pooch.retrieve(
                    url,
                    known_hash=sha256,
                    fname=destination.name,
                    path=destination.parent,
                    downloader=_resuming(destination),
                )
                return
            except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
                problem = str(error)
                response = getattr(error, "response", None)
                if getattr(response, "status_code", 500) < 500:
                    break
            except ValueError as error:  # a wrong checksum
                problem = str(error)
                break
        problems.append(f"  {url}: {problem}")
    raise InputError(
        "\n".join([f"could not download {destination.name}:", *problems])
        + f"\nRun again (a partial download is resumed), or use a copy of your own: {OWN_ARCHIVE}"
    )


def _resuming(destination: Path) -> Callable:
    """Return a downloader for pooch that writes ``<name>.part`` and resumes it later, unless the
    server's file has changed (If-Range with ETag or date)."""
    import requests
    from tqdm import tqdm

    part = Path(f"{destination}.part")
    note = Path(f"{destination}.part.validator")

    def _resume(url: str, output: str, _: Any) -> None:
        # Some servers declare a .tgz as gzip-encoded: ask for the bytes as stored.
        headers = {"Accept-Encoding": "identity"}
        if part.exists() and note.exists():
            headers["Range"] = f"bytes={part.stat().st_size}-"
            headers["If-Range"] = note.read_text()
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code != 416:  # the part is complete already
                response.raise_for_status()
                validator = response.headers.get("ETag", "W/")
                if validator.startswith("W/"):
                    validator = response.headers.get("Last-Modified", "")
                resumed = response.status_code == 206
                note.write_text(validator)
                start = part.stat().st_size if resumed else 0
                size = start + int(response.headers.get("Content-Length", 0))
                bar = tqdm(total=size, initial=start, unit="B", unit_scale=True, disable=None)
                with bar, part.open("ab" if resumed else "wb") as file:
                    for chunk in response.raw.stream(2**16, decode_content=False):
                        file.write(chunk)
                        bar.update(len(chunk))
                if part.stat().st_size < size:
                    raise requests.ConnectionError(f"got {part.stat().st_size} of {size} bytes")
        note.unlink(missing_ok=True)
        os.replace(part, output)  # which pooch deletes where the checksum is wrong

    return _resume


def unpacked(archive: Path, campaigns: Iterable[str]) -> Path:
    """Return the folder of an archive that holds its campaigns, after unpacking those asked for.

    `archive` is a .tgz, the unpacked ``mt-metrics-eval-v2``, or its parent folder. The other
    campaigns of a .tgz become empty folders. Raises `InputError` if the archive is of another kind,
    damaged or too large, or has an unsafe member."""
    if archive.is_dir():
        return archive / TOP if (archive / TOP).is_dir() else archive
    if archive.exists():
        state = archive.stat()
        folder = UNPACKED / f"{archive.name}.{state.st_size}.{state.st_mtime_ns}" / TOP
    else:  # of a download that has been deleted, the newest unpacked folder counts
        earlier = sorted(UNPACKED.glob(f"{archive.name}.*.*"), key=os.path.getmtime)
        newest = earlier[-1] if earlier else UNPACKED / archive.name
        folder = newest / TOP
    wanted = {name for name in campaigns if not any((folder / name).glob("*"))}
    # Once the folder exists, it has a subfolder for each campaign of the archive.
    in_archive = not folder.exists() or any((folder / name).exists() for name in wanted)
    if archive.exists() and in_archive:
        try:
            _unpack(archive, wanted, folder)
        except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
            if isinstance(error, OSError) and error.errno:
                raise
            raise InputError(
                f"{archive} is damaged, or no .tgz of the official archive ({error}). Use another "
                f"copy ({OWN_ARCHIVE}), or, if this run downloaded it, delete it and run again."
            ) from error
    return folder


def _unpack(archive: Path, campaigns: set[str], folder: Path) -> None:
    """Unpack `campaigns` of the archive into `folder`; the other campaigns get empty folders."""
    limit = max(LEAST_LIMIT, RATIO_LIMIT * archive.stat().st_size)
    names = set()

    def members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        size = 0
        for member in tar:
            size += member.size
            if size > limit:
                raise tarfile.ReadError(f"more than {limit:,} bytes")
            top, _, path = member.name.removeprefix("./").partition("/")
            campaign, _, path = path.partition("/")
            if top == TOP and path:
                names.add(campaign)
                if campaign in campaigns:
                    yield member

    folder.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder.parent) as staging:
        with tarfile.open(archive) as tar:
            tar.extractall(staging, members(tar), filter="data")
            while tar.fileobj and tar.fileobj.read(2**20):
                pass  # to the end, where gzip has its checksum
        for name in ("", *names):
            Path(staging, TOP, name).mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            os.rename(Path(staging, TOP), folder)
        else:
            for name in names & campaigns:
                os.rename(Path(staging, TOP, name), folder / name)  # onto an empty folder


def find_campaign(folder: Path) -> Path:
    """Return a campaign's folder, unpacked if needed; raise `Missing` if the archive lacks it."""
    campaign = folder.name
    top = folder.parent
    if not top.is_dir():
        top = unpacked(top, [campaign])
    known = sorted(path.name for path in top.iterdir() if path.is_dir())
    if campaign not in known:
        hint = nearest(campaign, known, 0.85)  # another year is no slip
        raise Missing(
            f"{top.name} has no campaign {campaign}; it has {', '.join(known) or 'none'}{hint}"
        )
    return top / campaign


def find_wordnet(folder: Path, installed: Path = DEBIAN) -> None:
    """Make WordNet available to NLTK: in NLTK's own folders, else in `folder`, or a temporary cache
    if that cannot be written, copied from Debian's wordnet-base or downloaded by NLTK. Raises
    `Missing` if WordNet cannot be found."""
    import nltk

    if not is_writable(folder):
        folder = temporary_cache("nltk") or folder

    def is_there() -> bool:
        for path in nltk.data.path:
            for name in ("wordnet/lexnames", "wordnet.zip"):
                if Path(path, "corpora", name).is_file():
                    return True
        return False

    nltk.data.path.insert(0, str(folder))
    if not is_there() and (installed / "data.noun").is_file():
        corpus = folder / "corpora/wordnet"
        corpus.mkdir(parents=True, exist_ok=True)
        for file in installed.glob("*.*"):
            shutil.copyfile(file, corpus / file.name)
        # NLTK requires two files that Debian leaves out; METEOR does not use them.
        names = [f"{number:02}\tfile{number}\t0\n" for number in range(LEXICOGRAPHER_FILES)]
        (corpus / "lexnames").write_text("".join(names))
        (corpus / "index.sense").touch()
    elif not is_there():
        # NLTK prints a failure, even if it is to be quiet.
        nltk.download("wordnet", download_dir=folder, quiet=True, print_error_to=io.StringIO())
    if not is_there():
        raise Missing(ABSENT)
