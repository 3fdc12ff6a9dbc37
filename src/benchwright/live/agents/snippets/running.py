"""One query's snippets, run in a process of their own in the attempt's sandbox, and what they came to."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Literal

from benchwright.errors import Broken, Fault
from benchwright.files import read_text
from benchwright.live.attempt import Live
from benchwright.live.machine import in_thread
from benchwright.sandbox.base import Exec, Outcome, Spent

ErrorClass = Literal["", "format", "data", "code"]
"""Why a query failed before any verdict: no code in the reply, data not found, code that failed; empty: all ran."""

MOST_OUTPUT = 100_000
_KILLED = 137
_TEXT = 2000


@dataclass(frozen=True, slots=True)
class Failure:
    """An error that a snippet raised: which snippet (from 1), the error's type and message, and whether data were
    not found.
    """

    step: int
    type: str
    message: str = ""
    trace: str = ""
    data: bool = False


@dataclass(frozen=True, slots=True)
class Ran:
    """What the snippets came to. `answer` is the value of their variable `answer` as text, None where they set none.

    `outputs` is what each snippet printed; `limit` the limit that ended the process, else empty; `lost` is the error of
    a sandbox that was ended as a whole.
    """

    outputs: tuple[str, ...] = ()
    answer: str | None = None
    value: Any = None
    failures: tuple[Failure, ...] = ()
    pictures: Mapping[str, bytes] = field(default_factory=dict)
    errors: str = ""
    limit: str = ""
    lost: Spent | None = None

    @property
    def error(self) -> ErrorClass:
        """Data before code: code that finds no data fails for that reason."""
        if any(failure.data for failure in self.failures):
            return "data"
        return "code" if self.failures else ""

    @property
    def printed(self) -> str:
        """All that was printed, without what tells snippets apart."""
        return "\n".join(text.strip() for text in self.outputs if text.strip())


async def run_snippets(here: Live, snippets: Sequence[str], path: str) -> Ran:
    """Run the snippets in one new process, in order, within the task's limit for one step.

    A snippet that fails does not stop those after it, as the published runner has it. Errors: Broken(suite) where the
    data file cannot be loaded; what the code does is never an error of ours.
    """
    mark = secrets.token_hex(16)
    job = json.dumps({"mark": mark, "path": path, "snippets": list(snippets)})
    lost: Spent | None = None
    try:
        outcome = await here.run(Exec(("python3", "-c", _program()), job.encode()))
    except Spent as spent:
        outcome, lost = Outcome(_KILLED, b"", b"", limit=spent.limit), spent
    told = _Told.of(outcome.stdout, mark, len(snippets))
    if told.unreadable:
        raise Broken(Fault.SUITE, f"the data file {path} cannot be loaded", found=told.unreadable)
    answer = _answer(told.report.get("answer"))
    names = _names(told.report.get("pictures"))
    return Ran(
        outputs=told.outputs,
        answer=answer[0],
        value=answer[1],
        failures=(*_failures(told.report.get("failures")), *_ended(told, outcome)),
        pictures=await _pictures(here, names) if names and lost is None else {},
        errors=outcome.stderr.decode(errors="replace")[-_TEXT:],
        limit=outcome.limit,
        lost=lost,
    )


@cache
def _program() -> str:
    return read_text(Path(__file__).with_name("inside.py"))


@dataclass(frozen=True, slots=True)
class _Told:
    """The output of the process, taken apart at the lines that carry the mark; all of it may be forged by the code."""

    outputs: tuple[str, ...]
    report: Mapping[str, Any]
    begun: int
    unreadable: str = ""

    @classmethod
    def of(cls, stdout: bytes, mark: str, snippets: int) -> _Told:
        """Text after a marked line belongs to the snippet that the line names."""
        outputs, step, unreadable = [""] * snippets, 0, ""
        report: dict[str, Any] = {}
        for number, part in enumerate(stdout.decode(errors="replace").split(f"\n{mark} ")):
            line, _, text = part.partition("\n") if number else ("{}", "", part)
            said = _object(line)
            if isinstance(said.get("step"), int) and 0 < said["step"] <= snippets:
                step = said["step"]
            report = said["done"] if isinstance(said.get("done"), dict) else report
            unreadable = str(said.get("unreadable", "")) if not step else ""
            if step:
                outputs[step - 1] = (outputs[step - 1] + text)[:MOST_OUTPUT]
        return cls(tuple(outputs), report, step, unreadable)


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _ended(told: _Told, outcome: Outcome) -> tuple[Failure, ...]:
    """The failure of code that ended the whole process, and so its report."""
    if told.report:
        return ()
    if outcome.limit:
        return (Failure(max(told.begun, 1), "LimitReached", f"ended by the {outcome.limit} limit"),)
    return (Failure(max(told.begun, 1), "ProcessEnded", f"the process ended with exit code {outcome.exit_code}"),)


def _failures(listed: Any) -> tuple[Failure, ...]:
    found = []
    for item in listed if isinstance(listed, list) else ():
        if isinstance(item, dict) and isinstance(item.get("step"), int):
            texts = {name: str(item.get(name, ""))[: 2 * _TEXT] for name in ("type", "message", "trace")}
            found.append(Failure(step=item["step"], data=bool(item.get("data")), **texts))
    return tuple(found)


def _answer(told: Any) -> tuple[str | None, Any]:
    """The answer as it is handed in, and as JSON has it: text as it stands, other values as JSON."""
    if not isinstance(told, dict) or not told:
        return None, None
    value = told.get("value", told.get("text"))
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text, value


def _names(listed: Any) -> list[str]:
    names = [name for name in listed if isinstance(name, str)] if isinstance(listed, list) else []
    return [name for name in names[:10] if name and "/" not in name and "\0" not in name and len(name) < 200]


_MOST_PICTURE = 5 << 20
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff")


async def _pictures(here: Live, names: Sequence[str]) -> dict[str, bytes]:
    """The pictures that the code left, by name; what is none, or too large, is left out."""
    sandbox, found = await here.sandbox(), {}
    for name in names:
        try:
            data = await in_thread(sandbox.read, f"/workspace/{name}")
        except OSError:
            continue
        if len(data) <= _MOST_PICTURE and data.startswith(_MAGIC):
            found[name] = data
    return found
