"""Live runs on Inspect AI: tasks, our sandbox, agents, scorers, and the runner that loses nothing."""

from benchwright.live.attempt import LimitReached, Live, live

__all__ = ["LimitReached", "Live", "live"]
