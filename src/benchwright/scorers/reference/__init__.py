"""The published rules, to the letter, one file a benchmark."""
