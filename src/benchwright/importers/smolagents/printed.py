"""What smolagents prints while an agent works: boxes and rules around tasks, code, and what came of it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from benchwright.errors import Fault
from benchwright.importers.base import Draft, DraftStep
from benchwright.importers.values import shown
from benchwright.trajectory import Answered, Broke, FinalAnswer, LimitHit, Usage

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_RUN = re.compile(r"^[╭┌]─+ New run\b")
_BOX_END = re.compile(r"^[╰└]─*(?: (?P<model>\S.*?) )?─*[╯┘]\s*$")
_BOX = re.compile(r"^[╭┌]─*(?: (?P<title>\S.*?) )?─*[╮┐]\s*$")
_INSIDE = re.compile(r"^│ ?(.*?) *│\s*$")
_STEP = re.compile(r"^━+ Step (\d{1,6}) ━+\s*$")
_CODE = re.compile(r"^ ?─ Executing parsed code: ─*")
_RULE = re.compile(r"^ ?─{10,}\s*$")
_SPENT = re.compile(
    r"^\[Step \d{1,6}: Duration ([\d.]{1,12}) seconds"
    r"(?:\| Input tokens: ([\d,]{1,20}) \| Output tokens: ([\d,]{1,20}))?\]"
)
_FINAL = re.compile(r"^(?:Out - )?Final answer: ?(.*)", re.DOTALL)
_TOOL = re.compile(r"Calling tool: '([^'\n]{1,200})' with arguments: (.*)", re.DOTALL)
_NUMBERED = re.compile(r"^ *\d+ ")
_FAILED = re.compile(
    r"^(?:Code execution failed at line|Error in (?:code parsing|generating model output|tool call))", re.MULTILINE
)
_OF_THE_MODEL = "Error in generating model output"
_LIMIT = "Reached max steps."
_LONGEST_LINE = 2000


def printed_runs(lines: Iterable[str]) -> list[Draft]:
    """The runs that are printed; none in a text that is no log of smolagents."""
    reader = _Reader()
    for line in lines:
        reader.take(_ESCAPES.sub("", line).rstrip("\r\n"))
    reader.close()
    return [run for run in reader.runs if run.steps]


@dataclass(slots=True)
class _Reader:
    """The text line by line: `within` names what is open (a box, code, or what came of a step)."""

    runs: list[Draft] = field(default_factory=list)
    step: DraftStep | None = None
    within: str = ""
    kept: list[str] = field(default_factory=list)
    spent: tuple[int, int] = (0, 0)
    """Tokens so far: what is printed is the sum over steps."""

    def take(self, line: str) -> None:
        """One line, without its end; one that is longer than any console is no mark of the library's."""
        if len(line) > _LONGEST_LINE:
            self.kept.append(line)
        elif self.within in ("run", "box", "code"):
            self._inside(line)
        elif _RUN.match(line):
            self.close()
            self.runs.append(Draft("smolagents"))
            self.step, self.spent, self.within = None, (0, 0), "run"
        elif _STEP.match(line):
            self.close()
            self.runs = self.runs or [Draft("smolagents")]
            self.step = self.runs[-1].step()
        elif _CODE.match(line):
            self._open("code")
        elif box := _BOX.match(line):
            self._open("code" if (box["title"] or "").startswith("Executing this code") else "box")
        elif told := _SPENT.match(line):
            self._close_output()
            self._spent(*told.groups())
        elif self.step is not None:
            self.kept.append(line)

    def _open(self, what: str) -> None:
        self._close_output()
        self.within = what

    def _inside(self, line: str) -> None:
        end = _BOX_END.match(line)
        if end is None and not (self.within == "code" and _RULE.match(line)):
            self.kept.append(line)
            return
        kept, self.kept, within, self.within = self.kept, [], self.within, ""
        boxed = [_INSIDE.match(part) for part in kept]
        text = [found.group(1) if found else part for found, part in zip(boxed, kept, strict=True)]
        if within == "run" and self.runs:
            self.runs[-1].prompt = "\n".join(part.strip() for part in text).strip()
            self.runs[-1].model = (end["model"] if end else "").rpartition(" - ")[2]
        elif within == "code" and self.step is not None:
            self._call("python_interpreter", "\n".join(_code(text, boxed=any(boxed))))
        elif (tool := _TOOL.search("\n".join(text))) and self.step is not None:
            self._call(tool.group(1), _arguments(tool.group(2)))

    def _call(self, tool: str, text: str) -> None:
        if self.step is not None:
            self.runs[-1].call(self.step, "", tool).text = text

    def close(self) -> None:
        """What is open ends here."""
        if self.within != "run":
            self.within = ""
        self._close_output()

    def _close_output(self) -> None:
        """What came of the code or of the tool, or what was said before them."""
        output, self.kept = "\n".join(self.kept).strip("\n"), []
        if self.step is None or not output.strip():
            return
        run, failed = self.runs[-1], _FAILED.search(output) is not None
        if self.step.calls:
            self.step.calls[-1].answer(output, is_error=failed)
        else:
            self.step.say(output)
        final = next((found for line in self._parts(output) if (found := _FINAL.match(line))), None)
        if final is not None:
            run.answer = FinalAnswer(text=final.group(1).strip(), source="submission")
            run.ending = Answered()
        if _LIMIT in output:
            run.ending = LimitHit(which="messages")
        elif failed and final is None:
            run.ending = Broke(fault=Fault.MODEL, detail=output[:300]) if _OF_THE_MODEL in output else None

    @staticmethod
    def _parts(output: str) -> Iterator[str]:
        """The text from each of its lines on."""
        lines = output.split("\n")
        yield from ("\n".join(lines[place:]) for place, line in enumerate(lines) if "Final answer:" in line)

    def _spent(self, seconds: str, given: str | None, made: str | None) -> None:
        run = self.runs[-1] if self.runs else None
        if run is None or self.step is None:
            return
        try:
            run.seconds = (run.seconds or 0.0) + float(seconds)
        except ValueError:
            run.note("a duration cannot be read")
        if given and made:
            now = int(given.replace(",", "") or 0), int(made.replace(",", "") or 0)
            grown = [max(0, new - old) for new, old in zip(now, self.spent, strict=True)]
            self.step.usage, self.spent = Usage(input_tokens=grown[0], output_tokens=grown[1]), now


def _code(lines: list[str], *, boxed: bool) -> list[str]:
    """Code without what is printed around it: a margin, and in boxes of early versions the numbers of lines."""
    if boxed and lines and all(_NUMBERED.match(line) for line in lines if line.strip()):
        return [_NUMBERED.sub("", line, count=1).rstrip() for line in lines]
    return [line.removeprefix("  ").rstrip() for line in lines]


def _arguments(text: str) -> str:
    """Arguments as JSON, where they are a literal of Python's."""
    try:
        return shown(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text.strip()
