# System scores, and their correlation with human scores.


rule score_systems:
    input:
        evalset="<set>/evalset.json",
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: [
            f"{RESULTS}/{w.campaign}/{w.pair}/statistics/{metric}.npz"
            for metric in entry_of(w)["metrics"]
        ],
        code=modules("weighting", "metrics/*"),
    output:
        scores="<set>/system_scores.csv",
        missing="<set>/missing.csv",
    log:
        "<logs>/score_systems/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        metrics=lambda w: entry_of(w)["metrics"],
    script:
        "../scripts/score_systems.py"


rule correlate:
    input:
        evalset="<set>/evalset.json",
        scores="<set>/system_scores.csv",
        code=modules("correlation", "metrics/*"),
    output:
        mean="<set>/correlations.csv",
        spread="<set>/correlation_spread.csv",
    log:
        "<logs>/correlate/{campaign}.{pair}.log",
    benchmark:
        "<logs>/correlate/{campaign}.{pair}.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        metrics=lambda w: entry_of(w)["metrics"],
        subsets=config["random_subsets"],
        seed=config["seed"],
    script:
        "../scripts/correlate.py"
