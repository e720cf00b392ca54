"""The registry of metrics: a new one is a file here and a line below."""

from .base import Metric
from .bertscore import BERTScore
from .bleu import BLEU
from .chrf import ChrF
from .meteor import METEOR
from .stored import Stored
from .ter import TER
from .wnm import WNM

METRICS: dict[str, type[Metric]] = {
    "bertscore": BERTScore,
    "bleu": BLEU,
    "chrf": ChrF,
    "meteor": METEOR,
    "stored": Stored,
    "ter": TER,
    "wnm": WNM,
}
