"""Write figures to files that are byte-identical for identical data."""

import warnings
from contextlib import contextmanager
from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.figures.plots import RC, or_reason


def draw_plots(output, drawings):
    """Draw a job's plots in turn; a plot that cannot be drawn is replaced by the reason.

    Parameters
    ----------
    output : object
        `svg` and `pdf`, paths of equal names.
    drawings : dict of str to (callable, dict)
        By name of the plot: a function that draws it on given axes, and arguments of `figure`.
    """
    for svg, pdf in zip(output.svg, output.pdf, strict=True):
        draw, shape = drawings[Path(svg).stem]
        with figure(svg, pdf, **shape) as panels, or_reason(panels[0]):
            draw(panels)


@contextmanager
def figure(svg, pdf, rows=1, columns=1, size=(4.6, 3.2), *, any_script=False):
    """Yield a figure's axes, flat, and save it as SVG and PDF.

    Parameters
    ----------
    svg, pdf : str
        Paths of the files.
    rows, columns : int
        Numbers of panels.
    size : tuple of float
        Width and height of a panel in inches.
    any_script : bool
        Whether to keep text as text in the SVG, since the viewer has fonts for more scripts than
        matplotlib.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    if any_script:
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    with rc_context(RC | {"svg.fonttype": "none" if any_script else "path"}):
        drawn = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
        yield drawn.subplots(rows, columns, squeeze=False).ravel()
        drawn.draw_without_rendering()  # laid out once, for both files alike
        drawn.set_layout_engine("none")
        # `savefig` would draw the figure once more for each file.
        with storage.replacing(svg) as temporary:
            FigureCanvasSVG(drawn).print_svg(temporary, metadata={"Date": None})
        with storage.replacing(pdf) as temporary:
            FigureCanvasPdf(drawn).print_pdf(temporary, metadata={"CreationDate": None})
