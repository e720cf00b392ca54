# What rules read beside results: encoders and their matches, the archive, own files.

from mt_difficulty.run import stored_scores


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


def stored_folder(wildcards):
    """Where a metric's stored scores are, the campaign's folder or a user's file; None for a metric
    that is computed."""
    planned, metric = set_of(wildcards), wildcards.metric
    if not stored_scores.are_read(planned, metric):
        return None
    return str(stored_scores.location(planned, metric, set_folder(wildcards)))


def stored_content(wildcards):
    """Checksums of the files of a metric's stored scores."""
    planned, metric = set_of(wildcards), wildcards.metric
    if not stored_scores.are_read(planned, metric):
        return {}
    files = stored_scores.files(planned, metric, set_folder(wildcards))
    return content_of(stored_folder(wildcards), files)


def reported_plot(plot):
    """A plot as an output, shown in Snakemake's report."""
    return report(
        f"<set>/figures/{plot}.svg",
        caption="../report/plot.rst",
        category="{campaign}/{pair}",
        labels={"item": plot},
    )
