"""The official WMT metrics archive, mt-metrics-eval-v2.tgz: downloaded, and unpacked by campaign.

What a run needs of a packed archive is unpacked once, when the run is planned, and counts from
then on by the content of its files.
"""

import os
import shutil
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError, Missing, nearest
from .contents import checksums, remembered

TOP = "mt-metrics-eval-v2"
OWN_ARCHIVE = "make paper ARCHIVE=<a .tgz or an unpacked folder>"
TIMEOUT = (15, 60)  # seconds to connect, and of silence
# By the archive's SHA-256; the folder can be deleted at any time.
UNPACKED = Path(".snakemake/archives")
# An archive may unpack to a GiB or to a hundred times its size, and to a million files.
LEAST_LIMIT, RATIO_LIMIT, MOST_FILES = 2**30, 100, 10**6
DEBIAN = Path("/usr/share/wordnet")
# WordNet's lexicographer files in the order of their numbers (lexnames(5WN)), and the numbers
# of their syntactic categories. Debian leaves this table out; NLTK wants it.
LEXICOGRAPHER_FILES = """
adj.all adj.pert adv.all noun.Tops noun.act noun.animal noun.artifact noun.attribute noun.body
noun.cognition noun.communication noun.event noun.feeling noun.food noun.group noun.location
noun.motive noun.object noun.person noun.phenomenon noun.plant noun.possession noun.process
noun.quantity noun.relation noun.shape noun.state noun.substance noun.time verb.body verb.change
verb.cognition verb.communication verb.competition verb.consumption verb.contact verb.creation
verb.emotion verb.motion verb.perception verb.possession verb.social verb.stative verb.weather
adj.ppl
""".split()
CATEGORIES = {"noun": 1, "verb": 2, "adj": 3, "adv": 4}
ABSENT = "METEOR needs WordNet 3.0, which is not here"
WORDNET_WAYS = (
    "WordNet 3.0 for METEOR: run again with network, name a folder of NLTK data that has "
    "corpora/wordnet (NLTK_DATA=<folder>), or on Debian and Ubuntu: apt-get install wordnet-base."
)


def download(
    urls: Sequence[str],
    destination: Path,
    sha256: str | None = None,
    attempts: int = 4,
    wait: float = 2.0,
) -> None:
    """Download a file from the first mirror that gives a whole one.

    A file that is at `destination` already, and has the checksum if one is given, is kept. A later
    attempt or run resumes ``<name>.part``. Each mirror is asked up to `attempts` times while
    connections drop or the server errs (5xx), after `wait` seconds, then twice as many, and so on.

    Raises
    ------
    InputError
        No mirror gave a whole file; names what went wrong at each, and what to do.
    """
    import pooch
    import requests
    import urllib3

    problems = []
    for url in urls:
        for attempt in range(attempts):
            time.sleep(wait * 2 ** (attempt - 1) if attempt else 0)
            try:
                folder, get = destination.parent, _resuming(destination)
                pooch.retrieve(url, sha256, destination.name, folder, downloader=get)
                return
            except (requests.RequestException, urllib3.exceptions.HTTPError) as error:
                problem = str(error)
                if getattr(getattr(error, "response", None), "status_code", 500) < 500:
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
    """A downloader for pooch that keeps ``<name>.part``, and continues it where the server's file
    is the one that it is of (If-Range with ETag or date)."""
    import requests
    from tqdm import tqdm

    part = destination.with_name(f"{destination.name}.part")
    note = destination.with_name(f"{destination.name}.part.validator")

    def get(url: str, output: str, _: Any) -> None:
        # Some servers declare a .tgz as gzip-encoded: ask for the bytes as stored.
        headers = {"Accept-Encoding": "identity"}
        if part.exists() and note.exists():
            headers |= {"Range": f"bytes={part.stat().st_size}-", "If-Range": note.read_text()}
        with requests.get(url, headers=headers, stream=True, timeout=TIMEOUT) as response:
            if response.status_code != 416:  # the part is whole already
                response.raise_for_status()
                validator = response.headers.get("ETag", "W/")
                if validator.startswith("W/"):
                    validator = response.headers.get("Last-Modified", "")
                resumed = response.status_code == 206
                if resumed and validator != note.read_text():
                    note.unlink()
                    raise requests.ConnectionError("the server's file has changed meanwhile")
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

    return get


