"""One response to be judged, and how it is put to a judge: as fenced data that cannot pass for instructions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template

from benchwright.chat.base import Message
from benchwright.chat.fencing import fence, shortened
from benchwright.files import read_text, sha256

_PROMPTS = Path(__file__).parent / "prompts"
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
        return sha256(f"token\0{self.mode}\0" + "\0".join(self._texts().values()))[:12]

    def messages(self) -> tuple[Message, ...]:
        """The judge's instructions and the case, between lines that occur nowhere in it."""
        texts = {name: shortened(text) or _NONE for name, text in self._texts().items()}
        line = fence("\n".join(texts.values()))
        system = Template(prompt("judge")).substitute(rule=RULES[self.mode], fence=line)
        user = Template(prompt("case")).substitute(texts, fence=line, token=self.token)
        return Message("system", system), Message("user", user, pictures=self.pictures)

    def _texts(self) -> dict[str, str]:
        return {
            "question": self.question,
            "gold": self.gold,
            "gold_code": self.gold_code,
            "response": self.response,
            "code": self.code,
            "rationale": self.rationale,
        }


@cache
def prompt(name: str) -> str:
    """A shipped prompt as it stands in its file."""
    return read_text(_PROMPTS / f"{name}.txt").strip()


def prompt_digest() -> str:
    """SHA-256 of the judge's prompts and rules, for the record."""
    return sha256("\0".join((prompt("judge"), prompt("case"), *RULES.values())))
