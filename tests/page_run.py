"""A small run's files, made up, from which its pages are rendered in tests."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
from conftest import settings_of

import pages
import render_papers
import render_report
import render_set
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.evalset import read_set
from mt_difficulty.difficulty import chunk_entropy as entropy
from mt_difficulty.difficulty.aligners import exact
from mt_difficulty.evidence import subsets
from mt_difficulty.evidence.subsets import CORRELATIONS
from mt_difficulty.metrics import METRICS
from mt_difficulty.page import estimators, image, study, tables
from mt_difficulty.papers import Cell, layout
from mt_difficulty.papers.audit import audit, mark_method
from mt_difficulty.plan import outputs
from mt_difficulty.scores import ScoredSet
from mt_difficulty.settings.protocol import Cells, Method, PaperSummary
from mt_difficulty.statistics import of_scores
from mt_difficulty.tables import TABLES
from mt_difficulty.weighting import fitted

ROOT = Path(__file__).parents[1]
SYSTEMS = ["ash", "birch", "</script><b>elm", "fir", "oak"]
SEGMENTS = 30
TYPES = {"chrF": "chrf", "TER": "ter", "BERTScore": "bertscore"}
# Two difficulties of hypotheses, one of segments, two of tokens.
DIFFICULTIES = {
    "chunk_entropy": {"type": "chunk_entropy", "aligner": "exact"},
    "length": {"type": "length"},
    "people": {"type": "human"},
    "token_dissimilarity": {"type": "token_dissimilarity"},
    "token_dissimilarity_others": {"type": "token_dissimilarity", "leave_one_out": True},
}
UNITS = dict(
    zip(DIFFICULTIES, ["hypothesis", "segment", "hypothesis", "token", "token"], strict=True)
)
WEIGHTINGS = {
    "EE": {"type": "EE", "difficulty": "chunk_entropy", "threshold": 0.2, "easy_weight": 0.4},
    "DA": {"type": "DA", "difficulty": "token_dissimilarity"},
    "DA-LOO": {"type": "DA", "difficulty": "token_dissimilarity_others"},
    "EE-DA": {"type": "combined", "segments": "EE", "tokens": "DA"},
    "long": {"type": "hardest", "difficulty": "length", "share": 0.5},
    "ceiling": {"type": "EE", "difficulty": "people", "threshold": 0.5, "easy_weight": 0.4},
}
OF = {name: entry.get("difficulty", "") for name, entry in WEIGHTINGS.items()}
OF |= {"standard": "", "EE-DA": "chunk_entropy+token_dissimilarity"}
SETTINGS = settings_of(
    metrics={name: {"type": kind} for name, kind in TYPES.items()},
    matches={"BERTScore": "matches/tiny.npz"},
    difficulties=DIFFICULTIES,
    weightings=WEIGHTINGS,
)
# Of which the last needs more than scores.
STATISTICS = [*CORRELATIONS, "accuracy", "soft_accuracy"]
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">
<rect width="60" height="40" style="font: 10px 'Any'"/>
</svg>"""


def render(folder, sets=("test/en-de",)):
    """Write a run and its pages; give the index's path."""
    rng = np.random.default_rng(5)
    for name in sets:
        write_set(folder / name, name, rng)
    write_paper(folder, "first2020")
    captions = {"top_k": "Pearson's r of K systems.", "difficulties": "Scores by difficulty."}
    for name in sets:
        render_one(folder, name, SETTINGS, captions)
    storage.write_missing(folder / "gone/en-de/report.json", "the archive has no gone")
    return render_index(folder, [*sets, "gone/en-de"], {"first2020": PAPER})


def job(main, **parts):
    """Run a script with the parts of a job."""
    main(SimpleNamespace(**{name: SimpleNamespace(**part) for name, part in parts.items()}))


def render_one(folder, name, settings, captions):
    """Write the page of a set from all its files."""
    kinds = (".csv", ".json", ".npz", ".svg")
    files = [path for path in (folder / name).rglob("*") if path.suffix in kinds]
    places = {"page": "report.html", "segments": "segments.js", "summary": "report.json"}
    output = {key: folder / name / file for key, file in places.items()}
    params = {"name": name, "settings": settings, "captions": captions, "synthetic": False}
    params["statistics"] = STATISTICS
    job(render_set.main, input=page_sources("set", files), output=output, params=params)


