"""Figures of papers, evaluation sets, studies and the benchmark of estimators."""
