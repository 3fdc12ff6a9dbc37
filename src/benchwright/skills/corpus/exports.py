"""Exports of solutions as JSON or JSON Lines: posts as published, the API's answers, pairs, and corpora of ours."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from math import isnan
from pathlib import Path
from typing import Annotated, Any

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from benchwright.files import read_json, scan_jsonl
from benchwright.skills.corpus.base import (
    EMPTY,
    LONG,
    MOST_CHARACTERS,
    UNREADABLE,
    Found,
    Refused,
    Wanted,
    cleaned,
    content_id,
    fenced_code,
)
from benchwright.skills.corpus.posts import Post
from benchwright.skills.steps import Solution

FORMS = (
    '{"id", "answer_id", "question_title", "question_body", "answer_body"} as published, '
    '{"question_id", "title", "body", "tags", "answers": [{"answer_id", "body", "score", "is_accepted"}]} of the API, '
    '{"question", "solution" (or "answer") or "code"}, or a corpus of ours'
)
_WHOLE_QUESTIONS = "questions with their answers and bodies, by a filter of the API that includes both"

_TAG = re.compile(r"[^<>|,;\s]+")


class _Form(BaseModel):
    """What is read of a row; further keys are passed over, and so are those of which nothing is told."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    @model_validator(mode="before")
    @classmethod
    def _told(cls, value: Any) -> Any:
        """Without nulls, and the NaN that data frames write for them."""
        if not isinstance(value, Mapping):
            return value
        return {
            key: each for key, each in value.items() if not (each is None or (isinstance(each, float) and isnan(each)))
        }


def _listed(value: Any) -> Any:
    """Tags as one text, as some exports write them: `<a><b>`, `|a|b|`, `a|b` or `a,b`."""
    return tuple(_TAG.findall(value)) if isinstance(value, str) else value


Tags = Annotated[tuple[str, ...] | None, BeforeValidator(_listed)]


class _Told(_Form):
    """What a row may tell of its quality and its source; None: not told."""

    tags: Tags = None
    score: int | None = None
    accepted: bool | None = None
    licence: str = ""
    author: str = ""


class _Published(_Told):
    id: int
    answer_id: int
    question_title: str = ""
    question_body: str
    answer_body: str


class _Person(_Form):
    display_name: str = ""


class _ApiAnswer(_Form):
    answer_id: int
    body: str
    score: int | None = None
    is_accepted: bool | None = None
    content_license: str = ""
    owner: _Person = _Person()


class _ApiQuestion(_Form):
    question_id: int
    title: str = ""
    body: str = ""
    tags: Tags = None
    accepted_answer_id: int | None = None
    answer_id: int | None = None
    answer_count: int = 0
    answers: tuple[Any, ...] = ()


class _Pair(_Told):
    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: str = ""
    question: str
    solution: str = Field(default="", validation_alias=AliasChoices("solution", "answer"))
    code: str = ""
    language: str = Field(default="", pattern=r"^[\w+#-]{0,20}$")
    url: str = ""


def read_lines(path: Path, wanted: Wanted) -> Found:
    """The solutions of a JSON Lines file; a bad line is refused and loses no other."""
    for number, value, error in scan_jsonl(path):
        where = f"{path.name}, line {number}"
        if error:
            yield Refused(where, UNREADABLE, error)
            continue
        for row in _rows(value):
            yield from _row(row, wanted, where)


def read_document(path: Path, wanted: Wanted) -> Found:
    """The solutions of a JSON file: a row or a list of them, or the API's `{"items": [...]}`, one page or several."""
    document = read_json(path)
    pages = document if isinstance(document, list) else [document]
    for number, value in enumerate((row for page in pages for row in _rows(page)), start=1):
        yield from _row(value, wanted, f"{path.name}, row {number}")


def _rows(value: Any) -> list[Any]:
    """The rows of one page as the API serves it; any other value is a row itself."""
    items = value.get("items") if isinstance(value, Mapping) else None
    return items if isinstance(items, list) else [value]


