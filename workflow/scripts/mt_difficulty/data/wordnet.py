"""Let NLTK find WordNet 3.0, which METEOR reads."""

import shutil
from pathlib import Path

from ..errors import Missing

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
WAYS = (
    "WordNet 3.0 for METEOR: run again with network, name a folder of NLTK data that has "
    "corpora/wordnet (NLTK_DATA=<folder>), or on Debian and Ubuntu: apt-get install wordnet-base."
)


def find(folder: Path, installed: Path = DEBIAN) -> None:
    """Let NLTK find WordNet: where it looks, or in `folder`, to which Debian's wordnet-base is
    copied, or else NLTK's downloader writes.

    Raises
    ------
    Missing
        None of these has it.
    """
    import nltk

    corpus = folder / "corpora/wordnet"
    nltk.data.path.insert(0, str(folder))
    if _has_wordnet():
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
    if not _has_wordnet():
        raise Missing(ABSENT)


def _has_wordnet() -> bool:
    import nltk

    for name in ("corpora/wordnet/lexnames", "corpora/wordnet.zip"):
        try:
            nltk.data.find(name)
            return True
        except LookupError:
            pass
    return False
