"""An embedder that needs no network: static word vectors that a package ships in its wheel."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchwright.errors import EnvironmentFault

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DIMENSIONS = 256


class OfflineEmbedder:
    """WordLlama's 256 dimensions: the mean of a text's word vectors, the same on every machine."""

    def __init__(self) -> None:
        try:
            self.name = f"offline/wordllama-{version('wordllama')}"
        except ModuleNotFoundError as error:
            raise EnvironmentFault(
                "the offline embedder is not installed", hint="pip install 'benchwright[skills]'"
            ) from error
        self._model: Any = None

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector of 256 numbers a text; a text without a known word gets zeros."""
        found: Sequence[Sequence[float]] = (await asyncio.to_thread(self._embedded, list(texts))).tolist()
        return found

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        import numpy as np

        if self._model is None:
            self._model = _opened()
        # An empty text has no mean: the package divides by its number of words.
        made = np.asarray(self._model.embed([text or " " for text in texts], norm=False), dtype=np.float32)
        return np.nan_to_num(made)


def _opened() -> Any:
    import wordllama

    folder = Path(wordllama.__file__).parent
    return wordllama.WordLlama.load(dim=DIMENSIONS, cache_dir=folder, disable_download=True)
