"""`mt-difficulty correlate` and `md.correlate_sets`: the workflow's and the official toolkit's
numbers, scores from files, means over sets, and what is wrong."""

import io
import json
import shutil
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ROOT
from scipy import stats
from test_metric_table import arrays_of, set_scores, whole_set

import mt_difficulty as md
from mt_difficulty.data.build_set import ImportSettings
from mt_difficulty.data.import_set import read_evaluation_set
from mt_difficulty.errors import InputError, Missing
from mt_difficulty.evidence.gains import significance
from mt_difficulty.evidence.metric_table import acc_eq_interval, agreement_tables
from mt_difficulty.evidence.resampling import bootstrap_weights
from mt_difficulty.scoring import judging
from mt_difficulty.scoring.judging import Draws, _ranked, _sentinel_tables
from mt_difficulty.statistics.acc_eq import AccEq

ARCHIVE = ROOT / "data/demo/archive"
NAMES = ["pearson", "kendall", "soft_accuracy", "acc_eq"]
DRAWS = {"resamples": 99, "seed": 5}


@pytest.fixture(scope="module")
def demo():
    return md.load_set("demo", "en-de", ARCHIVE)


def as_lines(scores):
    return [f"{name}\t{score!r}" for name in scores for score in scores[name].tolist()]


@pytest.fixture(scope="module")
def metrics(demo):
    """Segment scores of three metrics, one of them the archive's."""
    good, rng = demo.segment_metrics["Oracle-noisy"], np.random.default_rng(3)
    noise = rng.normal(size=(2, *good.shape))
    return {"Oracle-noisy": good, "Worse": good + 40 * noise[0], "Noise": good * 0 + noise[1]}


@pytest.fixture
def own(tmp_path, demo, metrics):
    """A folder of own files with the demo's texts and human scores, and metrics' scores."""
    files = {"source.txt": demo.texts.source, "reference.txt": demo.texts.reference}
    files |= {f"systems/{name}.txt": demo.hypotheses[name] for name in demo.hypotheses}
    files |= {f"scores/{name}.tsv": as_lines(scores) for name, scores in metrics.items()}
    files |= {"scores/Other.tsv": [f"{x}\t{len(x)}" for x in demo.hypotheses]}
    files |= {"gold.tsv": [f"{name}\t{score!r}" for name, score in demo.human.items()]}
    files |= {"segment_gold.tsv": as_lines(demo.segment_human)}
    for name, lines in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    return tmp_path


def test_numbers_are_the_workflows(command, own, metrics):
    """Those of agreement.csv and significance.csv, from the same scores."""
    for name in ("Worse", "Noise"):
        (own / f"{name}.demo.en-de.seg.score").write_text((own / f"scores/{name}.tsv").read_text())
    files = [own / f"{name}.{{campaign}}.{{pair}}.seg.score" for name in ("Worse", "Noise")]
    draws = ["--resamples", 99, "--seed", 5, "-m", "oracle-noisy"]
    arguments = ["demo/en-de", "--archive", ARCHIVE, "--scores", *files, *draws]
    code, out, err = command("correlate", *arguments, "--format", "csv")
    assert (code, "refA (a human translation)" in err) == (0, True)
    found = pd.read_csv(io.StringIO(out))
    rows = found.set_index(["metric", "statistic"])

    evalset = read_evaluation_set(ARCHIVE / "demo", ImportSettings("demo", "en-de", "refA", "mqm"))
    arrays = {x: arrays_of(y.to_numpy().T[..., None], evalset.systems) for x, y in metrics.items()}
    scored = set_scores(evalset, arrays, {name: {"type": "stored"} for name in metrics})
    whole = whole_set(scored, evalset, {}, NAMES, 99, 5)
    agreement, _ = agreement_tables(whole)
    agreement = agreement[(agreement.subset == "all") & (agreement.domain == "")]
    agreement = agreement.set_index(["metric", "statistic"]).loc[rows.index]
    np.testing.assert_allclose(rows.value, agreement.value.astype(float), atol=1e-12)
    np.testing.assert_array_equal(rows.cluster, agreement["rank"].astype(float))
    spa = [(name, "soft_accuracy") for name in metrics]
    np.testing.assert_allclose(rows.low[spa], agreement.low[spa].astype(float))
    intervals = significance(whole, [], [], 0, [])
    intervals = intervals[intervals.subset == "all"].set_index(["metric", "statistic"])
    for name in ("pearson", "kendall"):
        of_name = [(metric, name) for metric in metrics]
        ends = intervals.loc[of_name, ["both_low", "both_high"]].astype(float)
        np.testing.assert_allclose(rows.loc[of_name, ["low", "high"]], ends, err_msg=name)
    assert (rows.place[spa].tolist(), {*rows.metrics}) == ([1, 2, 3], {3})

    text = command("correlate", *arguments, "-w", 5)[1]
    assert [value for value in found.value if f"{value:.5f} [" not in text] == []
    listed = json.loads(command("correlate", *arguments, "--format", "json")[1])
    np.testing.assert_allclose([row["value"] for row in listed], found.value)
    tsv = command("correlate", *arguments, "--format", "tsv")[1]
    pd.testing.assert_frame_equal(pd.read_csv(io.StringIO(tsv), sep="\t"), found)
    of_folder = md.correlate_sets(str(own), metrics=[*metrics], **DRAWS)
    values = of_folder.set_index(["metric", "statistic"]).value[rows.index]
    np.testing.assert_allclose(values, rows.value, atol=1e-9)


