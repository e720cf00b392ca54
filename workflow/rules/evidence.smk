# Correlation with human scores, and where the weightings' gains stand: nulls, human rankings by
# difficulty, parameters of other sets; translation complexity.


rule correlate:
    input:
        files=score_files,
    output:
        mean=report(
            "<set>/correlations.csv",
            caption="../report/correlations.rst",
            category="{campaign}/{pair}",
            labels={"item": "correlations"},
        ),
        spread="<set>/correlation_spread.csv",
        top_scores="<set>/top_scores.csv",
    log:
        "<logs>/correlate/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 2)),
    params:
        **scored("correlate", statistics=config["statistics"]),
        subsets=config["random_subsets"],
        seed=config["seed"],
    script:
        "../scripts/correlate.py"


rule assess_correlations:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "missing.csv"),
    output:
        significance="<set>/significance.csv",
        comparisons="<set>/system_comparisons.csv",
        intervals="<set>/system_intervals.csv",
    log:
        "<logs>/assess_correlations/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 60, minutes=(5, 2)),
    params:
        **scored("assess_correlations", statistics=config["statistics"]),
        significance=config["significance"],
        sizes=config["random_subsets"]["sizes"],
        printed=lambda w: outputs.printed_sizes(PLAN, name_of_set(w)),
        seed=config["seed"],
    script:
        "../scripts/assess_correlations.py"


rule compare_metrics:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "missing.csv"),
    output:
        agreement="<set>/agreement.csv",
        tests="<set>/metric_tests.csv",
        ranks="<set>/metric_ranks.txt",
    log:
        "<logs>/compare_metrics/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 60, minutes=(5, 5)),
    params:
        **scored("compare_metrics", statistics=config["statistics"]),
        resamples=config["significance"]["resamples"],
        seed=config["seed"],
    script:
        "../scripts/compare_metrics.py"


rule average_sets:
    input:
        agreement=PLAN.files_of_all("agreement.csv"),
        evalsets=PLAN.files_of_all("evalset.json"),
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
        sets={name: each.reference or "" for name, each in SETS.items()},
        tuned=sorted({name for each in SETS.values() for name in each.all_tuned}),
    script:
        "../scripts/average_sets.py"


rule control_weightings:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "correlations.csv", "missing.csv"),
    output:
        "<set>/controls.csv",
    log:
        "<logs>/control_weightings/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 2)),
    params:
        **scored("control_weightings", statistics=config["statistics"]),
        top=config["significance"]["top"],
        draws=config["controls"]["draws"],
        seed=config["seed"],
    script:
        "../scripts/control_weightings.py"


rule rank_by_difficulty:
    input:
        files=lambda w: files_of_set(w, "evalset.json", "weightings.json")
        + PLAN.difficulty_files(name_of_set(w)),
    output:
        "<set>/difficulty_and_people.csv",
    log:
        "<logs>/rank_by_difficulty/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20),
    params:
        code=lambda w: code.checksum("rank_by_difficulty"),
        name=name_of_set,
        draws=config["controls"]["draws"],
        seed=config["seed"],
    script:
        "../scripts/rank_by_difficulty.py"


rule map_parameters:
    input:
        files=score_files,
    output:
        surface="<set>/surface.npz",
        points="<set>/parameters.csv",
    log:
        "<logs>/map_parameters/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 2)),
    params:
        **scored("map_parameters"),
        draws=config["controls"]["draws"],
        seed=config["seed"],
    script:
        "../scripts/map_parameters.py"


rule hold_out_parameters:
    input:
        surfaces=PLAN.files_of_all("surface.npz"),
        points=PLAN.files_of_all("parameters.csv"),
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
        tests={name: f"{each.campaign}/{each.pair}" for name, each in SETS.items()},
    script:
        "../scripts/hold_out_parameters.py"


rule describe_sources:
    input:
        evalset="<set>/texts.json",
    output:
        "<set>/complexity.csv",
    log:
        "<logs>/describe_sources/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20),
    params:
        code=lambda w: code.checksum("describe_sources"),
    script:
        "../scripts/describe_sources.py"


rule analyse_complexity:
    input:
        evalsets=PLAN.files_of_all("texts.json"),
        complexity=PLAN.files_of_all("complexity.csv"),
        statistics=[
            file
            for name, planned in SETS.items()
            for metric in planned.metrics
            for file in PLAN.files(name, f"statistics/{metric}.npz")
        ],
    output:
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
            *{f"metrics/{kind}" for each in SETS.values() for kind in each.types.values()},
        ),
        metrics={name: planned.types for name, planned in SETS.items()},
        references=PLAN.reference_texts,
    script:
        "../scripts/analyse_complexity.py"
