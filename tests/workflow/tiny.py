"""A tiny campaign, made of the demo's, whose run has a job of every rule."""

import json
import shutil

import yaml

SEGMENTS, SYSTEMS = 40, ("alder", "ash", "birch", "cedar", "elm", "refA")
SET = {"campaign": "tiny", "pair": "en-de", "reference": "refA", "gold": "mqm"}
PAPER = """
title: A Tiny Paper
authors: Nobody
year: 2026
method: {name: EE, cells: [{item: table1, row: EE-chrF}]}
sets: [{campaign: tiny, pair: en-de, reference: refA, gold: mqm, systems: 5}]
metrics: {chrF: {type: chrf}}
ablation:
  set: tiny/en-de
  weighting: EE
  thresholds: {h = µ + 1.5σ: {printed: 0.3, deviations: 1.5}}
  splits: 20
tables:
  table1:
    kind: correlations
    caption: Correlations.
    columns: [{label: En→De, set: tiny/en-de, subset: all}]
    rows: [{metric: chrF, weighting: EE, published: [0.9, 0.8, 0.9]}]
  table2:
    kind: ablation
    caption: Ablation.
    set: tiny/en-de
    published: {metric: chrF, standard: [null, null, 0.9, 0.8, 0.9]}
claims:
- id: r of EE
  where: Abstract
  statement: EE-chrF has an r of 0.9.
  published: 0.9
  digits: 1
  check: {kind: product, item: table1, factors: [[EE-chrF, En→De r]]}
figures:
  figure1: {kind: top_k, caption: The best., set: tiny/en-de, metrics: [chrF]}
"""
CONFIG = {
    "results": "results/tiny",
    "papers": ["tiny"],
    "evaluation_sets": [SET],
    "metrics": {"BERTScore": {"type": "bertscore"}, "METEOR": {"type": "meteor"}},
    "encoders": {"random": {"hidden_size": 64, "layers": 1, "device": "cpu"}},
    "substitute_encoders": {"de": "random"},
    "random_subsets": {"sizes": [4], "draws": 20},
    "significance": {"resamples": 100, "draws": 2},
    "controls": {"draws": 100},
    "truth": "tiny/truth",
}


def write_campaign(demo, folder, pair="en-de"):
    """Write some systems and the first segments of the demo's En→De as a campaign's pair."""

    def cut(name, lines):
        target = folder / name.replace("en-de", pair)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("".join(lines), encoding="utf-8")

    def lines_of(name):
        return (demo / name).read_text(encoding="utf-8").splitlines(keepends=True)

    outputs = [f"system-outputs/en-de/{system}.txt" for system in SYSTEMS]
    texts = ["sources/en-de.txt", "references/en-de.refA.txt", "documents/en-de.docs"]
    for name in [*texts, *outputs]:
        cut(name, lines_of(name)[:SEGMENTS])
    gold = lines_of("human-scores/en-de.mqm.sys.score")
    cut("human-scores/en-de.mqm.sys.score", [x for x in gold if x.split()[0] in SYSTEMS])
    lines = lines_of("human-scores/en-de.mqm.seg.score")
    scores = [[x for x in lines if x.split()[0] == system][:SEGMENTS] for system in SYSTEMS]
    cut("human-scores/en-de.mqm.seg.score", [x for own in scores for x in own])


def write_project(root, **settings):
    """Put the campaign, its truth, a paper on it and a config into a copy of the project."""
    write_campaign(root / "data/demo/archive/demo", root / "tiny/mt-metrics-eval-v2/tiny")
    truth = json.loads((root / "data/demo/truth/en-de.json").read_text())
    truth["hard_segments"] = [x for x in truth["hard_segments"] if x < SEGMENTS]
    truth["hard_tokens"] = {k: x for k, x in truth["hard_tokens"].items() if int(k) < SEGMENTS}
    (root / "tiny/truth").mkdir()
    (root / "tiny/truth/en-de.json").write_text(json.dumps(truth))
    (root / "workflow/papers/tiny.yaml").write_text(PAPER, encoding="utf-8")
    (root / "tiny.yaml").write_text(yaml.safe_dump(CONFIG | settings))
    return root


def pack(root, folder):
    """The campaign as an archive of the official form."""
    name = shutil.make_archive(folder / "archive", "gztar", root / "tiny", "mt-metrics-eval-v2")
    return folder / name
