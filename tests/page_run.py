"""A small run's files, made up, from which its pages are rendered in tests."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd

import render_report
import render_set
import score_systems
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.difficulty import chunk_entropy as entropy
from mt_difficulty.difficulty.aligners import exact
from mt_difficulty.evidence import subsets
from mt_difficulty.evidence.correlations import CORRELATIONS
from mt_difficulty.metrics import METRICS
from mt_difficulty.papers.audit import audit
from mt_difficulty.papers.layout import layout
from mt_difficulty.papers.tables import Cell
from mt_difficulty.weighting.groups import Groups

ROOT = Path(__file__).parents[1]
SYSTEMS = ["ash", "birch", "</script><b>elm", "fir", "oak"]
SEGMENTS = 30
DA = {"unseen": "one", "smoothing": "none", "range": "open", "beta": 1}
TYPES = {"chrF": "chrf", "TER": "ter", "BERTScore": "bertscore"}
SVG = """<svg xmlns="http://www.w3.org/2000/svg" width="80" height="40">
<rect width="60" height="40" style="font: 10px 'Any'"/>
</svg>"""


def render(folder, sets=("test/en-de",)):
    """Write a run and its pages; give the index's path."""
    rng = np.random.default_rng(5)
    for name in sets:
        write_set(folder / name, name, rng)
    write_paper(folder, "first2020")
    rows = [[name, "chrF", "held out", 0.3, 0.4, 0.9, 0.8, 0.85, ""] for name in sets]
    columns = ["set", "metric", "parameters", "h", "w", "pearson", "kendall", "spearman", "reason"]
    storage.write_table(folder / "held_out.csv", pd.DataFrame(rows, columns=columns))
    captions = {"top_k": "Pearson's r over the K best systems."}
    for name in sets:
        render_one(folder, name, {"shown": 20, "types": TYPES, "DA": DA}, captions)
    storage.write_missing(folder / "gone/en-de/report.json", "the archive has no gone")
    return render_index(folder, [*sets, "gone/en-de"], {"first2020": PAPER})


def render_one(folder, name, settings, captions):
    """Write the page of a set from all its files."""
    kinds = (".csv", ".json", ".npz", ".svg")
    files = [path for path in (folder / name).rglob("*") if path.suffix in kinds]
    output = {"page": folder / name / "report.html", "summary": folder / name / "report.json"}
    params = {"name": name, "settings": settings, "captions": captions, "synthetic": False}
    rule = {"input": page_sources("set", files), "output": output, "params": params}
    render_set.main(SimpleNamespace(**{key: SimpleNamespace(**rule[key]) for key in rule}))


def render_index(folder, names, papers):
    """Write the index of a run; give its path."""
    files = [folder / name / "report.json" for name in names]
    files += [path for path in (folder / "papers").rglob("*") if path.is_file()]
    inputs = page_sources("report", files) | {
        "held_out": [folder / "held_out.csv"],
        "audit": [folder / "audit.csv"] * bool(papers),
    }
    params = {"sets": names, "papers": papers, "synthetic": False}
    rule = {"input": inputs, "output": {"page": folder / "report.html"}, "params": params}
    render_report.main(SimpleNamespace(**{key: SimpleNamespace(**rule[key]) for key in rule}))
    return folder / "report.html"


def page_sources(template, files):
    """What a rule that writes a page is given, with the files that it shows."""
    report = ROOT / "workflow/report"
    return {
        "files": files,
        "template": [report / f"{template}.html.j2"],
        "style": [report / "report.css"],
        "behaviour": sorted(report.glob("[12]_*.js" if template == "report" else "*.js")),
    }


