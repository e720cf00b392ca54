"""Statistics of meta-evaluation: how metric scores agree with human scores."""
