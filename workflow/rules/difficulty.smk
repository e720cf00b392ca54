# Alignments, chunk entropy, and EE's parameters.


rule align_hypotheses:
    input:
        evalset="<set>/texts.json",
    output:
        "<set>/entropy/{aligner}.npz",
    log:
        "<logs>/align_hypotheses/{campaign}.{pair}.{aligner}.log",
    conda:
        "../../envs/environment.yaml"
    threads: 2
    resources:
        mem_mb=sized(800, 80),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("align_hypotheses"),
        zero_links=lambda w: set_of(w).EE["zero_links"],
    script:
        "../scripts/align_hypotheses.py"


rule estimate_difficulty:
    input:
        evalset="<set>/texts.json",
        entropy=entropy_of,
    output:
        "<set>/difficulty.json",
    log:
        "<logs>/estimate_difficulty/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 20),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("estimate_difficulty"),
        EE=lambda w: set_of(w).EE,
        given=lambda w: set_of(w).given("h", "w"),
    script:
        "../scripts/estimate_difficulty.py"


rule ablate_weighting:
    input:
        evalset=lambda w: PLAN.files(PAPERS[w.paper]["ablation"]["set"], "evalset.json"),
        entropy=lambda w: PLAN.entropy_file(PAPERS[w.paper]["ablation"]["set"]),
        difficulty=lambda w: PLAN.files(PAPERS[w.paper]["ablation"]["set"], "difficulty.json"),
        statistics=lambda w: PLAN.files(
            PAPERS[w.paper]["ablation"]["set"],
            *(f"statistics/{metric}.npz" for metric in paper_items.ablated_metrics(PLAN, w.paper)),
        ),
    output:
        "<results>/papers/{paper}/ablation.csv",
    log:
        "<logs>/ablate_weighting/{paper}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 20),
        runtime=sized(5, 1),
    params:
        code=lambda w: code.checksum("ablate_weighting", *metric_modules(w)),
        ablation=lambda w: PAPERS[w.paper]["ablation"],
        metrics=lambda w: paper_items.ablated_metrics(PLAN, w.paper),
        seed=config["seed"],
    script:
        "../scripts/ablate_weighting.py"
