"""Compiled parts of tests and intervals."""
