"""`mt-difficulty validate`: check a config and its data, and say what a run would take."""

import json
import sys
import tempfile
from pathlib import Path

from .. import archive as archives
from .. import encoders, evalset
from ..errors import InputError, Missing
from ..metrics import METRICS
from . import estimate, note
from .plan import ask, checkout, merge, read_yaml, schema_problems
from .text import aligned


def run(arguments):
    """Print the plan, and every problem on stderr; 1 if there is one."""
    root, config_file = checkout(), arguments.config.resolve()
    config = merge(read_yaml(root / "config.yaml"), read_yaml(config_file))
    archive = arguments.archive and arguments.archive.resolve()
    problems, plans = schema_problems(root, config), []
    if not problems:
        plans, problems = ask(root, config_file, config, archive)
    totals = []
    for plan in plans:
        problems += check_plan(root, plan, totals)
    print_totals(totals)
    for problem in dict.fromkeys(problems):
        print(f"ERROR: {problem}", file=sys.stderr)
    print(f"{len(dict.fromkeys(problems)) or 'no'} problem{'s' * (len(problems) != 1)} found")
    return int(bool(problems))


def check_plan(root, plan, totals):
    """Check the data of a plan's sets, and print what would be done; returns problems.

    Adds each set's steps and gigabytes of disk to `totals`.
    """
    problems, archive = [], root / plan["archive"]
    if not archive.exists():
        note(f"{archive} is not here yet (a run downloads it, 0.9 GB): its data is not checked.")
    campaigns = {}
    for name, entry in plan["sets"].items():
        campaigns.setdefault(entry["campaign"], []).append((name, entry))
    for campaign, sets in campaigns.items():
        with tempfile.TemporaryDirectory() as temporary:
            folder = Path(temporary) / campaign
            try:
                if archive.exists():
                    archives.unpack_campaign(archive, campaign, folder)
            except InputError as error:
                return [*problems, str(error)]
            except Missing as missing:
                required = any(entry["required"] for _, entry in sets)
                problems += [str(missing)] * required
                note(f"{campaign}: {missing}") if not required else None
            for name, entry in sets:
                problems += check_set(root, name, entry, folder, plan["resamples"], totals)
    return problems


def check_set(root, name, entry, folder, resamples, totals):
    """Check one set, and print its plan; returns problems."""
    problems, found = [], None
    if folder.is_dir():
        found, trouble = read_set(entry, folder)
        problems += [f"{name}: {text}" for text in trouble]
    sizes = {}
    for encoder, settings in entry["encoders"].items():
        try:
            sizes[encoder] = encoder_size(root, encoder, settings)
        except InputError as error:
            problems.append(str(error))
    describe(name, entry, found)
    if found and found.reference:
        size = estimate.measure(found)
        kinds = {metric: settings["type"] for metric, settings in entry["metrics"].items()}
        steps = estimate.steps(size, kinds, sizes, resamples)
        print("\n".join(aligned([("step", "time", "memory", "from"), *map(row, steps)], "<>><")))
        totals.append((steps, estimate.disk(size, kinds, sizes)))
    return problems


def read_set(entry, folder):
    """The evaluation set, None if it cannot be read, and its problems."""
    keys = ("pair", "reference", "gold", "exclude")
    given = {key: entry[key] for key in keys if key in entry}
    try:
        found = evalset.read_evaluation_set(
            folder, entry["campaign"], texts_required=entry["required"], **given
        )
    except InputError as error:
        return None, [str(error).replace(f"{folder}/", f"{folder.name}/")]
    except Missing as missing:
        note(str(missing))
        return None, []
    if found.texts_missing:
        note(found.texts_missing)
    return found, stored_problems(entry, found, folder)


def stored_problems(entry, found, folder):
    """Problems of the archive's own scores; those that are not there only give a notice."""
    problems = []
    for name, settings in entry["metrics"].items():
        if settings["type"] != "stored":
            continue
        try:
            METRICS["stored"](entry["pair"], settings.get("name", name)).evaluate(found, folder)
        except Missing as missing:
            note(f"{name}: {missing}")
        except InputError as error:
            problems.append(str(error).replace(f"{folder}/", f"{folder.name}/"))
    return problems


def encoder_size(root, name, settings):
    """What an encoder's cost depends on; the width is None where it is not here yet.

    Raises
    ------
    InputError
        A folder without a whole model.
    """
    layer = settings["layer"]
    if "folder" in settings:
        folder = root / settings["folder"]
        encoders.whole(name, folder)
    elif "hub" in settings:
        folder = root / encoders.hub_folder(name, settings["revision"])
        if not (folder / encoders.WHOLE).exists():
            note(f"encoder {name} is not here yet: a run fetches {settings['hub']}.")
            return {"layer": layer, "width": None, "weights": None}
    else:
        return {"layer": layer, "width": settings["hidden_size"], "weights": None}
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    weights = sum(file.stat().st_size for file in folder.glob("*.safetensors"))
    return {"layer": layer, "width": config["hidden_size"], "weights": weights}


def describe(name, entry, found):
    """Print what a set consists of."""
    print(f"{name}: reference {entry['reference']}, gold {entry['gold']}")
    if found:
        segments = f"{len(found.reference):,} segments" if found.reference else "scores only"
        print(f"  {len(found.systems)} systems, {segments}")
        for system, why in found.left_out.items():
            print(f"  left out: {system} ({why})")
    print(f"  metrics: {', '.join(entry['metrics'])}")
    for encoder, settings in entry["encoders"].items():
        print(f"  encoder: {encoder}, layer {settings['layer']}, {settings['dtype']}")


def row(step):
    """A step as a line of the table."""
    return step.name, duration(step.seconds), f"{step.memory:.1f} GB", step.basis


def duration(seconds):
    """A time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def print_totals(totals):
    """Print what all sets take together."""
    steps = [step for found, _ in totals for step in found]
    if steps:
        print(
            f"In all about {duration(sum(step.seconds for step in steps))} of jobs, one after the "
            f"other, on two cores; at most {max(step.memory for step in steps):.1f} GB of memory a "
            f"job; {1000 * sum(size for _, size in totals):,.0f} MB of results, beside the archive "
            "and encoders. Estimates from a few constants, right within a factor of about two; "
            "set-up, tables and figures are not counted."
        )
