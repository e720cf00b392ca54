# What a run makes, and what to look at first.


def final_outputs():
    """Every result, be it read by others or not: whichever is deleted is made again."""
    files = [file for paper in PAPERS for item in paper_items(paper).values() for file in item]
    files += index_files()
    for name in SETS:
        files += page_files_of_set(name) + files_of_set(name, *SET_FILES)
        for encoder in encoders_of_set(name):
            files += files_of_set(name, f"matches/{encoder}.npz", f"matches/{encoder}.json")
        if SETS[name]["required"]:
            files += set_figures(name)
    files += [file for name in checked_sets() for file in files_of_set(name, "check.json")]
    files += [f"{RESULTS}/audit.csv"] * bool(PAPERS)
    if SETS:
        files += rules.hold_out_parameters.output
        files += rules.analyse_complexity.output
    return files + [PAGE, CHECKS, SUMMARY]


def checked_outputs():
    """Every result that exists when the checks run: all but the last two."""
    return [file for file in final_outputs() if file not in (CHECKS, SUMMARY)]


def kept_outputs():
    """What a run makes and keeps: results, and what they are made from."""
    campaigns = {entry["campaign"] for entry in SETS.values() if "files" not in entry}
    ablations = [f"{RESULTS}/papers/{paper}/ablation.csv" for paper in PAPERS]
    return final_outputs() + [f"{RESULTS}/archive/{name}" for name in sorted(campaigns)] + ablations


def at_execution(action):
    """Have a run begin with `action`, before it looks at the files that are there; what only lists
    something does not. `action` is told whether it is a dry run."""
    execute = workflow.execute

    def begin(executor_plugin, **settings):
        if not executor_plugin.common_settings.touch_exec:
            action(executor_plugin.common_settings.dryrun_exec)
        return execute(executor_plugin=executor_plugin, **settings)

    workflow.execute = begin


def remove_damaged(dry):
    """Have results and WordNet made again that are not what their jobs wrote, as after a power
    cut; a dry run says which."""
    if not any(Path(RESULTS, name).exists() for name in ("logs/run.lock", "provenance")):
        return  # No run was here: files of these names are the user's.
    with lock.alone(RESULTS) as alone:
        if not alone:
            return
        kept = kept_outputs()
        found = integrity.unnoted(kept) | integrity.damaged(RESULTS, kept)
        if not config["archive"]:
            found |= integrity.stale_campaigns(RESULTS, Path(ARCHIVE))
        spoilt = downloads.damaged_files(Path(WORDNET))
        told = [f"{path}: {difference}" for path, difference in found.items()]
        told += [f"{path}: not the file that was fetched" for path in spoilt]
        for line in told[:TOLD]:
            print(f"notice: {line}; it is made again", file=sys.stderr)
        if len(told) > TOLD:
            print(f"notice: {len(told) - TOLD} more files are made again", file=sys.stderr)
        if not dry:
            try:
                integrity.remove(RESULTS, found)
                if spoilt:
                    shutil.rmtree(WORDNET)
            except OSError as error:
                raise WorkflowError(explain(error))


def set_figures(name):
    plots = plots_of_set(name)
    return files_of_set(
        name, *(f"figures/{plot}.{end}" for plot in plots for end in ("svg", "pdf"))
    )


def checked_sets():
    """Sets of a synthetic campaign, of which it is known what is hard."""
    return [name for name in SETS if "truth" in config and "files" not in SETS[name]]


def truth_file(wildcards):
    return f"{config['truth']}/{entry_of(wildcards)['pair']}.json"


def has_gold(name):
    return "files" not in SETS[name] or own_files.has_gold(SETS[name]["files"])


def places_to_look():
    """What a user would open first."""
    sets = [name for name in SETS if SETS[name]["required"]]
    files = [f"{PAGE} (everything below for a browser, a page for each set)"]
    files += [
        f"{RESULTS}/papers/{paper}/ (tables as csv, md, tex; figures as svg, pdf)"
        for paper in PAPERS
    ]
    for name in sets:
        files += files_of_set(name, "system_scores.csv")
        if has_gold(name):
            files += files_of_set(name, "correlations.csv", "figures/top_k.svg")
        files += files_of_set(name, *["figures/token_heat_map.svg"] * bool(neural_metrics(name)))
    files += [f"{RESULTS}/held_out.md"] * (sum(map(has_gold, SETS)) > 1)
    return files + [f"{RESULTS}/complexity/summary.md"] * bool(SETS)


# What the page of a set shows, beside its tables.
PAGE_FILES = (
    "evalset.json",
    "difficulty.json",
    "missing.csv",
    "system_comparisons.csv",
    "surface.npz",
    "parameters.csv",
)


def index_files():
    """What the index is made from, and the pages that it links."""
    files = []
    for name in SETS:
        files += files_of_set(name, "report.html", "report.json")
    for paper in PAPERS:
        folder = f"{RESULTS}/papers/{paper}"
        files += [f"{folder}/cells/{item}.csv" for item in paper_items(paper)]
        files += [f for item in paper_items(paper).values() for f in item if f.endswith(".csv")]
        files += [f"{folder}/{figure}.svg" for figure in PAPERS[paper]["figures"]]
    return files


def page_files_of_set(name):
    """Everything that the page of a set is made from."""
    files = files_of_set(name, *PAGE_FILES, *SET_TABLES)
    files += files_of_set(name, *(f"encoders/{encoder}.json" for encoder in encoders_of_set(name)))
    files += [entropy_file(name)]
    files += files_of_set(name, *(f"statistics/{metric}.npz" for metric in SETS[name]["metrics"]))
    files += files_of_set(name, *(f"DA/{metric}.npz" for metric in neural_metrics(name)))
    files += files_of_set(name, *(f"matches/{e}.npz" for e in encoders_of_set(name)[:1]))
    # Of the papers' many sets the page shows less, so that it stays small.
    if SETS[name]["required"]:
        files += files_of_set(name, "system_intervals.csv")
        files += files_of_set(name, *(f"figures/{plot}.svg" for plot in plots_of_set(name)))
    return files


def page_settings(name):
    """What the page must know of a set to read its files."""
    entry = SETS[name]
    return {
        # Hard segments, to be looked at one by one.
        "shown": 20 if entry["required"] else 6,
        "types": types_of_set(name),
        "DA": entry["DA"],
    }


def page_paper(paper):
    """A paper's title and captions."""
    found = {key: PAPERS[paper][key] for key in ("title", "authors", "year")}
    for kind in ("tables", "figures"):
        found[kind] = {name: item["caption"] for name, item in PAPERS[paper][kind].items()}
    return found
