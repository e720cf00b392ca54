"""The plan of a run: its config, evaluation sets, outputs and code."""
