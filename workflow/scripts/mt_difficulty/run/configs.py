"""The config of a run: the options of its files, merged over the project's, and all that can be
wrong with it.

`python -m mt_difficulty.run.configs FILES` checks files before Snakemake reads them: make does.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import Annotated, Any, Literal, NotRequired, cast

from pydantic import AfterValidator, Field
from typing_extensions import TypedDict

from ..data.campaign_files import FILE
from ..data.yaml_files import read_yaml
from ..errors import InputError, explain, printable
from . import options as schema
from .options import (
    UNIQUE,
    Difficulties,
    Draws,
    Member,
    Name,
    NonEmpty,
    Resamples,
    Size,
    Weightings,
    form,
    options,
    refuse,
)
from .plan import Plan, make_plan, merge, protocols
from .sets import NO_SETS, PlannedSet, located

# Bytes of a path and of a name in it that leave room for the files of results.
LONGEST_PATH, LONGEST_NAME = 3000, 255
FOLDERS = ("archive", "complexity", "estimators", "export", "logs", "papers", "study")
CAMPAIGN = "[A-Za-z0-9][A-Za-z0-9._-]*"
CAMPAIGN_PATTERN = rf"(?!({'|'.join(FOLDERS)})\Z)[A-Za-z0-9*?\[][A-Za-z0-9._*?\[\]!-]*"
A_CAMPAIGN = (
    "a name of letters, digits, `.`, `_` and `-`, of which the first is a letter or a digit, and "
    f"not {', '.join(FOLDERS[:-1])} or {FOLDERS[-1]}, which are folders of the results"
)
A_PAIR = ("[A-Za-z0-9_]+-[A-Za-z0-9_]+", "source and target language, such as en-de")
A_PAIR_PATTERN = (
    r"[A-Za-z0-9_*?\[\]!]*[-*?][A-Za-z0-9_*?\[\]!-]*",
    "source and target language, such as en-de, or a pattern of them, such as *-de",
)
A_PAIR_OR_LANGUAGE = (
    "([A-Za-z]{2,3}|[A-Za-z0-9_]+-[A-Za-z0-9_]+)",
    "a language or a pair of them, such as de or en-de",
)
OWN_FILES = ["files", "reference", "campaign", "pair", "exclude", "segments"]
OWN_FILES += ["misaligned", "metrics", "weightings", "parameters", "tuned"]
ENCODERS = (["hub", "revision"], ["folder"], ["hidden_size", "layers"])


@options()
class EvaluationSet(TypedDict):
    """An evaluation set, or several of the archive."""

    campaign: Annotated[str, form(CAMPAIGN_PATTERN, A_CAMPAIGN)]
    """Name in the archive, or a pattern such as wmt2*, which selects from
    workflow/campaigns.yaml."""
    pair: NotRequired[Annotated[str, form(*A_PAIR_PATTERN)]]
    """Language pair as in the archive, or a pattern such as "*-de". Without it, every pair."""
    reference: NotRequired[str]
    """The name in references/<pair>.<reference>.txt; "" for no reference; "*" for one set per
    reference. Optional for sets in workflow/campaigns.yaml (default: the standard reference). For
    own files with several references: the name in reference.<reference>.txt."""
    gold: NotRequired[str]
    """The name in human-scores/<pair>.<gold>.sys.score; "" for no human scores. Optional for sets
    in workflow/campaigns.yaml (default: the standard human scores)."""
    segment_gold: NotRequired[NonEmpty]
    """The name in human-scores/<pair>.<segment_gold>.seg.score (optional). Default: that of `gold`;
    where the archive has no such scores, the official toolkit's, and results name both."""
    misaligned: NotRequired[Literal["refuse", "use"]]
    """What to do if the segments' human scores are not in the order of the texts, as tested by
    their correlation with length and overlap: leave them out (refuse, the default) or use them
    (use)."""
    segments: NotRequired[Literal["rated", "all"]]
    """Segments that system scores are computed over: those with human scores (rated, the default),
    or all. Sets of papers use all, as the papers did."""
    outliers: NotRequired[Literal["keep", "drop"]]
    """Systems that the official toolkit lists as outliers: rank them and add correlations without
    them (keep, the default), or leave them out (drop)."""
    stored: NotRequired[NonEmpty | list[NonEmpty]]
    """Metrics whose scores the archive stores, as patterns of their names, e.g. "*" or [MetricX*,
    chrF]. Their names in the results are the full names, such as chrF-refA (optional; none)."""
    files: NotRequired[NonEmpty]
    """Your own folder instead of files of the archive: source.txt, reference.txt, systems/*.txt,
    and optionally gold.tsv, segment_gold.tsv, documents.txt, scores/<metric>.tsv and
    difficulty/<name>.tsv (docs/own_pair.md)."""
    exclude: NotRequired[list[str]]
    """Systems to leave out, in addition to references and human translations (optional)."""
    metrics: NotRequired[list[str]]
    """Names from `metrics` (optional; all of them)."""
    weightings: NotRequired[list[str]]
    """Names from `weightings` (optional; all of them)."""
    parameters: NotRequired[dict[str, dict[str, Any]]]
    """Settings of weightings in this set, e.g. {EE: {threshold: 0.53, easy_weight: 0.35}}
    (optional)."""
    tuned: NotRequired[list[str]]
    """Weightings whose parameters were chosen with human scores of the same set: their values are
    marked, and their null is tuned in the same way (optional; none)."""


