"""From a log's calls to the files it seems to have read, and to the answer that it left in a file."""

from __future__ import annotations

import posixpath
import re
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache

from benchwright.importers.cells import in_shell, parses
from benchwright.importers.commands import commands_of
from benchwright.importers.edits import CHANGED_A_COMMAND, edited, patches_in, weight, written
from benchwright.importers.literals import literal_writes
from benchwright.importers.patches import patched
from benchwright.importers.stops import NOTHING, UNSURE, WHOLE, Stop, stop_of
from benchwright.importers.values import items, mapping, parsed, text
from benchwright.importers.whole_loops import comes_to_each, turns_of
from benchwright.reading import Reading, read_program
from benchwright.reading.holes import HOLE
from benchwright.reading.places import Places, Spot
from benchwright.reading.shell import Shell
from benchwright.reading.shell_state import Doings, Opened, PythonRun
from benchwright.reading.surroundings import Surroundings
from benchwright.trajectory import Accesses, Call, Estimated, FileAccess, FinalAnswer, NotMeasured, Step, Trajectory

_MOST_PROGRAMS = 500
"""Python programs of one attempt that are followed."""
_MOST_SECONDS = 60.0
"""Of computing, over all of them: only programs that were written to be followed slowly come near."""
_LONGEST_PROGRAM = 200_000
_DEEPEST = 4
"""Programs that run programs."""
_MISSING = re.compile(
    r"(?:No such file or directory|Permission denied): '([^'\n]{1,1000})'"
    r"|(?:^|\s)'?([^\s':]{1,1000})'?: (?:No such file|Permission denied)",
    re.MULTILINE,
)
_GUTTER = re.compile(r"^ *\d+(?:→|\t)", re.MULTILINE)
_VIEWED = re.compile(r"^Here's the result of running `cat -n` on [^\n]*:\n")
_LINK = re.compile(r"^l[rwx-]{9}\S* .{1,120} (\S{1,500}) -> (\S{1,1000})$", re.MULTILINE)
_RESET = re.compile(r"^Shell cwd was reset to (/[^\n]{0,4000})$", re.MULTILINE)
_NO_FOLDER = re.compile(r"\bcd: [^\n]{1,1000}: (?:No such file|Not a directory|Permission denied)|can't cd to")
_STOPPED = re.compile(
    r"^(?:Execution halted|Error (?:in |: )|ERROR: |Uncaught |    at .{1,500}:\d+:\d+\)?$|node:internal/)", re.MULTILINE
)
"""What R, Node and Julia print when a program ends before its time."""
_FOUND = re.compile(r"^([^\s:][^:\n]{0,400}\.\w{1,8})(?::\d+:|$)", re.MULTILINE)
_IMPORTED = re.compile(
    r"^[ \t]*(?:import[ \t]+([\w., \t]{1,500})|from[ \t]+([\w.]{1,200})[ \t]+import)|;[ \t]*import (\w+)", re.MULTILINE
)
_NAME = re.compile(r"[A-Za-z_][\w.]*")
_MOST_MODULES = 20
_SEVERAL = ("paths", "include", "file_paths")
"""What calls that read several files call them."""
_MOST_PATHS = 1000
_RUNS = re.compile(
    r"^(?P<inside>[ \t]*)(?:exec\(\s*(?:compile\(\s*)?open\(|(?:runpy\.)?run_path\()[rf]?['\"]?"
    r"(?P<path>[^'\"\s)]{1,500})",
    re.MULTILINE,
)
"""Where a program runs another one within itself."""
_CHDIR = re.compile(r"\bos\.chdir\(\s*[rf]?['\"]([^'\"\n]{1,500})['\"]\s*\)")


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a log's calls show: files read, as an estimate, and the answer in its file, where one was written."""

    accesses: Accesses
    answer: FinalAnswer | None
    written: dict[str, str]
    """The files that the agent wrote, by path, where the log shows their whole text."""


@dataclass(slots=True)
class _Answer:
    """The content of the answer's file as the log goes on."""

    text: str | None = None
    touched: bool = False


