# Evaluation sets: read from the archive and checked.


rule import_evalset:
    input:
        folder="<results>/archive/{campaign}",
        code=modules("evalset"),
    output:
        "<set>/evalset.json",
    log:
        "<logs>/import_evalset/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        entry=lambda w: {
            key: entry_of(w)[key]
            for key in ("pair", "reference", "gold", "exclude", "required")
            if key in entry_of(w)
        },
    script:
        "../scripts/import_evalset.py"
