"""Annotation: which skills a task's solution uses and in which order, and how far two annotators agree."""

from benchwright.skills.annotation.agreeing import Comparison, compare_labels
from benchwright.skills.annotation.annotating import Annotated, Annotation, Request, annotate
from benchwright.skills.annotation.shortlisting import Shortlist

__all__ = ["Annotated", "Annotation", "Comparison", "Request", "Shortlist", "annotate", "compare_labels"]
