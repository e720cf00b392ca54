# The archive, and WordNet.


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
    params:
        # Where it was not there, every run looks for it again.
        again=STARTED if Path(WORDNET).exists() and is_missing(WORDNET) else "",
    script:
        "../scripts/retrieve_wordnet.py"
