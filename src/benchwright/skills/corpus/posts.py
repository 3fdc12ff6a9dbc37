"""Stack Exchange's dumps: `Posts.xml` as a stream, of which only wanted questions are kept, on disk."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from xml.parsers import expat

from benchwright.closing import Closing
from benchwright.errors import InputError
from benchwright.skills.corpus.base import (
    EMPTY,
    LONG,
    MOST_CHARACTERS,
    ORPHANED,
    UNREADABLE,
    UNTAGGED,
    Found,
    Refused,
    Wanted,
    cleaned,
)
from benchwright.skills.corpus.html import plain
from benchwright.skills.steps import Solution

_CHUNK = 1 << 20
_MOST_ROW = 1 << 25
"""Bytes in which a row has to end; posts are at most some 200 KB, and one that is larger is to cost no other."""
_QUESTION, _ANSWER = "1", "2"
_WHOLE = re.compile(r"-?[0-9]{1,18}")
_TAG = re.compile(r"[^<>|\s]+")
_FORM = "<posts><row Id=... PostTypeId=... .../></posts>, as Stack Exchange publishes it"


def read_posts(path: Path, wanted: Wanted) -> Found:
    """The answers of a dump with their questions: two passes, since an answer may come before its question.

    Memory is bounded: a row at a time, and wanted questions in a temporary file. Errors: InputError where the file is
    no such dump, is cut off, or declares entities, which no dump does and which can blow up.
    """
    with _Questions() as questions:
        for row in _rows(path):
            if row.get("PostTypeId") == _QUESTION and wanted.tagged(_TAG.findall(row.get("Tags", ""))):
                questions.keep(row)
        for row in _rows(path):
            if row.get("PostTypeId") == _ANSWER:
                yield _answer(row, questions, wanted, path)


def _answer(row: Mapping[str, str], questions: _Questions, wanted: Wanted, path: Path) -> Solution | Refused:
    where = f"{path.name}, post {row.get('Id', '?')}"
    try:
        number, parent, score = _number(row["Id"]), _number(row["ParentId"]), _number(row.get("Score", "0"))
    except (KeyError, ValueError) as error:
        return Refused(where, UNREADABLE, f"{type(error).__name__}: {error}")
    question = questions.get(parent)
    if question is None:
        return Refused(where, UNTAGGED if wanted.tags else ORPHANED)
    if refusal := wanted.refusal(None, score, question.accepted == number):
        return Refused(where, refusal)
    post = Post(
        question=parent,
        answer=number,
        title=question.title,
        question_html=question.body,
        answer_html=row.get("Body", ""),
        tags=tuple(_TAG.findall(question.tags)),
        score=score,
        accepted=question.accepted == number,
        licence=row.get("ContentLicense", ""),
        author=row.get("OwnerDisplayName") or (f"user {row['OwnerUserId']}" if row.get("OwnerUserId") else ""),
    )
    return post.solution(wanted, where)


@dataclass(frozen=True, slots=True)
class Post:
    """One answer with its question, as dumps and exports tell it: bodies are HTML, the title is text."""

    question: int
    answer: int
    title: str
    question_html: str
    answer_html: str
    tags: tuple[str, ...] = ()
    score: int | None = None
    accepted: bool = False
    licence: str = ""
    author: str = ""

    def solution(self, wanted: Wanted, where: str) -> Solution | Refused:
        """The record of it."""
        if max(len(self.question_html), len(self.answer_html)) > MOST_CHARACTERS:
            return Refused(where, LONG, f"more than {MOST_CHARACTERS:,} characters")
        asked, told = plain(self.question_html), plain(self.answer_html)
        if not told.text:
            return Refused(where, EMPTY)
        return Solution(
            id=wanted.post_id(self.question, self.answer),
            source=wanted.site,
            question=f"{cleaned(self.title).strip()}\n\n{asked.text}".strip(),
            answer=told.text,
            code="\n\n".join(told.blocks),
            tags=self.tags,
            score=self.score,
            accepted=self.accepted,
            licence=self.licence,
            author=self.author,
            url=f"https://{wanted.site}/a/{self.answer}",
        )


@dataclass(frozen=True, slots=True)
class _Question:
    title: str
    body: str
    tags: str
    accepted: int | None


class _Questions(Closing):
    """Questions by number, in a temporary file of SQLite's that goes when it is closed."""

    def __init__(self) -> None:
        self._sqlite = sqlite3.connect("", isolation_level=None)
        self._sqlite.execute("CREATE TABLE questions (id INTEGER PRIMARY KEY, title, body, tags, accepted)")
        self._sqlite.execute("BEGIN")

    def close(self) -> None:
        """Give up what is held. Idempotent."""
        self._sqlite.close()

    def keep(self, row: Mapping[str, str]) -> None:
        try:
            number = _number(row["Id"])
            accepted = _number(row["AcceptedAnswerId"]) if "AcceptedAnswerId" in row else None
        except (KeyError, ValueError):
            return  # its answers are then refused for want of a question
        values = (number, row.get("Title", ""), row.get("Body", ""), row.get("Tags", ""), accepted)
        self._sqlite.execute("INSERT OR REPLACE INTO questions VALUES (?, ?, ?, ?, ?)", values)

    def get(self, number: int) -> _Question | None:
        row = self._sqlite.execute("SELECT title, body, tags, accepted FROM questions WHERE id = ?", (number,))
        found = row.fetchone()
        return None if found is None else _Question(*found)


def _number(text: str) -> int:
    """A number of a post or a score, as SQLite can hold it."""
    if not _WHOLE.fullmatch(text):
        raise ValueError(f"not a number of a post: {text[:40]!r}")
    return int(text)


@dataclass(slots=True)
class _Reader:
    """The rows of one piece of a file, and how far the last one ended."""

    rows: list[dict[str, str]] = field(default_factory=list)
    seen: int = 0

    def element(self, name: str, attributes: dict[str, str]) -> None:
        if name == "row":
            self.rows.append(attributes)
            self.seen += 1

    @staticmethod
    def refuse(*_: Any) -> None:
        raise InputError("a dump of posts with a document type", expected="no DOCTYPE and no entities, which blow up")


def _rows(path: Path) -> Iterator[dict[str, str]]:
    reader, parser = _Reader(), expat.ParserCreate()
    parser.StartElementHandler = reader.element
    parser.StartDoctypeDeclHandler = reader.refuse
    read, ended = 0, 0
    try:
        with path.open("rb") as stream:
            while chunk := stream.read(_CHUNK):
                read += len(chunk)
                parser.Parse(chunk)
                ended = read if reader.rows else ended
                if read - ended > _MOST_ROW:
                    raise InputError(f"{path}: {_MOST_ROW:,} bytes without a row", expected=_FORM)
                yield from reader.rows
                reader.rows.clear()
        parser.Parse(b"", True)
    except OSError as error:
        raise InputError(f"cannot read {path}", found=error.strerror or str(error)) from error
    except (ValueError, LookupError) as error:  # what the parser raises on encodings that it does not know
        raise InputError(
            f"{path}: cannot be decoded", found=str(error), expected="UTF-8, as Stack Exchange writes it"
        ) from error
    except expat.ExpatError as error:
        hint = "a download that was cut off ends like this: fetch it again"
        raise InputError(f"{path}: not well-formed XML", found=str(error), expected=_FORM, hint=hint) from error
    if not reader.seen:
        raise InputError(f"{path}: no posts", expected=_FORM)
