"""What every script shares: its log, and what happens when it cannot go on."""

import logging
import sys
from pathlib import Path

# Snakemake appends this folder; a package that is installed from elsewhere must not come before it.
sys.path.insert(0, str(Path(__file__).parent))

from mt_difficulty import lock, storage
from mt_difficulty.errors import InputError, Missing, explain


def run(main, snakemake):
    """Run a rule's `main`: errors go to the rule's log, a missing result becomes a marker."""
    lock.join_run()
    try:
        if snakemake.log:
            logging.basicConfig(filename=snakemake.log[0], filemode="w", format="%(message)s")
        main(snakemake)
    except Missing as missing:
        for output in snakemake.output:
            storage.write_missing(output, str(missing))
    except InputError as error:
        logging.error("ERROR: %s", error)
        sys.exit(f"ERROR: {error}")
    except OSError as error:
        logging.exception("ERROR: %s", explain(error))
        sys.exit(f"ERROR: {explain(error)}")
    except Exception:
        logging.exception("%s failed", snakemake.rule)
        raise
