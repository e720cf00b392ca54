"""Which encoder a neural metric of a set uses, and its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..data.language import target_language
from ..embedding import encoders
from ..errors import InputError
from .project import located

if TYPE_CHECKING:
    from .settings import Config

OTHER = "other"  # target languages that a metric's encoders do not name


def used_encoder(config: Config, name: str, entry: dict[str, Any], metric: str) -> str:
    """The encoder that is used: a substitute for the pair or the target language, if there is one.

    Parameters
    ----------
    name, entry : str, dict
        An evaluation set.

    Raises
    ------
    InputError
        The config has no such encoder.
    """
    for key in (entry["pair"], target_language(entry["pair"])):
        if substitute := config["substitute_encoders"].get(key):
            if substitute not in config["encoders"]:
                raise InputError(
                    f"config, substitute_encoders: no encoder {substitute}; config.encoders has: "
                    f"{', '.join(config['encoders'])}."
                )
            return substitute
    return wanted_encoder(config, name, entry, metric)


def wanted_encoder(config: Config, name: str, entry: dict[str, Any], metric: str) -> str:
    """The encoder that a metric asks for: by name, or by target language, with `other` for all that
    are not named; else bert-score's default for the language.

    Raises
    ------
    InputError
        The config has no such encoder.
    """
    language = target_language(entry["pair"])
    choice = entry["metrics"][metric].get("encoder", {})
    if isinstance(choice, dict):
        choice = choice.get(language) or choice.get(OTHER) or encoders.default_model(language)
    for key, settings in config["encoders"].items():
        if choice in (key, settings.get("model")):
            return key
    raise InputError(
        f"config, metrics, {metric}: {name} needs encoder {choice}; config.encoders has: "
        f"{', '.join(config['encoders'])}."
    )


def encoder_settings(config: Config, key: str) -> dict[str, Any]:
    """An encoder's settings, with bert-score's layer where none is given.

    Raises
    ------
    InputError
        bert-score knows none, or random weights have no such layer.
    """
    defaults = {"model": key, "dtype": "float32", "device": "auto"}
    entry: dict[str, Any] = {**defaults, **config["encoders"][key]}
    if "folder" in entry:
        entry["folder"] = located(entry["folder"])
    model = entry["model"]
    if "layer" not in entry:
        entry["layer"] = entry["layers"] if "layers" in entry else encoders.default_layer(model)
    if entry["layer"] is None:
        raise InputError(
            f"config, encoders, {key}: bert-score knows no layer of {model}; set `layer`."
        )
    if "folder" in entry:  # takes precedence over hub and revision
        return {key: value for key, value in entry.items() if key not in ("hub", "revision")}
    if "hidden_size" in entry and "hub" not in entry:
        if entry["layer"] > entry["layers"]:
            raise InputError(
                f"config, encoders, {key}: there is no layer {entry['layer']}, only 0 to "
                f"{entry['layers']}."
            )
        entry["seed"] = config["seed"]
    return entry


def substitution(config: Config, used: str, wanted: str, layers: Mapping[str, int]) -> str:
    """What a cell says that was not made with the paper's encoder, layer and precision; empty
    otherwise.

    Parameters
    ----------
    used, wanted : str
        Encoders of the config.
    layers : dict of str to int
        The paper's, by encoder; bert-score is asked for one that is not there.
    """
    settings = encoder_settings(config, used)
    layer = layers[wanted] if wanted in layers else _usual_layer(config, wanted)
    if used == wanted and (settings["layer"], settings["dtype"]) == (layer, "float32"):
        return ""
    how = f"layer {settings['layer']}, {settings['dtype']}"
    return f"encoder {used} ({how}), not the paper's {wanted} (layer {layer}, float32)"


def _usual_layer(config: Config, key: str) -> int:
    """bert-score's layer of an encoder; the config's of one that it does not know."""
    asked = encoder_settings(config, key)
    return encoders.default_layer(asked["model"]) or asked["layer"]
