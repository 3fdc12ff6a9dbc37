"""Chart data from `.npy` files, read without unpickling; what cannot be read raises as the published loading does."""

from __future__ import annotations

from typing import Any

from benchwright.scorers.compare.npy import NotPlainData, UnreadableArray, read_program, read_stored

_MAGIC = b"\x93NUMPY"
_ZIPPED = (b"PK\x03\x04", b"PK\x05\x06")
_HEADER = 512


class UnpicklingError(Exception):
    """A file whose instructions are cut off or make no sense; the published error's name."""


def chart_data(data: bytes) -> Any:
    """The one item of the stored array, usually a dict of arrays by subplot.

    The array may be stored by itself, as pickled, and its own shape counts, not the one that the file's head states.
    ValueError: there is not one item, or too little data. AttributeError: no array, an archive, or instructions that
    build what is no plain data; the published rule builds it, running whatever that takes, and finds no array in it.
    """
    if not data:
        raise EOFError("no data left in file")
    if data.startswith(_ZIPPED):
        raise AttributeError("an archive of arrays has no attribute 'item'")
    try:
        found = read_stored(data) if data.startswith(_MAGIC) else read_program(data)
    except NotPlainData as error:
        raise AttributeError(f"not loaded: {error}") from error
    except UnreadableArray as error:
        stored_objects = not data.startswith(_MAGIC) or b"O'" in data[:_HEADER].partition(b"\n")[0]
        raise (UnpicklingError if stored_objects else ValueError)(str(error)) from error
    return found.item()