def check_entry(entry: Any) -> Any:
    """What entries of own files may have, and what other entries need not."""
    if "files" in entry:
        if further := [key for key in entry if key not in OWN_FILES]:
            raise refuse(f"there is no key `{further[0]}` here; there are {', '.join(OWN_FILES)}")
        if "pair" not in entry:
            raise refuse("the key `pair` is missing")
        forms = {"campaign": (CAMPAIGN, A_CAMPAIGN), "pair": A_PAIR}
        for key, (pattern, expected) in forms.items():
            if not re.fullmatch(pattern, entry[key]):
                raise refuse(f"expected {expected}; found {entry[key]!r}", key)
    return entry


@options()
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
    """Width of a model with random weights, to try out the pipeline."""
    layers: NotRequired[Annotated[int, Field(ge=0)]]
    """Number of layers of a model with random weights."""
    model: NotRequired[NonEmpty]
    """The model's name in bert-score, used to find its baseline and, if `layer` is not given, its
    layer (optional; the encoder's own name)."""
    layer: NotRequired[Annotated[int, Field(ge=0)]]
    """Layer whose output is used. Default: the last layer of a model with random weights; otherwise
    bert-score's layer, which takes seconds to look up."""
    dtype: NotRequired[Literal["float32", "bfloat16", "float16"]]
    """float32 (default), bfloat16 or float16."""
    device: NotRequired[Literal["auto", "cpu", "cuda"]]
    """auto (default: a GPU if there is one), cpu or cuda; unless it is cpu, jobs request the
    resource `gpu`."""


def check_encoder(entry: Any) -> Any:
    """An encoder is of one of three kinds; the folder goes before the hub."""
    if not any(entry.keys() >= set(keys) for keys in ENCODERS):
        kinds = (" and ".join(f"`{key}`" for key in keys) for keys in ENCODERS)
        raise refuse(f"expected the keys {', or '.join(kinds)}")
    return entry


@options()
class RandomSubsets(TypedDict):
    """Random subsets of systems."""

    sizes: list[Size]
    """Number of systems in a subset."""
    draws: Draws
    """Number of subsets of each size."""


@options()
class Significance(TypedDict):
    """Intervals and tests of every correlation."""

    resamples: Resamples
    """Number of bootstrap and permutation resamples (for soft pairwise accuracy at most 1,000)."""
    top: Annotated[list[Size], UNIQUE]
    """Sizes of top-K subsets, in addition to all systems and the random subsets."""
    draws: Draws
    """Number of random subsets that have intervals and tests."""


@options()
class Controls(TypedDict):
    """Null distributions."""

    draws: Resamples
    """Number of draws of each null."""


