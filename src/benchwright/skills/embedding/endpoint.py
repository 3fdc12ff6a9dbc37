"""Any endpoint that speaks like OpenAI's `/embeddings` as an embedder."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from benchwright.errors import Broken, Fault

if TYPE_CHECKING:
    import httpx

_TRIES = 5
_SECONDS = 120.0
_AGAIN = (408, 409, 429, 500, 502, 503, 504)


class EndpointEmbedder:
    """A model behind an endpoint; what fails for a moment is asked again, ever more slowly."""

    def __init__(self, model: str, url: str, key: str = "", pause: float = 1.0) -> None:
        self.name = f"openai/{model}"
        self._model, self._url, self._pause = model, url.rstrip("/"), pause
        self._headers = {"Authorization": f"Bearer {key}"} if key else {}

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """One vector a text; raises `Broken(Fault.MODEL)` where the endpoint gives none."""
        import httpx

        async with httpx.AsyncClient(timeout=_SECONDS, headers=self._headers) as client:
            response = await self._answered(client, {"model": self._model, "input": list(texts)})
        return _vectors(response, len(texts), self.name)

    async def _answered(self, client: httpx.AsyncClient, asked: dict[str, Any]) -> Any:
        import httpx

        complaint = ""
        for attempt in range(_TRIES):
            if attempt:
                await asyncio.sleep(self._pause * 2 ** (attempt - 1))
            try:
                response = await client.post(f"{self._url}/embeddings", json=asked)
            except httpx.HTTPError as error:
                complaint = f"{type(error).__name__}: {error}"
                continue
            if response.status_code == httpx.codes.OK:
                return _document(response, self.name)
            complaint = f"HTTP {response.status_code}: {response.text[:300]}"
            if response.status_code not in _AGAIN:
                break
        raise Broken(Fault.MODEL, f"{self.name} gave no vectors", found=complaint, hint=f"asked {self._url}/embeddings")


def _document(response: httpx.Response, name: str) -> Any:
    try:
        return response.json()
    except ValueError as error:
        raise Broken(Fault.MODEL, f"{name} did not answer with JSON", found=response.text[:300]) from error


def _vectors(document: Any, count: int, name: str) -> Sequence[Sequence[float]]:
    """The vectors in the order of the texts: an endpoint may give them in another."""
    try:
        rows = {int(row["index"]): [float(value) for value in row["embedding"]] for row in document["data"]}
        return [rows[place] for place in range(count)]
    except (KeyError, TypeError, ValueError) as error:
        raise Broken(
            Fault.MODEL,
            f"{name} did not answer with vectors",
            found=f"{type(error).__name__}: {error}",
            expected=f"data: {count} of index and embedding",
        ) from error
