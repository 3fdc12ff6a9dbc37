"""Methods of strings and of path objects, on text that may hold holes."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from benchwright.reading.holes import FOLDERS, HOLE, clip, from_glob, has_hole, join_paths, pieces
from benchwright.reading.values import UNKNOWN, Const, Items, PathText, Present, Value, text_of

_SAME_KIND = frozenset(
    "lower upper title capitalize casefold swapcase strip lstrip rstrip replace removeprefix removesuffix".split()
)
_ASKING = frozenset("startswith endswith isdigit isalpha isnumeric isupper islower".split())
_LISTING = frozenset("split rsplit splitlines partition rpartition".split())
_PLACE = re.compile(r"\{([^{}!:]*)(?:![rsa])?(?::([^{}]*))?\}")
_SAFE_SPEC = re.compile(r"[<>=^ +\-0-9,_.a-zA-Z%]{0,8}")


def format_value(value: Value, spec: str) -> str:
    """A value as an f-string shows it; a hole where it is not known."""
    text = text_of(value)
    if text is not None and not spec:
        return text
    if not isinstance(value, Const) or not _SAFE_SPEC.fullmatch(spec) or re.search(r"\d{3}", spec):
        return HOLE
    if isinstance(value.value, str) and has_hole(value.value):
        return HOLE
    try:
        return format(value.value, spec) if spec else str(value.value)
    except (TypeError, ValueError):
        return HOLE


def format_template(template: str, positional: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`template.format(...)`."""
    count = iter(range(len(positional)))

    def fill(match: re.Match[str]) -> str:
        name = match.group(1)
        index = int(name) if name.isdigit() else (next(count, None) if not name else None)
        known = positional[index] if index is not None and index < len(positional) else keywords.get(name, UNKNOWN)
        return format_value(known, match.group(2) or "")

    return Const(clip(_PLACE.sub(fill, template).replace("{{", "{").replace("}}", "}")))


def string_method(text: str, name: str, positional: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """`text.name(...)`: exact where everything is known, a hole or UNKNOWN otherwise."""
    if name == "format":
        return format_template(text, positional, keywords)
    if name == "join":
        return _join(text, positional)
    if name == "zfill":
        return _zfill(text, positional)
    if name in _SAME_KIND | _ASKING | _LISTING:
        return _plain_method(text, name, positional)
    return UNKNOWN


def _join(separator: str, positional: Sequence[Value]) -> Value:
    parts = positional[0] if positional else UNKNOWN
    if not isinstance(parts, Items):
        return Const(HOLE)
    texts = [text if (text := text_of(part)) is not None else HOLE for part in parts.items]
    return Const(clip(separator.join([*texts, HOLE] if parts.more else texts)))


def _zfill(text: str, positional: Sequence[Value]) -> Value:
    width = positional[0] if positional else UNKNOWN
    if has_hole(text) or not isinstance(width, Const) or not isinstance(width.value, int) or width.value > 100:
        return Const(HOLE)
    return Const(text.zfill(width.value))


def _plain_method(text: str, name: str, positional: Sequence[Value]) -> Value:
    arguments = [_argument(value) for value in positional]
    if any(argument is _OPEN for argument in arguments):
        return _open_answer(text, name, [])
    if has_hole(text):
        return _open_answer(text, name, arguments)
    if name == "replace" and arguments and len(text) * len(str(arguments[-1])) > 1 << 20:
        return Const(HOLE)
    try:
        result = getattr(text, name)(*arguments)
    except (TypeError, ValueError):
        return UNKNOWN
    return _as_value(result)


_OPEN = object()


def _argument(value: Value) -> Any:
    if isinstance(value, Items) and value.kind == "tuple" and not value.more:
        inner = tuple(_argument(item) for item in value.items)
        return _OPEN if _OPEN in inner else inner
    if not isinstance(value, Const) or (isinstance(value.value, str) and has_hole(value.value)):
        return _OPEN
    return value.value


def _as_value(result: object) -> Value:
    if isinstance(result, str):
        return Const(clip(result))
    if isinstance(result, list | tuple):
        return Items([Const(part) for part in result], "tuple" if isinstance(result, tuple) else "list")
    return Const(bool(result))


def _open_answer(text: str, name: str, arguments: list[Any]) -> Value:
    if name in _ASKING:
        return _affix(text, name, arguments)
    if name in _LISTING:
        return Items([Const(HOLE)], more=True)
    if arguments and name == "replace" and all(isinstance(argument, str) for argument in arguments[:2]):
        return Const(clip(text.replace(*arguments[:2])))
    if name in {"lower", "upper", "casefold"}:
        return Const(getattr(text, name)())
    if name in {"strip", "rstrip", "lstrip"}:
        return Const(text)
    return Const(HOLE)


def _affix(text: str, name: str, arguments: list[Any]) -> Value:
    """`startswith` and `endswith` can be known though the text has a hole elsewhere."""
    known = pieces(text)[-1 if name == "endswith" else 0]
    wanted = arguments[0] if arguments and name in {"startswith", "endswith"} else None
    if not known or not isinstance(wanted, str | tuple):
        return UNKNOWN
    if getattr(known, name)(wanted):
        return Const(value=True)
    candidates = (wanted,) if isinstance(wanted, str) else wanted
    longer = any(
        len(item) > len(known) and (item.endswith(known) if name == "endswith" else item.startswith(known))
        for item in candidates
    )
    return UNKNOWN if longer else Const(value=False)


_PATH_PARTS: dict[str, Callable[[str], str]] = {
    "name": posixpath.basename,
    "stem": lambda text: posixpath.splitext(posixpath.basename(text))[0],
    "suffix": lambda text: posixpath.splitext(text)[1],
}


def path_attribute(text: str, name: str) -> Value | None:
    """`Path(text).name`, `.stem`, `.suffix`, `.parent`; None for any other attribute."""
    if name == "parent":
        return PathText(posixpath.dirname(text) or ".")
    return Const(_PATH_PARTS[name](text)) if name in _PATH_PARTS else None


def path_method(text: str, name: str, positional: Sequence[Value]) -> Value:
    """Methods of path objects that open nothing."""
    first = text_of(positional[0]) if positional else None
    match name:
        case "joinpath":
            return PathText(join_paths([text, *(text_of(value) or HOLE for value in positional)]))
        case "exists" | "is_file" | "is_dir":
            return Present(text)
        case "glob" | "rglob" | "iterdir":
            return _listing(text, name, first)
    return _renamed(text, name, first)


def _renamed(text: str, name: str, first: str | None) -> Value:
    if name in {"with_suffix", "with_name"} and first is not None:
        stem = posixpath.splitext(text)[0] if name == "with_suffix" else posixpath.join(posixpath.dirname(text), "")
        return PathText(clip(stem + first))
    if name in {"resolve", "absolute", "expanduser"}:
        return PathText(text)
    return Const(text) if name in {"as_posix", "__str__", "__fspath__"} else UNKNOWN


def _listing(text: str, name: str, pattern: str | None) -> Value:
    below = HOLE if name == "iterdir" else from_glob(pattern or "*")
    deep = [FOLDERS] if name == "rglob" else []
    return Items([PathText(join_paths([text, *deep, below]))], more=True)
