# Evaluation sets: read from the archive, or from own files, and checked.


def campaign_folder(wildcards):
    """The campaign of the archive that a set is read from; of own files there is none."""
    if "files" in entry_of(wildcards):
        return []
    return f"{RESULTS}/archive/{wildcards.campaign}"


def own_files_of(wildcards):
    """The own files that a set is read from: a new system is a new input."""
    folder = entry_of(wildcards).get("files")
    return list(map(str, own_files.files_of(folder))) if folder else []


rule import_evalset:
    input:
        folder=campaign_folder,
        files=own_files_of,
        code=modules("evalset", "ranked", "own_files"),
    output:
        "<set>/evalset.json",
    log:
        "<logs>/import_evalset/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        entry=lambda w: {
            key: entry_of(w)[key]
            for key in ("files", "pair", "reference", "gold", "exclude", "required")
            if key in entry_of(w)
        },
    script:
        "../scripts/import_evalset.py"
