# Segment statistics of every metric, difficulties, weightings, and the scores of systems.


rule score_segments:
    input:
        evalset="<set>/texts.json",
        source=metric_source,
        wordnet=lambda w: (
            rules.retrieve_wordnet.output
            if METRICS[set_of(w).types[w.metric]].needs_wordnet
            else []
        ),
    output:
        "<set>/statistics/{metric}.npz",
    log:
        "<logs>/score_segments/{campaign}.{pair}.{metric}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 5)),
    params:
        code=lambda w: code.checksum(
            "score_segments",
            f"metrics/{set_of(w).types[w.metric]}",
            *["data/text_files"] * set_of(w).reads_stored(w.metric),
        ),
        settings=metric_settings,
        content=stored_content,
        location=untracked(stored_folder),
    script:
        "../scripts/score_segments.py"


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
