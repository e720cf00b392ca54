# The archive and WordNet; evaluation sets, read from the archive or from own files, and checked; encoders.


rule retrieve_archive:
    output:
        # A changed mirror or checksum is no reason to throw a whole download away.
        update(ARCHIVE),
    log:
        "<logs>/retrieve_archive.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        urls=config["archive_urls"],
        sha256=config["archive_sha256"],
    script:
        "../scripts/retrieve_archive.py"


rule retrieve_wordnet:
    # No code among the inputs: a new version is no reason to fetch WordNet again.
    output:
        WORDNET,
    log:
        "<logs>/retrieve_wordnet.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    script:
        "../scripts/retrieve_wordnet.py"


# Before jobs are planned.
look_for_wordnet_again()


rule import_texts:
    input:
        download=ancient(download_of),
    output:
        texts="<set>/texts.json",
    log:
        "<logs>/import_texts/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("import_texts", "data/evalset", "data/text_files"),
        settings=lambda w: set_of(w).import_settings.of_texts,
        content=text_content,
        rated=systems_with_gold,
        location=untracked(set_folder),
    script:
        "../scripts/import_texts.py"


# Human scores are a result of their own: new ones recompute nothing that is made from texts.
rule import_gold:
    input:
        texts="<set>/texts.json",
    output:
        evalset="<set>/evalset.json",
        ratings="<set>/ratings.json",
        human_evaluation="<set>/human_evaluation.json",
    log:
        "<logs>/import_gold/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum(
            "import_gold", "data/evalset", "data/text_files", *annotation_modules(w)
        ),
        settings=lambda w: set_of(w).import_settings,
        content=gold_content,
        location=untracked(set_folder),
    script:
        "../scripts/import_gold.py"


rule retrieve_encoder:
    input:
        # A set without texts needs no encoder.
        evalset="<set>/texts.json",
    output:
        "<set>/encoders/{encoder}.json",
    log:
        "<logs>/retrieve_encoder/{campaign}.{pair}.{encoder}.log",
    priority: 1  # what takes longest begins first
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=lambda w: code.checksum("retrieve_encoder"),
        encoder=lambda w: PLAN.encoders[w.encoder]._replace(folder=""),
        content=encoder_content,
        location=untracked(encoder_location),
    script:
        "../scripts/retrieve_encoder.py"


rule match_tokens:
    input:
        evalset="<set>/texts.json",
        encoder="<set>/encoders/{encoder}.json",
    output:
        matches="<set>/matches/{encoder}.npz",
        notices="<set>/matches/{encoder}.json",
    log:
        "<logs>/match_tokens/{campaign}.{pair}.{encoder}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    # Encoders with random weights are small.
    threads: lambda w: 8 if encoder_location(w) else 1
    resources:
        mem_mb=matching_memory,
        runtime=sized(30, 30),
        gpu=lambda w: int(PLAN.encoders[w.encoder].device != "cpu"),
    params:
        code=lambda w: code.checksum("match_tokens"),
        consensus=False,
        location=untracked(encoder_location),
    script:
        "../scripts/match_tokens.py"


use rule match_tokens as match_consensus with:
    output:
        matches="<set>/consensus/{encoder}.npz",
        notices="<set>/consensus/{encoder}.json",
    log:
        "<logs>/match_consensus/{campaign}.{pair}.{encoder}.log",
    params:
        code=lambda w: code.checksum("match_tokens"),
        consensus=True,
        location=untracked(encoder_location),


rule fetch:
    # What the network and the login node are for; everything after it needs neither.
    input:
        PLAN.files_of_all("texts.json"),
        PLAN.files_of_all("evalset.json"),
        [
            file
            for name, planned in SETS.items()
            for encoder in planned.used_encoders
            for file in PLAN.files(name, f"encoders/{encoder}.json")
        ],
        rules.retrieve_wordnet.output if PLAN.needs_wordnet else [],
