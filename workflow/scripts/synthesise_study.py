"""A study over its sets: pooled contrasts, nulls, pairs of systems, and what they say."""

from contextlib import suppress
from pathlib import Path

import pandas as pd

from job import run
from mt_difficulty import storage
from mt_difficulty.data.set_files import read_tables
from mt_difficulty.errors import Missing
from mt_difficulty.evidence import findings, study, synthesis
from mt_difficulty.evidence.pair_model import pair_model
from mt_difficulty.run import studies

GROUPS = [*synthesis.KEYS, "phase"]
NO_SETS = "no set of the study has human scores and texts"
KINDS = ("nulls", "tuned", "pairs", "submissions", "rankings")  # tables of sets beside the effects


def registration(path, checksum):
    """The study's checksum, and those of earlier runs into the same folder: a file beside the
    results keeps them, which no rule makes anew."""
    kept = Path(path).with_name("registered.txt")
    earlier = kept.read_text(encoding="utf-8").split() if kept.exists() else []
    if checksum not in earlier:
        storage.write_text(kept, "\n".join([*earlier, checksum]) + "\n")
    return {"checksum": checksum, "earlier": [each for each in earlier if each != checksum]}


def main(snakemake):
    params, output = snakemake.params, snakemake.output
    facts = {name: study.SetFacts(*each) for name, each in params.sets.items()}
    of_sets, left_out = read_tables(facts, snakemake.input.effects)
    if not of_sets:
        raise Missing(NO_SETS)
    golds = {name: next(iter(each.pop("gold")), "") for name, each in of_sets.items()}
    facts |= {name: facts[name]._replace(gold=gold) for name, gold in golds.items()}
    frames = {"effects": study.gather(of_sets, facts)}
    for kind in KINDS:
        frames[kind] = study.gather(read_tables(facts, snakemake.input[kind])[0], facts)
    draws = []
    for name, file in zip(facts, snakemake.input.draws, strict=True):
        with suppress(Missing):
            arrays = storage.read_arrays(file)
            index = {"set": name} | {key: arrays[key] for key in synthesis.KEYS}
            drawn = pd.DataFrame(arrays["draws"]).assign(**index)
            draws.append(drawn.set_index(synthesis.DRAWN))
    draws = pd.concat(draws)

    contrasts, margin = params.study["contrasts"], params.study["margin"]
    primary = studies.primary(params.study)
    shown = primary or list(contrasts)
    effects, means = frames["effects"], frames["effects"][frames["effects"].metric == study.MEAN]
    both = pd.concat([means.assign(phase=study.EVERY_PHASE), means], ignore_index=True)
    pooled = synthesis.pool(both, GROUPS, margin, primary, draws)
    nulls = synthesis.pool_nulls(means, frames["nulls"])
    pooled["against_chance"] = synthesis.against_chance(pooled, nulls)
    pairs, overall = pair_model(frames["pairs"], params.seed), study.overall(pooled)
    tested = overall[overall.contrast.isin(shown)]
    power = synthesis.power_table(means, tested, draws, params.seed)
    submissions = study.submissions_table(
        effects, frames["submissions"], studies.first_primary(params.study)
    )
    frames |= {"synthesis": pooled, "nulls": nulls, "pairs": pairs, "power": power}
    frames |= {"submissions": submissions}
    frames["left_out"] = pd.DataFrame(left_out.items(), columns=["set", "reason"])
    for kind, frame in frames.items():
        storage.write_table(getattr(output, kind), frame)

    text = findings.study_findings(
        effects, overall, pairs, frames["tuned"], contrasts, nulls, power
    )
    tables = {
        "Questions": findings.questions_table(overall, contrasts),
        "Power": findings.power_rows(power),
        "Evaluation sets": findings.sets_table(effects, shown),
        "Human rankings on the hardest tenth": findings.rankings_table(frames["rankings"]),
        "Pooled contrasts": findings.pooled_table(pooled[pooled.statistic == study.PRIMARY]),
    }
    registered = registration(output.findings, params.checksum)
    parts = [f"# {params.study['title']}", text]
    for heading, table in tables.items():
        parts += [f"## {heading}", findings.markdown(*table).strip()]
    parts.append(f"SHA-256 of the study: `{registered['checksum']}`.")
    if earlier := registered["earlier"]:
        parts.append(f"The study was changed after a first run: {', '.join(earlier)}.")
    storage.write_text(output.findings, "\n\n".join(parts) + "\n")
    storage.write_text(output.text, text + "\n")
    storage.write_text(output.latex, "\n".join(findings.latex(*each) for each in tables.values()))
    storage.write_json(output.registration, registered)


if "snakemake" in globals():
    run(main, snakemake)
