"""Small sets of ratings."""

import pandas as pd

from mt_difficulty.gold.ratings import COLUMNS, Ratings


def small_ratings(rng, systems=4, documents=7, length=3, annotators=5, shown=3):
    """Each document is rated by two annotators, who see some of the systems side by side."""
    segment_effect = rng.normal(size=(documents, length)) * 8
    annotator_effect = rng.normal(size=annotators) * 10
    rows = []
    for document in range(documents):
        for annotator in rng.choice(annotators, 2, replace=False):
            for system in rng.choice(systems, shown, replace=False):
                block = rng.normal() * 4
                for place in range(length):
                    score = 60 + 3 * system + segment_effect[document, place] + block
                    score += annotator_effect[annotator] + rng.normal() * 6
                    names = (f"a{annotator}", f"s{system}", str(document * length + place))
                    screen = f"a{annotator}/d{document}"
                    rows.append((*names, f"d{document}", screen, score))
    return of_rows(rows)


def of_rows(rows):
    """Ratings of tuples, columns as in `Ratings.table`."""
    return Ratings(pd.DataFrame(rows, columns=COLUMNS), {})
