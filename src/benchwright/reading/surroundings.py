"""What a program is run with: words behind its name, variables of the environment, and modules that lie beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from benchwright.reading.values import Const, Items, Library, PathText, Value


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of how a program is run: `modules` are texts by name; of `arguments` None, nothing is known."""

    arguments: tuple[str, ...] | None = None
    environment: tuple[tuple[str, str], ...] = ()
    modules: tuple[tuple[str, str], ...] = ()

    @property
    def argv(self) -> Value | None:
        """`sys.argv`; None where nothing is known of it."""
        if self.arguments is None:
            return None
        return Items([Const("program.py"), *map(Const, self.arguments)])

    def variable(self, name: str | None) -> Value | None:
        """A variable of the environment; None where nothing is known of it."""
        known = dict(self.environment).get(name or "")
        return None if known is None else Const(known)

    def option(self, flags: Sequence[str], kind: Value, many: str) -> Value | None:
        """The value that the command line gives an option; None where it gives none.

        `kind` is the type that it is turned into, `many` how many words it takes, as `argparse` writes it.
        """
        words = self.arguments or ()
        for place, word in enumerate(words):
            name, _, glued = word.partition("=")
            if name in flags and glued:
                return typed(glued, kind)
            if name in flags and many in ("+", "*"):
                rest = takewhile(lambda item: not item.startswith("-"), words[place + 1 :])
                return Items([typed(item, kind) for item in rest])
            if name in flags and place + 1 < len(words):
                return typed(words[place + 1], kind)
        return None

    def operand(self, place: int, kind: Value, many: str) -> Value | None:
        """The value of an argument without a name, by its place among those; None where the command line has none."""
        words = self.arguments or ()
        bare = [
            word
            for number, word in enumerate(words)
            if not word.startswith("-")
            and not (number and words[number - 1].startswith("-") and "=" not in words[number - 1])
        ]
        if many in ("+", "*"):
            return Items([typed(word, kind) for word in bare[place:]]) if bare[place:] else None
        return typed(bare[place], kind) if place < len(bare) else None


def typed(word: str, kind: Value) -> Value:
    """A word as `argparse` turns it into a type."""
    return PathText(word) if isinstance(kind, Library) and kind.name.endswith("Path") else Const(word)