def test_intervals_of_acc_eq_are_of_resampled_segments():
    rng = np.random.default_rng(2)
    scores, gold = rng.normal(size=(4, 30)), rng.integers(3, size=(4, 30)).astype(float)
    gold[:3, 4], gold[1, 7] = np.nan, np.nan  # one human score, and three
    drawn = []
    used = np.delete(np.arange(30), 4)
    for counts in bootstrap_weights(29, 50, np.random.default_rng([9, 0])):
        agreed = []
        for segment in np.repeat(used, counts):
            x, y = scores[:, segment], gold[:, segment]
            pairs = [(i, j) for j in range(4) for i in range(j) if np.isfinite(y[i] + y[j])]
            tied = [0 if abs(x[i] - x[j]) <= 0.4 else np.sign(x[i] - x[j]) for i, j in pairs]
            agreed.append(
                np.mean([t == np.sign(y[i] - y[j]) for t, (i, j) in zip(tied, pairs, strict=True)])
            )
        drawn.append(np.mean(agreed))
    found = acc_eq_interval(scores, gold, 0.4, 50, 9)
    np.testing.assert_allclose(found, np.percentile(drawn, [2.5, 97.5]))


def test_easy_and_hard_segments_and_means_over_sets(tmp_path, demo, metrics):
    """Of a second set whose metric is another one; r of means over the segments alone."""
    folder = tmp_path / "demo"
    shutil.copytree(ARCHIVE / "demo", folder)
    for file in [*folder.rglob("en-de*")]:
        copy = file.with_name(file.name.replace("en-de", "en-fr"))
        (shutil.copytree if file.is_dir() else shutil.copy)(file, copy)
    for pair, name in (("en-de", "Oracle-noisy"), ("en-fr", "Worse")):
        (tmp_path / f"mine.{pair}").write_text("\n".join(as_lines(metrics[name])) + "\n")
    values = np.arange(260) % 7
    lines = ["segment\tdifficulty", *(f"{i + 1}\t{x}" for i, x in enumerate(values))]
    (tmp_path / "hard.tsv").write_text("\n".join(lines) + "\n")
    options = {"difficulty": str(tmp_path / "hard.tsv"), **DRAWS}
    found = md.correlate_sets(["demo/*"], tmp_path, scores=f"{tmp_path}/mine.{{pair}}", **options)
    rows = found[found.metric == "mine"].set_index(["set", "statistic", "segments_of"]).value
    hard, scores = values > np.median(values), metrics["Worse"]
    for part, inside in (("hard", hard), ("easy", ~hard)):
        sides = scores[inside], demo.segment_human[inside]
        r = stats.pearsonr(*(side.mean() for side in sides))[0]
        assert rows["demo/en-fr", "pearson", part] == pytest.approx(r), part
        acc = AccEq()(*(side.to_numpy().T for side in sides))
        assert rows["demo/en-fr", "acc_eq", part] == pytest.approx(acc), part
    for statistic in NAMES:
        for part in ("", "easy", "hard"):
            of_sets = [rows[f"demo/{pair}", statistic, part] for pair in ("en-de", "en-fr")]
            mean = rows["demo", statistic, part]
            assert mean == pytest.approx(np.mean(of_sets)), (statistic, part)


