# mt-difficulty: from raw WMT data to the tables of the papers on difficulty-aware MT evaluation.


# So that its keys come first, and the command line's config is merged over them: tables and plots have
# the config's order.
config.clear()


configfile: "config.yaml"


report: "workflow/report/workflow.rst"


include: "workflow/rules/config.smk"
include: "workflow/rules/common.smk"
include: "workflow/rules/cluster.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/outputs.smk"
include: "workflow/rules/retrieve.smk"
include: "workflow/rules/evalset.smk"
include: "workflow/rules/encoders.smk"
include: "workflow/rules/segment_scores.smk"
include: "workflow/rules/difficulty.smk"
include: "workflow/rules/meta_evaluation.smk"
include: "workflow/rules/complexity.smk"
include: "workflow/rules/controls.smk"
include: "workflow/rules/study.smk"
include: "workflow/rules/estimators.smk"
include: "workflow/rules/references.smk"
include: "workflow/rules/papers.smk"
include: "workflow/rules/report.smk"


rule all:
    default_target: True
    input:
        outputs.final_outputs(PLAN),


if workflow.is_main_process:
    at_execution(remove_damaged)
    at_execution(check_targets)


onstart:
    begin_run()
    if workflow.local_exec:
        # No option turns it off, and it has Snakemake 9.27 look for jobs more often with every job
        # that is done: after 150 jobs, while others wait for cores, the main process took 0.55 of a
        # core (0.003 without it). max-jobs-per-timespan 1000/10s leaves 0.10 and ends a run 10 s late,
        # 10000/1m a minute late.
        workflow.scheduler.job_rate_limiter = None


onsuccess:
    texts = [found.findings_text(PLAN) for found in (studies, estimators, references)]
    for file in (SUMMARY, *texts):
        if Path(file).exists() and is_new(Path(file), lock.lock_of_results(RESULTS)):
            print(Path(file).read_text(encoding="utf-8"))


onerror:
    for path in logs_of_failed_jobs():
        print(f"A job failed on the cluster, or was stopped; its log: {path}")
        print(*error_lines(path), sep="\n")
    if errors := job_errors():
        print("What went wrong:", *errors, sep="\n")
