"""Suites as Harbor task folders: our scorer is their verifier, the reference solution their oracle."""

from benchwright.publishing.harbor.exporting import HarborExport, HarborOptions, export_harbor

__all__ = ["HarborExport", "HarborOptions", "export_harbor"]
