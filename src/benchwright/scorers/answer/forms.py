"""Answers in a container: JSON, code fences, Markdown tables and lists, written out as plain answers."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from benchwright.scorers.answer.phrases import year_first

ANSWER_KEYS = frozenset({"answer", "final_answer", "finalanswer", "final answer", "result", "prediction", "output"})


class Form(NamedTuple):
    """One way to write an answer out; `keyed` where it came as pairs whose order means nothing."""

    text: str
    keyed: bool = False


def forms(text: str) -> tuple[Form, ...]:
    """The text itself, and what its container holds, where it is one."""
    found = [Form(text)]
    if text[:1] in "[{" and (value := parse_json(text)) is not None:
        found += _from_json(value)
    elif "|" in text:
        found += _from_table(text)
    elif (items := _inline_items(text) or _list_items(text)) is not None:
        found.append(Form("\n".join(items)))
    found += [form._replace(text=year_first(form.text)) for form in found]
    return tuple(dict.fromkeys(found))


def parse_json(text: str) -> Any:
    """The JSON value of a text with its numbers as they are written, or None."""
    try:
        return json.loads(text, parse_float=_Literal, parse_int=_Literal, parse_constant=_Literal, strict=False)
    except (ValueError, RecursionError):
        return None


class _Literal(str):
    """A number as it is written in JSON."""

    __slots__ = ()


_RIVAL = re.compile(
    r"(?i)alternat|candidate|guess|backup|fallback|runner|^(?:options?|others?|second|maybe)$"
    r"|answers?[ _]?\d|(?:other|second|another|possible|first)[ _]?answer"
)


def answer_key(value: dict[str, Any]) -> str | None:
    """The one key under which a JSON object gives its answer; None where it has none, several, or rivals to it."""
    named = [key for key in value if key.strip().casefold() in ANSWER_KEYS]
    return named[0] if len(named) == 1 and not any(map(_RIVAL.search, value)) else None


def _from_json(value: Any) -> list[Form]:
    if isinstance(value, dict):
        key = answer_key(value)
        if key is not None:
            inner = value[key]
            return [Form(_flat(inner, "; ")), *(_from_json(inner) if isinstance(inner, dict | list) else [])]
        return [Form(pairs_text(value), keyed=True)]
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value):
        return [Form("; ".join(_flat(cell, ", ") for item in value for cell in item.values()))]
    return [Form(_flat(value, "; "))]


def pairs_text(value: dict[str, Any]) -> str:
    """`key: value` pairs, one part each."""
    return "; ".join(f"{key}: {_flat(item, ', ')}" for key, item in value.items())


def _flat(value: Any, joint: str, depth: int = 0) -> str:
    if depth > 20:
        return "..."
    if isinstance(value, dict):
        return joint.join(f"{key}: {_flat(item, ', ', depth + 1)}" for key, item in value.items())
    if isinstance(value, list):
        return joint.join(_flat(item, ", ", depth + 1) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)


_RULE = re.compile(r"^[|:\-+ ]*-{2,}[|:\-+ ]*$")


def _from_table(text: str) -> list[Form]:
    """A pipe table: pairs where it has two columns or one row of values, its cells in reading order otherwise."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    ruled = any(_RULE.match(line) for line in lines)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if not _RULE.match(line)]
    if len(rows) < 2 or len({len(row) for row in rows}) != 1:
        return []
    body = rows[1:] if ruled or not any(re.search(r"\d", cell) for cell in rows[0]) else rows
    found = [Form("; ".join(cell for row in body for cell in row))]
    if len(rows[0]) == 2:
        found += [Form("; ".join(f"{key}: {cell}" for key, cell in part), keyed=True) for part in (body, rows)]
    if len(body) == 1:
        found.append(Form("; ".join(f"{key}: {cell}" for key, cell in zip(rows[0], body[0], strict=True)), keyed=True))
    return found


_ITEM = re.compile(r"^(?:(\d{1,3})[.)]|[-*]) +(?=\S)")


_INLINE = re.compile(r"(?:^| )(\d{1,2})[.)] +(?=\S)")


def _inline_items(text: str) -> list[str] | None:
    """The items of a list numbered 1, 2, 3 on one line."""
    heads = list(_INLINE.finditer(text))
    if len(heads) < 2 or heads[0].start() or [head[1] for head in heads] != [str(n + 1) for n in range(len(heads))]:
        return None
    ends = [*(head.start() for head in heads[1:]), len(text)]
    return [text[head.end() : end].strip(" ,;") for head, end in zip(heads, ends, strict=True)]


def _list_items(text: str) -> list[str] | None:
    """The items of a list in which every line is bulleted, or numbered 1, 2, 3."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    heads = [_ITEM.match(line) for line in lines]
    if not all(heads) or (len(lines) == 1 and not lines[0][:1].isdigit()):
        return None
    numbers = [head[1] for head in heads if head]
    if any(numbers) and numbers != [str(place) for place in range(1, len(lines) + 1)]:
        return None
    return [line[head.end() :] for line, head in zip(lines, heads, strict=True) if head]