def test_sentinels_say_what_difficulty_alone_gets(command, tmp_path, demo):
    """Source length, and the user's difficulty, with their sign turned, by each grouping."""
    values = np.arange(260) % 7
    lines = ["segment\tdifficulty", *(f"{i + 1}\t{x}" for i, x in enumerate(values))]
    (tmp_path / "hard.tsv").write_text("\n".join(lines) + "\n")
    asked = {"difficulty": str(tmp_path / "hard.tsv"), "statistics": ["segment_pearson", "acc_eq"]}
    found = md.correlate_sets("demo/en-de", ARCHIVE, **asked, **DRAWS)
    rows = found[found.metric.str.startswith("sentinel: ") & (found.segments_of == "")]
    rows = rows.set_index(["metric", "statistic", "grouping"])
    people = demo.segment_human.to_numpy()
    rated = np.isfinite(people)
    lengths = np.array([len(text) for text in demo.texts.source])
    for name, difficulty in (("source length", lengths), ("hard", values)):
        of_sentinel = rows.loc[f"sentinel: {name}"]
        scores = np.broadcast_to(-difficulty[:, None], people.shape)
        r = stats.pearsonr(scores[rated], people[rated]).statistic
        assert of_sentinel.value["segment_pearson", "none"] == pytest.approx(r, abs=1e-9)
        by_item = of_sentinel.loc["segment_pearson", "item"]
        assert np.isnan(by_item.value)
        assert by_item.reason == "the score is the same for every system"
        tied = float(AccEq()(scores.T, people.T))
        assert of_sentinel.value["acc_eq", "item"] == pytest.approx(tied)
        assert of_sentinel.place.isna().all()
    assert {*found.metrics[found.metric == "Oracle-noisy"]} == {1}
    # Statistics that no difficulty can raise have no sentinels.
    without = md.correlate_sets("demo/en-de", ARCHIVE, statistics=["acc_eq", "pearson"], **DRAWS)
    assert not without.metric.str.startswith("sentinel").any()
    arguments = ["demo/en-de", "--archive", ARCHIVE, "--statistic", "segment_kendall"]
    code, out, _ = command("correlate", *arguments, "--resamples", 9)
    assert code == 0
    assert "A sentinel is the mean difficulty of a segment with its sign turned" in out
    assert out.count("sentinel: source length") == 1
    groupings = "τ all segments, τ by segment, τ by system"
    assert f"\n{groupings} have no intervals; of segments, acc*eq has them (acc_eq).\n" in out


def test_without_sources_the_difficulty_of_a_file_is_a_sentinel(tmp_path, demo):
    values = np.arange(260) % 7
    lines = ["segment\tdifficulty", *(f"{i + 1}\t{x}" for i, x in enumerate(values))]
    (tmp_path / "hard.tsv").write_text("\n".join(lines) + "\n")
    evalset = read_evaluation_set(ARCHIVE / "demo", ImportSettings("demo", "en-de", "refA", "mqm"))
    asked = (str(tmp_path / "hard.tsv"), ["segment_pearson"], Draws(9, 5, "documents"))
    (rows,) = _sentinel_tables(replace(evalset, source=[]), *asked)
    assert {*rows.metric} == {"sentinel: hard"}
    people = demo.segment_human.to_numpy()
    rated = np.isfinite(people)
    scores = np.broadcast_to(-values[:, None], people.shape)
    r = stats.pearsonr(scores[rated], people[rated]).statistic
    of_all = rows[rows.segments_of == ""].set_index("grouping")
    assert of_all.value["none"] == pytest.approx(r, abs=1e-9)
    both = [{*table.metric}.pop() for table in _sentinel_tables(evalset, *asked)]
    assert both == ["sentinel: source length", "sentinel: hard"]


