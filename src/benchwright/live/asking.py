"""Models that are asked many small questions, such as those about skills."""

from __future__ import annotations

from inspect_ai.model import GenerateConfig

from benchwright.chat.base import ChatModel
from benchwright.live.chat import InspectChat
from benchwright.live.models import model_named, quiet_stdout
from benchwright.live.usage import refuse_unpriced

SETTINGS = GenerateConfig(temperature=0.0, seed=1024, max_tokens=8192)
"""As steady as a provider allows; what it does not take, it ignores."""
_TWO_DAYS = 2 * 86_400


def asking_settings(*, batch: bool = False) -> GenerateConfig:
    """How models are asked; in a provider's batch mode an answer may take two days, and costs less."""
    if not batch:
        return SETTINGS
    return SETTINGS.merge(GenerateConfig(batch=True, attempt_timeout=_TWO_DAYS, timeout=_TWO_DAYS))


def chat_named(model: str, settings: GenerateConfig = SETTINGS, *, priced: bool = False) -> ChatModel:
    """A model by Inspect's name, as a `ChatModel`.

    Raises InputError where its price has to be known and is not; errors as in `model_named` besides.
    """
    if priced:
        refuse_unpriced((model,), "a budget in dollars")
    with quiet_stdout():
        opened = model_named(model, settings)
    return InspectChat(opened, settings)
