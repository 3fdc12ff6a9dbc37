"""The exceptions of Benchwright, the boundary that names whose fault an error is, and text as it may be shown.

BenchwrightError                 what, found, expected, hint; exit_code
├── InputError                   the user's input or usage is wrong (exit code 2)
│   └── SuiteError               a suite folder or source file is wrong
├── EnvironmentFault             this machine lacks something (exit code 3)
└── Broken                       an attempt could not be carried through; names a Fault
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum


class Fault(StrEnum):
    """Whose fault it is that an attempt broke."""

    AGENT = "agent"
    MODEL = "model"
    SANDBOX = "sandbox"
    SCORER = "scorer"
    SUITE = "suite"


class BenchwrightError(Exception):
    """An error in plain text: what went wrong, what was found, what was expected, and a hint."""

    exit_code = 1

    def __init__(self, what: str, *, found: str = "", expected: str = "", hint: str = "") -> None:
        self.what, self.found, self.expected, self.hint = what, found, expected, hint
        super().__init__(self.text())

    def text(self) -> str:
        """The whole message, one line a part; parts that are empty are left out."""
        parts = (("found", self.found), ("expected", self.expected), ("hint", self.hint))
        return "\n".join([self.what, *(f"  {name}: {value}" for name, value in parts if value)])


class InputError(BenchwrightError):
    """The user's input or usage is wrong; nothing that was already done is lost."""

    exit_code = 2


class SuiteError(InputError):
    """A suite folder, or a file that a suite is built from, is wrong."""


class EnvironmentFault(BenchwrightError):
    """This machine lacks something that the work needs."""

    exit_code = 3


class Broken(BenchwrightError):
    """An attempt could not be carried through to its end; `fault` says whose doing that is."""

    def __init__(self, fault: Fault, what: str, *, found: str = "", expected: str = "", hint: str = "") -> None:
        super().__init__(what, found=found, expected=expected, hint=hint)
        self.fault = fault


def visible(text: str) -> str:
    """A text that cannot steer a terminal, whatever names and values stand in it.

    But for spaces and ends of lines, what is not printable is shown as an escape.
    """
    if text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char == "\n" or unicodedata.category(char) == "Zs":
        return char
    return char.encode("unicode_escape").decode()


@contextmanager
def boundary(fault: Fault, what: str) -> Iterator[None]:
    """Turn whatever unforeseen exception leaves the block into `Broken(fault)`.

    Errors that already say what they are (`BenchwrightError`) pass unchanged.
    """
    try:
        yield
    except BenchwrightError:
        raise
    except Exception as error:
        raise Broken(fault, what, found=f"{type(error).__name__}: {error}") from error
