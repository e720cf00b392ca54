# Segment statistics of every metric.


rule score_segments:
    input:
        evalset="<set>/texts.json",
        source=metric_source,
        wordnet=lambda w: (
            rules.retrieve_wordnet.output
            if METRICS[set_of(w).types[w.metric]].needs_wordnet
            else []
        ),
    output:
        "<set>/statistics/{metric}.npz",
    log:
        "<logs>/score_segments/{campaign}.{pair}.{metric}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 50, minutes=(5, 5)),
    params:
        code=lambda w: code.checksum(
            "score_segments",
            f"metrics/{set_of(w).types[w.metric]}",
            *["data/text_files"] * set_of(w).reads_stored(w.metric),
        ),
        settings=metric_settings,
        content=stored_content,
        location=untracked(stored_folder),
    script:
        "../scripts/score_segments.py"