def write_set(folder, name, rng):
    """An evaluation set of made-up words, with all that the page can show of it."""
    words = np.array("das Haus steht hell am Fluß und & <i>wartet</i> 🙂 sehr lange".split())
    reference = [" ".join(rng.choice(words, 8)) for _ in range(SEGMENTS)]
    noise = np.linspace(0.1, 0.6, len(SYSTEMS))
    hypotheses = [[spoil(line, words, share, rng) for line in reference] for share in noise]
    found = evalset.EvaluationSet(
        *(*name.split("/"), "refA", "mqm", SYSTEMS, [*-noise]),
        left_out={"refA": "a human translation"},
        source=[f"Source {i} <&>" for i in range(SEGMENTS)],
        reference=reference,
        hypotheses=hypotheses,
        documents=[f"doc{i // 10}" for i in range(SEGMENTS)],
        segment_gold=[[None, *rng.random(SEGMENTS - 1)] for _ in SYSTEMS],
    )
    evalset.save(folder / "evalset.json", found)
    tokens = [[line.split() for line in system] for system in hypotheses]
    links = np.concatenate(exact.align([line.split() for line in reference], tokens))
    lengths = np.array([[len(line) for line in system] for system in tokens])
    chunk_entropy = entropy.chunk_entropy(links >= 0, lengths)
    storage.write_arrays(
        folder / "entropy/exact.npz", entropy=chunk_entropy, links=links, lengths=lengths
    )
    signature = {"signature": "align:exact"}
    parameters = Groups(0.2, 0.4).fit(chunk_entropy, SYSTEMS)
    storage.write_json(folder / "difficulty.json", parameters | signature)
    write_statistics(folder, found, rng)
    write_scores(folder, found)
    write_optional(folder, rng)
    storage.write_text(folder / "figures/top_k.svg", SVG)
    files = {"model.safetensors": "ab" * 32}
    encoder = {"name": "tiny", "layer": 2, "dtype": "float32", "files": files}
    storage.write_json(folder / "encoders/tiny.json", encoder | {"folder": "/home/someone/tiny"})


def spoil(line, words, share, rng):
    return " ".join(rng.choice(words) if rng.random() < share else word for word in line.split())


def write_statistics(folder, found, rng):
    """Real chrF and TER; BERTScore, DA and matches of a made-up encoder that knows words."""
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
    weighted = {"statistics": rng.random((*shape, 2)), "leave_one_out": rng.random((*shape, 2))}
    storage.write_arrays(folder / "DA/BERTScore.npz", **weighted, **numbers)
    sizes = np.array([len(line.split()) for line in found.reference])
    offsets = [span for line in found.reference for span in spans(line)]
    none = np.zeros(0, dtype=int)
    storage.write_arrays(
        folder / "matches/tiny.npz",
        reference_lengths=sizes,
        reference_ids=np.zeros(sizes.sum(), dtype=int),
        reference_type=np.arange(sizes.sum()),
        reference_offsets=np.array(offsets),
        reference_similarity=rng.random((len(SYSTEMS), sizes.sum())).astype(np.float32),
        hypothesis_lengths=np.zeros(shape, dtype=int),
        hypothesis_ids=none,
        hypothesis_similarity=none.astype(np.float32),
        hypothesis_position=none,
        hypothesis_type=none,
        truncated=np.zeros(len(SYSTEMS) + 1, dtype=int),
        baseline=np.full(3, np.nan),
        **numbers,
    )


def spans(line):
    place = 0
    for word in line.split():
        yield place, place + len(word)
        place += len(word) + 1


def write_scores(folder, found):
    """System scores and correlations, by the workflow's own scripts."""
    metrics = {name: {"type": kind} for name, kind in TYPES.items()}
    files = SimpleNamespace(
        evalset=folder / "evalset.json",
        entropy=folder / "entropy/exact.npz",
        difficulty=folder / "difficulty.json",
        statistics=[folder / f"statistics/{name}.npz" for name in TYPES],
        DA=[folder / "DA/BERTScore.npz"],
        scores=folder / "system_scores.csv",
        missing=folder / "missing.csv",
    )
    params = SimpleNamespace(metrics=metrics, DA=DA)
    score_systems.main(SimpleNamespace(input=files, output=files, params=params))
    frame = storage.read_table(files.scores)
    gold = np.array(found.gold)
    scores = {
        key: rows.set_index("system").score.reindex(SYSTEMS).to_numpy()
        for key, rows in frame.groupby(["metric", "weighting"], sort=False)
    }
    groups = subsets.system_subsets(gold, [3], 10, np.random.default_rng(1))
    scored = [(kind, index, {key: s[index] for key, s in scores.items()}) for kind, index in groups]
    mean, _ = subsets.correlate_subsets(scored, gold, CORRELATIONS)
    storage.write_table(folder / "correlations.csv", mean)


