"""The seven categories of skills: by the types that are published for them, and a map that can be edited."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from benchwright.errors import SuiteError
from benchwright.files import Record, read_jsonl, read_toml
from benchwright.suites.published import record_of

SHIPPED: Final = Path(__file__).with_name("categories.toml")
SKILLS_FILE: Final = "step-clusters.jsonl"
"""The published file of skills and their types; looked for beside the tasks where no other is named."""
_Name = Annotated[str, StringConstraints(min_length=1)]


class _Map(Record):
    """A file of categories: of types of skills, and of single skills whatever their type."""

    types: dict[_Name, _Name] = Field(default_factory=dict)
    overrides: dict[_Name, _Name] = Field(default_factory=dict)


class _Skill(BaseModel):
    """One published skill; its other fields (the steps that it stands for) are left out."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    name: _Name
    type: _Name


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


def read_categories(types: Mapping[str, str], path: Path = SHIPPED) -> CategoryMap:
    """The categories of skills with these types (skill -> type), by a TOML file.

    `[types]` gives the category of a type, `[overrides]` that of a skill. A type that the file does not know gives its
    skills no category.
    """
    written = _Map.from_json(read_toml(path), f"{path}, a map of skills to categories")
    by_type = {skill: written.types[type_] for skill, type_ in types.items() if type_ in written.types}
    categories = dict.fromkeys((*written.types.values(), *written.overrides.values()))
    return CategoryMap(by_type | written.overrides, tuple(categories))


def read_types(path: Path) -> dict[str, str]:
    """The published type of each skill; a SuiteError names the line that is wrong or gives a skill a second type."""
    found: dict[str, str] = {}
    for number, value in read_jsonl(path):
        where = f"{path}, line {number}"
        skill = record_of(_Skill, value, where, "name")
        if found.setdefault(skill.name, skill.type) != skill.type:
            raise SuiteError(
                f"{where}: skill {skill.name!r} has two types",
                found=f"{found[skill.name]!r} and {skill.type!r}",
                expected="one type a skill",
            )
    return found
