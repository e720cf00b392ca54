# System scores, and their correlation with human scores.


rule score_systems:
    input:
        files=score_files,
    output:
        scores="<set>/system_scores.csv",
        missing="<set>/missing.csv",
    log:
        "<logs>/score_systems/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20),
    params:
        **scored("score_systems"),
    script:
        "../scripts/score_systems.py"


rule export_scores:
    input:
        files=[file for name in SETS for file in PLAN.score_files(name)],
    output:
        directory("<results>/export"),
    log:
        "<logs>/export_scores.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50),
    params:
        code=lambda w: code.checksum("export_scores", *modules_of_scores(*SETS)),
        sets={name: PLAN.score_settings(name) for name in SETS},
    script:
        "../scripts/export_scores.py"


rule correlate:
    input:
        files=score_files,
    output:
        mean=report(
            "<set>/correlations.csv",
            caption="../report/correlations.rst",
            category="{campaign}/{pair}",
            labels={"item": "correlations"},
        ),
        spread="<set>/correlation_spread.csv",
        top_scores="<set>/top_scores.csv",
    log:
        "<logs>/correlate/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 2)),
    params:
        **scored("correlate", statistics=config["statistics"]),
        subsets=config["random_subsets"],
        seed=config["seed"],
    script:
        "../scripts/correlate.py"


rule assess_correlations:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "missing.csv"),
    output:
        significance="<set>/significance.csv",
        comparisons="<set>/system_comparisons.csv",
        intervals="<set>/system_intervals.csv",
    log:
        "<logs>/assess_correlations/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 60, minutes=(5, 2)),
    params:
        **scored("assess_correlations", statistics=config["statistics"]),
        significance=config["significance"],
        sizes=config["random_subsets"]["sizes"],
        printed=lambda w: outputs.printed_sizes(PLAN, name_of_set(w)),
        seed=config["seed"],
    script:
        "../scripts/assess_correlations.py"


rule compare_metrics:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "missing.csv"),
    output:
        agreement="<set>/agreement.csv",
        tests="<set>/metric_tests.csv",
        ranks="<set>/metric_ranks.txt",
    log:
        "<logs>/compare_metrics/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 60, minutes=(5, 5)),
    params:
        **scored("compare_metrics", statistics=config["statistics"]),
        resamples=config["significance"]["resamples"],
        seed=config["seed"],
    script:
        "../scripts/compare_metrics.py"


rule average_sets:
    input:
        agreement=PLAN.files_of_all("agreement.csv"),
        evalsets=PLAN.files_of_all("evalset.json"),
    output:
        csv=f"{RESULTS}/metrics_task.csv",
        md=f"{RESULTS}/metrics_task.md",
    log:
        "<logs>/average_sets.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("average_sets"),
        sets={name: each.reference or "" for name, each in SETS.items()},
        tuned=sorted({name for each in SETS.values() for name in each.all_tuned}),
    script:
        "../scripts/average_sets.py"
