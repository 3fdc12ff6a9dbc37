"""`benchwright leaderboard`: submissions ranked, and a server that takes them."""

from __future__ import annotations

from benchwright.cli.app import group

leaderboard = group("leaderboard", "Rank submissions, and take them on a server.")
