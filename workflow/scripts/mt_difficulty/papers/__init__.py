"""Tables of the papers: published cells beside ours, and their audit."""
