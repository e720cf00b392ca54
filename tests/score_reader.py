"""A small reader of files of metric scores by the rules of the WMT archive's toolkit, independent
of the package."""


def read_scores(folder, level):
    """Scores by metric and reference, then by system, of `.sys.score` or `.seg.score` files.

    Any white space separates a line's system and score. A file's name, to its first dot, is split
    at its last dash. A system has one score, or one for each segment.
    """
    found = {}
    for path in sorted(folder.glob(f"*.{level}.score")):
        metric, dash, reference = path.name.split(".")[0].rpartition("-")
        assert dash, path
        assert path.name == f"{metric}-{reference}.{level}.score", path
        scores = found.setdefault((metric, reference), {})
        for line in path.read_text(encoding="utf-8").splitlines():
            system, score = line.split()
            scores.setdefault(system, []).append(float(score))
        counts = {len(values) for values in scores.values()}
        assert len(counts) == 1, path
        assert level == "seg" or counts == {1}, path
    return found
