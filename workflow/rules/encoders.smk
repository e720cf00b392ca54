# Encoders, and the tokens that they match.


def neural_metrics(name):
    return [metric for metric, settings in SETS[name]["metrics"].items() if is_neural(settings)]


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


def substitution(name, metric):
    """What a cell says that was made with another encoder than the paper's; empty otherwise."""
    used, wanted = encoder_of(name, metric), wanted_encoder(name, metric)
    if used == wanted:
        return ""
    layers = [encoder_settings(key)["layer"] for key in (used, wanted)]
    return f"encoder {used} (layer {layers[0]}), not the paper's {wanted} (layer {layers[1]})"


def encoder_settings(key):
    """An encoder's settings with bert-score's layer where none is given."""
    entry = {"model": key, "dtype": "float32", "device": "auto", **config["encoders"][key]}
    entry.setdefault("layer", entry.get("layers", encoders.default_layer(entry["model"])))
    if entry["layer"] is None:
        raise WorkflowError(
            f"config, encoders, {key}: bert-score knows no layer of {entry['model']}; set `layer`."
        )
    return entry


def sets_of_encoder(wildcards):
    return [
        name
        for name in SETS
        if wildcards.encoder in {encoder_of(name, metric) for metric in neural_metrics(name)}
    ]


def encoder_files(wildcards):
    """The files of an encoder in a folder of the user's, which may change."""
    folder = config["encoders"][wildcards.encoder].get("folder")
    return sorted(str(path) for path in Path(folder).glob("*.*")) if folder else []


def matches_file(wildcards, metric):
    name = f"{wildcards.campaign}/{wildcards.pair}"
    return f"{RESULTS}/{name}/matches/{encoder_of(name, metric)}.npz"


def matches_of(wildcards):
    return matches_file(wildcards, wildcards.metric)


wildcard_constraints:
    encoder=alternatives(config["encoders"]),


rule retrieve_encoder:
    input:
        evalsets=lambda w: [
            file for name in sets_of_encoder(w) for file in files_of_set(name, "evalset.json")
        ],
        files=encoder_files,
        code=modules("encoders"),
    output:
        "<results>/encoders/{encoder}.json",
    log:
        "<logs>/retrieve_encoder/{encoder}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        encoder=lambda w: encoder_settings(w.encoder),
        seed=config["seed"],
    script:
        "../scripts/retrieve_encoder.py"


rule match_tokens:
    input:
        evalset="<set>/evalset.json",
        encoder="<results>/encoders/{encoder}.json",
        code=modules("language", "encoders", "encoding", "matching"),
    output:
        matches="<set>/matches/{encoder}.npz",
        notices="<set>/matches/{encoder}.json",
    log:
        "<logs>/match_tokens/{campaign}.{pair}.{encoder}.log",
    benchmark:
        "<logs>/match_tokens/{campaign}.{pair}.{encoder}.tsv"
    conda:
        "../../envs/environment.yaml"
    threads: 8
    resources:
        mem_mb=4000,
        gpu=lambda w: int(encoder_settings(w.encoder)["device"] != "cpu"),
    script:
        "../scripts/match_tokens.py"


rule weigh_tokens:
    input:
        matches=matches_of,
        code=modules("matching", "token_weighting"),
    output:
        "<set>/DA/{metric}.npz",
    log:
        "<logs>/weigh_tokens/{campaign}.{pair}.{metric}.log",
    benchmark:
        "<logs>/weigh_tokens/{campaign}.{pair}.{metric}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=2000,
    params:
        DA=lambda w: entry_of(w)["DA"],
    script:
        "../scripts/weigh_tokens.py"
