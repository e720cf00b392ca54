"""Whether people rank systems on difficult segments as on the others, by difficulty."""

import numpy as np
import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_set
from mt_difficulty.evidence.controls import RANKING_COLUMNS, rank_by_difficulty


def main(snakemake):
    params, rows = snakemake.params, []
    files = read_set(params.name, snakemake.input.files)
    found = files.read("evalset.json")
    found.require_gold()
    found.require_segment_gold()
    people = np.array(found.segment_gold, dtype=float)
    for name, entry in files.read("weightings.json")["difficulties"].items():
        if entry["unit"] == "token":
            continue
        if entry["missing"]:
            rows.append([name, *[np.nan] * (len(RANKING_COLUMNS) - 2), entry["missing"]])
            continue
        difficulty = files.read(f"difficulty/{name}.npz")["difficulty"]
        rng = np.random.default_rng(params.seed)  # the same subsets for all
        rows.append(rank_by_difficulty(difficulty, people, params.draws, rng).row(name))
    storage.write_table(snakemake.output[0], pd.DataFrame(rows, columns=RANKING_COLUMNS))


if "snakemake" in globals():
    run(main, snakemake)