@options()
class Complexity(TypedDict):
    """Translation complexity."""

    reference_texts: dict[Annotated[str, form(*A_PAIR)], str] | None
    """The set whose source is the reference text, by language pair, e.g. {en-de: wmt19/en-de}; for
    other pairs the text with the median number of syllables per word."""


@options()
class Contrast(TypedDict):
    """Two weightings that a study compares."""

    weighting: NonEmpty
    """One of `weightings`, or of the study's `elsewhere`."""
    against: NotRequired[NonEmpty]
    """The weighting that it is compared with (optional; standard)."""
    question: NonEmpty
    """The question that the contrast answers, in one sentence."""
    primary: NotRequired[bool]
    """Whether it is a primary contrast: p-values of primary contrasts are corrected by Holm's
    method, those of the others by their false discovery rate (optional; false)."""
    nulls: NotRequired[list[Literal["permuted", "permuted_length", "random_subset"]]]
    """Nulls of the contrast: weights permuted over segments (permuted), within tenths of the set by
    source length (permuted_length), or a random subset of as many segments as the effective number
    (random_subset; optional, none)."""


@options()
class Study(TypedDict):
    """A study: contrasts of weightings over all evaluation sets of the run."""

    title: NonEmpty
    """Title of the page."""
    development: list[NonEmpty]
    """Campaigns, as names or patterns, on which ideas were developed; all others are confirmation
    campaigns."""
    tiers: dict[Name, list[NonEmpty]]
    """Groups of metrics over which effects are averaged, as patterns of their names. A metric
    belongs to the first group with a matching pattern; without a match it belongs to `other` and to
    no mean."""
    contrasts: dict[Name, Contrast]
    """The contrasts, by name."""
    submissions: NotRequired[list[NonEmpty]]
    """Patterns of metrics whose system scores in the archive are reported with the contrasts
    (optional, none)."""
    elsewhere: NotRequired[dict[Name, NonEmpty]]
    """Weightings of two groups whose threshold and easy weight were chosen on the development
    campaigns, without the set's own campaign, by the highest mean Pearson's r: the name of the new
    weighting, and of the one whose parameters are replaced (optional)."""
    margin: Annotated[float, Field(gt=0)]
    """The largest difference of soft pairwise accuracy that counts as no effect."""
    resamples: Resamples
    """Number of joint bootstrap resamples of a set's segments."""
    nulls: Draws
    """Number of draws of every null."""


