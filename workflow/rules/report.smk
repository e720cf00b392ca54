# Plots and pages of each evaluation set, the check against known difficulty, the summary, and the
# index of the pages.


rule plot_evalset:
    input:
        files=lambda w: (
            score_files(w)
            + files_of_set(
                w, "correlations.csv", "surface.npz", "parameters.csv", "system_scores.csv"
            )
        ),
    output:
        svg=[reported_plot(plot) for plot in outputs.ALL_PLOTS],
        pdf=[f"<set>/figures/{plot}.pdf" for plot in outputs.ALL_PLOTS],
    log:
        "<logs>/plot_evalset/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(700, 20),
    params:
        **scored("plot_evalset"),
        metric=lambda w: set_of(w).plotted_metric,
        captions=outputs.ALL_PLOTS,
    script:
        "../scripts/plot_evalset.py"


rule check_difficulty:
    input:
        files=lambda w: score_files(w) + files_of_set(w, "correlations.csv"),
    output:
        "<set>/check.json",
    log:
        "<logs>/check_difficulty/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(600, 20),
    params:
        **scored("check_difficulty"),
        content=lambda w: content_of(truth_file(w), [Path(truth_file(w))]),
        location=untracked(truth_file),
    script:
        "../scripts/check_difficulty.py"


rule summarise_run:
    input:
        results=outputs.final_outputs(PLAN)[:-1],
        template=sources("report/summary.txt.j2"),
        missing=PLAN.files_of_all("missing.csv"),
        notices=outputs.encoder_notices(PLAN),
        evalsets=PLAN.files_of_all("evalset.json"),
        weightings=PLAN.files_of_all("weightings.json"),
        summaries=PLAN.files_of_all("report.json"),
        checks=[file for name in PLAN.checked_sets for file in PLAN.files(name, "check.json")],
        audit=[rules.audit_papers.output[0]] * bool(PAPERS),
        wordnet=rules.retrieve_wordnet.output if PLAN.needs_wordnet else [],
    output:
        summary=SUMMARY,
        run="<results>/run.json",
    log:
        "<logs>/summarise_run.log",
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("summarise_run"),
        sets=list(SETS),
        checked=PLAN.checked_sets,
        page=lambda w, input: PAGE,
        look=outputs.places_to_look(PLAN),
        papers={paper: outputs.page_paper(PLAN, paper) for paper in PAPERS},
        unread={name: PLAN.unread(name) for name in SETS},
        # As functions of the input, Snakemake does not compare them.
        config=lambda w, input: {key: config[key] for key in config if key != "archive"},
        settings={name: PLAN.score_settings(name) for name in SETS},
        files={name: PLAN.score_files(name) for name in SETS},
        archive=lambda w, input: str(PLAN.archive),
    script:
        "../scripts/summarise_run.py"


rule render_set:
    input:
        **page_sources("set", "browser"),
        files=lambda w: outputs.page_files_of_set(PLAN, name_of_set(w)),
    output:
        page=report("<set>/report.html", caption="../report/set.rst", category="{campaign}/{pair}"),
        segments="<set>/segments.js",
        summary="<set>/report.json",
    log:
        "<logs>/render_set/{campaign}.{pair}.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 30, minutes=(5, 1)),
    params:
        **scored("render_set", statistics=config["statistics"]),
        captions=lambda w: outputs.plots_of_set(PLAN, name_of_set(w)),
        synthetic=lambda w: name_of_set(w) in PLAN.checked_sets,
    script:
        "../scripts/render_set.py"


rule render_papers:
    input:
        **page_sources("paper"),
        files=[file for paper in PAPERS for file in outputs.paper_page_files(PLAN, paper)],
        summaries=PLAN.files_of_all("report.json"),
        audit=[f"{RESULTS}/audit.csv"] * bool(PAPERS),
    output:
        pages=[
            report(
                f"<results>/papers/{paper}/report.html",
                caption="../report/paper.rst",
                category=paper,
                labels={"item": "page"},
            )
            for paper in PAPERS or ["none"]
        ],
    log:
        "<logs>/render_papers.log",
    conda:
        "../../envs/workflow.yaml"
    resources:
        **needs(800, 10),
    params:
        code=lambda w: code.checksum("render_papers"),
        sets=list(SETS),
        papers={paper: outputs.page_paper(PLAN, paper) for paper in PAPERS},
    script:
        "../scripts/render_papers.py"


rule render_report:
    input:
        **page_sources("report"),
        files=for_index(outputs.index_files(PLAN)),
        held_out=for_index([f"{RESULTS}/held_out.csv"] * bool(SETS)),
        audit=for_index([f"{RESULTS}/audit.csv"] * bool(PAPERS)),
    output:
        page=report(PAGE, caption="../report/page.rst", category="Everything"),
    log:
        "<logs>/render_report.log",
    # A job on a cluster does not know the run's targets.
    localrule: True
    conda:
        "../../envs/workflow.yaml"
    params:
        code=lambda w: code.checksum("render_report"),
        sets=list(SETS),
        papers={paper: outputs.page_paper(PLAN, paper) for paper in PAPERS},
        synthetic=0 < len(PLAN.checked_sets) == len(SETS),
        # As a function of the input, Snakemake does not compare it.
        made_from=lambda w, input: outputs.made_from(PLAN) if is_partial() else {},
    script:
        "../scripts/render_report.py"


# Partial targets: a paper (liu2022), an item of it (liu2022_table2), a set (wmt19_en_de).
for target, files in outputs.partial_targets(PLAN).items():

    rule:
        name:
            target
        input:
            files,
