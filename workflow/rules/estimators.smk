# The bench of difficulty estimators: every difficulty of every set with human scores of segments.


rule judge_estimators:
    input:
        evalset="<set>/evalset.json",
        difficulties=lambda w: PLAN.difficulty_files(name_of_set(w)),
    output:
        **{table: f"<set>/estimators/{table}.csv" for table in estimators.SET_TABLES},
    log:
        "<logs>/judge_estimators/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    threads: 2
    resources:
        mem_mb=sized(1500, 60),
        runtime=sized(5, 5),
    params:
        code=lambda w: code.checksum("judge_estimators"),
        name=name_of_set,
        difficulties=lambda w: list(set_of(w).difficulties),
        estimated=lambda w: set_of(w).estimated,
        resamples=config["significance"]["resamples"],
        seed=config["seed"],
    script:
        "../scripts/judge_estimators.py"


rule rank_estimators:
    input:
        values=estimators.set_files(PLAN, "values"),
        tests=estimators.set_files(PLAN, "tests"),
        selection=estimators.set_files(PLAN, "selection"),
    output:
        **{table: f"{RESULTS}/estimators/{table}.csv" for table in estimators.TABLES},
        text=estimators.findings_text(PLAN),
    log:
        "<logs>/rank_estimators.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("rank_estimators"),
        sets={name: [each.campaign, each.pair] for name, each in SETS.items()},
    script:
        "../scripts/rank_estimators.py"


rule plot_estimators:
    input:
        **{table: estimators.set_files(PLAN, table) for table in estimators.DRAWN},
        leaderboard=rules.rank_estimators.output.leaderboard,
        selection=rules.rank_estimators.output.selection,
    output:
        svg=estimators.figure_files(PLAN, "svg"),
        pdf=estimators.figure_files(PLAN, "pdf"),
    log:
        "<logs>/plot_estimators.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("plot_estimators"),
        sets=list(SETS),
    script:
        "../scripts/plot_estimators.py"


rule render_estimators:
    input:
        **{table: f"{RESULTS}/estimators/{table}.csv" for table in estimators.TABLES},
        text=estimators.findings_text(PLAN),
        values=estimators.set_files(PLAN, "values"),
        segments=estimators.set_files(PLAN, "segments"),
        texts=PLAN.files_of_all("texts.json"),
        svg=estimators.figure_files(PLAN, "svg"),
        template=sources("report/estimators.html.j2"),
        templates=sources("report/*.html.j2"),
        style=sources("report/report.css"),
        behaviour=sources("report/tables.js"),
    output:
        page=f"{RESULTS}/estimators/report.html",
        findings=f"{RESULTS}/estimators/findings.js",
    log:
        "<logs>/render_estimators.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("render_estimators"),
        sets=list(SETS),
    script:
        "../scripts/render_estimators.py"


rule difficulty:
    input:
        estimators.outputs(PLAN),
