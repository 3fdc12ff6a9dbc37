"""Live runs on Inspect AI: the only place that imports it."""
