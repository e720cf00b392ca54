# Evaluation sets: read from the archive, or from own files, and checked.


rule import_evalset:
    input:
        folder=campaign_folder,
    output:
        "<set>/evalset.json",
    log:
        "<logs>/import_evalset/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("import_evalset", "data/evalset", "data/text_files"),
        entry=lambda w: set_of(w).given("pair", "reference", "gold", "exclude", "required"),
        content=own_content,
        location=untracked(own_folder),
    script:
        "../scripts/import_evalset.py"
