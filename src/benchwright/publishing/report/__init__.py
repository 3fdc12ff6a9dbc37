"""A report of runs: one HTML file that works offline, or its tables as Markdown, LaTeX, CSV or Parquet."""
