"""What every importer gives: trajectories, drafted call by call; and the bounds that hold hostile logs."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from benchwright.errors import Fault
from benchwright.importers.values import text
from benchwright.trajectory import Broke, Call, CallKind, Ending, FinalAnswer, Step, Trajectory, Usage

MOST_STEPS = 20_000
MOST_CALLS = 100_000
LONGEST_OUTPUT = 256 << 10
"""Characters kept of what a call gave back; the middle of longer ones is left out."""
LONGEST_TEXT = 1 << 20
MOST_TEXT = 256 << 20
"""Characters kept of one attempt; beyond, outputs are left out."""
_LONGEST_NAME = 4096
_CUT = re.compile(
    r"\[\.\.\. .{1,40} \.\.\.\]|\[\d+ (?:characters|lines) (?:truncated|elided|omitted)|<response clipped>"
    r"|\u2026\d+ (?:tokens|chars|lines) truncated\u2026|^<persisted-output>|<elided_chars>"
    r"|\.\._This content has been truncated to stay below \d+ characters_\.\."
)
"""What harnesses write where they left out a part."""

_KINDS: dict[str, CallKind] = {
    **dict.fromkeys(
        ("bash", "shell", "terminal", "execute_bash", "exec_command", "run", "local_shell", "exec"), "shell"
    ),
    **dict.fromkeys(
        ("python_interpreter", "python", "execute_ipython_cell", "run_ipython", "ipython", "code"), "python"
    ),
    **dict.fromkeys(
        "read view view_image notebookread read_file read_text_file read_multiple_files read_many_files open".split(),
        "read",
    ),
    **dict.fromkeys(("grep", "search", "rg", "grep_search", "grep_files", "search_file_content"), "search"),
    **dict.fromkeys(("write", "create", "write_file", "create_file"), "write"),
    **dict.fromkeys(
        ("edit", "multiedit", "notebookedit", "apply_patch", "file_change", "str_replace", "replace", "edit_file"),
        "edit",
    ),
    **dict.fromkeys(("ls", "glob", "list", "list_dir", "list_directory"), "list"),
    **dict.fromkeys(("finish", "final_answer", "submit"), "submit"),
    "sql": "sql",
}


_AFRESH = frozenset("codex mini-swe-agent gemini opencode qwen-code qwen-coder goose".split())
"""Harnesses that run each command in a shell of its own."""
_PATHS = tuple(
    "path file_path filePath filename notebook_path absolute_path dir_path directory_path target_file".split()
)
"""What programs call the file or folder of a call."""


class Importer(Protocol):
    """Reads the logs of one tool."""

    name: str
    keeps_folder: bool
    """Whether the tool's shell keeps its working folder from one call to the next."""

    def parse(self, path: Path) -> tuple[Trajectory, ...]:
        """The attempts that a log holds (reruns are appended), in its order, without files read.

        Never raises on what a log holds: what is whole is kept, and notes say what was not.
        Errors: InputError where the file cannot be read.
        """
        ...


@runtime_checkable
class FolderImporter(Importer, Protocol):
    """An importer that knows which files of a folder are logs, and which files were handed in beside them."""

    def find(self, folder: Path) -> Iterable[Path]:
        """The logs below a folder."""
        ...

    def handed_in(self, path: Path) -> Mapping[str, Path]:
        """The output files of the attempt that a log tells of, by name."""
        ...


LOG_SUFFIXES = (".json", ".jsonl", ".ndjson", ".log", ".txt", ".gz", ".zst", ".traj")
"""The files of a folder that are tried."""


def log_files(folder: Path) -> Iterator[Path]:
    """Every file below a folder that may be a log; links are none."""
    below = (Path(parent, name) for parent, _, names in os.walk(folder) for name in names)
    yield from sorted(path for path in below if path.suffix.lower() in LOG_SUFFIXES and not path.is_symlink())


def regular_files(folder: Path) -> dict[str, Path]:
    """The regular files right in a folder by name; links are never followed."""
    with os.scandir(folder) as entries:
        return {entry.name: Path(entry.path) for entry in entries if entry.is_file(follow_symlinks=False)}


def keeps_folder(importer: Importer, harness: str) -> bool:
    """Whether a harness's shell keeps its folder from one call to the next, in logs of any harness by its name."""
    return importer.keeps_folder and harness.lower().replace("_", "-").removesuffix("-cli") not in _AFRESH


