"""Whether DuckDB comes back from a file: its blocks are as they were written, and another process has read it."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_HEADER, _HEADERS = 4096, 3
_SIZE_AT = 5 * 8
"""Where the header of a database says how long its blocks are; 0 in files of releases that had one length only."""
_USUAL, _LEAST, _MOST = 262_144, 16_384, 262_144
_START, _FACTOR = 5381, 0xBF58476D1CE4E5B9
_READ_ALL = """
import json, sys, duckdb
with duckdb.connect(sys.argv[1], read_only=True, config=json.loads(sys.argv[2])) as database:
    tables = "SELECT table_name FROM duckdb_tables() WHERE NOT internal AND schema_name = 'main'"
    for (name,) in database.execute(tables).fetchall():
        rows = database.execute('SELECT * FROM main."' + name.replace('"', '""') + '"')
        while rows.fetchmany(10_000):
            pass
"""


def comes_back(path: Path, settings: Mapping[str, Any], seconds: float) -> bool:
    """Whether another process that reads every table ends in that time, well or with an error.

    A file may be such that DuckDB waits for ever, where nothing but the end of its process helps.
    """
    command = [sys.executable, "-P", "-c", _READ_ALL, str(path.absolute()), json.dumps(settings)]
    try:
        done = subprocess.run(command, capture_output=True, timeout=seconds, check=False, stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode >= 0


def is_whole(path: Path) -> bool:
    """Whether every block has the sum before it that DuckDB computes; blocks of zeros were never written."""
    with path.open("rb") as stream:
        heads = [stream.read(_HEADER) for _ in range(_HEADERS)]
        sizes = {int.from_bytes(head[_SIZE_AT : _SIZE_AT + 8], "little") or _USUAL for head in heads[1:]}
        if len(sizes) != 1 or not _LEAST <= (size := sizes.pop()) <= _MOST or size & (size - 1):
            return False
        return all(map(_is_right, [*heads])) and all(map(_is_right, _blocks(stream, size)))


def _blocks(stream: IO[bytes], size: int) -> Iterator[bytes]:
    """Whole blocks; what is less than one at the end is none that DuckDB reads."""
    while len(block := stream.read(size)) == size:
        yield block


def _is_right(block: bytes) -> bool:
    import numpy as np

    if len(block) % 8 or len(block) < _HEADER:
        return False
    words: NDArray[np.uint64] = np.frombuffer(block, dtype="<u8")
    with np.errstate(over="ignore"):
        found = np.bitwise_xor.reduce(words[1:] * np.uint64(_FACTOR)) ^ np.uint64(_START)
    return bool(words[0] == found) or not words.any()
