"""Combine a study's sets: pooled contrasts, nulls, pairs of systems, and the findings."""

from contextlib import suppress
from pathlib import Path

import pandas as pd

from job import job
from mt_difficulty import page, storage
from mt_difficulty.data.evalset import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import study, synthesis
from mt_difficulty.page import study as texts
from mt_difficulty.tables import TABLES

GROUPS = [*synthesis.KEYS, "phase"]
KINDS = ("nulls", "tuned", "pairs", "submissions", "rankings")  # tables of sets beside the effects


def registration(path, checksum):
    """Return the study's checksum and those of earlier runs into the same folder, from a file next
    to the results that no rule remakes."""
    record = Path(path).with_name("registered.txt")
    earlier = record.read_text(encoding="utf-8").split() if record.exists() else []
    if checksum not in earlier:
        storage.write_text(record, "\n".join([*earlier, checksum]) + "\n")
    return {"checksum": checksum, "earlier": [former for former in earlier if former != checksum]}


def read_draws(sets, files):
    """Read the effects on resamples of all sets, indexed by synthesis.DRAWN."""
    draws = []
    for name, file in zip(sets, files, strict=True):
        with suppress(Missing):
            arrays = storage.read_arrays(file)
            index = {"set": name} | {key: arrays[key] for key in synthesis.KEYS}
            draws.append(pd.DataFrame(arrays["draws"]).assign(**index).set_index(synthesis.DRAWN))
    return pd.concat(draws)


def gather(tables, facts):
    """Concatenate the tables of several sets, with `set` and FACTS (from `facts`, by set) as first
    columns; a table without rows if all are empty."""
    with_facts = [
        pd.DataFrame({"set": name, **facts.loc[name]}, index=table.index).join(table)
        for name, table in tables.items()
    ]
    filled = [table for table in with_facts if len(table)]
    if filled:
        return pd.concat(filled, ignore_index=True)
    return pd.concat(with_facts[:1] or [pd.DataFrame()], ignore_index=True)


@job
def main(snakemake):
    params = snakemake.params
    files = snakemake.input
    output = snakemake.output
    contrasts = params.study.contrasts
    primary = params.study.primary
    facts = pd.DataFrame.from_dict(params.sets, orient="index", columns=study.FACTS)
    tables, left_out = read_tables(params.sets, files.effects)
    if not tables:
        raise Missing("no set of the study has human scores and texts")
    for name, table in tables.items():
        facts.loc[name, "gold"] = next(iter(table.pop("gold")), "")
    effects = gather(tables, facts)
    draws = read_draws(params.sets, files.draws)
    columns = TABLES["study/left_out.csv"].names()
    frames = {
        "effects": effects,
        "left_out": pd.DataFrame(left_out.items(), columns=columns),
    }
    for kind in KINDS:
        frames[kind] = gather(read_tables(params.sets, files[kind])[0], facts)
    if frames["rankings"].empty:  # no set has human scores of segments
        frames["rankings"] = pd.DataFrame(columns=TABLES["study/rankings.csv"].names())

    means = effects[effects.metric == study.MEAN]
    phases = pd.concat([means.assign(phase=study.EVERY_PHASE), means], ignore_index=True)
    pooled = synthesis.pool(phases, GROUPS, params.study.margin, primary, draws)
    nulls = synthesis.pool_nulls(means, frames["nulls"])
    pooled["against_chance"] = synthesis.against_chance(pooled, nulls)
    overall = pooled[(pooled.statistic == study.PRIMARY) & (pooled.phase == study.EVERY_PHASE)]
    shown = primary or list(contrasts)
    power = synthesis.power_table(means, overall[overall.contrast.isin(shown)], draws, params.seed)
    pairs = synthesis.pair_model(frames["pairs"], params.seed)
    frames["synthesis"] = pooled
    frames["nulls"] = nulls
    frames["pairs"] = pairs
    frames["power"] = power
    frames["submissions"] = study.submissions_table(effects, frames["submissions"], shown[0])
    for kind, frame in frames.items():
        storage.write_table(getattr(output, kind), frame, TABLES[f"study/{kind}.csv"])

    numbers = texts.study_numbers(effects, overall, contrasts)
    text = page.paragraph(page.text(files.sentences[0], numbers))
    storage.write_text(output.text, text + "\n")
    storage.write_json(output.registration, registration(output.text, params.checksum))
