"""Read and check one evaluation set; write its texts alone, or all of it and its ratings."""

from pathlib import Path

from job import job
from mt_difficulty import storage
from mt_difficulty.data import download, evalset, own_files
from mt_difficulty.data.campaign_files import rating_files, read_ratings
from mt_difficulty.errors import InputError, Missing


@job
def main(snakemake):
    campaign, entry = snakemake.wildcards.campaign, dict(snakemake.params.entry)
    folder, output = Path(snakemake.params.location), snakemake.output
    of_user = "texts_required" not in entry
    if of_user:
        set_data = own_files.read_own_files(folder, campaign, **entry)
    else:
        try:
            folder = download.find_campaign(folder)
        except Missing as missing:
            if entry["texts_required"]:
                raise InputError(str(missing)) from None
            raise
        set_data = evalset.read_evaluation_set(folder, campaign, **entry)
    if texts := output.get("texts"):  # what does not depend on human scores
        evalset.save(texts, evalset.without_gold(set_data))
        return
    evalset.save(output.evalset, set_data)
    pair, gold, segments = set_data.pair, set_data.gold_name, len(set_data.reference)
    if of_user or not segments or not rating_files(folder, pair, gold):
        storage.write_missing(output.ratings, "the set has no error spans (.seg.rating files)")
    else:
        ratings = read_ratings(folder, pair, gold, set_data.systems, segments, set_data.canary)
        storage.write_json(output.ratings, ratings)
