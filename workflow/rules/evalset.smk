# Evaluation sets: read from the archive, or from own files, and checked. Texts are a result apart,
# which a changed human score leaves as it is.


def set_folder(wildcards):
    """Where a set's files are: the folder of own files, or its campaign's in the archive."""
    return own_folder(wildcards) or str(archive_location() / wildcards.campaign)


def text_content(wildcards):
    """Checksums of the files that a set's texts are read from."""
    folder, own = set_folder(wildcards), own_folder(wildcards)
    pair = set_of(wildcards).pair
    files = own_files.text_files(folder) if own else campaign_files.text_files(folder, pair)
    return content_of(folder, files)


def set_content(wildcards):
    """Checksums of all files that a set is read from."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if own_folder(wildcards):
        return content_of(folder, own_files.files_of(folder))
    gold = campaign_files.gold_files(folder, planned.pair, planned.gold)
    return text_content(wildcards) | content_of(folder, gold)


def scored_systems(wildcards):
    """The systems that have a human score: these are ranked. The job says what is wrong with scores
    that cannot be read."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    try:
        if own_folder(wildcards):
            return own_files.read_scored(folder)
        return campaign_files.read_scored(folder, planned.pair, planned.gold)
    except (InputError, OSError):
        return []


def import_settings(wildcards):
    """What the config says of how a set is read."""
    return set_of(wildcards).given("pair", "reference", "gold", "exclude", "required")


rule import_texts:
    input:
        download=ancient(download_of),
    output:
        "<set>/texts.json",
    log:
        "<logs>/import_texts/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("import_texts", "data/evalset", "data/text_files"),
        entry=import_settings,
        content=text_content,
        scored=scored_systems,
        location=untracked(set_folder),
    script:
        "../scripts/import_texts.py"


rule import_evalset:
    input:
        download=ancient(download_of),
    output:
        "<set>/evalset.json",
    log:
        "<logs>/import_evalset/{campaign}.{pair}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("import_evalset", "data/evalset", "data/text_files"),
        entry=import_settings,
        content=set_content,
        location=untracked(set_folder),
    script:
        "../scripts/import_evalset.py"
