"""A user's own texts: a folder as an evaluation set; texts named on a command line or in Python."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path

from ..errors import InputError, Missing, nearest
from . import campaign_files, download
from .build_set import HumanScores, ImportSettings, TextFiles, add_gold, build_texts
from .evalset import EvaluationSet
from .language import UNDETERMINED
from .names import by_name, has_text_ending, normal
from .score_files import check_gold, read_scores
from .text_files import (
    STDIN,
    Sources,
    is_human,
    read_documents,
    read_segments,
    read_source,
    read_translation,
    refuse_canary,
)
from .text_formats import HYPOTHESIS, REFERENCE, SOURCE

# Names of files and folders in a user's folder.
SOURCE_FILE = "source.txt"
REFERENCE_FILE = "reference.txt"
SYSTEMS = "systems"
GOLD = "gold.tsv"
SEGMENT_GOLD = "segment_gold.tsv"
DOCUMENTS = "documents.txt"
# Folders of TSV files by metric and difficulty.
SCORES = "scores"
DIFFICULTY = "difficulty"
HOLDS = (
    f"A folder of one's own holds {SOURCE_FILE}, {REFERENCE_FILE} or reference.<name>.txt, and "
    f"{SYSTEMS}/<system>.txt, one segment a line, and, where they exist, {GOLD}, {SEGMENT_GOLD}, "
    f"{DOCUMENTS}, {SCORES}/<metric>.tsv and {DIFFICULTY}/<name>.tsv."
)
EXPECTED = (
    "expected a text file with one segment a line, a folder with source.txt, or a set of the "
    "archive, such as wmt23/en-de"
)


# The files of a folder


def text_files(folder: str | Path, reference: str | None = None) -> list[Path]:
    """Return a user's existing files for a set: source, chosen reference, documents, outputs."""
    folder = Path(folder)
    try:
        chosen = None if reference == "" else _find_reference(folder, reference)
    except InputError:  # the job that reads the reference raises it
        chosen = None
    named = [folder / SOURCE_FILE]
    if chosen:
        named.append(chosen)
    named.append(folder / DOCUMENTS)
    outputs = [path for path in visible(folder / SYSTEMS) if has_text_ending(path)]
    return [path for path in named if path.is_file()] + outputs


def gold_files(folder: str | Path) -> list[Path]:
    """Return the existing files of human scores in a user's folder: gold.tsv, segment_gold.tsv."""
    paths = [Path(folder, GOLD), Path(folder, SEGMENT_GOLD)]
    return [path for path in paths if path.is_file()]


def visible(folder: Path) -> list[Path]:
    """Return the paths in a folder, sorted, without hidden ones (names that start with a dot)."""
    return sorted(path for path in folder.glob("*") if not path.name.startswith("."))


def table_file(folder: str | Path, kind: str, name: str) -> Path:
    """Return the path of a table of scores or estimates in a user's folder.

    Parameters
    ----------
    folder : path
    kind : {"scores", "difficulty"}
    name : str
        Name of the metric or difficulty.

    Returns
    -------
    Path
        `<folder>/<kind>/<name>.tsv`.
    """
    return Path(folder, kind, f"{name}.tsv")


def file_of_set(file: str, campaign: str, pair: str) -> str:
    """Fill in the placeholders of a path.

    Parameters
    ----------
    file : str
        Path with the placeholders `{campaign}` and `{pair}`.
    campaign, pair : str

    Returns
    -------
    str
    """
    return file.replace("{campaign}", campaign).replace("{pair}", pair)