def kind_of(tool: str) -> CallKind:
    """The kind of call that a tool's name stands for, also behind that of the server that it comes from."""
    return _KINDS.get(tool.lower().rsplit(".", 1)[-1].rsplit("__", 1)[-1], "other")


def path_in(given: Mapping[str, Any]) -> str:
    """The file or folder that a call's arguments name."""
    return next((text(given[name]) for name in _PATHS if isinstance(given.get(name), str)), "")


def about_file(call: DraftCall, tool: str, given: Mapping[str, Any]) -> bool:
    """Take a call for what its tool's name says that it does with a file, if it reads, lists or searches one."""
    kind = kind_of(tool)
    if kind not in ("read", "list", "search"):
        return False
    call.tool, call.kind, call.path = tool, kind, path_in(given)
    return True


class DraftCall(Call, frozen=False):
    """A call as far as the log has told of it: it may still change, and knows no bounds."""

    def answer(self, output: str, *, exit_code: int | None = None, is_error: bool = False) -> None:
        """What came back."""
        self.output = output
        self.exit_code = exit_code if exit_code is not None else self.exit_code
        self.is_error = is_error or self.exit_code not in (None, 0)

    def answer_later(self, later: DraftCall) -> None:
        """What came back, and how it ended, by a later call that waited for it."""
        if len(self.output) <= LONGEST_OUTPUT:
            self.output = "\n".join(part for part in (self.output.rstrip("\n"), later.output) if part)
        self.exit_code = later.exit_code if later.exit_code is not None else self.exit_code
        self.is_error = self.is_error or later.is_error or self.exit_code not in (None, 0)


@dataclass(slots=True)
class DraftStep:
    """A turn as far as the log has told of it."""

    thoughts: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: list[DraftCall] = field(default_factory=list)
    usage: Usage | None = None
    model: str = ""
    started: float | None = None

    def say(self, words: str) -> None:
        """Add what the agent said, once."""
        if words.strip() and words not in self.texts:
            self.texts.append(words)

    def think(self, words: str) -> None:
        """Add what the agent thought, once."""
        if words.strip() and words not in self.thoughts:
            self.thoughts.append(words)


@dataclass(slots=True)
class Draft:
    """An attempt as far as its log has told of it."""

    harness: str
    version: str = ""
    model: str = ""
    prompt: str = ""
    cwd: str = ""
    session: str = ""
    steps: list[DraftStep] = field(default_factory=list)
    calls: dict[str, DraftCall] = field(default_factory=dict)
    usage: Usage | None = None
    models: dict[str, Usage] = field(default_factory=dict)
    cost: float | None = None
    started: float | None = None
    ended: float | None = None
    seconds: float | None = None
    answer: FinalAnswer | None = None
    last_message: str = ""
    ending: Ending | None = None
    notes: list[str] = field(default_factory=list)
    lost: int = 0
    """Replies of the model that the log does not hold, and whose tokens no total counts."""
    _keys: dict[str, DraftStep] = field(default_factory=dict)
    _numbered: int = 0

    def step(self, key: str = "") -> DraftStep:
        """The turn of this key, begun if it is new; without a key always a new one."""
        if key and (known := self._keys.get(key)):
            return known
        made = DraftStep()
        if len(self.steps) < MOST_STEPS:
            self.steps.append(made)
        else:
            self.note(f"more than {MOST_STEPS:,} steps: the rest is left out")
        if key:
            self._keys[key] = made
        return made

    def call(self, step: DraftStep, identity: str, tool: str, kind: CallKind | None = None) -> DraftCall:
        """A call in this turn; one that is known already is given again, as logs tell it twice."""
        if identity and (known := self.calls.get(identity)):
            return known
        made = DraftCall(id=identity or self._free_id(), tool=tool, kind=kind or kind_of(tool))
        if len(self.calls) < MOST_CALLS:
            self.calls[made.id] = made
            step.calls.append(made)
        else:
            self.note(f"more than {MOST_CALLS:,} calls: the rest is left out")
        return made

    def _free_id(self) -> str:
        self._numbered = max(self._numbered, len(self.calls)) + 1
        while f"call_{self._numbered}" in self.calls:
            self._numbered += 1
        return f"call_{self._numbered}"

    def another_call(self, step: DraftStep, identity: str, tool: str) -> DraftCall:
        """A call in this turn that is none before it, as of logs that give an id twice."""
        return self.call(step, identity if identity not in self.calls else "", tool)

    def time(self, moment: float | None) -> None:
        """Something happened at this time."""
        if moment is not None:
            self.started = moment if self.started is None else min(self.started, moment)
            self.ended = moment if self.ended is None else max(self.ended, moment)

    def note(self, words: str) -> None:
        """Say what was odd, once."""
        if words not in self.notes and len(self.notes) < 50:
            self.notes.append(words)

    def add(self, other: Draft) -> None:
        """Take in what a sub-agent did, by the time at which it did it where that is told; its tokens are not added."""
        self.steps += other.steps
        self.calls = {**other.calls, **self.calls}
        if all(step.started is not None for step in self.steps):
            self.steps.sort(key=lambda step: step.started or 0.0)

    @property
    def empty(self) -> bool:
        """Whether the log told of no turn."""
        return not any(step.calls or step.texts or step.thoughts for step in self.steps)

    def finished(self, notes: Iterable[str] = ()) -> Trajectory:
        """The attempt, within bounds; usage is the sum over turns where no total was told.

        A log that does not tell how the agent ended broke off, as far as is known.
        """
        room = _Room()
        steps = tuple(_step(number, step, room) for number, step in enumerate(self.steps, start=1))
        if self.answer is None and self.last_message.strip():
            self.answer = FinalAnswer(text=room.cut(self.last_message)[0], source="last_message")
        return Trajectory(
            steps=steps,
            usage=_with(self.usage if self.usage is not None else _total(self.steps), self.lost),
            models=self.models,
            model=self.model[:_LONGEST_NAME],
            harness=self.harness,
            harness_version=self.version[:_LONGEST_NAME],
            prompt=room.cut(self.prompt)[0],
            cwd=self.cwd[:_LONGEST_NAME],
            session=self.session[:_LONGEST_NAME],
            logged_cost_usd=self.cost,
            started=self.started,
            ended=self.ended,
            seconds=self.seconds,
            answer=self.answer,
            ending=self.ending or Broke(fault=Fault.AGENT, detail="the log does not tell how the agent ended"),
            notes=tuple(dict.fromkeys((*self.notes, *notes))),
        )


