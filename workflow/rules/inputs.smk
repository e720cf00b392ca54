# What rules read beside results: the archive, own files, encoders and their matches. Of files outside
# of the results a parameter holds checksums: other content is another result, whatever its time.


checksum = cache(download.checksum)


def content_of(location, files):
    """Checksums of the regular files among `files`; opening a FIFO would wait for ever. For others, the
    job says what is wrong."""
    try:
        return {os.path.relpath(x, location): checksum(x) for x in files if x.is_file()}
    except OSError as error:
        raise WorkflowError(explain(error))


def download_of(wildcards):
    """The download that a set is read from, or none; its content is a parameter."""
    return [] if config["archive"] or set_of(wildcards).files else [ARCHIVE]


def archive_location():
    """The folder of the archive's campaigns. If a download was deleted, its unpacked files are used. If
    an archive cannot be unpacked, this is its path, and a job says what is wrong."""
    path = Path(PLAN.archive)
    try:
        return download.unpacked(path, PLAN.campaigns)
    except InputError:
        return path
    except OSError as error:
        raise WorkflowError(explain(error))


def folder_of(planned):
    """Where a set's files are: the folder of own files, or its campaign's in the archive."""
    return planned.files or str(archive_location() / planned.campaign)


def set_folder(wildcards):
    return folder_of(set_of(wildcards))


def text_content(wildcards):
    """Checksums of the files that a set's texts are read from."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if planned.files:
        return content_of(folder, own_files.text_files(folder, planned.reference))
    return content_of(folder, campaign_files.text_files(folder, planned.pair))


def gold_content(wildcards):
    """Checksums of the files that a set's human scores are read from."""
    folder, planned = set_folder(wildcards), set_of(wildcards)
    if planned.annotations:
        scores = (Path(folder) / "human-scores").glob(f"{planned.pair}.*.seg.score")
        return content_of(folder, [*map(Path, planned.annotations), *sorted(scores)])
    if planned.files:
        return content_of(folder, own_files.gold_files(folder))
    scores = planned.gold, planned.segment_gold
    return content_of(folder, campaign_files.gold_files(folder, planned.pair, *scores))


def systems_with_gold(wildcards):
    """The name of the file of the systems' human scores, with the names of the systems that have
    one and so are ranked; `unreadable` in their place if the file cannot be read (the job says what
    is wrong). Empty if there is no such file."""
    folder, planned = Path(set_folder(wildcards)), set_of(wildcards)
    if planned.annotations:
        return systems_with_ratings(planned, folder)
    files = [campaign_files.score_file(folder, planned.pair, planned.gold, "sys")]
    if planned.files:
        files = own_files.gold_files(folder)[:1]
    if not files or not files[0].exists():
        return {}
    try:
        return {files[0].name: rated_systems(files[0])}
    except (InputError, OSError):
        return {files[0].name: "unreadable"}


def annotation_modules(wildcards):
    """The modules that compute human scores from a set's annotations, which no import names."""
    planned = set_of(wildcards)
    if not planned.annotations:
        return []
    from mt_difficulty.human_evaluation.formats import FORMATS

    return [
        f"gold/{planned.rating_gold.type}",
        *(f"human_evaluation/formats/{name}" for name in FORMATS),
    ]


def systems_with_ratings(planned, folder):
    """The names of the systems that a set's annotations rate; or, as `unreadable`, why they cannot be
    read, which the job says."""
    from mt_difficulty.human_evaluation import set_scores

    try:
        settings = set_scores.with_rated_systems(folder, planned.import_settings)
        return {"annotations": settings.rated}
    except OSError as error:
        return {"unreadable": explain(error)}
    except (InputError, Missing) as error:
        return {"unreadable": str(error)}


def encoder_location(wildcards):
    """The folder of an encoder's files; None for random weights, which have no files."""
    settings = PLAN.encoders[wildcards.encoder]
    if settings.hub:
        return str(encoders.hub_folder(wildcards.encoder, settings.revision))
    return settings.folder or None


def encoder_content(wildcards):
    """Checksums of an encoder's files in a folder of the user, which may change; else none."""
    folder = PLAN.encoders[wildcards.encoder].folder
    return content_of(folder, encoders.files_of(folder)) if folder else {}


def settings_of_metrics(planned, names):
    """Types and constructor settings of the metrics in `names`. The encoder is left out: its effect is
    in the matches."""
    return {
        name: computed_from(name, settings)
        for name, settings in planned.metrics.items()
        if name in names
    }