def test_a_difficulty_that_is_not_finite_divides_no_segments(monkeypatch, demo):
    evalset = read_evaluation_set(ARCHIVE / "demo", ImportSettings("demo", "en-de", "refA", "mqm"))
    values = np.ones((len(evalset.systems), 260))
    values[3, 5] = np.inf
    estimated = SimpleNamespace(values=values)
    monkeypatch.setattr(judging, "score_texts", lambda *_, **__: estimated)
    with pytest.raises(Missing, match="difficulty rarity: not every compared segment has a finite"):
        judging._in_domains(evalset, "rarity")
    values[3, 5] = np.nan  # the other systems have one
    assert {*judging._in_domains(evalset, "rarity").domains} == {"easy"}


def test_other_human_scores_are_a_ceiling(tmp_path, demo):
    """On the systems and segments that both have scored."""
    shutil.copytree(ARCHIVE / "demo", tmp_path / "demo")
    rng, people = np.random.default_rng(1), demo.segment_human.drop(columns="oak")
    second = people + rng.normal(size=people.shape)
    second.iloc[200:] = np.nan
    place = tmp_path / "demo/human-scores"
    lines = [line.replace("nan", "None").replace("\t", " ") for line in as_lines(second)]
    (place / "en-de.esa.seg.score").write_text("\n".join(lines) + "\n")
    means = [f"{name} {float(second[name].mean())!r}" for name in second]
    (place / "en-de.esa.sys.score").write_text("\n".join(means) + "\n")
    shutil.copy(place / "en-de.mqm.sys.score", place / "en-de.mqm-col1.sys.score")
    found = md.correlate_sets("demo/en-de", tmp_path, reference="refA", gold="mqm", **DRAWS)
    rows = found[found.metric.str.startswith("human scores")]
    assert ({*rows.metric}, {*rows.systems}) == ({"human scores esa"}, {11})
    value = rows.set_index("statistic").value
    r = stats.pearsonr(demo.human.drop("oak"), second.mean())[0]
    assert value["pearson"] == pytest.approx(r)
    both = second[:200].to_numpy().T, people[:200].to_numpy().T
    assert value["acc_eq"] == pytest.approx(AccEq()(*both))


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_statistics_of_wmt23_are_the_toolkits(pair, real, shared, tmp_path):
    """Of a stored metric's file, as a user's, and of all metrics that the oracle has."""
    oracle = json.loads((shared / f"oracles/mtme.wmt23.{pair}.json").read_text())
    file = tmp_path / f"Mine.wmt23.{pair}.seg.score"
    shutil.copy(real / f"wmt23/metric-scores/{pair}/BLEURT-20-refA.seg.score", file)
    names = [name.rpartition("-")[0] for name in oracle["seg"]]
    options = {"metrics": names, "statistics": ["pearson", "kendall", "acc_eq"], "resamples": 20}
    scores = str(tmp_path / "Mine.{campaign}.{pair}.seg.score")
    found = md.correlate_sets(f"wmt23/{pair}", real, scores=scores, **options)
    value = found.set_index(["metric", "statistic"]).value
    keys = {"pearson": ("sys", "pearson"), "kendall": ("sys", "kendall_b")}
    keys |= {"acc_eq": ("seg", "acc_t_item")}
    for name, (level, key) in keys.items():
        for full in oracle["seg"]:
            metric, expected = full.rpartition("-")[0], oracle[level][full][key]
            assert value[metric, name] == pytest.approx(expected, abs=1e-9), (metric, name)
    assert value["Mine", "acc_eq"] == pytest.approx(value["BLEURT-20", "acc_eq"])


