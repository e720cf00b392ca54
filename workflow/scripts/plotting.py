"""Figures to files, the same bytes from the same data."""

import warnings
from contextlib import contextmanager
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.figures.plots import RC, or_reason


def draw_plots(output, drawings):
    """Draw a job's plots, one after the other; one that cannot be says why.

    Parameters
    ----------
    output : object
        `svg` and `pdf`, paths of equal names.
    drawings : dict of str to (callable, dict)
        By the plot's name, what draws it on the axes given, and arguments of `figure`.
    """
    for svg, pdf in zip(output.svg, output.pdf, strict=True):
        draw, shape = drawings[Path(svg).stem]
        with figure(svg, pdf, **shape) as panels, or_reason(panels[0]):
            draw(panels)


@contextmanager
def figure(svg, pdf, rows=1, columns=1, size=(4.6, 3.2), any_script=False, layout="constrained"):
    """Yield a figure's axes, flat, and save it in both formats.

    With the layout "none" the caller places the axes. With `any_script`, the svg holds text as
    text: whoever shows it has fonts for more scripts than matplotlib.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    if any_script:
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    with rc_context(RC | {"svg.fonttype": "none" if any_script else "path"}):
        drawn = Figure(figsize=(size[0] * columns, size[1] * rows), layout=layout)
        yield drawn.subplots(rows, columns, squeeze=False).ravel()
        if layout == "constrained":
            drawn.draw_without_rendering()  # laid out once, for both files alike
            drawn.set_layout_engine("none")
        # `savefig` draws all of it once more for each file.
        with storage.replacing(svg) as temporary:
            FigureCanvasSVG(drawn).print_svg(temporary, metadata={"Date": None})
        with storage.replacing(pdf) as temporary:
            FigureCanvasPdf(drawn).print_pdf(temporary, metadata={"CreationDate": None})
