"""The options of a config, each written down once: its description, type and bounds.

A config stays the mapping that YAML gives: these classes type it, and `schema` checks it by the
JSON schema that pydantic makes of them. Jobs, whose config was checked, do not import them.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field, WithJsonSchema
from typing_extensions import TypedDict

from .options import (
    A_NAME,
    A_PAIR,
    A_PAIR_OR_LANGUAGE,
    A_PAIR_PATTERN,
    Difficulties,
    Draws,
    Member,
    NonEmpty,
    Resamples,
    Size,
    Weightings,
    keyed,
    options,
    text,
)

FOLDERS = (
    "archive",
    "complexity",
    "estimators",
    "export",
    "logs",
    "papers",
    "provenance",
    "study",
)  # of the results
CAMPAIGN = "[A-Za-z0-9][A-Za-z0-9._-]*"
CAMPAIGN_PATTERN = r"[A-Za-z0-9*?\[][A-Za-z0-9._*?\[\]!-]*"
A_CAMPAIGN = (
    "a name of letters, digits, `.`, `_` and `-`, of which the first is a letter or a digit, and "
    "not archive, complexity, estimators, export, logs, papers, provenance or study, which are "
    "folders of the results"
)
OWN_FILES = ["files", "reference", "campaign", "pair", "exclude", "segments"]
OWN_FILES += ["misaligned", "metrics", "weightings", "parameters", "tuned"]


@options(
    **{
        "if": {"required": ["files"]},
        "then": {
            "propertyNames": {"enum": OWN_FILES},
            "required": ["pair"],
            "properties": {
                "campaign": text(CAMPAIGN, A_CAMPAIGN).json_schema,
                "pair": text(*A_PAIR).json_schema,
            },
        },
    }
)
class EvaluationSet(TypedDict):
    """An evaluation set, or several of the archive."""

    campaign: Annotated[str, text(CAMPAIGN_PATTERN, A_CAMPAIGN, **{"not": {"enum": list(FOLDERS)}})]
    """As in the archive; or a pattern such as wmt2*, for all that workflow/campaigns.yaml has."""
    pair: NotRequired[Annotated[str, text(*A_PAIR_PATTERN)]]
    """As in the archive; or a pattern such as "*-de". Without it, every pair."""
    reference: NotRequired[str]
    """The name in references/<pair>.<reference>.txt, "" for none, "*" for a set of each (optional
    where workflow/campaigns.yaml has the set: its standard reference); of own files, that in
    reference.<reference>.txt, where there are several."""
    gold: NotRequired[str]
    """The name in human-scores/<pair>.<gold>.sys.score, "" for none (optional as the reference: the
    standard human scores)."""
    segment_gold: NotRequired[NonEmpty]
    """The name in human-scores/<pair>.<segment_gold>.seg.score, where it is not that of `gold`
    (optional)."""
    misaligned: NotRequired[Literal["refuse", "use"]]
    """Human scores of segments that do not belong to the texts in this order, as their correlation
    with lengths and overlaps tells: left out (refuse, the default), or used all the same."""
    segments: NotRequired[Literal["rated", "all"]]
    """Which segments system scores are taken over: those with human scores (rated, the default), or
    all. Sets of papers have all, as the papers did."""
    outliers: NotRequired[Literal["keep", "drop"]]
    """Systems that the official toolkit lists as outliers: ranked, with correlations without them
    beside (keep, the default), or left out."""
    stored: NotRequired[NonEmpty | list[NonEmpty]]
    """Metrics of which the archive stores scores, as patterns of their names, e.g. "*" or
    [MetricX*, chrF]; they go by their full names, such as chrF-refA (optional; none)."""
    files: NotRequired[NonEmpty]
    """A folder of one's own instead of the archive's names: source.txt, reference.txt,
    systems/*.txt, and optionally gold.tsv, segment_gold.tsv, documents.txt, scores/<metric>.tsv and
    difficulty/<name>.tsv (docs/own_pair.md)."""
    exclude: NotRequired[list[str]]
    """Systems to leave out, beside references and humans (optional)."""
    metrics: NotRequired[list[str]]
    """Names from `metrics` (optional; all of them)."""
    weightings: NotRequired[list[str]]
    """Names from `weightings` (optional; all of them)."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Settings of weightings in this set, e.g. {EE: {threshold: 0.53, easy_weight: 0.35}}
    (optional)."""
    tuned: NotRequired[list[str]]
    """Weightings whose parameters were chosen with human scores of this same set: their values are
    marked, and their null is tuned likewise (optional; none)."""


@options(
    anyOf=[  # the folder goes before the hub
        {"required": ["hub", "revision"]},
        {"required": ["folder"]},
        {"required": ["hidden_size", "layers"]},
    ]
)
class Encoder(TypedDict):
    """An encoder of one of three kinds, of which the first that is given counts: a folder, a
    repository of the hub, or random weights."""

    folder: NotRequired[NonEmpty]
    """A local folder with config.json, a tokenizer and *.safetensors."""
    hub: NotRequired[NonEmpty]
    """A repository of the model hub, fetched once; needs safetensors."""
    revision: NotRequired[NonEmpty]
    """The pinned revision of the repository."""
    hidden_size: NotRequired[Annotated[int, Field(ge=1)]]
    """Random weights of this width, for trying the pipeline out."""
    layers: NotRequired[Annotated[int, Field(ge=0)]]
    """Random weights in so many layers."""
    model: NotRequired[NonEmpty]
    """bert-score's name for it, by which its baseline and, where none is given, its layer are found
    (optional; the encoder's own name)."""
    layer: NotRequired[Annotated[int, Field(ge=0)]]
    """Whose output is used. Without it, the last of random weights; of others bert-score is asked,
    which takes seconds."""
    dtype: NotRequired[Literal["float32", "bfloat16", "float16"]]
    """float32 (default), bfloat16 or float16."""
    device: NotRequired[Literal["auto", "cpu", "cuda"]]
    """auto (default: a GPU where there is one), cpu or cuda; unless it is cpu, jobs ask for the
    resource `gpu`."""


@options()
class RandomSubsets(TypedDict):
    """Random subsets of systems."""

    sizes: list[Size]
    """How many systems a subset has."""
    draws: Draws
    """How many subsets are drawn of each size."""


@options()
class Significance(TypedDict):
    """Statistics beside every correlation."""

    resamples: Resamples
    """Bootstrap and permutation resamples (for soft pairwise accuracy at most 1,000)."""
    top: Annotated[list[Size], Field(json_schema_extra={"uniqueItems": True})]
    """Sizes of top-K subsets, beside all systems and the random subsets."""
    draws: Draws
    """How many of the random subsets have them."""


@options()
class Controls(TypedDict):
    """Null distributions."""

    draws: Resamples
    """How many of each are drawn."""


@options()
class Complexity(TypedDict):
    """Translation complexity."""

    reference_texts: Annotated[
        dict[str, str] | None,
        WithJsonSchema(
            {
                "type": ["object", "null"],
                "propertyNames": text(*A_PAIR).json_schema,
                "additionalProperties": {"type": "string"},
            }
        ),
    ]
    """The set whose source is the reference text, by language pair, e.g. {en-de: wmt19/en-de};
    elsewhere the text in the middle."""


@options()
class Contrast(TypedDict):
    """Two weightings that a study compares."""

    weighting: NonEmpty
    """One of `weightings`, or of the study's `elsewhere`."""
    against: NotRequired[NonEmpty]
    """What it is compared with (optional; standard)."""
    question: NonEmpty
    """What the contrast answers, in a sentence."""
    primary: NotRequired[bool]
    """Whether it decides the study: p-values of primary contrasts are corrected by Holm's method,
    those of the others by their false discovery rate (optional; false)."""
    nulls: NotRequired[list[Literal["permuted", "permuted_length", "random_subset"]]]
    """What it is compared with beside: weights at random places (permuted), within tenths of the
    set by source length (permuted_length), or a random subset of as many segments as are effective
    (random_subset; optional, none)."""


@options()
class Study(TypedDict):
    """A study: contrasts of weightings over all evaluation sets of the run."""

    title: NonEmpty
    """Of its page."""
    development: list[NonEmpty]
    """Campaigns, as names or patterns, on which ideas were developed; all others confirm."""
    tiers: Annotated[dict[str, list[NonEmpty]], keyed(*A_NAME)]
    """Groups of metrics over which effects are averaged, as patterns of their names; a metric is of
    the first that names it, of `other` if none does, and takes part in no mean then."""
    contrasts: Annotated[dict[str, Contrast], keyed(*A_NAME)]
    """What is compared, by name."""
    submissions: NotRequired[list[NonEmpty]]
    """Patterns of metrics whose system scores in the archive stand beside the contrasts (optional,
    none)."""
    elsewhere: NotRequired[Annotated[dict[str, NonEmpty], keyed(*A_NAME)]]
    """Weightings in two groups with a threshold and an easy weight that were chosen on the
    development campaigns other than the set's own, by the highest mean Pearson's r: name of the new
    weighting, and that of the one whose parameters are replaced (optional)."""
    margin: Annotated[float, Field(gt=0)]
    """The largest difference of soft pairwise accuracy that counts as none (equivalence test)."""
    resamples: Resamples
    """Joint bootstrap resamples of a set's segments."""
    nulls: Draws
    """Draws of every null."""


@options()
class Config(TypedDict):
    """A run."""

    results: Annotated[
        str,
        text(
            r"[^\x00-\x1f\x7f{}<>]+",
            "a path without control characters, braces and angle brackets",
        ),
    ]
    """Folder of this run; give another run another folder."""
    archive: str
    """The WMT archive: a .tgz or an unpacked folder. Empty: downloaded."""
    archive_urls: list[str]
    """Where it is downloaded from, in order."""
    archive_sha256: Annotated[
        str, text("([0-9a-f]{64})?", "64 digits and letters from a to f, or nothing")
    ]
    """Expected SHA-256 of the download; empty: the file is checked for being whole."""
    papers: list[str]
    """Papers to rebuild: files of workflow/papers. Each brings its own evaluation sets and
    metrics."""
    evaluation_sets: list[EvaluationSet]
    """Further evaluation sets, one entry each."""
    metrics: Annotated[dict[str, Member], keyed(*A_NAME)]
    """Metrics of these sets: a type of the registry (a module of mt_difficulty/metrics) and its
    settings. `stored` reads the archive's metric-scores/<pair>/<name>-<reference>.{seg,sys}.score.
    Settings of `bertscore`: idf, rescale (with bert-score's baseline, where it has one), encoder
    (one of `encoders`, or by target language, with `other` for all that are not named; where
    neither is given, bert-score is asked for the language's, which takes seconds). Weightings of
    tokens apply to it; they always rescale where they can and know no idf. `wnm` needs two
    documents or more."""
    difficulties: Difficulties
    """Difficulties: a type of the registry (a module of mt_difficulty/difficulty) and its settings.
    `chunk_entropy`: aligner (fast_align, or exact: a token is matched if it occurs in the
    reference), zero_links (entropy of a hypothesis without links: zero, as in the authors' program,
    or infinite, as in the paper). `token_dissimilarity`: leave_one_out (for every system that of
    the others)."""
    weightings: Weightings
    """Weightings, beside `standard`, which every metric has: a type of the registry (a module of
    mt_difficulty/weighting), the name of a difficulty, and its settings. `groups`: threshold
    (mean_plus_2sd, Eq. 9; rank_0.05, Eq. 5; quantile_0.9, of segments' mean difficulties;
    hypotheses_0.9, of all hypotheses' difficulties; or a number), easy_weight (liu2022, Eq. 11;
    share; or a number), zero_segments (those of mean difficulty 0, when the threshold is
    estimated: drop, as in the authors' program, or keep). `tokens`: unseen (weight of a hypothesis
    token that the reference lacks: one, or reference, the difficulty of the reference token that it
    matches best), smoothing (none, or softmax of the weights), range (open, or unit: weights are
    divided by their sum), beta (recall's weight in the F score). `combined` names two others, the
    groups of `segments` over scores that are weighted by `tokens`."""
    neural: bool
    """Neural metrics; `make paper NEURAL=no` leaves them out."""
    encoders: Annotated[dict[str, Encoder], keyed(*A_NAME)]
    """Encoders, each of one of three kinds, of which the first that is given counts: a local
    folder, a repository of the model hub, or random weights."""
    substitute_encoders: Annotated[dict[str, str], keyed(*A_PAIR_OR_LANGUAGE)]
    """Encoders to use in the place of others, by pair or target language, e.g.
    {en-de: MiniLM}. Cells of papers that are made with them say so and are not compared."""
    statistics: Annotated[list[str], Field(json_schema_extra={"uniqueItems": True})]
    """Statistics of meta-evaluation: modules of mt_difficulty/statistics. Papers and pages need
    pearson, kendall and spearman."""
    random_subsets: RandomSubsets
    """Random subsets of systems. (Liu et al. drew 100; with 1,000 the noise of our means is a
    third of theirs.)"""
    significance: Significance
    """Statistics beside every correlation."""
    controls: Controls
    """Null distributions of the weightings' gains: random difficulties, random metrics."""
    complexity: Complexity
    """Translation complexity: scores × (syllables per word / those of a reference text)^p."""
    seed: Annotated[int, Field(ge=0)]
    """Seed of everything random."""
    study: NotRequired[Study]
    """A study over all evaluation sets, as in workflow/studies; `make study` runs one."""
    truth: NotRequired[str]
    """A folder of <pair>.json with the segments and tokens that are hard by construction, to check
    what was found; only synthetic campaigns such as the demo have one."""
