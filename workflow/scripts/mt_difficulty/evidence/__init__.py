"""Confidence intervals, significance tests, controls and parameter searches for correlations."""
