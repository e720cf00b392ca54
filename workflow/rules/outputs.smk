# What a run makes, and what to look at first.


def final_outputs():
    files = [file for paper in PAPERS for item in paper_items(paper).values() for file in item]
    for name in SETS:
        files += files_of_set(name, *SET_TABLES)
        if SETS[name]["required"]:
            files += set_figures(name)
    if SETS:
        files += rules.hold_out_parameters.output
        files += rules.analyse_complexity.output
    return files + [f"{RESULTS}/audit.csv"] * bool(PAPERS) + [PAGE, SUMMARY]


def set_figures(name):
    plots = plots_of_set(name)
    return files_of_set(
        name, *(f"figures/{plot}.{end}" for plot in plots for end in ("svg", "pdf"))
    )


def checked_sets():
    """Sets of a synthetic campaign, of which it is known what is hard."""
    return [name for name in SETS if "truth" in config and "files" not in SETS[name]]


def has_gold(name):
    return "files" not in SETS[name] or own_files.has_gold(SETS[name]["files"])


def places_to_look():
    """What a user would open first."""
    sets = [name for name in SETS if SETS[name]["required"]]
    files = [f"{PAGE} (everything below on one page, for a browser)"]
    files += [
        f"{RESULTS}/papers/{paper}/ (tables as csv, md, tex; figures as svg, pdf)"
        for paper in PAPERS
    ]
    for name in sets:
        files += files_of_set(name, "system_scores.csv")
        if has_gold(name):
            files += files_of_set(name, "correlations.csv", "figures/top_k.svg")
        files += files_of_set(name, *["figures/token_heat_map.svg"] * bool(neural_metrics(name)))
    files += [f"{RESULTS}/held_out.md"] * any(map(has_gold, SETS))
    return files + [f"{RESULTS}/complexity/summary.md"] * bool(SETS)
