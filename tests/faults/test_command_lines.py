"""Random command lines of `mt-difficulty`: an exit code that is documented, and never a traceback.

Each takes a few options with good and bad values, and good and bad files.
"""

import contextlib
import io
import json
import os
import warnings
from itertools import chain, pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mt_difficulty import cli
from mt_difficulty.errors import UNPRINTABLE, printable

REFERENCE = [
    "Die alte Katze schläft heute auf dem warmen Dach .",
    "Es regnet den ganzen Tag in der kleinen Stadt .",
    "Er sagte am Abend kein einziges Wort mehr .",
    "Das Schiff fährt morgen früh in den Hafen .",
    "Wir haben gestern lange auf den Zug gewartet .",
    "Der Lehrer liest den Kindern ein Buch vor .",
] * 2
MOVED = [" ".join([*line.split()[4:], *line.split()[:4]]) for line in REFERENCE]
NAMES = ["plain", "2019", "NA", " spaced ", "ü", "a,b", 'quo"te', "per%cent", "back\\slash"]
NAMES += [
    "bidi\u202e",
    "esc\x1b[31m",
    "line\nERROR: no",
    "tab\t",
    "de\x7fl",
    "bytes\udcff",
    "a" * 250,
]
GOOD = [f"{name}.txt" for name in NAMES]
BAD = {
    "empty": b"",
    "latin1": "ü\n".encode("latin-1") * 12,
    "utf16": "\n".join(REFERENCE).encode("utf-16"),
    "nul": b"a\0b\n" * 12,
    "short": b"one\n",
    "blank": b"\n" * 12,
    "controls": "\x1b[2J\r\x07 \u202e\u2028\n".encode() * 12,
    "same": "\n".join(REFERENCE).encode(),
    "crlf": "\r\n".join(MOVED).encode(),
    "one_word": b"word\n" * 12,
}
CONFIGS = {
    "broken.yaml": b"seed: [1",
    "unknown\x1b.yaml": b"sede: 1",
    "list.yaml": b"- 1",
    "latin1.yaml": b"seed: \xff",
    "esc.yaml": b'"\\e[31m": 1',
    "nothing.yaml": b"",
}
ESTIMATES = {
    "estimates.tsv": "segment\tdifficulty\n" + "".join(f"{i}\t{i % 3}\n" for i in range(1, 13)),
    "zeros.tsv": "difficulty\tsegment\n" + "".join(f"{min(i - 9, 0)}\t{i}\n" for i in range(1, 13)),
    "large.tsv": "segment\tdifficulty\n" + "".join(f"{i}\t{i - 6}e99\n" for i in range(1, 13)),
    "short.tsv": "segment\tdifficulty\n1\t1\n",
    "esc\x1b.tsv": "segment\tdifficulty\n\x1b[31m\t1\n",
}
OTHER = ["none", ".", "", "loop", "a" * 300, "below/plain.txt", "../..", "bytes\udcff"]
NUMBERS = ["-1", "1.5", "x", "", "nan", "1e3", "0x10", " 3", "²", "1_0", "9" * 30, "9" * 5000]
# Good values, and bad ones.
OPTIONS = {
    "--metric": (["chrf", "bleu", "ter"], ["bertscore", "comet", "stored", "\x1b"]),
    "--weighting": (["EE", "hardest", "proportional"], ["DA", "ee", "groups", ""]),
    "--difficulty": (
        [*"crowd disagreement length random rarity readability estimates.tsv zeros.tsv".split()],
        [*BAD, *OTHER, *ESTIMATES, "human", "mean", "Length", "\x1b"],
    ),
    "--share": (["1", "0.1", "1e-320"], ["0", "inf", *NUMBERS]),
    "--src-lang": (["en", "de", "zh"], ["English", "xx", "e\n"]),
    "--w": (["0", "1", "0.5", "1e-320", "share"], ["-0.1", "2", "inf", "liu2022", *NUMBERS]),
    "--h": (
        ["0", "0.3", "1e300", "inf", "quantile_0.9", "rank_0.05", "mean_plus_0.5sd"],
        ["-1", "nan", "x", "quantile_1.5", f"mean_plus_{'9' * 400}sd", f"rank_0.{'0' * 400}1"],
    ),
    "--lang": (["de", "zh", "ja", "xx", "pt_BR"], ["German", "", "../x", "d\n", "de" * 300]),
    "--resamples": (["0", "1", "50", "٣"], ["100001", "1000000000000", *NUMBERS]),
    "--seed": (["0", str(2**63 - 1)], [str(2**63), *NUMBERS]),
    "--top": (["0", "3", str(2**63 - 1)], [str(2**63), *NUMBERS]),
    "--layer": (["0", str(2**63 - 1)], NUMBERS),
    "--format": (["text", "json", "latex"], ["csv", "JSON"]),
    "--src": (GOOD, [*BAD, *OTHER]),
    "--encoder": ([], ["none", ".", "loop", "plain.txt"]),
    "--nonsense": ([], ["x"]),
    "\x1b[2J": ([], ["\udcff"]),
    "-h": ([""], []),
    "--version": ([], [""]),
}