def render_index(folder, names, papers):
    """Write the index of a run, and the pages of its papers; give the index's path."""
    audit = {"audit": [folder / "audit.csv"] * bool(papers)}
    summaries = [str(folder / name / "report.json") for name in names]
    files = [path for path in (folder / "papers").rglob("*") if path.suffix in (".csv", ".svg")]
    inputs = page_sources("paper", files) | audit | {"summaries": summaries}
    output = {"pages": [folder / "papers" / name / "report.html" for name in papers]}
    job(render_papers.main, input=inputs, output=output, params={"papers": papers, "sets": names})
    inputs = page_sources("report", summaries) | audit | {"held_out": []}
    params = {"sets": names, "papers": papers, "synthetic": False, "made_from": {}}
    index = folder / "report.html"
    job(render_report.main, input=inputs, output={"page": index}, params=params)
    return index


def render_others(folder):
    """Write the pages of a study and of the bench of estimators, from made-up tables."""
    value = {"domain": "", "difficulty": "length", "information": "source", "value": 0.2}
    value |= {"low": 0.1, "high": 0.3, "chance": 0.0, "reason": "", "segments": 30}
    values = pd.DataFrame([value | {"statistic": name} for name in ("dec", "auc")])
    board = {"difficulty": "length", "information": "source", "sets": 1, "reason": "", "rank": 1.0}
    board |= {"value": 0.2, "low": 0.1, "high": 0.3, "gain": 0.0, "gain_low": 0, "gain_high": 0}
    rows = [board | {"statistic": statistic} for statistic in ("dec", "dec_within_length")]
    compared = pd.DataFrame(columns=estimators.COMPARED)
    chosen = pd.DataFrame([dict.fromkeys(estimators.CHOSEN, "x")])
    names = {*outputs.STUDY_FIGURES, *outputs.BENCH_FIGURES}
    images = dict.fromkeys(names, image(SVG))
    of_sets = {"test/en-de": values}, {"gone/en-de": "the archive has no gone"}
    results = pd.DataFrame(rows), compared, chosen, *of_sets
    bench = estimators.describe("Nothing was found.", images, *results)
    table = tables.text_table(["contrast", "effect"], [["first", "0.01"]], ["effect"])
    content_of_study = {
        "title": "A study",
        "findings": "Nothing was found.",
        "sets": 1,
        "questions": tables.text_table(["question", "answer"], [["Does it?", "no"]]),
        "parts": study.FIGURES | study.RESULTS,
        "images": images,
        "results": dict.fromkeys(outputs.STUDY_TABLES, table),
        "registration": {"checksum": "ab" * 32, "earlier": []},
    }
    for name, content in (("estimators", bench), ("study", content_of_study)):
        sources = page_sources(name, [])
        pages.write_page(SimpleNamespace(**sources), folder / name / "report.html", content)


def page_sources(template, files):
    """What a rule that writes a page is given, with the files that it shows."""
    report = ROOT / "workflow/report"
    return {
        "files": files,
        "template": [report / f"{template}.html.j2"],
        "style": [report / "report.css"],
        "behaviour": [report / "tables.js", *[report / "browser.js"] * (template == "set")],
    }


def write_set(folder, name, rng):
    """An evaluation set of made-up words, with all that the page can show of it."""
    words = np.array("das Haus steht hell am Fluß und & <i>wartet</i> 🙂 sehr lange".split())
    reference = [" ".join(rng.choice(words, 8)) for _ in range(SEGMENTS)]
    noise = np.linspace(0.1, 0.6, len(SYSTEMS))
    hypotheses = [
        [
            " ".join(rng.choice(words) if rng.random() < share else w for w in line.split())
            for line in reference
        ]
        for share in noise
    ]
    found = evalset.EvaluationSet(
        *(*name.split("/"), "refA", "mqm", SYSTEMS, [*-noise]),
        left_out={"refA": "a human translation"},
        source=[f"Source {i} <&>" for i in range(SEGMENTS)],
        reference=reference,
        hypotheses=hypotheses,
        documents=[f"doc{i // 10}" for i in range(SEGMENTS)],
        domains=["news" if i < 20 else "social" for i in range(SEGMENTS)],
        segment_gold=[[None, *rng.random(SEGMENTS - 1)] for _ in SYSTEMS],
    )
    evalset.save(folder / "evalset.json", found)
    write_difficulties(folder, found, rng)
    write_statistics(folder, found, rng)
    write_scores(folder, found)
    write_optional(folder)
    for plot in ("top_k", "difficulties"):
        storage.write_text(folder / f"figures/{plot}.svg", SVG)
    write_ratings(folder)
    files = {"model.safetensors": "ab" * 32}
    encoder = {"name": "tiny", "layer": 2, "dtype": "float32", "files": files}
    storage.write_json(folder / "encoders/tiny.json", encoder | {"folder": "/home/someone/tiny"})


