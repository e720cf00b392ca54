# Where the weightings' gains stand: controls, and parameters of other sets.


rule control_weightings:
    input:
        evalset="<set>/evalset.json",
        correlations="<set>/correlations.csv",
        missing="<set>/missing.csv",
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: files_of_metrics(w, "statistics", set_of(w).metrics),
        matches=matches_of_set,
    output:
        "<set>/controls.csv",
    log:
        "<logs>/control_weightings/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(700, 50),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("control_weightings", *metric_modules(w), *statistic_modules()),
        statistics=config["statistics"],
        metrics=lambda w: set_of(w).metrics,
        neural=lambda w: set_of(w).neural,
        DA=lambda w: set_of(w).DA,
        top=config["significance"]["top"],
        draws=config["controls"]["draws"],
        seed=config["seed"],
    script:
        "../scripts/control_weightings.py"


rule map_parameters:
    input:
        evalset="<set>/evalset.json",
        entropy=entropy_of,
        difficulty="<set>/difficulty.json",
        statistics=lambda w: files_of_metrics(w, "statistics", set_of(w).metrics),
    output:
        surface="<set>/surface.npz",
        points="<set>/parameters.csv",
    log:
        "<logs>/map_parameters/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(700, 50),
        runtime=sized(5, 2),
    params:
        code=lambda w: code.checksum("map_parameters", *metric_modules(w)),
        metrics=lambda w: set_of(w).metrics,
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
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 10),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("hold_out_parameters"),
        # Sets of the same texts, with another reference or gold, are not held out from each other.
        tests={name: f"{each.campaign}/{each.pair}" for name, each in SETS.items()},
    script:
        "../scripts/hold_out_parameters.py"
