"""Functions shared by the rules that write pages."""

from pathlib import Path

from mt_difficulty import storage
from mt_difficulty.data.evalset import read_set
from mt_difficulty.page import image, render


def write_page(sources, file, content):
    """Write a page from a rule's template, style and scripts.

    Parameters
    ----------
    sources : object
        The rule's input: `template`, `style` and `behaviour`, lists of paths.
    file : str
        Path of the page.
    content : dict
        Variables of the template.
    """
    style = [Path(path).read_text(encoding="utf-8") for path in sources.style]
    scripts = [Path(path).read_text(encoding="utf-8") for path in sources.behaviour]
    page = render(sources.template[0], content, "\n".join(style), scripts)
    storage.write_text(file, page)


def read_analysis(paper, files):
    """Read the results of a paper's analysis of the run's own sets; None if it has none."""
    folder = paper.method.analysis
    return read_set(folder, files) if folder else None


def images(files):
    """Return figures as data URIs, by name."""
    texts = {Path(file).stem: Path(file).read_text(encoding="utf-8") for file in files}
    return {name: image(text) for name, text in texts.items()}


def write_findings(snakemake, title, text):
    """Write, next to a page, the script with its findings and link that the index loads.

    Parameters
    ----------
    snakemake : object
        The job, whose output `findings` is the script.
    title : str
        Title of the page.
    text : str
        The findings.
    """
    file = Path(snakemake.output.findings)
    entry = {"page": f"{file.parent.name}/report.html", "title": title, "text": text.strip()}
    storage.write_text(file, f"addFindings({storage.to_json(entry, ascii_only=True).strip()});\n")
