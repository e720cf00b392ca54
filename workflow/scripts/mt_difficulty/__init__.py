"""Difficulty-aware machine translation evaluation: arrays in, arrays out."""

__version__ = "0.1.0"