def write_optional(folder, rng):
    """Results that a run may have or not."""
    pairs = [(m, w) for m in TYPES for w in ("standard", "EE")]
    rows = [
        [m, w, s, n, t, 0.5, 0.1, 0.9, 0.2, 0.8, 0.05, 0.95, 0.1, 0.01, 0.02, ""]
        for m, w in pairs
        for s, n in (("all", 5), ("top", 4))
        for t in ("pearson", "kendall", "spearman")
    ]
    ends = [f"{name}_{end}" for name in ("segments", "systems", "both") for end in ("low", "high")]
    tests = ["difference", "permutation_p", "williams_p", "reason"]
    columns = ["metric", "weighting", "subset", "size", "statistic", "value", *ends, *tests]
    storage.write_table(folder / "significance.csv", pd.DataFrame(rows, columns=columns))
    rows = [
        [m, w, a, b, 0.1, 0.97 if a < b else 0.03, 0.03 if a < b else 0.97]
        for m, w in pairs
        for a in SYSTEMS
        for b in SYSTEMS
        if a != b
    ]
    columns = ["metric", "weighting", "system", "other", "difference", "wins", "p"]
    storage.write_table(folder / "system_comparisons.csv", pd.DataFrame(rows, columns=columns))
    h, w = np.linspace(0, 1, 11), np.linspace(0, 1, 9)
    values = 1 - (h[:, None] - 0.3) ** 2 - (w - 0.6) ** 2 - 0.1 * rng.random((2, 3, 11, 9))
    values[:, :, 3, -1] = np.nan
    storage.write_arrays(
        folder / "surface.npz", h=h, w=w, metrics=["chrF", "TER"], correlations=values, systems=5
    )
    points = [["in force", 0.2, 0.4], ["equations", 0.3, 0.4], ["optimum", 0.3, 0.6]]
    points = [["chrF", *point, 0.9, 0.8, 0.85, ""] for point in points]
    columns = ["metric", "parameters", "h", "w", "pearson", "kendall", "spearman", "reason"]
    storage.write_table(folder / "parameters.csv", pd.DataFrame(points, columns=columns))
    storage.write_text(folder / "controls.csv", "missing: no segment is difficult\n")


TABLE_CELLS = [
    Cell("table1", "chrF", "En→De r", 0.9, 3, 0.9001),
    Cell("table1", "chrF", "En→De τ", 0.8, 3, 0.79, "8 systems here"),
    Cell("table1", "EE-chrF", "En→De r", 0.7, 3, 0.2),
    Cell("table1", "EE-chrF", "En→De τ", 0.6, 3, 0.61, "", "encoder <tiny>"),
    Cell("table1", "ours", "En→De r", np.nan, 3, 0.55),
    Cell("table1", "ours", "En→De τ", 0.5, 3, np.nan, "no & texts"),
]
PAPER = {
    "title": "A <First> Paper",
    "authors": "First et al.",
    "year": 2020,
    "tables": {"table1": "Correlations & more."},
    "figures": {"figure1": "A figure’s <caption>."},
}


def write_paper(folder, paper):
    """A paper of one table and one figure."""
    own = folder / "papers" / paper
    figure = [Cell("figure1", "entropy_score", "|r| of the fit", 0.95, 3, 0.951)]
    for item, cells in (("table1", TABLE_CELLS), ("figure1", figure)):
        storage.write_table(own / f"cells/{item}.csv", pd.DataFrame(cells))
    texts = {row: f"A **bold** sentence of {row}" for row in ("chrF", "EE-chrF")}
    storage.write_table(own / "table1.csv", layout(TABLE_CELLS, texts))
    storage.write_text(own / "figure1.svg", SVG)
    ledger = audit(paper, pd.DataFrame([*TABLE_CELLS, *figure]), [])
    storage.write_table(folder / "audit.csv", ledger)