@dataclass(slots=True)
class _Room:
    """How much text may still be kept."""

    left: int = field(default_factory=lambda: MOST_TEXT)

    def cut(self, words: str, longest: int = LONGEST_TEXT) -> tuple[str, bool]:
        """The text within bounds, its middle left out where it is too long, and whether it was."""
        words = text(words)
        longest = max(0, min(longest, self.left))
        if len(words) > longest:
            half = longest // 2
            left_out = f"\n[... {len(words) - 2 * half} characters left out ...]\n"
            words = f"{words[:half]}{left_out}{words[-half:] if half else ''}"
            self.left -= longest
            return words, True
        self.left -= len(words)
        return words, False


def _step(number: int, step: DraftStep, room: _Room) -> Step:
    return Step(
        index=number,
        thought=room.cut("\n\n".join(step.thoughts))[0],
        text=room.cut("\n\n".join(step.texts))[0],
        calls=tuple(_call(call, room) for call in step.calls),
        usage=step.usage,
        model=step.model[:_LONGEST_NAME],
        started=step.started,
    )


def _call(call: DraftCall, room: _Room) -> Call:
    output, cut = room.cut(call.output, LONGEST_OUTPUT)
    bounded = {
        "id": text(call.id)[:_LONGEST_NAME],
        "tool": text(call.tool)[:_LONGEST_NAME],
        "text": room.cut(call.text)[0],
        "path": text(call.path)[:_LONGEST_NAME],
        "output": output,
        "truncated": call.truncated or cut or _CUT.search(output) is not None,
    }
    return Call.model_validate({**vars(call), **bounded})


def _with(usage: Usage, lost: int) -> Usage:
    return usage.model_copy(update={"uncounted_calls": usage.uncounted_calls + lost}) if lost else usage


def _total(steps: Iterable[DraftStep]) -> Usage:
    """The sum over turns; one that does not tell its tokens is counted as that."""
    total, told = Usage(cost_usd=0.0), False
    uncounted = 0
    for step in steps:
        if step.usage is None:
            uncounted += 1
        else:
            told = True
            total = total.plus(step.usage)
    return (
        total.model_copy(update={"uncounted_calls": total.uncounted_calls + uncounted})
        if told
        else Usage(uncounted_calls=uncounted)
    )
