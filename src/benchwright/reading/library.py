"""Models of the library functions that programs build paths with; those of loops are beside it (`sequences`)."""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from benchwright.reading import command_line
from benchwright.reading.holes import FOLDERS, HOLE, clip, from_glob, join_paths
from benchwright.reading.operators import iterate, truth
from benchwright.reading.sequences import SEQUENCES
from benchwright.reading.site import Model, Site
from benchwright.reading.strings import format_value
from benchwright.reading.values import (
    UNKNOWN,
    Class,
    Const,
    Function,
    Items,
    Library,
    Partial,
    PathText,
    Plain,
    Present,
    Stream,
    Table,
    Value,
    lift,
    text_of,
    texts_of,
)


def call_library(site: Site, name: str) -> Value | None:
    """The value of a call of a modelled function; None where there is no model."""
    model = MODELS.get(name.removeprefix("builtins."))
    return model(site) if model else None


def _on_text(function: Callable[[str], Value]) -> Model:
    def model(site: Site) -> Value:
        def one(value: Value) -> Value:
            text = text_of(value)
            return UNKNOWN if text is None else function(text)

        return lift(one, site.argument(0))

    return model


def _text(function: Callable[[str], str]) -> Model:
    return _on_text(lambda text: Const(clip(function(text))))


def _join(site: Site) -> Value:
    def join(*parts: Value) -> Value:
        return Const(join_paths([HOLE if text_of(part) is None else text_of(part) or "" for part in parts]))

    return lift(join, *site.positional)


def _path(site: Site) -> Value:
    def join(*parts: Value) -> Value:
        return PathText(join_paths([HOLE if text_of(part) is None else text_of(part) or "" for part in parts]))

    return lift(join, *site.positional) if site.positional else PathText(".")


def _splitext(text: str) -> Value:
    return Items([Const(part) for part in posixpath.splitext(text)], "tuple")


def _split(text: str) -> Value:
    return Items([Const(part) for part in posixpath.split(text)], "tuple")


def _scandir(site: Site) -> Value:
    folders = texts_of(site.argument(0, "path")) or ["."]
    return Items([PathText(join_paths([folder, HOLE])) for folder in folders], more=True)


def _walk(site: Site) -> Value:
    names = Items([Const(HOLE)], more=True)
    folders = texts_of(site.argument(0, "top")) or [HOLE]
    rows: list[Value] = [Items([Const(join_paths([folder, FOLDERS])), names, names], "tuple") for folder in folders]
    return Items(rows, more=True)


def _glob(site: Site) -> Value:
    patterns = texts_of(site.argument(0, "pathname")) or [HOLE]
    return Items([Const(from_glob(pattern)) for pattern in patterns], more=True)


def _str(site: Site) -> Value:
    return lift(lambda value: Const(format_value(value, "")), site.argument(0, "object"))


def _int(site: Site) -> Value:
    value = site.argument(0)
    if isinstance(value, Const) and isinstance(value.value, int | float | str) and len(str(value.value)) < 30:
        try:
            return Const(int(value.value))
        except (ValueError, OverflowError):
            return UNKNOWN
    return UNKNOWN


def _environment(site: Site) -> Value:
    if (known := site.machine.given.variable(text_of(site.argument(0, "key")))) is not None:
        return known
    default = site.argument(1, "default")
    return default if text_of(default) is not None else Const(HOLE)


def _partial(site: Site) -> Value:
    target, *given = site.positional or [UNKNOWN]
    return Partial(target, tuple(given), dict(site.keywords))


def _present(text: str) -> Value:
    return Present(text)


def _first(site: Site) -> Value:
    """Functions that hand their first argument back for our purposes."""
    return site.argument(0)


def _named_tuple(site: Site) -> Value:
    names = site.argument(1, "field_names")
    text = text_of(names)
    fields = text.replace(",", " ").split() if text is not None else [text_of(item) or "" for item in iterate(names)[0]]
    return Class("namedtuple", {}, fields=tuple(fields))


def _type_check(site: Site) -> Value:
    """`isinstance(x, str)` for the types that tell paths from lists of them."""
    value, kind = site.argument(0), site.argument(1)
    name = kind.name.rpartition(".")[2] if isinstance(kind, Library) else ""
    known: dict[str, bool] = {
        "str": isinstance(value, Const) and isinstance(value.value, str),
        "list": isinstance(value, Items) and value.kind == "list",
        "tuple": isinstance(value, Items) and value.kind == "tuple",
        "dict": isinstance(value, Table),
        "Path": isinstance(value, PathText),
    }
    if name not in known or not isinstance(value, Const | Items | Table | PathText | Function):
        return UNKNOWN
    return Const(known[name])


def _constant(value: Plain) -> Model:
    return lambda _site: Const(value)


def _chdir(site: Site) -> Value:
    text = text_of(site.argument(0, "path"))
    machine = site.machine
    machine.directory = join_paths([machine.directory, HOLE if text is None else text])
    return Const(None)


def _working_directory(site: Site) -> Value:
    return Const(site.machine.directory or ".")


MODELS: dict[str, Model] = {
    **SEQUENCES,
    "os.path.join": _join,
    "os.path.basename": _text(posixpath.basename),
    "os.path.dirname": _text(posixpath.dirname),
    "os.path.abspath": _text(str),
    "os.path.realpath": _text(str),
    "os.path.expanduser": _text(str),
    "os.path.expandvars": _text(str),
    "os.path.normpath": _text(posixpath.normpath),
    "os.fspath": _text(str),
    "os.path.splitext": _on_text(_splitext),
    "os.path.split": _on_text(_split),
    "os.path.exists": _on_text(_present),
    "os.path.isfile": _on_text(_present),
    "os.path.isdir": _on_text(_present),
    "os.listdir": lambda _site: Items([Const(HOLE)], more=True),
    "os.scandir": _scandir,
    "os.walk": _walk,
    "os.getcwd": _working_directory,
    "os.chdir": _chdir,
    "os.environ.get": _environment,
    "os.getenv": _environment,
    "glob.glob": _glob,
    "glob.iglob": _glob,
    "pathlib.Path": _path,
    "pathlib.PurePath": _path,
    "pathlib.PosixPath": _path,
    "pathlib.Path.cwd": lambda site: PathText(site.machine.directory or "."),
    "pathlib.Path.home": lambda _site: PathText(HOLE),
    "io.StringIO": lambda _site: Stream("memory"),
    "io.BytesIO": lambda _site: Stream("memory"),
    "StringIO": lambda _site: Stream("memory"),
    "BytesIO": lambda _site: Stream("memory"),
    "functools.partial": _partial,
    "joblib.delayed": _first,
    "dask.delayed": _first,
    "collections.namedtuple": _named_tuple,
    "argparse.ArgumentParser": command_line.parser,
    "argparse.add_argument": command_line.add_argument,
    "argparse.add_argument_group": _first,
    "argparse.parse_args": lambda site: site.argument(1),
    "argparse.parse_known_args": command_line.parse_known,
    "str": _str,
    "int": _int,
    "bool": lambda site: UNKNOWN if (known := truth(site.argument(0))) is None else Const(known),
    "isinstance": _type_check,
    "copy.copy": _first,
    "copy.deepcopy": _first,
    "contextlib.closing": _first,
    "input": _constant(HOLE),
}
