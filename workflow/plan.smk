# What a run would do, as one line of JSON, for `mt-difficulty validate`, which dry-runs this file.

import json


include: "../Snakefile"


print(
    "PLAN",
    json.dumps(
        {
            "archive": config["archive"] or ARCHIVE,
            "resamples": config["significance"]["resamples"],
            "sets": {
                name: entry
                | {
                    "encoders": {
                        encoder: encoder_settings(encoder)
                        for encoder in {encoder_of(name, m): None for m in neural_metrics(name)}
                    }
                }
                for name, entry in SETS.items()
            },
        }
    ),
)
