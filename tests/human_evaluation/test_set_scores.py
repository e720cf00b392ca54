"""Human scores of a set that come from annotations."""

import json
import shutil
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT

import mt_difficulty as md
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_texts
from mt_difficulty.errors import InputError
from mt_difficulty.evidence.gains import HumanTests, WholeSet
from mt_difficulty.evidence.study import Joint, sample_of
from mt_difficulty.gold import make_gold
from mt_difficulty.human_evaluation.set_scores import (
    read_annotated,
    read_set,
    with_rated_systems,
)
from mt_difficulty.page.human_evaluation import section
from mt_difficulty.settings import GoldSettings
from mt_difficulty.statistics.contrasts import contrast_p

ARCHIVE = ROOT / "data/demo/archive"
# Two annotators are severe and mild by two points.
SEVERITY = {"anna": -2.0, "ben": 2.0}
ANNOTATORS = [*SEVERITY, "carl", "dora", "emil", "fay"]


@pytest.fixture(scope="module")
def demo():
    return md.load_set("demo", "en-de", ARCHIVE)


@pytest.fixture(scope="module")
def ratings_file(demo, tmp_path_factory):
    """Made-up ratings of the demo's hypotheses: a document of a system has one annotator."""
    rng = np.random.default_rng(0)
    rows = []
    scores = demo.segment_human
    for document, segments in demo.texts.groupby("document").groups.items():
        for system in scores:
            annotator = rng.choice(ANNOTATORS)
            for segment in segments:
                score = scores.loc[segment, system] + SEVERITY.get(annotator, 0) + rng.normal()
                rows.append([annotator, system, segment - 1, document, score])
    columns = ["annotator", "system", "segment", "document", "score"]
    file = tmp_path_factory.mktemp("ratings") / "ratings.tsv"
    pd.DataFrame(rows, columns=columns).to_csv(file, sep="\t", index=False)
    return file


def settings(file, gold):
    return ImportSettings(
        "demo",
        "en-de",
        "refA",
        gold=gold,
        annotations=[str(file)],
        rating_gold=GoldSettings(gold),
    )


def with_rated(file):
    """The campaign's folder, and the settings with the systems that the file rates."""
    folder = ARCHIVE / "demo"
    return folder, with_rated_systems(folder, settings(file, "mixed"))


@pytest.mark.parametrize(("gold", "segments"), [("mixed", "mean of ratings"), ("z", "")])
def test_a_sets_human_scores_are_those_of_the_gold(ratings_file, demo, gold, segments):
    evalset = read_set(ARCHIVE / "demo", settings(ratings_file, gold))
    annotated = md.annotations(
        ratings_file, campaign="demo", pair="en-de", archive=ARCHIVE, gold=gold
    )
    human = annotated.adjusted[gold]
    expected = dict(zip(human.systems, human.scores, strict=True))
    assert dict(zip(evalset.systems, evalset.gold, strict=True)) == pytest.approx(expected)
    np.testing.assert_allclose(evalset.gold_covariance, human.covariance)
    assert (evalset.gold_name, evalset.segment_gold_name) == (gold, segments)
    cells = np.array(evalset.segment_gold, float)
    assert np.isfinite(cells).all()
    if gold == "mixed":
        ratings = pd.read_csv(ratings_file, sep="\t")
        first = ratings[(ratings.system == evalset.systems[0]) & (ratings.segment == 3)].score
        assert cells[0, 3] == pytest.approx(first.item())


def test_adjusting_brings_scores_nearer_to_those_without_severity(ratings_file, demo):
    truth = demo.segment_human.mean()
    annotated = md.annotations(ratings_file, gold=["mean", "mixed"])
    errors = {
        gold: np.std(human.scores - truth[human.systems])
        for gold, human in annotated.adjusted.items()
    }
    assert errors["mixed"] < 0.6 * errors["mean"]


