"""What the rules of papers give to a table or a figure, read."""

from mt_difficulty.data.set_files import read_set
from mt_difficulty.papers.inputs import Inputs


def read_inputs(snakemake, names, **settings):
    """The inputs of a table or figure that names these sets."""
    files, params = list(map(str, snakemake.input.files)), snakemake.params
    return Inputs(
        {name: read_set(name, files) for name in names},
        read_set(f"papers/{snakemake.wildcards.paper}", files),
        params.systems,
        params.types,
        params.left_out,
        params.substitutes,
        {"printed": params.printed, **settings},
    )