@options()
class Config(TypedDict):
    """A run."""

    results: Annotated[
        str,
        form(
            r"[^\x00-\x1f\x7f{}<>]+",
            "a path without control characters, braces and angle brackets",
        ),
    ]
    """Results folder of this run. Use a different folder for each run."""
    archive: str
    """The WMT archive: a .tgz or an unpacked folder. Empty: it is downloaded."""
    archive_urls: list[str]
    """URLs of the archive; they are tried in this order."""
    archive_sha256: Annotated[
        str, form("([0-9a-f]{64})?", "64 digits and letters from a to f, or nothing")
    ]
    """Expected SHA-256 of the download. Empty: only the file's completeness is checked."""
    papers: list[str]
    """Papers to reproduce: files of workflow/papers. Each adds its own evaluation sets and
    metrics."""
    evaluation_sets: list[Annotated[EvaluationSet, AfterValidator(check_entry)]]
    """Further evaluation sets, one entry each."""
    metrics: dict[Name, Member]
    """Metrics of these sets: a type of the registry (a module of mt_difficulty/metrics) and its
    settings. `stored` reads the archive's metric-scores/<pair>/<name>-<reference>.{seg,sys}.score.
    Settings of `bertscore`: idf; rescale (with bert-score's baseline, if there is one); encoder
    (one of `encoders`, or one per target language, with `other` for all other languages; default:
    bert-score's encoder for the language, which takes seconds to look up). Weightings of tokens use
    `bertscore`; they rescale whenever there is a baseline and do not use idf. `wnm` needs at least
    two documents."""
    difficulties: Difficulties
    """Difficulty estimators: a type of the registry (a module of mt_difficulty/difficulty) and its
    settings. `chunk_entropy`: aligner (fast_align, or exact: a token is matched if it occurs in the
    reference), zero_links (entropy of a hypothesis without links: zero, as in the authors' program,
    or infinite, as in the paper). `token_dissimilarity`: leave_one_out (a system's difficulty is
    computed from the other systems)."""
    weightings: Weightings
    """Weightings, in addition to `standard`, which every metric has: a type of the registry (a
    module of mt_difficulty/weighting), the name of a difficulty, and its settings. `groups`:
    threshold (mean_plus_2sd, Eq. 9; rank_0.05, Eq. 5; quantile_0.9, of segments' mean difficulties;
    hypotheses_0.9, of all hypotheses' difficulties; or a number), easy_weight (liu2022, Eq. 11;
    share; or a number), zero_segments (segments of mean difficulty 0 when the threshold is
    estimated: drop, as in the authors' program, or keep). `tokens`: unseen (weight of a hypothesis
    token that is not in the reference: one, or reference, the difficulty of the reference token
    that it matches best), smoothing (none, or softmax of the weights), range (open, or unit:
    weights are divided by their sum), beta (recall's weight in the F score). `combined` applies the
    groups of its weighting `segments` to scores weighted by its weighting `tokens`."""
    neural: bool
    """Neural metrics; `make paper NEURAL=no` leaves them out."""
    encoders: dict[Name, Annotated[Encoder, AfterValidator(check_encoder)]]
    """Encoders: a local folder, a repository of the model hub, or random weights. If an encoder has
    several of these, the first in this order is used."""
    substitute_encoders: dict[Annotated[str, form(*A_PAIR_OR_LANGUAGE)], str]
    """Encoders that replace others, by pair or target language, e.g. {en-de: MiniLM}. Cells of
    papers computed with them are marked and not compared."""
    statistics: Annotated[list[str], UNIQUE]
    """Statistics of meta-evaluation: modules of mt_difficulty/statistics. Papers and pages need
    pearson, kendall and spearman."""
    random_subsets: RandomSubsets
    """Random subsets of systems. (Liu et al. drew 100; with 1,000 the noise of our means is a third
    of theirs.)"""
    significance: Significance
    """Intervals and tests of every correlation."""
    controls: Controls
    """Null distributions of the weightings' gains: random difficulties, random scores."""
    complexity: Complexity
    """Translation complexity: scores × (syllables per word / those of a reference text)^p."""
    seed: Annotated[int, Field(ge=0)]
    """Seed of all random numbers."""
    study: NotRequired[Study]
    """A study over all evaluation sets, as in workflow/studies; `make study` runs one."""
    truth: NotRequired[str]
    """A folder of <pair>.json with the segments and tokens that are difficult by construction, to
    check the results; only synthetic campaigns such as the demo have one."""


