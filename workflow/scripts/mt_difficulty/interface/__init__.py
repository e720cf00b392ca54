"""Scores and difficulties of texts: what Python and the command line share."""
