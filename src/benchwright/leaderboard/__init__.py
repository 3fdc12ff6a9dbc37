"""The leaderboard server: submissions come in, are scored anew where the gold is, ranked, and shown."""
