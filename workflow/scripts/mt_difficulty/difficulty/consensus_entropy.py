"""Chunk entropy of hypotheses against each other, where there is no reference."""

from dataclasses import replace

import numpy as np

from ..data.evalset import EvaluationSet
from ..errors import Missing
from .aligners import ALIGNERS
from .base import AgainstOthers
from .chunk_entropy import align_set

ONE_SYSTEM = "a consensus needs the hypotheses of two systems"


class ConsensusEntropy(AgainstOthers):
    """Mean chunk entropy of a hypothesis with the hypothesis of each other system as its reference,
    base 10; 0 where there is one system.

    Parameters
    ----------
    aligner : {"exact", "fast_align"}
        Links a hypothesis's tokens with those of the other one: equal ones, which of one language
        says more and takes a fortieth of the time, or as chunk entropy does.
    """

    def __init__(self, aligner: str = "exact") -> None:
        if aligner not in ALIGNERS:
            raise ValueError(f"aligner {aligner}: expected one of {', '.join(ALIGNERS)}")
        self.aligner = aligner
        self._signature = ""

    def estimate(self, evalset: EvaluationSet, source: None = None) -> np.ndarray:
        """Entropy of each system's hypotheses, the first axis, against those of each other one,
        (systems, systems, segments); 0 on the diagonal."""
        evalset.require_texts()
        if len(evalset.systems) < 2:
            raise Missing(ONE_SYSTEM)
        systems = np.arange(len(evalset.systems))
        values = np.zeros((len(systems), len(systems), len(evalset.reference)))
        for other in systems:
            rest = systems[systems != other]
            hypotheses = [evalset.hypotheses[system] for system in rest]
            against = replace(evalset, reference=evalset.hypotheses[other], hypotheses=hypotheses)
            found = align_set(against, self.aligner, threads=self.threads)
            values[rest, other] = found["entropy"]
            self._signature = f"consensus|{found['signature']}"
        return values

    @property
    def signature(self) -> str:
        return self._signature
