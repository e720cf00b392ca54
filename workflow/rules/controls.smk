# Where the weightings' gains stand: nulls, human rankings by difficulty, parameters of other sets.


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
        mem_mb=sized(700, 50),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("control_weightings", *score_modules(w), *statistic_modules()),
        statistics=config["statistics"],
        name=name_of_set,
        settings=score_settings,
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
        mem_mb=sized(600, 20),
        runtime=sized(5, 0.5),
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
        mem_mb=sized(700, 50),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("map_parameters", *score_modules(w)),
        name=name_of_set,
        settings=score_settings,
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
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("hold_out_parameters"),
        # Sets of the same texts, with another reference or gold, are not held out from each other.
        tests={name: f"{each.campaign}/{each.pair}" for name, each in SETS.items()},
    script:
        "../scripts/hold_out_parameters.py"
