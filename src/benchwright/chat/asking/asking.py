"""Asking: several questions at a time, complaints fed back, a budget kept, and only what is missing asked."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Generic, TypeVar, cast

from pydantic import ValidationError

from benchwright.chat.asking.ledger import Asked, Ledger, Spending
from benchwright.chat.base import ChatModel, Message, Reply
from benchwright.chat.replies import objects
from benchwright.errors import BenchwrightError, Broken, Fault, InputError
from benchwright.files import Record, canonical_json, sha256
from benchwright.prices import prices
from benchwright.trajectory import Usage

F = TypeVar("F", bound=Record)
_SHOWN = 4_000
"""How much of a rejected reply the model is shown again."""
_MOST_COMPLAINT = 1_500
NO_REPLY = "no reply"
"""What the reason of a question begins with whose last call failed."""


def _no_complaint(_: Any) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Question(Generic[F]):
    """One question: `key` is its name within the stage, `form` what the answer has to be.

    `check` says what is wrong with an answer (empty: nothing), which is fed back to the model. `rule` names the check's
    settings: an answer that was accepted by other ones is asked for again.
    """

    key: str
    messages: tuple[Message, ...]
    form: type[F]
    check: Callable[[F], str] = _no_complaint
    rule: str = ""

    def digest(self, model: str) -> str:
        """What an answer depends on, hashed: the model, the messages, the form and the rule."""
        texts = [[message.role, message.text, [str(path) for path in message.pictures]] for message in self.messages]
        return sha256(canonical_json([model, texts, _schema_text(self.form), self.rule]))


@dataclass(frozen=True, slots=True)
class Limits:
    """How many calls at a time, how many tries a question, and what all calls in the ledger may use.

    The budget is held before each call, so that calls in flight may exceed it by what they use. After
    `broken_in_a_row` calls in a row without a reply the model counts as down. The calls of a stage are begun at
    most so often `per_minute`, evenly spread.
    """

    at_once: int = 8
    tries: int = 3
    usd: float | None = None
    tokens: int | None = None
    broken_in_a_row: int = 20
    per_minute: float | None = None


_USUAL = Limits()


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: questions answered now, kept from before, failed, and what all of it has used."""

    done: int = 0
    kept: int = 0
    failed: int = 0
    spent: Spending = field(default_factory=Spending)


class Spent(BenchwrightError):
    """The budget is used up; what was answered is kept, and the same command goes on with a larger one."""


async def ask_all(
    model: ChatModel,
    stage: str,
    questions: Iterable[Question[Any]],
    ledger: Ledger,
    limits: Limits = _USUAL,
    told: Callable[[Progress], None] = lambda _: None,
) -> dict[str, Asked]:
    """What became of each question, by key and in the order of the questions.

    A question that the ledger holds an answer for is not asked again, one that failed is. Raises `Spent` where the
    budget is used up and `Broken(Fault.MODEL)` where the model is down; both after what was in flight is kept.
    """
    asking = _Asking(model, stage, ledger, limits, told)
    waiting = iter(questions)
    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(max(limits.at_once, 1)):
                group.create_task(asking.work(waiting))
    except ExceptionGroup as several:
        raise several.exceptions[0] from several
    if asking.stopped is not None:
        raise asking.stopped
    return {key: found for key, found in asking.found.items() if found is not None}


