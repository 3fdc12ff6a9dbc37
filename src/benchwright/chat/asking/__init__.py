"""Many questions to a model: each answer checked, kept as soon as it is there, and asked for once."""

from benchwright.chat.asking.asking import Limits, Progress, Question, Spent, ask_all
from benchwright.chat.asking.ledger import Asked, Ledger, Spending, require_own

__all__ = ["Asked", "Ledger", "Limits", "Progress", "Question", "Spending", "Spent", "ask_all", "require_own"]
