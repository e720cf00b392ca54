"""Evaluation sets (campaign × language pair), and the files of a run's results about them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from .. import storage
from ..errors import Missing
from ..settings import Metrics
from ..statistics.contrasts import contrast_p
from . import language

NO_GOLD = "the set has no human scores"
NO_REFERENCE = "the set has no reference translation"
NO_SEGMENT_GOLD = "the set has no human scores of segments"
MISALIGNED = "the human scores of segments do not belong to the texts"


@dataclass(frozen=True)
class EvaluationSet:
    """The data of one evaluation set: systems that are ranked, all texts and human scores.

    Attributes
    ----------
    campaign, pair : str
        Such as wmt23 and en-de.
    reference_name : str
        Empty for none: then the segments of `reference` are empty.
    gold_name : str
        Name of the human scores of systems.
    systems : list of str
        The ranked systems, sorted by name.
    gold : list of float
        (systems,), human scores, higher is better; or empty.
    left_out : dict of str to str
        Reason why a system is not ranked, by system.
    source, reference : list of str
        Segments.
    hypotheses : list of list of str
        Systems × segments.
    documents, domains : list of str
        (segments,), or empty.
    segment_gold : list of list of float
        (systems, segments), human scores, None or NaN where a hypothesis has none; or empty.
    texts_missing : str, optional
        Reason why there are no texts: then only metrics whose scores are stored can be used.
    segment_gold_name : str
        Name of the human scores of segments, where it is not `gold_name`.
    domain_gold : dict of str to list of float
        (systems,), human scores by domain.
    outliers : list of str
        Ranked systems that the official toolkit leaves out.
    segments : {"rated", "all"}
        Whether segments without human scores count.
    canary : int
        Lines at the top of each of the archive's files that are no segments.
    misaligned : {"refuse", "use"}
        What to do with human scores of segments in another order than the texts.
    own_files : bool
        Whether these are a user's files, not the archive's.
    segment_gold_doubt : str
        How the order of the human scores of segments differs; empty if it does not.
    text_doubts, gold_doubts : list of str
        Warnings about texts and human scores, a sentence each.
    gold_covariance : list of list of float
        (systems, systems), of the errors of `gold`, where these scores come from annotations;
        else empty.
    gold_degrees : list of float
        (systems,), degrees of freedom of these errors; empty for normal errors.
    """

    campaign: str = ""
    pair: str = ""
    reference_name: str = ""
    gold_name: str = ""
    systems: list[str] = field(default_factory=list)
    gold: list[float] = field(default_factory=list)
    left_out: dict[str, str] = field(default_factory=dict)
    source: list[str] = field(default_factory=list)
    reference: list[str] = field(default_factory=list)
    hypotheses: list[list[str]] = field(default_factory=list)
    documents: list[str] = field(default_factory=list)
    domains: list[str] = field(default_factory=list)
    segment_gold: list[list[float | None]] = field(default_factory=list)
    texts_missing: str | None = None
    segment_gold_name: str = ""
    domain_gold: dict[str, list[float | None]] = field(default_factory=dict)
    outliers: list[str] = field(default_factory=list)
    segments: str = "rated"
    canary: int = 0
    misaligned: str = "refuse"
    own_files: bool = False
    segment_gold_doubt: str = ""
    text_doubts: list[str] = field(default_factory=list)
    gold_doubts: list[str] = field(default_factory=list)
    gold_covariance: list[list[float]] = field(default_factory=list)
    gold_degrees: list[float] = field(default_factory=list)

    def human_p(self, systems: Sequence[int] | np.ndarray) -> np.ndarray:
        """Test the differences between the human scores of some systems by their errors.

        Parameters
        ----------
        systems : sequence of int
            Indices.

        Returns
        -------
        ndarray
            One-sided p, (systems, systems), small where the row's system is better.
        """
        chosen = np.asarray(systems)
        # None stands for NaN in files.
        covariance = np.array(self.gold_covariance, float)[np.ix_(chosen, chosen)]
        degrees = np.array(self.gold_degrees, float)[chosen] if self.gold_degrees else None
        return contrast_p(np.array(self.gold, float)[chosen], covariance, degrees)

    def require_texts(self) -> None:
        """Raise `Missing` if the archive has scores of this set but no texts."""
        if self.texts_missing:
            raise Missing(self.texts_missing)

    def require_reference(self) -> None:
        """Raise `Missing` if the set has no reference translation."""
        self.require_texts()
        if not self.reference_name:
            raise Missing(NO_REFERENCE)

    def require_source(self) -> None:
        """Raise `Missing` if the set has no source text."""
        self.require_texts()
        if not self.source:
            raise Missing("there is no source text")

    def require_gold(self) -> None:
        """Raise `Missing` if the set has no system-level human scores."""
        if not self.gold:
            raise Missing(NO_GOLD)

    def require_segment_gold(self) -> None:
        """Raise `Missing` if segment-level human scores are absent or left out as misaligned."""
        if not self.segment_gold:
            raise Missing(self.no_segment_gold)

    @property
    def gold_label(self) -> str:
        """Names of the system-level and, if different, the segment-level human scores, as text."""
        if not self.segment_gold_name:
            return self.gold_name
        return f"{self.gold_name}; segments: {self.segment_gold_name}"

    @property
    def no_segment_gold(self) -> str:
        """The reason why the set has no segment-level human scores."""
        if not self.segment_gold_doubt:
            return NO_SEGMENT_GOLD
        return f"{MISALIGNED}: {self.segment_gold_doubt}"

    @property
    def notices(self) -> list[str]:
        """Warnings about suspicious human scores and texts of the set, a sentence each."""
        return [*self.gold_doubts, *self.text_doubts]


def documents_of(evalset: EvaluationSet, segments: Iterable[int]) -> list[str]:
    """Return the documents of segments, which are indices; none if documents are unknown."""
    if not evalset.documents:
        return []
    return [evalset.documents[segment] for segment in segments]


def language_notices(evalset: EvaluationSet, metrics: Metrics) -> list[str]:
    """Return warnings about the target language of a set whose texts are aligned and scored by
    `metrics`."""
    if not evalset.reference_name or not evalset.reference:
        return []
    types = {settings.type for settings in metrics.values()}
    return language.notices(evalset.pair, evalset.reference, types, split=True)


def save(path: str | Path, evalset: EvaluationSet) -> None:
    """Write an evaluation set to a JSON file."""
    storage.write_json(path, asdict(evalset))


def load(path: str | Path) -> EvaluationSet:
    """Read an evaluation set from a JSON file; raise `Missing` if the file marks a missing set."""
    return EvaluationSet(**storage.read_json(path))


def describe_left_out(left_out: Mapping[str, str]) -> str:
    """Return left-out systems with reasons as text, `A (reason), B (reason)`; `none` if empty."""
    return ", ".join(f"{system} ({why})" for system, why in left_out.items()) or "none"


# The result files of a set, as a job reads them

Arrays = dict[str, Any]  # of an .npz file, by name
Contents = dict[str, Any]  # of files, by path in the set's folder
READERS = {".csv": storage.read_table, ".json": storage.read_json, ".npz": storage.read_arrays}


@dataclass(frozen=True)
class SetFiles:
    """The files of a set that a job reads.

    Attributes
    ----------
    name : str
        Name of the set.
    contents : dict
        By path in the set's folder: an evaluation set, table, arrays, JSON, text, or a `Missing`
        with the reason if there is no result.
    """

    name: str
    contents: Contents = field(default_factory=dict)

    def __contains__(self, file: str) -> bool:
        return file in self.contents

    def read(self, file: str) -> Any:
        """Return a file's content; raise `Missing` if it holds a reason instead of a result."""
        content = self.contents[file]
        if isinstance(content, Missing):
            raise Missing(str(content))
        return content

    def optional(self, file: str) -> Any:
        """Return a file's content; None if it is absent or holds a reason instead of a result."""
        content = self.contents.get(file)
        return None if isinstance(content, Missing) else content

    def reason(self, file: str) -> str:
        """Return why a file holds no result; empty text if it holds a result or is absent."""
        content = self.contents.get(file)
        return str(content) if isinstance(content, Missing) else ""

    def missing_scores(self) -> dict[tuple[str, str], str]:
        """Return the reasons in `missing.csv` why scores are missing, by (metric, weighting)."""
        rows = self.read("missing.csv").itertuples()
        return {(row.metric, row.weighting): row.reason for row in rows}


def read_set(name: str, files: Iterable[str]) -> SetFiles:
    """Read those of `files` that lie in the folder of set `name`; return their contents by path."""
    contents: Contents = {}
    for file in files:
        if f"/{name}/" not in file:
            continue
        path = Path(file)
        path_in_set = file.rpartition(f"/{name}/")[2]
        try:
            storage.check_present(path)
            if path.name in ("evalset.json", "texts.json"):
                contents[path_in_set] = load(path)
            elif path.suffix in READERS:
                contents[path_in_set] = READERS[path.suffix](path)
            else:
                contents[path_in_set] = path.read_text(encoding="utf-8")
        except Missing as missing:
            contents[path_in_set] = missing
    return SetFiles(name, contents)


def read_tables(
    names: Iterable[str], files: Iterable[str]
) -> tuple[dict[str, Any], dict[str, str]]:
    """Read a CSV file per set; return dicts by set: the tables, and reasons for missing tables."""
    tables = {}
    reasons = {}
    for name, file in zip(names, files, strict=True):
        try:
            tables[name] = storage.read_table(file)
        except Missing as reason:
            reasons[name] = str(reason)
    return tables, reasons
