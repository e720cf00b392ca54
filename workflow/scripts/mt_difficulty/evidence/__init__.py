"""Statistical evidence: confidence intervals, significance tests, controls, parameter searches."""
