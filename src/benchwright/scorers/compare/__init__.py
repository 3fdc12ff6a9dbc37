"""Comparisons that scorers share."""
