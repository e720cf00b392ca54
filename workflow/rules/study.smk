# A study: contrasts of weightings on every set, and their synthesis over sets.

if STUDY := PLAN.study:
    DEVELOPMENT = [x for x in SETS if outputs.is_development(STUDY, SETS[x].campaign)]

    rule choose_elsewhere:
        input:
            files=[file for name in DEVELOPMENT for file in PLAN.score_files(name)],
        output:
            f"{RESULTS}/study/elsewhere.json",
        log:
            "<logs>/choose_elsewhere.log",
        conda:
            "../../envs/workflow.yaml"
        resources:
            **needs(800, 60, minutes=(5, 1)),
        params:
            code=lambda w: code.checksum("choose_elsewhere", *modules_of_scores(*SETS)),
            sets={name: PLAN.score_settings(name) for name in DEVELOPMENT},
            campaigns={name: planned.campaign for name, planned in SETS.items()},
            elsewhere=STUDY.elsewhere,
        script:
            "../scripts/choose_elsewhere.py"

    rule contrast_weightings:
        input:
            files=score_files,
            elsewhere=rules.choose_elsewhere.output,
        output:
            effects="<set>/study/effects.csv",
            draws="<set>/study/draws.npz",
            nulls="<set>/study/null_draws.csv",
            tuned="<set>/study/tuned.csv",
            pairs="<set>/study/pairs.csv",
            submissions="<set>/study/submissions.csv",
        log:
            "<logs>/contrast_weightings/{campaign}.{pair}.log",
        conda:
            "../../envs/workflow.yaml"
        resources:
            **needs(1000, 60, minutes=(5, 5)),
        params:
            **scored("contrast_weightings", statistics=config["statistics"]),
            study=STUDY,
            unit=config["significance"]["unit"],
            seed=config["seed"],
        script:
            "../scripts/contrast_weightings.py"

    rule synthesise_study:
        input:
            effects=PLAN.files_of_all("study/effects.csv"),
            draws=PLAN.files_of_all("study/draws.npz"),
            nulls=PLAN.files_of_all("study/null_draws.csv"),
            tuned=PLAN.files_of_all("study/tuned.csv"),
            pairs=PLAN.files_of_all("study/pairs.csv"),
            submissions=PLAN.files_of_all("study/submissions.csv"),
            rankings=PLAN.files_of_all("difficulty_and_gold.csv"),
            sentences=sources("report/study_findings.txt.j2"),
        output:
            **{kind: f"{RESULTS}/study/{kind}.csv" for kind in outputs.STUDY_TABLES},
            text=f"{RESULTS}/study/findings.txt",
            registration=f"{RESULTS}/study/registration.json",
        log:
            "<logs>/synthesise_study.log",
        conda:
            "../../envs/workflow.yaml"
        resources:
            **needs(800, 10, minutes=(5, 1)),
        params:
            code=lambda w: code.checksum("synthesise_study"),
            study=STUDY,
            sets=outputs.study_facts(PLAN, STUDY),
            checksum=outputs.study_checksum(config),
            seed=config["seed"],
        script:
            "../scripts/synthesise_study.py"

    rule render_study:
        input:
            **page_sources("study"),
            tables=[f"{RESULTS}/study/{kind}.csv" for kind in outputs.STUDY_TABLES],
            text=f"{RESULTS}/study/findings.txt",
            registration=f"{RESULTS}/study/registration.json",
        output:
            svg=[f"{RESULTS}/study/{name}.svg" for name in outputs.STUDY_FIGURES],
            pdf=[f"{RESULTS}/study/{name}.pdf" for name in outputs.STUDY_FIGURES],
            page=f"{RESULTS}/study/report.html",
            findings=f"{RESULTS}/study/findings.js",
        log:
            "<logs>/render_study.log",
        localrule: True
        conda:
            "../../envs/workflow.yaml"
        params:
            code=lambda w: code.checksum("render_study"),
            study=STUDY,
            contrast=[*STUDY.primary, *STUDY.contrasts][0],
        script:
            "../scripts/render_study.py"

    rule study:
        input:
            rules.synthesise_study.output,
            rules.render_study.output,
