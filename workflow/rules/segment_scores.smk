# Segment statistics of every metric.


rule score_segments:
    input:
        evalset="<set>/evalset.json",
        folder="<results>/archive/{campaign}",
        wordnet=lambda w: (
            rules.retrieve_wordnet.output
            if entry_of(w)["metrics"][w.metric]["type"] == "meteor"
            else []
        ),
        code=lambda w: modules(
            "language", "metrics/base", f"metrics/{entry_of(w)['metrics'][w.metric]['type']}"
        ),
    output:
        "<set>/statistics/{metric}.npz",
    log:
        "<logs>/score_segments/{campaign}.{pair}.{metric}.log",
    benchmark:
        "<logs>/score_segments/{campaign}.{pair}.{metric}.tsv"
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=1500,
    params:
        settings=lambda w: entry_of(w)["metrics"][w.metric],
    script:
        "../scripts/score_segments.py"
