# What rules read beside results: encoders and their matches, the archive, own files.


def encoder_location(wildcards):
    """Where an encoder's files are; None for one that is made on the spot."""
    settings = PLAN.encoders[wildcards.encoder]
    if "hub" in settings:
        return str(encoders.hub_folder(wildcards.encoder, settings["revision"]))
    return settings.get("folder")


def encoder_content(wildcards):
    """Checksums of an encoder in a folder of the user's, which may change."""
    folder = PLAN.encoders[wildcards.encoder].get("folder")
    return content_of(folder, encoders.files_of(folder)) if folder else {}


def matches_file(wildcards, metric):
    return PLAN.matches_file(name_of_set(wildcards), metric)


def matches_of(wildcards):
    return matches_file(wildcards, wildcards.metric)


def matches_of_set(wildcards):
    """The matches of every neural metric."""
    return [matches_file(wildcards, metric) for metric in set_of(wildcards).neural]


def campaign_folder(wildcards):
    """The campaign of the archive that a set is read from; of own files there is none."""
    return [] if set_of(wildcards).files else f"{RESULTS}/archive/{wildcards.campaign}"


def own_folder(wildcards):
    return set_of(wildcards).files


def own_content(wildcards):
    """Checksums of the own files that a set is read from."""
    folder = own_folder(wildcards)
    return content_of(folder, own_files.files_of(folder)) if folder else {}


def metric_source(wildcards):
    """What a metric reads beside the texts."""
    if wildcards.metric in set_of(wildcards).neural:
        return matches_of(wildcards)
    if set_of(wildcards).types[wildcards.metric] == "stored":
        return campaign_folder(wildcards)
    return []


def truth_file(wildcards):
    return PLAN.truth_file(name_of_set(wildcards))


def table_of(wildcards):
    return PAPERS[wildcards.paper]["tables"][wildcards.table]


def figure_of(wildcards):
    return PAPERS[wildcards.paper]["figures"][wildcards.figure]


def files_of_table_sets(wildcards, file):
    return paper_items.files_of_table_sets(PLAN, wildcards.paper, wildcards.table, file)


def figure_inputs(wildcards):
    """What a figure is drawn from; that of the rules, from their files."""
    if figure_of(wildcards)["kind"] == "rule_graph":
        return sources("rules/*.smk")
    return paper_items.figure_inputs(PLAN, wildcards.paper, wildcards.figure)
