"""Formats: one module a family, each a function from a file to what it holds."""

from benchwright.profiles.formats.base import Bounds, Format, Found, Source, Unreadable
from benchwright.profiles.formats.registry import FORMATS

__all__ = ["FORMATS", "Bounds", "Format", "Found", "Source", "Unreadable"]
