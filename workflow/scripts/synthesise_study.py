"""A study over its sets: pooled contrasts, nulls, pairs of systems, and what they say."""

from contextlib import suppress
from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import study, study_tables
from mt_difficulty.evidence.contrasts import MEAN
from mt_difficulty.evidence.findings import findings
from mt_difficulty.evidence.pair_model import pair_model
from mt_difficulty.evidence.study_power import power_table
from mt_difficulty.evidence.synthesis import DRAWN, pool
from mt_difficulty.evidence.synthesis_nulls import against_chance, pool_nulls
from mt_difficulty.run import studies

GROUPS = ["contrast", "tier", "statistic", "phase"]
NO_SETS = "no set of the study has human scores and texts"


def registration(path, checksum):
    """The study's checksum, and those of earlier runs into the same folder: a file beside the
    results keeps them, which no rule makes anew."""
    kept = Path(path).with_name("registered.txt")
    earlier = kept.read_text(encoding="utf-8").split() if kept.exists() else []
    if checksum not in earlier:
        storage.write_text(kept, "\n".join([*earlier, checksum]) + "\n")
    return {"checksum": checksum, "earlier": [each for each in earlier if each != checksum]}


def read_draws(names, files):
    """Effects on the resamples of all sets, a column each, by DRAWN."""
    frames = []
    for name, file in zip(names, files, strict=True):
        with suppress(Missing):
            arrays = storage.read_arrays(file)
            index = {"set": name} | {key: arrays[key] for key in DRAWN[1:]}
            frames.append(pd.DataFrame(arrays["draws"]).assign(**index).set_index(DRAWN))
    return pd.concat(frames)


def describe(text, tables, known):
    """The findings in words and tables, as markdown."""
    parts = [f"# {known['title']}", text]
    for heading, (head, rows) in tables.items():
        parts += [f"## {heading}", study_tables.markdown(head, rows)]
    parts.append(f"SHA-256 of the study: `{known['registration']['checksum']}`.")
    if earlier := known["registration"]["earlier"]:
        parts.append(f"The study was changed after a first run: {', '.join(earlier)}.")
    return "\n\n".join(part.strip() for part in parts) + "\n"


def write_findings(output, text, shown, known):
    """The findings as text, markdown and LaTeX, and the study's checksum."""
    storage.write_text(output.findings, describe(text, shown, known))
    storage.write_text(output.text, text + "\n")
    storage.write_text(
        output.latex, "\n".join(study_tables.latex(*each) for each in shown.values())
    )
    storage.write_json(output.registration, known["registration"])


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    facts = {name: study.SetFacts(*each) for name, each in params.sets.items()}
    of_sets, left_out = read_tables(facts, snakemake.input.effects)
    if not of_sets:
        raise Missing(NO_SETS)
    golds = {name: next(iter(each.pop("gold")), "") for name, each in of_sets.items()}
    facts |= {name: facts[name]._replace(gold=gold) for name, gold in golds.items()}
    effects, found = study.gather(of_sets, facts), {}
    for kind in ("nulls", "tuned", "pairs", "submissions", "rankings"):
        found[kind] = study.gather(read_tables(facts, snakemake.input[kind])[0], facts)
    draws = read_draws(facts, snakemake.input.draws)
    means = effects[effects.metric == MEAN]
    contrasts = params.study["contrasts"]
    primary = studies.primary(params.study)
    pooled = pool(study.both_phases(means), GROUPS, params.study["margin"], primary, draws)
    nulls = pool_nulls(means, found["nulls"])
    pooled["against_chance"] = against_chance(pooled, nulls)
    pairs = pair_model(found["pairs"], params.seed)
    overall = study.overall(pooled)
    tested = overall[overall.contrast.isin(primary or list(contrasts))]
    power = power_table(means, tested, draws, params.seed)
    text = findings(effects, overall, pairs, found["tuned"], contrasts, nulls, power)
    known = {
        "title": params.study["title"],
        "registration": registration(output.findings, params.checksum),
    }
    of_outcome = pooled[pooled.statistic == study.PRIMARY]
    shown = {
        "Questions": study_tables.questions_table(overall, contrasts),
        "Power": study_tables.power_rows(power),
        "Evaluation sets": study_tables.sets_table(effects, primary or list(contrasts)),
        "Human rankings on the hardest tenth": study_tables.rankings_table(found["rankings"]),
        "Pooled contrasts": study_tables.pooled_table(of_outcome),
    }
    write_findings(output, text, shown, known)
    left_out = pd.DataFrame(left_out.items(), columns=["set", "reason"])
    submissions = study.submissions_table(
        effects, found["submissions"], studies.first_primary(params.study)
    )
    frames = {"synthesis": pooled, "effects": effects, "nulls": nulls, "pairs": pairs}
    frames |= {"left_out": left_out, "submissions": submissions, "power": power}
    frames |= {kind: found[kind] for kind in ("tuned", "rankings")}
    for kind, frame in frames.items():
        storage.write_table(getattr(output, kind), frame)


if "snakemake" in globals():
    run(main, snakemake)
