"""Any model of the sentence-transformers library as an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from benchwright.errors import EnvironmentFault


class SentenceEmbedder:
    """A model by its hub name or its folder; loaded at the first text."""

    def __init__(self, model: str) -> None:
        self.name = f"sentence-transformers/{model}"
        self._path = model
        self._model: Any = None

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text, as long as the model makes them."""
        found: Sequence[Sequence[float]] = await asyncio.to_thread(self._embedded, list(texts))
        return found

    def _embedded(self, texts: list[str]) -> Sequence[Sequence[float]]:
        if self._model is None:
            self._model = self._opened()
        found: Sequence[Sequence[float]] = self._model.encode(texts, show_progress_bar=False).tolist()
        return found

    def _opened(self) -> Any:
        try:
            from sentence_transformers import SentenceTransformer
        except ModuleNotFoundError as error:
            raise EnvironmentFault(
                f"{self.name} needs sentence-transformers", hint="pip install sentence-transformers"
            ) from error
        try:
            return SentenceTransformer(self._path)
        except (OSError, ValueError) as error:
            raise EnvironmentFault(f"{self.name} cannot be loaded", found=str(error)) from error
