"""YAML, by the safe loader: no object is built, and aliases cannot multiply."""

from __future__ import annotations

from typing import Any

from benchwright.dialects import decode
from benchwright.profiles.formats.base import Found, Source, Unreadable, needed
from benchwright.profiles.formats.jsons import shape_of
from benchwright.profiles.tables import plain

_ALIASES = 100
_MOST_BYTES = 20 << 20


def read(source: Source) -> Found:
    """The document's shape, as of JSON; of several documents that of the list of them."""
    yaml = needed("yaml")
    raw = source.whole()
    if len(raw) > _MOST_BYTES:
        raise Unreadable(f"{len(raw):,} bytes of YAML; up to {_MOST_BYTES:,} are read")
    text = decode(raw)[0]
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        aliases = sum(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=loader))
        if aliases > _ALIASES:
            raise Unreadable(f"{aliases:,} aliases; up to {_ALIASES} are followed")
        documents = [_without_cycles(each, []) for each in yaml.load_all(text, Loader=loader)]
    except RecursionError as error:
        raise Unreadable("nested too deeply") from error
    except yaml.YAMLError as error:
        raise Unreadable(f"not valid YAML: {' '.join(str(error).split())[:200]}") from error
    found = shape_of(documents[0] if len(documents) == 1 else documents)
    found.facts.update(documents=len(documents), aliases=aliases)
    return found


_NODES = 2_000_000


def _without_cycles(value: Any, seen: list[int]) -> Any:
    """The value as JSON has it; Unreadable where aliases make it endless or too large."""
    seen.append(1)
    if len(seen) > _NODES:
        raise Unreadable("its aliases multiply past what can be read")
    if isinstance(value, dict):
        return {str(key): _without_cycles(item, seen) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_without_cycles(item, seen) for item in value]
    return value if value is None or isinstance(value, bool | int | float | str) else plain(value)
