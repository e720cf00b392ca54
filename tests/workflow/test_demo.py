"""The demo run end to end, in a copy of the project."""

import hashlib
import json
import re
import shutil

import pandas as pd
import pytest
import same_numbers
import yaml
from page_visit import is_looked_for
from processors import OLD

from mt_difficulty import storage
from mt_difficulty.evidence.controls import COLUMNS
from mt_difficulty.statistics import STATISTICS

DEMO = ["--configfile", "data/demo/config.yaml"]
SETS = ["demo/en-de", "demo/en-zh"]
DIFFICULTIES = ["chunk_entropy", "estimates"]


@pytest.fixture(scope="module")
def demo(project):
    """The demo run's output and results folder."""
    return project.snakemake(*DEMO), project.root / "results/demo"


def test_columns_are_declared_as_numbers_where_they_hold_numbers(demo):
    """All others are read as text."""
    numbers, texts = set(), set()
    for path in demo[1].rglob("*.csv"):
        if not path.read_text().startswith("missing: "):
            frame = pd.read_csv(path, keep_default_na=False, na_values=[""])
            frame = frame.dropna(axis="columns", how="all")
            found = set(frame.select_dtypes("number"))
            numbers, texts = numbers | found, texts | set(frame) - found
    assert len(numbers) > 50
    assert numbers <= storage.NUMBERS | set(STATISTICS)
    assert not texts & storage.NUMBERS


def test_it_ends_with_what_was_found(demo):
    output, results = demo
    for name in SETS:
        check = json.loads((results / name / "check.json").read_text())
        assert check["segments_found"]["chunk_entropy"] >= 0.8
        assert check["segments_found"]["estimates"] >= 0.6  # noisy on purpose
        assert min(check["token_separation"].values()) >= 0.8
        assert len(check["token_separation"]) == 3
        assert check["text"] in output
    assert "results/demo/demo/en-de/figures/top_k.svg" in output


@pytest.mark.parametrize("name", SETS)
def test_result_tables_have_the_promised_columns(demo, name):
    scores = pd.read_csv(demo[1] / name / "system_scores.csv")
    assert scores.columns.tolist() == [
        *("system", "metric", "weighting", "difficulty", "score", "effective_segments", "signature")
    ]
    assert set(scores.metric) == {"BLEU", "chrF", "TER", "BERTScore", "Oracle-noisy"}
    for metric, weightings in scores.groupby("metric").weighting.unique().items():
        of_tokens = {"DA", "DA-LOO", "EE-DA"} if metric == "BERTScore" else set()
        assert set(weightings) == {"standard", "EE", "EE-estimates"} | of_tokens
    assert scores.score.notna().all()
    assert not set(scores.system) & {"refA"}
    correlations = pd.read_csv(demo[1] / name / "correlations.csv")
    assert correlations.columns.tolist() == [
        *("metric", "weighting", "difficulty", "subset", "size", "draws"),
        *("pearson", "kendall", "spearman", "accuracy", "reason", "left_out"),
    ]
    assert correlations.reason.isna().all()
    assert set(correlations.subset) == {"all", "top", "random"}
    controls = pd.read_csv(demo[1] / name / "controls.csv")
    assert controls.columns.tolist() == [*COLUMNS[:2], "difficulty", *COLUMNS[2:]]
    assert set(controls["size"]) == {4, 6, scores.system.nunique()}


def test_difficulty_by_construction_stands_above_random_difficulty(demo):
    controls = pd.read_csv(demo[1] / "demo/en-de/controls.csv")
    rows = controls[(controls.weighting == "EE") & (controls.subset == "all")]
    rows = rows[rows.statistic == "pearson"].set_index(["metric", "null"])
    for metric in ("BLEU", "chrF", "TER", "BERTScore"):
        assert rows["quantile"][metric, "shuffled"] > 0.99
        assert rows["quantile"][metric, "permuted"] > 0.99
        # Long segments are the hard ones here: within deciles of length, difficulty says nothing.
        assert rows["mean"][metric, "permuted_length"] > rows["high"][metric, "permuted"]
        # Splits at random are noisy versions of the unweighted metric, TER's sign included.
        assert 0 < rows["mean"][metric, "shuffled"] < rows.standard[metric, "shuffled"]
    assert (rows.tuned == "no").all()
    assert rows.reason.isna().all()


