"""Difficulty of segments, hypotheses and tokens; higher is harder."""
