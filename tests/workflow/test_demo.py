"""The demo run end to end, in a copy of the project."""

import hashlib
import json
import re
import shutil

import numpy as np
import pandas as pd
import pytest
from page_visit import watched
from processors import OLD

from mt_difficulty import cli
from mt_difficulty.tables import column_of

DEMO = ["--configfile", "data/demo/config.yaml", "quick.yaml"]
SETS = ["demo/en-de", "demo/en-zh"]


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
    assert [name for name in numbers if not column_of(name).is_number] == []
    assert [name for name in texts if column_of(name).is_number] == []


def test_it_ends_with_ten_lines_and_what_to_open(demo):
    output, results = demo
    summary = (results / "summary.txt").read_text()
    closing = summary.split("\n\n")[0]
    assert closing in output
    assert len(closing.splitlines()) <= 10
    last = closing.splitlines()[-1]
    assert last.startswith("Open results/demo/report.html; notices, reasons and files: ")
    assert "results/demo/demo/en-de/figures/top_k.svg" in summary


@pytest.mark.parametrize("name", SETS)
def test_it_ends_with_the_check_of_every_set(demo, name):
    output, results = demo
    check = json.loads((results / name / "check.json").read_text())
    summary = (results / "summary.txt").read_text()
    assert check["segments_found"]["chunk_entropy"] >= 0.8
    assert check["segments_found"]["estimates"] >= 0.6  # noisy on purpose
    assert min(check["token_separation"].values()) >= 0.8
    assert len(check["token_separation"]) == 3
    assert f"{name}, synthetic: " in output
    assert check["text"] in summary


def test_result_tables_have_the_promised_columns(demo):
    name = SETS[0]
    scores = pd.read_csv(demo[1] / name / "system_scores.csv")
    assert scores.columns.tolist() == [
        *("system", "metric", "weighting", "difficulty", "score"),
        *("effective_segments", "effective_documents", "signature"),
    ]
    assert set(scores.metric) == {"BLEU", "chrF", "TER", "BERTScore", "Oracle-noisy"}
    for metric, weightings in scores.groupby("metric").weighting.unique().items():
        of_tokens = {"DA", "DA-LOO", "EE-DA"} if metric == "BERTScore" else set()
        assert set(weightings) == {"standard", "EE", "EE-estimates"} | of_tokens, metric
    assert scores[scores.score.isna()].to_dict("records") == []
    assert not set(scores.system) & {"refA"}
    correlations = pd.read_csv(demo[1] / name / "correlations.csv")
    assert correlations.columns.tolist() == [
        *("metric", "weighting", "difficulty", "subset", "size", "draws"),
        *("pearson", "kendall", "spearman", "accuracy", "reason", "left_out"),
    ]
    assert correlations.reason.dropna().to_list() == []
    assert set(correlations.subset) == {"all", "top", "random"}
    controls = pd.read_csv(demo[1] / name / "controls.csv")
    assert controls.columns.tolist() == [
        *("metric", "weighting", "difficulty", "subset", "size", "statistic", "value", "standard"),
        *("tuned", "null", "mean", "low", "high", "quantile", "gain_over_plain_share", "draws"),
        "reason",
    ]
    assert set(controls["size"]) == {4, 6, scores.system.nunique()}


TABLES = (
    *("system_scores", "missing", "correlations", "correlation_spread", "top_scores"),
    *("significance", "system_comparisons", "system_intervals", "controls", "parameters"),
)
# A float32 encoder's similarities differ by about 5e-7 between processors, and so do scores; their
# correlations over the best few systems, whose scores are alike, by more. DA's scores are rescaled
# by 1 / (1 − b), about 3 for the demo's encoder.
OF_ENCODER = {"system_scores": 1e-5, "system_intervals": 1e-5, "correlations": 1e-4}


@pytest.mark.slow
def test_an_older_processor_gives_the_same_numbers(demo, project, tmp_path):
    """Without SSE4.2's successors: OpenBLAS, NumPy, Numba and PyTorch take other code paths."""
    name, results = SETS[1], project.root / "results/older"
    targets = [f"results/older/{name}/{table}.csv" for table in TABLES]
    config = ["--config", "results=results/older"]
    project.snakemake(*targets, *DEMO, *config, NUMBA_CACHE_DIR=str(tmp_path), **OLD)
    for table in TABLES:
        both = [pd.read_csv(run / name / f"{table}.csv") for run in (demo[1], results)]
        for metric in both[0].metric.unique():
            new, old = (frame[frame.metric == metric] for frame in both)
            numbers = new.select_dtypes(float).columns
            rows = f"{table} of {metric}"
            texts = new.drop(columns=numbers), old.drop(columns=numbers)
            pd.testing.assert_frame_equal(*texts, obj=rows)
            missing = new[numbers].isna(), old[numbers].isna()
            pd.testing.assert_frame_equal(*missing, obj=f"missing numbers, {rows}")
            apart = (new[numbers] - old[numbers]).abs() / np.maximum(1, new[numbers].abs())
            limit = OF_ENCODER.get(table) if metric == "BERTScore" else 1e-9
            assert limit is None or np.nanmax(apart.to_numpy(), initial=0) < limit, (metric, table)


