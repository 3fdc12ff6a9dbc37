"""Names of skills as models and people give them: one line of characters that are seen, with a word in it."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator

from benchwright.skills.corpus.base import cleaned


def in_one_line(name: str) -> str:
    """A name without characters that nobody sees, line ends and needless spaces."""
    return " ".join(cleaned(name).split())


def says_something(name: str) -> bool:
    """Whether a name holds a letter or a digit: signs alone are contained in every other name."""
    return any(each.isalnum() for each in name)


def _tidied(value: Any) -> Any:
    return in_one_line(value) if isinstance(value, str) else value


def _checked(name: str) -> str:
    if not says_something(name):
        raise ValueError("a name without a letter or digit")
    return name


GivenName = Annotated[str, BeforeValidator(_tidied), AfterValidator(_checked)]
"""The name of a skill in a model's answer; bounds of its length count what is left of it."""