def check_run(
    config: dict, sources: Mapping[str, Any], folder: Path, papers: Path
) -> tuple[Plan | None, list[str]]:
    """The plan of a run in a folder, None without one, and all that a run would refuse in its
    config, which was merged from the `sources`, by file. `papers` is the folder of papers' files.
    """
    from ..embedding import regressor
    from ..evidence.subsets import CORRELATIONS
    from ..statistics import STATISTICS
    from . import members, studies
    from .campaigns import expand
    from .outputs import metric_types
    from .papers import check_papers, item_problems

    found = problems(config, sources, folder)
    if found:
        return None, found
    if config["archive"] and not (folder / located(config["archive"])).exists():
        found.append(
            f"archive: no such file or folder: {config['archive']}. Name a .tgz or an unpacked "
            "folder, or leave `archive` (ARCHIVE=) empty to download it."
        )
    unknown = members.unknown("statistic", config["statistics"], STATISTICS)
    found += [f"config, statistics: {text}" for text in unknown]
    if lacking := [name for name in CORRELATIONS if name not in config["statistics"]]:
        found.append(f"config, statistics: papers and pages need {', '.join(lacking)} too.")
    if "study" in config:
        in_study = studies.study_problems(config["study"], config["weightings"])
        found += [f"config, study: {text}" for text in in_study]
    known, in_papers = check_papers(config["papers"], papers)
    expanded = expand(config, folder, papers.parent / FILE)
    found += expanded.problems
    whole = config | {"evaluation_sets": expanded.entries}
    there = protocols(folder / config["results"])
    plan, in_plan = make_plan(cast(Config, whole), known, expanded.notices, there)
    if expanded.problems and not expanded.entries:
        in_plan = [line for line in in_plan if line != NO_SETS]
    of_papers = {metric for paper in plan.papers for metric in metric_types(plan, paper)}
    metrics = sorted({*config["metrics"], *of_papers})
    stated = members.entry_problems(
        config["metrics"], config["difficulties"], config["weightings"], metrics
    )
    found += [f"config, {line}" for line in stated] + in_papers + in_plan

    # Each line of sets once, and none of those that are stated already.
    fine: dict[str, PlannedSet] = {}
    of_sets: dict[str, str] = {}
    for name, each in plan.sets.items():
        lines = members.entry_problems(each.metrics, each.difficulties, each.weightings, metrics)
        if not lines:
            fine[name] = each
        for line in lines:
            of_sets.setdefault(line, f"{name}: {line}")
    plan = replace(plan, sets=fine)
    found += [text for line, text in of_sets.items() if line not in stated]
    for name, paper in known.items() if not stated and not of_sets else ():
        difficulties = config["difficulties"] | paper.get("difficulties", {})
        weightings = config["weightings"] | paper.get("weightings", {})
        found += [f"{name}: {line}" for line in item_problems(paper, difficulties, weightings)]

    # Files that the config names and no set has, and models that a run could not load.
    estimates: dict[str, list[str]] = {}
    models = set()
    for name, planned in plan.sets.items():
        for difficulty in planned.estimated:
            path = plan.estimates_file(name, difficulty)
            if path and planned.difficulties[difficulty].get("file"):
                estimates.setdefault(difficulty, []).append(path)
            if model := plan.model_folder(name, difficulty):
                models.add((difficulty, model))
    found += [
        f"config, difficulties, {difficulty}: no such file: {paths[0]}."
        for difficulty, paths in estimates.items()
        if not any((folder / path).is_file() for path in paths)
    ]
    for difficulty, model in sorted(models):
        try:
            regressor.whole(folder / model)  # its weights are not read
        except InputError as error:
            found.append(f"config, difficulties, {difficulty}: {error}")
    return plan, found


def problems(config: dict, sources: Mapping[str, Any], folder: str | Path) -> list[str]:
    """What is wrong with a config itself, a line each; parameters as of `check_run`."""
    found = schema.problems(config, Config, sources)
    if not found and (reason := unfit(config["results"], folder)):
        found.append(f"{schema.source_of(('results',), sources)}: results: {reason}")
    return found


def unfit(results: str, folder: str | Path) -> str:
    """Why results cannot be written to a path; empty if they can, as far as one sees."""
    path = Path(os.path.normpath(Path(folder, results)))
    longest = max(len(os.fsencode(name)) for name in path.parts)
    if longest > LONGEST_NAME or len(os.fsencode(path)) > LONGEST_PATH:
        return f"the path is too long: at most {LONGEST_NAME} bytes a name, {LONGEST_PATH} in all."
    if Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(path)):
        return f"{results} holds the project itself. Name a folder for results alone."
    while not os.path.exists(path):  # False, too, where one may not look
        path = path.parent
    if not path.is_dir():
        return f"{path} is a file; expected a folder, or one that can be made. Name another."
    if not os.access(path, os.W_OK | os.X_OK):
        return f"{path} is read-only. Allow writing, or name another folder."
    return ""


def main(files: Sequence[str]) -> int:
    """Check files that are merged one over the other, the project's first, and print the folder of
    the results; problems go to stderr."""
    try:
        sources = {file: read_yaml(file) for file in files}
        config = reduce(merge, sources.values())
        lines = problems(config, sources, Path.cwd())
        if not os.access(".", os.W_OK):
            lines.append("this folder is read-only, but Snakemake keeps notes in it: copy it.")
    except InputError as error:
        lines = [str(error)]
    except OSError as error:
        lines = [explain(error)]
    for line in lines:
        print(printable(f"ERROR: {line}"), file=sys.stderr)
    if not lines:
        print(config["results"])
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