def _row(value: Any, wanted: Wanted, where: str) -> Found:
    if not isinstance(value, Mapping):
        yield Refused(where, UNREADABLE, f"a {type(value).__name__}; expected {FORMS}")
        return
    try:
        if "answer_body" in value:
            yield _published(_Published.model_validate(value), wanted, where)
        elif "question_id" in value:
            yield from _of_api(_ApiQuestion.model_validate(value), wanted, where)
        elif "source" in value and "answer" in value:
            yield _ours(Solution.model_validate(value), where)
        else:
            yield _pair(_Pair.model_validate(value), wanted, where)
    except ValidationError as error:
        yield Refused(where, UNREADABLE, f"{_wrong(error)}; expected {FORMS}")


def _wrong(error: ValidationError) -> str:
    first = error.errors()[0]
    return f"{'.'.join(map(str, first['loc']))}: {first['msg']}"


def _ours(solution: Solution, where: str) -> Solution | Refused:
    """A solution of a corpus of ours, which anybody may have written."""
    texts = {name: cleaned(getattr(solution, name)) for name in ("question", "answer", "code")}
    if max(map(len, texts.values())) > 2 * MOST_CHARACTERS:
        return Refused(where, LONG, f"more than {2 * MOST_CHARACTERS:,} characters")
    return solution.model_copy(update=texts) if texts["answer"] or texts["code"] else Refused(where, EMPTY)


def _published(row: _Published, wanted: Wanted, where: str) -> Solution | Refused:
    if refusal := wanted.refusal(row.tags, row.score, row.accepted):
        return Refused(where, refusal)
    post = Post(
        question=row.id,
        answer=row.answer_id,
        title=row.question_title,
        question_html=row.question_body,
        answer_html=row.answer_body,
        tags=row.tags or (),
        score=row.score,
        accepted=bool(row.accepted),
        licence=row.licence,
        author=row.author,
    )
    return post.solution(wanted, where)


def _of_api(row: _ApiQuestion, wanted: Wanted, where: str) -> Iterator[Solution | Refused]:
    """The answers of a question; a bad one loses no other."""
    if row.answer_id is not None and not row.answers:
        yield Refused(where, UNREADABLE, f"an answer without its question; expected {_WHOLE_QUESTIONS}")
    elif row.answer_count and not row.answers:
        yield Refused(where, UNREADABLE, f"a question without its answers; expected {_WHOLE_QUESTIONS}")
    elif not row.answers:
        yield Refused(where, EMPTY, "a question without answers")
    for number, value in enumerate(row.answers, start=1):
        try:
            yield _answer(row, _ApiAnswer.model_validate(value), wanted, where)
        except ValidationError as error:
            yield Refused(f"{where}, its answer {number}", UNREADABLE, f"{_wrong(error)}; expected {FORMS}")


def _answer(row: _ApiQuestion, answer: _ApiAnswer, wanted: Wanted, where: str) -> Solution | Refused:
    accepted = answer.is_accepted
    if accepted is None and row.accepted_answer_id is not None:
        accepted = row.accepted_answer_id == answer.answer_id
    here = f"{where}, answer {answer.answer_id}"
    if refusal := wanted.refusal(row.tags, answer.score, accepted):
        return Refused(here, refusal)
    post = Post(
        question=row.question_id,
        answer=answer.answer_id,
        title=html.unescape(row.title),
        question_html=row.body,
        answer_html=answer.body,
        tags=row.tags or (),
        score=answer.score,
        accepted=bool(accepted),
        licence=answer.content_license,
        author=html.unescape(answer.owner.display_name),
    )
    return post.solution(wanted, here)


def _pair(row: _Pair, wanted: Wanted, where: str) -> Solution | Refused:
    if refusal := wanted.refusal(row.tags, row.score, row.accepted):
        return Refused(where, refusal)
    if max(len(row.question), len(row.solution), len(row.code)) > MOST_CHARACTERS:
        return Refused(where, LONG, f"more than {MOST_CHARACTERS:,} characters")
    question, told, code = (cleaned(text).strip() for text in (row.question, row.solution, row.code))
    if not (told or code):
        return Refused(where, EMPTY)
    parts = (told, fenced_code(code, row.language) if code else "")
    return Solution(
        id=row.id or content_id("pair", question, told, code),
        source="pair",
        question=question,
        answer="\n\n".join(part for part in parts if part),
        code=code,
        tags=row.tags or (),
        score=row.score,
        accepted=bool(row.accepted),
        licence=row.licence,
        author=row.author,
        url=row.url,
    )
