"""TER (Snover et al. 2006) as sacreBLEU computes it."""

from collections.abc import Callable, Sequence

import numpy as np

from ..data.language import default_units
from .base import TextMetric


class TER(TextMetric):
    """Corpus TER in percent, lower is better; statistics are edits and reference length.

    In languages without spaces, every Chinese character is a word (sacreBLEU's `asian_support`,
    which does not split kana, Thai, Lao, Khmer, Burmese or Tibetan). With several references, edits
    are the fewest over references and length is the mean.

    Parameters
    ----------
    case_sensitive : bool
    """

    higher_is_better = False

    def __init__(self, pair: str, *, case_sensitive: bool = False) -> None:
        super().__init__(pair)
        self.case_sensitive = case_sensitive

    def segment_statistics(
        self,
        hypotheses: list[list[str]],
        reference: list[str],
        progress: Callable = iter,
        more_references: Sequence[list[str]] = (),
    ) -> np.ndarray:
        """Count edits and reference tokens of every hypothesis.

        Parameters
        ----------
        hypotheses : list of list of str
            Systems × segments.
        reference : list of str
            A text for each segment.
        progress : callable
            Wraps the iteration over systems (tqdm).
        more_references : sequence of list of str
            Further references, a text for each segment.

        Returns
        -------
        ndarray of shape (systems, segments, 2)
            Edits, and length of the reference; with several references, the fewest edits and the
            mean length.
        """
        import sacrebleu.metrics

        from ..compiled.ter_edits import translation_edit_rate

        by_character = default_units(self.pair, reference) == "characters"
        scorer = sacrebleu.metrics.TER(
            normalized=by_character,
            asian_support=by_character,
            case_sensitive=self.case_sensitive,
        )

        def words_of(text: str) -> list[str]:
            return scorer.tokenizer(text.rstrip()).split()

        references = [reference, *more_references]
        wanted = [[words_of(text) for text in texts] for texts in zip(*references, strict=True)]
        lengths = [np.mean([len(words) for words in of_segment]) for of_segment in wanted]
        # Systems often have the same translation of a segment.
        known: list[dict[str, int]] = [{} for _ in wanted]
        statistics = np.empty((len(hypotheses), len(reference), 2))
        for system, texts in enumerate(progress(hypotheses)):
            for segment, text in enumerate(texts):
                if text not in known[segment]:
                    words = words_of(text)
                    edits = [translation_edit_rate(words, target) for target in wanted[segment]]
                    known[segment][text] = min(edits)
                statistics[system, segment] = known[segment][text], lengths[segment]
        # sacreBLEU's signature has the number of references, once it has scored something.
        scorer.corpus_score([""], [[""]] * len(references))
        self.signature = scorer.get_signature().format()
        return statistics

    @staticmethod
    def aggregate(sums: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute TER, edits over reference length in percent, (..., 2) to (...). As in sacreBLEU,
        an empty reference gives 100 with edits and 0 without; NaN for a group without segments."""
        edits, length = sums[..., 0], sums[..., 1]
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(length > 0, 100 * edits / length, np.where(edits > 0, 100.0, 0.0))
        return np.where(segments > 0, score, np.nan)