def test_parameters_of_other_sets_stand_beside_a_sets_own(demo):
    found = pd.read_csv(demo[1] / "held_out.csv")
    assert found.set.unique().tolist() == SETS
    keys = ["set", "metric", "weighting"]
    table = found.pivot(index=keys, columns="parameters", values="pearson")
    # The equations were fitted to chunk entropy alone; a threshold of another set may be too high.
    assert table.drop(columns=["equations", "held out"]).notna().all(axis=None)
    assert found.reason[found.pearson.isna()].str.startswith("a system has no difficult").all()
    of_entropy = table.xs("EE", level="weighting")
    assert (of_entropy["in force"] == of_entropy["equations"]).all()
    assert table.xs("EE-estimates", level="weighting").equations.isna().all()
    # The optimum is one of the grid, as what is held out is.
    table = table[table["held out"].notna()]
    assert len(table) >= 15
    assert (table["optimum"] >= table["held out"]).all()
    wins, cases = (table["held out"] > table["standard"] + 1e-9).sum(), len(table)
    text = (demo[1] / "held_out.md").read_text()
    sets = (table["held out"] - table["standard"]).groupby("set").mean()
    counts = f"{(sets > 1e-9).sum()} of {len(sets)} sets, {wins} of {cases} cases"
    assert f"better than the unweighted metric in {counts}," in text
    assert set(found.parameters[found.tuned == "yes"]) == {"optimum"}


@pytest.mark.parametrize("name", SETS)
def test_statistics_stand_beside_every_correlation(demo, name):
    folder = demo[1] / name
    found = pd.read_csv(folder / "significance.csv")
    correlations = pd.read_csv(folder / "correlations.csv")
    keys = ["metric", "weighting", "subset", "size"]
    pearson = found[found.statistic == "pearson"].set_index(keys)
    values = correlations.set_index(keys).pearson
    assert set(pearson.index) <= set(values.index)
    # Of random subsets fewer are resampled.
    assert (pearson.value - values.reindex(pearson.index)).abs().max() < 0.1
    ends = found[[column for column in found if column.endswith(("_low", "_high"))]]
    assert ends.abs().max(axis=None) <= 2
    assert ends.loc[:, ~ends.columns.str.startswith("difference")].abs().max(axis=None) <= 1
    lows = pearson[["segments_low", "systems_low", "both_low"]]
    random = pearson.index.get_level_values("subset") == "random"
    assert lows[~random].notna().all(axis=None)
    assert lows[random].isna().all(axis=None)
    assert pearson.reason[random].str.contains("where a paper of this run prints").all()
    soft = found[found.statistic == "soft_accuracy"]
    assert soft.value.between(0, 1).all()
    systems = len(pd.read_csv(folder / "system_scores.csv").system.unique())
    comparisons = pd.read_csv(folder / "system_comparisons.csv")
    each = comparisons.groupby(["metric", "weighting"]).size()
    assert (each == systems * (systems - 1)).all()
    scores = pd.read_csv(folder / "system_scores.csv")
    intervals = pd.read_csv(folder / "system_intervals.csv").drop(columns="score")
    both = scores.merge(intervals, on=["system", "metric", "weighting"])
    assert len(both) == len(scores)
    assert ((both.low <= both.score) & (both.score <= both.high)).mean() > 0.98


def test_signatures_say_how_a_score_was_made(demo):
    scores = pd.read_csv(demo[1] / "demo/en-zh/system_scores.csv")
    bleu = scores[scores.metric == "BLEU"].groupby("weighting").signature.first()
    assert "tok:zh" in bleu["standard"]
    assert bleu["EE"].startswith(bleu["standard"])
    assert "|EE|h:" in bleu["EE"]
    assert "align:fast_align|tok:characters" in bleu["EE"]
    da = scores[scores.weighting == "EE-DA"].signature.unique()
    assert len(da) == 1
    assert da[0].startswith("encoder:random|layer:2|files:")
    assert "|DA|unseen:one|" in da[0]


@pytest.mark.parametrize("name", SETS)
def test_every_table_holds_the_same_number(demo, name):
    """Correlations, differences and scores, of all metrics and weightings, to the digits that are
    written: 12."""
    counts, differences = zip(*same_numbers.largest_differences(demo[1] / name), strict=True)
    assert min(counts) >= 30
    assert max(differences) < 1e-11


