"""What was asked before: exact twins of drafts, and questions that a task of the suite nearly asks already."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchwright.generation.review.novelty import near_duplicates
from benchwright.generation.workflow import Draft, Rejection
from benchwright.proving.lint.text import plain


@dataclass(slots=True)
class Asked:
    """Drafts by name, question and program, and the questions of those that became tasks.

    What is near is measured among all drafted questions: which words tell questions apart is known best there, and
    the same drafts in the same order give the same verdicts.
    """

    _marks: dict[str, str] = field(default_factory=dict)
    _questions: list[str] = field(default_factory=list)
    _tasks: dict[str, str] = field(default_factory=dict)

    def named(self, name: str) -> bool:
        """Whether a draft had this name."""
        return f"name {name}" in self._marks

    def twin(self, draft: Draft) -> Rejection | None:
        """Whether name, question or program was drafted before; the draft is remembered either way."""
        marks = {
            f"question {draft.room} {plain(draft.question)}": "question",
            f"program {draft.room} {draft.workflow.code}": "program",
            f"name {draft.name}": "name",
        }
        twins = [f"the {what} of {self._marks[mark]}" for mark, what in marks.items() if mark in self._marks]
        for mark in marks:
            self._marks.setdefault(mark, draft.name)
        self._questions.append(draft.question)
        return Rejection(draft=draft.name, reason="duplicate_question", detail=twins[0]) if twins else None

    def near(self, draft: Draft) -> Rejection | None:
        """Whether a task asks nearly the same, in any room: a suite is none the better for it."""
        found = near_duplicates({draft.name: draft.question}, self._tasks, others=self._questions)
        if not found:
            return None
        nearest = max(found, key=lambda near: (near.cosine, near.ratio))
        told = f"nearly the question of {nearest.other} (words {nearest.cosine:.2f}, letters {nearest.ratio:.2f})"
        return Rejection(draft=draft.name, reason="near_duplicate", detail=told)

    def became(self, draft: Draft) -> None:
        """A draft is a task now."""
        self._tasks[draft.name] = draft.question
