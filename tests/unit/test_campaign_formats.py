"""Every known evaluation set of the archive, in the layout that its year has: texts as lines or in
JSON objects, a canary, segments that were not translated, outliers, human scores of three levels.
All texts and scores are made up here."""

import json
import math

import pytest
from conftest import ROOT

from mt_difficulty.data import campaign_files
from mt_difficulty.data.campaign_files import read_campaigns
from mt_difficulty.data.evalset import load, read_evaluation_set, save
from mt_difficulty.data.language import source_language, target_language, without_spaces
from mt_difficulty.errors import InputError, Missing

KNOWN = read_campaigns(ROOT / "workflow" / "campaigns.yaml")
NAMES = [f"{known.campaign}/{known.pair}" for known in KNOWN]
SYSTEMS = ["Ada-1.5", "ONLINE-B", "bob_c.388", "zlabs"]
CANARY = "CANARY GUID 00000000-made-up"
SUPPLIED_NONE = "[No translation supplied]"
FIELDS = {"sources": "source", "references": "target", "system-outputs": "hypothesis"}


def put(folder, name, content):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def put_lines(folder, name, lines):
    return put(folder, name, "".join(f"{line}\n" for line in lines))


class Layout:
    """A set of four segments: the second system did not translate the third, and has no score."""

    def __init__(self, known):
        self.known = known
        self.objects = known.campaign == "wmt24pp"
        self.canary = [CANARY] if known.campaign == "wmt24" else []
        self.references = (
            {known.reference} if known.reference == "ref" else {known.reference, "refA"}
        )
        self.references |= {"synthetic_ref"} & set(known.outliers)
        self.outliers = [name for name in known.outliers if name not in self.references]
        self.outputs = sorted([*SYSTEMS, *self.outliers, *self.references, "Human-A.0"])
        self.domains = ["news", "news", "social", "social"]

    def texts(self, name):
        lines = [f"{name} {number}" for number in range(4)]
        if name == SYSTEMS[1]:
            lines[2] = None if self.objects else SUPPLIED_NONE
        return [*self.canary, *lines]

    def put_texts(self, folder, stem, name):
        lines, field = self.texts(name), FIELDS[stem.split("/")[0]]
        if self.objects:
            objects = [json.dumps({field: line, "other": 1}) for line in lines]
            return put_lines(folder, f"{stem}.jsonl", objects)
        return put_lines(folder, f"{stem}.txt", lines)

    def put_scores(self, folder):
        """As the archive has them: most segments are None, one system has not a single score."""
        start = f"human-scores/{self.known.pair}."
        score = {name: number - 2.5 for number, name in enumerate(self.outputs)}
        lines = [f"{name}\t{score[name]}" for name in self.outputs]
        put_lines(folder, f"{start}{self.known.gold}.sys.score", lines)
        of_segments = {
            name: ["None"] * 4 if name == "zlabs" else ["None", score[name], "None", "None"]
            for name in self.outputs
        }
        lines = [
            f"{name}\t{each}"
            for name, values in of_segments.items()
            for each in ["None"] * len(self.canary) + values
        ]
        put_lines(folder, f"{start}{self.known.segment_gold}.seg.score", lines)
        domains = ["social", "news"] + ["canary"] * len(self.canary)
        lines = [
            f"{domain} {name} {score[name]}" for domain in domains for name in self.outputs[1:]
        ]
        put_lines(folder, f"{start}{self.known.gold}.domain.score", lines)
        return score

    def write(self, folder):
        pair = self.known.pair
        self.put_texts(folder, f"sources/{pair}", "source")
        for name in self.references:
            self.put_texts(folder, f"references/{pair}.{name}", name)
        for name in self.outputs:
            self.put_texts(folder, f"system-outputs/{pair}/{name}", name)
        documents = [f"{domain}\td.{domain}" for domain in ["canary"] * len(self.canary)]
        documents += [f"{domain}\td.{domain}" for domain in self.domains]
        put_lines(folder, f"documents/{pair}.docs", documents)
        return self.put_scores(folder) if self.known.gold else {}