USEFUL = [option for option, (good, _) in OPTIONS.items() if any(good)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with all the files, where commands run."""
    folder = tmp_path_factory.mktemp("files")
    for name in GOOD[1:]:
        (folder / name).write_text("\n".join(MOVED), encoding="utf-8")
    (folder / GOOD[0]).write_text("\n".join(REFERENCE[::-1]), encoding="utf-8")
    (folder / "ref.txt").write_text("\n".join(REFERENCE), encoding="utf-8")
    texts = {name: text.encode() for name, text in ESTIMATES.items()}
    for name, content in (BAD | CONFIGS | texts).items():
        (folder / name).write_bytes(content)
    (folder / "loop").symlink_to("loop")
    before = os.getcwd()
    os.chdir(folder)
    yield folder
    os.chdir(before)


some = st.sampled_from


def mostly(good, bad):
    """A good value, and a bad one now and then."""
    if not (good and bad):
        return some(good or bad)
    return some(range(12)).flatmap(lambda number: some(good if number else bad))


def values(option):
    """An option and a value, of some one or two."""
    several = 2 if option in ("--metric", "--weighting") else 1
    found = st.lists(mostly(*OPTIONS[option]), min_size=1, max_size=several)
    return found.map(lambda chosen: [option, *filter(None, chosen)])


@st.composite
def command_lines(draw):
    """`score` and `hard` mostly, with files, and at most four options."""
    command = draw(some(["score"] * 8 + ["hard"] * 4 + ["validate", "scor"]))
    if command == "validate":
        return [command, draw(some([*CONFIGS, *OTHER, "plain.txt"]))]
    reference = draw(mostly(["ref.txt", "same"], [*GOOD, *BAD, *OTHER]))
    hypotheses = draw(st.lists(mostly(GOOD, [*BAD, *OTHER]), min_size=1, max_size=3))
    chosen = draw(st.lists(mostly(USEFUL, [*OPTIONS]).flatmap(values), max_size=4))
    texts = [["--ref", reference], ["--hyp", *hypotheses]]
    return [command, *chain(*draw(st.permutations([*texts, *chosen])))]


def run(arguments):
    """Exit code, stdout and stderr of a command line; warnings would be seen by the user."""
    out, err = io.StringIO(), io.StringIO()
    with (
        warnings.catch_warnings(),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        warnings.simplefilter("error")
        try:
            code = cli.main(arguments)
        except SystemExit as end:
            code = end.code
    return code, out.getvalue(), err.getvalue()


def check(arguments):
    """Run a command line and see whether it does what the help says of exit codes."""
    code, out, err = run(arguments)
    printed = UNPRINTABLE.search((out + err).replace("\n", ""))
    assert not printed, printed
    errors = [line for line in err.splitlines() if not line.startswith("notice: ")]
    if code == 1:
        assert errors
        assert all(line.startswith("ERROR: ") for line in errors)
        assert len(errors) == 1 or arguments[0] == "validate"
    elif code == 2:
        assert out == ""
        assert err.startswith("usage: ")
        assert "error: " in err.splitlines()[-1]
    else:
        assert (code, errors) == (0, [])
        check_results(arguments, out)


def check_results(arguments, out):
    """Every system that went in is there, whatever it is called."""
    if "-h" in arguments or "--version" in arguments:
        return
    start = arguments.index("--hyp") + 1
    ends = (
        place for place in range(start, len(arguments)) if arguments[place] in {*OPTIONS, "--ref"}
    )
    systems = [Path(name).stem for name in arguments[start : next(ends, None)]]
    chosen = [form for option, form in pairwise(arguments) if option == "--format"]
    form = chosen[-1] if chosen else "text"
    if form == "json":
        found = json.loads(out)
        assert found["systems"] == systems
        scored = [row["system"] for row in found.get("scores", [])]
        assert sorted(scored) == sorted(systems * (len(scored) // len(systems)))
    elif form == "text" and arguments[0] == "score":
        assert all(f"  {printable(name)}  " in out for name in systems)
    elif form == "latex":
        assert out.startswith("% needs")


@given(command_lines())
@settings(
    max_examples=300,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_some_command_lines(folder, arguments):
    check(arguments)


@pytest.mark.slow
@given(command_lines())
@settings(max_examples=3000, deadline=None, derandomize=True, database=None)
def test_many_command_lines(folder, arguments):
    check(arguments)
