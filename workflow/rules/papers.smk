# The papers' tables and figures, and the audit. Models of a paper are parameters within dicts and
# lists alone: Snakemake compares no other objects when it looks for changed parameters.

CORRELATION_TABLES = {
    paper: alternatives(
        name for name, table in content.tables.items() if isinstance(table, CorrelationTable)
    )
    for paper, content in PAPERS.items()
}


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
        tables=lambda w: {w.table: table_of(w)},
        inputs=lambda w: outputs.inputs_of_item(PLAN, w.paper, table_of(w)),
    script:
        "../scripts/build_table.py"


# A table of correlations, with the intervals and tests beside it.
use rule build_table as build_correlations with:
    output:
        **rules.build_table.output,
        statistics="<results>/papers/{paper}/{table}_statistics.csv",
    wildcard_constraints:
        paper="|".join(
            f"{paper}(?=/(cells/)?({tables})[._])" for paper, tables in CORRELATION_TABLES.items()
        )
        or "none",


ruleorder: build_correlations > build_table


# The figures of a paper, which differ in number, are drawn by a rule of the paper's.
for paper, content in PAPERS.items():

    rule:
        name:
            f"draw_{paper}"
        input:
            files=sorted(
                {f for name in content.figures for f in outputs.item_inputs(PLAN, paper, name)}
            ),
        output:
            cells=[f"<results>/papers/{paper}/cells/{name}.csv" for name in content.figures],
            svg=[
                report(
                    f"<results>/papers/{paper}/{name}.svg",
                    caption="../report/figure.rst",
                    category=paper,
                    labels={"item": name},
                )
                for name in content.figures
            ],
            pdf=[f"<results>/papers/{paper}/{name}.pdf" for name in content.figures],
        log:
            f"<logs>/draw_figures/{paper}.log",
        group:
            "report"
        conda:
            "../../envs/workflow.yaml"
        resources:
            **needs(600, 10),
        params:
            code=lambda w, figures=content.figures.values(): code.checksum(
                "draw_figures", *modules_of_scores(*{s for f in figures for s in sets_of(f)})
            ),
            paper=paper,
            figures=content.figures,
            inputs={
                name: outputs.inputs_of_item(PLAN, paper, figure)
                for name, figure in content.figures.items()
            },
        script:
            "../scripts/draw_figures.py"


rule check_claims:
    input:
        cells=lambda w: outputs.cells_of_paper(PLAN, w.paper),
        files=lambda w: outputs.claim_inputs(PLAN, w.paper),
    output:
        report(
            "<results>/papers/{paper}/claims.csv",
            caption="../report/claims.rst",
            category="{paper}",
            labels={"item": "claims"},
        ),
    log:
        "<logs>/check_claims/{paper}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("check_claims"),
        claims=lambda w: PAPERS[w.paper].claims,
        inputs=lambda w: outputs.inputs_of_claims(PLAN, w.paper),
    script:
        "../scripts/check_claims.py"


rule audit_papers:
    input:
        cells=[file for paper in PAPERS for file in outputs.cells_of_paper(PLAN, paper)],
        claims=[f"{RESULTS}/papers/{paper}/claims.csv" for paper in PAPERS if PAPERS[paper].claims],
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
        causes={paper: PAPERS[paper].causes for paper in PAPERS},
        methods={paper: PAPERS[paper].method for paper in PAPERS},
    script:
        "../scripts/audit_papers.py"
