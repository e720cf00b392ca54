"""Sets so small or so odd that little can be computed: `validate` and the run judge alike, every
table has the systems that went in, and an undefined number has a reason."""

import shutil

import numpy as np
import pytest
import small_run
import tiny
import yaml

from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.errors import Missing

pytestmark = pytest.mark.slow

PAIR = "en-de"
STATISTICS = ["pearson", "kendall", "spearman"]
INTERVALS = [f"{over}_{end}" for over in ("segments", "systems", "both") for end in ("low", "high")]

# Own files, whose systems and metrics have names that look like numbers or code.
REFERENCE = ["the cat sat on the mat", "a dog runs in the park", "rain falls on the roof"]
REFERENCE += ["he did not say a word", "she reads a long book", "we eat bread and cheese"]
REFERENCE += ["they go home at night", "birds sing in the tree"]
EMPTY = [""] * len(REFERENCE)
METRICS = {"1": "chrf", "1.0": "bertscore"}


def worse(every):
    """Every so many reference segments, one loses a word and the order of the others."""
    cut = [" ".join(reversed(segment.split()[1:])) for segment in REFERENCE]
    return [cut[i] if i % every == 0 else segment for i, segment in enumerate(REFERENCE)]


WORSE = [worse(every) for every in (2, 3, 5)]
# By campaign: names, hypotheses, references, and human scores.
SMALL = {
    "eight": (["2019", "2020", "2021"], WORSE, REFERENCE, [1, 2, 3]),
    "two": (["1.0", "1.00"], WORSE[:2], REFERENCE, None),
    "equal": (["NA", "null", "True"], [REFERENCE] * 3, REFERENCE, [1, 2, 3]),
    "silent": (["007", "7", "1e5"], [EMPTY] * 3, REFERENCE, [1, 2, 3]),
    "empty_reference": (["x y", "x", "$\\alpha$"], WORSE, EMPTY, [1, 2, 3]),
    "empty_segment": (["a", "b", "c"], WORSE, ["", *REFERENCE[1:]], [1, 2, 3]),
}

# Campaigns of an archive.
SYSTEMS = [system for system in tiny.SYSTEMS if system != "refA"]


def output(campaign, system):
    return campaign / f"system-outputs/{PAIR}/{system}.txt"


def one_hypothesis(campaign):
    """Every system says the same in every segment."""
    for system in SYSTEMS:
        output(campaign, system).write_text("Das ist ein Haus .\n" * tiny.SEGMENTS)


def perfect(campaign):
    """One system's hypotheses are the reference, and one of another has 100,000 characters."""
    shutil.copy(campaign / f"references/{PAIR}.refA.txt", output(campaign, SYSTEMS[0]))
    lines = output(campaign, SYSTEMS[1]).read_text().splitlines(keepends=True)
    lines[0] = "Häuser " * 14_285 + "Hütte\n"
    output(campaign, SYSTEMS[1]).write_text("".join(lines))


def equal_gold(campaign):
    """Humans find all systems alike."""
    lines = "".join(f"{system}\t-1.5\n" for system in SYSTEMS)
    (campaign / f"human-scores/{PAIR}.mqm.sys.score").write_text(lines)


def no_reference(campaign):
    """What can do without: a metric of quality estimation, and difficulties of outputs."""
    rng = np.random.default_rng(1)
    lines = [f"{system}\t{rng.random()}\n" for system in tiny.SYSTEMS for _ in range(tiny.SEGMENTS)]
    (campaign.parent / "QE.tsv").write_text("".join(lines))


CHANGES = (one_hypothesis, perfect, equal_gold, no_reference)
METRICS_OF_TEXTS = {"metrics": ["chrF", "BERTScore"], "weightings": ["EE", "DA", "EE-DA"]}
NO_REFERENCE = {"campaign": "no_reference", "reference": "", "weightings": ["consensus"]}
CONFIG = tiny.CONFIG | {
    "results": "results/odd",
    "papers": [],
    "archive": "odd",
    "evaluation_sets": [
        *(
            {"files": f"small/{name}", "campaign": name, "pair": PAIR, "metrics": list(METRICS)}
            | {"weightings": ["EE", "DA", "EE-DA"]}
            for name in SMALL
        ),
        *(tiny.SET | METRICS_OF_TEXTS | {"campaign": x.__name__} for x in CHANGES[:-1]),
        tiny.SET | NO_REFERENCE | {"metrics": ["QE", "chrF", "BERTScore"]},
        tiny.SET | NO_REFERENCE | {"metrics": ["chrF"], "segments": "all"},
    ],
    "metrics": {name: {"type": kind} for name, kind in METRICS.items()}
    | {"chrF": {"type": "chrf"}, "BERTScore": {"type": "bertscore"}}
    | {"QE": {"type": "stored", "file": "odd/QE.tsv"}},
    "difficulties": {
        "consensus": {"type": "consensus_entropy", "aligner": "exact"},
        "dissimilarity": {"type": "consensus_dissimilarity", "metric": "BERTScore"},
    },
    "weightings": {"consensus": {"type": "hardest", "difficulty": "consensus", "share": 0.5}},
}
CONFIG.pop("truth")


@pytest.fixture(scope="module")
def results(project):
    """The results of one run over all of them, of which `validate` says that it has no problem."""
    for campaign, (names, hypotheses, reference, gold) in SMALL.items():
        small_run.write_own_files(
            project.root / "small" / campaign,
            reference,
            dict(zip(names, hypotheses, strict=True)),
            gold and dict(zip(names, gold, strict=True)),
            source=REFERENCE[: len(reference)],
        )
    for change in CHANGES:
        campaign = project.root / "odd" / change.__name__
        tiny.write_campaign(project.root / "data/demo/archive/demo", campaign)
        change(campaign)
    (project.root / "odd.yaml").write_text(yaml.safe_dump(CONFIG))
    assert project.validate("odd.yaml").endswith("no problems found\n")
    project.snakemake("--configfile", "odd.yaml")
    return project.root / CONFIG["results"]


