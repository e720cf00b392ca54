"""Write figures to files that are byte-identical for identical data."""

import io
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


# The type of the pages (report.css). Figures are laid out with matplotlib's own type, which is the
# same on every machine; a browser shows their texts in that of the page.
LAID_OUT = "'DejaVu Sans'"
SHOWN = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', sans-serif"


@contextmanager
def figure(svg, pdf, rows=1, columns=1, size=(4.6, 3.2)):
    """Yield a figure's axes, flat, and save it as SVG and PDF.

    Texts stay texts in the SVG: the viewer has fonts for more scripts than matplotlib.

    Parameters
    ----------
    svg, pdf : str
        Paths of the files.
    rows, columns : int
        Numbers of panels.
    size : tuple of float
        Width and height of a panel in inches.
    """
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import FigureCanvasPdf
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
    with rc_context(RC):
        drawn = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
        yield drawn.subplots(rows, columns, squeeze=False).ravel()
        drawn.get_layout_engine().execute(drawn)  # laid out once, for both files alike
        drawn.set_layout_engine("none")
        # `savefig` would draw the figure once more for each file.
        with storage.replacing(svg) as temporary, io.StringIO() as text:
            metadata = {"Date": None}
            if drawn.get_label():  # why nothing could be drawn, which pages read
                metadata["Description"] = f"not computable: {drawn.get_label()}"
            FigureCanvasSVG(drawn).print_svg(text, metadata=metadata)
            shown = text.getvalue().replace(LAID_OUT, SHOWN)
            Path(temporary).write_text(shown, encoding="utf-8")
        with storage.replacing(pdf) as temporary:
            FigureCanvasPdf(drawn).print_pdf(temporary, metadata={"CreationDate": None})