@pytest.mark.slow
@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_files_of_stored_metrics_have_their_values_and_places(pair, real, tmp_path):
    """Every metric of WMT23 that is stored for refA or without reference, read as a user's."""
    folder, files = real / f"wmt23/metric-scores/{pair}", []
    for file in sorted(folder.glob("*.score")):
        name, _, reference = file.name.split(".")[0].rpartition("-")
        if reference in ("refA", "src"):
            level = file.name.removeprefix(f"{name}-{reference}.")
            files.append(shutil.copy(file, tmp_path / f"my {name}.{level}"))
    stored = md.correlate_sets(f"wmt23/{pair}", real, resamples=40)
    of_user = md.correlate_sets(f"wmt23/{pair}", real, scores=[*map(str, files)], resamples=40)
    columns = ["value", "low", "high", "systems", "segments"]
    keys = ["metric", "statistic"]
    stored = stored[~stored.metric.str.startswith("human scores")].set_index(keys)
    of_user = of_user[of_user.metric.str.startswith("my ")]
    of_user = of_user.assign(metric=of_user.metric.str.removeprefix("my ")).set_index(keys)
    assert {*of_user.index} == {*stored.index}
    assert len(of_user) > 4 * 30
    of_user = of_user.loc[stored.index]
    pd.testing.assert_frame_equal(of_user[columns], stored[columns], rtol=1e-9)
    # Beside its twin, a metric has the same order among all metrics, and the same cluster.
    for statistic, rows in stored.groupby("statistic"):
        twins = of_user.loc[rows.index]
        expected = 2 * rows.place - 1  # NaN where a metric has no place
        np.testing.assert_array_equal(twins.place, expected, err_msg=statistic)
        unranked = rows.cluster.isna()
        np.testing.assert_array_equal(twins.cluster.isna(), unranked, err_msg=statistic)


def test_metrics_of_own_texts_are_computed_beside_those_of_files(own, demo):
    (own / "mine").mkdir()
    file = own / "mine/mymetric.tsv"
    shutil.copy(own / "scores/Worse.tsv", file)
    options = {"statistics": ["pearson", "acc_eq"], "lang": "de", "src_lang": "en"}
    found = md.correlate_sets(
        str(own), scores=str(file), metrics=["BLEU", "chrF", "mymetric"], **options, **DRAWS
    )
    rows = found.set_index(["metric", "statistic"])
    assert found.metric.unique().tolist() == ["mymetric", "BLEU", "chrF"]
    texts = {name: lines.tolist() for name, lines in demo.hypotheses.items()}
    scored = md.score(
        texts, demo.texts.reference.tolist(), metrics=["BLEU", "chrF"], lang="de", resamples=0
    ).scores
    for metric in ("BLEU", "chrF"):
        of_metric = scored[(scored.metric == metric) & (scored.weighting == "standard")]
        of_metric = of_metric.set_index("system").score[demo.human.index]
        expected = stats.pearsonr(of_metric, demo.human)[0]
        assert rows.value[metric, "pearson"] == pytest.approx(expected), metric
        assert np.isfinite(rows.value[metric, "acc_eq"]), metric


def test_system_scores_that_are_no_means_have_intervals_over_systems(own, demo):
    found = md.correlate_sets(str(own), metrics=["Other"], statistics="pearson", **DRAWS)
    expected = stats.pearsonr(demo.human.index.str.len(), demo.human)[0]
    assert found.over.tolist() == ["systems"]
    assert found.value[0] == pytest.approx(expected)


def sacrebleu_json(path, systems, **metrics):
    """Write scores of systems as sacreBLEU's JSON; the first system is the best."""
    rows = [
        {"system": name, **{metric: sign * -place for metric, sign in metrics.items()}}
        for place, name in enumerate(systems)
    ]
    path.write_text(json.dumps(rows))
    return path