def unpacked(archive: Path, campaigns: Iterable[str]) -> Path:
    """The folder of an archive's campaigns; those of a packed one are unpacked first, in one pass.

    A campaign that is in the archive but was not asked for yet is an empty folder there.

    Parameters
    ----------
    archive : path
        A .tgz, or a folder: ``mt-metrics-eval-v2`` unpacked, or its parent.
    campaigns : iterable of str

    Raises
    ------
    InputError
        It is neither, is damaged, too large, or has an unsafe member.
    """
    if archive.is_dir():
        return archive / TOP if (archive / TOP).is_dir() else archive
    if archive.exists() and not archive.is_file():
        raise InputError(
            f"{archive} is no file and no folder; ARCHIVE is a .tgz or an unpacked folder"
        )
    # Of a download that is there no more, what was unpacked of it counts.
    sha256 = remembered(archive)
    if archive.exists():
        (sha256,) = checksums(archive.parent, [archive]).values()
    folder = UNPACKED / sha256[:16] / TOP
    wanted = {name for name in campaigns if not any((folder / name).glob("*"))}
    new = not folder.exists() or any((folder / name).exists() for name in wanted)
    if archive.exists() and new:
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
    """Write campaigns into the folder, each as a whole, and an empty folder for each other."""
    limit = max(LEAST_LIMIT, RATIO_LIMIT * archive.stat().st_size)
    names = set()

    def members(tar: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
        size = 0
        for count, member in enumerate(tar):
            size += member.size
            if size > limit or count >= MOST_FILES:
                raise tarfile.ReadError(f"more than {limit:,} bytes or {MOST_FILES:,} files")
            top, _, path = member.name.removeprefix("./").partition("/")
            campaign, _, path = path.partition("/")
            if top == TOP and path:
                names.add(campaign)
                if campaign in campaigns:
                    yield member

    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as staging:
        with tarfile.open(archive) as tar:
            tar.extractall(staging, members(tar), filter="data")
        for name in ("", *names):
            Path(staging, TOP, name).mkdir(parents=True, exist_ok=True)
        if not folder.exists():
            os.rename(Path(staging, TOP), folder)
        else:
            for name in names & campaigns:
                os.rename(Path(staging, TOP, name), folder / name)  # onto an empty folder


def find_campaign(folder: Path) -> Path:
    """The folder of a campaign, in that of an archive.

    Raises
    ------
    InputError
        The archive is neither a whole .tgz nor a folder.
    Missing
        It has no such campaign.
    """
    campaign, top = folder.name, folder.parent
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
    """Let NLTK find WordNet: where it looks, or in `folder`, to which Debian's wordnet-base is
    copied, or else NLTK's downloader writes.

    Raises
    ------
    Missing
        None of these has it.
    """
    import nltk

    def is_there() -> bool:
        for name in ("corpora/wordnet/lexnames", "corpora/wordnet.zip"):
            try:
                nltk.data.find(name)
                return True
            except LookupError:
                pass
        return False

    corpus = folder / "corpora/wordnet"
    nltk.data.path.insert(0, str(folder))
    if is_there():
        return
    if (installed / "data.noun").is_file():
        corpus.mkdir(parents=True, exist_ok=True)
        for file in installed.glob("*.*"):
            shutil.copyfile(file, corpus / file.name)
        lines = [
            f"{number:02}\t{name}\t{CATEGORIES[name.split('.')[0]]}\n"
            for number, name in enumerate(LEXICOGRAPHER_FILES)
        ]
        (corpus / "lexnames").write_text("".join(lines))
        (corpus / "index.sense").touch()  # looked up by sense keys alone, which METEOR never does
    else:
        nltk.download("wordnet", download_dir=folder, quiet=True)
    if not is_there():
        raise Missing(ABSENT)
