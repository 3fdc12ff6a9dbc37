"""Suites as data sets of the Hugging Face hub."""

from benchwright.publishing.hugging_face.exporting import export_hugging_face
from benchwright.publishing.hugging_face.pushing import Target, push

__all__ = ["Target", "export_hugging_face", "push"]
