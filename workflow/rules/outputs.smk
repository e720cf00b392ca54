# How a run begins and which targets it has.


def at_execution(action):
    """Have a run begin with `action`, before it looks at the files that are there; what only lists
    something does not. `action` is told whether it is a dry run."""
    execute = workflow.execute

    def begin(executor_plugin, **settings):
        if not executor_plugin.common_settings.touch_exec:
            action(executor_plugin.common_settings.dryrun_exec)
        return execute(executor_plugin=executor_plugin, **settings)

    workflow.execute = begin


def remove_damaged(dry):
    """Have results and WordNet made again that are not what their jobs wrote, as after a power
    cut; a dry run says which."""
    if not any(Path(RESULTS, name).exists() for name in ("logs/run.lock", "provenance")):
        return  # No run was here: files of these names are the user's.
    with lock.alone(RESULTS) as alone:
        if not alone:
            return
        kept = outputs.kept_outputs(PLAN)
        found = integrity.unnoted(kept) | integrity.damaged(RESULTS, kept)
        spoilt = downloads.damaged_files(Path(WORDNET))
        told = [f"{path}: {difference}" for path, difference in found.items()]
        told += [f"{path}: not the file that was fetched" for path in spoilt]
        for line in told[:TOLD]:
            print(f"notice: {line}; it is made again", file=sys.stderr)
        if len(told) > TOLD:
            print(f"notice: {len(told) - TOLD} more files are made again", file=sys.stderr)
        if not dry:
            try:
                integrity.remove(found)
                if spoilt:
                    shutil.rmtree(WORDNET)
            except OSError as error:
                raise WorkflowError(explain(error))


def check_targets(dry):
    """Stop where something is to be made that no rule makes, with the nearest name of one."""
    rules_by_name = {rule.name for rule in workflow.rules}
    known = [*outputs.partial_targets(PLAN), "all", "fetch", *outputs.kept_outputs(PLAN)]
    for target in workflow.dag_settings.targets:
        if target not in rules_by_name and not any(r.is_producer(target) for r in workflow.rules):
            hint = nearest(target, known) or f"; e.g. {', '.join(known[:5])}"
            raise WorkflowError(f"no rule makes {target}{hint}.")
