"""Intervals, repeated attempts, paired comparisons, ranks, and how many tasks a question needs."""
