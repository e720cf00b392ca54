# System scores, and their correlation with human scores.


rule score_systems:
    input:
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: files_of_metrics(w, "statistics", set_of(w).metrics),
        DA=lambda w: files_of_metrics(w, "DA", set_of(w).neural),
    output:
        scores="<set>/system_scores.csv",
        missing="<set>/missing.csv",
    log:
        "<logs>/score_systems/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 20),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("score_systems", *metric_modules(w)),
        metrics=lambda w: set_of(w).metrics,
        DA=lambda w: set_of(w).DA,
    script:
        "../scripts/score_systems.py"


rule correlate:
    input:
        evalset="<set>/evalset.json",
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: files_of_metrics(w, "statistics", set_of(w).metrics),
        # Token difficulty is that of the systems at hand: DA scores of a subset are its own.
        matches=matches_of_set,
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
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(700, 50),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("correlate", *metric_modules(w), *statistic_modules()),
        statistics=config["statistics"],
        metrics=lambda w: set_of(w).metrics,
        neural=lambda w: set_of(w).neural,
        DA=lambda w: set_of(w).DA,
        subsets=config["random_subsets"],
        seed=config["seed"],
    script:
        "../scripts/correlate.py"


rule assess_correlations:
    input:
        evalset="<set>/evalset.json",
        missing="<set>/missing.csv",
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: files_of_metrics(w, "statistics", set_of(w).metrics),
        matches=matches_of_set,
    output:
        significance="<set>/significance.csv",
        comparisons="<set>/system_comparisons.csv",
        intervals="<set>/system_intervals.csv",
    log:
        "<logs>/assess_correlations/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 2
    resources:
        mem_mb=sized(800, 60),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum(
            "assess_correlations", *metric_modules(w), *statistic_modules()
        ),
        statistics=config["statistics"],
        metrics=lambda w: set_of(w).metrics,
        neural=lambda w: set_of(w).neural,
        DA=lambda w: set_of(w).DA,
        significance=config["significance"],
        sizes=config["random_subsets"]["sizes"],
        printed=lambda w: paper_items.printed_sizes(PLAN, name_of_set(w)),
        seed=config["seed"],
    script:
        "../scripts/assess_correlations.py"
