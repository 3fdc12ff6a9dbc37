"""Array files (.npy) read without unpickling: only arrays, lists, dicts, numbers and texts are ever built."""

from __future__ import annotations

import ast
import math
import pickletools
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import numpy as np

_MAGIC: Final = b"\x93NUMPY"
_LONGEST_HEADER: Final = 10_000
_DTYPE: Final = re.compile(r"[<>|=]?(?:[biuf][1248]|f16|c(?:8|16|32)|\?|[US]\d{1,6})")
_OBJECT: Final = ("O", "O8", "|O", "|O8")
_MOST_INSTRUCTIONS: Final = 4_000_000
_DEEPEST: Final = 64

_RECONSTRUCT, _SCALAR, _FROM_BUFFER, _NDARRAY, _TYPE, _ENCODE, _NO_BYTES = range(7)
_NAMES: Final = {
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _RECONSTRUCT for core in ("core", "_core")},
    **{(f"numpy.{core}.multiarray", "scalar"): _SCALAR for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _FROM_BUFFER for core in ("core", "_core")},
    ("numpy", "ndarray"): _NDARRAY,
    ("numpy", "dtype"): _TYPE,
    ("_codecs", "encode"): _ENCODE,
    ("__builtin__", "bytes"): _NO_BYTES,
}
"""What an instruction stream may name; none of it is looked up, every one is played here."""


class UnreadableArray(ValueError):
    """A file that is no array file, is cut short, or asks for something that is not plain data."""


class NotPlainData(UnreadableArray):
    """A file that names something to import or to call: loading it would run it."""


def read_npy(data: bytes) -> Any:
    """The content of a .npy file: an array, or what an array of objects without dimensions holds (usually a dict).

    Arrays of objects are stored as a program for the unpickler. That program is read instruction by instruction by
    a machine that knows plain data and arrays of numbers and texts; whatever else it names is an UnreadableArray, and
    nothing is imported or called. Sizes are bounded by the file's own.
    """
    found = read_stored(data)
    return found.item() if getattr(found, "shape", None) == () else found


def read_stored(data: bytes) -> Any:
    """The content of a .npy file as it is stored, usually an array, by the same machine."""
    return _guarded(_read, data)


def read_program(data: bytes) -> Any:
    """What a program for the unpickler that stands in no .npy file builds, by the same machine."""
    return _guarded(lambda program: _Machine().run(program), data)


def _guarded(read: Callable[[bytes], Any], data: bytes) -> Any:
    try:
        return read(data)
    except UnreadableArray:
        raise
    except (ValueError, TypeError, IndexError, KeyError, AttributeError, OverflowError, struct.error) as error:
        raise UnreadableArray(f"not a sound array file: {type(error).__name__}: {error}"[:300]) from error
    except RecursionError as error:
        raise UnreadableArray("nested too deeply") from error


def _read(data: bytes) -> Any:
    header, start = _header(data)
    shape = _shape(header["shape"])
    code = header["descr"]
    if code in _OBJECT:
        return _Machine().run(data[start:])
    return _numbers(data[start:], code, shape, fortran=bool(header["fortran_order"]))


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    if not data.startswith(_MAGIC) or len(data) < 12:
        raise UnreadableArray("not an array file")
    width, form = (2, "<H") if data[6] == 1 else (4, "<I")
    size = struct.unpack_from(form, data, 8)[0]
    start = 8 + width
    if size > _LONGEST_HEADER or start + size > len(data):
        raise UnreadableArray("the header is cut short")
    try:
        header = ast.literal_eval(data[start : start + size].decode("latin-1" if data[6] < 3 else "utf-8").strip())
    except (SyntaxError, MemoryError) as error:  # the parser says "out of memory" where brackets are nested too deeply
        raise UnreadableArray("the header is no array's") from error
    if not isinstance(header, dict) or set(header) != {"descr", "fortran_order", "shape"}:
        raise UnreadableArray("the header is no array's")
    return header, start + size


def _shape(value: Any) -> tuple[int, ...]:
    if not isinstance(value, tuple) or len(value) > 32 or not all(type(size) is int and size >= 0 for size in value):
        raise UnreadableArray("the shape is no shape")
    return value


def _numbers(data: bytes, code: Any, shape: tuple[int, ...], *, fortran: bool) -> np.ndarray[Any, Any]:
    """An array of numbers or texts from its bytes, which must be enough of them."""
    import numpy as np

    if not isinstance(code, str) or not _DTYPE.fullmatch(code):
        raise UnreadableArray(f"cells of type {str(code)[:40]!r} are not read")
    kind = np.dtype(code)
    count = math.prod(shape)
    if count * kind.itemsize > len(data):
        raise UnreadableArray("the data are cut short")
    return np.frombuffer(data, kind, count).reshape(shape, order="F" if fortran else "C")