def _find_reference(folder: Path, reference: str | None) -> Path:
    """Return the file `reference.<name>.txt` with the given name. Without a name, return
    `reference.txt` or the only reference; raise `InputError` if there is no or no single one."""
    start = "reference."
    end = ".txt"
    files = sorted(folder.glob(f"{start}?*{end}"))
    known = {normal(path.name[len(start) : -len(end)]): path for path in files}
    if reference is not None:
        if normal(reference) in known:
            return known[normal(reference)]
        raise InputError(
            f"{folder}: no file reference.{reference}.txt. References with a name here: "
            f"{', '.join(known) or 'none'}{nearest(reference, known)} (config, evaluation_sets: "
            "reference)."
        )
    if (folder / REFERENCE_FILE).is_file() or not known:
        return _existing(folder / REFERENCE_FILE)
    if len(known) > 1:
        raise InputError(
            f"{folder}: {len(known)} references, {', '.join(known)}, and no {REFERENCE_FILE}. "
            f"Choose one in the config's entry of the set, as `reference: {next(iter(known))}`."
        )
    return files[0]


def _existing(path: Path) -> Path:
    """Return a path if it exists; raise `InputError` if not."""
    if not path.exists():
        raise InputError(f"{path}: no such file or folder. {HOLDS}")
    return path


# A folder as an evaluation set


def read_texts(folder: Path, settings: ImportSettings) -> EvaluationSet:
    """Read and check the texts of an evaluation set in a user's folder (files: `HOLDS`).

    The settings' `reference` is the name in `reference.<name>.txt`, or empty for none; by default
    `reference.txt` or the only reference. Systems with a human score are ranked: those of the
    settings' `rated`, else those in the files of human scores; without any, all.

    Raises
    ------
    InputError
        For bad input.
    """
    for path in (folder, folder / SOURCE_FILE, folder / SYSTEMS):
        _existing(path)
    outputs = find_outputs(folder)
    reference = None
    if settings.reference != "":
        reference = _find_reference(folder, settings.reference)
    sources = read_folder_source(folder)
    scores = {} if settings.rated else _read_scores(folder, len(sources.texts))
    for file, file_scores in scores.items():
        check_gold(file, file_scores, outputs, folder / SYSTEMS)
    rated = None
    gold_name = ""
    if settings.rated:
        rated = set(settings.rated)
        gold_name = settings.gold
    elif scores:
        means = _means(scores)
        rated = {system for system, score in means.items() if not math.isnan(score)}
        gold_name = next(iter(scores)).name
    reference_name = reference.name if reference else ""
    texts = TextFiles(outputs, sources, reference, reference_name)
    return build_texts(texts, rated, gold_name, settings)


def find_outputs(folder: Path) -> dict[str, Path]:
    """Return the files of systems in a user's folder, by system.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    dict of str to Path

    Raises
    ------
    InputError
        If there is no such folder, or it holds other files.
    """
    files = visible(_existing(folder / SYSTEMS))
    for path in files:
        if not has_text_ending(path):
            raise InputError(f"{path}: not <system>.txt. Rename it, or move it elsewhere.")
        if not path.is_file():
            raise InputError(f"{path}: not a regular file. Put the system's output there.")
    return by_name(files, "systems")


def read_gold(folder: Path, texts: EvaluationSet, settings: ImportSettings) -> EvaluationSet:
    """Read the human scores of a set in a user's folder, and check them against its `texts`.

    A line of `gold.tsv` is `system <tab> score`, higher is better; `segment_gold.tsv` has one for
    each segment of each system, None for no score. Without `gold.tsv` a system's human score is the
    mean of its rated segments.

    Parameters
    ----------
    folder : Path
    texts : EvaluationSet
        Of `read_texts`.
    settings : ImportSettings

    Returns
    -------
    EvaluationSet

    Raises
    ------
    InputError
        For malformed files, or scores of a system without output.
    """
    scores = _read_scores(folder, len(texts.reference))
    known = {*texts.systems, *texts.left_out}
    for file, scores_in_file in scores.items():
        check_gold(file, scores_in_file, known, folder / SYSTEMS)
    segment_scores = scores.get(folder / SEGMENT_GOLD, {})
    human = HumanScores(system_scores=_means(scores), segment_scores=segment_scores)
    return add_gold(texts, human, settings)


