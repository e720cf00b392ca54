# The workflow is in workflow/Snakefile, where other workflows find it as a module.


include: "workflow/Snakefile"


# An included file sets none.
workflow.default_target = "all"
