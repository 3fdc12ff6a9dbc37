"""How blocks of statements can end, and what the variables are where ways meet again."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchwright.reading.trace import Arm
from benchwright.reading.values import Value, one_of

Variables = dict[str, Value]


@dataclass(slots=True)
class Ends:
    """The ways in which a block can end, each with the variables as they then are.

    `next` is None where the block is always left; `returns` says that it may leave the function. `rest` is the
    arm in which the statements after this one run, where another arm of it has left.
    """

    next: Variables | None
    breaks: list[Variables] = field(default_factory=list)
    continues: list[Variables] = field(default_factory=list)
    returns: bool = False
    rest: Arm | None = None

    def add(self, other: Ends) -> None:
        """Take over how another block can leave; `next` is left to the caller."""
        self.breaks += other.breaks
        self.continues += other.continues
        self.returns = self.returns or other.returns

    @property
    def leaves_early(self) -> bool:
        """Whether some way leaves by return, break or continue (and not by an error)."""
        return self.returns or bool(self.breaks) or bool(self.continues)

    @property
    def may_leave(self) -> bool:
        """Whether the block may end the loop around it, and may also not."""
        leaves = bool(self.breaks) or self.returns
        return leaves and (self.next is not None or bool(self.continues))


def join(*ways: Variables | None) -> Variables | None:
    """The variables after one of several ways was taken, the preferred way first."""
    open_ways = [way for way in ways if way is not None]
    if not open_ways:
        return None
    names = dict.fromkeys(name for way in open_ways for name in way)
    return {name: one_of(way[name] for way in open_ways if name in way) for name in names}
