"""Official numbers of real human evaluations, recomputed from the ratings. Targets are the tables
published beside the ratings, and the archive's human scores."""

import re

import numpy as np
import pandas as pd
import pytest

import mt_difficulty as md
from mt_difficulty.human_evaluation.official import official, rank_sum, unsupported_cells
from mt_difficulty.human_evaluation.rated_set import read_archive_set
from mt_difficulty.human_evaluation.reading import read_evaluation

INTO_ENGLISH = ["cs-en", "de-en", "zh-en"]
COLLECTIONS = {
    "ESA-1": "240315rc5ESA",
    "ESA-2": "240520rc6ESA",
    "ESAAI-1": "240315rc5GEMBA",
    "ESAAI-2": "240520rc6GEMBA",
    "MQM-1": "240315rc5MQM",
}
# Largest relative difference of log10 p; R and SciPy treat ties of z-scores alike but for rounding.
LOG_P = 0.0006


def short(name):
    return re.sub(r"\.\d+$", "", name)


@pytest.fixture(scope="module")
def into_english(annotation_files, real):
    """The evaluation of direct assessment into English, its official numbers, and the archive."""
    known = {}

    def read(pair):
        if pair not in known:
            folder = annotation_files / "wmt22-da-toen"
            packed = pair.replace("-", "")
            names = [f"ad-{packed}-trk-mean-sd.txt", f"ad-{packed}-good-stnd-redup.csv.gz"]
            archive = read_archive_set("wmt22", pair, real)
            evaluation = read_evaluation([folder / name for name in names], pair, archive)
            known[pair] = evaluation, official(evaluation), archive
        return known[pair]

    return read


def published_systems(folder, pair, archive):
    table = pd.read_csv(folder / f"wmt22-da-toen/ad-sys-scores-{pair}.csv", sep=r"\s+")
    return table.set_axis([archive.system_of(short(name)) for name in table.SYS])


@pytest.mark.parametrize("pair", ["cs-en", "zh-en"])
def test_means_of_direct_assessment(pair, into_english, annotation_files):
    _, result, archive = into_english(pair)
    published = published_systems(annotation_files, pair, archive)
    systems = result.systems
    assert len(systems) == {"cs-en": 12, "zh-en": 13}[pair]
    published = published.loc[systems.index]
    np.testing.assert_allclose(systems["mean"], published["RAW.SCR"], rtol=0, atol=1e-9)
    np.testing.assert_allclose(systems.z, published["Z.SCR"], rtol=0, atol=1e-9)
    assert [*systems.segments] == [*published.N]
    assert [*systems.ratings] == [*published["N.ALL"]]


def test_the_example_of_the_review(into_english):
    _, result, _ = into_english("cs-en")
    assert result.systems[["mean", "z"]].head(2).round(3).to_numpy().tolist() == [
        [74.011, 0.133],
        [75.264, 0.055],
    ]


@pytest.mark.parametrize("pair", INTO_ENGLISH)
def test_order_and_wins_of_direct_assessment(pair, into_english, annotation_files):
    _, result, archive = into_english(pair)
    folder = annotation_files / "wmt22-da-toen"
    ranking = pd.read_csv(folder / f"ad-sys-ranking-{pair}-z.csv", sep=r"\s+", header=None)
    systems = [archive.system_of(short(name)) for name in ranking[4]]
    assert [*result.systems.index] == systems
    clusters = pd.read_csv(folder / "clusters.csv", sep=" ")
    clusters = clusters[(clusters.SRC + "-" + clusters.TRG).eq(pair)]
    assert [archive.system_of(short(name)) for name in clusters.SYSTEM] == systems
    assert [*result.systems.wins] == [*clusters.WINS]
    starts = result.systems.reset_index().groupby("cluster").apply(lambda rows: rows.index[0] + 1)
    assert [starts[cluster] for cluster in result.systems.cluster] == [*clusters.CLUSTER_START]


@pytest.mark.parametrize(
    ("pair", "tolerance"), [("cs-en", LOG_P), ("de-en", 0.02), ("zh-en", LOG_P)]
)
def test_rank_sums_of_direct_assessment(pair, tolerance, into_english, annotation_files):
    _, result, archive = into_english(pair)
    path = annotation_files / f"wmt22-da-toen/adwilcox-{pair.replace('-', '')}.csv"
    table = pd.read_csv(path, sep=r"\s+")
    systems = [archive.system_of(short(name)) for name in table.columns]
    published = table.to_numpy()
    p = result.p.loc[[archive.system_of(short(name)) for name in table.index], systems].to_numpy()
    is_printed = published != 0.12  # what the file has for a p of 0.05 or more
    logs = np.log10(p[is_printed]) / np.log10(published[is_printed])
    assert is_printed.sum() > 15
    np.testing.assert_allclose(logs, 1, atol=tolerance)
    above = np.triu(np.ones(published.shape, bool), 1)
    assert ((p < 0.05) == is_printed)[above].all()


