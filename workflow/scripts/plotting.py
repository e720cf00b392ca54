"""Figures to files, the same bytes from the same data."""

import warnings
from contextlib import contextmanager

from mt_difficulty import storage
from mt_difficulty.figures.plots import RC


@contextmanager
def figure(outputs, rows=1, columns=1, size=(4.6, 3.2), any_script=False):
    """Yield a figure's axes, flat, and save it as `outputs.svg` and `outputs.pdf`.

    With `any_script`, the svg holds text as text: whoever shows it has fonts for more scripts
    than matplotlib.
    """
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    if any_script:
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    with matplotlib.rc_context(RC | {"svg.fonttype": "none" if any_script else "path"}):
        drawn, axes = pyplot.subplots(
            rows, columns, figsize=(size[0] * columns, size[1] * rows), squeeze=False
        )
        yield axes.ravel()
        for path, date in ((outputs.svg, "Date"), (outputs.pdf, "CreationDate")):
            with storage.replacing(path) as temporary:
                drawn.savefig(temporary, metadata={date: None})
        pyplot.close(drawn)