@dataclass(slots=True)
class _Asking:
    """One stage being asked."""

    model: ChatModel
    stage: str
    ledger: Ledger
    limits: Limits
    told: Callable[[Progress], None]
    found: dict[str, Asked | None] = field(default_factory=dict)
    stopped: BenchwrightError | None = None
    _spent: Spending = field(init=False)
    _next: float = 0.0
    _broken: int = 0
    _done: int = 0
    _kept: int = 0
    _failed: int = 0

    def __post_init__(self) -> None:
        self._spent = self.ledger.spending()

    async def work(self, waiting: Iterator[Question[Any]]) -> None:
        for question in waiting:
            if question.key in self.found:
                raise InputError("a question twice", found=question.key, expected="each key once in a stage")
            self.found[question.key] = None
            digest = question.digest(self.model.name)
            asked = self.ledger.answer(self.stage, question.key, digest)
            if asked is None or asked.status == "failed":
                asked = await self._asked(question, digest)
            if asked is None or self.stopped is not None:
                return
            self.found[question.key] = asked
            self._count(asked)

    def _count(self, asked: Asked) -> None:
        self._kept += not asked.asked_now
        self._done += asked.asked_now and asked.status == "done"
        self._failed += asked.status == "failed"
        self.told(Progress(self._done, self._kept, self._failed, self._spent))

    async def _asked(self, question: Question[Any], digest: str) -> Asked | None:
        """The answer, kept; None where the work was stopped first."""
        messages, complaint = question.messages, ""
        for number in range(1, max(self.limits.tries, 1) + 1):
            await self._turn()
            if self._over():
                return None
            try:
                reply = await self.model.reply(messages, schema_of(question.form))
            except Broken as error:
                complaint = f"{NO_REPLY}: {error.what}{f' ({error.found})' if error.found else ''}"[:_MOST_COMPLAINT]
                self._keep(question.key, Usage(cost_usd=0.0), complaint)
                self._silent(error)
                continue
            self._broken = 0
            answer, complaint = _read(reply.text, question)
            self._keep(question.key, self._priced(reply), complaint)
            if answer is not None:
                return self.ledger.keep_answer(self.stage, question.key, digest, answer.model_dump(mode="json"))
            messages = _again(question.messages, reply, number, complaint)
        return self.ledger.keep_answer(self.stage, question.key, digest, None, complaint)

    async def _turn(self) -> None:
        if self.limits.per_minute:
            now = asyncio.get_running_loop().time()
            mine = max(now, self._next)
            self._next = mine + 60.0 / self.limits.per_minute
            await asyncio.sleep(mine - now)

    def _keep(self, key: str, usage: Usage, complaint: str) -> None:
        self.ledger.keep_call(self.stage, key, self.model.name, usage, complaint)
        self._spent = self._spent.plus(usage)

    def _priced(self, reply: Reply) -> Usage:
        cost = reply.usage.cost_usd
        if cost is None:
            cost = prices().cost({reply.model: reply.usage})
        if cost is None:
            cost = prices().cost({self.model.name: reply.usage})
        return reply.usage.model_copy(update={"cost_usd": cost})

    def _silent(self, error: Broken) -> None:
        self._broken += 1
        if self._broken >= self.limits.broken_in_a_row and self.stopped is None:
            self.stopped = Broken(
                Fault.MODEL,
                f"{self.model.name} did not reply {self._broken} times in a row",
                found=error.text(),
                hint="what was answered is kept, and the same command goes on",
            )

    def _over(self) -> bool:
        """Whether no more calls may be made; says why once."""
        if self.stopped is None:
            self.stopped = _overspent(self._spent, self.limits)
        return self.stopped is not None


def _overspent(spent: Spending, limits: Limits) -> BenchwrightError | None:
    hint = "what was answered is kept, and the same command with a larger budget goes on"
    if limits.tokens is not None and spent.tokens >= limits.tokens:
        return Spent("the budget is used up", found=f"{spent.tokens:,} of {limits.tokens:,} tokens", hint=hint)
    if limits.usd is not None and spent.usd is None:
        return InputError(
            "a budget in dollars cannot be kept",
            found="a call whose cost is not known",
            hint="give the model's price in prices.toml, or a budget in tokens",
        )
    if limits.usd is not None and spent.usd is not None and spent.usd >= limits.usd:
        return Spent("the budget is used up", found=f"{spent.usd:.4f} of {limits.usd:.4f} dollars", hint=hint)
    return None


def _read(text: str, question: Question[F]) -> tuple[F | None, str]:
    """The last object of a reply that is of the form and passes its check; else what is wrong with the last one."""
    complaints = []
    for value in reversed(objects(text)):
        try:
            answer = question.form.model_validate(value)
        except ValidationError as error:
            problems = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:5]]
            complaints.append(f"not of the form: {'; '.join(problems)}")
            continue
        complaint = question.check(answer)
        if not complaint:
            return answer, ""
        complaints.append(complaint)
    return None, complaints[0][:_MOST_COMPLAINT] if complaints else "the reply holds no JSON object"


def _again(messages: Sequence[Message], reply: Reply, number: int, complaint: str) -> tuple[Message, ...]:
    """The next try's messages; with its number they differ from those of the try before, whatever is kept of that."""
    asked = f"That reply (number {number}) cannot be used: {complaint}\n"
    asked += "Give the whole answer again, as one JSON object of the same form."
    return (*messages, Message("assistant", reply.text[:_SHOWN] or "(nothing)"), Message("user", asked))


def schema_of(form: type[Record]) -> dict[str, Any]:
    """The JSON schema of a record without references, which not every provider follows."""
    schema: dict[str, Any] = json.loads(_schema_text(form))
    return schema


@cache
def _schema_text(form: Hashable) -> str:
    """The schema as text: making it takes longer than all else that is done for a question."""
    schema = cast("type[Record]", form).model_json_schema()
    return json.dumps(_inlined(schema, schema.get("$defs", {})))


def _inlined(value: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inlined(item, definitions) for item in value]
    if not isinstance(value, dict):
        return value
    if reference := value.get("$ref"):
        return _inlined(definitions[str(reference).rpartition("/")[2]], definitions)
    kept = {
        key: item for key, item in value.items() if key != "$defs" and not (key == "title" and isinstance(item, str))
    }
    return {key: _inlined(item, definitions) for key, item in kept.items()}