@pytest.mark.parametrize("pair", INTO_ENGLISH)
def test_segments_of_direct_assessment(pair, into_english, annotation_files):
    evaluation, result, archive = into_english(pair)
    unsupported = unsupported_cells(evaluation.ratings, archive.gold("wmt"), archive.canary)
    assert len(unsupported) == {"cs-en": 0, "de-en": 65, "zh-en": 0}[pair]
    path = annotation_files / f"wmt22-da-toen/ad-seg-scores-{pair}.csv.gz"
    published = pd.read_csv(path, sep=r"\s+")
    cells = result.segments
    assert len(published) == len(cells) + len(unsupported)
    for name, column in (("wmt", "mean"), ("wmt-z", "z")):
        gold = archive.gold(name)
        expected = [
            gold[system][int(segment) - archive.canary]
            for system, segment in zip(cells.system, cells.segment, strict=True)
        ]
        np.testing.assert_allclose(cells[column], expected, rtol=0, atol=1e-9)


def test_scores_of_de_en_without_ratings(into_english, annotation_files):
    evaluation, result, archive = into_english("de-en")
    for name in ("wmt", "wmt-z"):
        unsupported = unsupported_cells(evaluation.ratings, archive.gold(name), archive.canary)
        assert len(unsupported) == 65
        assert {score for _, _, score in unsupported} == {0.0}
    published = published_systems(annotation_files, "de-en", archive).loc[result.systems.index]
    assert abs(result.systems.z - published["Z.SCR"]).max() == pytest.approx(9.26e-4, abs=1e-6)
    # With these scores of 0, the published means come out.
    counts = pd.Series([system for system, _, _ in unsupported]).value_counts()
    counts = counts.reindex(result.systems.index, fill_value=0)
    shares = result.systems.segments / (result.systems.segments + counts)
    np.testing.assert_allclose(result.systems.z * shares, published["Z.SCR"], atol=1e-9)
    np.testing.assert_allclose(result.systems["mean"] * shares, published["RAW.SCR"], atol=1e-9)


def test_scores_without_ratings_are_named(annotation_files, real):
    folder = annotation_files / "wmt22-da-toen"
    result = md.annotations(
        [folder / "ad-deen-good-stnd-redup.csv.gz", folder / "ad-deen-trk-mean-sd.txt"],
        campaign="wmt22",
        gold=(),
        pair="de-en",
        archive=real,
    )
    (notice,) = [text for text in result.notices if "have no rating" in text]
    assert "65 human scores of segments (wmt)" in notice
    assert "JDExploreAcademy in line 1612 (0)" in notice


@pytest.mark.parametrize(("pair", "cells"), [("en-cs", 4752), ("en-zh", 8242)])
def test_error_span_annotation_of_wmt24(pair, cells, annotation_files, real):
    names = ["esa_generalMT2024_wave3.csv", "annotator_mapping.json", "esa_generalMT2024_wave2.csv"]
    files = [annotation_files / "wmt24-esa" / name for name in names]
    archive = read_archive_set("wmt24", pair, real)
    evaluation = read_evaluation(files, pair, archive)
    result = official(evaluation)
    gold = archive.gold("esa")
    assert len(result.segments) == cells
    assert differences(result, gold, archive) == {0.0}
    assert not unsupported_cells(evaluation.ratings, gold, archive.canary)
    path = real / f"wmt24/human-scores/{pair}.esa.sys.score"
    published = pd.read_csv(path, sep="\t", header=None, index_col=0, na_values="None")[1].dropna()
    np.testing.assert_allclose(
        result.systems["mean"].sort_index(), published.sort_index(), rtol=0, atol=1e-12
    )
    domains = result.segments.segment.map(evaluation.domains)
    means = result.segments.groupby(["system", domains])["mean"].mean().groupby("system").mean()
    assert result.ordered_by == "by_domain"
    np.testing.assert_allclose(result.systems.by_domain, means[result.systems.index])
    assert result.systems.by_domain.is_monotonic_decreasing


