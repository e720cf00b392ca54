# Difficulties of a set's segments and hypotheses, and what weightings are fitted to them.


rule estimate_difficulty:
    input:
        evalset=texts_of_estimator,
        source=lambda w: PLAN.difficulty_sources(name_of_set(w), w.difficulty),
    output:
        "<set>/difficulty/{difficulty}.npz",
    log:
        "<logs>/estimate_difficulty/{campaign}.{pair}.{difficulty}.log",
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: 8 if model_folder(w) else 1
    resources:
        mem_mb=difficulty_memory,
        runtime=difficulty_runtime,
        gpu=lambda w: int(bool(model_folder(w)) and difficulty_estimator(w).device != "cpu"),
    params:
        code=lambda w: code.checksum("estimate_difficulty", *difficulty_modules(w)),
        settings=difficulty_settings,
        metric=difficulty_metric,
        content=difficulty_content,
        location=untracked(difficulty_location),
    script:
        "../scripts/estimate_difficulty.py"


rule fit_weightings:
    input:
        evalset="<set>/texts.json",
        difficulties=lambda w: PLAN.difficulty_files(name_of_set(w)),
    output:
        "<set>/weightings.json",
    log:
        "<logs>/fit_weightings/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20),
    params:
        code=lambda w: code.checksum(
            "fit_weightings",
            *[each for each in score_modules(w) if not each.startswith("metrics/")],
        ),
        difficulties=lambda w: set_of(w).difficulties,
        weightings=lambda w: score_settings(w)["weightings"],
        tuned=lambda w: set_of(w).all_tuned,
    script:
        "../scripts/fit_weightings.py"


rule ablate_weighting:
    input:
        files=lambda w: PLAN.score_files(ablated_set(w)),
    output:
        "<results>/papers/{paper}/ablation.csv",
    log:
        "<logs>/ablate_weighting/{paper}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20, minutes=(5, 1)),
    params:
        code=lambda w: code.checksum("ablate_weighting", *modules_of_scores(ablated_set(w))),
        name=ablated_set,
        settings=lambda w: PLAN.score_settings(ablated_set(w)),
        ablation=lambda w: PAPERS[w.paper]["ablation"],
        metrics=lambda w: outputs.ablated_metrics(PLAN, w.paper),
        seed=config["seed"],
    script:
        "../scripts/ablate_weighting.py"
