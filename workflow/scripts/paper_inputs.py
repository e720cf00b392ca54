"""What the rules of papers give to a table or a figure, read."""

from mt_difficulty.data.set_files import read_set
from mt_difficulty.papers.inputs import Inputs


def read_inputs(snakemake, graph=None):
    """The inputs of a table or figure; `graph` are the workflow's rules, where they are drawn."""
    files, params = list(map(str, snakemake.input.files)), snakemake.params
    return Inputs(
        {name: read_set(name, files) for name in params.sets},
        read_set(f"papers/{snakemake.wildcards.paper}", files),
        params.systems,
        params.types,
        params.left_out,
        params.substitutes,
        params.settings,
        params.printed,
        graph,
    )
