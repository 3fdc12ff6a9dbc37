"""Counts of each stage, which have to add up."""

from __future__ import annotations

from benchwright.files import Record


class Count(Record):
    """Steps and skills after one stage; `kept` is False where its outcome was given up for that of the one before."""

    stage: str
    steps: int
    assigned: int
    unassigned: int
    skills_before: int
    made: int
    gone: int
    skills: int
    tops: int
    kept: bool = True

    def balanced(self) -> Count:
        """The same; a sum that is wrong is a fault of ours and ends the work."""
        if self.assigned + self.unassigned != self.steps:
            raise AssertionError(f"{self.stage}: {self.assigned} + {self.unassigned} steps are not {self.steps}")
        if self.skills_before + self.made - self.gone != self.skills:
            raise AssertionError(
                f"{self.stage}: {self.skills_before} + {self.made} - {self.gone} skills are not {self.skills}"
            )
        return self
