"""All that a model is told of one failed attempt, cut to bearable length."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchwright.analysis.failures.estimates import categories_of
from benchwright.analysis.failures.reasons import Planned
from benchwright.chat.fencing import shortened
from benchwright.gold import Gold
from benchwright.run import Attempt, Key
from benchwright.score import Scored
from benchwright.trajectory import Call, Step

_QUESTION, _TEXT, _CODE, _OUTPUT, _SAID = 6_000, 4_000, 2_000, 1_200, 800
_TRANSCRIPT = 60_000
"""Characters of a transcript; of longer ones the steps in the middle are left out."""
_FILE_BYTES = 2_000
_NONE = "(none)"


@dataclass(frozen=True, slots=True)
class Casefile:
    """A failed attempt as it is put to a model, and the steps that its words are held against."""

    question: str
    gold: str
    solution: str
    skills: str
    handed_in: str
    verdict: str
    steps: Sequence[Step]

    def texts(self) -> dict[str, str]:
        """What the prompt holds, by its names there."""
        told = {
            "question": shortened(self.question, _QUESTION),
            "gold": shortened(self.gold, _TEXT),
            "solution": shortened(self.solution, _TEXT),
            "skills": shortened(self.skills, _TEXT),
            "handed_in": shortened(self.handed_in, _TEXT),
            "verdict": shortened(self.verdict, _TEXT),
            "transcript": "\n\n".join(_within(list(map(_step, self.steps)), _TRANSCRIPT)),
        }
        return {name: text.strip() or _NONE for name, text in told.items()}

    def holds(self, step: int | None, quote: str) -> bool:
        """Whether a step holds these words, whatever the blanks between them."""
        words = " ".join(quote.split())
        return any(words in " ".join(_whole(each).split()) for each in self.steps if each.index == step)


def casefile(planned: Planned, key: Key) -> Casefile:
    """The file of an attempt that was made. Opens no file of the agent but to read its first bytes as text."""
    suite, attempt = planned.suite, planned.attempts[key]
    gold = suite.golds.get(key.task_id) if suite.has_gold else None
    label = suite.label(key.task_id)
    task = suite.tasks[key.task_id]
    return Casefile(
        question=f"{task.question}\n{task.guidelines}",
        gold="\n".join(_gold_texts(planned, gold)) if gold else "",
        solution=gold.solution.code if gold and gold.solution else "",
        skills="\n".join(f"{skill}: {category}" for skill, category in categories_of(label).items()),
        handed_in="\n".join(_handed_in(planned, attempt)),
        verdict="\n".join(_verdict(planned, key, attempt)),
        steps=planned.transcript(attempt).steps,
    )


def _gold_texts(planned: Planned, gold: Gold) -> Iterator[str]:
    yield "\nor: ".join(text for text in (gold.answer, *gold.alternatives) if text)
    folder = planned.suite.gold_files(gold.task_id)
    for name in gold.files[:8]:
        if (folder / name).is_file():
            yield f"{name}:\n{_head((folder / name).read_bytes()[:_FILE_BYTES])}"
    for file in gold.required_files:
        yield f"needs the data file {file.path}"


def _handed_in(planned: Planned, attempt: Attempt) -> Iterator[str]:
    if attempt.answer is not None:
        yield f"answer: {attempt.answer}"
    for name, kept in list(attempt.files.items())[:8]:
        path = planned.run.artifacts.locate(kept.sha256)
        if path.is_file():
            with path.open("rb") as stream:
                yield f"{name} ({kept.bytes} bytes):\n{_head(stream.read(_FILE_BYTES))}"


def _verdict(planned: Planned, key: Key, attempt: Attempt) -> Iterator[str]:
    yield f"ended: {attempt.ended}"
    for name, score in planned.verdicts.get(key, {}).items():
        yield f"{name}: {score.value if isinstance(score, Scored) else score.reason}"


def _head(data: bytes) -> str:
    if b"\0" in data[:512]:
        return "(not a text)"
    return data.decode("utf-8", errors="replace")


def _step(step: Step) -> str:
    said = [f"[step {step.index}] {shortened(step.text or step.thought, _SAID)}"]
    return "\n".join([*said, *map(_call, step.calls)])


def _call(call: Call) -> str:
    how = f"limit {call.limit}" if call.limit else "failed" if call.is_error or call.exit_code else "ok"
    text = f"{call.path}\n{call.text}" if call.path else call.text
    return f"> {call.kind} ({how})\n{shortened(text, _CODE)}\n< {shortened(call.output, _OUTPUT)}"


def _whole(step: Step) -> str:
    parts = [part for call in step.calls for part in (call.path, call.text, call.output)]
    return "\n".join([step.thought, step.text, *parts])


def _within(parts: Sequence[str], most: int) -> list[str]:
    """The first and the last parts that fit, the last ones first in line."""
    if sum(map(len, parts)) <= most:
        return list(parts)
    head: list[str] = []
    tail: list[str] = []
    room = most
    first, last = 0, len(parts) - 1
    while first <= last:
        from_end = len(tail) <= len(head)
        part = parts[last] if from_end else parts[first]
        room -= len(part)
        if room < 0:
            break
        if from_end:
            tail.append(part)
            last -= 1
        else:
            head.append(part)
            first += 1
    return [*head, f"[{last - first + 1} steps left out]", *reversed(tail)]
