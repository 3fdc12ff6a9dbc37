"""Asking a judge: repeated, kept by content, and never taken for a verdict where there is none."""

from __future__ import annotations

import asyncio
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchwright.chat.base import ChatModel
from benchwright.errors import Broken
from benchwright.files import canonical_json, sha256
from benchwright.scorers.judge.case import JudgeCase, prompt_digest
from benchwright.scorers.judge.verdict import SCHEMA, VERDICTS, Opinion, Verdict, parse_opinion

_TRIES = 3
"""Replies that may be without a verdict before one opinion is given up."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What a judge decided. `verdict` is None where no reply held one; `agreement` is the share of the largest vote."""

    verdict: Verdict | None
    reason: str
    votes: dict[str, int] = field(default_factory=dict)
    agreement: float = 0.0
    failed: int = 0


class Kept:
    """Replies by content in a JSON Lines file: the same case, prompt and model are asked once for each repetition."""

    def __init__(self, path: Path | None = None) -> None:
        self.path = path
        self._replies: dict[str, str] = {}
        if path is not None and path.is_file():
            self._read(path)

    def _read(self, path: Path) -> None:
        for line in path.read_text("utf-8", errors="replace").splitlines():
            try:
                value = json.loads(line)
                self._replies[str(value["key"])] = str(value["text"])
            except (ValueError, KeyError, TypeError):
                continue  # a line that was cut off costs one question

    def get(self, key: str) -> str | None:
        """The reply that was kept under a key."""
        return self._replies.get(key)

    def put(self, key: str, text: str) -> None:
        """Keep a reply, on disk before it is used."""
        self._replies[key] = text
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            line = (canonical_json({"key": key, "text": text}) + "\n").encode("utf-8", "replace")
            descriptor = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(descriptor, line)
            finally:
                os.close(descriptor)


class Judge:
    """A model that judges cases, `times` times each, at most `at_once` at a time."""

    def __init__(self, model: ChatModel, *, times: int = 1, kept: Kept | None = None, at_once: int = 8) -> None:
        self.model, self.times, self.kept = model, times, kept or Kept()
        self._slots = at_once

    async def decide(self, cases: Sequence[JudgeCase]) -> list[Decision]:
        """A decision for each case; a model that does not reply leaves it without a verdict, and the others go on."""
        slots = asyncio.Semaphore(self._slots)
        return list(await asyncio.gather(*(self._decide(case, slots) for case in cases)))

    async def _decide(self, case: JudgeCase, slots: asyncio.Semaphore) -> Decision:
        opinions: list[Opinion] = []
        complaint, failed = "", 0
        for repetition in range(self.times):
            async with slots:
                opinion = await self._opinion(case, repetition)
            if isinstance(opinion, str):
                complaint, failed = opinion, failed + 1
            else:
                opinions.append(opinion)
        return _decision(opinions, complaint, failed)

    async def _opinion(self, case: JudgeCase, repetition: int) -> Opinion | str:
        """One opinion, or why there is none."""
        messages = case.messages()
        texts = [[message.role, message.text, [str(path) for path in message.pictures]] for message in messages]
        complaint = ""
        for attempt in range(_TRIES):
            key = sha256(canonical_json([self.model.name, prompt_digest(), texts, repetition, attempt]))
            reply = self.kept.get(key)
            if reply is None:
                try:
                    reply = (await self.model.reply(messages, SCHEMA)).text
                except Broken as error:
                    complaint = error.what
                    continue
                self.kept.put(key, reply)
            if (opinion := parse_opinion(reply, case.token)) is not None:
                return opinion
            complaint = "no verdict in the reply"
        return complaint


def _decision(opinions: Sequence[Opinion], complaint: str, failed: int) -> Decision:
    if not opinions:
        return Decision(None, complaint or "the judge was not asked", failed=failed)
    votes = Counter(opinion.verdict for opinion in opinions)
    most = max(votes.values())
    leading = [verdict for verdict in VERDICTS if votes[verdict] == most]
    verdict: Verdict = leading[0] if len(leading) == 1 else "cannot tell"
    reason = next((opinion.reason for opinion in opinions if opinion.verdict == verdict), "the judge is undecided")
    return Decision(verdict, reason, {str(word): count for word, count in votes.items()}, most / len(opinions), failed)