@dataclass(slots=True)
class _Follower:
    shell: Shell
    keeps_folder: bool
    names: frozenset[str]
    step: int = 0
    files: dict[Spot, FileAccess] = field(default_factory=dict)
    unresolved: int = 0
    answer: _Answer = field(default_factory=_Answer)
    programs: int = 0
    seconds: float = 0.0
    cells: list[str] = field(default_factory=list)
    depth: int = 0

    def follow(self, steps: Iterable[Step]) -> None:
        """Every call of every step, in order."""
        for step in steps:
            self.step = step.index
            for call in step.calls:
                self._call(call)

    def _call(self, call: Call) -> None:
        match call.kind:
            case "shell":
                self._shell(call)
            case "python":
                self._cell(call)
            case "read":
                self._read(call)
            case "search":
                self._search(call)
            case "write":
                if not call.is_error:
                    self._write(call.path, call.text)
            case "edit":
                if not call.is_error:
                    self._edit(call)

    def _shell(self, call: Call) -> None:
        if not self.keeps_folder or call.path:
            self.shell.cwd = self.shell.absolute(call.path, self.shell.start) if call.path else self.shell.start
        before = self.shell.cwd
        doings = self.shell.run(call.text)
        for patch in patches_in(call.text) if not call.is_error else ():
            self._patch(patch)
        if reset := _RESET.findall(call.output[-5000:]):
            self.shell.cwd = reset[-1]
        elif call.is_error and _NO_FOLDER.search(call.output[:5000]):
            self.shell.cwd = before
            doings.opened, doings.by_others = map(_unsure, (doings.opened, doings.by_others))
            doings.programs = [replace(run, sure=False) for run in doings.programs]
        self._links(call.output)
        self._take(doings, call)
        for place in doings.wrote:
            self._wrote(place)
        if doings.shows and not call.is_error:
            self._shown(doings.shows, call.output)
        self._programs(doings.programs, call)

    def _programs(self, runs: list[PythonRun], call: Call) -> None:
        """The programs of a command line; those behind one that failed were never run, if they stand behind `&&`."""
        broke = False
        for run in runs:
            stop = stop_of(call, run.name, run.code, alone=len(runs) == 1) if run.code else WHOLE
            if run.behind and not stop.frames and (call.is_error or call.exit_code):
                stop = NOTHING if broke else UNSURE if stop is WHOLE else stop
            broke = bool(stop.frames) or (broke and run.behind)
            self._program(run, call, stop)

    def _links(self, output: str) -> None:
        """Symbolic links that a listing shows: data often lie behind one."""
        for name, target in _LINK.findall(output)[:20]:
            if target.startswith("/"):
                self.shell.places.link(self.shell.absolute(name), target)

    def _program(self, run: PythonRun, call: Call, stop: Stop) -> None:
        self.programs += 1
        if run.code is None or self._spent() or len(run.code) > _LONGEST_PROGRAM:
            self.unresolved += 1
        else:
            self._code(run.code, run.cwd, call, stop if run.sure or stop is not WHOLE else UNSURE, run=run)
        self.shell.doings = Doings()
        for argument in run.arguments:
            self.shell.open(argument, run.cwd, certain=False)
        self._take(self.shell.doings, call)

    def _spent(self) -> bool:
        return self.programs > _MOST_PROGRAMS or self.seconds > _MOST_SECONDS

    def _surroundings(self, code: str, cwd: str, run: PythonRun | None) -> Surroundings:
        """What a program is run with; of the agent's own modules those that it may import."""
        modules = tuple(self._modules(code, cwd, {}).items())
        if run is None:
            return Surroundings(modules=modules)
        named = tuple((name, value) for name, value in run.environment if name in code)
        arguments = None if any(HOLE in word for word in run.arguments) else run.arguments
        return Surroundings(arguments, named, modules)

    def _modules(self, code: str, cwd: str, found: dict[str, str]) -> dict[str, str]:
        for parts in _IMPORTED.findall(code):
            for name in _NAME.findall(" ".join(parts)):
                text = self.shell.files.get(self.shell.absolute(f"{name.replace('.', '/')}.py", cwd))
                if text is not None and name not in found and len(found) < _MOST_MODULES:
                    found[name] = text
                    self._modules(text, cwd, found)
        return found

    def _code(self, code: str, cwd: str, call: Call, stop: Stop, skip: int = 0, run: PythonRun | None = None) -> None:
        """A program, whose first `skip` lines are those of cells that were counted before."""
        began = time.process_time()
        reading = _read(code, self._surroundings(code, cwd, run))
        self.seconds += time.process_time() - began
        self.unresolved += not reading.complete and not reading.error
        moved = _CHDIR.search(code)
        if moved:
            cwd = self.shell.absolute(moved.group(1), cwd)
        self.shell.doings = Doings()
        turns = turns_of(code) if any(read.glob for read in reading.reads) else ()
        uses = [
            (read, not read.conditional and (not read.glob or comes_to_each(read, turns, stop)))
            for read in reading.reads
        ]
        taken: set[tuple[int, ...]] = set()
        for read, sure in (*uses, *((read, False) for read in reading.optional)):
            ways = [way for way in read.ways if way[0] > skip]
            reached = [stop.reached(way, first=way not in taken) for way in ways]
            taken.update(ways)
            if not reached or set(reached) == {False}:
                continue
            if not self.shell.open(read.path, cwd, certain=sure and True in reached):
                for path in read.alternatives:
                    self.shell.open(path, cwd, certain=False)
        for path in reading.written:
            if "*" not in path and not (call.is_error and stop is not WHOLE):
                self.shell.write(path, None, cwd)
        done = self.shell.doings
        self._take(done, call)
        for path, words in literal_writes(code).items():
            self.shell.files.update({self.shell.absolute(path, cwd): words})
        for place in done.wrote:
            self._wrote(place)
        self._commands(code, cwd, call, stop, skip)
        self._inner_programs(code, cwd, call, stop)

    def _inner_programs(self, code: str, cwd: str, call: Call, stop: Stop) -> None:
        """Programs of the agent's own that a program runs within itself."""
        for found in _RUNS.finditer(code) if self.depth < _DEEPEST else ():
            text = self.shell.files.get(self.shell.absolute(found["path"], cwd))
            if text is not None:
                self.depth += 1
                run = PythonRun(text, cwd, name=posixpath.basename(found["path"]))
                self._program(run, call, WHOLE if stop is WHOLE and not found["inside"] else UNSURE)
                self.depth -= 1

    def _commands(self, code: str, cwd: str, call: Call, stop: Stop, skip: int) -> None:
        """What a program hands to a shell, each in one of its own; whether it comes that far is left open."""
        if self.depth >= _DEEPEST:
            return
        self.depth += 1
        here = self.shell.cwd, dict(self.shell.variables)
        for command in commands_of(code):
            reached = stop.reached((command.line,))
            if command.line > skip and reached is not False:
                self.shell.cwd = cwd
                doings, sure = self.shell.run(command.text), command.sure and reached is True
                if not sure:
                    doings.opened, doings.by_others = map(_unsure, (doings.opened, doings.by_others))
                self._take(doings, call)
                for place in doings.wrote:
                    self._wrote(place)
                for run in doings.programs:
                    self._program(run, call, WHOLE if sure else UNSURE)
        self.shell.cwd, self.shell.variables = here
        self.depth -= 1

    def _cell(self, call: Call) -> None:
        """Code in an interpreter that lives on: names of earlier cells still stand."""
        code, commands = in_shell(call.text)
        for command in commands:
            doings = self.shell.run(command)
            self._take(doings, call)
            for place in doings.wrote:
                self._wrote(place)
            for run in doings.programs:
                stop = stop_of(call, run.name, run.code, alone=not code.strip("# \n")) if run.code else WHOLE
                self._program(run, call, stop)
        self.programs += 1
        before = "".join(self.cells)
        if self._spent() or len(before) + len(code) > _LONGEST_PROGRAM:
            self.unresolved += 1
            return
        if not parses(code):
            return
        whole, skip = f"{before}{code}\n", before.count("\n")
        self._code(whole, self.shell.cwd, call, stop_of(call, "", whole, alone=True, skip=skip), skip=skip)
        self.cells.append(f"{code}\n")

    def _read(self, call: Call) -> None:
        given = mapping(parsed(call.text))
        several = [text(path) for name in _SEVERAL for path in items(given.get(name))] if not call.path else []
        if call.is_error or not (call.path or several):
            return
        self.shell.doings = Doings()
        for path in several[:_MOST_PATHS]:
            self.shell.open(path)
        if not call.path:
            self._take(self.shell.doings, call)
            return
        self.shell.open(call.path)
        self._take(self.shell.doings, call)
        self._shown(self.shell.absolute(call.path), _GUTTER.sub("", _VIEWED.sub("", call.output)))

    def _search(self, call: Call) -> None:
        """A search reads everything below its folder; without an index, at least the files that it names."""
        given = mapping(parsed(call.text))
        include = [text(given[name]) for name in ("glob", "include") if isinstance(given.get(name), str)]
        self.shell.doings = Doings()
        self.shell.open_below(call.path or ".", include, certain=False)
        if not self.shell.places.indexed:
            for path in _FOUND.findall(call.output)[:1000]:
                self.shell.open(path)
        self._take(self.shell.doings, call)

    def _edit(self, call: Call) -> None:
        given = parsed(call.text)
        told = mapping(given)
        patch = next((text(told[name]) for name in ("patch", "input") if name in told), call.text)
        if patch.lstrip().startswith("*** Begin Patch"):
            self._patch(patch)
        elif isinstance(given, list):
            for change in map(mapping, given):
                self._write(
                    text(change.get("path")), written(change, self._known(text(change.get("path")), weight(call.text)))
                )
        elif call.path:
            change = mapping(told.get(call.path))
            before = self._known(call.path, weight(call.text))
            self._write(call.path, written(change, before) if change else edited(before, told))
        else:
            for path, change in told.items():
                if isinstance(change, dict):
                    self._write(text(path), written(change, self._known(text(path), weight(call.text))))

    def _patch(self, patch: str) -> None:
        for path, words in patched(patch, lambda path: self._known(path, weight(patch))):
            self._write(path, words)

    def _known(self, path: str, changes: int = 1) -> str | None:
        """The text of a file as the log shows it so far; to change it costs like commands, so that it has an end."""
        text = self.shell.files.get(self.shell.absolute(path))
        self.shell.budget -= changes * len(text or "") // CHANGED_A_COMMAND
        return text if self.shell.budget > 0 else None

    def _write(self, path: str, words: str | None) -> None:
        if path:
            self.shell.doings = Doings()
            self.shell.write(path, words)
            self._wrote(self.shell.absolute(path))

    def _wrote(self, place: str) -> None:
        if posixpath.basename(place) in self.names:
            words = self.shell.files.get(place)
            self.answer = _Answer(None if words is not None and HOLE in words else words, touched=True)

    def _shown(self, place: str, output: str) -> None:
        if posixpath.basename(place) in self.names and (self.answer.text is None or not self.answer.text.strip()):
            self.answer = _Answer(output, touched=True)

    def _take(self, doings: Doings, call: Call) -> None:
        self.unresolved += doings.unresolved
        failed = bool(call.is_error or call.exit_code or (doings.by_others and _STOPPED.search(call.output)))
        every = [*doings.opened, *(_unsure(doings.by_others) if failed else doings.by_others)]
        missing = _missing(call) if every else frozenset()
        for opened in every:
            known = self.files.get(opened.spot)
            if known is not None and (known.certain or not opened.certain):
                continue
            if opened.spot.path.rsplit("/", 1)[-1] not in self.names and not _absent(opened.spot.path, missing):
                spot = opened.spot
                step = self.step if known is None else known.step
                self.files[spot] = FileAccess(path=spot.path, room=spot.room, step=step, certain=opened.certain)


