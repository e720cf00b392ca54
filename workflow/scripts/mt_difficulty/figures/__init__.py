"""Figures of papers, evaluation sets, studies and the benchmark of estimators."""

from .. import caches

caches.for_matplotlib()  # before a module of this folder imports it
