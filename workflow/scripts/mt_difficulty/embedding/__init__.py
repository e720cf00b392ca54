"""Encoders, and the token matches of hypotheses and reference."""
