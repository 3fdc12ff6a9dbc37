"""Records of published files, read with an error that names the record and the field."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel, ValidationError

from benchwright.errors import SuiteError

M = TypeVar("M", bound=BaseModel)


def record_of(kind: type[M], value: object, where: str, id_key: str) -> M:
    """The record in a parsed JSON value.

    A SuiteError says `where` it stands, its id (under `id_key`) where it has one, and the first field that is wrong.
    """
    try:
        return kind.model_validate(value)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "the record"
        named = value.get(id_key) if isinstance(value, dict) else None
        asked = [name for name, about in kind.model_fields.items() if about.is_required()]
        raise SuiteError(
            f"{where}{'' if named is None else f' ({id_key} {_shown(named)})'}: {field} is wrong",
            found=first["msg"],
            expected=f"a record with {', '.join(asked)}",
        ) from error


def _shown(name: object) -> str:
    return repr(name)[:130]