def write_difficulties(folder, found, rng):
    """Real chunk entropies and lengths, made-up human scores, and the weightings fitted to them."""
    tokens = [[line.split() for line in system] for system in found.hypotheses]
    links = np.concatenate(exact([line.split() for line in found.reference], tokens))
    lengths = np.array([[len(line) for line in system] for system in tokens])
    values = {
        "chunk_entropy": entropy.chunk_entropy(links >= 0, lengths),
        "length": np.tile([float(len(line)) for line in found.source], (len(SYSTEMS), 1)),
        "people": rng.random((len(SYSTEMS), SEGMENTS)),
    }
    for name, array in values.items():
        details = {"links": links, "lengths": lengths} if name == "chunk_entropy" else {}
        signed = {"systems": SYSTEMS, "signature": name}
        path = folder / f"difficulty/{name}.npz"
        storage.write_arrays(path, difficulty=array, **signed, **details)
    files = read_set(f"{found.campaign}/{found.pair}", map(str, folder.rglob("*.npz")))
    described = fitted.describe(files, SYSTEMS, SETTINGS.difficulties, SETTINGS.weightings)
    for name, entry in described["difficulties"].items():
        entry["description"] = f"What {name} <estimates>."
    for name, entry in described["weightings"].items():
        entry["description"] = f"How {name} weighs."
    storage.write_json(folder / "weightings.json", described)


def write_statistics(folder, found, rng):
    """Real chrF and TER; BERTScore and matches of a made-up encoder that knows words."""
    for name in ("chrF", "TER"):
        metric = METRICS[TYPES[name]](found.pair)
        statistics = metric.evaluate(found, None)
        storage.write_arrays(
            folder / f"statistics/{name}.npz",
            statistics=statistics,
            systems=SYSTEMS,
            signature=metric.signature,
        )
    shape = (len(SYSTEMS), SEGMENTS)
    numbers = {"signature": "encoder:tiny", "systems": SYSTEMS}
    storage.write_arrays(
        folder / "statistics/BERTScore.npz", statistics=rng.random((*shape, 3)), **numbers
    )
    sizes = np.array([len(line.split()) for line in found.reference])
    offsets = [word.span() for line in found.reference for word in re.finditer(r"\S+", line)]
    lengths = np.array([[len(line.split()) for line in system] for system in found.hypotheses])
    tokens = lengths.sum()
    storage.write_arrays(
        folder / "matches/tiny.npz",
        reference_lengths=sizes,
        **dict.fromkeys(("reference_ids", "reference_type"), np.zeros(sizes.sum(), dtype=int)),
        reference_offsets=np.array(offsets),
        reference_similarity=rng.random((len(SYSTEMS), sizes.sum())).astype(np.float32),
        hypothesis_lengths=lengths,
        hypothesis_similarity=rng.random(tokens).astype(np.float32),
        **{f"hypothesis_{of}": np.zeros(tokens, int) for of in ("ids", "position", "type")},
        truncated=np.zeros(len(SYSTEMS) + 1, dtype=int),
        baseline=np.full(3, np.nan),
        baseline_from="baseline: none",
        **numbers,
    )


def write(folder, name, rows):
    """Write a result table of a set."""
    frame = pd.DataFrame(rows, columns=TABLES[name].names())
    storage.write_table(folder / name, frame, TABLES[name])


def write_scores(folder, found):
    """System scores and their correlations, as the workflow's scripts write them."""
    files = read_set(f"{found.campaign}/{found.pair}", map(str, folder.rglob("*.*")))
    scored, systems = ScoredSet(files, SETTINGS), found.systems
    scores = {key: one.scores() for key, one in scored.of(np.arange(len(systems))).items()}
    rows = [
        [system, *key, OF[key[1]], value, np.nan, np.nan, scored.signatures[key]]
        for key, values in scores.items()
        for system, value in zip(systems, values, strict=True)
    ]
    write(folder, "system_scores.csv", rows)
    write(folder, "missing.csv", [])
    statistics = of_scores(STATISTICS)
    of_set = subsets.system_subsets(found, [3], 10, 1)
    mean, *_ = subsets.correlation_tables(scored, np.array(found.gold), statistics, of_set)
    mean.insert(2, "difficulty", mean.weighting.map(OF))
    storage.write_table(folder / "correlations.csv", mean, TABLES["correlations.csv"])


def write_optional(folder):
    """Results that a run may have or not."""
    pairs = [(m, w, OF[w]) for m in TYPES for w in ("standard", "EE", "ceiling")]
    write(folder, "significance.csv", significance(pairs))
    storage.write_text(folder / "controls.csv", "missing: no segment is difficult\n")