def metric_code(metrics):
    """Checksum of the code that computes metrics, given as in `settings_of_metrics`."""
    modules = {f"metrics/{settings.type}" for settings in metrics.values()}
    return code.checksum("score_segments", "data/text_files", *modules)


def matches_of_metric(wildcards):
    """The token matches that a metric is made from."""
    encoder = set_of(wildcards).encoders.get(wildcards.metric)
    return f"{RESULTS}/{name_of_set(wildcards)}/matches/{encoder}.npz"


def environment_of_metric(wildcards):
    """The conda environment of a metric that is a program, a YAML file or a folder; else None."""
    stated = set_of(wildcards).commands[wildcards.metric].arguments.get("environment")
    return os.path.abspath(located(stated)) if stated else None


def content_of_command(wildcards):
    """Checksums of the files that a metric's command names, and of its environment's YAML file."""
    settings = set_of(wildcards).commands[wildcards.metric].arguments
    files = named_files(settings["command"])
    if environment := environment_of_metric(wildcards):
        files.append(Path(environment))
    return [content_of(file.parent, [file]) for file in files]


def needs_wordnet(planned, metric):
    """Whether a metric of a set, such as METEOR, needs WordNet."""
    return METRICS[planned.types[metric]].needs_wordnet


def stored_locations(planned, metrics):
    """Where the stored ones of a set's metrics are: the campaign's folder or a user's file."""
    folder, stored = folder_of(planned), planned.stored
    return {name: str(planned.stored_source(name, folder)) for name in metrics if name in stored}


def stored_content(planned, metrics):
    """Checksums of the files of the stored ones of a set's metrics."""
    folder = folder_of(planned)
    return {
        name: content_of(location, planned.stored_files(name, folder))
        for name, location in stored_locations(planned, metrics).items()
    }


def difficulty_settings(wildcards):
    return set_of(wildcards).difficulties[wildcards.difficulty]


def difficulty_estimator(wildcards):
    return make_estimator(difficulty_settings(wildcards))


def texts_of_estimator(wildcards):
    """A set with its human scores for an estimator that uses them, else its texts alone."""
    evalset = "evalset" if difficulty_estimator(wildcards).uses_gold else "texts"
    return files_of_set(wildcards, f"{evalset}.json")[0]


def difficulty_metric(wildcards):
    """Settings of the metric that an estimator reads statistics of."""
    return set_of(wildcards).metrics.get(difficulty_settings(wildcards).metric)


def model_folder(wildcards):
    """The folder of the model that a difficulty is estimated with, if it is."""
    read = difficulty_estimator(wildcards).reads == "model"
    return difficulty_location(wildcards) if read else None


def difficulty_location(wildcards):
    """What an estimator reads that is no result: a user's file, the folder of a model, or the campaign
    of the archive."""
    if difficulty_estimator(wildcards).reads == "campaign":
        return None if set_of(wildcards).files else set_folder(wildcards)
    return PLAN.difficulty_location(name_of_set(wildcards), wildcards.difficulty)


def difficulty_content(wildcards):
    """The files that an estimator reads there."""
    location, estimator = difficulty_location(wildcards), difficulty_estimator(wildcards)
    if location is None:
        return {}
    if estimator.reads == "file":
        return content_of(location, [Path(location)])
    return content_of(location, estimator.files(Path(location), set_of(wildcards).pair))


def difficulty_modules(wildcards):
    """The modules of an estimator, and of the metric that it reads statistics of."""
    metric = difficulty_metric(wildcards)
    reads = metric and difficulty_estimator(wildcards).reads == "statistics"
    modules = [f"difficulty/{difficulty_settings(wildcards).type}"]
    return modules + [f"metrics/{metric.type}"] if reads else modules


def truth_file(wildcards):
    return PLAN.truth_file(name_of_set(wildcards))


def table_of(wildcards):
    return PAPERS[wildcards.paper].tables[wildcards.table]


def ablated_set(wildcards):
    return PAPERS[wildcards.paper].ablation.set


def reported_plot(plot):
    """A plot as an output, shown in Snakemake's report."""
    return report(
        f"<set>/figures/{plot}.svg",
        caption="../report/plot.rst",
        category="{campaign}/{pair}",
        labels={"item": plot},
    )
