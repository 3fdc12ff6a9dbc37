"""DSBC: questions over one data file each, in a raw and a clean wording."""

from benchwright.suites.dsbc.loader import DsbcLoader

__all__ = ["DsbcLoader"]
