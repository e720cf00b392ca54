# A study: contrasts of weightings on every set, and their synthesis over sets.

if "study" in config:
    STUDY = config["study"]

    rule choose_elsewhere:
        input:
            files=[
                file for name in studies.development_sets(PLAN) for file in PLAN.score_files(name)
            ],
        output:
            f"{RESULTS}/study/elsewhere.json",
        log:
            "<logs>/choose_elsewhere.log",
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=sized(800, 60),
            runtime=sized(5, 1),
        params:
            code=lambda w: code.checksum("choose_elsewhere", *modules_of_scores(*SETS)),
            sets={name: PLAN.score_settings(name) for name in studies.development_sets(PLAN)},
            campaigns={name: each.campaign for name, each in SETS.items()},
            elsewhere=STUDY.get("elsewhere", {}),
        script:
            "../scripts/choose_elsewhere.py"

    rule contrast_weightings:
        input:
            files=score_files,
            elsewhere=rules.choose_elsewhere.output,
        output:
            effects="<set>/study/effects.csv",
            nulls="<set>/study/null_draws.csv",
            tuned="<set>/study/tuned.csv",
            pairs="<set>/study/pairs.csv",
            submissions="<set>/study/submissions.csv",
        log:
            "<logs>/contrast_weightings/{campaign}.{pair}.log",
        conda:
            "../../envs/environment.yaml"
        resources:
            mem_mb=sized(1000, 60),
            runtime=sized(5, 5),
        params:
            code=lambda w: code.checksum(
                "contrast_weightings", *score_modules(w), *statistic_modules()
            ),
            name=name_of_set,
            campaign=lambda w: set_of(w).campaign,
            settings=score_settings,
            study=STUDY,
            seed=config["seed"],
        script:
            "../scripts/contrast_weightings.py"

    rule study:
        input:
            studies.outputs(PLAN),
