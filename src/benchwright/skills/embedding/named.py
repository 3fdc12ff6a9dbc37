"""Which embedder a name means."""

from __future__ import annotations

from benchwright.chat.base import Embedder
from benchwright.errors import InputError
from benchwright.skills.embedding.endpoint import EndpointEmbedder
from benchwright.skills.embedding.offline import OfflineEmbedder
from benchwright.skills.embedding.sentences import SentenceEmbedder


def embedder_named(name: str, url: str = "", key: str = "") -> Embedder:
    """`offline`; `sentence-transformers/<model or folder>`; `openai/<model>`, any endpoint that speaks like OpenAI's.

    `url` is the endpoint's base (up to `/v1`), `key` its key; neither is part of the embedder's name.
    """
    if name == "offline":
        return OfflineEmbedder()
    kind, _, model = name.partition("/")
    if kind == "sentence-transformers" and model:
        return SentenceEmbedder(model)
    if kind == "openai" and model:
        return EndpointEmbedder(model, url or "https://api.openai.com/v1", key)
    raise InputError(
        "no such embedder", found=name, expected="offline, sentence-transformers/<model> or openai/<model>"
    )