def test_soft_pairwise_accuracy_takes_p_of_human_scores_from_their_errors(ratings_file):
    """Without segments that are rated for all systems, too; for a domain by its segments."""
    evalset = read_set(ARCHIVE / "demo", settings(ratings_file, "mixed"))
    whole = WholeSet.__new__(WholeSet)
    whole.evalset = evalset
    whole.gold = np.array(evalset.gold)
    whole.draws = (50, 1)
    whole.scores = type("Scores", (), {"counted": np.arange(260), "systems": evalset.systems})
    unrated = np.full((3, 260), np.nan)
    few = np.array([4, 2, 7])
    tests = whole.human_tests_of(unrated, few)
    covariance = np.array(evalset.gold_covariance)[np.ix_(few, few)]
    np.testing.assert_array_equal(tests.p, contrast_p(whole.gold[few], covariance, None))
    assert len(tests.segments) == 260
    assert isinstance(tests, HumanTests)
    of_domain = whole.human_tests_of(unrated)
    assert of_domain.reason.startswith("0 segments have a human score of every system")


def test_a_design_that_does_not_allow_the_gold_is_an_error(tmp_path):
    """Every system on other segments."""
    rows = [
        [f"a{system}", name, str(system * 20 + segment), float((system + segment) % 7)]
        for system, name in enumerate(("alder", "ash", "birch"))
        for segment in range(20)
    ]
    file = tmp_path / "ratings.tsv"
    columns = ["annotator", "system", "segment", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(file, sep="\t", index=False)
    texts = read_texts(*with_rated(file))
    assert texts.systems == ["alder", "ash", "birch"]
    with pytest.raises(InputError, match=r"demo/en-de, gold mixed: .*Choose another gold"):
        read_annotated(ARCHIVE / "demo", texts, settings(file, "mixed"))


def test_the_page_shows_official_and_adjusted_scores(ratings_file):
    chosen = settings(ratings_file, "mixed")
    texts = read_texts(*with_rated(ratings_file))
    _, described = read_annotated(ARCHIVE / "demo", texts, chosen)
    shown = section(json.loads(json.dumps(described)))
    assert "3,120 ratings" in shown["sentence"]
    assert "by 6 annotators" in shown["sentence"]
    assert [panel["label"] for panel in shown["plot"]["panels"]] == [
        "official",
        "mixed, with 95 % interval",
    ]
    assert len(shown["table"]["rows"]) == 12
    assert shown["shares"].startswith("Share of variance: ")
    # The one who rates lowest comes first.
    assert shown["annotators"]["rows"][0][0] == "anna"


def test_correlate_with_annotations(ratings_file):
    table = md.correlate_sets(
        "demo/en-de",
        ARCHIVE,
        metrics="chrF",
        annotations=str(ratings_file),
        statistics=["pearson", "soft_accuracy"],
        resamples=50,
    )
    own = table[~table.metric.str.startswith("human scores")]
    assert set(own.human) == {"mixed; segments: mean of ratings"}
    assert np.isfinite(own.value).all()
    with pytest.raises(InputError, match="name the one set that they are of"):
        md.correlate_sets("demo/*", ARCHIVE, metrics="chrF", annotations=str(ratings_file))


# A folder of own files: the demo's texts, with the same ratings by line.


@pytest.fixture(scope="module")
def own_folder(ratings_file, tmp_path_factory):
    """The demo's texts as a user's folder, without human scores."""
    folder = tmp_path_factory.mktemp("own") / "mine"
    (folder / "systems").mkdir(parents=True)
    demo = ARCHIVE / "demo"
    shutil.copy(demo / "sources/en-de.txt", folder / "source.txt")
    shutil.copy(demo / "references/en-de.refA.txt", folder / "reference.txt")
    for system in (demo / "system-outputs/en-de").glob("*.txt"):
        if system.stem != "refA":
            shutil.copy(system, folder / "systems")
    lines = (demo / "documents/en-de.docs").read_text().splitlines()
    documents = [line.split("\t")[1] for line in lines]
    (folder / "documents.txt").write_text("\n".join(documents) + "\n")
    return folder


def own_settings(file, gold="mixed"):
    return ImportSettings(
        "mine",
        "en-de",
        gold=gold,
        annotations=[str(file)],
        rating_gold=GoldSettings(gold),
        own_files=True,
    )


def test_a_folder_has_the_same_human_scores_as_the_archives_set(ratings_file, own_folder, tmp_path):
    """Segments are lines, from 0 or from 1; documents are those of documents.txt."""
    ratings = pd.read_csv(ratings_file, sep="\t")
    from_1 = tmp_path / "from_1.tsv"
    columns = ["annotator", "system", "segment", "score"]
    ratings.assign(segment=ratings.segment + 1)[columns].to_csv(from_1, sep="\t", index=False)
    archived = read_set(ARCHIVE / "demo", settings(ratings_file, "mixed"))
    for file in (ratings_file, from_1):
        evalset = read_set(own_folder, own_settings(file))
        assert evalset.systems == archived.systems
        np.testing.assert_allclose(evalset.gold, archived.gold, atol=1e-6)
        np.testing.assert_allclose(evalset.gold_covariance, archived.gold_covariance, atol=1e-6)
        np.testing.assert_allclose(evalset.segment_gold, archived.segment_gold)
        assert evalset.gold_label == archived.gold_label


def test_annotations_reads_a_folder_as_correlate_does(ratings_file, own_folder, command):
    """Official scores are those of the same ratings with the archive's set."""
    options = [ratings_file, "--gold", "z", "--format", "json"]
    code, out, err = command("annotations", *options, "--folder", own_folder)
    assert (code, "could not be mapped" in err) == (0, False)
    archived = command(
        *("annotations", *options, "--campaign", "demo", "--language-pair", "en-de"),
        *("--archive", ARCHIVE),
    )[1]
    mine, of_archive = json.loads(out), json.loads(archived)
    assert mine["systems"] == of_archive["systems"]
    assert mine["adjusted"]["z"]["systems"] == of_archive["adjusted"]["z"]["systems"]


def test_what_of_ratings_does_not_match_a_folder_is_said(ratings_file, own_folder, tmp_path):
    ratings = pd.read_csv(ratings_file, sep="\t")
    ratings.loc[ratings.system == "ash", "system"] = "ashe"
    ratings = ratings[ratings.system != "birch"]
    ratings.loc[ratings.segment == 7, "segment"] = 70_000
    file = tmp_path / "ratings.tsv"
    ratings.to_csv(file, sep="\t", index=False)
    folder = tmp_path / "mine"
    shutil.copytree(own_folder, folder)
    (folder / "gold.tsv").write_text("alder\t1\n")
    evalset = read_set(folder, own_settings(file, "z"))
    notices = "\n".join(evalset.gold_doubts)
    assert f"{folder} has no system ashe (did you mean ash?); its 260 ratings are kept" in notices
    assert "11 of 2,860 ratings are of segments that could not be mapped to lines of" in notices
    assert "gold.tsv not read, since human scores come from annotations" in notices
    assert evalset.left_out == {"ash": "no z score", "birch": "no z score"}
    assert np.isnan(np.array(evalset.segment_gold, float)[:, 7]).all()


def test_ratings_of_another_evaluation_are_refused(ratings_file, own_folder, tmp_path):
    """Nothing tells how segments are numbered if many numbers are beyond the folder's lines."""
    ratings = pd.read_csv(ratings_file, sep="\t")
    columns = ["annotator", "system", "segment", "score"]
    ratings.loc[ratings.segment > 150, "segment"] += 1000
    file = tmp_path / "ratings.tsv"
    ratings[columns].to_csv(file, sep="\t", index=False)
    with pytest.raises(InputError, match="no rating could be mapped to a segment of") as error:
        read_set(own_folder, own_settings(file))
    assert "which has 260 segments" in str(error.value)


def test_correlate_a_folder_with_annotations(ratings_file, own_folder, command):
    """As with the archive's set: on the command line and in Python, with metrics of both."""
    arguments = {"metrics": ["chrF", "BLEU"], "annotations": str(ratings_file), "resamples": 50}
    statistics = ["pearson", "soft_accuracy", "acc_eq"]
    own = md.correlate_sets(str(own_folder), lang="de", statistics=statistics, **arguments)
    archived = md.correlate_sets("demo/en-de", ARCHIVE, statistics=statistics, **arguments)
    archived = archived[~archived.metric.str.startswith("human scores")]
    np.testing.assert_allclose(own.value, archived.value, atol=1e-6)
    assert list(own.metric) == list(archived.metric)
    assert np.isfinite(own.value).all()
    code, out, err = command(
        "correlate", own_folder, "-m", "chrF", "--annotations", ratings_file, "--gold", "z"
    )
    assert (code, "human scores: z" in out) == (0, True)
    assert "segments are mapped to lines of" in err


@pytest.mark.slow
@pytest.mark.parametrize("place", ["archive", "folder"])
def test_a_run_with_annotations(ratings_file, own_folder, project, place):
    results = project.root / f"results/annotated_{place}"
    entry = {"campaign": "demo", "pair": "en-de", "annotations": [str(ratings_file)]}
    entry |= {"metrics": ["chrF"], "weightings": ["EE"]}
    if place == "archive":
        entry |= {"reference": "refA"}
        name = "mixed"
    else:
        entry |= {"files": str(own_folder), "gold": {"type": "mixed", "response": "z"}}
        name = "mixed response:z"
    config = {
        "results": f"results/annotated_{place}",
        "papers": [],
        "archive": str(ARCHIVE),
        "metrics": {"chrF": {"type": "chrf"}},
        "evaluation_sets": [entry],
        "significance": {"resamples": 200},
        "controls": {"draws": 100},
        "neural": False,
    }
    file = project.root / f"annotated_{place}.yaml"
    file.write_text(json.dumps(config))
    project.snakemake("--configfile", str(file))
    folder = results / "demo/en-de"
    assert json.loads((folder / "human_evaluation.json").read_text())["gold"] == name
    agreement = pd.read_csv(folder / "agreement.csv")
    spa = agreement[(agreement.statistic == "soft_accuracy") & (agreement.domain.isna())]
    assert np.isfinite(spa.value).all()
    assert spa.low.isna().all()
    page = (folder / "report.html").read_text()
    assert 'id="human-evaluation"' in page
    assert name in page


def test_a_system_without_an_error_leaves_soft_pairwise_accuracy_without_a_value(ratings_file):
    """And says so; the others' scores and the page stay."""
    evalset = read_set(ARCHIVE / "demo", settings(ratings_file, "mean"))
    covariance = np.array(evalset.gold_covariance)
    covariance[2] = covariance[:, 2] = np.nan
    # As read from a file, where None stands for NaN.
    rows = json.loads(json.dumps(covariance.tolist()).replace("NaN", "null"))
    whole = WholeSet.__new__(WholeSet)
    whole.evalset = replace(evalset, gold_covariance=rows)
    whole.scores = type("Scores", (), {"counted": np.arange(260), "systems": evalset.systems})
    tests = whole.human_tests_of(np.empty((12, 0)), np.arange(12))
    assert tests.reason.startswith(f"the human scores of {evalset.systems[2]} have no error")
    assert not whole.human_tests_of(np.empty((2, 0)), np.arange(2)).reason


def test_a_study_judges_by_the_human_scores_of_the_gold(ratings_file):
    evalset = read_set(ARCHIVE / "demo", settings(ratings_file, "mixed"))
    sample = sample_of(evalset)
    kept = [system for system in evalset.systems if system not in evalset.outliers]
    expected = dict(zip(evalset.systems, evalset.gold, strict=True))
    np.testing.assert_array_equal(sample.gold, [expected[system] for system in kept])
    assert sample.gold_p.shape == (len(kept) * (len(kept) - 1) // 2,)
    joint = Joint(sample, 5, seed=1)
    np.testing.assert_array_equal(joint.gold, np.broadcast_to(sample.gold, (5, len(kept))))


def test_segments_that_could_be_numbered_otherwise_are_named(demo, tmp_path):
    """Without documents nothing tells whether numbers start from 0 or from 1."""
    rows = [
        ["anna", system, str(segment), str(segment % 7)]
        for system in ("alder", "ash", "birch")
        for segment in range(5, 200)
    ]
    file = tmp_path / "ratings.tsv"
    columns = ["annotator", "system", "segment", "score"]
    pd.DataFrame(rows, columns=columns).to_csv(file, sep="\t", index=False)
    annotated = md.annotations(file, campaign="demo", pair="en-de", archive=ARCHIVE, gold=())
    (notice,) = [text for text in annotated.notices if "mapped to lines" in text]
    assert "a document or source column would tell" in notice


def test_a_setting_of_the_gold_is_in_its_name_and_changes_scores(ratings_file):
    """Command line, Python and set have the same scores, those of the gold with this setting."""
    with_setting = {"type": "mixed", "response": "z"}
    annotated = md.annotations(ratings_file, gold=["mixed", with_setting])
    assert list(annotated.adjusted) == ["mixed", "mixed response:z"]
    human = annotated.adjusted["mixed response:z"]
    made = make_gold("mixed", response="z").fit(annotated.ratings)
    np.testing.assert_allclose(human.scores, made.scores, atol=1e-9)
    chosen = settings(ratings_file, "mixed")._replace(
        gold="mixed response:z", rating_gold=GoldSettings("mixed", {"response": "z"})
    )
    evalset, described = read_annotated(
        ARCHIVE / "demo", read_texts(*with_rated(ratings_file)), chosen
    )
    assert evalset.gold_name == "mixed response:z"
    expected = dict(zip(human.systems, human.scores, strict=True))
    # Segments are numbered from 0 in the file and by line in the set: the same model.
    assert dict(zip(evalset.systems, evalset.gold, strict=True)) == pytest.approx(
        expected, abs=1e-6
    )
    # The official means are in points, the scores in standard deviations: no common axis.
    (panel,) = section(json.loads(json.dumps(described)))["plot"]["panels"]
    assert panel["label"] == "mixed response:z, with 95 % interval"


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (
            {"type": "mixed", "draws": 5},
            "gold mixed: unknown key `draws`; there are type, response",
        ),
        ({"type": "mixed", "response": "log"}, "response log: expected one of raw, z"),
        (
            {"type": "mixed", "resamples": "many"},
            "resamples: expected a whole number, found 'many'",
        ),
        ({"type": "z", "response": "z"}, "gold z: unknown key `response`; there are type"),
        ({"type": "mixde"}, "no gold mixde .did you mean mixed"),
        ({"response": "z"}, "the key `type` is missing"),
        (3, "expected the name of a gold"),
        ([3], "expected the name of a gold"),
    ],
)
def test_wrong_settings_of_golds_are_named(ratings_file, gold, message):
    with pytest.raises(InputError, match=message):
        md.annotations(ratings_file, gold=gold)


def test_settings_of_golds_on_the_command_line(ratings_file, command):
    options = ["--gold", "mixed", "--mixed-response", "z", "--format", "json"]
    code, out, _ = command("annotations", ratings_file, *options)
    assert code == 0
    (name,) = json.loads(out)["adjusted"]
    assert name == "mixed response:z"
    code, _, err = command("annotations", ratings_file, "--gold", "z", "--mixed-response", "z")
    assert code == 1
    assert "--mixed-response is a setting of the gold mixed, which is not computed" in err
    options = ["--annotations", ratings_file, "--mixed-response", "z", "--resamples", "50"]
    code, out, _ = command("correlate", "demo/en-de", "--archive", ARCHIVE, "-m", "chrF", *options)
    assert code == 0
    assert "human scores: mixed response:z; segments: mean of ratings" in out
    code, _, err = command(
        "correlate", "demo/en-de", "--archive", ARCHIVE, "-m", "chrF", "--mixed-seed", "3"
    )
    assert code == 1
    assert "--mixed-seed is a setting of human scores that are computed from ratings" in err
    assert "(--annotations)" in err
