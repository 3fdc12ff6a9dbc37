"""Many questions to a model: each answer checked, kept as soon as it is there, and asked for once."""

from benchwright.skills.asking.asking import Limits, Progress, Question, Spent, ask_all
from benchwright.skills.asking.ledger import Asked, Ledger, Spending, require_own

__all__ = ["Asked", "Ledger", "Limits", "Progress", "Question", "Spending", "Spent", "ask_all", "require_own"]
