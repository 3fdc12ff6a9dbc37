"""The words that agents are given: text files beside this one, rendered strictly, known by their digests."""

from __future__ import annotations

from pathlib import Path
from string import Template

from benchwright.errors import InputError
from benchwright.files import read_text, sha256
from benchwright.suite import Suite
from benchwright.task import OutputSpec, Task

_SHIPPED = Path(__file__).parent
_UNNAMED = "- the files that the question asks for, in /workspace"


class Prompts:
    """The shipped prompts; each replaced by the file of the same name in `folder` where there is one.

    `task` is a suite's own wording of a task; it replaces the shipped one, and the user's replaces both.
    """

    def __init__(self, folder: Path | None = None, task: Path | None = None) -> None:
        self.folder = folder
        self.paths = {path.stem: path for path in sorted(_SHIPPED.glob("*.txt"))}
        if task is not None:
            self.paths["task"] = task
        self.given: tuple[str, ...] = ()
        """The names of those that the user's folder gave."""
        if folder is not None:
            self._replace(folder)
        self._texts: dict[str, str] = {}

    def _replace(self, folder: Path) -> None:
        own = {path.stem: path for path in sorted(folder.glob("*.txt"))}
        if unknown := sorted(set(own) - set(self.paths)) or not own:
            raise InputError(
                f"no prompts that we know in {folder}",
                found=", ".join(f"{name}.txt" for name in own) or "no .txt file",
                expected=", ".join(f"{name}.txt" for name in self.paths),
                hint=f"unknown: {unknown}" if own else "",
            )
        self.paths |= own
        self.given = tuple(own)

    def of(self, suite: Suite) -> Prompts:
        """These prompts with the suite's own wording of a task, where it has one."""
        return Prompts(self.folder, suite.folder / suite.info.prompt) if suite.info.prompt else self

    def task(self, stated: Task, variant: str) -> str:
        """What the agent is asked. Names no data file: finding those is the task."""
        if variant and variant not in stated.variants:
            raise InputError(
                f"task {stated.id} has no variant {variant!r}",
                expected=", ".join(stated.variants) or "none: it has one wording",
            )
        return self.render(
            "task",
            question=stated.variants[variant] if variant else stated.question,
            guidelines=stated.guidelines or "Give the answer alone, as short as it can be.",
            data=_folders(stated),
            outputs=self._outputs(stated, named=variant not in stated.unnamed_outputs_in),
        )

    def _outputs(self, stated: Task, *, named: bool) -> str:
        """What to hand in, and the rule for charts where there are any: that says their names in any case."""
        lines = "\n".join(map(_output, stated.outputs)) if named else _UNNAMED
        charts = ", ".join(output.name for output in stated.outputs if output.kind == "chart")
        return f"{lines}\n\n{self.render('chart_rule', charts=charts)}" if charts else lines

    def text(self, name: str) -> str:
        """A prompt as it stands in its file."""
        if name not in self._texts:
            self._texts[name] = read_text(self.paths[name]).strip()
        return self._texts[name]

    def render(self, name: str, **values: str) -> str:
        """A prompt with its places filled: an error where places and values are not the same."""
        return fill(self.text(name), str(self.paths[name]), **values)

    def digests(self) -> dict[str, str]:
        """The SHA-256 of every prompt, for the run's record."""
        return {name: sha256(self.text(name)) for name in self.paths}


def fill(text: str, where: str, **values: str) -> str:
    """Fill `$places`; values are put in as they are, so that a `$` in a question stays one."""
    template = Template(text)
    places = set(template.get_identifiers())
    if not template.is_valid() or places != set(values):
        raise InputError(
            f"{where}: the places of this prompt are not those that it is given",
            found=", ".join(f"${name}" for name in sorted(places)) or "no places",
            expected=", ".join(f"${name}" for name in sorted(values)) + " (and $$ for a dollar sign)",
        )
    return template.substitute(values)


def _folders(task: Task) -> str:
    if not task.data:
        return "There are no data files."
    lines = [f"- {mount.target} ({'you may write there' if mount.writable else 'read-only'})" for mount in task.data]
    return "\n".join(["The data files are in:", *lines])


def _output(output: OutputSpec) -> str:
    description = f": {output.description}" if output.description else ""
    if output.kind == "answer":
        written = f"; it may also be written, alone, to /workspace/{output.file}" if output.file else ""
        return f"- the final answer{description or ', and nothing but the answer'}{written}"
    return f"- the file /workspace/{output.name}{description}"
