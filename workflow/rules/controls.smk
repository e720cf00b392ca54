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