def evidence(trajectory: Trajectory, places: Places, names: Iterable[str], *, keeps_folder: bool) -> Evidence:
    """What a trajectory's calls show. `names` are those of the answer's file, which is no data."""
    follower = _Follower(Shell(places, trajectory.cwd, trajectory.cwd), keeps_folder, frozenset(names))
    follower.follow(trajectory.steps)
    calls = any(step.calls for step in trajectory.steps)
    accesses: Accesses = Estimated(files=tuple(follower.files.values()), unresolved=follower.unresolved)
    answer = trajectory.answer
    if follower.answer.text is not None and follower.answer.text.strip():
        answer = FinalAnswer(text=follower.answer.text.strip("\r\n"), source="result_file")
    files = follower.shell.files.items()
    written = {path: words for path, words in files if words is not None and HOLE not in words}
    return Evidence(accesses if calls else NotMeasured(reason="the log shows no calls"), answer, written)


@lru_cache(maxsize=64)
def _read(code: str, given: Surroundings) -> Reading:
    """Agents run the same program again and again."""
    return read_program(code, given)


def _unsure(opened: list[Opened]) -> list[Opened]:
    return [replace(each, certain=False) for each in opened]


def _missing(call: Call) -> frozenset[str]:
    """The paths that a call says are not there, or may not be read."""
    return frozenset(one or two for one, two in _MISSING.findall(call.output[:20_000]))


def _absent(path: str, missing: frozenset[str]) -> bool:
    return any(name == path or path.endswith(f"/{name.lstrip('./')}") or name.endswith(f"/{path}") for name in missing)
