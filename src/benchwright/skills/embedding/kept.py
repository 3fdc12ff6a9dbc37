"""Vectors of texts, kept by the content of the text, so that no text is embedded twice."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchwright.chat.asking.shelf import Shelf
from benchwright.chat.base import Embedder
from benchwright.errors import Broken, Fault
from benchwright.files import sha256

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_BATCH = 256
"""Texts asked for at once; what was embedded is on disk after each batch."""
_MOST_CHARACTERS = 8_000
"""What embedders read of a text at most; none that is known reads further."""


class KeptVectors(Shelf):
    """Vectors in an SQLite file by embedder and text; raises `Broken(Fault.MODEL)` where an embedder gives none."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, "vectors")

    async def of(self, embedder: Embedder, texts: Sequence[str]) -> NDArray[np.float32]:
        """Texts x dimensions, in the order of the texts: rows of length 1, or 0 where a text has no vector."""
        import numpy as np

        shown = [text[:_MOST_CHARACTERS] for text in texts]
        keys = [sha256(f"{embedder.name}\0{text}") for text in shown]
        await self._complete(embedder, dict(zip(keys, shown, strict=True)))
        found = {key: np.frombuffer(self.get(key) or b"", dtype="<f4") for key in dict.fromkeys(keys)}
        if len(lengths := {len(row) for row in found.values()}) > 1:
            raise Broken(Fault.MODEL, f"{embedder.name} gave vectors of several lengths", found=str(sorted(lengths)))
        return np.stack([found[key] for key in keys]) if keys else np.zeros((0, 0), dtype=np.float32)

    async def _complete(self, embedder: Embedder, texts: dict[str, str]) -> None:
        missing = [key for key in texts if self.get(key) is None]
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            rows = await embedder.embed([texts[key] for key in batch])
            if len(rows) != len(batch):
                found, expected = str(len(rows)), f"{len(batch)}, one a text"
                raise Broken(Fault.MODEL, f"{embedder.name} gave too few vectors", found=found, expected=expected)
            self.put([(key, _unit(row, embedder.name)) for key, row in zip(batch, rows, strict=True)])


def _unit(row: Sequence[float], name: str) -> bytes:
    import numpy as np

    vector = np.asarray(row, dtype=np.float64)
    if vector.ndim != 1 or not np.isfinite(vector).all():
        raise Broken(Fault.MODEL, f"{name} gave no vector", found="numbers that are not finite, or no list of numbers")
    length = np.linalg.norm(vector)
    return np.asarray(vector / length if length else vector, dtype="<f4").tobytes()
