"""How difficulty enters a system score."""
