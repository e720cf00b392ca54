# Evaluation sets: read from the archive, or from own files, and checked. Texts are a result apart,
# which a changed human score leaves as it is.


rule import_texts:
    input:
        download=ancient(download_of),
    output:
        "<set>/texts.json",
    log:
        "<logs>/import_texts/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("import_texts", "data/evalset", "data/text_files"),
        entry=lambda w: set_of(w).import_settings,
        content=text_content,
        scored=scored_systems,
        location=untracked(set_folder),
    script:
        "../scripts/import_texts.py"


rule import_evalset:
    input:
        download=ancient(download_of),
    output:
        evalset="<set>/evalset.json",
        protocol="<set>/protocol.json",
    log:
        "<logs>/import_evalset/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("import_evalset", "data/evalset", "data/text_files"),
        entry=lambda w: set_of(w).import_settings,
        content=set_content,
        location=untracked(set_folder),
    script:
        "../scripts/import_evalset.py"


rule import_ratings:
    input:
        evalset="<set>/evalset.json",
    output:
        "<set>/ratings.json",
    log:
        "<logs>/import_ratings/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("import_ratings", "data/text_files"),
        content=rating_content,
        location=untracked(set_folder),
    script:
        "../scripts/import_ratings.py"