@pytest.mark.parametrize("collection", COLLECTIONS)
def test_collections_of_wmt23_en_de(collection, annotation_files, real):
    folder = annotation_files / "esa-wmt23-ende"
    archive = read_archive_set("wmt23", "en-de", real)
    files = [folder / f"{COLLECTIONS[collection]}.scores.csv", folder / "Annotators_mapping.csv"]
    evaluation = read_evaluation(files, "en-de", archive)
    assert evaluation.procedure == ("MQM" if collection == "MQM-1" else "ESA")
    result = official(evaluation)
    gold = archive.gold(collection)
    assert len(result.segments) == 2691
    assert differences(result, gold, archive) == {0.0}
    assert not unsupported_cells(evaluation.ratings, gold)


def test_mqm_of_ted_talks(annotation_files, excerpt):
    path = annotation_files / "mqm-ted/mqm_ted_ende.tsv"
    archive = read_archive_set("wmt21.tedtalks", "en-de", excerpt)
    evaluation = read_evaluation([path], "en-de", archive)
    result = official(evaluation)
    assert len(result.segments) == 529 * 14
    assert differences(result, archive.gold("mqm"), archive) == {0.0}
    table = pd.read_csv(path.with_name("mqm_ted_ende.avg_seg_scores.tsv"), sep=r"\s+")
    table = table[table.mqm_avg_score != "None"].replace({"system": {"ref-A": "ref"}})
    by_file = official(read_evaluation([path])).segments
    both = by_file.merge(
        table.assign(segment=table.seg_id.astype(str)), on=["system", "segment"], how="inner"
    )
    assert len(both) == len(by_file)
    np.testing.assert_allclose(both["mean"], both.mqm_avg_score.astype(float), atol=1e-6)
    readme = path.with_name("README.md").read_text()
    rows = re.findall(r"\| (\S+) \| (\d\.\d+)\(\d+\) \|\n", readme.split("## TED talks")[1])[:14]
    printed = {archive.system_of(name): -float(score) for name, score in rows}
    printed["eTranslation"] = -1.97  # the README has 1.96
    assert result.systems["mean"].round(2).to_dict() == printed


def test_design_of_flores(annotation_files):
    for pair in ("bnhi", "hibn", "xhzu", "zuxh"):
        folder = annotation_files / "wmt21-da-flores"
        names = [f"ad-{pair}-good-stnd-redup.csv", f"ad-{pair}-trk-mean-sd.txt"]
        result = md.annotations([folder / name for name in names])
        (reason,) = result.design.reasons
        assert "every system is rated on other segments" in reason
        assert any(reason in notice for notice in result.notices)
        name = f"ad-sys-scores-{pair[:2]}-{pair[2:]}.csv"
        published = pd.read_csv(folder / name, sep=r"\s+")
        published = published.set_index(published.SYS.map(short)).loc[result.official.systems.index]
        np.testing.assert_allclose(result.official.systems["mean"], published["RAW.SCR"], atol=1e-9)
        np.testing.assert_allclose(result.official.systems.z, published["Z.SCR"], atol=1e-9)


def test_da_sqm_leaves_out_annotators_of_one_score(tmp_path):
    rows = []
    for segment in range(6):
        for system, score in (("oak", 80 - segment), ("elm", 60 + segment)):
            rows.append(f"engdeu0001,{system},{segment},TGT,eng,deu,{score},doc,False,1,2")
            rows.append(f"engdeu0002,{system},{segment},TGT,eng,deu,50,doc,False,1,2")
    path = tmp_path / "scores.csv"
    path.write_text("\n".join(rows) + "\n")
    result = md.annotations(path, gold=())
    assert result.procedure == "DA+SQM"
    assert result.ratings.filtered == {"annotators of standard deviation 0": 12}
    assert result.official.systems["mean"].to_dict() == {"oak": 77.5, "elm": 62.5}
    scores = result.ratings.table.score
    z = (scores - scores.mean()) / scores.std()
    assert result.official.systems.z["oak"] == pytest.approx(z[::2].mean())
    assert result.official.p.loc["oak", "elm"] < 0.01


def test_rank_sum_without_scores_is_undefined():
    assert np.isnan(rank_sum(pd.Series([], dtype=float), pd.Series([1.0])))


def differences(result, gold, archive):
    """The rounded differences between the means of cells and the archive's scores."""
    cells = result.segments
    expected = [
        gold[system][int(segment) - archive.canary]
        for system, segment in zip(cells.system, cells.segment, strict=True)
    ]
    return set((np.abs(cells["mean"] - expected)).round(12))
