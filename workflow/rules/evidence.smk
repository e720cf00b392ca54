# Intervals and tests of correlations and gains, nulls, parameters of other sets; complexity.


rule assess_set:
    input:
        files=lambda w: score_files(w)
        + files_of_set(w, "system_scores.csv", "missing.csv", "correlations.csv"),
    output:
        significance="<set>/significance.csv",
        comparisons="<set>/system_comparisons.csv",
        intervals="<set>/system_intervals.csv",
        agreement="<set>/agreement.csv",
        tests="<set>/metric_tests.csv",
        ranks="<set>/metric_ranks.txt",
        controls="<set>/controls.csv",
        surface="<set>/surface.npz",
        points="<set>/parameters.csv",
    log:
        "<logs>/assess_set/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 60, minutes=(5, 9)),
    params:
        **scored("assess_set", statistics=config["statistics"]),
        significance=config["significance"],
        random_subsets=config["random_subsets"],
        printed=lambda w: outputs.printed_sizes(PLAN, name_of_set(w)),
        controls=config["controls"],
        seed=config["seed"],
    script:
        "../scripts/assess_set.py"


rule average_sets:
    input:
        agreement=PLAN.files_of_all("agreement.csv"),
        evalsets=PLAN.files_of_all("evalset.json"),
        template=sources("report/metrics_task.md.j2"),
    output:
        csv=f"{RESULTS}/metrics_task.csv",
        md=f"{RESULTS}/metrics_task.md",
    log:
        "<logs>/average_sets.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("average_sets"),
        sets={name: planned.reference or "" for name, planned in SETS.items()},
        tuned=sorted({name for planned in SETS.values() for name in planned.all_tuned}),
    script:
        "../scripts/average_sets.py"


rule hold_out_parameters:
    input:
        surfaces=PLAN.files_of_all("surface.npz"),
        points=PLAN.files_of_all("parameters.csv"),
        template=sources("report/held_out.md.j2"),
    output:
        csv="<results>/held_out.csv",
        md="<results>/held_out.md",
    log:
        "<logs>/hold_out_parameters.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum("hold_out_parameters"),
        # Sets of the same texts, with another reference or gold, are not held out from each other.
        texts={name: f"{planned.campaign}/{planned.pair}" for name, planned in SETS.items()},
    script:
        "../scripts/hold_out_parameters.py"


rule analyse_complexity:
    input:
        files=[
            file
            for name, planned in SETS.items()
            if planned.in_complexity
            for file in PLAN.files(
                name,
                "texts.json",
                *[f"statistics/{metric}.npz" for metric in planned.metrics],
            )
        ],
        template=sources("report/complexity.md.j2"),
    output:
        readability="<results>/complexity/readability.csv",
        text_types="<results>/complexity/text_types.csv",
        correlations="<results>/complexity/correlations.csv",
        normalised="<results>/complexity/normalised_scores.csv",
        spread="<results>/complexity/spread.csv",
        summary="<results>/complexity/summary.md",
    log:
        "<logs>/analyse_complexity.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 10),
    params:
        code=lambda w: code.checksum(
            "analyse_complexity",
            *{f"metrics/{kind}" for planned in SETS.values() for kind in planned.types.values()},
        ),
        metrics={name: planned.types for name, planned in SETS.items() if planned.in_complexity},
        references=config["complexity"]["reference_texts"] or {},
    script:
        "../scripts/analyse_complexity.py"


rule judge_sentinels:
    input:
        [
            file
            for name in SETS
            for file in [
                *PLAN.files(name, "evalset.json"),
                *PLAN.files(name, *(f"statistics/{metric}.npz" for metric in SETS[name].metrics)),
                *PLAN.difficulty_files(name),
            ]
        ],
    output:
        "<results>/sentinels/agreement.csv",
    log:
        "<logs>/judge_sentinels.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(1500, 20, minutes=(5, 2)),
    params:
        code=lambda w: code.checksum(
            "judge_sentinels",
            *{f"metrics/{kind}" for planned in SETS.values() for kind in planned.types.values()},
        ),
        metrics={name: planned.types for name, planned in SETS.items()},
        difficulties={name: planned.estimated for name, planned in SETS.items()},
        resampling={name: config["significance"][name] for name in ("resamples", "unit")},
        seed=config["seed"],
    script:
        "../scripts/judge_sentinels.py"
