"""What a study takes on one set: 12 systems, 1,500 segments, 10 metrics, 6 weightings, 2,000 joint
resamples.

    PYTHONPATH=workflow/scripts python bench/study_speed.py [nulls]

Prints seconds of CPU, the most memory, and both for 113 such sets on two cores.
"""

import resource
import sys
import time

import numpy as np

from mt_difficulty.data.evalset import EvaluationSet, SetFiles
from mt_difficulty.evidence import study as studies
from mt_difficulty.scores import ScoredSet, settings_of
from mt_difficulty.settings.study import Contrast, Study

SYSTEMS, SEGMENTS, SETS, CORES = 12, 1500, 113, 2
GROUPS = {"type": "EE", "difficulty": "given"}
WEIGHTINGS = {
    "EE": GROUPS | {"easy_weight": 0.4},
    "fixed": GROUPS | {"threshold": "hypotheses_0.9", "easy_weight": 0.36},
    "quantile": GROUPS | {"threshold": "quantile_0.9", "easy_weight": 0.36},
    "proportional": {"type": "proportional", "difficulty": "given"},
    "softmax": {"type": "proportional", "difficulty": "given", "softmax": 1.0},
    "hardest": {"type": "hardest", "difficulty": "given", "share": 0.25},
}


def make_set(study):
    """A set of random scores."""
    rng, names = np.random.default_rng(0), [f"s{i:02d}" for i in range(SYSTEMS)]
    shape, texts = (SYSTEMS, SEGMENTS), [f"text {i}" for i in range(SEGMENTS)]
    people = rng.normal(size=shape) + np.arange(SYSTEMS)[:, None] / 10
    found = EvaluationSet(
        campaign="wmt99",
        pair="en-de",
        reference_name="refA",
        gold_name="mqm",
        systems=names,
        gold=people.mean(axis=1).tolist(),
        source=texts,
        reference=texts,
        hypotheses=[texts] * SYSTEMS,
        segment_gold=people.tolist(),
    )
    metrics = {"BLEU": {"type": "bleu"}, "chrF": {"type": "chrf"}}
    metrics |= {f"stored{i}": {"type": "stored"} for i in range(8)}
    settings = settings_of(
        {
            "metrics": metrics,
            "matches": {},
            "difficulties": {"given": {"type": "file", "file": "x"}},
            "weightings": WEIGHTINGS,
        }
    )
    entry = {"unit": "segment", "difficulty": "given", "missing": ""}
    entry |= {"parameters": {}, "signature": ""}
    described = {"missing": "", "uses_gold": False}
    contents = {
        "evalset.json": found,
        "weightings.json": {
            "difficulties": {"given": described},
            "weightings": dict.fromkeys(WEIGHTINGS, entry),
        },
        "difficulty/given.npz": {"difficulty": rng.random(shape), "signature": "x"},
    }
    for name, each in metrics.items():
        kinds = 10 if each["type"] == "bleu" else 1
        statistics = rng.integers(1, 40, (*shape, kinds)).astype(float)
        contents[f"statistics/{name}.npz"] = {
            "statistics": statistics,
            "systems": np.array(names),
            "signature": "x",
        }
    scores = ScoredSet(SetFiles("x", contents), settings)
    return studies.StudyScores(scores, found, settings.weightings, {}, study, seed=0)


def main(nulls=0):
    contrasts = {name: Contrast(name) for name in WEIGHTINGS}
    contrasts["EE"] = Contrast("EE", nulls=["permuted", "permuted_length", "random_subset"])
    tiers = {"surface": ["BLEU", "chrF"], "learned": ["stored*"]}
    study = Study(contrasts, tiers, resamples=2000, nulls=nulls)
    start = time.process_time()
    scores, rows = make_set(study), []
    for contrast in study.contrasts:
        rows += studies.effect_rows(scores, contrast)
        rows += studies.null_rows(scores, contrast)
    seconds = time.process_time() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    minutes = seconds * SETS / CORES / 60
    print(
        f"{seconds:.1f} s of CPU, {memory:.2f} GB; {SETS} sets on {CORES} cores: {minutes:.0f} min"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
