"""Leaderboards: a folder of submissions, ranked with the groups that cannot be told apart, and its static site."""
