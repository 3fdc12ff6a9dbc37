"""The models of a run, by Inspect's names."""

from __future__ import annotations

import re
from typing import Any

from inspect_ai.model import GenerateConfig, Model, get_model

from benchwright.errors import BenchwrightError, EnvironmentFault, InputError
from benchwright.run import Cell, RunSpec

RETRIES = 8
"""How often a call is tried again before the model counts as broken: with waits that double, some ten minutes. Inspect
would try for ever, and a run whose server is down would hang."""

_NO_PROVIDER = ("Model API ", "Model name ")
"""How Inspect's message begins where it knows no provider of that name; it has no error type of its own."""

_MARKUP = re.compile(r"\[/?[a-z ]+\]")
"""Rich's markup in Inspect's messages."""


def model_of(cell: Cell, spec: RunSpec) -> Model:
    """The model of a cell; Inspect's model that refuses to speak, for agents without one.

    Raises InputError where Inspect knows no such provider, EnvironmentFault where the provider is not installed, has no
    key, or does not know the name.
    """
    if not cell.model:
        return get_model("none/none")
    arguments: dict[str, Any] = spec.model_args
    settings = GenerateConfig(max_retries=RETRIES).merge(GenerateConfig.model_validate(cell.generation))
    try:
        return get_model(cell.model, config=settings, **arguments)
    except BenchwrightError:
        raise
    except Exception as error:  # each provider fails in its own way
        kind = InputError if isinstance(error, ValueError) and str(error).startswith(_NO_PROVIDER) else EnvironmentFault
        raise kind(
            f"model {cell.model} cannot be used",
            found=_MARKUP.sub("", str(error)).strip(),
            expected="a model by Inspect's name, with its key in the environment",
        ) from error
