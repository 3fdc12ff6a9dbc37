"""Pages of runs: what the report, one file, and the viewer, live, show alike."""
