# The bench of difficulty estimators: every difficulty of every set with human scores of segments.


rule judge_estimators:
    input:
        evalset="<set>/evalset.json",
        difficulties=lambda w: PLAN.difficulty_files(name_of_set(w)),
    output:
        **{table: f"<set>/estimators/{table}.csv" for table in outputs.BENCH_SET_TABLES},
    log:
        "<logs>/judge_estimators/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    threads: 2
    resources:
        **needs(1500, 60, minutes=(5, 5)),
    params:
        code=lambda w: code.checksum("judge_estimators"),
        name=name_of_set,
        difficulties=lambda w: list(set_of(w).difficulties),
        estimated=lambda w: set_of(w).estimated,
        resampling={name: config["significance"][name] for name in ("resamples", "unit")},
        seed=config["seed"],
    script:
        "../scripts/judge_estimators.py"


rule rank_estimators:
    input:
        **{
            table: PLAN.files_of_all(f"estimators/{table}.csv")
            for table in outputs.BENCH_SET_TABLES
        },
        **page_sources("estimators"),
    output:
        **{table: f"{RESULTS}/estimators/{table}.csv" for table in outputs.BENCH_TABLES},
        text=f"{RESULTS}/estimators/findings.txt",
        svg=[f"{RESULTS}/estimators/{name}.svg" for name in outputs.BENCH_FIGURES],
        pdf=[f"{RESULTS}/estimators/{name}.pdf" for name in outputs.BENCH_FIGURES],
        page=f"{RESULTS}/estimators/report.html",
        findings=f"{RESULTS}/estimators/findings.js",
    log:
        "<logs>/rank_estimators.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("rank_estimators"),
        sets={name: [planned.campaign, planned.pair] for name, planned in SETS.items()},
    script:
        "../scripts/rank_estimators.py"


rule difficulty:
    input:
        PLAN.files_of_all(*(f"estimators/{table}.csv" for table in outputs.BENCH_SET_TABLES)),
        rules.rank_estimators.output,
