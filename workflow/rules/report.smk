# Plots and pages of each evaluation set, the check against known difficulty, the summary, and the
# index of the pages.


def name_of(wildcards):
    return f"{wildcards.campaign}/{wildcards.pair}"


rule plot_evalset:
    input:
        evalset="<set>/evalset.json",
        correlations="<set>/correlations.csv",
        entropy=entropy_of,
        statistics=lambda w: files_of_metrics(w, "statistics", list(entry_of(w)["metrics"])[:1]),
        scores="<set>/system_scores.csv",
        matches=lambda w: [
            matches_file(w, metric) for metric in neural_of(w)[:1] if w.plot in TOKEN_PLOTS
        ],
        surface=lambda w: ["<set>/surface.npz", "<set>/parameters.csv"] * (w.plot == "surface"),
    output:
        svg=report(
            "<set>/figures/{plot}.svg",
            caption="../report/plot.rst",
            category="{campaign}/{pair}",
            labels={"item": "{plot}"},
        ),
        pdf="<set>/figures/{plot}.pdf",
    log:
        "<logs>/plot_evalset/{campaign}.{pair}.{plot}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(700, 20),
        runtime=sized(5, 0.5),
    params:
        code=lambda w: code.checksum("plot_evalset", *metric_modules(w)),
        zero_segments=lambda w: entry_of(w)["EE"]["zero_segments"],
        types=lambda w: types_of_set(f"{w.campaign}/{w.pair}"),
        caption=lambda w: (PLOTS | TOKEN_PLOTS)[w.plot],
    script:
        "../scripts/plot_evalset.py"


rule check_difficulty:
    input:
        evalset="<set>/evalset.json",
        entropy=entropy_of,
        correlations="<set>/correlations.csv",
        matches=lambda w: [matches_file(w, metric) for metric in neural_of(w)[:1]],
    output:
        "<set>/check.json",
    log:
        "<logs>/check_difficulty/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(600, 20),
        runtime=sized(5, 0.5),
    params:
        code=code.checksum("check_difficulty"),
        content=lambda w: content_of(truth_file(w), [Path(truth_file(w))]),
        location=untracked(truth_file),
    script:
        "../scripts/check_difficulty.py"


rule check_results:
    input:
        results=checked_outputs(),
    output:
        CHECKS,
    log:
        "<logs>/check_results.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("check_results"),
        metrics={name: list(SETS[name]["metrics"]) for name in SETS},
    script:
        "../scripts/check_results.py"


rule summarise_run:
    input:
        checked=CHECKS,
        missing=[file for name in SETS for file in files_of_set(name, "missing.csv")],
        notices=[
            file
            for name in SETS
            for encoder in {encoder_of(name, metric): None for metric in neural_metrics(name)}
            for file in files_of_set(name, f"matches/{encoder}.json")
        ],
        evalsets=[file for name in SETS for file in files_of_set(name, "evalset.json")],
        difficulty=[file for name in SETS for file in files_of_set(name, "difficulty.json")],
        checks=[file for name in checked_sets() for file in files_of_set(name, "check.json")],
        audit=[rules.audit_papers.output[0]] * bool(PAPERS),
    output:
        SUMMARY,
    log:
        "<logs>/summarise_run.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        code=code.checksum("summarise_run"),
        sets=list(SETS),
        look=places_to_look(),
    script:
        "../scripts/summarise_run.py"


rule render_set:
    input:
        files=lambda w: page_files_of_set(name_of(w)),
        template=sources("report/set.html.j2"),
        templates=sources("report/*.html.j2"),
        style=sources("report/report.css"),
        behaviour=sources("report/*.js"),
    output:
        page=report("<set>/report.html", caption="../report/set.rst", category="{campaign}/{pair}"),
        summary="<set>/report.json",
    log:
        "<logs>/render_set/{campaign}.{pair}.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(800, 30),
        runtime=sized(5, 1),
    params:
        code=lambda w: code.checksum("render_set", *metric_modules(w)),
        name=name_of,
        settings=lambda w: page_settings(name_of(w)),
        captions=PLOTS | TOKEN_PLOTS,
        synthetic=lambda w: name_of(w) in checked_sets(),
    script:
        "../scripts/render_set.py"


rule render_report:
    input:
        files=index_files(),
        held_out=[f"{RESULTS}/held_out.csv"] * bool(SETS),
        audit=[f"{RESULTS}/audit.csv"] * bool(PAPERS),
        template=sources("report/report.html.j2"),
        templates=sources("report/*.html.j2"),
        style=sources("report/report.css"),
        # Those of charts are for the pages of sets.
        behaviour=sources("report/[12]_*.js"),
    output:
        page=report(PAGE, caption="../report/page.rst", category="Everything"),
    log:
        "<logs>/render_report.log",
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=sized(800, 10),
        runtime=sized(5, 0.5),
    params:
        code=code.checksum("render_report"),
        sets=list(SETS),
        papers={paper: page_paper(paper) for paper in PAPERS},
        synthetic=0 < len(checked_sets()) == len(SETS),
    script:
        "../scripts/render_report.py"


# Partial targets: one evaluation set (wmt19_en_de).
for set_name in SETS:

    rule:
        name:
            re.sub(r"\W", "_", set_name)
        input:
            files_of_set(set_name, *SET_TABLES),
            set_figures(set_name),