def test_a_file_of_several_metrics_names_them(own, demo):
    systems = list(demo.human.sort_values(ascending=False).index)
    both = sacrebleu_json(own / "both.json", systems, BLEU=1, XX=-1)
    alone = sacrebleu_json(own / "alone.json", systems, YY=1)
    arguments = {"statistics": ["spearman"], "resamples": 40}
    found = md.correlate_sets(str(own), scores=[str(both), str(alone)], **arguments)
    assert found.groupby("metric").value.first().round(6).to_dict() == {
        "BLEU": 1,
        "XX": -1,
        "YY": 1,
    }
    with pytest.raises(InputError, match=r"both.json: it has scores of BLEU, and -m BLEU computes"):
        md.correlate_sets(str(own), scores=str(both), metrics=["BLEU"], **arguments)
    # What the user names has this name.
    found = md.correlate_sets(str(own), scores={"mine": str(alone)}, **arguments)
    assert found.metric.tolist() == ["mine"]


def test_a_metric_in_a_file_that_there_is_already_is_an_error(own, demo):
    systems = list(demo.human.index)
    first = sacrebleu_json(own / "first.json", systems, BLEU=1, Worse=1)
    second = sacrebleu_json(own / "second.json", systems, BLEU=1, chrF=1)
    with pytest.raises(InputError, match=r"first.json: the set has a metric Worse already"):
        md.correlate_sets(str(own), scores=str(first))
    (own / "scores/Worse.tsv").unlink()
    with pytest.raises(InputError, match=r"first.json and .*second.json both have scores of BLEU"):
        md.correlate_sets(str(own), scores=[str(first), str(second)])


def test_system_scores_belong_to_the_segment_scores_beside_them(own):
    lines = (own / "scores/Other.tsv").read_text()
    for name in ("one/X.seg.score", "two/X.sys.score"):
        (own / name).parent.mkdir()
        (own / name).write_text(lines)
    files = [str(own / "one/X.seg.score"), str(own / "two/X.sys.score")]
    with pytest.raises(InputError, match="are both called X"):
        md.correlate_sets(str(own), scores=files)


def test_means_over_sets_are_printed(command):
    """They have no reason for a missing value."""
    archive = ROOT / "data/demo/archive"
    code, out, err = command("correlate", "demo/*", "--archive", archive, "--resamples", 40)
    assert (code, "demo: " in out or "demo\n" in out) == (0, True), err


def test_other_files_among_a_folders_scores_are_named(own):
    (own / "scores/other.json").write_text("[]")
    found = md.correlate_sets(str(own), statistics=["pearson"], resamples=40)
    assert "other.json (not <metric>.tsv)" in " ".join(found.attrs["notices"])


def test_what_is_wrong_is_named(command, own):
    shutil.copytree(own, own / "bare", ignore=shutil.ignore_patterns("scores", "bare"))
    (own / "none").mkdir()
    (own / "gold.tsv").rename(own / "none/gold.tsv")
    (own / "segment_gold.tsv").unlink()
    archive = ["--archive", ARCHIVE]
    for arguments, message in (
        ([own], "expected human scores of the systems, found none"),
        (["demo/en-de", *archive, "-m", "Oracle-nosy"], "(did you mean Oracle-noisy?)"),
        (
            [own / "bare"],
            "it has no metric scores. Name metrics to compute (metrics, -m BLEU chrF)",
        ),
        (["wmt23", *archive], "wmt23: neither a folder nor a set of an archive"),
        (["wmt23/en-de", *archive], "no campaign wmt23"),
        (["wmt23/*", "--archive", own / "no.tgz"], f"the archive {own / 'no.tgz'} is not here"),
        (["demo/x*", *archive], "has no such set with human scores"),
        (["demo/*", *archive, "--scores", "mine/{pair}"], "there is no file mine/en-de"),
    ):
        code, out, err = command("correlate", *arguments)
        assert (code, out, message in err) == (1, "", True), err


def test_metrics_of_equal_values_share_a_place():
    """Values that differ by rounding are equal; the next lower one has place 3."""
    head = {"segments_of": "", "statistic": "pearson", "grouping": ""}
    found = _ranked(pd.DataFrame({"value": [0.5, 0.3, 0.5 + 1e-14]}).assign(**head))
    assert found.place.tolist() == [1, 3, 1]
