"""Suites as small packages that run with `inspect eval`."""

from benchwright.publishing.inspect_package.exporting import export_inspect

__all__ = ["export_inspect"]
