# The papers' tables and figures, and the audit.


rule build_table:
    input:
        files=lambda w: outputs.item_inputs(PLAN, w.paper, w.table),
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
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("build_table", *modules_of_scores(*sets_of(table_of(w)))),
        table=table_of,
        sets=lambda w: sets_of(table_of(w)),
        systems=lambda w: outputs.systems(PLAN, w.paper),
        types=lambda w: outputs.metric_types(PLAN, w.paper),
        tuned=lambda w: {name: SETS[name].all_tuned for name in sets_of(table_of(w))},
        left_out=lambda w: outputs.left_out(PLAN, w.paper),
        substitutes=lambda w: outputs.substitutions(PLAN, w.paper),
        settings=lambda w: outputs.item_settings(PLAN, table_of(w)),
        printed=lambda w: PAPERS[w.paper].get("inputs", {}),
    script:
        "../scripts/build_table.py"


rule tabulate_significance:
    input:
        significance=files_of_table_sets("significance.csv"),
        controls=files_of_table_sets("controls.csv"),
        missing=files_of_table_sets("missing.csv"),
    output:
        csv="<results>/papers/{paper}/{table}_statistics.csv",
        md="<results>/papers/{paper}/{table}_statistics.md",
    log:
        "<logs>/tabulate_significance/{paper}.{table}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("tabulate_significance"),
        table=table_of,
        sets=lambda w: sets_of(table_of(w)),
        left_out=lambda w: outputs.left_out(PLAN, w.paper),
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
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("plot_figure", *modules_of_scores(*sets_of(figure_of(w)))),
        settings=lambda w: outputs.item_settings(PLAN, figure_of(w)),
        figure=figure_of,
        sets=lambda w: sets_of(figure_of(w)),
        systems=lambda w: outputs.systems(PLAN, w.paper),
        types=lambda w: outputs.metric_types(PLAN, w.paper),
        printed=lambda w: PAPERS[w.paper].get("inputs", {}),
        left_out=lambda w: outputs.left_out(PLAN, w.paper),
        substitutes=lambda w: outputs.substitutions(PLAN, w.paper),
        config=lambda w: config if figure_of(w)["kind"] == "rule_graph" else {},
    script:
        "../scripts/plot_figure.py"


rule check_claims:
    input:
        cells=lambda w: outputs.cells_of_paper(PLAN, w.paper),
        files=lambda w: outputs.claim_inputs(PLAN, w.paper),
    output:
        csv=report(
            "<results>/papers/{paper}/claims.csv",
            caption="../report/claims.rst",
            category="{paper}",
            labels={"item": "claims"},
        ),
        md="<results>/papers/{paper}/claims.md",
    log:
        "<logs>/check_claims/{paper}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("check_claims"),
        claims=lambda w: PAPERS[w.paper]["claims"],
        sets=lambda w: outputs.sets_of_claims(PAPERS[w.paper]),
        substitutes=lambda w: outputs.substitutions(PLAN, w.paper),
    script:
        "../scripts/check_claims.py"


rule audit_papers:
    input:
        cells=[file for paper in PAPERS for file in outputs.cells_of_paper(PLAN, paper)],
        claims=[
            f"{RESULTS}/papers/{paper}/claims.csv" for paper in PAPERS if "claims" in PAPERS[paper]
        ],
    output:
        report("<results>/audit.csv", caption="../report/audit.rst", category="Everything"),
    log:
        "<logs>/audit_papers.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("audit_papers"),
        causes={paper: PAPERS[paper].get("causes", []) for paper in PAPERS},
    script:
        "../scripts/audit_papers.py"