def _read_scores(folder: Path, segments: int) -> dict[Path, dict[str, list[float]]]:
    """Return the scores by system of each file of human scores, that of systems first."""
    scores = {}
    for file in gold_files(folder):
        count = segments if file.name == SEGMENT_GOLD else None
        scores[file] = read_scores(file, count)
        if not scores[file]:
            raise InputError(
                f"{file}: the file has no scores. Expected lines `system <tab> score`; without "
                "human scores, remove the file."
            )
    return scores


def _means(scores: Mapping[Path, Mapping[str, list[float]]]) -> dict[str, float]:
    """Return the mean human score of each system in the first file, over its rated segments if it
    is a file of segments; NaN without a score."""
    first_file: Mapping[str, list[float]] = next(iter(scores.values()), {})
    means = {}
    for system, values in first_file.items():
        rated = [score for score in values if not math.isnan(score)]
        means[system] = math.fsum(rated) / len(rated) if rated else math.nan
    return means


def read_folder_source(folder: Path) -> Sources:
    """Read the source text and the documents of a user's folder.

    Parameters
    ----------
    folder : Path

    Returns
    -------
    Sources

    Raises
    ------
    InputError
        If the source text is missing, or a file is malformed.
    """
    texts = read_source(_existing(folder / SOURCE_FILE))
    refuse_canary(folder / SOURCE_FILE, texts)
    (documents,) = read_documents(folder / DOCUMENTS, len(texts))
    return Sources(texts, documents, [], folder)


# Texts that are named on a command line or in Python


def read_sources(name: str, archive: Path) -> Sources:
    """Read a source text. `name` is a path or a `campaign/pair` of the archive (.tgz or folder).
    Raises `InputError` if there is no such text or it is malformed."""
    path = Path(name)
    if path.is_file():
        texts = read_source(path)
        refuse_canary(path, texts)
        return Sources(texts, [], [], path)
    if (path / SOURCE_FILE).is_file():
        return read_folder_source(path)
    campaign, _, pair = name.partition("/")
    if not pair or "/" in pair or path.is_dir():
        raise InputError(f"{name}: {EXPECTED}.")
    if not archive.exists():
        raise InputError(
            f"{name}: neither a file nor a folder with source.txt, and the archive {archive} is "
            "not here. Name one (archive)."
        )
    try:
        folder = download.find_campaign(download.unpacked(archive, [campaign]) / campaign)
    except Missing as reason:
        raise InputError(f"{name}: {reason} ({EXPECTED}).") from reason
    campaign_files.check_pair(campaign, pair, campaign_files.pairs_of(folder))
    if not campaign_files.source_file(folder, pair).is_file():
        raise InputError(f"{name}: the archive has no source text of it ({EXPECTED}).")
    return campaign_files.read_archive_source(folder, pair)


def references(sources: Sources) -> set[str]:
    """Return the reference names (such as refA) of an archive's set; none for a user's own set."""
    if not sources.pair:
        return set()
    return set(map(normal, campaign_files.reference_files(sources.place, sources.pair)))


def read_outputs(sources: Sources, paths: Sequence[Path] = ()) -> dict[str, list[str]]:
    """Read the hypotheses for a source text, by system, sorted by name: from the files `paths`,
    else from `systems/`, else from the archive (without human translations). Raises `InputError` if
    there are none, or a file has a wrong number of lines."""
    files = list(paths)
    if not files and sources.pair:
        files = campaign_files.output_files(sources.place, sources.pair)
    elif not files and sources.place.is_dir():
        files = [path for path in visible(sources.place / SYSTEMS) if has_text_ending(path)]
    if not files:
        raise InputError(f"{sources.place}: no hypotheses. Name files of them (--hyp).")
    reference_names = references(sources)
    segments = len(sources.texts)
    outputs = {}
    for system, file in sorted(by_name(files, "systems").items()):
        if not file.is_file():
            raise InputError(f"{file}: no such file of hypotheses.")
        if paths or not is_human(system, reference_names):
            outputs[system] = read_translation(file, HYPOTHESIS, segments, sources.canary)
    return outputs


