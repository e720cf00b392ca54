"""Arguments of the commands that read one's own texts: `score` and `hard`."""

import argparse
from pathlib import Path

from ..interface.settings import DEFAULT_DIFFICULTY
from ..interface.weightings import EASY_WEIGHT, names
from .argument_types import (
    MOST_RESAMPLES,
    MOST_SOFTMAX,
    count,
    digits,
    easy_weight,
    language,
    metric_name,
    positive,
    resamples,
    share,
    softmax,
    threshold,
)
from .help_texts import FORMATS

TOKENIZERS = "none zh 13a intl char ja-mecab ko-mecab spm flores101 flores200 spBLEU-1K".split()


def add_score(parser: argparse.ArgumentParser) -> None:
    from ..interface.metrics import KINDS

    _add_texts(parser)
    scores = parser.add_argument_group("scores")
    scores.add_argument(
        "-m",
        "--metric",
        "--metrics",
        nargs="+",
        default=["chrF"],
        type=metric_name,
        choices=[*KINDS],
        metavar="METRIC",
        help=f"one or more of {', '.join(KINDS)}, in upper or lower case (default: chrF). BLEU, "
        "chrF, chrF++ and TER are scores of the whole text, as sacreBLEU computes them; the others "
        "are means over segments, and chrF-segments is the mean of chrF over segments; lower TER "
        "is better; METEOR needs WordNet 3.0 and is made for English; BERTScore needs --encoder",
    )
    scores.add_argument(
        "--tokenize",
        metavar="NAME",
        choices=TOKENIZERS,
        help=f"BLEU's tokenizer, one of sacreBLEU's: {', '.join(TOKENIZERS)} (default: by --lang)",
    )
    scores.add_argument("-lc", "--lowercase", action="store_true", help="BLEU and chrF ignore case")
    scores.add_argument(
        "--chrf-char-order", type=positive, metavar="N", help="chrF: longest character n-grams (6)"
    )
    scores.add_argument(
        "--chrf-word-order",
        type=count,
        metavar="N",
        help="chrF: longest word n-grams (0; chrF++ has 2)",
    )
    scores.add_argument(
        "--chrf-beta", type=positive, metavar="N", help="chrF: weight of recall (2)"
    )
    scores.add_argument(
        "--weighting",
        nargs="*",
        default=["EE"],
        choices=names(),
        metavar="WEIGHTING",
        help=f"in addition to unweighted scores, any of {', '.join(names())}, or none. EE: easy "
        "and difficult hypotheses are scored separately; hardest: only the hardest hypotheses; "
        "proportional: hypotheses are weighted by their difficulty; DA: tokens are weighted by "
        "theirs, in BERTScore, which is added (needs --encoder); EE-DA and others: both (default: "
        "EE)",
    )
    scores.add_argument(
        "--w",
        type=easy_weight,
        help="EE's balance: the easy hypotheses' share in a score, 0 to 1, or `share`, the share "
        "of easy hypotheses; the difficult ones have 1 - w (default: estimated by Eq. 11 of Liu et "
        "al. 2022, a line fitted to chunk entropies of five WMT sets, which can leave [0, 1]; then "
        f"there are no EE scores; for other difficulties {EASY_WEIGHT})",
    )
    scores.add_argument(
        "--share",
        type=share,
        default=0.1,
        help="of hardest: the share of hypotheses that are scored (default: 0.1)",
    )
    scores.add_argument(
        "--softmax",
        type=softmax,
        metavar="X",
        help="of proportional: weights are exp(X · difficulty / its standard deviation), for "
        f"difficulties below 0 too; X from -{MOST_SOFTMAX} to {MOST_SOFTMAX} (default: weights are "
        "the difficulty itself)",
    )
    scores.add_argument(
        "--resamples",
        type=resamples,
        default=1000,
        metavar="N",
        help="bootstrap resamples of the segments, for intervals and comparisons, at most "
        f"{MOST_RESAMPLES:,}; 0 for none (default: 1000)",
    )
    scores.add_argument(
        "--seed",
        type=count,
        default=2022,
        metavar="N",
        help="of the resamples: equal seeds, equal output (default: 2022)",
    )
    output = _add_output(parser, 5)
    output.add_argument(
        "-w",
        "--width",
        type=digits,
        metavar="N",
        help="digits of scores after the point, in text and latex (default: 2 for scores up to "
        "100, 4 for those up to 1; json has all)",
    )
    output.add_argument(
        "-b",
        "--score-only",
        dest="format",
        action="store_const",
        const="numbers",
        help="print the scores alone: a line for each system, a column for each metric and "
        "weighting, between tabs (no resamples are drawn)",
    )


