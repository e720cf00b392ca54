"""Compiled parts of metrics."""
