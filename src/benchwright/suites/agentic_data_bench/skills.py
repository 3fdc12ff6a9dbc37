"""The seven categories of skills, by a map that can be edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from benchwright.errors import SuiteError
from benchwright.files import read_toml

SHIPPED: Final = Path(__file__).with_name("categories.toml")


class _Type(BaseModel):
    model_config = ConfigDict(extra="forbid")

    category: str = Field(min_length=1)
    skills: tuple[str, ...]


class _MapFile(BaseModel):
    model_config = ConfigDict(extra="forbid")

    overrides: dict[str, str] = Field(default_factory=dict)
    types: dict[str, _Type]


@dataclass(frozen=True, slots=True)
class CategoryMap:
    """The category of each skill; `categories` are all of them in the file's order."""

    by_skill: Mapping[str, str]
    categories: tuple[str, ...]

    def of(self, skills: Iterable[str]) -> tuple[str, ...]:
        """The categories of some skills, each once, in the map's order; skills that are not in the map have none."""
        found = {self.by_skill[skill] for skill in skills if skill in self.by_skill}
        return tuple(category for category in self.categories if category in found)

    def unknown(self, skills: Iterable[str]) -> tuple[str, ...]:
        """The skills that are not in the map."""
        return tuple(skill for skill in skills if skill not in self.by_skill)


def read_categories(path: Path = SHIPPED) -> CategoryMap:
    """A map from a TOML file: `[types.NAME]` with `category` and `skills`, and `[overrides]` skill by skill."""
    try:
        written = _MapFile.model_validate(read_toml(path))
    except ValidationError as error:
        first = error.errors()[0]
        raise SuiteError(
            f"{path}: not a map of skills",
            found=f"{'.'.join(str(part) for part in first['loc'])}: {first['msg']}",
            expected="[types.NAME] with category and skills, and [overrides]",
        ) from error
    by_type = {skill: each.category for each in written.types.values() for skill in each.skills}
    by_skill = by_type | written.overrides
    named = (*(each.category for each in written.types.values()), *written.overrides.values())
    return CategoryMap(by_skill, tuple(dict.fromkeys(named)))
