# Memory and time that jobs ask for on a cluster.

import math

# MB of a set's texts (texts.json) that are not here yet: a large set of WMT.
UNKNOWN_SIZE = 8


def sized(base, per_mb, name=None):
    """MB or minutes that a job needs, as a function: `base`, plus `per_mb` for every MB of texts of
    the set `name`, else of the wildcards' set, else of all sets; doubled with every attempt. This is
    at least 1.4 times the values measured on WMT sets, including Snakemake's own 0.3 GB."""

    def amount(wildcards, attempt):
        of_set = name or ("pair" in wildcards.keys() and name_of_set(wildcards))
        paths = [Path(RESULTS, x, "texts.json") for x in ([of_set] if of_set else SETS)]
        size = sum(p.stat().st_size / 1e6 if p.exists() else UNKNOWN_SIZE for p in paths)
        return math.ceil((base + per_mb * size) * 2 ** (attempt - 1))

    return amount


def needs(base, per_mb, minutes=(5, 0.5), name=None):
    """Memory and time of a job, computed by `sized`."""
    return {"mem_mb": sized(base, per_mb, name), "runtime": sized(*minutes, name)}


def matching_memory(wildcards, attempt):
    """MB for PyTorch, the texts' matches, and an encoder's weights (twice, while they are read)."""
    weights = size_of_model(encoder_location(wildcards))
    return sized(1500 + 2 * weights, 50)(wildcards, attempt)


def difficulty_memory(wildcards, attempt):
    """MB for a difficulty estimator; with a model as in `matching_memory`."""
    folder = model_folder(wildcards)
    base = 1500 + 2 * size_of_model(folder) if folder else 800
    return sized(base, 80)(wildcards, attempt)


def difficulty_runtime(wildcards, attempt):
    """Minutes for a difficulty estimator; a model takes as long as an encoder."""
    amount = sized(30, 30) if model_folder(wildcards) else sized(5, 2)
    return amount(wildcards, attempt)


def size_of_model(folder):
    """MB of a model's files; 0 without a folder."""
    files = encoders.files_of(folder) if folder else []
    return sum(path.stat().st_size for path in files) / 1e6
