"""What an encoder has computed, kept on disk by content: a later run encodes new sentences only.

Two things are kept: the maxima of every pair of reference and hypothesis, so that the same texts
need no encoder (15 MB for 22 systems with 2,000 segments, whose embeddings would take 5 GB), and
the references' embeddings (240 MB), in float32, so that a new system needs its own sentences' only.

An entry is a file: a SHA-256 over its name and its content, then arrays. A damaged one counts as
absent. Each of two jobs that write an entry at once puts a whole file there; the later one stays.
"""

import hashlib
import io
import json
import os
import uuid
from collections.abc import Iterable, Iterator
from contextlib import suppress
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

# In the project's folder; `LIMIT` bytes at most, and a tenth more while a job is at work.
FOLDER, LIMIT = Path("data/encoded"), 8 * 10**9
SUM = hashlib.sha256().digest_size

# Of a pair of sentences, special tokens included: the best similarity of each reference token and
# of each hypothesis token, and the place of the latter's best reference token that is not special.
Maxima = tuple[np.ndarray, np.ndarray, np.ndarray]


class Kept:
    """Embeddings of references, and maxima of pairs, of one encoder.

    `made_with` is whatever the numbers depend on beside the texts. `folder` is for all encoders;
    what was used least recently goes where it grows beyond `limit` bytes.
    """

    def __init__(self, made_with: dict[str, Any], folder: Path = FOLDER, limit: int = LIMIT):
        self.folder, self.limit = folder, limit
        self._name = hashlib.sha256(json.dumps(made_with, sort_keys=True).encode()).hexdigest()
        self._written = limit  # since files were last counted

    def embedding(self, text: str) -> np.ndarray | None:
        """A sentence's embeddings, (tokens, dimensions)."""
        found = self._read(text, "embedding")
        return found[0] if found else None

    def add_embedding(self, text: str, embedding: np.ndarray) -> None:
        self._write(text, "embedding", [embedding])

    def matches(self, texts: np.ndarray, pairs: np.ndarray) -> list[Maxima | None]:
        """Maxima of pairs (pairs, 2), which are sorted by reference; None where there are none."""
        found: list[Maxima | None] = []
        for reference, hypotheses in _by_reference(pairs):
            known = self._matches_of(texts[reference])
            found += [known.get(_digest(texts[hypothesis])) for hypothesis in hypotheses]
        return found

    def add_matches(self, texts: np.ndarray, pairs: np.ndarray, maxima: Iterable[Maxima]) -> None:
        """Keep the maxima of pairs, which are sorted by reference."""
        ahead = iter(maxima)
        for reference, hypotheses in _by_reference(pairs):
            known = self._matches_of(texts[reference])
            known |= {_digest(texts[hypothesis]): next(ahead) for hypothesis in hypotheses}
            columns = [np.concatenate(column) for column in zip(*known.values(), strict=True)]
            lengths = np.array([len(found) for _, found, _ in known.values()])
            names = np.frombuffer(b"".join(known), dtype=np.uint8)
            self._write(texts[reference], "matches", [names, lengths, *columns])

    def _matches_of(self, reference: str) -> dict[bytes, Maxima]:
        """Maxima of a reference's pairs, by the digest of the hypothesis."""
        entry = self._read(reference, "matches")
        if not entry:
            return {}
        names, lengths, of_reference, *of_hypothesis = entry
        ends = np.cumsum(lengths)[:-1]
        columns = (
            np.split(of_reference, len(lengths)),
            *(np.split(x, ends) for x in of_hypothesis),
        )
        digests = (name.tobytes() for name in np.split(names, len(lengths)))
        return dict(zip(digests, zip(*columns, strict=True), strict=True))

    def _path(self, text: str, kind: str) -> Path:
        name = _digest(text).hex()
        return self.folder / self._name[:16] / name[:2] / f"{name[2:]}.{kind}"

    def _sum(self, path: Path, content: bytes) -> bytes:
        return hashlib.sha256(f"{self._name} {path.name} ".encode() + content).digest()

    def _read(self, text: str, kind: str) -> list[np.ndarray] | None:
        """The arrays of an entry; None where there is none, or a damaged one."""
        path = self._path(text, kind)
        try:
            data = path.read_bytes()
            if data[:SUM] != self._sum(path, data[SUM:]):
                return None
            os.utime(path)  # used
        except OSError:
            return None
        stream, found = io.BytesIO(data[SUM:]), []
        while stream.tell() < len(data) - SUM:
            found.append(np.load(stream, allow_pickle=False))
        return found

    def _write(self, text: str, kind: str, arrays: list[np.ndarray]) -> None:
        """Write an entry as a whole; where that cannot be, as on a full disk, there is none."""
        path, stream = self._path(text, kind), io.BytesIO()
        for array in arrays:
            np.save(stream, array, allow_pickle=False)
        data = self._sum(path, stream.getvalue()) + stream.getvalue()
        temporary = path.with_name(f"{uuid.uuid4().hex}.part")
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            try:
                temporary.write_bytes(data)
                os.replace(temporary, path)
            finally:
                temporary.unlink(missing_ok=True)
        self._written += len(data)
        if self._written <= self.limit / 10:
            return
        # Remove what was used least recently, and what killed jobs left, down to the limit.
        files = []
        for file in self.folder.rglob("*.*"):
            with suppress(OSError):  # another job may remove some meanwhile
                state = file.stat()
                files.append((state.st_mtime_ns, state.st_size, file))
        size = sum(length for _, length, _ in files)
        for _, length, file in sorted(files):
            if size <= self.limit:
                break
            with suppress(OSError):
                file.unlink()
            size -= length
        self._written = 0


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:16]


def _by_reference(pairs: np.ndarray) -> Iterator[tuple[int, list[int]]]:
    for reference, group in groupby(pairs.tolist(), key=lambda pair: pair[0]):
        yield reference, [hypothesis for _, hypothesis in group]
