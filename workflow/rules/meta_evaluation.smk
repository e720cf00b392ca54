# System scores, and their correlation with human scores.


rule score_systems:
    input:
        evalset=SET + "/evalset.json",
        entropy=f"{SET}/entropy/{config['EE']['aligner']}.npz",
        difficulty=SET + "/difficulty.json",
        statistics=lambda w: [
            f"{RESULTS}/{w.campaign}/{w.pair}/statistics/{metric}.npz"
            for metric in entry_of(w)["metrics"]
        ],
        code=modules("weighting"),
    output:
        scores=SET + "/system_scores.csv",
        missing=SET + "/missing.csv",
    log:
        LOGS + "/score_systems/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        metrics=lambda w: entry_of(w)["metrics"],
    script:
        "../scripts/score_systems.py"


rule correlate:
    input:
        evalset=SET + "/evalset.json",
        scores=SET + "/system_scores.csv",
        code=modules("correlation"),
    output:
        mean=SET + "/correlations.csv",
        spread=SET + "/correlation_spread.csv",
    log:
        LOGS + "/correlate/{campaign}.{pair}.log",
    benchmark:
        LOGS + "/correlate/{campaign}.{pair}.tsv"
    conda:
        "../../envs/environment.yaml"
    params:
        metrics=lambda w: entry_of(w)["metrics"],
        subsets=config["random_subsets"],
        seed=config["seed"],
    script:
        "../scripts/correlate.py"