class _Kind:
    """A type of cells that is being described."""

    def __init__(self, code: str) -> None:
        self.code, self.order = code, "|"

    @property
    def objects(self) -> bool:
        """Whether its cells are objects."""
        return self.code in _OBJECT

    @property
    def full(self) -> str:
        """Its name for numpy."""
        return (self.order if self.order in "<>" else "") + self.code.lstrip("<>|=")


class _Box:
    """An array that is named before its content is known."""

    content: Any = None


class _Machine:
    """Plays the instructions of a stored object, plain data only."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self.marks: list[int] = []
        self.memo: dict[int, Any] = {}
        self.size = self.encoded = 0

    def run(self, data: bytes) -> Any:
        """The object that the instructions build."""
        self.size = len(data)
        for count, (instruction, argument, _) in enumerate(pickletools.genops(data)):
            if count > _MOST_INSTRUCTIONS:
                raise UnreadableArray("too many instructions")
            if instruction.name == "STOP":
                return _Unboxing().plain(self.stack.pop(), 0)
            self.play(instruction.name, argument)
        raise UnreadableArray("the data are cut short")

    def play(self, name: str, argument: Any) -> None:
        """Carry out one instruction."""
        if name in _CONSTANTS:
            self.stack.append(_CONSTANTS[name]())
        elif name in _LITERALS:
            self.stack.append(argument)
        elif name in _STEPS:
            _STEPS[name](self, argument)
        elif name not in {"PROTO", "FRAME"}:
            raise UnreadableArray(f"the instruction {name} is not plain data")

    def since_mark(self) -> list[Any]:
        """Take off what was put on since the last mark."""
        start = self.marks.pop()
        items = self.stack[start:]
        del self.stack[start:]
        return items

    def drop(self, count: int) -> None:
        """Forget the last values."""
        del self.stack[len(self.stack) - count :]

    def mark(self, _: Any) -> None:
        """Remember this place."""
        self.marks.append(len(self.stack))

    def last(self, count: int) -> None:
        """Make the last values one tuple."""
        items = tuple(self.stack[-count:])
        if len(items) < count:
            raise UnreadableArray("an instruction lacks its values")
        self.stack[-count:] = [items]

    def put(self, place: Any) -> None:
        """Remember the last value under a number, the next one by default."""
        self.memo[len(self.memo) if place is None else int(place)] = self.stack[-1]

    def get(self, place: Any) -> None:
        """Put on what was remembered."""
        self.stack.append(self.memo[int(place)])

    def extend(self, items: list[Any]) -> None:
        """Add to the list that is on top."""
        target = self.stack[-1]
        if not isinstance(target, list):
            raise UnreadableArray("a value is added to no list")
        target.extend(items)

    def assign(self, items: list[Any]) -> None:
        """Add names and values, in turn, to the dict that is on top."""
        target = self.stack[-1]
        if not isinstance(target, dict) or len(items) % 2:
            raise UnreadableArray("a value is added to no table of names")
        target.update(zip(items[::2], items[1::2], strict=True))

    def pair(self, _: Any) -> None:
        """Add one name and value."""
        value, key = self.stack.pop(), self.stack.pop()
        self.assign([key, value])

    def name(self, argument: Any) -> None:
        """Put on something that can be called, if it is known."""
        if argument is None:
            name, module = self.stack.pop(), self.stack.pop()
        else:
            module, _, name = str(argument).partition(" ")
        if (module, name) not in _NAMES:
            raise NotPlainData(f"it names {str(module)[:60]}.{str(name)[:60]}, which is not plain data")
        self.stack.append(_Named(_NAMES[module, name]))

    def reduce(self, _: Any) -> None:
        """Play a call."""
        arguments, named = self.stack.pop(), self.stack.pop()
        if not isinstance(named, _Named) or not isinstance(arguments, tuple):
            raise UnreadableArray("it calls what has no name")
        self.stack.append(self.made(named.name, arguments))

    def made(self, name: int, arguments: tuple[Any, ...]) -> Any:
        """What a call would give."""
        if name == _RECONSTRUCT:
            return _Box()
        if name == _TYPE:
            return _Kind(str(arguments[0]))
        if name == _ENCODE and isinstance(arguments[0], str):
            self.encoded += len(arguments[0])
            if self.encoded > self.size:
                raise UnreadableArray("it encodes the same text again and again")
            return arguments[0].encode("latin-1")
        if name == _SCALAR:
            kind, raw = arguments
            return _array((), kind, raw, fortran=False).item()
        if name == _FROM_BUFFER:
            raw, kind, shape, order = arguments
            return _array(_shape(shape), kind, bytes(raw), fortran=order == "F")
        if name == _NO_BYTES and not arguments:
            return b""
        raise UnreadableArray("it calls something with values that make no plain data")

    def build(self, _: Any) -> None:
        """Say what an array or a type of cells holds."""
        state = self.stack.pop()
        target = self.stack[-1]
        if isinstance(target, _Kind):
            target.order = state[1]
        elif isinstance(target, _Box) and target.content is None:
            _, shape, kind, fortran, raw = state
            target.content = _array(_shape(shape), kind, raw, fortran=bool(fortran))
        else:
            raise UnreadableArray("it sets the state of plain data")


@dataclass(frozen=True, slots=True)
class _Named:
    """Something that may be called, played instead."""

    name: int


def _array(shape: tuple[int, ...], kind: Any, raw: Any, *, fortran: bool) -> np.ndarray[Any, Any]:
    import numpy as np

    if not isinstance(kind, _Kind):
        raise UnreadableArray("an array without a type of cells")
    if not kind.objects:
        return _numbers(raw, kind.full, shape, fortran=fortran)
    if not isinstance(raw, list) or len(raw) != math.prod(shape):
        raise UnreadableArray("an array of objects without its objects")
    cells = np.empty(len(raw), dtype=object)
    for place, item in enumerate(raw):
        cells[place] = item
    return cells.reshape(shape, order="F" if fortran else "C")


class _Unboxing:
    """Puts arrays in the place of their names; each value once, so that shared ones cannot multiply."""

    def __init__(self) -> None:
        self.done: dict[int, Any] = {}
        self.open: set[int] = set()

    def plain(self, value: Any, depth: int) -> Any:
        """The value with every array in place; a value that holds itself is refused."""
        import numpy as np

        if not isinstance(value, list | tuple | dict | _Box | np.ndarray | _Kind | _Named):
            return value
        if depth > _DEEPEST or id(value) in self.open or isinstance(value, _Kind | _Named):
            raise UnreadableArray("it is nested too deeply, holds itself, or is no data")
        if id(value) not in self.done:
            self.open.add(id(value))
            self.done[id(value)] = self._made(value, depth + 1)
            self.open.discard(id(value))
        return self.done[id(value)]

    def _made(self, value: Any, depth: int) -> Any:
        if isinstance(value, list | tuple):
            return type(value)(self.plain(item, depth) for item in value)
        if isinstance(value, dict):
            return {key: self.plain(item, depth) for key, item in value.items()}
        if isinstance(value, _Box):
            if value.content is None:
                raise UnreadableArray("an array without content")
            return self.plain(value.content, depth)
        if value.dtype == object:
            for place, item in enumerate(value.flat):
                value.flat[place] = self.plain(item, depth)
        return value


_CONSTANTS: Final[dict[str, Callable[[], Any]]] = {
    "NONE": lambda: None,
    "NEWTRUE": lambda: True,
    "NEWFALSE": lambda: False,
    "EMPTY_LIST": list,
    "EMPTY_TUPLE": tuple,
    "EMPTY_DICT": dict,
}
_LITERALS: Final = frozenset(
    "INT BININT BININT1 BININT2 LONG LONG1 LONG4 FLOAT BINFLOAT STRING BINSTRING SHORT_BINSTRING UNICODE BINUNICODE "
    "SHORT_BINUNICODE BINUNICODE8 BINBYTES SHORT_BINBYTES BINBYTES8 BYTEARRAY8".split()
)
_STEPS: Final[dict[str, Callable[[_Machine, Any], None]]] = {
    "MARK": _Machine.mark,
    "POP": lambda machine, _: machine.drop(1),
    "POP_MARK": lambda machine, _: machine.drop(len(machine.stack) - machine.marks.pop()),
    "DUP": lambda machine, _: machine.stack.append(machine.stack[-1]),
    "LIST": lambda machine, _: machine.stack.append(machine.since_mark()),
    "TUPLE": lambda machine, _: machine.stack.append(tuple(machine.since_mark())),
    "TUPLE1": lambda machine, _: machine.last(1),
    "TUPLE2": lambda machine, _: machine.last(2),
    "TUPLE3": lambda machine, _: machine.last(3),
    "APPEND": lambda machine, _: machine.extend([machine.stack.pop()]),
    "APPENDS": lambda machine, _: machine.extend(machine.since_mark()),
    "SETITEM": _Machine.pair,
    "SETITEMS": lambda machine, _: machine.assign(machine.since_mark()),
    **dict.fromkeys(("PUT", "BINPUT", "LONG_BINPUT", "MEMOIZE"), _Machine.put),
    **dict.fromkeys(("GET", "BINGET", "LONG_BINGET"), _Machine.get),
    **dict.fromkeys(("GLOBAL", "STACK_GLOBAL"), _Machine.name),
    "REDUCE": _Machine.reduce,
    "BUILD": _Machine.build,
}
