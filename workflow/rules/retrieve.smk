# The archive, its campaigns, and WordNet.


rule retrieve_archive:
    output:
        # A changed mirror or checksum is no reason to throw a whole download away.
        update(ARCHIVE),
    log:
        "<logs>/retrieve_archive.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        urls=config["archive_urls"],
        sha256=config["archive_sha256"],
    script:
        "../scripts/retrieve_archive.py"


rule unpack_campaign:
    input:
        download=[] if config["archive"] else rules.retrieve_archive.output,
    output:
        directory("<results>/archive/{campaign}"),
    log:
        "<logs>/unpack_campaign/{campaign}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("unpack_campaign"),
        content=archive_content,
        location=untracked(archive_location),
        required=lambda w: any(
            planned.required and not planned.files
            for planned in SETS.values()
            if planned.campaign == w.campaign
        ),
    script:
        "../scripts/unpack_campaign.py"


rule retrieve_wordnet:
    # No code among the inputs: a new version is no reason to fetch WordNet again.
    output:
        directory(WORDNET),
    log:
        "<logs>/retrieve_wordnet.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    script:
        "../scripts/retrieve_wordnet.py"
