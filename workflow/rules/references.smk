# Sets that differ in their reference alone, side by side.


rule compare_references:
    input:
        files=lambda w: references.files_of_group(PLAN, name_of_set(w)),
    output:
        **{table: f"<set>/references/{table}.csv" for table in references.TABLES},
    log:
        "<logs>/compare_references/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    threads: 2
    resources:
        mem_mb=sized(1500, 120),
        runtime=sized(10, 60),
    params:
        code=lambda w: code.checksum(
            "compare_references", *modules_of_scores(*groups_of_references(w))
        ),
        sets=lambda w: {
            name: [SETS[name].reference, PLAN.score_settings(name)]
            for name in groups_of_references(w)
        },
        seed=config["seed"],
    script:
        "../scripts/compare_references.py"


rule describe_references:
    input:
        **{table: references.table_files(PLAN, table) for table in references.TABLES},
    output:
        references.findings_text(PLAN),
    log:
        "<logs>/describe_references.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("describe_references"),
        groups=list(references.groups(PLAN)),
    script:
        "../scripts/describe_references.py"


rule references:
    input:
        references.findings_text(PLAN),
