"""The sound typed scorer of final answers: one prediction holds one answer, and every part of it is compared."""

from benchwright.scorers.answer.broken import gold_fault, gold_notes
from benchwright.scorers.answer.judgement import Judgement, judge
from benchwright.scorers.answer.scorer import AnswerScorer

__all__ = ["AnswerScorer", "Judgement", "gold_fault", "gold_notes", "judge"]
