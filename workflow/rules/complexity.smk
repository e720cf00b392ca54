# Translation complexity: readability of the sources, and whether scores follow it.


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