@pytest.fixture(scope="module")
def archive(tmp_path_factory):
    """All known sets, each in its campaign's folder, and the human scores by system."""
    folder = tmp_path_factory.mktemp("archive")
    return folder, {
        name: Layout(known).write(folder / known.campaign)
        for name, known in zip(NAMES, KNOWN, strict=True)
    }


def read(folder, known, **options):
    options = {"gold": known.gold, "segment_gold": known.segment_gold} | options
    return read_evaluation_set(
        folder / known.campaign, known.campaign, known.pair, known.reference, **options
    )


def test_there_are_177_known_sets():
    assert len(set(NAMES)) == 177
    assert {known.campaign for known in KNOWN} == {
        *("wmt19", "wmt20", "wmt21.news", "wmt21.tedtalks", "wmt21.flores", "wmt22", "wmt23"),
        *("wmt23.sent", "wmt24", "wmt24pp", "wmt25"),
    }


@pytest.mark.parametrize("known", KNOWN, ids=NAMES)
def test_every_known_set_is_read(archive, known, tmp_path):
    folder, scores = archive
    layout, score = Layout(known), scores[f"{known.campaign}/{known.pair}"]
    found = read(folder, known, outliers=known.outliers)
    ranked = sorted([*SYSTEMS, *layout.outliers])
    assert found.systems == ranked
    assert found.left_out == dict.fromkeys(
        sorted({*layout.references, "Human-A.0"}), "a human translation"
    )
    assert found.gold == ([score[name] for name in ranked] if known.gold else [])
    assert found.gold_name == known.gold
    assert found.outliers == sorted(layout.outliers)
    assert found.canary == len(layout.canary)
    assert found.source == [f"source {number}" for number in range(4)]
    assert found.reference == [f"{known.reference} {number}" for number in range(4)]
    assert found.hypotheses[ranked.index("zlabs")] == [f"zlabs {number}" for number in range(4)]
    assert found.hypotheses[ranked.index("ONLINE-B")][2] == ""
    assert found.untranslated == {"ONLINE-B": 1}
    assert found.domains == layout.domains
    assert found.documents == [f"d.{domain}" for domain in layout.domains]
    check_human_scores(known, found, score)
    save(tmp_path / "set.json", found)
    assert load(tmp_path / "set.json").systems == ranked


def check_human_scores(known, found, score):
    if not known.gold:
        assert (found.segment_gold, found.segment_gold_name, found.domain_gold) == ([], "", {})
        return
    of_segments = found.segment_gold[found.systems.index("ONLINE-B")]
    assert of_segments[1] == score["ONLINE-B"]
    assert [math.isnan(each) for each in of_segments] == [True, False, True, True]
    assert all(map(math.isnan, found.segment_gold[found.systems.index("zlabs")]))
    assert found.segment_gold_name == (
        known.segment_gold if known.segment_gold != known.gold else ""
    )
    # The first output has no scores of domains.
    first = min(score)
    expected = [None if name == first else score[name] for name in found.systems]
    assert found.domain_gold == {"news": expected, "social": expected}


# Languages and pairs


def test_target_languages_of_all_known_sets():
    assert {target_language(known.pair) for known in KNOWN} == set(
        """
        ar bg bho bn ca cs da de el en es et fa fi fil fr gu ha he hi hr hu id is it iu ja kk kn ko
        liv lt lv mas ml mr nl no pa pl pt ro ru sah sk sl sr sv sw ta te th tr uk ur vi xh zh zu
        """.split()
    )
    for known in KNOWN:
        source, target = known.pair.split("-")
        assert source.startswith(source_language(known.pair))
        assert target.startswith(target_language(known.pair))
    assert target_language("en-sr_Cyrl_RS") == "sr"
    unspaced = {code for known in KNOWN if without_spaces(code := target_language(known.pair), [])}
    assert unspaced == {"ja", "th", "zh"}


PAIRS = ["en-zh", "en-zh_CN", "en-zh_TW", "en-sr", "en-sr_Cyrl", "en-sr_Cyrl_RS"]