def read(results, name, file):
    """A table, or None where a marker says that it cannot be."""
    try:
        return storage.read_table(results / name / PAIR / file)
    except Missing:
        return None


@pytest.mark.parametrize("campaign", SMALL)
def test_every_table_has_the_systems_that_went_in(results, campaign):
    systems = sorted(SMALL[campaign][0])
    loaded = evalset.load(results / campaign / PAIR / "evalset.json")
    assert loaded.systems == systems
    for file in ("top_scores.csv", "system_intervals.csv"):
        if (frame := read(results, campaign, file)) is not None and len(frame):
            assert set(frame.system) == set(systems), file
    comparisons = read(results, campaign, "system_comparisons.csv")
    if len(comparisons):
        assert set(comparisons.system) == set(comparisons.other) == set(systems)
    scores = read(results, campaign, "system_scores.csv")
    missing = read(results, campaign, "missing.csv")
    reasons = missing.set_index(["metric", "weighting"]).reason
    for metric in METRICS:
        for weighting in ("standard", "EE"):
            rows = scores[(scores.metric == metric) & (scores.weighting == weighting)]
            if len(rows) and np.isfinite(rows.score).all():
                assert rows.system.tolist() == systems, (metric, weighting)
            else:
                assert reasons[metric, weighting], (metric, weighting)


@pytest.mark.parametrize(
    "file", ["correlations", "significance", "agreement", "controls", "parameters"]
)
@pytest.mark.parametrize("campaign", SMALL)
def test_an_undefined_number_has_a_reason(results, campaign, file):
    frame = read(results, campaign, f"{file}.csv")
    assert (frame is None) == (SMALL[campaign][3] is None)
    if frame is None:
        return
    if file == "significance":
        without_reason = frame[frame.value.isna() & (frame.reason == "")]
        assert without_reason.to_dict("records") == []
        frame = frame[frame.statistic != "soft_accuracy"]  # which has no intervals
    values = [name for name in ("value", "mean", *INTERVALS, *STATISTICS) if name in frame]
    undefined = frame[values].isna().any(axis=1)
    assert frame[undefined & (frame.reason == "")].to_dict("records") == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("one_hypothesis", "all systems have the same score"),
        ("equal_gold", "all human scores are equal"),
    ],
)
def test_what_cannot_be_correlated_is_empty_with_its_reason(results, name, reason):
    frame = read(results, name, "correlations.csv")
    frame = frame[frame.weighting == "standard"]
    assert set(frame.metric) == {"chrF", "BERTScore"}
    assert set(frame.subset) == {"all", "top", "random"}
    assert frame[frame[STATISTICS].notna().any(axis=1)].to_dict("records") == []
    assert set(frame.reason) == {reason}


def test_a_perfect_system_has_no_weighted_score_and_a_reason(results):
    missing = read(results, "perfect", "missing.csv")
    assert missing.metric.tolist() == ["chrF", "BERTScore", "BERTScore"]
    assert missing.weighting.tolist() == ["EE", "EE", "EE-DA"]
    named = ", ".join(SYSTEMS[:2])
    assert set(missing.reason) == {f"no difficult or no easy hypothesis: {named}"}
    frame = read(results, "perfect", "correlations.csv")
    frame = frame[(frame.weighting == "EE") & (frame.subset == "all")]
    assert set(frame.reason) == {"a system has no score"}
    # And so are hypotheses of 100,000 characters scored like any.
    scores = read(results, "perfect", "system_scores.csv")
    scores = scores.set_index(["metric", "weighting", "system"]).sort_index()
    for metric, highest in (("chrF", 100), ("BERTScore", 1)):
        plain = scores.score[metric, "standard"]
        assert plain[plain.isna()].to_dict() == {}, metric
        assert plain[SYSTEMS[0]] == plain.max() == pytest.approx(highest, rel=1e-6), metric


NONE_THERE = "the set has no reference translation"


def test_a_set_without_reference_has_scores_difficulties_and_a_page(results):
    folder = results / f"no_reference/{PAIR}"
    scores = read(results, "no_reference", "system_scores.csv")
    assert set(scores.metric) == {"QE"}
    assert set(scores.weighting) == {"standard", "consensus"}
    missing = read(results, "no_reference", "missing.csv").set_index("metric").reason
    for metric in ("chrF", "BERTScore"):
        assert set(missing[[metric]]) == {NONE_THERE}, metric
    for name in ("consensus", "dissimilarity"):
        arrays = storage.read_arrays(folder / f"difficulty/{name}.npz")
        assert arrays["values"].shape == (5, 5, tiny.SEGMENTS), name
        assert str(arrays["information"]) == "outputs", name
        assert np.nanmax(arrays["difficulty"]) > 0, name
    entropy = storage.read_json(folder / "weightings.json")["difficulties"]["chunk_entropy"]
    assert entropy["missing"] == NONE_THERE
    # Another such set has no score at all.
    without = folder.with_name(f"{PAIR}.no_reference.mqm.all")
    assert set(storage.read_table(without / "missing.csv").reason) == {NONE_THERE}
    for page in (folder, without):
        text = (page / "report.html").read_text(encoding="utf-8")
        assert "no reference" in text, page
