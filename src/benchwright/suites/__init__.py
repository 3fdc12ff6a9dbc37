"""Where suites come from: folders, published benchmarks, and the built-in lake."""

from benchwright.suites.registry import built, families, find, loader

__all__ = ["built", "families", "find", "loader"]
