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


def download_of(wildcards):
    """The download that a set is read from, if it is; its content is a parameter."""
    return [] if config["archive"] or set_of(wildcards).files else [ARCHIVE]


def own_folder(wildcards):
    return set_of(wildcards).files


def metric_source(wildcards):
    """What a metric reads beside the texts."""
    if wildcards.metric in set_of(wildcards).neural:
        return matches_of(wildcards)
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