OVER = ("segments", "systems", "both", "joint")


def significance(pairs):
    """Values, intervals and tests, made up: EE helps chrF and harms TER."""
    gains = {
        ("chrF", "EE"): (0.2, 0.001),
        ("TER", "EE"): (-0.3, 0.002),
        ("TER", "ceiling"): (0.4, 0.001),
    }
    rows = []
    for metric, weighting, difficulty in pairs:
        gain, p = gains.get((metric, weighting), (0.01, 0.5))
        ends = {f"{over}_low": 0.05 for over in OVER} | {f"{over}_high": 0.95 for over in OVER}
        more = {"difference": np.nan, "permutation_p": np.nan, "detectable": np.nan}
        if weighting != "standard":
            spread = 0.15 if p < 0.05 else 0.005
            ends |= {f"difference_{over}_low": gain - spread for over in OVER}
            ends |= {f"difference_{over}_high": gain + spread for over in OVER}
            more = {"difference": gain, "permutation_p": p, "detectable": 0.12}
        of_score = {"metric": metric, "weighting": weighting, "difficulty": difficulty}
        later = {"contribution_p": np.nan, "williams_p": 0.04}
        later |= {"effective_mean": 15.5, "effective_min": 12, "left_out": "", "reason": ""}
        rows += [
            of_score | {"subset": s, "size": n, "statistic": t, "value": 0.5} | ends | more | later
            for s, n in (("all", 5), ("top", 4))
            for t in ("pearson", "kendall", "spearman")
        ]
    return pd.DataFrame(rows)


def write_ratings(folder):
    """Errors of two raters in the first two segments of the first systems; others are unrated."""
    severe = {"start": 0, "end": 3, "category": "accuracy/<omission>", "severity": "major"}
    mild = {"start": 4, "end": 90, "category": "fluency", "severity": "minor", "score": 1}
    source = {"start": 0, "end": 6, "severity": "minor", "is_source_error": True}
    unrated = [None] * (SEGMENTS - 2)
    ratings = {
        "mqm.rater1": {SYSTEMS[0]: [[severe, mild], [source], *unrated]},
        "mqm.rater2": {SYSTEMS[0]: [None, [], *unrated], SYSTEMS[2]: [[mild], None, *unrated]},
    }
    storage.write_json(folder / "ratings.json", ratings)


TABLE_CELLS = [
    Cell("table1", "chrF", "En→De r", 0.9, 3, 0.9001),
    Cell("table1", "chrF", "En→De τ", 0.8, 3, 0.79, "8 systems here"),
    Cell("table1", "EE-chrF", "En→De r", 0.7, 3, 0.2),
    Cell("table1", "EE-chrF", "En→De τ", 0.6, 3, 0.61, "", "encoder <tiny>"),
    Cell("table1", "ours", "En→De r", np.nan, 3, 0.55),
    Cell("table1", "ours", "En→De τ", 0.5, 3, np.nan, "no & texts"),
    Cell("table1", "few", "En→De r", 0.5, 3, 0.5, systems_note="3 systems, 5 in the paper"),
    Cell("table1", "few", "En→De τ", 0.5, 3, -0.5, "negative", absolute="yes"),
]
PAPER = PaperSummary(
    title="A <First> Paper",
    authors="First et al.",
    year=2020,
    method=Method(name="EE <first>", cells=[Cells(item="table1", row="EE-chrF")]),
    sets=["test/en-de"],
    metrics=list(TYPES),
    tables={"table1": "Correlations & more."},
    figures={"figure1": "A figure’s <caption>."},
    top_sizes={"test/en-de": []},
)


def write_paper(folder, paper):
    """A paper of one table and one figure."""
    own = folder / "papers" / paper
    figure = [Cell("figure1", "entropy_score", "|r| of the fit", 0.95, 3, 0.951)]
    for item, cells in (("table1", TABLE_CELLS), ("figure1", figure)):
        table = TABLES["cells/<item>.csv"]
        storage.write_table(own / f"cells/{item}.csv", pd.DataFrame(cells), table)
    texts = {row: f"A **bold** sentence of {row}" for row in ("chrF", "EE-chrF")}
    storage.write_table(own / "table1.csv", layout(TABLE_CELLS, texts), TABLES["<item>.csv"])
    storage.write_text(own / "figure1.svg", SVG)
    ledger = audit(paper, pd.DataFrame([*TABLE_CELLS, *figure]), [])
    ledger = mark_method(ledger, paper, PAPER.method)
    storage.write_table(folder / "audit.csv", ledger, TABLES["audit.csv"])
