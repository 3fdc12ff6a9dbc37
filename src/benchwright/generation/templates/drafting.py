"""From what a template says to a draft: dependencies, names and columns are read out of the code itself."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from benchwright.generation.templates.tables import Source
from benchwright.generation.workflow import Draft, Step, Workflow
from benchwright.gold import Check
from benchwright.task import OutputSpec

RESULT = "result.csv"

_IMPORTS = {
    "pd": "import pandas as pd",
    "np": "import numpy as np",
    "json": "import json",
    "re": "import re",
    "glob": "import glob",
    "math": "import math",
    "sqlite3": "import sqlite3",
    "difflib": "import difflib",
    "itertools": "import itertools",
    "stats": "from scipy import stats",
    "signal": "from scipy import signal",
    "sm": "import statsmodels.api as sm",
}


@dataclass(frozen=True, slots=True)
class Move:
    """One step as a template writes it: `skills` are names that fit it equally well, of which the rarest is taken."""

    skills: tuple[str, ...]
    does: str
    code: str
    without: str | None = None
    random: bool = False


@dataclass(frozen=True, slots=True)
class Answer:
    """What is handed in, and how it is checked. `table` are the columns of a result file; empty: an answer."""

    guidelines: str
    options: dict[str, Any] = field(default_factory=dict)
    table: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sketch:
    """A task as a template makes it."""

    sources: tuple[Source, ...]
    question: str
    moves: tuple[Move, ...]
    answer: Answer


def number(decimals: int, what: str = "") -> Answer:
    """One number, rounded."""
    of = f" ({what})" if what else ""
    return answer(f"Answer with one number{of}{rounded(decimals)}.", decimals)


def named(what: str, decimals: int, value: str = "value") -> Answer:
    """A name as the data write it, and a number."""
    form = f"Answer as: {what}; {value}. Write the {what} as in the data, the {value}{rounded(decimals)}."
    return answer(form, decimals)


def numbers(*parts: str, decimals: int) -> Answer:
    """Several numbers in order."""
    return answer(f"Answer as: {'; '.join(parts)}. Each number{rounded(decimals)}.", decimals)


def names(count_: int, what: str) -> Answer:
    """Names in a stated order."""
    return Answer(f"Answer with {count_} {what}, written as in the data, in the order asked for, separated by '; '.")


def answer(guidelines: str, decimals: int) -> Answer:
    """What these guidelines ask for. One unit of the last decimal is granted: halves are rounded either way."""
    return Answer(guidelines, {"absolute": _unit(decimals)})


def explained(method: str, what: Answer) -> Answer:
    """An answer whose guidelines say first how it is to be found, so that the question can be short."""
    return replace(what, guidelines=f"{method} {what.guidelines}")


def result(columns: Sequence[str], decimals: int, key: Sequence[str], *, order: str = "any") -> Answer:
    """A csv file with these columns; `key` are those that name a row."""
    text = f"{RESULT} has the columns {', '.join(columns)}, in this order. Numbers{rounded(decimals)}."
    options = {"columns": list(columns), "key": list(key), "order": order, "absolute": _unit(decimals)}
    return Answer(text, options, tuple(columns))


def _unit(decimals: int) -> float:
    return float(f"1e-{decimals}")


def rounded(decimals: int) -> str:
    """How guidelines say it."""
    return f" rounded to {decimals} decimals" if decimals != 1 else " rounded to 1 decimal"


Choose = Callable[[tuple[str, ...]], str]


def drafted(sketch: Sketch, template: str, room: str, key: str, choose: Choose, domain: str = "") -> Draft:
    """The draft of a sketch; `choose` takes one of the skills that a step may be said to show."""
    table = bool(sketch.answer.table)
    name = RESULT if table else "answer.txt"
    output = OutputSpec(kind="table" if table else "answer", name=name)
    check = Check(scorer="table" if table else "answer", output=name, options=sketch.answer.options)
    return Draft(
        name=f"{template}-{key}",
        writer=f"template:{template}",
        room=room,
        question=f"{sketch.question} Write the table to {RESULT}." if table else sketch.question,
        guidelines=sketch.answer.guidelines,
        outputs=(output,),
        checks=(check,),
        workflow=Workflow(steps=_steps(sketch, choose)),
        domain=domain,
    )


def _steps(sketch: Sketch, choose: Choose) -> tuple[Step, ...]:
    needed = _imports("\n".join(f"{move.code}\n{move.without or ''}" for move in sketch.moves))
    made: dict[str, str] = {}
    steps: list[Step] = []
    for number_, move in enumerate(sketch.moves, 1):
        head = "" if steps else needed
        code, without = head + _dedent(move.code), None if move.without is None else head + _dedent(move.without)
        used, defined = _used(f"{code}\n{without or ''}"), _defined(code)
        if without is not None:
            defined &= _defined(without)
        inputs = tuple(name for name in made if name in used)
        step = Step(
            id=f"s{number_}",
            skill=choose(move.skills),
            description=move.does,
            code=code,
            without=without,
            inputs=inputs,
            outputs=tuple(sorted(defined)),
            depends_on=tuple(sorted({made[name] for name in inputs})),
            reads=_reads(sketch.sources, code),
            columns=_columns(sketch.sources, code),
            random=move.random,
        )
        made |= dict.fromkeys(sorted(defined), step.id)
        steps.append(step)
    return tuple(steps)


def _dedent(code: str) -> str:
    return code.strip("\n") + "\n"


def _imports(code: str) -> str:
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    return "".join(f"{line}\n" for name, line in _IMPORTS.items() if name in used)


def _used(code: str) -> set[str]:
    return {n.id for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def _defined(code: str) -> set[str]:
    """Names that code binds at its top, or puts something into."""
    return {name for statement in ast.parse(code).body for name in _bound(statement)}


def _bound(statement: ast.stmt) -> set[str]:
    if isinstance(statement, ast.FunctionDef):
        return {statement.name}
    if isinstance(statement, ast.With | ast.For):
        return {name for inner in statement.body for name in _bound(inner)}
    if not isinstance(statement, ast.Assign | ast.AugAssign):
        return set()
    targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
    return {name for target in targets for name in _targets(target)}


def _targets(target: ast.expr) -> set[str]:
    if isinstance(target, ast.Tuple):
        return {name for each in target.elts for name in _targets(each)}
    while isinstance(target, ast.Subscript | ast.Attribute):
        target = target.value
    return {target.id} if isinstance(target, ast.Name) else set()


def _reads(sources: Sequence[Source], code: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(source.path for source in sources if source.literal in code))


def _columns(sources: Sequence[Source], code: str) -> dict[str, tuple[str, ...]]:
    """By file, the columns whose names stand in the code as texts."""
    texts = {n.value for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    found: dict[str, tuple[str, ...]] = {}
    for source in sources:
        own = tuple(column.name for column in source.table.columns if column.name in texts)
        if own:
            found[source.path] = tuple(dict.fromkeys((*found.get(source.path, ()), *own)))
    return found


def key_of(text: str) -> str:
    """A short part of a draft's name: letters, digits and dashes."""
    return re.sub(r"[^A-Za-z0-9]+", "-", text).strip("-").lower()[:60] or "data"
