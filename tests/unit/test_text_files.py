"""Names of systems in either of Unicode's forms, and scores that are too large."""

import unicodedata

import pytest

from mt_difficulty.data.evalset import EvaluationSet, read_evaluation_set
from mt_difficulty.data.own_files import read_own_files
from mt_difficulty.data.score_files import read_segment_scores, read_system_scores
from mt_difficulty.errors import InputError
from mt_difficulty.metrics.stored import Stored

NAMES = ["Müller", "Ångström", "한국어"]
FORMS = ["NFC", "NFD"]


def form(name, which):
    return unicodedata.normalize(which, name)


def put(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def own(folder, files, gold):
    """A set of own files: names of files and names in the gold, in two forms."""
    for name in ("source.txt", "reference.txt", *(f"systems/{form(n, files)}.txt" for n in NAMES)):
        put(folder / name, "a\n")
    put(folder / "gold.tsv", "".join(f"{form(n, gold)}\t{i}\n" for i, n in enumerate(NAMES)))
    return lambda **options: read_own_files(folder, "mine", "en-de", **options)


def archived(folder, files, gold):
    """The same in the archive's layout, with the scores of a metric and of segments."""
    outputs = [f"system-outputs/en-de/{form(name, files)}.txt" for name in [*NAMES, "refé"]]
    for name in ("sources/en-de.txt", f"references/en-de.{form('refé', gold)}.txt", *outputs):
        put(folder / name, "a\n")
    put(folder / "references/en-de.refA.txt", "a\n")
    scores = "".join(f"{form(name, gold)} {i}\n" for i, name in enumerate(NAMES))
    for name in ("human-scores/en-de.mqm.sys", "human-scores/en-de.mqm.seg"):
        put(folder / f"{name}.score", scores)
    put(folder / "metric-scores/en-de/X-refA.seg.score", scores)
    return lambda **options: read_evaluation_set(folder, "mine", "en-de", "refA", "mqm", **options)


@pytest.mark.parametrize("gold", FORMS)
@pytest.mark.parametrize("files", FORMS)
@pytest.mark.parametrize("make", [own, archived])
def test_names_are_compared_in_one_form(tmp_path, make, files, gold):
    found: EvaluationSet = make(tmp_path, files, gold)()
    assert found.systems == sorted(NAMES)
    assert dict(zip(found.systems, found.gold, strict=True)) == {
        name: i for i, name in enumerate(NAMES)
    }
    if make is archived:
        assert found.left_out == {"refé": "a human translation"}
        assert found.segment_gold == [[NAMES.index(name)] for name in found.systems]
        stored = Stored("en-de", "X").evaluate(found, tmp_path)
        assert stored[:, 0, 0].tolist() == [NAMES.index(name) for name in found.systems]


@pytest.mark.parametrize("which", FORMS)
@pytest.mark.parametrize("make", [own, archived])
def test_a_system_is_excluded_in_either_form(tmp_path, make, which):
    read = make(tmp_path, form("NFD", "NFC"), "NFC")
    for name in ("Zoë", "Żubr"):
        folder = "systems" if make is own else "system-outputs/en-de"
        put(tmp_path / folder / f"{form(name, 'NFD')}.txt", "a\n")
    assert read(exclude=[form("Zoë", which)]).left_out["Zoë"] == "excluded by config"


@pytest.mark.parametrize("make", [own, archived])
def test_two_files_of_one_name_are_an_error(tmp_path, make):
    read = make(tmp_path, "NFC", "NFC")
    for path in list(tmp_path.rglob("Müller.txt")):
        put(path.with_name(form("Müller.txt", "NFD")), "a\n")
    with pytest.raises(InputError) as error:
        read()
    text = str(error.value)
    assert f"'Mu{chr(92)}u0308ller.txt' and 'M{chr(92)}xfcller.txt' are files of one system" in text
    assert "Müller; only their Unicode forms differ. Rename or remove one." in text


@pytest.mark.parametrize("score", ["1e308", "-1e308", "-1.7e308", "1.1e100", "1" + "0" * 101])
@pytest.mark.parametrize(
    "read", [read_system_scores, lambda path: read_segment_scores(path, 1)], ids=["sys", "seg"]
)
def test_a_score_that_is_too_large_to_be_computed_with(tmp_path, read, score):
    path = put(tmp_path / "scores", f"X 1\nMüller {score}\n")
    with pytest.raises(InputError) as error:
        read(path)
    assert str(error.value) == (
        f"{path}, line 2: system Müller has the score {score}; expected one between -1e+100 and "
        "1e+100. Probably the file is damaged: take another copy."
    )
