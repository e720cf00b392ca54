# The papers' tables and figures, and the audit.


def systems_of_paper(paper):
    """How many systems a paper had of each of its sets."""
    return {f"{e['campaign']}/{e['pair']}": e["systems"] for e in PAPERS[paper]["sets"]}


rule build_table:
    input:
        files=table_inputs,
    output:
        cells="<results>/papers/{paper}/cells/{table}.csv",
        csv=report(
            "<results>/papers/{paper}/{table}.csv",
            caption="../report/table.rst",
            category="{paper}",
            labels={"item": "{table}"},
        ),
        md="<results>/papers/{paper}/{table}.md",
        tex="<results>/papers/{paper}/{table}.tex",
    log:
        "<logs>/build_table/{paper}.{table}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("build_table", *metric_modules(w)),
        table=lambda w: PAPERS[w.paper]["tables"][w.table],
        sets=lambda w: sets_of(w, PAPERS[w.paper]["tables"][w.table]),
        systems=lambda w: systems_of_paper(w.paper),
        types=lambda w: metric_types(w.paper),
        left_out=lambda w: left_out(w.paper),
        substitutes=lambda w: substitutions(w.paper),
        DA=lambda w: PAPERS[w.paper].get("DA", config["DA"]),
        printed=lambda w: PAPERS[w.paper].get("inputs", {}),
    script:
        "../scripts/build_table.py"


rule tabulate_significance:
    input:
        significance=lambda w: files_of_table_sets(w, "significance.csv"),
        controls=lambda w: files_of_table_sets(w, "controls.csv"),
        missing=lambda w: files_of_table_sets(w, "missing.csv"),
    output:
        csv="<results>/papers/{paper}/{table}_statistics.csv",
        md="<results>/papers/{paper}/{table}_statistics.md",
    log:
        "<logs>/tabulate_significance/{paper}.{table}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=code.checksum("tabulate_significance"),
        table=lambda w: PAPERS[w.paper]["tables"][w.table],
        sets=lambda w: sets_of(w, PAPERS[w.paper]["tables"][w.table]),
        left_out=lambda w: left_out(w.paper),
    script:
        "../scripts/tabulate_significance.py"


rule plot_figure:
    input:
        files=figure_inputs,
    output:
        cells="<results>/papers/{paper}/cells/{figure}.csv",
        svg=report(
            "<results>/papers/{paper}/{figure}.svg",
            caption="../report/figure.rst",
            category="{paper}",
            labels={"item": "{figure}"},
        ),
        pdf="<results>/papers/{paper}/{figure}.pdf",
    log:
        "<logs>/plot_figure/{paper}.{figure}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("plot_figure", *metric_modules(w)),
        zero_segments=lambda w: PAPERS[w.paper].get("EE", config["EE"])["zero_segments"],
        figure=lambda w: PAPERS[w.paper]["figures"][w.figure],
        sets=lambda w: sets_of(w, PAPERS[w.paper]["figures"][w.figure]),
        systems=lambda w: systems_of_paper(w.paper),
        types=lambda w: metric_types(w.paper),
        printed=lambda w: PAPERS[w.paper].get("inputs", {}),
        left_out=lambda w: left_out(w.paper),
        substitutes=lambda w: substitutions(w.paper),
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
    output:
        report("<results>/audit.csv", caption="../report/audit.rst", category="Everything"),
    log:
        "<logs>/audit_papers.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=code.checksum("audit_papers"),
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
