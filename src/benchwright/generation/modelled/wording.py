"""The question of a workflow: written by one model, judged by another, criterion by criterion, and written again."""

from __future__ import annotations

from benchwright.generation.modelled.answers import form_of, handed_in, leaked
from benchwright.generation.modelled.briefing import criteria
from benchwright.generation.modelled.building import Built
from benchwright.generation.modelled.desk import Desk
from benchwright.generation.modelled.forms import CriterionForm, QuestionForm
from benchwright.generation.static_checks import Fault
from benchwright.generation.workflow import Draft, Reason, Rejection, Workflow

_OF_WORDS: frozenset[Reason] = frozenset(
    (
        "answer_leaks",
        "join_hint_leaks",
        "lint_fault",
        "gold_does_not_score_1",
        "empty_scores",
        "know_nothing_scores",
        "constant_scores",
        "criterion_not_met",
    )
)
"""What another question for the same workflow may mend."""


def word(desk: Desk, built: Built, workflow: Workflow) -> Draft | Rejection:
    """The draft with a question that meets all criteria, or which ones the last wording failed."""
    feedback: list[str] = []
    fault: Fault = ("criterion_not_met", "no try was allowed")
    form = form_of(built.kind, built.ran)
    for _ in range(1 + desk.rules.rewrites):
        written = desk.writer.ask(desk.briefing.question(workflow, form, feedback))
        if isinstance(written, str):
            return desk.rejection(("unreadable_reply", f"the question: {written}"))
        draft = _draft(desk, built, workflow, written)
        found = _unproved(desk, built, draft) or _failed(desk, workflow, form, written)
        if found is None:
            desk.decide("question", "kept")
            return draft
        fault = found
        if fault[0] not in _OF_WORDS:
            break
        desk.decide("question", "again", "", *fault)
        feedback.append(f"{_shown(written)} was refused: {fault[0]}: {fault[1]}")
    return desk.rejection(fault)


def _shown(written: QuestionForm) -> str:
    return f"the question {' '.join(written.question.split())[:1_500]!r}"


def _unproved(desk: Desk, built: Built, draft: Draft) -> Fault | None:
    """What machines have against a draft: asked before any judge."""
    if value := leaked(built.kind, built.ran, f"{draft.question}\n{draft.guidelines}"):
        return "answer_leaks", f"it holds {value!r}, which is part of the answer"
    found = desk.prove(draft)
    return None if found is None else (found.reason, found.detail)


def _failed(desk: Desk, workflow: Workflow, form: str, written: QuestionForm) -> Fault | None:
    """The criteria that the judge does not see met, each with its reason; one without a verdict is not met."""
    questions = [desk.briefing.criterion(name, workflow, form, written) for name in criteria()]
    failed = []
    for name, asked in zip(criteria(), desk.judge.ask_all(questions), strict=True):
        verdict = asked.read(CriterionForm) if asked.status == "done" else None
        reason = asked.reason if verdict is None else verdict.reason
        passed = verdict is not None and verdict.passed
        desk.decide("criteria", "kept" if passed else "again", reason=name, detail=reason)
        if not passed:
            failed.append(f"{name}: {reason}")
    return ("criterion_not_met", "; ".join(failed)) if failed else None


def _draft(desk: Desk, built: Built, workflow: Workflow, written: QuestionForm) -> Draft:
    output, check = handed_in(built.kind, built.ran, ordered=written.ordered)
    judged = f"all criteria judged by {desk.judge.model.name}"
    return Draft(
        name=desk.draft,
        writer=f"model:{desk.writer.model.name}",
        room=desk.material.room,
        question=written.question.strip(),
        guidelines=written.guidelines.strip(),
        outputs=(output,),
        checks=(check,),
        workflow=workflow,
        domain=desk.material.domain,
        notes=(*built.discarded, judged),
    )
