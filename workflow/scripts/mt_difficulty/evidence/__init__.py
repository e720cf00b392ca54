"""Intervals, tests, controls and parameter searches beside the correlations."""
