"""Which files of a room a draft is told of: all, or where these are too many some in full and the others by name."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from benchwright.generation.relating.ways import MEANINGS
from benchwright.generation.workflow import Material
from benchwright.profiles.entries import FileProfile
from benchwright.profiles.families import FileFamily, file_families
from benchwright.profiles.fuzzy import Fuzzy
from benchwright.profiles.prompt import as_prompt, quoted
from benchwright.profiles.relations import Join

MOST_CHARACTERS = 12_000
_IN_FULL, _MOST_NAMES = 8, 3_500
_MOST_RELATIONS = 30


def shown_files(material: Material, draft: str, *, values: bool = True) -> tuple[str, frozenset[str]]:
    """The text, and the files that it tells in full; without `values` no value of the data stands in it.

    Of a large room each draft is told another part in full: a file drawn by the draft's name, those that join with it,
    and others by lot. All others stand there by name, families of files as one.
    """
    files = material.profiles
    whole = as_prompt(files, 100 * MOST_CHARACTERS, sample=values)
    if len(whole) <= MOST_CHARACTERS:
        return whole, frozenset(material.files)
    chosen = _chosen(material, draft)
    told = as_prompt([file for file in files if file.path in chosen], MOST_CHARACTERS - _MOST_NAMES, sample=values)
    others = _names(file for file in files if file.path not in chosen)
    return f"{told}\nOther files, by name alone:\n{others}", chosen


def shown_relations(material: Material, files: Iterable[str]) -> str:
    """The best joins between these files, one a line, then those of rewritten values; what was refused is left out."""
    told = frozenset(files)
    joins = [each for each in _joins(material) if {each.left, each.right} <= told]
    best = sorted(joins, key=_worth, reverse=True)[:_MOST_RELATIONS]
    return "\n".join(map(_line, best)) or "(none known)"


def _joins(material: Material) -> list[Join | Fuzzy]:
    return [each for each in material.relations if isinstance(each, Join | Fuzzy) and each.accepted is not False]


def _worth(join: Join | Fuzzy) -> tuple[bool, float]:
    """Values that are equal as they stand come first."""
    return isinstance(join, Join), join.score if isinstance(join, Join) else join.contained


def _chosen(material: Material, draft: str) -> frozenset[str]:
    drawn = random.Random(draft)  # noqa: S311 - no secret depends on it
    able = [file.path for file in material.profiles if file.tables] or list(material.files)
    first = drawn.choice(able)
    partners = {
        path for join in _joins(material) if first in (join.left, join.right) for path in (join.left, join.right)
    }
    near = drawn.sample(sorted(partners - {first}), min(_IN_FULL // 2, len(partners - {first})))
    rest = [path for path in able if path != first and path not in near]
    return frozenset([first, *near, *drawn.sample(rest, min(_IN_FULL - 1 - len(near), len(rest)))])


def _names(files: Iterable[FileProfile]) -> str:
    lines: list[str] = []
    left = _MOST_NAMES
    entries: Sequence[FileProfile | FileFamily] = file_families(files)
    for place, entry in enumerate(entries):
        line = quoted(entry.pattern if isinstance(entry, FileFamily) else entry.path, 200)
        left -= len(line) + 1
        if left < 0:
            return "\n".join([*lines, f"[{len(entries) - place:,} more]"])
        lines.append(line)
    return "\n".join(lines)


def _line(join: Join | Fuzzy) -> str:
    how = join.shape if isinstance(join, Join) else f"once both are rewritten: {_meaning(join.way)}"
    return (
        f"{quoted(join.left_column)} of {quoted(join.left)} and {quoted(join.right_column)} of {quoted(join.right)}: "
        f"{join.contained:.0%} of the values, {how}"
    )


def _meaning(way: str) -> str:
    """What a way of rewriting does; one that is not ours stands in quotes."""
    return next((meaning for name, meaning in MEANINGS.items() if name == way), quoted(way))