@pytest.mark.slow
def test_an_older_processor_gives_the_same_numbers(demo, project, tmp_path):
    """Without SSE4.2's successors: OpenBLAS, NumPy, Numba and PyTorch take other code paths."""
    name, results = SETS[1], project.root / "results/older"
    targets = [f"results/older/{name}/{table}.csv" for table in same_numbers.TABLES]
    config = ["--config", "results=results/older"]
    project.snakemake(*targets, *DEMO, *config, NUMBA_CACHE_DIR=str(tmp_path), **OLD)
    for metric in pd.read_csv(demo[1] / name / "system_scores.csv").metric.unique():
        found = same_numbers.differences(demo[1] / name, results / name, metric)
        for table, difference in found:
            limit = same_numbers.OF_ENCODER.get(table) if metric == "BERTScore" else 1e-9
            assert limit is None or difference < limit, (metric, table)
    _, apart = zip(*same_numbers.largest_differences(results / name), strict=True)
    assert max(apart) < 1e-11


def test_sources_are_described_by_document_and_compared_with_scores(demo):
    frame = pd.read_csv(demo[1] / "demo/en-de/complexity.csv")
    assert frame.level.value_counts().to_dict() == {"campaign": 1, "domain": 4, "document": 27}
    sums = frame.groupby("level")[["segments", "sentences", "words", "syllables"]].sum()
    assert (sums == sums.iloc[0]).all().all()
    folder = demo[1] / "complexity"
    spread = pd.read_csv(folder / "spread.csv")
    assert set(spread.level) == {"domain", "document"}  # of one campaign
    assert set(spread.group) == set(SETS)
    assert spread.ratio.notna().all()
    assert "## Documents of a set" in (folder / "summary.md").read_text()


def test_every_set_has_its_plots(demo):
    for folder in SETS:
        for plot in (
            "top_k",
            "surface",
            "difficulties",
            "token_heat_map",
            "difficulty_distribution",
        ):
            for end, start in (("svg", b"<?xml"), ("pdf", b"%PDF")):
                assert (demo[1] / folder / f"figures/{plot}.{end}").read_bytes().startswith(start)


