"""Difficulty: chunk entropy of a hypothesis with other systems' hypotheses as references."""

from dataclasses import replace

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing, check_choice
from .aligners import ALIGNERS
from .base import AgainstOthers
from .chunk_entropy import align_set


class ConsensusEntropy(AgainstOthers):
    """Mean chunk entropy of a hypothesis with the hypothesis of each other system as its reference,
    base 10; 0 where there is one system.

    Parameters
    ----------
    aligner : {"exact", "fast_align"}
        `exact` links equal tokens. It is forty times faster than `fast_align`, the aligner of
        chunk entropy, and more informative for texts of one language.
    """

    def __init__(self, aligner: str = "exact") -> None:
        check_choice("aligner", aligner, ALIGNERS)
        self.aligner = aligner

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        evalset.require_texts()
        systems = np.arange(len(evalset.systems))
        if len(systems) < 2:
            raise Missing("a consensus needs the hypotheses of two systems")
        values = np.zeros((len(systems), len(systems), len(evalset.reference)))
        for reference in systems:
            scored = systems[systems != reference]
            hypotheses = [evalset.hypotheses[system] for system in scored]
            texts = evalset.hypotheses[reference]
            against = replace(evalset, reference=texts, hypotheses=hypotheses)
            aligned = align_set(against, self.aligner, threads=self.threads)
            values[scored, reference] = aligned["entropy"]
            self.signature = f"consensus|{aligned['signature']}"
        return values
