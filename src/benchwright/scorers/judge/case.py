"""One response to be judged, and how it is put to a judge: as fenced data that cannot pass for instructions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from benchwright.chat.base import Message
from benchwright.chat.fencing import shortened
from benchwright.chat.prompts import fenced_messages, prompt, reply_token
from benchwright.files import sha256

_PROMPTS = Path(__file__).parent / "prompts"
_NAMES = ("judge", "case")
_NONE = "(none)"
RULES = {
    "reference": (
        "Numbers are right when they agree after rounding to two decimals; "
        "an error beyond the second decimal does no harm."
    ),
    "sound": (
        "Numbers must agree in every digit that the right answer gives; "
        "further digits are right if they round to them. "
        "A fraction is not a percentage: 0.38 is not 38, unless it says 38 %."
    ),
}
"""What a judge is told of numbers, by mode: the paper's rule, and a stricter one."""


@dataclass(frozen=True, slots=True)
class JudgeCase:
    """All that a judge is given. `pictures` are image files that the response handed in."""

    question: str
    gold: str
    response: str
    gold_code: str = ""
    code: str = ""
    rationale: str = ""
    mode: str = "sound"
    pictures: tuple[Path, ...] = ()

    @property
    def token(self) -> str:
        """What a reply about this case has to repeat; nothing in the case can know it beforehand."""
        return reply_token(self.mode, *self._texts().values())

    def messages(self) -> tuple[Message, ...]:
        """The judge's instructions and the case, between lines that occur nowhere in it."""
        texts = {name: shortened(text) or _NONE for name, text in self._texts().items()}
        system, user = fenced_messages(_PROMPTS, _NAMES, texts, rule=RULES[self.mode], token=self.token)
        return system, replace(user, pictures=self.pictures)

    def _texts(self) -> dict[str, str]:
        return {
            "question": self.question,
            "gold": self.gold,
            "gold_code": self.gold_code,
            "response": self.response,
            "code": self.code,
            "rationale": self.rationale,
        }


def prompt_digest() -> str:
    """SHA-256 of the judge's prompts and rules, for the record."""
    return sha256("\0".join((*(prompt(_PROMPTS, name) for name in _NAMES), *RULES.values())))
