"""Which programs can be agents: the pinned ones, and those that users describe in a file of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final, Literal

from pydantic import Field

from benchwright.errors import InputError
from benchwright.files import Record, canonical_json, read_toml, sha256
from benchwright.live.agents import harness
from benchwright.live.agents.harness import Harness
from benchwright.sandbox import programs
from benchwright.sandbox.programs import Installed

ABOUT: Final = {
    "claude_code": "Claude Code, in the sandbox, its model over the bridge",
    "codex": "Codex, in the sandbox, its model over the bridge",
    "mini_swe_agent": "mini-swe-agent, in the sandbox, its model over the bridge",
    "openhands": "OpenHands, in the sandbox, its model over the bridge",
}
COMMAND: Final = "command"
_AT: Final = f"{COMMAND}@"

_CODEX: Final = "node_modules/@openai"


class AgentDescription(Record):
    """A program as its user describes it.

    `argv`, the values of `environment`, and `files` (settings by their path inside) may hold {prompt}, {prompt_file},
    {workspace}, {model_base_url}, {model}, and {here}, the folder of the description. `folders` are shown read-only, at
    their own paths; relative ones lie beside the description. `log` is the file inside that tells what the program did;
    empty: its output.
    """

    name: str = Field(default=COMMAND, pattern=r"^[a-z][a-z0-9_]{0,63}$")
    version: str = ""
    argv: tuple[str, ...] = Field(min_length=1)
    environment: dict[str, str] = Field(default_factory=dict)
    files: dict[str, str] = Field(default_factory=dict)
    folders: tuple[str, ...] = ()
    log: str = ""
    answer: Literal["file or output", "file"] = "file or output"
    """Whether what the program prints is the answer where it leaves no `result.txt`."""
    task_on_stdin: bool = False


def is_program(name: str) -> bool:
    """Whether an agent is a program in the sandbox."""
    return name in ABOUT or name == COMMAND or name.startswith(_AT)


def harness_of(name: str) -> Harness:
    """How an agent of that name is started.

    Errors: EnvironmentFault where it is not installed; InputError where a description is wrong.
    """
    return _MAKERS[name](programs.need(name)) if name in ABOUT else _described(name)


def folders_of(name: str) -> tuple[Path, ...]:
    """The host folders that an agent needs to see; none for agents that are no programs."""
    if name in ABOUT:
        return programs.need(name).shown
    return _described(name).folders if is_program(name) else ()


def versions_of(name: str) -> Mapping[str, str]:
    """What a run with this agent stands on besides ourselves: the program's version, or its description's digest."""
    if name in ABOUT:
        return {name: programs.need(name).title}
    return {name: _described(name).version} if is_program(name) else {}


def _claude_code(found: Installed) -> Harness:
    assert found.node is not None
    return harness.claude_code(found.root, found.node, found.version)


def _codex(found: Installed) -> Harness:
    """Codex is native: npm brings the package of this machine's kind, and no Node.js is needed to start it."""
    native = sorted((found.root / _CODEX).glob("codex-linux-*/vendor/*/bin/codex"))
    if not native:
        raise InputError(f"there is no Codex for this kind of machine in {found.root}")
    return harness.codex(native[0], found.version)


_MAKERS: Final[Mapping[str, Callable[[Installed], Harness]]] = {
    "claude_code": _claude_code,
    "codex": _codex,
    "mini_swe_agent": lambda found: harness.mini_swe_agent(found.root, found.version),
    "openhands": lambda found: harness.openhands(found.root, found.version),
}


def _described(name: str) -> Harness:
    path = Path(name.removeprefix(_AT))
    if name == COMMAND or not path.is_file():
        raise InputError(
            "agent command needs a description of the program",
            found=name,
            expected="command@FILE.toml with argv = [...]",
            hint="see docs/command-line-agents.md",
        )
    given = AgentDescription.from_json(read_toml(path), str(path))
    folders = tuple((path.parent / folder).resolve() for folder in given.folders)
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise InputError(f"{path}: a folder of the program is not there", found=str(missing[0]))
    digest = sha256(canonical_json(given.model_dump(mode="json")))[:12]
    here = str(path.parent.resolve())
    return Harness(
        name=given.name,
        version=f"{given.version} {digest}".strip(),
        argv=tuple(word.replace("{here}", here) for word in given.argv),
        environment={name: text.replace("{here}", here) for name, text in given.environment.items()},
        files={place: text.replace("{here}", here) for place, text in given.files.items()},
        folders=folders,
        log=given.log or harness.STDOUT,
        task_on_stdin=given.task_on_stdin,
        prints_answer=given.answer != "file",
    )
