"""Read the human scores of one evaluation set and check them against its texts; write the set with
its human scores, the error spans behind them, and the human evaluation that they come from."""

from functools import partial
from pathlib import Path

from tqdm import tqdm

from job import job
from mt_difficulty import storage
from mt_difficulty.data import evalset
from mt_difficulty.data.import_set import read_error_spans, read_gold
from mt_difficulty.errors import Missing
from mt_difficulty.human_evaluation.set_scores import read_annotated

NO_ANNOTATIONS = "the human scores do not come from annotations"


@job
def main(snakemake):
    output = snakemake.output
    settings = snakemake.params.settings
    folder = Path(snakemake.params.location)
    texts = evalset.load(snakemake.input.texts)
    if settings.annotations:
        progress = partial(tqdm, desc=settings.gold, disable=None)
        rated, described = read_annotated(folder, texts, settings, progress)
        storage.write_json(output.human_evaluation, described, sort_keys=False)
    else:
        rated = read_gold(folder, texts, settings)
        storage.write_missing(output.human_evaluation, NO_ANNOTATIONS)
    evalset.save(output.evalset, rated)
    try:
        if settings.annotations:
            raise Missing("of human scores from annotations no error spans are shown")
        storage.write_json(output.ratings, read_error_spans(folder, rated, settings))
    except Missing as missing:
        storage.write_missing(output.ratings, str(missing))
