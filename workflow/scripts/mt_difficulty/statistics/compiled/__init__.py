"""Compiled fast paths of statistics."""
