"""The prompts of a draft: data of others only between fences, and a token that a reply has to repeat."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar, get_args

from benchwright.chat.asking import Question
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages, prompt
from benchwright.files import canonical_json, sha256
from benchwright.generation.modelled.forms import (
    TABLE_FILE,
    AblationForm,
    Criterion,
    CriterionForm,
    Given,
    InitialForm,
    InsertionForm,
    QuestionForm,
    RepairForm,
    VerdictForm,
)
from benchwright.generation.modelled.shown import shown_files, shown_relations
from benchwright.generation.workflow import Material, Workflow
from benchwright.profiles.prompt import quoted

_PROMPTS = Path(__file__).parent / "prompts"
_MOST_STEPS, _MOST_FEEDBACK, _MOST_EXAMPLE, _MOST_EXAMPLES = 24_000, 4_000, 600, 3
G = TypeVar("G", bound=Given)
Check = Callable[[G], str]


@dataclass(frozen=True, slots=True)
class Skill:
    """A skill to be shown: its name, what it means, and texts of solutions' steps that show it."""

    name: str
    description: str = ""
    examples: tuple[str, ...] = ()

    def told(self) -> str:
        """The skill on one line, its examples below."""
        meaning = f": {' '.join(self.description.split())[:_MOST_EXAMPLE]}" if self.description else ""
        shown = [" ".join(shortened(text, _MOST_EXAMPLE).split()) for text in self.examples[:_MOST_EXAMPLES]]
        return "\n".join([f"{quoted(self.name)}{meaning}", *(f"  shown by: {text}" for text in shown)])


@cache
def prompts_digest() -> str:
    """SHA-256 of all prompts: drafts depend on them, and records name it."""
    files = sorted(_PROMPTS.glob("*.txt"))
    return sha256(canonical_json([[file.stem, prompt(_PROMPTS, file.stem)] for file in files]))


@cache
def criteria() -> Mapping[Criterion, str]:
    """What each criterion asks for, in the paper's order."""
    told = dict(line.split(": ", 1) for line in prompt(_PROMPTS, "criteria").splitlines())
    return {name: told[name] for name in get_args(Criterion)}


