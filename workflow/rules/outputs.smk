# How a run begins and which targets it has.

import shutil


def at_execution(action):
    """Have a run begin with `action`, before it looks at the files that are there (onstart comes
    afterwards); what only lists something does not. `action` gets whether it is a dry run."""
    execute = workflow.execute

    def begin(executor_plugin, **settings):
        if executor_plugin.name == "slurm" and not shutil.which("sbatch"):
            raise WorkflowError("The profile's executor is slurm: sbatch is not on this machine.")
        if not executor_plugin.common_settings.touch_exec:
            action(executor_plugin.common_settings.dryrun_exec)
        return execute(executor_plugin=executor_plugin, **settings)

    workflow.execute = begin


def remove_damaged(dry):
    """Have results and WordNet made again that are not what their jobs wrote, as after a power
    cut; a dry run says which."""
    try:
        notices = integrity.remove_damaged(RESULTS, outputs.kept_outputs(PLAN), WORDNET, dry)
    except OSError as error:
        raise WorkflowError(explain(error))
    for notice in notices:
        print(f"notice: {notice}", file=sys.stderr)


def remove_outdated_pages():
    """Leave no page beside tables that contradict it, after a run that made some tables again."""
    found = integrity.outdated_pages(RESULTS)
    integrity.remove(found, RESULTS)
    for path, reason in found.items():
        print(f"notice: {path}: {reason}; removed, a whole run makes it again", file=sys.stderr)


def check_targets(dry):
    """Stop where something is to be made that no rule makes, with the nearest name of one."""
    rules_by_name = {rule.name for rule in workflow.rules}
    known = [*outputs.partial_targets(PLAN), "all", "fetch", "difficulty", "references"]
    known += outputs.kept_outputs(PLAN)
    for target in workflow.dag_settings.targets:
        if target not in rules_by_name and not any(r.is_producer(target) for r in workflow.rules):
            hint = nearest(target, known) or f"; e.g. {', '.join(known[:5])}"
            raise WorkflowError(f"no rule makes {target}{hint}.")


def files_of_targets():
    """Where the results of a run lie that made only some: of whole runs the summary says it."""
    partial, lines = outputs.partial_targets(PLAN), []
    for target in sorted(workflow.dag_settings.targets):
        files = partial.get(target, [target] if Path(target).exists() else [])
        lines += [f"{target}: made, or as they should be already:"] * bool(files)
        lines += [f"  {file}" for file in files]
    return lines