def test_the_pages_show_every_set_and_stay_small(demo, browser):
    page, wrong = browser.new_page(), []
    page.on("console", lambda told: is_looked_for(told) or wrong.append(told.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((demo[1] / "report.html").as_uri())
    links = page.locator("#run tbody a").all()
    assert [(link.inner_text(), link.get_attribute("href")) for link in links] == [
        (label, f"{name}/report.html{part}")
        for name in SETS
        for label, part in ((name, ""), ("segments", "#segments"))
    ]
    assert page.locator("#papers").count() == 0
    assert "These sets are synthetic" in page.locator("#run").inner_text()
    assert page.locator("#held-out tbody tr").count() == 90
    for name in SETS:
        file = demo[1] / name / "report.html"
        assert file.stat().st_size < 2.5e6
        page.goto(f"{file.as_uri()}#segment=1")
        page.locator(".hypotheses").wait_for()
        assert page.locator("h1").inner_text() == name
        assert "The data are synthetic" in page.locator("header").inner_text()
        for part in ("top-k", "parameters", "system_comparisons_csv", "segments", "figures"):
            assert page.locator(f"[id='{part}']").count() == 1
        assert page.locator("figure img").count() == 5
    assert page.locator(".said > [lang='zh']").count() == 11  # the last set's
    assert (demo[1] / "report.html").stat().st_size < 0.5e6
    page.close()
    assert wrong == []


def test_snakemakes_own_report_holds_figures_and_captions(demo, project):
    project.snakemake("--report", "snakemake.html", *DEMO)
    text = (project.root / "snakemake.html").read_text(encoding="utf-8")
    for shown in (
        "What each system misses of a difficult reference",
        "demo/en-zh",
        "report.html",
    ):
        assert shown in text


def test_every_table_and_the_page_have_both_difficulties(demo):
    for name in SETS:
        folder = demo[1] / name
        for table in same_numbers.TABLES:
            if table != "missing":
                assert set(DIFFICULTIES) <= set(pd.read_csv(folder / f"{table}.csv").difficulty)
        page = (folder / "report.html").read_text(encoding="utf-8")
        assert all(page.count(text) > 1 for text in ("chunk entropy", "estimates", "EE-estimates"))
    index = (demo[1] / "report.html").read_text(encoding="utf-8")
    assert all(text in index for text in ("EE-estimates", "estimates"))


def test_a_second_run_has_nothing_to_do(demo, project):
    assert "Nothing to be done" in project.snakemake(*DEMO)


def test_a_run_records_what_it_was_made_from(demo):
    record = json.loads((demo[1] / "run.json").read_text())
    assert record["config"]["seed"] == 2022
    assert record["versions"]["sacrebleu"]
    for name in SETS:
        evalset = (demo[1] / name / "evalset.json").read_bytes()
        assert record["sets"][name]["evalset"] == hashlib.sha256(evalset).hexdigest()
        assert all((demo[1] / file).is_file() for file in record["sets"][name]["files"])


def test_a_partial_target(demo, project):
    output = project.snakemake("demo_en_de", *DEMO, "--config", "results=results/partial", "-n")
    assert "score_systems" in output
    assert "demo/en-zh" not in output


def test_an_edited_module_runs_again_what_uses_it(demo, project):
    module = project.root / "workflow/scripts/mt_difficulty/metrics/ter.py"
    text = module.read_text()
    module.write_text(f"{text}\n# edited\n")
    output = project.snakemake(*DEMO, "-n", "--quiet", "host")
    module.write_text(text)
    rerun = {line.split()[1] for line in output.splitlines() if line.startswith("    output:")}
    assert "results/demo/demo/en-de/statistics/TER.npz" in rerun
    assert "results/demo/demo/en-de/statistics/BLEU.npz" not in rerun


NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


@pytest.mark.parametrize("picture", ["en-zh/figures/top_k", "en-de/figures/token_heat_map"])
def test_the_readmes_pictures_are_this_runs(demo, project, picture):
    drawn = demo[1] / f"demo/{picture}.svg"
    new, kept = drawn.read_text(), (project.root / f"docs/demo_{drawn.name}").read_text()
    # Another processor may round an encoder's last digits differently.
    assert len(NUMBER.findall(new)) == len(NUMBER.findall(kept))
    apart = [
        abs(float(a) - float(b))
        for a, b in zip(NUMBER.findall(new), NUMBER.findall(kept), strict=True)
    ]
    assert max(apart) < 1


def test_without_encoders(project):
    config = ["--config", "neural=False", "results=results/lexical"]
    output = project.snakemake("-n", *DEMO, *config)
    assert "match_tokens" not in output


def broken(project, folder, change):
    """A copy of the demo archive with one change, and the config that names it."""

    archive = project.root / folder
    shutil.copytree(project.root / "data/demo/archive", archive)
    change(archive / "demo")
    file = project.root / f"{folder}.yaml"
    file.write_text(yaml.safe_dump({"archive": folder, "results": f"results/{folder}"}))
    return [*DEMO, str(file)]


def one_line_short(campaign):
    file = campaign / "system-outputs/en-de/oak.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))


def two_scores(campaign):
    file = campaign / "human-scores/en-de.mqm.sys.score"
    file.write_text(file.read_text() + "oak\t-1.0\n")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (one_line_short, "oak.txt: expected {n} lines (as in"),
        (two_scores, "system oak has a score already"),
    ],
)
def test_bad_input_stops_with_its_message_and_gives_no_number(project, change, message):
    folder = change.__name__
    arguments = broken(project, folder, change)
    source = project.root / "data/demo/archive/demo/sources/en-de.txt"
    lines = len(source.read_text().splitlines())
    results = f"results/{folder}/demo/en-de/correlations.csv"
    output = project.snakemake(results, *arguments, fails=True)
    assert message.format(n=lines) in output
    assert message.format(n=lines) in output[output.index("\nWhat went wrong:\n  ERROR: ") :]
    assert not (project.root / results).exists()


def test_the_command_line_gives_the_same_scores(demo, project, capsys):
    """Its own texts, systems and language instead of a campaign."""
    from mt_difficulty import cli

    campaign = project.root / "data/demo/archive/demo"
    systems = sorted((campaign / "system-outputs/en-de").glob("*.txt"))
    arguments = ["score", "--ref", campaign / "references/en-de.refA.txt", "--lang", "de"]
    arguments += ["--hyp", *(system for system in systems if system.stem != "refA")]
    metrics = ["bleu", "chrf-segments", "ter"]
    arguments += ["--metric", *metrics, "--resamples", 0, "--format", "json"]
    assert cli.main([str(argument) for argument in arguments]) == 0
    found = json.loads(capsys.readouterr().out)
    rows = pd.DataFrame(found["scores"]).replace({"metric": {"chrF-segments": "chrF"}})
    rows = rows.set_index(["metric", "weighting", "system"])
    expected = pd.read_csv(demo[1] / "demo/en-de/system_scores.csv")
    expected = expected.set_index(["metric", "weighting", "system"])
    assert len(rows) == 3 * 2 * 12
    expected = expected.loc[rows.index]
    assert rows.score.to_numpy() == pytest.approx(expected.score.to_numpy(), rel=1e-10)
    assert rows.signature.tolist() == expected.signature.tolist()
