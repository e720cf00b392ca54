"""Names that look like something else, and sets so small that little can be computed."""

import tempfile
from pathlib import Path

import small_run
from hypothesis import strategies as st

from mt_difficulty.data.text_files import HUMAN, normal

LIKE_VALUES = ["2019", "2020", "1.0", "1.00", "1", "007", "1e5", "-0", "1_000", "NA", "null", "nan"]
LIKE_VALUES += ["NaN", "None", "True", "false", "inf", "-inf", "N/A", "missing", "2021-01-01"]
LIKE_CODE = [
    " x",
    "x ",
    " ",
    "a,b",
    '"',
    "'",
    "#",
    "a b",
    "$\\alpha$",
    "$",
    "a|b",
    "{x}",
    "<x>",
    "&",
]
LIKE_CODE += [
    "%s",
    "\\",
    "__proto__",
    "constructor",
    "toString",
    "=1+1",
    "e\u0301",
    "é",
    "机器",
    "\u2028",
]
METRICS = ["1", "2", "1.0", "007", "1e5", "NA", "null", "nan", "None", "True", "inf", "chrF"]
TYPES = ["chrf", "bleu", "ter", "wnm"]

characters = st.characters(exclude_categories=["Cc", "Cs"], exclude_characters="/\ufeff")
names = st.sampled_from(LIKE_VALUES + LIKE_CODE) | st.text(characters, min_size=1, max_size=8)
systems = names.filter(lambda name: not (name[0] == "." or "/" in name or HUMAN.fullmatch(name)))
lines = st.lists(st.sampled_from(["a", "b", "c", ".", "的"]), max_size=5).map(" ".join)


@st.composite
def sets(draw):
    """Own files: small texts, some of them empty or alike, under any names."""
    segments = draw(st.integers(1, 8))
    texts = st.lists(lines, min_size=segments, max_size=segments)
    reference = draw(texts)
    scored = draw(st.booleans())
    named = draw(st.lists(systems, min_size=3 if scored else 2, max_size=5, unique_by=normal))
    hypotheses = texts | st.sampled_from([reference, [""] * segments, ["a b"] * segments])
    documents = st.lists(names.filter(str.strip), min_size=segments, max_size=segments)
    return {
        "reference": reference,
        "systems": {name: draw(hypotheses) for name in named},
        "gold": {name: draw(st.sampled_from([-1, 0, 0.5, 2])) for name in named}
        if scored
        else None,
        "source": draw(st.none() | texts),
        "documents": draw(st.none() | documents),
    }


metric_names = st.permutations(METRICS).map(lambda names: dict(zip(names, TYPES, strict=False)))
pairs = st.sampled_from(["en-de", "en-zh", "xx-en"])


def run_and_check(own, metrics, pair, plots):
    with tempfile.TemporaryDirectory() as folder:
        small_run.write_own_files(Path(folder, "own"), **own)
        results = Path(folder, "results")
        made = small_run.run(Path(folder, "own"), results, metrics, plots, pair)
        small_run.check(made, map(normal, own["systems"]), metrics)


def write(folder, names):
    """Own files of 12 segments; every system in turn says fewer words, most of them backwards."""
    words = "the cat sat on a mat while rain fell down all night".split()
    reference = [" ".join(words[i:] + words[:i]) for i in range(len(words))]
    systems = {
        name: [
            " ".join(segment.split()[-1:place:-1]) if i % (place + 2) else segment
            for i, segment in enumerate(reference)
        ]
        for place, name in enumerate(names, 1)
    }
    gold = {name: place for place, name in enumerate(names)}
    small_run.write_own_files(folder, reference, systems, gold)
