"""Put WordNet 3.0 where METEOR finds it: from NLTK data, Debian, or NLTK's downloader."""

import os
import shutil
import zipfile
from pathlib import Path

from ..errors import InputError
from .downloads import list_sizes

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
WAYS = (
    "METEOR needs WordNet 3.0 and it was not found. Three ways to get it: (1) with network, run "
    "again: NLTK's downloader fetches it; (2) name a folder with NLTK data that holds "
    "corpora/wordnet: NLTK_DATA=<folder>; (3) on Debian or Ubuntu: apt-get install wordnet-base."
)


def from_nltk_data(folder: Path) -> bool:
    """Copy or unzip from an existing NLTK data folder; False if none has WordNet."""
    import nltk

    for base in map(Path, nltk.data.path):
        corpus = base / "corpora" / "wordnet"
        if (corpus / "data.noun").is_file():
            _copy(corpus, "*", folder)
            return True
        if zipfile.is_zipfile(corpus.with_suffix(".zip")):
            with zipfile.ZipFile(corpus.with_suffix(".zip")) as archive:
                archive.extractall(folder.parent)
            return True
    return False


def from_debian(folder: Path, installed: Path = DEBIAN) -> bool:
    """Copy Debian's wordnet-base and add the two files that NLTK wants beside it; False if it
    is not installed."""
    if not (installed / "data.noun").is_file():
        return False
    _copy(installed, "*.*", folder)
    lines = [
        f"{number:02}\t{name}\t{CATEGORIES[name.split('.')[0]]}\n"
        for number, name in enumerate(LEXICOGRAPHER_FILES)
    ]
    (folder / "lexnames").write_text("".join(lines))
    (folder / "index.sense").touch()  # only looked up by sense keys, which METEOR never does
    return True


def _copy(source: Path, pattern: str, folder: Path) -> None:
    """Copy what the files hold; who may read the copies is left to the umask."""
    for file in filter(Path.is_file, source.glob(pattern)):
        shutil.copyfile(file, folder / file.name)


def from_download(folder: Path) -> bool:
    """Fetch with NLTK's downloader; False without network."""
    import nltk

    try:
        if not nltk.download("wordnet", download_dir=folder.parent.parent, quiet=True):
            return False
    except (OSError, ValueError):
        return False
    with zipfile.ZipFile(folder.with_suffix(".zip")) as archive:
        archive.extractall(folder.parent)
    return True


def retrieve(folder: str | Path) -> None:
    """Make `folder` from the first of the three sources that works, all or nothing.

    Raises
    ------
    InputError
        None of them does; names the three ways.
    """
    folder = Path(folder)
    staging = folder.parent.parent / ".wordnet.unpacking"
    shutil.rmtree(staging, ignore_errors=True)  # of a run that was killed
    made = staging / "corpora" / "wordnet"
    made.mkdir(parents=True)
    try:
        if not (from_nltk_data(made) or from_debian(made) or from_download(made)):
            raise InputError(WAYS)
        list_sizes(made, [file.name for file in made.glob("[!.]*")])
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(exist_ok=True)
        os.replace(made, folder)
    finally:
        shutil.rmtree(staging)
