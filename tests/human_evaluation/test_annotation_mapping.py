"""Segments of annotations, numbered in every known way, are mapped to lines of the archive."""

import numpy as np
import pytest
from test_annotation_formats import HEADER, screen, written

from mt_difficulty.human_evaluation.mapping import WAYS
from mt_difficulty.human_evaluation.rated_set import read_archive_set
from mt_difficulty.human_evaluation.reading import read_evaluation

SYSTEMS = ["ONLINE-A", "ONLINE-B"]


@pytest.fixture(scope="module")
def archive_of(real):
    known = {}

    def read(campaign, pair):
        if (campaign, pair) not in known:
            known[campaign, pair] = read_archive_set(campaign, pair, real)
        return known[campaign, pair]

    return read


def places_of(archive):
    """By segment: line with the canary, document, index in it from 0."""
    indices = {}
    places = []
    for segment, document in enumerate(archive.documents):
        index = indices.get(document, 0)
        indices[document] = index + 1
        places.append((segment + archive.canary, document, index))
    return places


def appraise(places, items, documents=None):
    """An export of Appraise in which two systems are rated on some segments."""
    lines = [HEADER]
    for number, ((_, document, _), item) in enumerate(zip(places, items, strict=True)):
        name = documents[number] if documents else document
        for shift, system in enumerate(SYSTEMS):
            score = (number * 7 + shift) % 100
            lines.append(f"zhoeng{shift:04x},{system},{item},TGT,zho,eng,{score},{name},False,1,2")
    return "\n".join(lines)


def check(evaluation, places, way):
    assert way in WAYS
    (notice,) = [text for text in evaluation.notices if "are mapped to lines" in text]
    assert way in notice
    assert not any("could not be mapped" in text for text in evaluation.notices)
    segments = [int(segment) for segment in evaluation.ratings.table.segment]
    assert segments == [line for line, _, _ in places for _ in SYSTEMS]
    assert [*evaluation.ratings.table.document] == [
        document for _, document, _ in places for _ in SYSTEMS
    ]


@pytest.mark.parametrize(
    ("campaign", "pair", "item", "way"),
    [
        ("wmt23", "zh-en", lambda place, canary: place[2] + 1, "index in the document, from 1"),
        ("wmt23", "zh-en", lambda place, canary: place[2], "index in the document, from 0"),
        ("wmt23", "zh-en", lambda place, canary: place[0], "lines of the files, from 0"),
        ("wmt23", "zh-en", lambda place, canary: place[0] + 1, "the files, from 1"),
        ("wmt24", "en-zh", lambda place, canary: place[0], "lines of the files, from 0"),
        ("wmt24", "en-zh", lambda place, canary: place[0] + 1, "the files, from 1"),
        ("wmt24", "en-zh", lambda place, canary: place[0] - canary, "segments of the set, from 0"),
    ],
)
def test_numbers_of_segments(campaign, pair, item, way, archive_of, tmp_path):
    archive = archive_of(campaign, pair)
    places = places_of(archive)[::2][:300]
    items = [item(place, archive.canary) for place in places]
    path = written(tmp_path, appraise(places, items).replace("zho,eng", pair.replace("-", ",")))
    evaluation = read_evaluation([path], pair, archive)
    (full_way,) = [name for name in WAYS if way in name]
    check(evaluation, places, full_way)


def test_ranges_of_documents(archive_of, tmp_path):
    archive = archive_of("wmt23", "zh-en")
    places = [place for place in places_of(archive) if 2 <= place[2] <= 8]
    items = [index - 2 for _, _, index in places]
    documents = [f"{document}#3-9" for _, document, _ in places]
    path = written(tmp_path, appraise(places, items, documents))
    evaluation = read_evaluation([path], "zh-en", archive)
    check(evaluation, places, "index in the range of a document")


def test_documents_sorted_by_name(archive_of, tmp_path):
    archive = archive_of("wmt23", "zh-en")
    places = places_of(archive)
    order = sorted(range(len(places)), key=archive.documents.__getitem__)
    lines = ["HITId WorkerId hit sys_id rid type sid score"]
    chosen = []
    for rank, segment in enumerate(order, 1):
        chosen.append(places[segment])
        for shift, system in enumerate(SYSTEMS):
            rid = 1000 + len({place[1] for place in chosen})
            lines.append(f"h w{shift} 1 {system}.1 {rid} SYSTEM {rank} {(rank + shift) % 100}")
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))], "zh-en", archive)
    check(evaluation, chosen, "segments, from 1, of the documents sorted by name")


def test_source_texts(archive_of, tmp_path):
    """Ids of segments that fit no line; among them repeated and changed source texts."""
    archive = archive_of("wmt23", "en-de")
    places = places_of(archive)
    header = "system doc doc_id seg_id rater source target category severity".split()
    lines = ["\t".join(header)]
    for segment, (_, document, index) in enumerate(places):
        text = archive.texts[segment] if segment != 40 else "a source text that was changed later"
        for number, system in enumerate(SYSTEMS):
            severity = ("Minor", "Major")[(segment + number) % 2]
            fields = [system, document, str(index), str(5000 + segment), "r1", f"<v>{text}</v>", ""]
            lines.append("\t".join([*fields, "Other", severity]))
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))], "en-de", archive)
    check(evaluation, places, "source text")


def test_changed_source_texts_do_not_hinder(archive_of, tmp_path):
    archive = archive_of("wmt23", "en-de")
    places = places_of(archive)[:100]
    lines = ["annotator\tsystem\tdocument\tsegment\tsource\tscore"]
    for number, (line, document, _) in enumerate(places):
        for shift, system in enumerate(SYSTEMS):
            lines.append(f"ann\t{system}\t{document}\t{line}\t<b>x</b>\t{(number + shift) % 9}")
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))], "en-de", archive)
    check(evaluation, places, "lines of the files, from 0")


def test_campaigns_of_select_are_read_back(archive_of, tmp_path):
    archive = archive_of("wmt24", "en-cs")
    places = places_of(archive)[:50]
    lines = []
    for segment, (_, document, _) in enumerate(places):
        item = f"wmt24/en-cs | {document} | {segment + 1}"
        lines.append(screen("ann", [item], [{"ONLINE-W": segment, "Aya23": 50}]))
    evaluation = read_evaluation([written(tmp_path, "\n".join(lines))], "en-cs", archive)
    check(evaluation, places, "lines of the files, from 0")
    assert evaluation.domains["1"] == archive.domains[0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("refA", "refA"),
        ("HUMAN-A", "refA"),
        ("Human-refA", "refA"),
        ("translator-A", "refA"),
        ("ref", "refA"),
        ("online-w", "ONLINE-W"),
        ("ONLINE", None),
        ("HUMAN-B", None),
    ],
)
def test_names_of_systems(name, expected, archive_of):
    assert archive_of("wmt24", "en-cs").system_of(name) == expected


def test_renamed_systems(archive_of):
    assert archive_of("wmt23", "zh-en").system_of("LanguageX") == "ZengHuiMT"


def test_human_scores_of_the_archive(archive_of):
    archive = archive_of("wmt24", "en-cs")
    gold = archive.gold("esa")
    assert archive.gold_names() == ["esa"]
    assert {len(values) for values in gold.values()} == {len(archive.texts)}
    assert np.isfinite(gold["refA"]).sum() == 297
