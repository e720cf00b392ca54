# Segment statistics of every metric.


rule score_segments:
    input:
        evalset=SET + "/evalset.json",
        folder=RESULTS + "/archive/{campaign}",
        wordnet=lambda w: (
            rules.retrieve_wordnet.output
            if entry_of(w)["metrics"][w.metric]["type"] == "meteor"
            else []
        ),
        code=lambda w: modules(
            "language", "metrics/base", f"metrics/{entry_of(w)['metrics'][w.metric]['type']}"
        ),
    output:
        SET + "/statistics/{metric}.npz",
    log:
        LOGS + "/score_segments/{campaign}.{pair}.{metric}.log",
    benchmark:
        LOGS + "/score_segments/{campaign}.{pair}.{metric}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=1500,
    params:
        settings=lambda w: entry_of(w)["metrics"][w.metric],
    script:
        "../scripts/score_segments.py"
