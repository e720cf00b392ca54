# Encoders, and the tokens that they match.


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
        encoder=lambda w: {k: x for k, x in PLAN.encoders[w.encoder].items() if k != "folder"},
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
        gpu=lambda w: int(PLAN.encoders[w.encoder]["device"] != "cpu"),
    params:
        code=lambda w: code.checksum("match_tokens"),
        location=untracked(encoder_location),
    script:
        "../scripts/match_tokens.py"


rule match_consensus:
    input:
        evalset="<set>/texts.json",
        encoder="<set>/encoders/{encoder}.json",
    output:
        matches="<set>/consensus/{encoder}.npz",
        notices="<set>/consensus/{encoder}.json",
    log:
        "<logs>/match_consensus/{campaign}.{pair}.{encoder}.log",
    priority: 1
    conda:
        "../../envs/environment.yaml"
    threads: lambda w: 8 if encoder_location(w) else 1
    resources:
        mem_mb=matching_memory,
        runtime=sized(30, 30),
        gpu=lambda w: int(PLAN.encoders[w.encoder]["device"] != "cpu"),
    params:
        code=lambda w: code.checksum("match_consensus"),
        location=untracked(encoder_location),
    script:
        "../scripts/match_consensus.py"


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
