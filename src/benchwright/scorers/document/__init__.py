"""The document scorer: a JSON file against gold files, field by field."""

from benchwright.scorers.document.rule import DocumentRule
from benchwright.scorers.document.scorer import DocumentScorer

__all__ = ["DocumentRule", "DocumentScorer"]