def read_given_set(
    references: Sequence[Path],
    outputs: Sequence[Path],
    source: Path | None,
    pair: str,
    columns: int = 1,
    documents: Path | None = None,
) -> tuple[EvaluationSet, list[list[str]]]:
    """Read files that a command line names as an evaluation set.

    Parameters
    ----------
    references : sequence of Path
        One or more files, each with `columns` references in a line, between tabs.
    outputs : sequence of Path
        A file for each system, which has the file's name (`name_of`).
    source : Path, optional
    pair : str
        Language pair.
    columns : int
    documents : Path, optional
        The document of each segment, one a line.

    Returns
    -------
    tuple
        The set, with the first reference and with systems in the given order; and a list of
        segments for each further reference.

    Raises
    ------
    InputError
        For unequal numbers of lines or columns, systems of one name, or two uses of standard input.
    """
    paths = [*references, *outputs]
    if source:
        paths.append(source)
    if list(map(str, paths)).count(STDIN) > 1:
        raise InputError("-: standard input is one text; it is named more than once.")
    systems = list(by_name(map(named_stdin, outputs), "systems"))
    reference_texts = []
    for path in references:
        reference_texts += [(path, text) for text in _given_references(path, columns)]
    output_texts = [(path, read_segments(path, HYPOTHESIS)) for path in outputs]
    source_texts = [(source, read_segments(source, SOURCE))] if source else []

    texts = [*reference_texts, *output_texts, *source_texts]
    for path, text in texts:
        refuse_canary(path, text)
    _check_same_length(texts)
    first_file, reference = reference_texts[0]
    document_names: list[str] = []
    if documents:
        if not documents.is_file():
            raise InputError(f"{documents}: no such file.")
        (document_names,) = read_documents(documents, len(reference))
    evalset = EvaluationSet(
        pair=pair,
        reference_name=str(first_file),
        systems=systems,
        reference=reference,
        hypotheses=[text for _, text in output_texts],
        source=source_texts[0][1] if source_texts else [],
        documents=document_names,
    )
    return evalset, [text for _, text in reference_texts[1:]]


def named_stdin(path: Path) -> Path:
    """Return a path, or for standard input (`-`) one that gives a system the name `stdin`."""
    return Path("stdin") if str(path) == STDIN else path


def _check_same_length(texts: Sequence[tuple[Path, list[str]]]) -> None:
    """Raise `InputError` if a text has another number of lines than the first."""
    first_file, first_text = texts[0]
    lines = len(first_text)
    differing = [f"{path} has {len(text)}" for path, text in texts if len(text) != lines]
    if differing:
        raise InputError(
            f"{first_file} has {lines} lines, but {', '.join(differing)}: line by line "
            "they must be the same segments."
        )


def _given_references(path: Path, columns: int) -> list[list[str]]:
    """Return the references in a file, one or, in columns between tabs, several."""
    lines = read_segments(path, REFERENCE, columns)
    if not lines:
        raise InputError(f"{path}: the file is empty; expected one segment a line.")
    if columns == 1:
        return [lines]
    rows = [line.split("\t") for line in lines]
    for number, row in enumerate(rows, 1):
        if len(row) != columns:
            raise InputError(
                f"{path}, line {number}: expected {columns} references between tabs, found "
                f"{len(row)}."
            )
    return [list(column) for column in zip(*rows, strict=True)]


def pair_of(source_language: str | None, language: str | None) -> str:
    """Join source and target language codes to a pair such as `en-de`; None becomes `und`."""
    return f"{source_language or UNDETERMINED}-{language or UNDETERMINED}"