def add_hard(parser: argparse.ArgumentParser) -> None:
    _add_texts(parser)
    _add_output(parser, 20).add_argument(
        "--hypotheses",
        type=count,
        default=3,
        metavar="N",
        help="show this many hypotheses of every segment, the most difficult ones first; 0 for "
        "none (default: 3)",
    )


def _add_texts(parser: argparse.ArgumentParser) -> None:
    from ..interface.difficulty import names as difficulty_names

    parser.set_defaults(usage_error=parser.error)
    texts = parser.add_argument_group("texts", "UTF-8, one segment a line, line by line the same")
    texts.add_argument(
        "references",
        nargs="*",
        type=Path,
        metavar="REF",
        help="references, as --ref; place them before -i",
    )
    texts.add_argument(
        "--ref",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="one or more references. BLEU, chrF and TER use all of them as sacreBLEU does; "
        "difficulties use the first; METEOR and BERTScore accept only one",
    )
    texts.add_argument(
        "--num-refs",
        type=positive,
        default=1,
        metavar="N",
        help="the number of references in every reference file, in columns separated by tabs "
        "(default: 1)",
    )
    texts.add_argument(
        "-i",
        "--input",
        "--hyp",
        dest="hyp",
        default=[Path("-")],
        nargs="+",
        type=Path,
        metavar="FILE",
        help="hypotheses: one file for each system; the system has the file's name without its "
        "ending (default: -, standard input). All text files may be packed by gzip (.gz)",
    )
    texts.add_argument(
        "--src",
        type=Path,
        metavar="FILE",
        help="the source, to be shown, and for difficulties of the source",
    )
    texts.add_argument(
        "--src-lang",
        type=language,
        metavar="LANG",
        help="source language, as `en`: rarity and readability need it",
    )
    texts.add_argument(
        "--lang",
        type=language,
        help="target language, as `de` or `zh`: decides whether text is split into words or "
        "characters, sacreBLEU's tokenizer, and BERTScore's baseline (default: words, or "
        "characters where the text has few spaces, and tokenizer 13a)",
    )
    difficulty = parser.add_argument_group("difficulty")
    difficulty.add_argument(
        "--difficulty",
        default=DEFAULT_DIFFICULTY,
        metavar="NAME|FILE",
        help=f"one of {', '.join(difficulty_names())}; or a file of your own estimates: "
        "tab-separated columns `segment` (from 1) and `difficulty` (higher is harder), with "
        "`system` where every hypothesis has an estimate. crowd is minus the mean score over "
        "systems: of the first --metric, or of chrF; difficulties of the source text need --src "
        f"(default: {DEFAULT_DIFFICULTY})",
    )
    difficulty.add_argument(
        "--h",
        type=threshold,
        help="EE's threshold: a hypothesis of at least this difficulty is difficult; a number, or "
        "a rule over the segments' mean difficulties, those of mean 0 left aside: mean_plus_2sd, "
        "quantile_0.9, rank_0.05, or one of these with another number (default: mean_plus_2sd, "
        "Eq. 9 of Liu et al. 2022: mean + 2 standard deviations)",
    )
    difficulty.add_argument(
        "--encoder",
        type=Path,
        metavar="FOLDER",
        help="a transformer that knows the target language, for BERTScore, DA and difficult "
        "tokens: a folder with config.json, tokenizer and *.safetensors (default: none)",
    )
    difficulty.add_argument(
        "--layer",
        type=count,
        metavar="N",
        help="the encoder's layer whose output is used (default: bert-score's, if the folder is "
        "called like a model that it knows)",
    )


def _add_output(parser: argparse.ArgumentParser, top: int) -> argparse._ArgumentGroup:
    output = parser.add_argument_group("output")
    output.add_argument(
        "--top",
        type=count,
        default=top,
        metavar="N",
        help=f"how many of the hardest segments to list (default: {top})",
    )
    output.add_argument("--format", default="text", choices=["text", "json", "latex"], help=FORMATS)
    output.add_argument("-q", "--quiet", action="store_true", help="print no notices")
    return output
