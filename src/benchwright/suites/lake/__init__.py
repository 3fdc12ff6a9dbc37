"""The built-in suite: real data that ship in Python packages, in rooms that look like a lake."""

from benchwright.suites.lake.loader import LakeLoader

__all__ = ["LakeLoader"]