def test_the_pages_show_every_set_and_stay_small(demo, browser):
    with watched(browser) as visit:
        page = visit(demo[1] / "report.html")
        links = [link.get_attribute("href") for link in page.locator("#run tbody a").all()]
        assert links[::2] == [f"{name}/report.html" for name in SETS]
        assert page.locator("h1 + p").inner_text().startswith("The data are synthetic")
        assert page.locator("[data-name='held_out'] tbody tr").count() == 90
        for name in SETS:
            file = demo[1] / name / "report.html"
            assert file.stat().st_size < 2.5e6, name
            page = visit(file, "#segment=1")
            page.locator(".hypotheses").wait_for()
            parts = ("top-k", "parameters", "system_intervals_csv", "segments", "figures")
            counts = {part: page.locator(f"[id='{part}']").count() for part in parts}
            assert counts == dict.fromkeys(parts, 1), name
            assert page.locator("figure img").count() == 5, name
        assert page.locator(".said > [lang='zh']").count() == 11  # the last set's


@pytest.mark.slow
def test_snakemakes_own_report_holds_figures_and_captions(demo, project):
    project.snakemake("--report", "snakemake.html", *DEMO)
    text = (project.root / "snakemake.html").read_text(encoding="utf-8")
    shown = ("What each system misses of a difficult reference", "demo/en-zh", "report.html")
    assert [part for part in shown if part not in text] == []


def test_a_second_run_has_nothing_to_do(demo, project):
    assert "Nothing to be done" in project.snakemake(*DEMO)


def test_a_run_records_what_it_was_made_from(demo):
    record = json.loads((demo[1] / "run.json").read_text())
    assert record["config"]["seed"] == 2022
    assert record["versions"]["sacrebleu"]


@pytest.mark.parametrize("name", SETS)
def test_a_run_records_the_files_of_every_set(demo, name):
    record = json.loads((demo[1] / "run.json").read_text())["sets"][name]
    evalset = (demo[1] / name / "evalset.json").read_bytes()
    assert record["evalset"] == hashlib.sha256(evalset).hexdigest()
    assert [file for file in record["files"] if not (demo[1] / file).is_file()] == []


def test_an_edited_module_runs_again_what_uses_it(demo, project):
    module = project.root / "workflow/scripts/mt_difficulty/metrics/ter.py"
    text = module.read_text()
    module.write_text(f"{text}\n# edited\n")
    output = project.snakemake(*DEMO, "-n", "--quiet", "host")
    module.write_text(text)
    assert re.search(r"output: .*demo/demo/en-de/statistics/TER.npz", output)
    assert not re.search(r"output: .*(matches|difficulty|texts)[./]", output)


NUMBER = re.compile(r"-?\d+\.?\d*(?:e-?\d+)?")


def test_the_picture_of_the_docs_is_this_runs(demo, project):
    drawn = demo[1] / "demo/en-de/figures/token_heat_map.svg"
    kept = project.root / f"docs/demo_{drawn.name}"
    new, old = (np.array(NUMBER.findall(file.read_text()), float) for file in (drawn, kept))
    # Another processor may round an encoder's last digits differently.
    np.testing.assert_allclose(new, old, rtol=0, atol=1)


def test_bad_input_stops_with_its_message_and_gives_no_number(project):
    """A system's file one line short, and two scores of a system."""
    shutil.copytree(project.root / "data/demo/archive", project.root / "bad")
    campaign = project.root / "bad/demo"
    lines = (campaign / "sources/en-de.txt").read_text().splitlines()
    file = campaign / "system-outputs/en-de/oak.txt"
    file.write_text("".join(file.read_text().splitlines(keepends=True)[:-1]))
    with (campaign / "human-scores/en-zh.mqm.sys.score").open("a") as file:
        file.write("oak\t-1.0\n")
    (project.root / "bad.yaml").write_text("archive: bad\nresults: results/bad\n")
    tables = [f"results/bad/{name}/correlations.csv" for name in SETS]
    output = project.snakemake("-k", *tables, *DEMO, "bad.yaml", fails=True)
    reported = output[output.index("\nWhat went wrong:\n  ERROR: ") :]
    assert f"oak.txt: expected {len(lines)} lines (as in" in reported
    assert "system oak has 2 scores, expected 1" in reported
    assert "Complete log" not in reported  # it is the last that is printed
    assert [table for table in tables if (project.root / table).exists()] == []


def test_the_command_line_gives_the_same_scores(demo, project, capsys):
    """Its own texts, systems and language instead of a campaign."""
    campaign = project.root / "data/demo/archive/demo"
    systems = sorted((campaign / "system-outputs/en-de").glob("*.txt"))
    arguments = ["score", "--ref", campaign / "references/en-de.refA.txt", "--lang", "de"]
    arguments += ["--hyp", *(system for system in systems if system.stem != "refA")]
    arguments += ["--metric", "bleu", "ter", "--resamples", 0, "--format", "json"]
    assert cli.main([str(argument) for argument in arguments]) == 0
    keys = ["metric", "weighting", "system"]
    rows = pd.DataFrame(json.loads(capsys.readouterr().out)["scores"]).set_index(keys)
    assert len(rows) == 2 * 2 * 12
    expected = pd.read_csv(demo[1] / "demo/en-de/system_scores.csv").set_index(keys)
    expected = expected.loc[rows.index]
    assert rows.score.to_numpy() == pytest.approx(expected.score.to_numpy(), rel=1e-10)
    assert rows.signature.tolist() == expected.signature.tolist()
