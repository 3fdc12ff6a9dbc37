"""What is wrong with a draft before anything is run: its files, columns, names, order, and what it imports."""

from __future__ import annotations

import ast
import builtins
import difflib
import re
import sys
from collections.abc import Collection, Iterator

from benchwright.generation.workflow import Draft, Material, Reason, Rejection, Step, Workflow
from benchwright.profiles.entries import FileProfile

Fault = tuple[Reason, str]

TOOLBOX = frozenset(
    "duckdb numpy pandas polars pyarrow matplotlib openpyxl scipy seaborn sklearn statsmodels tabulate".split()
)
"""The modules that a sandbox offers beside the standard library."""

_GIVEN = frozenset(dir(builtins)) | {"__name__"}
_DATA = re.compile(r"^/data/(?P<path>[^*?\[\]{}]*[^*?\[\]{}/])$")


def refused(draft: Draft, material: Material, skills: Collection[str]) -> Rejection | None:
    """The first fault of a draft, or None; `skills` are those that its steps may name."""
    for find in (_order, _codes, _files, _columns, _names, _final):
        for reason, detail in find(draft.workflow, material):
            return Rejection(draft=draft.name, reason=reason, detail=detail)
    unknown = [skill for skill in draft.workflow.skills if skill not in skills]
    return Rejection(draft=draft.name, reason="unknown_skill", detail=unknown[0]) if unknown else None


def _order(workflow: Workflow, _: Material) -> Iterator[Fault]:
    """Steps come after those that they depend on, so there is no cycle."""
    if not workflow.steps:
        yield "not_one_output", "no step"
    before: set[str] = set()
    for step in workflow.steps:
        if step.id in before:
            yield "cycle", f"{step.id} is there twice"
        for other in step.depends_on:
            if other not in before:
                yield "cycle", f"{step.id} depends on {other}, which does not come before it"
        before.add(step.id)


def _codes(workflow: Workflow, _: Material) -> Iterator[Fault]:
    for step in workflow.steps:
        for code in _codes_of(step):
            try:
                tree = ast.parse(code)
            except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
                yield "does_not_parse", f"{step.id}: {error}"
                continue
            for module in sorted(_imported(tree) - TOOLBOX - sys.stdlib_module_names):
                yield "module_not_in_toolbox", f"{step.id}: {module}"


def _codes_of(step: Step) -> tuple[str, ...]:
    return (step.code,) if step.without is None else (step.code, step.without)


def _imported(tree: ast.Module) -> set[str]:
    """The first parts of imported modules' names; a relative import is the module "."."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {name.name.partition(".")[0] for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            found.add("." if node.level else (node.module or ".").partition(".")[0])
    return found


def _files(workflow: Workflow, material: Material) -> Iterator[Fault]:
    """Files that a step says it reads, or names whole in its code, are the room's; named ones are said to be read."""
    known, said = set(material.files), set(workflow.reads)
    for step in workflow.steps:
        for path in (*step.reads, *step.columns, *_named(step.code)):
            if path not in known:
                yield "unknown_file", f"{step.id}: {path}{_nearest(path, known)}"
            elif path not in said:
                yield "unknown_file", f"{step.id}: {path} is used, and not said to be read"


def _nearest(path: str, known: Collection[str]) -> str:
    """What a writer that may try again has to know: a file is named whole, with its folder and its suffix."""
    near = difflib.get_close_matches(path[:200], known, 1, 0.5)
    return f" is no file of the room; {near[0]} is" if near else " is no file of the room"


def _named(code: str) -> list[str]:
    """Texts of the code that are paths of single files under /data (a folder's or a pattern's path is none)."""
    texts = [node.value for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Constant)]
    found = [match["path"] for text in texts if isinstance(text, str) and (match := _DATA.match(text))]
    return [path for path in found if "." in path.rpartition("/")[2]]


def _columns(workflow: Workflow, material: Material) -> Iterator[Fault]:
    for step in workflow.steps:
        for path, columns in step.columns.items():
            known = columns_of(material.files[path])
            for column in columns:
                if known and column not in known:
                    yield "unknown_column", f"{step.id}: {path}: {column}"


def columns_of(profile: FileProfile) -> frozenset[str]:
    """The columns of all tables of a file, of those in an archive too; empty where the profile knows none."""
    own = {column.name for table in profile.tables for column in table.columns}
    return frozenset(own).union(*map(columns_of, profile.inner))


def _names(workflow: Workflow, _: Material) -> Iterator[Fault]:
    """Inputs are outputs of steps that a step depends on, and its code uses no name that nobody defines."""
    before: dict[str, Step] = {}
    imported: set[str] = set()
    for step in workflow.steps:
        seed = {"SEED"} if step.random else set[str]()
        given = {name for other in _all_before(step, before) for name in other.outputs}
        for name in step.inputs:
            if name not in given:
                yield "undefined_input", f"{step.id}: {name} is no output of a step that it depends on"
        for code in _codes_of(step):
            tree = ast.parse(code)
            bound, used = _bound(tree), _used(tree)
            for name in sorted(used - bound - set(step.inputs) - imported - seed - _GIVEN):
                yield "undefined_input", f"{step.id}: {name} is used, and neither defined nor an input"
            for name in sorted(set(step.outputs) - bound - set(step.inputs)):
                yield "undefined_input", f"{step.id}: {name} is called an output, and not defined"
        imported |= _import_names(ast.parse(step.code))
        before[step.id] = step


def _all_before(step: Step, before: dict[str, Step]) -> Iterator[Step]:
    """The steps that this one depends on, and those that they depend on."""
    open_, seen = list(step.depends_on), set[str]()
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            yield before[name]
            open_ += before[name].depends_on


def _used(tree: ast.Module) -> set[str]:
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _bound(tree: ast.Module) -> set[str]:
    """Every name that the code defines anywhere: scopes are not told apart, so that nothing right is refused."""
    found = _import_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
        elif isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            found.add(node.name)
    return found


def _import_names(tree: ast.Module) -> set[str]:
    nodes = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    return {name.asname or name.name.partition(".")[0] for node in nodes for name in node.names}


def _final(workflow: Workflow, _: Material) -> Iterator[Fault]:
    """Nothing but the last step is left unused."""
    used = {other for step in workflow.steps for other in step.depends_on}
    loose = [step.id for step in workflow.steps[:-1] if step.id not in used]
    if loose:
        yield "not_one_output", f"no step depends on {', '.join(loose)}"
