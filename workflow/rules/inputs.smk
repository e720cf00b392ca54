# What rules read: texts, encoders and their matches, and what tables and figures are made from.


wildcard_constraints:
    encoder=alternatives(config["encoders"]),


def neural_metrics(name):
    metrics = SETS[name]["metrics"].items()
    return [metric for metric, settings in metrics if settings["type"] in NEURAL_TYPES]


def types_of_set(name):
    return {metric: settings["type"] for metric, settings in SETS[name]["metrics"].items()}


def neural_of(wildcards):
    return neural_metrics(f"{wildcards.campaign}/{wildcards.pair}")


def wanted_encoder(name, metric):
    """The encoder that a metric of a set asks for: by name, by target language, or bert-score's
    default for the language."""
    language = target_language(SETS[name]["pair"])
    choice = SETS[name]["metrics"][metric].get("encoder", {})
    if isinstance(choice, dict):
        choice = choice.get(language, encoders.default_model(language))
    for key, entry in config["encoders"].items():
        if choice in (key, entry.get("model")):
            return key
    raise WorkflowError(
        f"config, metrics, {metric}: {name} needs encoder {choice}; config.encoders has: "
        f"{', '.join(config['encoders'])}."
    )


def encoder_of(name, metric):
    """The encoder that is used: a substitute for the pair or the target language, if there is one."""
    pair = SETS[name]["pair"]
    for key in (pair, target_language(pair)):
        if substitute := config["substitute_encoders"].get(key):
            if substitute not in config["encoders"]:
                raise WorkflowError(
                    f"config, substitute_encoders: no encoder {substitute}; config.encoders has: "
                    f"{', '.join(config['encoders'])}."
                )
            return substitute
    return wanted_encoder(name, metric)


def encoders_of_set(name):
    return list(dict.fromkeys(encoder_of(name, metric) for metric in neural_metrics(name)))


def substitution(name, metric):
    """What a cell says that was not made with the paper's encoder, layer and precision; empty
    otherwise."""
    used, wanted = encoder_of(name, metric), wanted_encoder(name, metric)
    settings, asked = encoder_settings(used), encoder_settings(wanted)
    layer = encoders.default_layer(asked["model"]) or asked["layer"]
    if used == wanted and (settings["layer"], settings["dtype"]) == (layer, "float32"):
        return ""
    how = f"layer {settings['layer']}, {settings['dtype']}"
    return f"encoder {used} ({how}), not the paper's {wanted} (layer {layer}, float32)"


def encoder_settings(key):
    """An encoder's settings with bert-score's layer where none is given."""
    entry = {"model": key, "dtype": "float32", "device": "auto", **config["encoders"][key]}
    if "folder" in entry:
        entry["folder"] = os.path.expanduser(entry["folder"])
    entry.setdefault("layer", entry.get("layers", encoders.default_layer(entry["model"])))
    if entry["layer"] is None:
        raise WorkflowError(
            f"config, encoders, {key}: bert-score knows no layer of {entry['model']}; set `layer`."
        )
    if "folder" in entry:  # takes precedence over hub and revision
        return {key: value for key, value in entry.items() if key not in ("hub", "revision")}
    if "hidden_size" in entry:
        entry["seed"] = config["seed"]
    return entry


def encoder_location(wildcards):
    """Where an encoder's files are; None for one that is made on the spot."""
    settings = encoder_settings(wildcards.encoder)
    if "hub" in settings:
        return str(encoders.hub_folder(wildcards.encoder, settings["revision"]))
    return settings.get("folder")


def encoder_content(wildcards):
    """Checksums of an encoder in a folder of the user's, which may change."""
    folder = encoder_settings(wildcards.encoder).get("folder")
    return content_of(folder, encoders.files_of(folder)) if folder else {}


def matches_file(wildcards, metric):
    name = f"{wildcards.campaign}/{wildcards.pair}"
    return f"{RESULTS}/{name}/matches/{encoder_of(name, metric)}.npz"


def matches_of(wildcards):
    return matches_file(wildcards, wildcards.metric)


def campaign_folder(wildcards):
    """The campaign of the archive that a set is read from; of own files there is none."""
    if "files" in entry_of(wildcards):
        return []
    return f"{RESULTS}/archive/{wildcards.campaign}"


def own_folder(wildcards):
    return entry_of(wildcards).get("files")


def own_content(wildcards):
    """Checksums of the own files that a set is read from."""
    folder = own_folder(wildcards)
    return content_of(folder, own_files.files_of(folder)) if folder else {}


def metric_source(wildcards):
    """What a metric reads beside the texts."""
    if wildcards.metric in neural_of(wildcards):
        return matches_of(wildcards)
    if entry_of(wildcards)["metrics"][wildcards.metric]["type"] == "stored":
        return campaign_folder(wildcards)
    return []


