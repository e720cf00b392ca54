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


def download_of(wildcards):
    """The download that a set is read from, if it is; its content is a parameter."""
    return [] if config["archive"] or set_of(wildcards).files else [ARCHIVE]


def metric_settings(wildcards):
    """A metric's type and what its constructor takes; the choice of an encoder shows in the
    matches."""
    settings = set_of(wildcards).metrics[wildcards.metric]
    return {"type": settings["type"]} | constructor_settings(wildcards.metric, settings)


def metric_source(wildcards):
    """What a metric reads beside the texts."""
    encoder = set_of(wildcards).encoders.get(wildcards.metric)
    return f"{RESULTS}/{name_of_set(wildcards)}/matches/{encoder}.npz" if encoder else []


def difficulty_settings(wildcards):
    return set_of(wildcards).difficulties[wildcards.difficulty]


def difficulty_estimator(wildcards):
    return make_estimator(difficulty_settings(wildcards))


def texts_of_estimator(wildcards):
    """A set with its human scores for an estimator that uses them, else its texts alone."""
    evalset = "evalset" if difficulty_estimator(wildcards).uses_gold else "texts"
    (file,) = files_of_set(wildcards, f"{evalset}.json")
    return file


def difficulty_metric(wildcards):
    """Settings of the metric that an estimator reads statistics of."""
    return set_of(wildcards).metrics.get(difficulty_settings(wildcards).get("metric"))


def difficulty_location(wildcards):
    """What an estimator reads that is no result: a user's file, the folder of a model, or the campaign
    of the archive."""
    if difficulty_estimator(wildcards).reads == "campaign":
        return None if set_of(wildcards).files else set_folder(wildcards)
    if folder := model_folder(wildcards):
        return folder
    return PLAN.estimates_file(name_of_set(wildcards), wildcards.difficulty)


def model_folder(wildcards):
    return PLAN.model_folder(name_of_set(wildcards), wildcards.difficulty)


def difficulty_content(wildcards):
    """Checksums of the files that an estimator reads there."""
    location, estimator = difficulty_location(wildcards), difficulty_estimator(wildcards)
    if location is None:
        return {}
    if estimator.reads == "file":
        return content_of(location, [Path(location)])
    return content_of(location, estimator.files(Path(location), set_of(wildcards).pair))


def difficulty_modules(wildcards):
    """The modules of an estimator, and of the metric that it reads statistics of."""
    settings, types = difficulty_settings(wildcards), set_of(wildcards).types
    found = [f"difficulty/{settings['type']}"]
    if difficulty_estimator(wildcards).reads == "statistics" and settings["metric"] in types:
        found.append(f"metrics/{types[settings['metric']]}")
    return found


def ablated_set(wildcards):
    return PAPERS[wildcards.paper]["ablation"]["set"]


def truth_file(wildcards):
    return PLAN.truth_file(name_of_set(wildcards))


def table_of(wildcards):
    return PAPERS[wildcards.paper]["tables"][wildcards.table]


def figure_of(wildcards):
    return PAPERS[wildcards.paper]["figures"][wildcards.figure]


def files_of_table_sets(file):
    return lambda w: [path for name in sets_of(table_of(w)) for path in PLAN.files(name, file)]


def figure_inputs(wildcards):
    """What a figure is drawn from; that of the rules, from their files."""
    if figure_of(wildcards)["kind"] == "rule_graph":
        return sources("rules/*.smk")
    return outputs.item_inputs(PLAN, wildcards.paper, wildcards.figure)


def set_folder(wildcards):
    """Where a set's files are: the folder of own files, or its campaign's in the archive."""
    return set_of(wildcards).files or str(archive_location() / wildcards.campaign)


def text_content(wildcards):
    """Checksums of the files that a set's texts are read from."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if planned.files:
        return content_of(folder, own_files.text_files(folder, planned.reference))
    return content_of(folder, campaign_files.text_files(folder, planned.pair))


def set_content(wildcards):
    """Checksums of all files that a set is read from."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if planned.files:
        return content_of(folder, own_files.files_of(folder, planned.reference))
    gold = campaign_files.gold_files(folder, planned.pair, planned.gold, planned.segment_gold)
    return text_content(wildcards) | content_of(folder, gold)


def rating_content(wildcards):
    """Checksums of the error spans of a set; own files have none."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if planned.files or not planned.gold:
        return {}
    return content_of(folder, campaign_files.rating_files(folder, planned.pair, planned.gold))


def scored_systems(wildcards):
    """The systems that have a human score: these are ranked. The job says what is wrong with scores
    that cannot be read."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    try:
        if planned.files:
            return own_files.read_scored(folder)
        return campaign_files.read_scored(folder, planned.pair, planned.gold)
    except (InputError, OSError):
        return []


def stored_folder(wildcards):
    """Where a metric's stored scores are, the campaign's folder or a user's file; None for a metric
    that is computed."""
    planned, metric = set_of(wildcards), wildcards.metric
    if not planned.reads_stored(metric):
        return None
    return str(planned.stored_source(metric, set_folder(wildcards)))


def stored_content(wildcards):
    """Checksums of the files of a metric's stored scores."""
    planned, metric = set_of(wildcards), wildcards.metric
    if not planned.reads_stored(metric):
        return {}
    files = planned.stored_files(metric, set_folder(wildcards))
    return content_of(stored_folder(wildcards), files)


def reported_plot(plot):
    """A plot as an output, shown in Snakemake's report."""
    return report(
        f"<set>/figures/{plot}.svg",
        caption="../report/plot.rst",
        category="{campaign}/{pair}",
        labels={"item": plot},
    )
