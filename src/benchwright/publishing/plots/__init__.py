"""Plots of runs: drawn by Altair, turned into SVG or PNG by vl-convert without a browser."""
