# The papers' tables and figures, and the audit.


def sets_of(wildcards, item):
    """The evaluation sets that a table or figure names."""
    found = [item["set"]] if "set" in item else item.get("sets", [])
    if item["kind"] == "ablation":
        found = [PAPERS[wildcards.paper]["ablation"]["set"]]
    return list(dict.fromkeys(found + [c["set"] for c in item.get("columns", [])]))


def table_inputs(wildcards):
    """What each set contributes, by kind of table; `build_table` finds a file by its path."""
    item = PAPERS[wildcards.paper]["tables"][wildcards.table]
    files = {
        "correlations": [
            "evalset.json",
            "correlations.csv",
            "correlation_spread.csv",
            "missing.csv",
            "difficulty.json",
        ],
        "parameters": [
            "evalset.json",
            "correlations.csv",
            "correlation_spread.csv",
            "missing.csv",
            "difficulty.json",
        ],
        "case_study": ["evalset.json", "difficulty.json", f"entropy/{config['EE']['aligner']}.npz"],
    }.get(item["kind"], [])
    found = [file for name in sets_of(wildcards, item) for file in files_of_set(name, *files)]
    return found + [f"{RESULTS}/papers/{wildcards.paper}/ablation.csv"] * (
        item["kind"] == "ablation"
    )


rule build_table:
    input:
        files=table_inputs,
        code=modules("tables"),
    output:
        cells=RESULTS + "/papers/{paper}/cells/{table}.csv",
        csv=RESULTS + "/papers/{paper}/{table}.csv",
        md=RESULTS + "/papers/{paper}/{table}.md",
        tex=RESULTS + "/papers/{paper}/{table}.tex",
    log:
        LOGS + "/build_table/{paper}.{table}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        table=lambda w: PAPERS[w.paper]["tables"][w.table],
        systems=lambda w: {
            f"{e['campaign']}/{e['pair']}": e["systems"] for e in PAPERS[w.paper]["sets"]
        },
        neural=lambda w: {metric: NEURAL_REASON for metric in PAPERS[w.paper]["neural"]},
        results=RESULTS,
    script:
        "../scripts/build_table.py"


def figure_inputs(wildcards):
    item = PAPERS[wildcards.paper]["figures"][wildcards.figure]
    files = {
        "entropy_score": [
            f"entropy/{config['EE']['aligner']}.npz",
            f"statistics/{item.get('metric')}.npz",
        ],
        "top_k": ["correlations.csv"],
        "entropy_distribution": [f"entropy/{config['EE']['aligner']}.npz"],
        "balance_fit": ["difficulty.json"],
    }.get(item["kind"], [])
    return [file for name in sets_of(wildcards, item) for file in files_of_set(name, *files)]


rule plot_figure:
    input:
        files=figure_inputs,
        code=modules("figures"),
    output:
        cells=RESULTS + "/papers/{paper}/cells/{figure}.csv",
        svg=RESULTS + "/papers/{paper}/{figure}.svg",
        pdf=RESULTS + "/papers/{paper}/{figure}.pdf",
    log:
        LOGS + "/plot_figure/{paper}.{figure}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        zero_segments=config["EE"]["zero_segments"],
        figure=lambda w: PAPERS[w.paper]["figures"][w.figure],
        type=lambda w: PAPERS[w.paper]["metrics"]
        .get(PAPERS[w.paper]["figures"][w.figure].get("metric"), {})
        .get("type"),
        neural=lambda w: {metric: NEURAL_REASON for metric in PAPERS[w.paper]["neural"]},
        results=RESULTS,
        config=lambda w: (
            config if PAPERS[w.paper]["figures"][w.figure]["kind"] == "rule_graph" else {}
        ),
    script:
        "../scripts/plot_figure.py"


rule audit_papers:
    input:
        cells=[
            f"{RESULTS}/papers/{paper}/cells/{item}.csv"
            for paper in PAPERS
            for item in paper_items(paper)
        ],
        code=modules("audit"),
    output:
        RESULTS + "/audit.csv",
    log:
        LOGS + "/audit_papers.log",
    conda:
        "../../envs/environment.yaml"
    params:
        causes={paper: PAPERS[paper].get("causes", []) for paper in PAPERS},
    script:
        "../scripts/audit_papers.py"


# Partial targets: one paper (liu2022) or one item of it (liu2022_table2).
for paper in PAPERS:

    rule:
        name:
            paper
        input:
            [file for files in paper_items(paper).values() for file in files],

    for item, files in paper_items(paper).items():

        rule:
            name:
                f"{paper}_{item}"
            input:
                files,
