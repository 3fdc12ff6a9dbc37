"""Extraction: solutions to steps, each the use of one skill, with the status of every solution kept."""

from benchwright.skills.extraction.extracting import Extracted, Rules, extract, read_corpus

__all__ = ["Extracted", "Rules", "extract", "read_corpus"]
