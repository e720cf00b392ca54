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
            "../../envs/workflow.yaml"
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

    rule synthesise_study:
        input:
            effects=PLAN.files_of_all("study/effects.csv"),
            draws=PLAN.files_of_all("study/draws.npz"),
            nulls=PLAN.files_of_all("study/null_draws.csv"),
            tuned=PLAN.files_of_all("study/tuned.csv"),
            pairs=PLAN.files_of_all("study/pairs.csv"),
            submissions=PLAN.files_of_all("study/submissions.csv"),
            rankings=PLAN.files_of_all("difficulty_and_people.csv"),
        output:
            **{kind: f"{RESULTS}/study/{kind}.csv" for kind in studies.TABLES},
            findings=f"{RESULTS}/study/findings.md",
            text=studies.findings_text(PLAN),
            latex=f"{RESULTS}/study/tables.tex",
            registration=f"{RESULTS}/study/registration.json",
        log:
            "<logs>/synthesise_study.log",
        conda:
            "../../envs/workflow.yaml"
        resources:
            mem_mb=sized(800, 10),
            runtime=sized(5, 1),
        params:
            code=lambda w: code.checksum("synthesise_study"),
            study=STUDY,
            sets={name: studies.facts(PLAN, name) for name in SETS},
            checksum=studies.study_checksum(config),
            seed=config["seed"],
        script:
            "../scripts/synthesise_study.py"

    rule plot_study:
        input:
            **{kind: f"{RESULTS}/study/{kind}.csv" for kind in studies.DRAWN},
        output:
            svg=studies.figure_files(PLAN, "svg"),
            pdf=studies.figure_files(PLAN, "pdf"),
        log:
            "<logs>/plot_study.log",
        localrule: True
        conda:
            "../../envs/workflow.yaml"
        params:
            code=lambda w: code.checksum("plot_study"),
            contrast=studies.first_primary(STUDY),
        script:
            "../scripts/plot_study.py"

    rule render_study:
        input:
            **{kind: f"{RESULTS}/study/{kind}.csv" for kind in studies.TABLES},
            text=studies.findings_text(PLAN),
            registration=f"{RESULTS}/study/registration.json",
            svg=studies.figure_files(PLAN, "svg"),
            template=sources("report/study.html.j2"),
            templates=sources("report/*.html.j2"),
            style=sources("report/report.css"),
            behaviour=sources("report/tables.js"),
        output:
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
        script:
            "../scripts/render_study.py"

    rule study:
        input:
            studies.outputs(PLAN),
