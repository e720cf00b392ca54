# Segment statistics of every metric, difficulties, weightings, the scores of systems, their
# correlations with human scores, and human rankings by difficulty.


# One rule a set, as its files depend on the set: the metrics that need no encoder and no program. Those that need
# WordNet have a rule of their own, so that WordNet's absence concerns no other. Rules without
# wildcards go before others.
for PLANNED in SETS.values():
    for OF_WORDNET in (False, True):
        LABEL = re.sub(r"\W", "_", PLANNED.name) + "_wordnet" * OF_WORDNET
        NAMES = [
            name
            for name in PLANNED.types
            if name not in (*PLANNED.encoders, *PLANNED.commands)
            and needs_wordnet(PLANNED, name) == OF_WORDNET
        ]
        if SCORED := settings_of_metrics(PLANNED, NAMES):

            rule:
                name:
                    f"score_segments_{LABEL}"
                input:
                    evalset=f"{RESULTS}/{PLANNED.name}/texts.json",
                    wordnet=rules.retrieve_wordnet.output if OF_WORDNET else [],
                output:
                    [f"{RESULTS}/{PLANNED.name}/statistics/{metric}.npz" for metric in SCORED],
                log:
                    f"<logs>/score_segments/{LABEL}.log",
                group:
                    "set"
                conda:
                    "../../envs/workflow.yaml"
                resources:
                    **needs(700, 50, minutes=(5, 4), name=PLANNED.name),
                params:
                    code=lambda w, scored=SCORED: metric_code(scored),
                    metrics=SCORED,
                    content=lambda w, planned=PLANNED, scored=SCORED: stored_content(
                        planned, scored
                    ),
                    locations=lambda w, input, planned=PLANNED, scored=SCORED: stored_locations(
                        planned, scored
                    ),
                script:
                    "../scripts/score_segments.py"


rule score_matches:
    input:
        evalset="<set>/texts.json",
        matches=matches_of_metric,
    output:
        "<set>/statistics/{metric}.npz",
    log:
        "<logs>/score_segments/{campaign}.{pair}.{metric}.log",
    # A job on a cluster knows its own rules alone: BLEU must not seem to be made here.
    wildcard_constraints:
        metric=alternatives(name for planned in SETS.values() for name in planned.encoders),
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 5)),
    params:
        code=lambda w: metric_code(settings_of_metrics(set_of(w), [w.metric])),
        metrics=lambda w: settings_of_metrics(set_of(w), [w.metric]),
        locations={},
    script:
        "../scripts/score_segments.py"


rule run_metric:
    input:
        texts="<set>/texts.json",
    output:
        "<set>/statistics/{metric}.npz",
    log:
        "<logs>/run_metric/{campaign}.{pair}.{metric}.log",
    wildcard_constraints:
        metric=alternatives(name for planned in SETS.values() for name in planned.commands),
    conda:
        environment_of_metric
    # The program may be a large model, as COMET is.
    threads: 8
    resources:
        **needs(16000, 50, minutes=(60, 60)),
        gpu=1,
    params:
        code=lambda w: code.checksum("run_metric"),
        settings=lambda w: json.dumps(set_of(w).commands[w.metric].arguments),
        content=content_of_command,
        # The metric's command alone runs in the environment: this Python has the package.
        script=untracked(lambda w: [sys.executable, str(ROOT / "scripts/run_metric.py")]),
    shell:
        "{params.script:q} {wildcards.metric:q} {params.settings:q} {input:q} {output:q} {log:q}"


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


rule ablate_weighting:
    input:
        files=lambda w: PLAN.score_files(ablated_set(w))
        + PLAN.files(ablated_set(w), "correlations.csv"),
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
        ablation=lambda w: dict(PAPERS[w.paper].ablation),
        metrics=lambda w: outputs.ablated_metrics(PLAN, w.paper),
        seed=config["seed"],
    script:
        "../scripts/ablate_weighting.py"


rule score_systems:
    input:
        files=lambda w: [file for file in score_files(w) if not file.endswith("weightings.json")],
    output:
        weightings="<set>/weightings.json",
        scores="<set>/system_scores.csv",
        missing="<set>/missing.csv",
        correlations=report(
            "<set>/correlations.csv",
            caption="../report/correlations.rst",
            category="{campaign}/{pair}",
            labels={"item": "correlations"},
        ),
        spread="<set>/correlation_spread.csv",
        top_scores="<set>/top_scores.csv",
        rankings="<set>/difficulty_and_gold.csv",
    log:
        "<logs>/score_systems/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 2)),
    params:
        **scored("score_systems", statistics=config["statistics"]),
        tuned=lambda w: set_of(w).all_tuned,
        # Within dicts, since Snakemake compares parameters without their names.
        random_subsets=config["random_subsets"],
        controls=config["controls"],
        significance={"unit": config["significance"]["unit"]},
        seed=config["seed"],
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
