"""The steps of an attempt as they are made: what the model said in each, what that used, and what was run."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from inspect_ai.model import ModelOutput
from inspect_ai.tool import ToolCall

from benchwright.files import canonical_json
from benchwright.importers.base import kind_of
from benchwright.live.usage import usage_of
from benchwright.sandbox.base import Command, Exec, Outcome, Python
from benchwright.trajectory import Call, CallKind, Step, Usage

_LONGEST = 50_000
"""Characters of a text that are kept; Inspect's log has all of it."""


@dataclass(slots=True)
class _Made:
    """One step under way."""

    index: int
    started: float = field(default_factory=time.time)
    said: list[str] = field(default_factory=list)
    calls: list[Call] = field(default_factory=list)
    asked: list[Call] = field(default_factory=list)
    usage: Usage | None = None
    model: str = ""


class Steps:
    """Written by whatever happens in an attempt. Agents that count no steps have one for each reply."""

    def __init__(self) -> None:
        self._made: list[_Made] = []
        self.counted = False
        """Whether the agent says where its steps begin."""

    def begin(self, index: int) -> None:
        """The agent begins a step."""
        self.counted = True
        self._made.append(_Made(index))

    def heard(self, output: ModelOutput, model: str) -> None:
        """A reply of the model; one that does not say its tokens is counted as that."""
        if not self.counted:
            self._made.append(_Made(len(self._made) + 1))
        step = self._now()
        used = usage_of(output.usage, model) if output.usage else Usage(uncounted_calls=1)
        step.usage = used if step.usage is None else step.usage.plus(used)
        step.model = output.model
        if output.completion:
            step.said.append(output.completion[:_LONGEST])
        asked = output.message.tool_calls or [] if output.choices else []
        step.asked += [_asked(call, f"{step.index}.{place}") for place, call in enumerate(asked, len(step.asked) + 1)]

    def ran(
        self,
        kind: CallKind,
        text: str,
        output: str = "",
        *,
        exit_code: int | None = None,
        failed: bool,
        limit: str = "",
    ) -> None:
        """Something was run, or handed in; `limit` names the limit that ended it."""
        step = self._now()
        call = Call(
            id=f"{step.index}.{len(step.calls) + 1}",
            tool=kind,
            kind=kind,
            text=text[:_LONGEST],
            output=output[:_LONGEST],
            exit_code=exit_code,
            is_error=failed,
            limit=limit,
            truncated=len(output) > _LONGEST,
            ended=time.time(),
        )
        step.calls.append(call)

    def did(self, command: Command, outcome: Outcome | None) -> None:
        """A command was run for the agent; without an outcome where it was cut off."""
        kind: CallKind = "python" if isinstance(command, Python) else "shell"
        if outcome is None:
            self.ran(kind, _text(command), failed=True)
            return
        shown = (outcome.stdout + outcome.stderr).decode(errors="replace")
        failed = bool(outcome.exit_code or outcome.limit)
        self.ran(kind, _text(command), shown, exit_code=outcome.exit_code, failed=failed, limit=outcome.limit)

    def _now(self) -> _Made:
        if not self._made:
            self._made.append(_Made(1))
        return self._made[-1]

    def made(self, *, as_asked: bool = False) -> tuple[Step, ...]:
        """All steps so far; `as_asked`, with what the model asked for, of which nobody saw what came of it."""
        return tuple(
            Step(
                index=step.index,
                text="\n\n".join(step.said),
                calls=tuple(step.asked if as_asked else step.calls),
                usage=step.usage,
                model=step.model,
                started=step.started,
            )
            for step in self._made
        )


def _asked(call: ToolCall, identity: str) -> Call:
    values = list(call.arguments.values())
    text = values[0] if len(values) == 1 and isinstance(values[0], str) else canonical_json(call.arguments)
    return Call(id=identity, tool=call.function[:_LONGEST], kind=kind_of(call.function), text=text[:_LONGEST])


def _text(command: Command) -> str:
    """A command in words; of a program its arguments, and not what it is given to read."""
    if isinstance(command, Exec):
        return " ".join(command.argv)
    return command.code if isinstance(command, Python) else command.text