def ablated_metrics(wildcards):
    """The paper's metrics with segment statistics."""
    ablation_set = SETS[PAPERS[wildcards.paper]["ablation"]["set"]]
    return {
        metric: ablation_set["metrics"][metric]
        for metric, settings in PAPERS[wildcards.paper]["metrics"].items()
        if metric in ablation_set["metrics"] and settings["type"] != "stored"
    }


FILES_OF_KIND = {
    "ablation": ("missing.csv",),
    "case_study": ("evalset.json", "difficulty.json", "system_scores.csv", "missing.csv"),
    "correlations": (
        "evalset.json",
        "correlations.csv",
        "correlation_spread.csv",
        "significance.csv",
        "missing.csv",
    ),
    "examples": (),
    "parameters": ("difficulty.json",),
    "ranking": ("evalset.json", "top_scores.csv", "missing.csv"),
    "token_cases": ("evalset.json", "missing.csv"),
}


REFERENCE_TEXTS = config["complexity"]["reference_texts"] or {}


def check_reference_texts():
    """Every text that scores are normalised to must be a set of the pair."""
    for pair, name in REFERENCE_TEXTS.items():
        if name not in SETS or SETS[name]["pair"] != pair:
            known = ", ".join(key for key, entry in SETS.items() if entry["pair"] == pair)
            raise WorkflowError(
                f"config, complexity, reference_texts: {name} is no set of {pair}; "
                f"there are: {known or 'none'}."
            )


check_reference_texts()


def table_inputs(wildcards):
    """What each set contributes, by kind of table; `build_table` finds a file by its path."""
    item = PAPERS[wildcards.paper]["tables"][wildcards.table]
    names, files = sets_of(wildcards, item), []
    if item["kind"] == "ablation":
        files = [f"{RESULTS}/papers/{wildcards.paper}/ablation.csv"]
    for name in names:
        files += files_of_set(name, *FILES_OF_KIND[item["kind"]])
        if item["kind"] == "case_study":
            files.append(entropy_file(name))
        if (
            item["kind"] in ("case_study", "token_cases")
            and item["metric"] in SETS[name]["metrics"]
        ):
            files += files_of_set(name, f"statistics/{item['metric']}.npz")
            files += token_inputs(name, item["metric"])[1:] * (item["kind"] == "token_cases")
    return files


def files_of_table_sets(wildcards, file):
    """A file of each set that a table names."""
    table = PAPERS[wildcards.paper]["tables"][wildcards.table]
    return [path for name in sets_of(wildcards, table) for path in files_of_set(name, file)]


def figure_inputs(wildcards):
    """What a figure is drawn from, set by set."""
    item = PAPERS[wildcards.paper]["figures"][wildcards.figure]
    names = sets_of(wildcards, item)
    if item["kind"] == "score_bars":  # drawn from the paper's file
        return []
    if item["kind"] == "rule_graph":
        return sorted(os.path.relpath(path) for path in (ROOT / "rules").glob("*.smk"))
    if item["kind"] == "entropy_distribution":
        return [entropy_file(name) for name in names]
    if item["kind"] == "entropy_score":
        (name,) = names
        return [entropy_file(name), *files_of_set(name, f"statistics/{item['metric']}.npz")]
    if item["kind"] == "chunks":
        (name,) = names
        return [*files_of_set(name, "evalset.json"), entropy_file(name)]
    if item["kind"] in ("token_heat_map", "difficulty_distribution"):
        return token_inputs(*names, item["metric"])
    end = {"top_k": "correlations.csv", "balance_fit": "difficulty.json"}[item["kind"]]
    return [file for name in names for file in files_of_set(name, end)]


def token_inputs(name, metric):
    """A set and the matches of a metric of it, if this run computes that."""
    if metric not in SETS[name]["metrics"]:
        return []
    matches = f"matches/{encoder_of(name, metric)}.npz"
    return files_of_set(name, "evalset.json", matches)


def metric_types(paper):
    """The types of a paper's metrics, by name."""
    metrics = dict(PAPERS[paper]["metrics"])
    for entry in PAPERS[paper]["sets"]:
        metrics |= entry.get("metrics", {})
    return {name: settings["type"] for name, settings in metrics.items()}


def left_out(paper):
    """Metrics of a paper that this run leaves out, with the reason."""
    if config["neural"]:
        return {}
    kinds = metric_types(paper)
    return {name: NEURAL_REASON for name, kind in kinds.items() if kind in NEURAL_TYPES}


def substitutions(paper):
    """By set and metric, what its cells say of an encoder that is not the paper's."""
    names = [f"{entry['campaign']}/{entry['pair']}" for entry in PAPERS[paper]["sets"]]
    return {
        name: {
            metric: text for metric in neural_metrics(name) if (text := substitution(name, metric))
        }
        for name in names
    }