@pytest.mark.parametrize("pair", PAIRS)
@pytest.mark.parametrize("ending", [".txt", ".jsonl"])
def test_pairs_that_begin_alike_are_never_mistaken(tmp_path, pair, ending):
    folder = tmp_path / "wmt99"
    for each in PAIRS:
        for stem in (f"sources/{each}", f"references/{each}.ref{PAIRS.index(each)}"):
            put(folder, f"{stem}{ending}", object_or_line(stem, each, ending))
        for name in ("A", "B", "C"):
            stem = f"system-outputs/{each}/{name}_{each}"
            put(folder, f"{stem}{ending}", object_or_line(stem, each, ending))
        lines = [f"{name}_{each} {number}" for number, name in enumerate("ABC")]
        for level in ("sys", "seg"):
            put_lines(folder, f"human-scores/{each}.mqm.{level}.score", lines)
        put_lines(folder, f"human-scores/{each}.mqm.domain.score", [f"x {line}" for line in lines])
        put_lines(folder, f"human-scores/{each}.mqm.rater1.seg.rating", [f"A_{each}\tNone"])
    reference = f"ref{PAIRS.index(pair)}"
    found = read_evaluation_set(folder, "wmt99", pair, reference, "mqm")
    assert found.systems == [f"{name}_{pair}" for name in "ABC"]
    assert {*found.source, *found.reference, *(text for [text] in found.hypotheses)} == {pair}
    assert found.segment_gold == [[0.0], [1.0], [2.0]]
    told = campaign_files.text_files(folder, pair) + campaign_files.gold_files(folder, pair, "mqm")
    told += campaign_files.rating_files(folder, pair, "mqm")
    assert len(told) == 9
    assert all(path.name.startswith(f"{pair}.") or path.parent.name == pair for path in told)
    other = f"ref{(PAIRS.index(pair) + 1) % len(PAIRS)}"
    with pytest.raises(InputError, match=rf"no reference {other} for {pair}\. There are: ref\d "):
        read_evaluation_set(folder, "wmt99", pair, other, "mqm")


def object_or_line(stem, text, ending):
    line = json.dumps({FIELDS[stem.split("/")[0]]: text}) if ending == ".jsonl" else text
    return f"{line}\n"


# Real data


# Of sets with texts there: systems and segments, or why they are not read; WMT25 without gold.
REAL = {
    "wmt22/cs-en": (11, 1448),
    "wmt22/de-en": (9, 1984),
    "wmt22/en-de": "no mqm scores of wmt22 en-de (there: mqm-col1, mqm-col2, mqm-col3, mqm-mean)",
    "wmt22/en-liv": (5, 420),
    "wmt22/zh-en": (14, 1875),
    "wmt23/de-en": (13, 549),
    "wmt23/en-cs": (15, 2074),
    "wmt23/en-de": (12, 557),
    "wmt23/zh-en": (15, 1976),
    "wmt24/en-cs": (15, 997),
    "wmt24/en-zh": (12, 997),
    "wmt25/cs-de_DE": (6, 457),
    "wmt25/en-it_IT": "no references of wmt25 en-it_IT",
    "wmt25/en-sr_Cyrl_RS": (2, 332),
    "wmt25/en-zh_CN": (4, 332),
}


def test_real_sets_with_texts(real):
    there = {f"{path.parts[-3]}/{path.stem}" for path in real.glob("*/sources/*")}
    assert there == REAL.keys()


@pytest.mark.parametrize("name", REAL)
def test_real_sets(real, name):
    known = KNOWN[NAMES.index(name)]
    gold = None if known.campaign == "wmt25" else known.gold
    options = {"gold": gold, "outliers": known.outliers, "texts_required": False}
    if isinstance(REAL[name], str):
        with pytest.raises(Missing) as error:
            read(real, known, **options)
        assert str(error.value) == f"the archive has {REAL[name]}"
        return
    found = read(real, known, **options)
    assert (len(found.systems), len(found.reference)) == REAL[name]
    assert {len(text) for text in [found.source, *found.hypotheses]} == {REAL[name][1]}
    assert found.canary == (known.campaign == "wmt24")
    assert not any("CANARY" in text for text in found.source[:1] + found.reference[:1])
    assert set(found.domain_gold) <= {*found.domains, "all"}