@dataclass(frozen=True, slots=True)
class Briefing:
    """What all prompts of one draft hold: its name, and the files and relations as text."""

    draft: str
    files: str
    relations: str

    @classmethod
    def about(cls, draft: str, material: Material, *, values: bool = True) -> Briefing:
        """The briefing on a room; without `values` no value of its data is told."""
        text, told = shown_files(material, draft, values=values)
        return cls(draft, text, shown_relations(material, told))

    def initial(self, skills: Sequence[Skill], feedback: Sequence[str]) -> Question[InitialForm]:
        """Choose the skill of the last step, and write it."""
        offered = "\n".join(f"{number}. {skill.told()}" for number, skill in enumerate(skills, 1))
        texts = {"skills": offered, "feedback": _feedback(feedback)}

        def check(form: InitialForm) -> str:
            return "" if 1 <= form.skill <= len(skills) else f'"skill" is none of 1 to {len(skills)}'

        return self._question("initial", InitialForm, self._data(texts), check, count=len(skills))

    def insert(self, workflow: Workflow, skill: Skill, feedback: Sequence[str]) -> Question[InsertionForm]:
        """Put a step for a skill between the others."""
        count = len(workflow.steps)
        texts = {"steps": told_steps(workflow), "skill": skill.told(), "feedback": _feedback(feedback)}
        return self._question(
            "insert", InsertionForm, self._data(texts), lambda form: _misplaced(form, count), count=count
        )

    def verify(self, workflow: Workflow, number: int) -> Question[VerdictForm]:
        """Judge whether a step can be carried out and fits."""

        def check(form: VerdictForm) -> str:
            if form.good:
                return ""
            return "" if form.cause and form.reason.strip() else 'a step that is wrong needs a "cause" and a "reason"'

        texts = {"files": self.files, "steps": told_steps(workflow)}
        return self._question("verify", VerdictForm, texts, check, number=number, count=len(workflow.steps))

    def repair(self, workflow: Workflow, problem: str) -> Question[RepairForm]:
        """Put right what is wrong."""
        count = len(workflow.steps)
        texts = {"files": self.files, "steps": told_steps(workflow), "problem": shortened(problem, _MOST_FEEDBACK)}

        def check(form: RepairForm) -> str:
            return _out_of_range((step.number for step in form.steps), count)

        return self._question("repair", RepairForm, texts, check, count=count)

    def ablation(self, workflow: Workflow, number: int, feedback: Sequence[str]) -> Question[AblationForm]:
        """Say what somebody without a step's skill would do in its place."""

        def check(form: AblationForm) -> str:
            return "" if form.code.strip() or not form.possible else '"code" is empty'

        texts = {"files": self.files, "steps": told_steps(workflow), "feedback": _feedback(feedback)}
        return self._question("ablation", AblationForm, texts, check, number=number, count=len(workflow.steps))

    def question(self, workflow: Workflow, form: str, feedback: Sequence[str]) -> Question[QuestionForm]:
        """Write the question that a workflow answers; `form` tells the answer's form and nothing of its value."""
        texts = {"files": self.files, "steps": told_steps(workflow), "form": form, "feedback": _feedback(feedback)}
        return self._question("question", QuestionForm, texts, count=len(workflow.steps))

    def criterion(
        self, name: Criterion, workflow: Workflow, form: str, written: QuestionForm
    ) -> Question[CriterionForm]:
        """Judge a question by one criterion."""
        texts = {
            "files": self.files,
            "steps": told_steps(workflow),
            "form": form,
            "question": written.question,
            "guidelines": written.guidelines,
        }

        def check(form: CriterionForm) -> str:
            return "" if form.passed or form.reason.strip() else '"reason" is empty'

        return self._question("criterion", CriterionForm, texts, check, criterion=criteria()[name])

    def _data(self, texts: Mapping[str, str]) -> dict[str, str]:
        return {"files": self.files, "relations": self.relations, **texts}

    def _question(
        self, name: str, form: type[G], texts: Mapping[str, str], check: Check[G] = lambda _: "", **ours: object
    ) -> Question[G]:
        token = sha256(canonical_json([name, self.draft, dict(texts), {key: str(each) for key, each in ours.items()}]))
        fixed: dict[str, object] = {
            "rules": prompt(_PROMPTS, "step_rules"),
            "table": TABLE_FILE,
            "token": token[:12],
            **ours,
        }

        def whole(reply: G) -> str:
            return check(reply) if reply.case == token[:12] else f'"case" is not "{token[:12]}"'

        messages = fenced_messages(_PROMPTS, (f"{name}_system", f"{name}_user"), texts, **fixed)
        return Question(f"{self.draft} {name} {token[:16]}", messages, form, whole)


def told_steps(workflow: Workflow) -> str:
    """A workflow as text: each step under its number, ids nowhere."""
    place = {step.id: number for number, step in enumerate(workflow.steps, 1)}
    told = []
    for number, step in enumerate(workflow.steps, 1):
        after = ", ".join(str(place[other]) for other in step.depends_on)
        lines = [
            f"step {number}, skill {quoted(step.skill)}{f', works on step {after}' if after else ''}",
            f"  description: {' '.join(step.description.split())}",
            f"  reads: {', '.join(map(quoted, step.reads)) or 'nothing'}",
            f"  inputs: {', '.join(step.inputs) or 'none'}; outputs: {', '.join(step.outputs) or 'none'}",
            *(f"    | {line}" for line in step.code.strip().splitlines()),
        ]
        told.append("\n".join(lines))
    return shortened("\n".join(told), _MOST_STEPS)


def _feedback(feedback: Sequence[str]) -> str:
    return "\n".join(f"- {shortened(text, _MOST_FEEDBACK)}" for text in feedback[-3:]) or "(nothing yet)"


def _misplaced(form: InsertionForm, count: int) -> str:
    """What is wrong with where a new step goes."""
    if not form.applicable:
        return "" if form.reason.strip() else '"reason" is empty'
    if form.step is None:
        return '"step" is missing'
    if not 1 <= form.before <= count:
        return f'"before" is none of 1 to {count}'
    late = [number for number in form.depends_on if not 1 <= number < form.before]
    if late:
        return f'"depends_on" names step {late[0]}, which does not come before step {form.before}'
    return _out_of_range((step.number for step in form.changed), count)


def _out_of_range(numbers: Iterable[int], count: int) -> str:
    listed = list(numbers)
    if len(set(listed)) < len(listed):
        return "a step stands twice"
    wrong = [number for number in listed if not 1 <= number <= count]
    return f'"number" {wrong[0]} is none of 1 to {count}' if wrong else ""
